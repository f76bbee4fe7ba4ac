package document

import (
	"bytes"
	"strings"
	"testing"
)

// everything has each kind of part, with a hostile text in each.
func everything(hostile string) *Document {
	share, low, high := 0.5, 0.25, 0.75
	t := NewTable("lrebr", "name "+hostile, "n", "rate", "drawn", "last")
	t.Group("group " + hostile)
	t.Add("row "+hostile, 12, Percent(&share, &low, &high, 1),
		Cell{Bar: &Bar{Value: share, Low: &low, High: &high, Class: "bar"}}, Cell{Text: "hot", Class: "k5"})
	s := Section{Name: "All kinds", Title: "Every kind " + hostile}
	s.Add(Heading{"heading " + hostile}, Sentence{Text: "sentence " + hostile, Strong: true})
	s.Table(t, "note "+hostile, "")
	s.Table(&Table{PageOnly: true, Heads: []string{"for the page"}, Kinds: "l", Rows: []Row{{Cells: []Cell{{Text: "paged"}}}}})
	s.List(List{Items: Items([]string{"FAIL one " + hostile, "two", "three"}), Most: 2, More: "are elsewhere"})
	s.List(List{Items: []Item{{Title: "unfolds " + hostile, Words: "words", Lines: []string{"line " + hostile}}}})
	s.Add(Plot{Caption: "caption " + hostile, XName: hostile, YName: hostile, Points: []Point{{X: 0.5, Y: 1, N: 3}}})
	return &Document{Title: "Title " + hostile, ID: hostile, About: hostile, Foot: hostile, Sections: []Section{s, {Title: "empty"}}}
}

func rendered(t *testing.T, d *Document) map[string]string {
	t.Helper()
	var text, markdown bytes.Buffer
	for _, err := range []error{d.WriteText(&text, Config{}), d.WriteMarkdown(&markdown)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"text": text.String(), "markdown": markdown.String()}
}

func TestEveryKindInEveryFormat(t *testing.T) {
	hostile := "<script>alert(1)</script>\u202e\x1b[31m"
	for format, got := range rendered(t, everything(hostile)) {
		for _, want := range []string{"heading", "sentence", "group", "row", "50.0 %", "25.0, 75.0", "note", "FAIL one", "unfolds"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q", format, want)
			}
		}
		if strings.Contains(got, "empty") || strings.ContainsAny(got, "\u202e\x1b") {
			t.Errorf("%s shows an empty section or lets control characters through", format)
		}
		if format != "text" && strings.Contains(got, "<script") {
			t.Errorf("%s has markup of its content", format)
		}
		for _, only := range []string{"<circle", "three", "for the page", "paged"} {
			if strings.Contains(got, only) {
				t.Errorf("%s: %q is for the page", format, only)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	small, high := 0.0001, 1.0
	for got, want := range map[string]string{
		Fixed(-0.001, 2): "0.00", Fixed(2.345, 1): "2.3", Short(0.96666): "0.9667", Short(12): "12", Share(0.615, 1): "61.5 %",
		P(nil): None, P(&small): "<0.001", P(&high): "1.000", Number(nil, nil, nil, 2).String(): None,
		Percent(&high, &small, &high, 0).String(): "100 % [0, 100]", Count(1, "call", "calls"): "1 call",
		Some([]string{"a", "b", "c"}, 2): "a, b, 1 more", Shorten("a\nlong name", 6): "a lon…",
		CSVCell(" =1+1"): "' =1+1", CSVCell("-1"): "-1", CSVCell("plain"): "plain",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
