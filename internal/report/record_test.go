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

func TestQuotes(t *testing.T) {
	d := Disagreement{
		Judgements: []Side{{Evidence: `"order 987" and "the first … the last"`}, {Evidence: `NONE: nothing says so`}, {Evidence: `"order 987" "x"`}},
		References: []Side{{Evidence: `"KT-1"`}},
	}
	if diff := cmp.Diff([]string{"order 987", "the first", "the last", "KT-1"}, d.Quotes()); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	many := Disagreement{Judgements: []Side{{Evidence: strings.Repeat(`"a1" "a2" "b`, 3)}}}
	for i := range 200 {
		many.Judgements = append(many.Judgements, Side{Evidence: `"` + strings.Repeat("q", i+2) + `"`})
	}
	if n := len(many.Quotes()); n != maxQuotes {
		t.Errorf("%d quotes, want the bound %d", n, maxQuotes)
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

func TestBoundRecordsKeepsTheFirstAndSaysSo(t *testing.T) {
	var d Disagreements
	for range 10 {
		d.Items = append(d.Items, Disagreement{Record: &Record{Lines: []RecordLine{{Kind: MessageLine, Text: strings.Repeat("x", 1000)}}}})
	}
	d.Items[1].Record = &Record{Problem: "gone"}
	d.Items[2].Record = nil
	d.BoundRecords(4 << 10)
	kept, told := 0, 0
	for i, item := range d.Items {
		switch {
		case item.Record == nil:
		case len(item.Record.Lines) > 0:
			kept++
			if told > 0 {
				t.Errorf("item %d has a record behind one that was left out", i)
			}
		case strings.Contains(item.Record.Problem, "4 KiB"):
			told++
		}
	}
	if kept != 3 || told != 5 || d.Items[1].Record.Problem != "gone" {
		t.Errorf("kept %d, told %d, second %q; want 3, 5, gone", kept, told, d.Items[1].Record.Problem)
	}
}
