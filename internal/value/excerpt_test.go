package value

import "testing"

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"aé", 2, "aé"}, {"aéb", 2, "a…"}, {"éb", 1, "…"}, {"", 0, ""},
		{"\xff", 5, "\uFFFD"}, {"a\xffcd", 3, "a\uFFFD…"}} {
		if got := Excerpt(tt.in, tt.limit); got != tt.want {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
