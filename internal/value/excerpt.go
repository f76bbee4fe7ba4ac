package value

import "strings"

// Excerpt returns the first limit characters of s, the last of them … where more follow.
// Invalid bytes become U+FFFD. The rest is not read: a name in a log can be
// a megabyte long.
func Excerpt(s string, limit int) string {
	if len(s) > limit {
		last, n := 0, 0
		for i := range s {
			if n == limit {
				return strings.ToValidUTF8(s[:last], "\uFFFD") + "…"
			}
			last, n = i, n+1
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
