package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads exactly one JSON value from data. JSON is strict: no NaN, no comments, no trailing commas,
// nothing after the value, at most 10000 levels. Of a repeated key the last value counts. A byte that is not
// UTF-8 reads as U+FFFD and its two hexadecimal digits. The error names the byte offset.
func Parse(data []byte) (Value, error) { return ParseString(string(data)) }

// ParseString is Parse for a string, whose memory the value shares.
func ParseString(s string) (Value, error) {
	var p Parser
	return p.parse(s)
}

// ParsePrefix reads the list or object at the beginning of s. If s ends inside it, or stops being
// JSON there, it returns what is complete. It returns null if s begins with neither.
func ParsePrefix(s string) Value {
	var p Parser
	v := p.prefix(s)
	if v.kind <= String {
		return Value{}
	}
	return v
}

// ParseUnique is Parse that also returns the JSON Pointer of every repeated key, in order of occurrence.
func ParseUnique(data []byte) (v Value, repeated []string, err error) {
	var p Parser
	if v, err = p.parse(string(data)); p.repeats > 0 {
		repeated = repeatedKeys(decoder(bytes.NewReader(data)))
	}
	return v, repeated, err
}

// Locate returns the offset at which the value at a JSON Pointer begins, or of the blanks, comma or colon
// before it. If the pointer leads nowhere, it returns the offset of the deepest part of its way that exists.
func Locate(data []byte, pointer string) int {
	dec, at, found := decoder(bytes.NewReader(data)), int64(0), jsontext.Pointer("")
	for string(found) != pointer {
		before := dec.InputOffset()
		if _, err := dec.ReadToken(); err != nil {
			break
		}
		if here := dec.StackPointer(); len(here) > len(found) && here.Contains(jsontext.Pointer(pointer)) {
			if found, at = here, before; isKey(dec) {
				at = dec.InputOffset()
			}
		}
	}
	return int(at)
}

// Broken returns the byte at which the first value of a text stops being JSON.
func Broken(data []byte) int {
	var syn *jsontext.SyntacticError
	if errors.As(decoder(bytes.NewReader(data)).SkipValue(), &syn) {
		return int(syn.ByteOffset)
	}
	return len(data)
}

// isKey reports whether the token read last is the key of an object.
func isKey(dec *jsontext.Decoder) bool {
	kind, n := dec.StackIndex(dec.StackDepth())
	return kind == '{' && n%2 == 1
}

// repeatedKeys returns the JSON Pointer of every key that occurs twice in its object.
func repeatedKeys(dec *jsontext.Decoder) (places []string) {
	seen := map[int]map[string]bool{}
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return places
		}
		depth := dec.StackDepth()
		if token.Kind() == '{' {
			seen[depth] = map[string]bool{}
		}
		if !isKey(dec) {
			continue
		}
		if name := token.String(); seen[depth][name] {
			places = append(places, string(dec.StackPointer()))
		} else {
			seen[depth][name] = true
		}
	}
}

// Decoder reads a stream of JSON values without holding more than one in memory.
type Decoder struct {
	dec *jsontext.Decoder
}

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{decoder(r)} }

// Next reads the next value. At the end of the input it returns io.EOF.
func (d *Decoder) Next() (Value, error) {
	v, err := read(d.dec)
	return v, syntaxError(err)
}

// Skip reads past the next value without building it.
func (d *Decoder) Skip() error { return syntaxError(d.dec.SkipValue()) }

// Offset returns how many bytes of the input have been read as values.
func (d *Decoder) Offset() int64 { return d.dec.InputOffset() }

func decoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// syntaxError keeps io errors as they are and says where a syntax error is, in
// words that do not change with the library.
func syntaxError(err error) error {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		if errors.Is(syn.Err, io.ErrUnexpectedEOF) {
			return early(syn.ByteOffset)
		}
		return fmt.Errorf("json: %w at byte %d", syn.Err, syn.ByteOffset)
	}
	return err
}

// read builds the next value.
func read(dec *jsontext.Decoder) (Value, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return Value{}, err
	}
	return Parse(raw)
}
