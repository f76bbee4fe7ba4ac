package value

import "unicode/utf8"

// Excerpt returns s when it has at most limit bytes, else its beginning, cut between
// two characters, with an ellipsis.
func Excerpt(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
