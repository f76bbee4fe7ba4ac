package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads exactly one JSON value from data. JSON is strict: no NaN, no
// comments, no trailing commas, nothing behind the value. Of a repeated key the
// last value counts. Bytes that are no UTF-8 read as U+FFFD. The error names the
// byte offset.
func Parse(data []byte) (Value, error) {
	dec := decoder(bytes.NewBuffer(data))
	v, err := read(dec, nil)
	if err != nil {
		return Value{}, syntaxError(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, fmt.Errorf("json: text after the value at byte %d", dec.InputOffset())
	}
	return v, nil
}

// ParseString is Parse for a string.
func ParseString(s string) (Value, error) { return Parse([]byte(s)) }

// ParseUnique is Parse that also returns the JSON Pointer of every repeated key,
// in the order met.
func ParseUnique(data []byte) (v Value, repeated []string, err error) {
	dec := decoder(bytes.NewBuffer(data))
	v, err = read(dec, &repeated)
	if err != nil {
		return Value{}, nil, syntaxError(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, nil, fmt.Errorf("json: text after the value at byte %d", dec.InputOffset())
	}
	return v, repeated, nil
}

// Decoder reads a stream of JSON values, or the elements of one array, without
// holding more than one element in memory.
type Decoder struct {
	dec *jsontext.Decoder
}

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{decoder(r)} }

// Next reads the next value at the current level. At the end of the input, or of
// the array or object that was entered, it returns io.EOF.
func (d *Decoder) Next() (Value, error) {
	switch d.dec.PeekKind() {
	case ']', '}':
		return Value{}, io.EOF
	case 0:
		if _, err := d.dec.ReadToken(); err != nil {
			return Value{}, syntaxError(err)
		}
	}
	v, err := read(d.dec, nil)
	return v, syntaxError(err)
}

// Enter steps into the array or object that comes next, so that Next (or Key and
// Next) reads its elements. It reports false, and reads nothing, when the next
// value does not open with the given delimiter.
func (d *Decoder) Enter(open byte) (bool, error) {
	if d.dec.PeekKind() != jsontext.Kind(open) {
		return false, nil
	}
	_, err := d.dec.ReadToken()
	return err == nil, syntaxError(err)
}

// Key reads the next key of the object that was entered, io.EOF at its end.
func (d *Decoder) Key() (string, error) {
	if d.dec.PeekKind() == '}' {
		return "", io.EOF
	}
	tok, err := d.dec.ReadToken()
	if err != nil {
		return "", syntaxError(err)
	}
	return tok.String(), nil
}

// Leave reads the end of the array or object that was entered.
func (d *Decoder) Leave() error {
	_, err := d.dec.ReadToken()
	return syntaxError(err)
}

// Skip reads past the next value without building it.
func (d *Decoder) Skip() error { return syntaxError(d.dec.SkipValue()) }

// Offset returns how many bytes of the input have been read as values.
func (d *Decoder) Offset() int64 { return d.dec.InputOffset() }

// Peek returns the first byte of the next value: one of {["0tfn, ']' or '}' at
// an end, 0 at the end of the input or before an error.
func (d *Decoder) Peek() byte { return byte(d.dec.PeekKind()) }

func decoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// syntaxError keeps io errors as they are and says where a syntax error is, in
// words that do not change with the library.
func syntaxError(err error) error {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		if errors.Is(syn.Err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("json: text ends early at byte %d: %w", syn.ByteOffset, io.ErrUnexpectedEOF)
		}
		return fmt.Errorf("json: %w at byte %d", syn.Err, syn.ByteOffset)
	}
	return err
}

// read builds the next value. With repeated set, it appends the pointer of each
// key that stands twice in its object.
func read(dec *jsontext.Decoder, repeated *[]string) (Value, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch tok.Kind() {
	case '"':
		return Value{kind: String, text: tok.String()}, nil
	case '0':
		return numberOf(tok.String()), nil
	case 't':
		return OfBool(true), nil
	case 'f':
		return OfBool(false), nil
	case '[':
		return readList(dec, repeated)
	case '{':
		return readObject(dec, repeated)
	}
	return Value{}, nil
}

func readList(dec *jsontext.Decoder, repeated *[]string) (Value, error) {
	var items []Member
	for dec.PeekKind() != ']' {
		v, err := read(dec, repeated)
		if err != nil {
			return Value{}, err
		}
		items = append(items, Member{Value: v})
	}
	_, err := dec.ReadToken()
	return Value{kind: List, items: items}, err
}

func readObject(dec *jsontext.Decoder, repeated *[]string) (Value, error) {
	var items []Member
	var seen map[string]bool
	if repeated != nil {
		seen = map[string]bool{}
	}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return Value{}, err
		}
		name := key.String()
		if seen != nil {
			if seen[name] {
				*repeated = append(*repeated, string(dec.StackPointer()))
			}
			seen[name] = true
		}
		v, err := read(dec, repeated)
		if err != nil {
			return Value{}, err
		}
		items = append(items, Member{name, v})
	}
	_, err := dec.ReadToken()
	return Value{kind: Object, items: dedupe(items)}, err
}
