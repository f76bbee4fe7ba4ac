package render

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
)

// TestComparisonPage: the page of a comparison has its tables, loads nothing, and shows
// what comes from logs as text.
func TestComparisonPage(t *testing.T) {
	hostile := `<script>alert(1)</script>` + "\u202e"
	a, b := reporttest.New(1, 40), reporttest.New(1, 40)
	rename := func(run *reporttest.Run) {
		for i := range run.Scores {
			run.Scores[i].ConversationID = hostile + run.Scores[i].ConversationID
			run.Scores[i].Tool = strings.ReplaceAll(run.Scores[i].Tool, "a", "<img src=x onerror=alert(1)>")
		}
	}
	rename(&a)
	rename(&b)
	for i, s := range b.Scores {
		if s.Name == "function_call_accuracy" {
			zero, fail := 0.0, false
			b.Scores[i].Value, b.Scores[i].Passed = &zero, &fail
		}
	}
	in := a.Inputs()
	in.Name = hostile
	c, err := measure.Compare(in, b.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Comparison(&out, c, HTMLFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"<h1>Judge comparison</h1>", "default-src &#39;none&#39;", `id="all"`, `id="besides"`, `id="tools"`, `id="verdicts"`, "&lt;script&gt;", "1 other score clearly got worse: function_call_accuracy (", "&lt;img"} {
		if !strings.Contains(page, want) && !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"<script", "<img", "\u202e", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, r := range c.Rows {
		if r.Reduced != "" && r.Tool == "" && r.Primary().Outcome() == report.Worse && !strings.Contains(page, "every call") {
			t.Errorf("the page leaves out %s", words.ChangeName(&r))
		}
	}
	var again bytes.Buffer
	if err := Comparison(&again, c, HTMLFormat, Config{}); err != nil || again.String() != page {
		t.Errorf("another page for the same comparison, %v", err)
	}
}
