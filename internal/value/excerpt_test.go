package value

import "testing"

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aé", 2, "a…"}, {"é", 1, "…"}, {"", 0, ""}} {
		if got := Excerpt(tt.in, tt.limit); got != tt.want {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
