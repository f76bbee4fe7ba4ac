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
	decimalNumber = regexp.MustCompile(
		`^(?:([0-9](?:_?[0-9])*)\.?([0-9](?:_?[0-9])*)?|\.([0-9](?:_?[0-9])*))([eE][-+]?[0-9](?:_?[0-9])*)?$`)
)

// parseNumber reads a Python number literal without its sign. An imaginary number is not read.
func parseNumber(text string) (v value.Value, ok bool) {
	digits := strings.ReplaceAll(text, "_", "")
	switch {
	case radixNumber.MatchString(text) && len(text) <= maxRadixDigits:
		i, ok := new(big.Int).SetString(text, 0)
		return value.OfBigInt(i), ok
	case wholeNumber.MatchString(text):
		return value.OfNumber(orZero(strings.TrimLeft(digits, "0"))), true
	case !decimalNumber.MatchString(text), !strings.ContainsAny(text, ".eE"):
		return v, false // leading zeros are a mistake in an integer
	}
	whole, exponent, scaled := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, _ := strings.Cut(whole, ".")
	number := orZero(strings.TrimLeft(whole, "0")) + "." + orZero(fraction)
	if scaled {
		number += "e" + exponent
	}
	return value.OfNumber(number), true
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

// unescape resolves the escapes of a string that is not raw. An unknown escape keeps its backslash;
// a broken \x, \u or \U is an error, as in Python.
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

const simpleEscapes, simpleMeanings = "\n" + `\'"abfnrtv`, "\n\\'\"\a\b\f\n\r\t\v"

// escapeLengths gives the length in bytes of each escape by code.
var escapeLengths = map[byte]int{'x': 3, 'u': 5, 'U': 9}

// escape reads what follows a backslash, which is never nothing, and returns its text and its length in
// bytes (0: not an escape).
func escape(s string) (text string, n int, ok bool) {
	switch i := strings.IndexByte(simpleEscapes, s[0]); {
	case i == 0:
		return "", 1, true
	case i > 0:
		return simpleMeanings[i : i+1], 1, true
	}
	base, start := 16, 1
	if n = escapeLengths[s[0]]; n == 0 {
		base, start = 8, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
	}
	switch {
	case n == 0:
		return `\`, 0, true
	case n > len(s):
		return "", 0, false
	}
	code, err := strconv.ParseUint(s[start:n], base, 32)
	if err != nil || code > utf8.MaxRune {
		return "", 0, false
	}
	return string(rune(code)), n, true // a lone surrogate becomes U+FFFD
}
