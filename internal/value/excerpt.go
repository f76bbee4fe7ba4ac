package value

import "strings"

// Excerpt returns the first limit characters of s; if s is longer, the last of them is "…". Invalid
// bytes become U+FFFD. It does not read the rest of s: a name in a log can be a megabyte long.
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
