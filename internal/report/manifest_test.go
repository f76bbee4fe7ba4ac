package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// TestNamesInARun: what a run knows by name, and what is said of a name that it does not know.
func TestNamesInARun(t *testing.T) {
	parts := []score.MetricFacts{{Name: "order", Meaning: score.Meaning{Layer: score.ASTLayer}}}
	run := &report.Run{
		Judges:  []report.Judge{{Name: "a"}, {Name: "b", Model: "m"}},
		Rubrics: []report.Rubric{{Name: "tone"}, {Name: "use", Max: 5}},
		Scorers: []report.Scorer{{Name: "first", Type: "exact", Facts: score.Facts{Metrics: parts,
			Meaning: score.Meaning{Layer: score.SchemaLayer}}}, {Name: "second"}},
	}
	m := run.Named()
	use, known := m.Rubric("use")
	none, unknown := m.Rubric("none")
	for name, c := range map[string]struct{ got, want any }{
		"judge":           {run.Judge("b"), report.Judge{Name: "b", Model: "m"}},
		"no judge":        {m.Judge("c"), report.Judge{Name: "c"}},
		"rubric":          {use, report.Rubric{Name: "use", Max: 5}},
		"no rubric":       {none, report.Rubric{Name: "none"}},
		"rubrics known":   {[]bool{known, unknown}, []bool{true, false}},
		"scorer":          {m.Scorer("first"), run.Scorers[0]},
		"scorer's type":   {m.Scorer("second"), report.Scorer{Name: "second", Type: "second"}},
		"no scorer":       {m.Scorer("third"), report.Scorer{Name: "third", Type: "third"}},
		"main score":      {run.Meaning(report.Instrument{Name: "first"}), score.Meaning{Layer: score.SchemaLayer}},
		"metric":          {run.Meaning(report.Instrument{Name: "first", Metric: "order"}), parts[0].Meaning},
		"judge, rubric":   {m.HasJudgement("b", "use"), true},
		"only the judge":  {m.HasJudgement("b", "none"), false},
		"only the rubric": {m.HasJudgement("c", "use"), false},
		"in a sentence":   {report.Instrument{Name: "n", Metric: "m", Judge: "j"}.Words(), "n.m by j"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCircular: a judge is not compared with what it saw, nor with the scorers and labels that its configuration
// names.
func TestCircular(t *testing.T) {
	m := &report.Manifest{
		Judges:  []report.Judge{{Name: "free"}, {Name: "bound", CircularWith: []string{"human", "exact", "yours"}}},
		Rubrics: []report.Rubric{{Name: "blind"}, {Name: "told", SeesExpected: true}},
		Scorers: []report.Scorer{{Name: "calls", Facts: score.Facts{Needs: score.NeedsExpectedCalls}},
			{Name: "end", Facts: score.Facts{Needs: score.NeedsState}}, {Name: "mine", Type: "exact"},
			{Name: "yours", Type: "near"},
			{Name: "schema", Facts: score.Facts{Needs: score.NeedsTools}}},
	}
	for _, c := range []struct {
		judge, rubric, ref string
		want               bool
	}{
		{"free", "told", "calls", true}, {"free", "told", "end", true}, {"free", "told", "schema", false},
		{"free", "blind", "calls", false}, {"free", "blind", "end", false}, {"free", "told", "human", false},
		{"bound", "blind", "human", true}, {"bound", "blind", "exact", true}, {"bound", "blind", "mine", true},
		{"bound", "blind", "yours", true},
		{"bound", "blind", "calls", false}, {"free", "blind", "mine", false},
	} {
		judge := report.Instrument{Judge: c.judge, Name: c.rubric}
		if got := m.Circular(judge, report.Instrument{Name: c.ref}); got != c.want {
			t.Errorf("%s by %s against %s: %v", c.rubric, c.judge, c.ref, got)
		}
	}
}

// TestAnswersOfRubrics: a category passes or fails if the rubric says which ones pass; without that nothing is
// decided.
func TestAnswersOfRubrics(t *testing.T) {
	list := []string{"good", "bad"}
	plain, named := report.Rubric{}, report.Rubric{Categories: list}
	graded := report.Rubric{Categories: list, Pass: list[:1]}
	for name, c := range map[string]struct{ got, want any }{
		"one passes":      {graded.Answer("good"), labels.Answer{Label: labels.Pass, Category: "good"}},
		"others fail":     {graded.Answer("bad"), labels.Answer{Label: labels.Fail, Category: "bad"}},
		"only a name":     {named.Answer("good"), labels.Answer{Label: labels.Named, Category: "good"}},
		"who has verdict": {[]bool{plain.Decides(), named.Decides(), graded.Decides()}, []bool{true, false, true}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
