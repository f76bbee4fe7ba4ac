package words_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
)

func TestEvidenceOfReferences(t *testing.T) {
	r := &report.Report{Run: report.Run{Scorers: []report.Scorer{
		reporttest.ScorerOf("mine", "execution_check"), reporttest.Scorer("ast_equivalence"), reporttest.Scorer("function_call_coverage"),
	}}}
	for name, want := range map[string]string{
		"label":                  "a label",
		"mine":                   "execution and its end state; its passes and its fails are strong evidence, but a further side effect is not seen",
		"ast_equivalence":        "a match with the expected calls; a pass shows that the call is right, a fail does not show that it is wrong: a valid alternative fails",
		"function_call_coverage": "form and coverage, not meaning; a fail shows that the call is wrong, a pass does not show that it is right: what is well formed can be wrong",
		"call_relevance":         "a rule of thumb; neither its passes nor its fails show much: it looks at one aspect only",
	} {
		ref := report.Instrument{Source: "deterministic", Name: name}
		if name == "label" {
			ref.Source = "label"
		}
		if got := words.Evidence(r.Evidence(ref)); got != want {
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
			"How often is the agent right? 78 % of 188 calls, says judge-a on overall_call_correctness (71–83 %; the judge's own mistakes are not in this range)",
			"How often is the agent right? 81 % of 188 calls, says baseline-rules on overall_call_correctness (73–87 %)",
			"How often is the agent right? 85 % of 190 calls match the expected calls (78–90 %; scorer ast_equivalence)",
			"How often is the agent right? 63 % of 60 conversations, by the label reward (51–74 %)",
		},
		1: {
			"How often is the agent right? 78 % of 188 calls, says judge-a on overall_call_correctness (71–83 %; the judge's own mistakes are not in this range)",
			"How often is the agent right? 85 % of 190 calls match the expected calls (78–90 %; scorer ast_equivalence)",
			"How often is the agent right? 63 % of 60 conversations, by the label reward (51–74 %)",
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
			if strings.HasPrefix(s, "How often is the agent right? ") {
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d judges (-want +got):\n%s", judges, diff)
		}
		if gold := words.GoldWords(r); len(gold) != 2 || !strings.Contains(gold[0], "Gold for conversations: reward, a label.") || !strings.Contains(gold[1], "No gold labels for calls. Best reference: ast_equivalence, a match") {
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
		if got := words.Estimate(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestReferencesByRank(t *testing.T) {
	r, err := measure.Build(reporttest.New(1, 60).Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"reward overall_call_correctness", "ast_equivalence overall_call_correctness", "function_call_accuracy overall_call_correctness",
		"reward function_intent_alignment", "ast_equivalence function_intent_alignment",
	}
	var got []string
	for _, c := range words.ComparedRows(r)[:len(want)] {
		got = append(got, c.Reference.Title()+" "+c.Rubric)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels come first (-want +got):\n%s", diff)
	}
}

func full(t *testing.T) *report.Report {
	t.Helper()
	r, err := reporttest.Full()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestKappaMap has a row for each judge and rubric that were compared with gold, in the colour
// of kappa.
func TestKappaMap(t *testing.T) {
	r := full(t)
	table := words.KappaMap(r)
	if len(table.Rows) == 0 || !table.PageOnly || len(table.Heads) != len(table.Kinds) {
		t.Fatalf("%+v", table)
	}
	seen := map[string]bool{}
	for _, row := range table.Rows {
		if name := row.Cells[0].Text; seen[name] || len(row.Cells) != len(table.Heads) {
			t.Errorf("%s stands twice, or has %d cells", name, len(row.Cells))
		}
		seen[row.Cells[0].Text] = true
	}
	half, low, high := 0.5, 0.1, 0.8
	a := report.AgreementRow{Verdicts: 40, Kappa: report.Estimate{Value: &half, Low: &low, High: &high}}
	if c := words.KappaColour(&a); c.Text != "0.50" || c.Ends != "n 40" || c.Class != "k3" {
		t.Errorf("%+v", c)
	}
	for _, few := range []report.AgreementRow{{Verdicts: 29, Kappa: a.Kappa}, {Verdicts: 40, Kappa: report.Estimate{Value: &half,
		Low: new(-0.1), High: &high}}} {
		if c := words.KappaColour(&few); c.Class != "k3 weak" {
			t.Errorf("%+v", c)
		}
	}
	if c := words.KappaColour(&report.AgreementRow{Refused: "circular"}); c.Class != "" || c.Ends != "circular" {
		t.Errorf("%+v", c)
	}
}

// TestRateNoteOfOneLabelAConversation: even if no more labels are needed, a range that rests on one label a
// conversation is doubted.
func TestRateNoteOfOneLabelAConversation(t *testing.T) {
	low, rate, high := 0.85, 0.9, 0.95
	h := &report.HeadlineRate{
		Kind: report.CorrectedRateKind, Rate: report.Estimate{Value: &rate, Low: &low, High: &high},
		Raw: &report.Estimate{Value: &rate}, FurtherLabels: &truth.More{},
	}
	for oneCall, want := range map[bool]string{
		false: "the judge alone said 90 %",
		true:  "the judge alone said 90 %; one label a conversation: too narrow if long ones fail more often",
	} {
		if h.OneCall = oneCall; words.RateNote(h) != want {
			t.Errorf("one label a conversation is %v: %q, want %q", oneCall, words.RateNote(h), want)
		}
	}
}
