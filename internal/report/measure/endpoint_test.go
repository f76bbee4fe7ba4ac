package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// changed are two runs of the same n conversations with one call each: an overall rubric
// that passes half of what is wrong, rubrics that do not change, one that passes
// everything, and a label of what is right. Of run A 85 % are right, of run B drop less.
func changed(seed uint64, n int, drop float64, others int) (a, b report.Inputs) {
	rng := rand.New(rand.NewPCG(seed, 6))
	var scores [2][]score.Score
	for i := range n {
		id := fmt.Sprintf("c%04d", i)
		u := rng.Float64()
		for run := range scores {
			add := func(source score.Source, name, judge string, passed bool) {
				scores[run] = append(scores[run], score.Score{ConversationID: id, CallIndex: new(int), Tool: "t", Name: name, Source: source, Judge: judge,
					Status: score.Scored, Value: new(map[bool]float64{true: 1}[passed]), Passed: &passed})
			}
			right := u < 0.85-drop*float64(run)
			add(score.Judge, "overall_call_correctness", "j", right || rng.Float64() < 0.5)
			for k := range others {
				add(score.Judge, fmt.Sprintf("other_%02d", k), "j", rng.Float64() < 0.8)
			}
			add(score.Deterministic, "schema_check", "", true)
			add(score.Label, "human", "", right)
		}
	}
	m := report.Manifest{Judges: []report.Judge{{Name: "j"}}}
	return report.Inputs{Scores: reporttest.Each(scores[0]), Manifest: m}, report.Inputs{Scores: reporttest.Each(scores[1]), Manifest: m}
}

// TestPrimaryEndpointStandsAlone: a drop that one test shows is not lost among eleven others.
func TestPrimaryEndpointStandsAlone(t *testing.T) {
	alone, together, runs := 0, 0, 60
	for seed := range uint64(runs) {
		a, b := changed(seed, 150, 0.13, 11)
		c := compare(t, a, b, measure.Config{})
		row := rowOf(t, c, "overall_call_correctness", "j", "")
		if !row.IsPrimary || row.PassRate.CorrectedFor != 1 || *row.PassRate.PHolm.Value != *row.PassRate.P.Value {
			t.Fatalf("the overall rubric: %+v", row.PassRate)
		}
		other := rowOf(t, c, "other_03", "j", "")
		// Eleven rubrics and the label; schema_check is the same everywhere.
		if other.IsPrimary || other.PassRate.CorrectedFor != 12 || *other.PassRate.PHolm.Value < *other.PassRate.P.Value {
			t.Fatalf("another rubric: %+v", other.PassRate)
		}
		if row.PassRate.Outcome() == "worse" {
			alone++
		}
		c = compare(t, a, b, measure.Config{Primary: "other_00"})
		if r := rowOf(t, c, "overall_call_correctness", "j", ""); !r.IsPrimary && r.PassRate.Outcome() == "worse" {
			together++
		}
		if r := rowOf(t, c, "other_00", "j", ""); !r.IsPrimary {
			t.Fatal("the named score is not the primary endpoint")
		}
	}
	if alone < together+runs/10 {
		t.Errorf("found %d times of %d alone, %d times among the others", alone, runs, together)
	}
	a, b := changed(1, 20, 0, 1)
	_, err := measure.Compare(a, b, measure.Config{Primary: "othr_00"})
	if err == nil || !strings.Contains(err.Error(), "did you mean other_00?") {
		t.Errorf("an unknown primary endpoint: %v", err)
	}
}

func TestConstantScoresCountInNoCorrection(t *testing.T) {
	a, b := changed(2, 60, 0.1, 1)
	row := rowOf(t, compare(t, a, b, measure.Config{}), "schema_check", "", "")
	if !row.PassRate.Constant || row.PassRate.P.Defined() || row.PassRate.PHolm.Defined() || row.PassRate.Outcome() != "~" {
		t.Errorf("%+v", row.PassRate)
	}
}

// TestDetectableDropIsAfterCorrection: with 12 tests the smallest drop that can be found is
// larger than with one, by the ratio of the quantiles.
func TestDetectableDropIsAfterCorrection(t *testing.T) {
	a, b := changed(3, 100, 0.1, 11)
	one := rowOf(t, compare(t, a, b, measure.Config{Primary: "other_00"}), "other_00", "j", "").PassRate
	all := rowOf(t, compare(t, a, b, measure.Config{}), "other_00", "j", "").PassRate
	const power = 0.8416 // z(0.8)
	want := (stat.CriticalT(0.05/12, one.Freedom) + power) / (stat.CriticalT(0.05, one.Freedom) + power)
	if ratio := *all.Detectable.Value / *one.Detectable.Value; !(math.Abs(ratio-want) <= 1e-3) || ratio < 1.32 {
		t.Errorf("%v after correction, %v alone", all.Detectable, one.Detectable)
	}
}

// TestDifferenceByYouden: the judge passes half of what is wrong, so that it sees half of a
// drop; divided by its J the interval holds the true one.
func TestDifferenceByYouden(t *testing.T) {
	const runs, drop = 80, 0.3
	covered, seen := 0, 0.0
	for seed := range uint64(runs) {
		a, b := changed(seed, 250, drop, 0)
		row := rowOf(t, compare(t, a, b, measure.Config{}), "overall_call_correctness", "j", "")
		if row.Youden == nil || row.Reference != "human" || !(math.Abs(*row.Youden.Value-0.5) <= 0.2) || !row.Youden.HasInterval() {
			t.Fatalf("seed %d: J %v", seed, row.Youden)
		}
		seen -= *row.PassRate.Delta.Value / runs
		if e := row.ByYouden; e.HasInterval() && *e.Low <= -drop && -drop <= *e.High {
			covered++
		}
	}
	if !(math.Abs(seen-drop/2) <= 0.03) || covered < runs*85/100 {
		t.Errorf("the judge sees %.3f of %.2f; the divided interval has the truth in %d of %d runs", seen, drop, covered, runs)
	}
	a, b := changed(1, 100, drop, 0)
	c := compare(t, a, b, measure.Config{})
	if text := strings.Join(c.Summary, "\n"); !strings.Contains(text, "divided by its Youden's J of 0.") {
		t.Errorf("the summary does not say what the true difference is:\n%s", text)
	}
	// A judge that guesses has no J to divide by.
	blind := func(in report.Inputs) report.Inputs {
		var scores []score.Score
		for s, err := range in.Scores() {
			if err == nil && s.Source == score.Judge {
				s.Passed = new(len(scores)%4 > 0)
			}
			scores = append(scores, s)
		}
		in.Scores = reporttest.Each(slices.Clone(scores))
		return in
	}
	row := rowOf(t, compare(t, blind(a), blind(b), measure.Config{}), "overall_call_correctness", "j", "")
	if row.ByYouden == nil || row.ByYouden.Defined() || row.ByYouden.Reason != "small_j" {
		t.Errorf("a judge that guesses: J %v, %+v", row.Youden, row.ByYouden)
	}
}
