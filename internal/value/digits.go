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
		// Unicode lists decimal digits in runs that start with a zero.
		for _, run := range unicode.Nd.R16 {
			if first := rune(run.Lo); r >= first && r <= rune(run.Hi) {
				return '0' + (r-first)%10
			}
		}
		for _, run := range unicode.Nd.R32 {
			if first := rune(run.Lo); r >= first && r <= rune(run.Hi) {
				return '0' + (r-first)%10
			}
		}
		return r
	}, s)
}
