package measure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func TestAgreementCounts(t *testing.T) {
	//        both pass ×5, only judge ×2, only ref ×1, both fail ×2, then missing
	judge := "ppppp" + "pp" + "f" + "ff" + "u" + "p" + "n"
	ref := "ppppp" + "ff" + "p" + "ff" + "p" + "u" + "p"
	in := inputsOf(runOf(judge, ref))
	in.Manifest.Scorers = []report.Scorer{reporttest.ScorerOf("exact", "expected_call_match")}
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", CompareWith: []string{"exact"}}}
	r := buildReport(t, in, measure.Config{})
	if len(r.Agreement) != 1 {
		t.Fatalf("%d rows, want 1", len(r.Agreement))
	}
	a := r.Agreement[0]
	got := map[string]any{
		"confusion": a.Confusion, "n": a.N, "missing judge": a.MissingJudge, "missing ref": a.MissingRef, "only ref": a.OnlyReference,
		"base": *a.BaseRate.Value, "judge": *a.JudgeRate.Value, "accuracy": *a.Accuracy.Value,
		"recall wrong": *a.RecallWrong.Value, "specificity": *a.Specificity.Value, "balanced": *a.Balanced.Value, "kappa": *a.Kappa.Value,
	}
	want := map[string]any{
		"confusion": report.Confusion{BothPass: 5, JudgeOnlyPass: 2, JudgeOnlyFail: 1, BothFail: 2}, "n": 10,
		"missing judge": 1, "missing ref": 1, "only ref": 1, // not applicable is not missing
		"base": 0.6, "judge": 0.7, "accuracy": 0.7, "recall wrong": 0.5, "specificity": 0.833333, "balanced": 0.666667,
		// po = .7, pe = .6·.7 + .4·.3 = .54, (.7-.54)/.46
		"kappa": 0.347826,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row differs (-want +got):\n%s", diff)
	}
	row := r.Scores[0]
	if row.N != 11 || row.Unscored != 1 || row.NotApplicable != 1 || *row.ErrorRate.Value != 0.083333 || !row.Unreliable {
		t.Errorf("judge row: n %d, unscored %d, not applicable %d, error rate %v, unreliable %v", row.N, row.Unscored, row.NotApplicable, *row.ErrorRate.Value, row.Unreliable)
	}
	if r.Disagreements.Total != 3 {
		t.Errorf("%d disagreements, want 3", r.Disagreements.Total)
	}
}

func TestReductions(t *testing.T) {
	scores := []score.Score{
		// c1: values 1, .5, .8 (band .7..1): min fails, mean .767 passes, share 2/3 passes
		scoreOf(score.Judge, "overall", "c1", 0, 'p'), scoreOf(score.Judge, "overall", "c1", 1, 'f'), scoreOf(score.Judge, "overall", "c1", 2, 'p'),
		// c2: one call unscored, one passes: partial, passes
		scoreOf(score.Judge, "overall", "c2", 0, 'u'), scoreOf(score.Judge, "overall", "c2", 1, 'p'),
		// c3: nothing scored: missing
		scoreOf(score.Judge, "overall", "c3", 0, 'u'),
		// c4: fails everywhere
		scoreOf(score.Judge, "overall", "c4", 0, 'f'),
		scoreOf(score.Label, "reward", "c1", -1, 'p'), scoreOf(score.Label, "reward", "c2", -1, 'p'),
		scoreOf(score.Label, "reward", "c3", -1, 'p'), scoreOf(score.Label, "reward", "c4", -1, 'f'),
	}
	scores[1].Value, scores[2].Value = new(0.5), new(0.8)
	in := inputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1, Low: new(0.7), High: new(1.0)}}
	r := buildReport(t, in, measure.Config{})
	got := map[string]report.Confusion{}
	for _, a := range r.Agreement {
		if a.Reduced != "judge" || a.Level != report.ConversationLevel || a.Partial != 1 || a.MissingJudge != 1 || a.N != 3 {
			t.Errorf("row %s: reduced %q, level %q, partial %d, missing %d, n %d", a.Reduction, a.Reduced, a.Level, a.Partial, a.MissingJudge, a.N)
		}
		got[a.Reduction] = a.Confusion
	}
	want := map[string]report.Confusion{
		"min":   {BothPass: 1, JudgeOnlyFail: 1, BothFail: 1},
		"mean":  {BothPass: 2, BothFail: 1},
		"share": {BothPass: 2, BothFail: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reductions differ (-want +got):\n%s", diff)
	}
	// The disagreement on c1 leads to the call that decided.
	d := r.Disagreements.Items
	if len(d) != 1 || d[0].ConversationID != "c1" || d[0].CallIndex != nil || d[0].Judgements[0].CallIndex == nil || *d[0].Judgements[0].CallIndex != 1 {
		t.Errorf("disagreements: %+v", d)
	}
}

func TestCircularIsRefused(t *testing.T) {
	in := inputsOf(append(runOf("pfpf", "pfpp"), scoreOf(score.Label, "human", "c000", 0, 'f')))
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", SeesExpected: true}}
	in.Manifest.Scorers = []report.Scorer{reporttest.ScorerOf("exact", "expected_call_match")}
	r := buildReport(t, in, measure.Config{})
	for _, a := range r.Agreement {
		refused := a.Refused == "circular"
		if refused != (a.Reference.Name == "exact") {
			t.Errorf("%s: refused %q", a.Reference.Name, a.Refused)
		}
		if refused && (a.N != 0 || a.Kappa.Value != nil || a.Confusion != (report.Confusion{})) {
			t.Errorf("a refused row has numbers: %+v", a)
		}
	}
	for _, d := range r.Disagreements.Items {
		for _, ref := range d.References {
			if ref.Name == "exact" {
				t.Error("a circular reference appears among the disagreements")
			}
		}
	}
}

// Gold is the strongest reference, unless the user names another; a name that nothing
// was compared with is told.
func TestGold(t *testing.T) {
	var scores []score.Score
	for i := range 6 {
		id, even := fmt.Sprint("c", i), map[bool]byte{true: 'p', false: 'f'}[i%2 == 0]
		scores = append(scores, scoreOf(score.Judge, "overall", id, 0, even), scoreOf(score.Deterministic, "function_call_exact_match", id, 0, even), scoreOf(score.Label, "human", id, 0, even))
	}
	in := inputsOf(scores)
	in.Manifest.Scorers = []report.Scorer{reporttest.Scorer("function_call_exact_match")}
	for _, c := range []struct{ flag, saved, want string }{
		{"", "", "human"},
		{"function_call_exact_match", "", "function_call_exact_match"},
		{"", "function_call_exact_match", "function_call_exact_match"},
		{"human", "function_call_exact_match", "human"},
	} {
		in.Manifest.Gold = c.saved
		r := buildReport(t, in, measure.Config{Gold: c.flag})
		if row, _ := r.Best("j", ""); row.Reference.Name != c.want {
			t.Errorf("%+v: the headline speaks of %s", c, row.Reference.Name)
		}
		if gold := r.Gold(); len(gold) != 1 || gold[0].Name != c.want {
			t.Errorf("%+v: gold %+v", c, gold)
		}
	}
	in.Manifest.Gold = "humen"
	r := buildReport(t, in, measure.Config{})
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Text, "known are function_call_exact_match, human") {
		t.Errorf("an unknown gold: warnings %+v", r.Warnings)
	}
}
