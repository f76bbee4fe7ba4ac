package value

import (
	"strings"
	"unicode"
)

// ASCIIDigits returns s with the decimal digits of every script as 0 to 9, the way
// Python reads numbers in text.
func ASCIIDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.Is(unicode.Nd, r) {
			return r
		}
		// In Unicode, decimal digits stand in runs that begin with a zero and hold one or more sets
		// of ten.
		first := r
		for unicode.Is(unicode.Nd, first-1) {
			first--
		}
		return '0' + (r-first)%10
	}, s)
}
