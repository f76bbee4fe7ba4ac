package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuotesOf(t *testing.T) {
	got := quotesOf(`"order 987" and "the first … the last", "x"`)
	if diff := cmp.Diff([]string{"order 987", "the first", "the last"}, got); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	if got := quotesOf("NONE: nothing says so"); got != nil {
		t.Errorf("quotes %q", got)
	}
}

func TestFindQuote(t *testing.T) {
	for _, tc := range []struct {
		text, quote string
		want        string // what stands there, "" for nothing
		at          int
	}{
		{"cancel Order 987 now", "order 987", "Order 987", 7},
		{"order 9871", "order 987", "", 0},
		{"order 9871, order 987", "order 987", "order 987", 12},
		{"9871 and 987", "987", "987", 9},
		{"Größe 3 im Korb", "größe 3", "Größe 3", 0},
		{"ÄÖÜ 5", "äöü 5", "ÄÖÜ 5", 0},
		{`{"id": "987"}`, `id: 987.`, `id": "987`, 2},
		{"text", "", "", 0},
		{"text", "...", "", 0},
		{"\xff\xfe987\xff", "987", "987", 2},
	} {
		start, end, ok := findQuote(tc.text, wordsOf(tc.text), tc.quote)
		if ok != (tc.want != "") || ok && (tc.text[start:end] != tc.want || start != tc.at) {
			t.Errorf("%q in %q: %d..%d, %v; want %q at %d", tc.quote, tc.text, start, end, ok, tc.want, tc.at)
		}
	}
}

func FuzzFindQuote(f *testing.F) {
	f.Add("cancel Order 987 now", "order 987")
	f.Add("İ 1", "1")
	words := regexp.MustCompile(`[\pL\pN]+`)
	f.Fuzz(func(t *testing.T, text, quote string) {
		start, end, ok := findQuote(text, wordsOf(text), quote)
		if !ok {
			return
		}
		got, want := words.FindAllString(text[start:end], -1), words.FindAllString(quote, -1)
		if !slices.EqualFunc(got, want, strings.EqualFold) {
			t.Errorf("%q found as %q", quote, text[start:end])
		}
	})
}

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
		got, cut := cutText(tc.text, tc.quotes, 10)
		if got != tc.want || cut != tc.cut {
			t.Errorf("%.20q: %q, %d left out; want %q, %d", tc.text, got, cut, tc.want, tc.cut)
		}
	}
}
