package measure

import (
	"fmt"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
)

// TestVerdictsOfLabels: a label without a verdict has one if its value is 1 or 0 and it is no category and no recorded
// answer.
func TestVerdictsOfLabels(t *testing.T) {
	for _, tt := range []struct {
		s    score.Score
		want string
	}{
		{score.Score{Source: score.Label, Value: new(1.)}, "true"}, {score.Score{Source: score.Label, Value: new(0.)}, "false"},
		{score.Score{Source: score.Label, Value: new(0.5)}, "none"}, {score.Score{Source: score.Label}, "none"},
		{score.Score{Source: score.Label, Value: new(1.), Passed: new(false)}, "false"},
		{score.Score{Source: score.Label, Value: new(1.), Category: "x"}, "none"},
		{score.Score{Source: score.Label, Value: new(1.), Name: transcript.Recorded + "tone"}, "none"},
		{score.Score{Source: score.Deterministic, Value: new(1.)}, "none"}, {score.Score{Source: score.Judge, Value: new(0.)}, "none"},
	} {
		got := "none"
		if p := VerdictOf(&tt.s); p != nil {
			got = fmt.Sprint(*p)
		}
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.s, got, tt.want)
		}
	}
}

// TestVerdictsAnew: a calibration decides the judge's scores of its rubric by the fitted threshold if it is better, and
// leaves parts of a score, scorers and other judges to the thresholds of the report.
func TestVerdictsAnew(t *testing.T) {
	row := func(judge string, cut *float64, change bool) report.CalibrationRow {
		return report.CalibrationRow{Judge: judge, Rubric: "r", Threshold: report.FittedCut{
			Best: report.Estimate{Value: cut}, Change: change}}
	}
	applied := &report.Applied{}
	applied.Rows = []report.CalibrationRow{row("better", new(0.9), true), row("same", new(0.9), false), row("none", nil, true),
		row("", new(0.9), true)}
	decide := decider([]report.Threshold{{Name: "r", Low: 0.1}}, applied)
	for _, tt := range []struct {
		source        score.Source
		judge, metric string
		want          bool
	}{
		{score.Judge, "better", "", false}, {score.Judge, "same", "", true}, {score.Judge, "none", "", true},
		{score.Judge, "another", "", true}, {score.Deterministic, "", "", true},
	} {
		s := decide(score.Score{Source: tt.source, Name: "r", Judge: tt.judge, Metric: tt.metric, Status: score.Scored,
			Value: new(0.5), Passed: new(true)})
		if *s.Passed != tt.want {
			t.Errorf("%s %s: passes %v", tt.source, tt.judge, *s.Passed)
		}
	}
	part := score.Score{Source: score.Judge, Name: "r", Judge: "better", Metric: "m", Status: score.Scored, Value: new(0.5),
		Passed: new(true)}
	if s := decide(part); !*s.Passed {
		t.Error("a part of a score fails by the threshold of the whole")
	}
}

// TestOrderOfSides: references that contradict the judge come first; of these, and of the others, labels, then scores
// of the call, then scores of the conversation.
func TestOrderOfSides(t *testing.T) {
	all := []report.Side{
		{Name: "f", Source: "deterministic"}, {Name: "e", Source: "deterministic", CallIndex: new(0)},
		{Name: "d", Source: "label", CallIndex: new(0)}, {Name: "c", Source: "deterministic", Conflicts: true},
		{Name: "b", Source: "deterministic", CallIndex: new(0), Conflicts: true},
		{Name: "a", Source: "label", Conflicts: true},
	}
	sorting.Stable(all, func(x, y report.Side) int { return sideOrder(x) - sideOrder(y) })
	got := ""
	for _, s := range all {
		got += s.Name
	}
	if got != "abcdef" {
		t.Errorf("order %s", got)
	}
}

// TestCategoriesThatAreCounted: a second answer replaces the first; beyond a hundred categories an answer has no place.
func TestCategoriesThatAreCounted(t *testing.T) {
	sr := &series{}
	sr.place(0, "x")
	sr.place(0, "y")
	for i := range maxCounted {
		sr.place(uint32(i+1), fmt.Sprint("c", i))
	}
	sr.place(2, "c98") // beyond them
	sr.place(1, "x")
	got := []float64{sr.places[0].number(), sr.places[1].number(), sr.places[2].number(), sr.places[98].number()}
	if len(sr.names) != maxCounted || !slices.Equal(got[:2], []float64{2, 1}) || got[2] == got[2] || got[3] != 100 ||
		sr.places[99].has(isScored) {
		t.Errorf("%d names, %v", len(sr.names), got)
	}
}

// TestSmallPartsOfAComparison: a twentieth of the calls may be unpaired; conversations whose changes cancel out did not
// change; a score is the same at any level.
func TestSmallPartsOfAComparison(t *testing.T) {
	for share, want := range map[float64]bool{0: false, 0.05: false, 0.051: true} {
		c := &comparer{out: &report.Comparison{Calls: report.CallPairs{Unpaired: share}}}
		if c.byConversation() != want {
			t.Errorf("%v unpaired: by conversation %v", share, !want)
		}
	}
	change := func(conversation uint32, a, b float64) pair {
		return pair{of: item{conversation: conversation}, judge: reading{cell: cellOf(a, a)}, ref: reading{cell: cellOf(b, b)}}
	}
	all := []pair{change(0, 1, 0), change(0, 0, 1), change(1, 1, 1), change(2, 0, 1), change(2, 0, 1), change(3, 1, 0)}
	if n := changed(all, func(p pair) float64 { return p.ref.value - p.judge.value }); n != 2 {
		t.Errorf("%d conversations changed, want 2", n)
	}
	call := report.Instrument{Source: "judge", Name: "r", Judge: "j", Level: report.CallLevel}
	whole, other := call, call
	whole.Level, other.Judge = report.ConversationLevel, "k"
	if !sameScore(call, whole) || sameScore(call, other) {
		t.Error("a score is the same at any level, and by one judge")
	}
}
