package unescape

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// views returns the texts that Each yields for s after s itself.
func views(t *testing.T, s string) []string {
	t.Helper()
	var all []string
	Each([]byte(s), true, func(v *View) bool {
		all = append(all, string(v.Text))
		return false
	})
	if all[0] != s {
		t.Errorf("%q: the first view is %q", s, all[0])
	}
	return all[1:]
}

// TestEachEscape holds what each kind of escape means: a text with one layer has one more view.
func TestEachEscape(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb`: "a\nb", `\r\t\b\f`: "\r\t\b\f", `\N`: "\n", `a\n`: "a\n", `\"\/\k`: `"/k`,
		`\u0041\U0042`: "AB", `\x41\X6a`: "Aj", `\u{41}\u{1f600}\u{10ffff}`: "A😀\U0010ffff",
		`\101\177`: "A\x7f", `\200\377`: "200377", `\118`: "118",
		`\u004`: "u004", `\x4`: "x4", `\xg1`: "xg1", `\u{}`: "u{}", `\u{g}`: "u{g}", `\u{110000}`: "u{110000}",
		`\u(41}`: "u(41}",
		// Pairs of surrogates, and halves of pairs.
		`\ud83d\ude00\uD83D\uDE00`: "😀😀", `\ud83d`: "\ufffd", `\ud83d\`: "\ufffd\\", `\ud83d\n`: "\ufffd\n",
		`\u0041\ude00`: "A\ufffd",
		`\ud83dxude00`: "\ufffdxude00", `\ud83d\xde00`: "\ufffdÞ00", `\ud83d\tde00`: "\ufffd\tde00",
		`%41%6a%2F%C3%A9`: "Aj/é", `%e9`: "\xe9", `%41%4`: "A%4", `%41%4g%4@%g4`: "A%4g%4@%g4",
		`&amp;&lt;&LT;&Amp;&zeta;&frac12;`: "&<<&ζ½", `&#65;&#x41;&#X6A;`: "AAj",
		// A number may lack its semicolon, a name may not.
		`&#65 b&#65@&#65}&#65#&#x41`: "A bA@A}A#A", `&#65;&lt b&ltx;&;&`: "A&lt b&ltx;&;&",
		`&#65;&#;&#x;&#65g;&#2097152;&#x200000;`: "A&#;&#x;&#65g;&#2097152;&#x200000;",
		`&#65;&NotEqualTilde;`:                   "A&NotEqualTilde;",
	} {
		if diff := cmp.Diff([]string{want}, views(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", "plain", `a\`, `\é`, "5 %", "a & b", "a&b", "%zz", "&;"} {
		if got := views(t, text); len(got) > 0 {
			t.Errorf("%q contains no escape: %q", text, got)
		}
	}
}

// TestEachLayer: layers are removed all at once, then, if a text has several kinds of escapes, kind by kind in every
// order.
func TestEachLayer(t *testing.T) {
	for text, want := range map[string][]string{
		`\\u0041`:  {`\u0041`, "A"},
		"%2541":    {"%41", "A"},
		"&amp;lt;": {"&lt;", "<"},
		"%41&amp;": {"A&", "A&amp;", "%41&", "A&"},
		`%5cn&lt;`: {`\n<`, "\n<", `\n&lt;`, "%5cn<", "\n&lt;", `\n<`, "\n<"},
	} {
		if diff := cmp.Diff(want, views(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if deep := views(t, "%"+strings.Repeat("25", 7)+"41"); !slices.Contains(deep, "A") {
		t.Errorf("eight layers: %q", deep)
	}
	calls := 0
	for _, text := range []string{"A", `\\u0041`} {
		Each([]byte(text), false, func(*View) bool { calls++; return true })
	}
	if calls != 2 {
		t.Errorf("yield returned true and was called again: %d calls for two texts", calls)
	}
	last := ""
	Each([]byte("%41&amp;"), false, func(v *View) bool { last = string(v.Text); return last == "%41&" })
	if last != "%41&" {
		t.Errorf("yield returned true and was called again with %q", last)
	}
}

// TestSource: each byte of a view knows where its escape begins in the original.
func TestSource(t *testing.T) {
	for _, tt := range []struct {
		text, view string
		want       []int // of every byte and of the end
	}{
		{"ab", "ab", []int{0, 1, 2}},
		{`a\u0041b`, "aAb", []int{0, 1, 7, 8}},
		{`a\\u0041b`, "aAb", []int{0, 1, 8, 9}},
		{`\ud83d\ude00x`, "😀x", []int{0, 0, 0, 0, 12, 13}},
		{"%C3%A9&amp;x", "é&x", []int{0, 3, 6, 11, 12}},
		{"%41&amp;x", "%41&x", []int{0, 1, 2, 3, 8, 9}},
	} {
		var got []int
		Each([]byte(tt.text), true, func(v *View) bool {
			if string(v.Text) != tt.view {
				return false
			}
			for p := range len(v.Text) + 1 {
				got = append(got, v.Source(p))
			}
			return true
		})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s as %s (-want +got):\n%s", tt.text, tt.view, diff)
		}
	}
}

// TestBeforeEscape holds, for every position of a text, where it can be cut without cutting an escape.
func TestBeforeEscape(t *testing.T) {
	for text, want := range map[string][]int{
		"ab":            {0, 1, 2},
		`a\nb`:          {0, 1, 1, 3, 4},
		`\u00e9abcdef`:  {0, 0, 0, 0, 0, 0, 6, 7, 8, 9, 10, 11, 12},
		`x\u00e9`:       {0, 1, 1, 1, 1, 1, 1, 7},
		`\\u00e9`:       {0, 0, 2, 3, 4, 5, 6, 7}, // an escaped backslash, then plain text
		`\\\u00e9`:      {0, 0, 2, 2, 2, 2, 2, 2, 8},
		`\n\\\n`:        {0, 0, 2, 2, 4, 4, 6},
		`\u000a\u000b\`: {0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 12, 12},
	} {
		var got []int
		for p := range len(text) + 1 {
			got = append(got, BeforeEscape([]byte(text), p))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
