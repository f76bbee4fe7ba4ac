package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
)

func TestEvidenceOfReferences(t *testing.T) {
	r := &report.Report{Run: report.Run{Scorers: []report.Scorer{
		reporttest.ScorerOf("mine", "execution_check"), reporttest.Scorer("ast_equivalence"), reporttest.Scorer("function_call_coverage"),
	}}}
	for name, want := range map[string]string{
		"label":                  "a label: gold",
		"mine":                   "execution and its end state: strong evidence both ways (a further side effect is not seen)",
		"ast_equivalence":        "a match with the expected calls: strong evidence where it passes, weak where it fails (a valid alternative fails)",
		"function_call_coverage": "form and coverage, not meaning: weak evidence where it passes, strong where it fails (what is well formed can be wrong)",
		"call_relevance":         "a rule of thumb: weak evidence both ways (it looks at one aspect only)",
	} {
		ref := report.Instrument{Source: "deterministic", Name: name}
		if name == "label" {
			ref.Source = "label"
		}
		if got := r.Evidence(ref).Words(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestEveryRateNamesItsUnit holds the summary to the rule that a rate of calls never
// stands beside one of conversations without both being named.
func TestEveryRateNamesItsUnit(t *testing.T) {
	run := reporttest.New(1, 60)
	for judges, want := range map[int][]string{
		2: {
			"pass rate 78 % of 188 calls, says judge-a on overall_call_correctness (71–83 %; the judge's own mistakes are not in this range)",
			"pass rate 81 % of 188 calls, says baseline-rules on overall_call_correctness (73–87 %)",
			"pass rate 85 % of 190 calls (77–90 %) by the scorer ast_equivalence",
			"pass rate 63 % of 60 conversations (51–74 %) by the label reward",
		},
		1: {
			"pass rate 78 % of 188 calls, says judge-a on overall_call_correctness (71–83 %; the judge's own mistakes are not in this range)",
			"pass rate 85 % of 190 calls (77–90 %) by the scorer ast_equivalence",
			"pass rate 63 % of 60 conversations (51–74 %) by the label reward",
		},
	} {
		part := reporttest.Run{Manifest: run.Manifest}
		part.Manifest.Judges = run.Manifest.Judges[:judges]
		for _, s := range run.Scores {
			if judges == 2 || s.Judge != "baseline-rules" {
				part.Scores = append(part.Scores, s)
			}
		}
		r, err := measure.Build(part.Inputs(), measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range r.Summary {
			if strings.HasPrefix(s, "pass rate ") {
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d judges (-want +got):\n%s", judges, diff)
		}
		if gold := r.GoldWords(); len(gold) != 2 || !strings.Contains(gold[0], "conversations: reward, a label: gold") || !strings.Contains(gold[1], "Nothing is gold for calls; the best reference is ast_equivalence, a match") {
			t.Errorf("gold is declared as %q", gold)
		}
	}
}

func TestUndefinedNumbersSayWhy(t *testing.T) {
	half, one, zero := 0.5, 1.0, 0.0
	for want, e := range map[string]report.Estimate{
		"1.00":              {Value: &one},
		"0.50":              {Value: &half},
		"0.50 [0.00, 1.00]": {Value: &half, Low: &zero, High: &one},
		"undefined (both sides have one verdict, the same)": {Reason: "no_chance_disagreement"},
		"undefined (something_new)":                         {Reason: "something_new"},
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
