package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// Format says how AppendJSON writes. The zero Format is compact JSON with numbers
// as they were read, keys in their order, and characters as they are.
type Format struct {
	// SortKeys writes the keys of every object sorted by code point.
	SortKeys bool
	// JSNumbers writes numbers as JavaScript's JSON.stringify does.
	JSNumbers bool
	// PythonNumbers writes numbers as Python's json.dumps does.
	PythonNumbers bool
	// ExactNumbers writes equal numbers with the same text: 1, 1.0 and 1e0 are all 1. It is meant
	// for comparing, not for showing.
	ExactNumbers bool
}

// JSON returns v as compact JSON. A tuple is written as an array.
func (v Value) JSON() string { return string(AppendJSON(nil, v, Format{})) }

// Canonical returns v as compact JSON with sorted keys and one text for equal numbers: two values
// have the same text exactly if Equal holds for them.
func (v Value) Canonical() string {
	return string(AppendJSON(nil, v, Format{SortKeys: true, ExactNumbers: true}))
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v, Format{}), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}

// AppendJSON appends v to dst as JSON without blanks, without HTML escaping.
func AppendJSON(dst []byte, v Value, f Format) []byte {
	switch v.kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return append(dst, v.text...)
	case String:
		return AppendQuoted(dst, v.text)
	case Int, Float:
		return append(dst, f.number(v)...)
	case List, Tuple:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, v.At(i), f)
		}
		return append(dst, ']')
	}
	if f.SortKeys {
		items := slices.Clone(v.members())
		slices.SortFunc(items, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		v = container(Object, items)
	}
	dst = append(dst, '{')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		m := v.item(i)
		dst = append(AppendQuoted(dst, m.Key), ':')
		dst = AppendJSON(dst, m.Value, f)
	}
	return append(dst, '}')
}

func (f Format) number(v Value) string {
	switch {
	case f.JSNumbers:
		return jsNumber(v.text)
	case f.PythonNumbers:
		return v.Python()
	case f.ExactNumbers:
		if whole, ok := v.BigInt(); ok {
			return whole.String()
		}
		if d, ok := v.Float64(); ok {
			return jsontext.Float(d).String()
		}
		return decimal(v.text) // beyond the range of doubles
	}
	return v.text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// AppendQuoted appends s as a JSON string, escaping only what JSON demands. Bytes that are
// no UTF-8 become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
	return dst
}

// Python returns v as Python's str prints it: a string as itself, everything else
// as repr prints it (None, True, [1, 'a'], {'k': 1.0}, (1,)).
func (v Value) Python() string {
	if v.kind == String {
		return v.text
	}
	return string(appendRepr(nil, v))
}

// Repr returns v as Python's repr prints it: a string is in quotes.
func (v Value) Repr() string { return string(appendRepr(nil, v)) }

// Shown returns v as Repr does, cut to about most characters. It does not read the rest of v.
func (v Value) Shown(most int) string {
	if v.kind == String && len(v.text) > most {
		return Excerpt(v.text, most)
	}
	return Excerpt(string(appendReprTo(nil, v, most)), most)
}

func appendRepr(dst []byte, v Value) []byte { return appendReprTo(dst, v, math.MaxInt) }

// appendReprTo appends members until dst is longer than most.
func appendReprTo(dst []byte, v Value, most int) []byte {
	switch v.kind {
	case Null:
		return append(dst, "None"...)
	case Bool:
		if v.text == "true" {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case Int:
		return append(dst, intText(v.text)...)
	case Float:
		f := parseFloat(v.text)
		if math.IsInf(f, 0) { // Python would print inf for all of them
			return append(dst, decimal(v.text)...)
		}
		return append(dst, pythonFloat(f)...)
	case String:
		return appendPythonString(dst, v.text)
	case Object:
		dst = append(dst, '{')
		for i := 0; i < v.Len() && len(dst) <= most; i++ {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			m := v.item(i)
			dst = append(appendPythonString(dst, m.Key), ": "...)
			dst = appendReprTo(dst, m.Value, most)
		}
		return append(dst, '}')
	}
	opening, closing := byte('['), byte(']')
	if v.kind == Tuple {
		opening, closing = '(', ')'
	}
	dst = append(dst, opening)
	for i := 0; i < v.Len() && len(dst) <= most; i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendReprTo(dst, v.At(i), most)
	}
	if v.kind == Tuple && v.Len() == 1 {
		dst = append(dst, ',')
	}
	return append(dst, closing)
}

// appendPythonString appends s in single quotes, or in double quotes when it
// holds a single quote and no double quote.
func appendPythonString(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case strconv.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r <= 0xff:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r <= 0xffff:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, quote)
}

// EscapePointer writes one reference token of a JSON Pointer (RFC 6901).
func EscapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// UnescapePointer undoes EscapePointer.
func UnescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// Pointer resolves a JSON Pointer (RFC 6901) in v; false if it leads nowhere or is malformed.
func (v Value) Pointer(pointer string) (Value, bool) {
	if pointer == "" {
		return v, true
	}
	if pointer[0] != '/' {
		return Value{}, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = UnescapePointer(token)
		if v.IsList() {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= v.Len() || strconv.Itoa(i) != token {
				return Value{}, false
			}
			v = v.At(i)
			continue
		}
		next, ok := v.Get(token)
		if !ok {
			return Value{}, false
		}
		v = next
	}
	return v, true
}
