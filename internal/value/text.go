package value

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format says how AppendJSON writes. The zero Format is compact JSON with numbers
// as they were read, keys in their order, and characters as they are.
type Format struct {
	// SortKeys writes the keys of every object by code point.
	SortKeys bool
	// JSNumbers writes numbers as JavaScript's JSON.stringify does.
	JSNumbers bool
	// ExactNumbers writes equal numbers alike: 1, 1.0 and 1e0 are all 1. It is
	// meant for identity, not for display.
	ExactNumbers bool
}

// JSON returns v as compact JSON. A tuple is written as an array.
func (v Value) JSON() string { return string(AppendJSON(nil, v, Format{})) }

// Canonical returns v as compact JSON with sorted keys and equal numbers alike,
// so that two values have the same text exactly when Equal holds for them.
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
		for i := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, v.items[i].Value, f)
		}
		return append(dst, ']')
	}
	items := v.items
	if f.SortKeys {
		items = slices.Clone(items)
		slices.SortFunc(items, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
	}
	dst = append(dst, '{')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendQuoted(dst, items[i].Key), ':')
		dst = AppendJSON(dst, items[i].Value, f)
	}
	return append(dst, '}')
}

func (f Format) number(v Value) string {
	switch {
	case f.JSNumbers:
		return jsNumber(v.text)
	case f.ExactNumbers:
		if whole, ok := v.BigInt(); ok {
			return whole.String()
		}
		if d, ok := v.Float64(); ok {
			return shortest(d, -6, 21, false)
		}
		// Beyond the range of doubles numbers of one sign are equal.
		return v.text[:strings.IndexFunc(v.text, isDigit)] + "1e999"
	}
	return v.text
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string, escaping only what JSON demands.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
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

func appendRepr(dst []byte, v Value) []byte {
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
		return appendPythonFloat(dst, v.text)
	case String:
		return appendPythonString(dst, v.text)
	case Object:
		dst = append(dst, '{')
		for i := range v.items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendPythonString(dst, v.items[i].Key), ": "...)
			dst = appendRepr(dst, v.items[i].Value)
		}
		return append(dst, '}')
	}
	opening, closing := byte('['), byte(']')
	if v.kind == Tuple {
		opening, closing = '(', ')'
	}
	dst = append(dst, opening)
	for i := range v.items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendRepr(dst, v.items[i].Value)
	}
	if v.kind == Tuple && len(v.items) == 1 {
		dst = append(dst, ',')
	}
	return append(dst, closing)
}

func appendPythonFloat(dst []byte, text string) []byte {
	f := parseFloat(text)
	if f > maxFloat {
		return append(dst, "inf"...)
	}
	if f < -maxFloat {
		return append(dst, "-inf"...)
	}
	return append(dst, pythonFloat(f)...)
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
		case r < ' ' || r == 0x7f:
			dst = append(dst, '\\', 'x', hexDigits[r>>4&15], hexDigits[r&15])
		case strconv.IsPrint(r) || r == ' ':
			dst = utf8.AppendRune(dst, r)
		case r <= 0xff:
			dst = append(dst, '\\', 'x', hexDigits[r>>4], hexDigits[r&15])
		default:
			dst = appendUnicodeEscape(dst, r)
		}
	}
	return append(dst, quote)
}

func appendUnicodeEscape(dst []byte, r rune) []byte {
	width := 4
	dst = append(dst, '\\')
	if r > 0xffff {
		width = 8
		dst = append(dst, 'U')
	} else {
		dst = append(dst, 'u')
	}
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return dst
}

// EscapePointer writes one reference token of a JSON Pointer (RFC 6901).
func EscapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// UnescapePointer undoes EscapePointer.
func UnescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// Pointer resolves a JSON Pointer (RFC 6901) in v; false where it leads
// nowhere or is malformed.
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
