package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func at(i int) *int { return &i }

func TestFocusIsTheCallThatDecided(t *testing.T) {
	for name, tc := range map[string]struct {
		d    Disagreement
		want *int
	}{
		"its own call":             {Disagreement{CaseRef: CaseRef{CallIndex: at(3)}, Judgements: []Side{{CallIndex: at(1)}}}, at(3)},
		"a whole conversation":     {Disagreement{Judgements: []Side{{Name: "overall"}}}, nil},
		"conflicts before others":  {Disagreement{Judgements: []Side{{Name: "overall", CallIndex: at(1)}, {Name: "x", CallIndex: at(2), Conflicts: true}}}, at(2)},
		"overall before an aspect": {Disagreement{Judgements: []Side{{Name: "x", CallIndex: at(2), Conflicts: true}, {Name: "overall", CallIndex: at(4), Conflicts: true}}}, at(4)},
		"of equals the first":      {Disagreement{Judgements: []Side{{Name: "x", CallIndex: at(5)}, {Name: "y", CallIndex: at(6)}}}, at(5)},
	} {
		if diff := cmp.Diff(tc.want, tc.d.Focus()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestQuotesOf(t *testing.T) {
	got := QuotesOf(`"order 987" and "the first … the last", "x"`)
	if diff := cmp.Diff([]string{"order 987", "the first", "the last"}, got); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	if got := QuotesOf("NONE: nothing says so"); got != nil {
		t.Errorf("quotes %q", got)
	}
}

func TestFindQuote(t *testing.T) {
	for _, tc := range []struct {
		text, quote string
		from        int
		want        string // what stands there, "" for nothing
		at          int
	}{
		{"cancel Order 987 now", "order 987", 0, "Order 987", 7},
		{"order 9871", "order 987", 0, "", 0},
		{"order 9871, order 987", "order 987", 0, "order 987", 12},
		{"987 and 987", "987", 3, "987", 8},
		{"Größe 3 im Korb", "größe 3", 0, "Größe 3", 0},
		{"ÄÖÜ 5", "äöü 5", 0, "", 0},
		{"text", "", 0, "", 0},
		{"text", "text", 9, "", 0},
		{"\xff\xfe987\xff", "987", 0, "987", 2},
	} {
		start, end, ok := FindQuote(tc.text, tc.quote, tc.from)
		if ok != (tc.want != "") || ok && (tc.text[start:end] != tc.want || start != tc.at) {
			t.Errorf("%q in %q: %d..%d, %v; want %q at %d", tc.quote, tc.text, start, end, ok, tc.want, tc.at)
		}
	}
}

func FuzzFindQuote(f *testing.F) {
	f.Add("cancel Order 987 now", "order 987")
	f.Add("İ 1", "1")
	f.Fuzz(func(t *testing.T, text, quote string) {
		start, end, ok := FindQuote(text, quote, 0)
		if ok && !strings.EqualFold(text[start:end], quote) {
			t.Errorf("%q found as %q", quote, text[start:end])
		}
	})
}
