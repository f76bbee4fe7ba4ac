package check

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// legible returns a text as a scan for words needs it: in lower case, without the
// characters that no reader sees, with blanks for what separates words, JSON's escapes
// undone and wide forms of ASCII made narrow. tagged says that it held text in tag
// characters.
func legible(s string) (lower string, tagged bool) {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x7f && s[i] != '\\' && (s[i] >= ' ' || unicode.IsSpace(rune(s[i])))
	}
	if plain {
		return strings.ToLower(s), false
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == '\\' {
			r, n = unescape(s)
		}
		s = s[n:]
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) + 'a' - 'A')
		case r >= ' ' && r < 0x7f:
			b.WriteByte(byte(r))
		case r >= 0xe0020 && r <= 0xe007f:
			tagged = true
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case invisible(r):
		case r >= 0xff01 && r <= 0xff5e:
			b.WriteRune(unicode.ToLower(r - 0xfee0))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String(), tagged
}

// invisible reports characters that a reader does not see and that part no words.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// unescape reads the JSON escape at the head of s; a backslash that begins none stands
// for itself.
func unescape(s string) (r rune, n int) {
	if len(s) < 2 {
		return '\\', 1
	}
	switch s[1] {
	case 'n', 'r', 't', 'f', 'b':
		return ' ', 2
	case '"', '/', '\\':
		return rune(s[1]), 2
	case 'u':
		high, ok := unit(s)
		if !ok {
			break
		}
		if low, ok := unit(s[6:]); ok && utf16.IsSurrogate(high) {
			if whole := utf16.DecodeRune(high, low); whole != unicode.ReplacementChar {
				return whole, 12
			}
		}
		return high, 6
	}
	return '\\', 1
}

// unit reads one \uXXXX.
func unit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	x, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(x), err == nil
}
