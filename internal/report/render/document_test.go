package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// everything has each kind of part, with a hostile text in each.
func everything(hostile string) *words.Document {
	share, low, high := 0.5, 0.25, 0.75
	t := words.NewTable("lrebr", "name "+hostile, "n", "rate", "drawn", "last")
	t.Group("group " + hostile)
	t.Add("row "+hostile, 12, words.Percent(report.Estimate{Value: &share, Low: &low, High: &high}, 1),
		words.Cell{Bar: &words.Bar{Value: share, Low: &low, High: &high, Class: "bar"}}, words.Cell{Text: "hot", Class: "k5"})
	s := words.Section{Name: "All kinds", Title: "Every kind " + hostile}
	s.Add(words.Heading{Text: "heading " + hostile}, words.Sentence{Text: "sentence " + hostile, Strong: true})
	s.Table(t, "note "+hostile, "")
	s.Table(&words.Table{PageOnly: true, Heads: []string{"for the page"}, Kinds: "l", Rows: []words.Row{{Cells: []words.Cell{{Text: "paged"}}}}})
	s.List(words.List{Items: words.Items([]string{"FAIL one " + hostile, "two", "three"}), Most: 2, More: "are elsewhere"})
	s.List(words.List{Items: []words.Item{{Title: "unfolds " + hostile, Words: "words", Lines: []string{"line " + hostile}}}})
	return &words.Document{Title: "Title " + hostile, ID: hostile, About: hostile, Foot: hostile, Sections: []words.Section{s, {Title: "empty"}}}
}

func rendered(t *testing.T, d *words.Document) map[string]string {
	t.Helper()
	var text, markdown bytes.Buffer
	for _, err := range []error{writeText(&text, d, Config{}), writeMarkdown(&markdown, d)} {
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
		words.Fixed(-0.001, 2): "0.00", words.Fixed(2.345, 1): "2.3", words.Short(0.96666): "0.9667", words.Short(12): "12", words.Share(0.615, 1): "61.5 %",
		words.P(nil): words.None, words.P(&small): "<0.001", words.P(&high): "1.000", words.Number(report.Estimate{}, 2).String(): words.None,
		words.Percent(report.Estimate{Value: &high, Low: &small, High: &high}, 0).String(): "100 % [0, 100]", words.Count(1, "call", "calls"): "1 call",
		words.Some([]string{"a", "b", "c"}, 2): "a, b, 1 more", words.Shorten("a\nlong name", 6): "a lon…",
		words.CSVCell(" =1+1"): "' =1+1", words.CSVCell("-1"): "-1", words.CSVCell("plain"): "plain",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
