package measure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// lenient returns a run of 300 conversations with two calls each, 70 % of them right, whose judge
// passes half of the wrong ones too. The conversations for which labelled holds have labels.
func lenient(seed uint64, level string, labelled func(i int, right bool) bool) report.Inputs {
	rng := rand.New(rand.NewPCG(seed, 8))
	var scores []score.Score
	verdict := func(v bool) *float64 { return new(map[bool]float64{true: 1}[v]) }
	for i := range 300 {
		id, all, first := fmt.Sprintf("c%03d", i), true, rng.Float64() < 0.7
		with := labelled(i, first)
		for call := range 2 {
			right := first
			if call > 0 {
				right = rng.Float64() < 0.7
			}
			passed := right || rng.Float64() < 0.5
			all = all && right
			scores = append(scores, score.Score{ConversationID: id, CallIndex: &call, Tool: "t", Name: "overall_call_correctness",
				Source: score.Judge, Judge: "j", Status: score.Scored, Value: verdict(passed), Passed: &passed})
			if with && level == report.CallLevel {
				scores = append(scores, score.Score{ConversationID: id, CallIndex: &call, Tool: "t", Name: "human", Source: score.Label,
					Status: score.Scored, Value: verdict(right)})
			}
		}
		if with && level == report.ConversationLevel {
			scores = append(scores, score.Score{ConversationID: id, Name: "human", Source: score.Label, Status: score.Scored, Value: verdict(all)})
		}
	}
	return report.Inputs{Scores: reporttest.Each(scores), Manifest: report.Manifest{
		Judges: []report.Judge{{Name: "j"}}, Rubrics: []report.Rubric{{Name: "overall_call_correctness", Max: 1}}, RandomLabels: []string{"human"},
	}}
}

func TestRandomLabelsCorrectTheRate(t *testing.T) {
	random := func(i int, _ bool) bool { return i%3 == 0 }
	for level, truth := range map[string]float64{report.CallLevel: 0.7, report.ConversationLevel: 0.49} {
		covered, runs := 0, 40
		for seed := range uint64(runs) {
			r, err := measure.Build(lenient(seed, level, random), measure.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Corrected) != 1 || r.Corrected[0].Labelled != 100 || r.Corrected[0].Level != level {
				t.Fatalf("%s: %+v", level, r.Corrected)
			}
			c := r.Corrected[0]
			if *c.Naive.Value < truth+0.08 {
				t.Errorf("%s: the judge is lenient and says %v", level, c.Naive)
			}
			if c.Corrected.HasInterval() && *c.Corrected.Low <= truth && truth <= *c.Corrected.High {
				covered++
			}
			if h := r.Headline.Rates[0]; c.Corrected.HasInterval() && (h.Kind != report.CorrectedRateKind || h.Level != level || h.Labelled != 100) {
				t.Errorf("%s: the headline says %+v", level, h)
			}
		}
		if covered < runs*8/10 {
			t.Errorf("%s: the corrected interval has the truth in %d of %d runs", level, covered, runs)
		}
	}
}

func TestLabelsThatAreNoSampleCorrectNothing(t *testing.T) {
	r, err := measure.Build(lenient(1, report.CallLevel, func(i int, right bool) bool { return right && i%2 == 0 }), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Corrected[0]
	if c.Corrected.Defined() || !strings.Contains(c.NoSample, "not a random sample") || r.Headline.Rates[0].Kind != report.RawRateKind {
		t.Errorf("%+v\n%+v", c, r.Headline.Rates[0])
	}
	if label := r.Headline.Rates[1]; c.LabelsOnly.HasInterval() || !c.LabelsOnly.Defined() || label.Rate.HasInterval() || !label.Rate.Defined() {
		t.Errorf("the labels are a choice, and their rate has an interval: %+v, %+v", c.LabelsOnly, label.Rate)
	}
	in := lenient(1, report.CallLevel, func(i int, _ bool) bool { return i%3 == 0 })
	in.Manifest.RandomLabels = []string{"people"}
	if r, err = measure.Build(in, measure.Config{}); err != nil || len(r.Corrected) > 0 {
		t.Fatalf("%+v, %v", r.Corrected, err)
	}
	said := false
	for _, w := range r.Warnings {
		said = said || w.Code == "no_label" && strings.Contains(w.Text, "names people")
	}
	if !said {
		t.Errorf("a label that is not there: %v", r.Warnings)
	}
}
