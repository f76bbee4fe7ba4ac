package pycall

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// maxRadixDigits bounds integers in base 2, 8 and 16, whose conversion to decimal
// costs more than linear time.
const maxRadixDigits = 1 << 15

// parseNumber reads a Python number literal without its sign. kind is nodeConst,
// or nodeComplex for an imaginary number.
func parseNumber(text string) (v value.Value, kind nodeKind, ok bool) {
	if len(text) > 1 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'x':
			return radixInt(text[2:], 16)
		case 'o':
			return radixInt(text[2:], 8)
		case 'b':
			return radixInt(text[2:], 2)
		}
	}
	kind = nodeConst
	if last := text[len(text)-1] | 0x20; last == 'j' {
		kind, text = nodeComplex, text[:len(text)-1]
	}
	whole, rest, ok := cutDigits(text)
	if !ok && !strings.HasPrefix(text, ".") {
		return v, kind, false
	}
	if rest == "" {
		digits := strings.TrimLeft(whole, "0")
		if len(digits) < len(whole) && digits != "" && kind == nodeConst {
			return v, kind, false // leading zeros are a mistake in an integer
		}
		return value.OfNumber(orZero(digits)), kind, true
	}
	fraction := ""
	if after, found := strings.CutPrefix(rest, "."); found {
		rest = after
		if rest != "" && (isDigit(rest[0]) || rest[0] == '_') {
			if fraction, rest, ok = cutDigits(rest); !ok {
				return v, kind, false
			}
		}
	}
	exponent, ok := readExponent(rest)
	if !ok {
		return v, kind, false
	}
	return value.OfNumber(orZero(strings.TrimLeft(whole, "0")) + "." + orZero(fraction) + exponent), kind, true
}

func readExponent(rest string) (exponent string, ok bool) {
	if rest == "" {
		return "", true
	}
	if rest[0]|0x20 != 'e' {
		return "", false
	}
	rest, sign := rest[1:], ""
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = rest[:1], rest[1:]
	}
	digits, rest, ok := cutDigits(rest)
	return "e" + sign + digits, ok && rest == ""
}

// cutDigits reads decimal digits with single underscores between them, and returns
// the digits alone.
func cutDigits(s string) (digits, rest string, ok bool) {
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n] == '_') {
		n++
	}
	return cleanDigits(s[:n]), s[n:], underscoresOK(s[:n])
}

func cleanDigits(s string) string { return strings.ReplaceAll(s, "_", "") }

func underscoresOK(s string) bool {
	return s != "" && s[0] != '_' && s[len(s)-1] != '_' && !strings.Contains(s, "__")
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// radixInt reads the digits behind 0x, 0o or 0b; one underscore may lead.
func radixInt(s string, base int) (value.Value, nodeKind, bool) {
	s = strings.TrimPrefix(s, "_")
	if !underscoresOK(s) || len(s) > maxRadixDigits {
		return value.Value{}, nodeConst, false
	}
	i, ok := new(big.Int).SetString(cleanDigits(s), base)
	if !ok || strings.ContainsAny(s, "+-") {
		return value.Value{}, nodeConst, false
	}
	return value.OfBigInt(i), nodeConst, true
}

// splitString cuts a string literal into its lower-case prefix and the text
// between the quotes.
func splitString(literal string) (prefix, body string) {
	at := strings.IndexAny(literal, `'"`)
	prefix, body = strings.ToLower(literal[:at]), literal[at:]
	width := 1
	if len(body) >= 6 && body[:3] == strings.Repeat(body[:1], 3) {
		width = 3
	}
	return prefix, body[width : len(body)-width]
}

// unescape resolves the escapes of a string that is not raw. An escape that is not
// known keeps its backslash; a broken \x, \u or \U is an error, as in Python.
func unescape(body string) (string, bool) {
	if strings.IndexByte(body, '\\') < 0 {
		return body, true
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' || i+1 == len(body) {
			out = append(out, body[i])
			i++
			continue
		}
		n, r, ok := escape(body[i+1:])
		if !ok {
			return "", false
		}
		switch {
		case n == 0:
			out = append(out, '\\')
			i++
			continue
		case r >= 0:
			out = utf8.AppendRune(out, r) // a lone surrogate becomes U+FFFD
		}
		i += 1 + n
	}
	return string(out), true
}

var simpleEscapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f',
	'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\n': -1,
}

// escape reads what follows a backslash: how many bytes it takes (0: not an
// escape), and the character it stands for (-1: none).
func escape(s string) (n int, r rune, ok bool) {
	if r, known := simpleEscapes[s[0]]; known {
		return 1, r, true
	}
	switch s[0] {
	case 'x':
		return hexEscape(s, 2)
	case 'u':
		return hexEscape(s, 4)
	case 'U':
		return hexEscape(s, 8)
	}
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		r = r<<3 | rune(s[n]-'0')
		n++
	}
	return n, r, true
}

func hexEscape(s string, width int) (n int, r rune, ok bool) {
	if len(s) < 1+width {
		return 0, 0, false
	}
	var code uint32
	for _, c := range []byte(s[1 : 1+width]) {
		switch {
		case isDigit(c):
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, 0, false
		}
		code = code<<4 | uint32(c)
	}
	if code > utf8.MaxRune {
		return 0, 0, false
	}
	return 1 + width, rune(code), true
}
