package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Member is one key of a JSON object with its value as written.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object is a JSON object in source order. A repeated key keeps its first place
// and its last value.
type Object []Member

// ParseObject reads one JSON object and nothing after it.
func ParseObject(raw json.RawMessage) (Object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	start, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	if start != json.Delim('{') {
		return nil, fmt.Errorf("read object: the value is not a JSON object")
	}
	out := Object{}
	place := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		name, _ := key.(string)
		if i, ok := place[name]; ok {
			out[i].Value = value
			continue
		}
		place[name] = len(out)
		out = append(out, Member{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("read object: text after the object")
	}
	return out, nil
}

// Get is the value of a key, nil when it is absent.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// MarshalJSON writes the members in order, values as they were read.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// isNull reports an absent value or a JSON null.
func isNull(raw json.RawMessage) bool {
	t := bytes.TrimSpace(raw)
	return len(t) == 0 || bytes.Equal(t, []byte("null"))
}

// Equal compares two JSON values: objects without regard to key order, arrays in
// order, numbers by value whatever their size (694 = 694.0, 1e2 = 100), strings
// exactly. Values that are not JSON equal nothing.
func Equal(a, b json.RawMessage) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && equalValues(x, y)
}

func decode(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// equalValues recurses at most as deep as encoding/json let the values nest.
func equalValues(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !equalValues(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalValues(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && plain(string(x)) == plain(string(y))
	}
	return a == b
}

// plain is a number literal in one form, digits and power of ten, so that equal
// values have equal text and no exponent is ever expanded.
func plain(literal string) string {
	sign := ""
	if strings.HasPrefix(literal, "-") {
		sign, literal = "-", literal[1:]
	}
	mantissa, exponent := literal, int64(0)
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa = literal[:i]
		e, err := strconv.ParseInt(strings.TrimPrefix(literal[i+1:], "+"), 10, 32)
		if err != nil {
			e = 0
			mantissa = literal // an absurd exponent: equal only to the same text
		}
		exponent = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return "0"
	}
	return sign + trimmed + "e" + strconv.FormatInt(exponent, 10)
}
