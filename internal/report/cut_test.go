package report

import (
	"strings"
	"testing"
)

func TestCutText(t *testing.T) {
	for _, tc := range []struct {
		text   string
		quotes []string
		want   string
		cut    int
	}{
		{"short", nil, "short", 0},
		{"äöüäöüäöüä", nil, "äöüäöüäöüä", 0},
		{"0123456789abc", nil, "0123456789…", 3},
		{"0123 567 9abc" + strings.Repeat("-", 300), []string{"567"}, "0123 567 9…", 303},
		{"bad\xffbyte", nil, "bad\uFFFDbyte", 0},
	} {
		got, cut := CutText(tc.text, tc.quotes, 10)
		if got != tc.want || cut != tc.cut {
			t.Errorf("%.20q: %q, %d left out; want %q, %d", tc.text, got, cut, tc.want, tc.cut)
		}
	}
}
