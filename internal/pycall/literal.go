package pycall

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// maxRadixDigits bounds integers in base 2, 8 and 16, whose conversion to decimal
// costs more than linear time.
const maxRadixDigits = 1 << 15

var (
	radixNumber   = regexp.MustCompile(`^0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)$`)
	wholeNumber   = regexp.MustCompile(`^(?:0(?:_?0)*|[1-9](?:_?[0-9])*)$`)
	decimalNumber = regexp.MustCompile(`^([0-9](?:_?[0-9])*)?(\.)?([0-9](?:_?[0-9])*)?([eE][-+]?[0-9](?:_?[0-9])*)?$`)
)

// parseNumber reads a Python number literal without its sign; an imaginary number
// is none of the kinds here.
func parseNumber(text string) (v value.Value, imaginary, ok bool) {
	if radixNumber.MatchString(text) && len(text) <= maxRadixDigits {
		i, ok := new(big.Int).SetString(text, 0)
		return value.OfBigInt(i), false, ok
	}
	if body := strings.TrimRight(text, "jJ"); len(body) == len(text)-1 {
		text, imaginary = body, true
	}
	digits := strings.ReplaceAll(text, "_", "")
	if wholeNumber.MatchString(text) {
		return value.OfNumber(orZero(strings.TrimLeft(digits, "0"))), imaginary, true
	}
	m := decimalNumber.FindStringSubmatch(text)
	switch {
	case m == nil, m[1] == "" && (m[2] == "" || m[3] == ""):
		return v, false, false
	case m[2] == "" && m[4] == "" && !imaginary: // leading zeros are a mistake in an integer
		return v, false, false
	}
	whole, rest, _ := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, _ := strings.Cut(whole, ".")
	if rest != "" {
		rest = "e" + rest
	}
	return value.OfNumber(orZero(strings.TrimLeft(whole, "0")) + "." + orZero(fraction) + rest), imaginary, true
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
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
	var out strings.Builder
	for {
		before, after, found := strings.Cut(body, `\`)
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		text, n, ok := escape(after)
		if !ok {
			return "", false
		}
		out.WriteString(text)
		body = after[n:]
	}
}

const simpleEscapes, simpleMeanings = `\'"abfnrtv`, "\\'\"\a\b\f\n\r\t\v"

// escape reads what follows a backslash: the text it stands for, and how many bytes
// it takes (0: not an escape).
func escape(s string) (text string, n int, ok bool) {
	if s == "" {
		return `\`, 0, true
	}
	if i := strings.IndexByte(simpleEscapes, s[0]); i >= 0 {
		return simpleMeanings[i : i+1], 1, true
	}
	base, start := 16, 1
	switch s[0] {
	case '\n':
		return "", 1, true
	case 'x':
		n = 3
	case 'u':
		n = 5
	case 'U':
		n = 9
	default:
		base, start = 8, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		if n == 0 {
			return `\`, 0, true
		}
	}
	if n > len(s) {
		return "", 0, false
	}
	code, err := strconv.ParseUint(s[start:n], base, 32)
	if err != nil || code > utf8.MaxRune {
		return "", 0, false
	}
	return string(rune(code)), n, true // a lone surrogate becomes U+FFFD
}
