package judges

import (
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestNoVerdict: without a score there is no verdict, whatever passes and whether or not a confidence is asked for, and
// somebody should look; so it is if the reading of the bands is none.
func TestNoVerdict(t *testing.T) {
	for _, keys := range []string{"answer: yes/no\npass: yes\nconfidence: no", "answer: yes/no\nconfidence: no", "answer: 1-5"} {
		var res Result
		in := &instrument{rubric: question(t, keys)}
		if in.decide(&res); res.Verdict != NoVerdict || !res.Escalate {
			t.Errorf("%s: %s, escalate %v", keys, res.Verdict, res.Escalate)
		}
	}
	res := Result{Output: new(5.0), Confidence: new(1.0)}
	in := &instrument{rubric: judgetest.Rubric(t, rubrics.Intent), mode: "vibes"}
	if in.decide(&res); res.Verdict != NoVerdict || !res.Escalate {
		t.Errorf("%s, escalate %v", res.Verdict, res.Escalate)
	}
	for r, want := range map[*Result]bool{{Panel: &PanelDetail{}}: true, {Climb: &ClimbDetail{}}: true, {}: false} {
		if r.Joint() != want {
			t.Errorf("%+v is computed from others: %v", r, r.Joint())
		}
	}
}

// Case 7: every boundary of all four rubrics in both modes.
func TestVerdicts(t *testing.T) {
	type row struct {
		output, confidence float64
		interval, bands    string
		near, low          bool
	}
	five := []row{
		{1, 0.9, Fail, Fail, false, false}, {2, 0.9, Fail, Fail, false, false}, {2.49, 0.9, Fail, Fail, false, false}, {2.5, 0.9, Fail, Fail, true, false},
		{3, 0.9, Pass, Borderline, true, false}, {3.5, 0.9, Pass, Borderline, true, false}, {3.51, 0.9, Pass, Borderline, false, false},
		{4, 0.7, Pass, Borderline, false, false}, {4, 0.69, Pass, Borderline, false, true}, {5, 1, Pass, Pass, false, false}, {5, math.NaN(), Pass, Pass, false, true},
	}
	table := map[string][]row{
		rubrics.Intent: five, rubrics.Completeness: five,
		rubrics.Prerequisite: {{0, 0.9, Fail, Fail, false, false}, {1, 0.9, Pass, Pass, false, false}, {1, 0.6999, Pass, Pass, false, true}},
		rubrics.Overall: {
			{0, 0.9, Fail, Fail, false, false}, {0.59, 0.9, Fail, Fail, false, false}, {0.6, 0.9, Fail, Fail, true, false}, {0.69, 0.9, Fail, Fail, true, false},
			{0.7, 0.9, Pass, Borderline, true, false}, {0.8, 0.9, Pass, Borderline, true, false}, {0.81, 0.9, Pass, Borderline, false, false}, {0.97, 0.93, Pass, Borderline, false, false}, {1, 0.7, Pass, Pass, false, false},
		},
	}
	for _, r := range judgetest.Rubrics(t) {
		for _, row := range table[r.Name] {
			for _, mode := range []answer.Mode{answer.Interval, answer.Bands} {
				res := Result{Output: &row.output}
				if !math.IsNaN(row.confidence) {
					res.Confidence = &row.confidence
				}
				(&instrument{rubric: r, mode: mode}).decide(&res)
				want := row.interval
				near := row.near
				if mode == answer.Bands {
					want, near = row.bands, row.bands == Borderline
				}
				if res.Verdict != want || res.NearThreshold != near || res.LowConfidence != row.low || res.Escalate != (near || row.low) {
					t.Errorf("%s %s %v/%v: %s near %v low %v escalate %v, want %s %v %v", r.Name, mode, row.output, row.confidence, res.Verdict, res.NearThreshold, res.LowConfidence, res.Escalate, want, near, row.low)
				}
			}
		}
	}
}
