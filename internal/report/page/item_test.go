package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// TestScoreOnThePage: what the page has of a score.
func TestScoreOnThePage(t *testing.T) {
	yes, one, index, sure := true, 1.0, 2.0, 0.75
	corrected := value.Pairs("amount", 5)
	for what, tt := range map[string]struct {
		score score.Score
		want  Score
	}{
		"a judgement": {
			score.Score{Source: score.Judge, Name: "intent", Judge: "a\u202e", Status: score.Scored, Value: &one, Passed: &yes,
				Label: "pass", Explanation: "first\nsecond", Evidence: `"order 7"`, Confidence: &sure, Correction: corrected,
				Flags: []score.Flag{{Code: "late", Severity: 2, Detail: "why"}}},
			Score{Source: "judge", Name: "intent", Judge: `a\u202e`, Status: "scored", Value: &one, Verdict: pass, Confidence: &sure,
				Explanation: "first\nsecond", Evidence: `"order 7"`, Quotes: []string{"order 7"},
				Correction: &CallText{Arguments: []Argument{{Name: "amount", Text: "5"}}}, Flags: []Flag{{"late", 2, "why"}}},
		},
		"a corrected call": {
			score.Score{Source: score.Judge, Name: "intent", Status: score.Scored, Value: &one, Label: "good", Correction: corrected,
				Details: value.Pairs("corrected_call", value.Pairs("name", "pay", "parameters", corrected))},
			Score{Source: "judge", Name: "intent", Status: "scored", Value: &one, Label: "good",
				Correction: &CallText{Tool: "pay", Arguments: []Argument{{Name: "amount", Text: "5"}}}},
		},
		"a category without a verdict": {
			score.Score{Source: score.Judge, Name: "topic", Status: score.Scored, Value: &index, Category: "billing"},
			Score{Source: "judge", Name: "topic", Status: "scored", Category: "billing"},
		},
		"a category that passes": {
			score.Score{Source: score.Judge, Name: "topic", Status: score.Scored, Value: &index, Category: "billing", Passed: &yes},
			Score{Source: "judge", Name: "topic", Status: "scored", Value: &index, Category: "billing", Verdict: pass},
		},
		"a failed judgement": {
			score.Score{Source: score.Judge, Name: "intent", Metric: "brier", Status: score.Error, Purpose: "qa",
				Error: &score.Failure{Kind: "timeout", Message: "no \xff answer"}},
			Score{Source: "judge", Name: "intent.brier", Status: "error", Problem: "timeout: no \ufffd answer", extra: true},
		},
	} {
		got := newScore(&tt.score)
		got.addTexts(&tt.score)
		if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(Score{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	long := score.Score{Explanation: strings.Repeat("x", 2000), Evidence: strings.Repeat("y", 2000)}
	var got Score
	got.addTexts(&long)
	if len(got.Explanation) > 1510 || len(got.Evidence) > 1510 || len(got.Explanation) < 1400 {
		t.Errorf("%d and %d bytes of texts", len(got.Explanation), len(got.Evidence))
	}
}

// TestQuotesOfItems: each quote once, at most twelve of a score.
func TestQuotesOfItems(t *testing.T) {
	var many []string
	for i := range 14 {
		many = append(many, `"quote number `+string(rune('a'+i))+`"`)
	}
	got := quotes(`"order 7" "order 7" ` + strings.Join(many, " "))
	want := []string{"order 7"}
	for i := range 11 {
		want = append(want, "quote number "+string(rune('a'+i)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	item := Item{Scores: []Score{{Quotes: []string{"a"}}, {}, {Quotes: []string{"a", "b"}}}}
	if got := item.quotes(); !slices.Equal(got, []string{"a", "a", "b"}) {
		t.Errorf("the item quotes %q", got)
	}
}

// TestHeadlineOfThePage: which rates are drawn, what is to be read first, and the cells of the square.
func TestHeadlineOfThePage(t *testing.T) {
	rates := func(list ...report.HeadlineRate) *report.Report {
		return &report.Report{Headline: report.Headline{Rates: list}}
	}
	raw := report.HeadlineRate{Kind: "raw", N: 3}
	few, enough := report.HeadlineRate{Kind: report.LabelRateKind, N: 9}, report.HeadlineRate{Kind: report.LabelRateKind, N: 10}
	for what, tt := range map[string]struct {
		report *report.Report
		want   []report.HeadlineRate
	}{
		"few labels": {rates(few, raw, enough), []report.HeadlineRate{raw, enough}},
		"many rates": {rates(raw, raw, raw, enough, raw), []report.HeadlineRate{raw, raw, raw, enough}},
		"none":       {rates(few), nil},
	} {
		if d := cmp.Diff(tt.want, newHeadline(tt.report).Rates); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	call := 2
	r := rates(raw)
	r.Disagreements.Items = []report.Disagreement{
		{CaseRef: report.CaseRef{ConversationID: "a b", CallIndex: &call, Tool: "pay"}},
		{CaseRef: report.CaseRef{ConversationID: "c"}},
	}
	if h := newHeadline(r); h.First != "a b:2 pay" || h.FirstLink != "a%20b:2" {
		t.Errorf("first is %q at %q", h.First, h.FirstLink)
	}
	r.Disagreements.Items = r.Disagreements.Items[1:]
	if h := newHeadline(r); h.First != "c" || h.FirstLink != "c:" {
		t.Errorf("first is %q at %q", h.First, h.FirstLink)
	}
	if got, want := newSquareCell(3, 4, "both fail", "good"), (squareCell{3, "both fail", "good", 0.75}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := newSquareCell(0, 0, "", "").Share; got != 0 {
		t.Errorf("a share of nothing is %v", got)
	}
	for f, want := range map[float64]string{0.5: "50", 1: "100", 0.126: "13", -0.4: "-40"} {
		if got := points(&f); got != want {
			t.Errorf("%v is %q hundredths, want %q", f, got, want)
		}
	}
}
