package value

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Lower returns s in small letters by Unicode's rules for whole strings, as
// Python's str.lower does: a capital sigma at the end of a word becomes ς, and İ
// becomes i with a combining dot.
func Lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}
