package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower returns s in small letters by Unicode's rules for whole strings, as Python's str.lower does: a capital
// sigma at the end of a word becomes ς, and İ becomes i with a combining dot.
func Lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, c := range s {
		switch {
		case c == 'İ':
			b.WriteString("i\u0307")
		case c == 'Σ' && letterBefore(s[:i]) && !letterAfter(s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

// letterBefore reports whether s ends in a cased letter, letterAfter whether it begins with one.
// Both skip characters that do not end a word.
func letterBefore(s string) bool {
	for len(s) > 0 {
		c, size := utf8.DecodeLastRuneInString(s)
		if !withinWord(c) {
			return cased(c)
		}
		s = s[:len(s)-size]
	}
	return false
}

func letterAfter(s string) bool {
	for _, c := range s {
		if !withinWord(c) {
			return cased(c)
		}
	}
	return false
}

// cased reports whether c has Unicode's property Cased (The Unicode Standard, section 3.13, D135).
func cased(c rune) bool {
	return unicode.In(c, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// withinWord reports whether c has Unicode's property Case_Ignorable (D136): marks, modifiers and
// the punctuation of words.
func withinWord(c rune) bool {
	return unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", c)
}
