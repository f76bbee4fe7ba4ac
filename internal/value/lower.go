package value

import (
	"strings"
	"unicode"
)

// Lower returns s in small letters by Unicode's rules for whole strings, as
// Python's str.lower does: a capital sigma at the end of a word becomes ς, and İ
// becomes i with a combining dot.
func Lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var out strings.Builder
	for i, r := range runes {
		switch {
		case r == 'İ':
			out.WriteString("i\u0307")
		case r == 'Σ' && endsWord(runes, i):
			out.WriteRune('ς')
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}

// endsWord reports whether a cased letter is before position i and none behind
// it, looking past characters that do not count for case.
func endsWord(runes []rune, i int) bool {
	before := i - 1
	for before >= 0 && caseIgnorable(runes[before]) {
		before--
	}
	if before < 0 || !cased(runes[before]) {
		return false
	}
	after := i + 1
	for after < len(runes) && caseIgnorable(runes[after]) {
		after++
	}
	return after == len(runes) || !cased(runes[after])
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	return strings.ContainsRune("'.:··՟״‘’․‧︓﹒﹕＇．：", r) ||
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
