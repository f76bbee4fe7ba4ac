package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// TestOtherCausesOfAChange: what else differs between two runs is told, and nothing else is.
func TestOtherCausesOfAChange(t *testing.T) {
	manifest := func() report.Manifest {
		return report.Manifest{
			Rubrics: []report.Rubric{{Name: "overall", SHA: "1", Low: new(0.5), High: new(1.)}},
			Scorers: []report.Scorer{{Name: "exact", Low: new(1.)}},
			Judges:  []report.Judge{{Name: "j", Model: "m", Prompt: "p"}},
		}
	}
	for name, tt := range map[string]struct {
		change func(*report.Manifest)
		want   []string
	}{
		"nothing":     {func(*report.Manifest) {}, nil},
		"another run": {func(m *report.Manifest) { m.RunID = "b" }, nil},
		"the rubric":  {func(m *report.Manifest) { m.Rubrics[0].SHA = "2" }, []string{"rubric"}},
		"both": {func(m *report.Manifest) { m.Rubrics[0].SHA, m.Rubrics[0].Low = "2", nil },
			[]string{"rubric"}},
		"a threshold":           {func(m *report.Manifest) { m.Rubrics[0].Low = new(0.6) }, []string{"threshold"}},
		"an upper threshold":    {func(m *report.Manifest) { m.Rubrics[0].High = nil }, []string{"threshold"}},
		"a rubric that is gone": {func(m *report.Manifest) { m.Rubrics = nil }, nil},
		"a scorer's threshold":  {func(m *report.Manifest) { m.Scorers[0].Low = new(0.5) }, []string{"threshold"}},
		"a scorer's upper one":  {func(m *report.Manifest) { m.Scorers[0].High = new(2.) }, []string{"threshold"}},
		"the model":             {func(m *report.Manifest) { m.Judges[0].Model = "n" }, []string{"judges"}},
		"the prompt":            {func(m *report.Manifest) { m.Judges[0].Prompt = "q" }, []string{"prompt"}},
		"an unknown judge":      {func(m *report.Manifest) { m.Judges = nil }, nil},
	} {
		a, b := inputsOf(runOf("pf", "pf")), inputsOf(runOf("pf", "pf"))
		a.Manifest, b.Manifest = manifest(), manifest()
		tt.change(&b.Manifest)
		if diff := cmp.Diff(tt.want, codesOf(compare(t, a, b, measure.Config{}).Warnings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestInstrumentsOfBothRuns: an instrument that only one run has is told and not compared; two judges that are each
// in one run alone are taken for the same if there is no doubt.
func TestInstrumentsOfBothRuns(t *testing.T) {
	run := func(judges string, scorers ...string) report.Inputs {
		var scores []score.Score
		for i := range 4 {
			for _, j := range judges {
				s := scoreOf(score.Judge, "overall", fmt.Sprint("c", i), 0, "pfpf"[i])
				s.Judge = string(j)
				scores = append(scores, s)
			}
			for _, name := range scorers {
				scores = append(scores, scoreOf(score.Deterministic, name, fmt.Sprint("c", i), 0, 'p'))
			}
		}
		return inputsOf(scores)
	}
	for _, tt := range []struct {
		a, b report.Inputs
		want []string
		rows int
	}{
		{run("j", "x"), run("j", "x"), nil, 2},
		{run("j", "x"), run("j", "y"), []string{"only_a", "only_b"}, 1},
		{run("j"), run("k"), []string{"judges"}, 1},
		{run("jl"), run("jk"), []string{"judges"}, 2},
		{run("jl"), run("k"), []string{"only_a", "only_a", "only_b"}, 0},
		{run("jl"), run("j"), []string{"only_a"}, 1},
	} {
		c := compare(t, tt.a, tt.b, measure.Config{})
		rows := 0
		for _, r := range c.Rows {
			if r.Tool == "" && r.Decides {
				rows++
			}
		}
		if diff := cmp.Diff(tt.want, codesOf(c.Warnings)); diff != "" || rows != tt.rows {
			t.Errorf("%d rows, want %d; warnings (-want +got):\n%s", rows, tt.rows, diff)
		}
	}
}

// TestConversationsOfSeveralCalls: the share of a conversation's calls that pass decides whether it is better or worse;
// the largest change comes first among the worse ones; the tools are those of the changed calls.
func TestConversationsOfSeveralCalls(t *testing.T) {
	run := func(conversations ...string) report.Inputs {
		var scores []score.Score
		for i, verdicts := range conversations {
			for call, what := range verdicts {
				s := scoreOf(score.Judge, "overall", fmt.Sprint("c", i), call, byte(what))
				s.Tool = []string{"find", "pay", "pay"}[call]
				s.Place = fmt.Sprint("log:", i)
				scores = append(scores, s)
			}
		}
		return inputsOf(scores)
	}
	c := compare(t, run("ppp", "ppp", "fff", "pfp", "uuu"), run("ppf", "fff", "fpf", "fpp", "ppp"), measure.Config{})
	w := c.Changes
	want := []report.ConversationChange{
		{ConversationID: "c1", Place: "log:1", Worse: true, A: 1, B: 0},
		{ConversationID: "c0", Place: "log:0", Worse: true, A: 1, B: 0.666667},
		{ConversationID: "c2", Place: "log:2", A: 0, B: 0.333333},
	}
	if diff := cmp.Diff(want, w.Items); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
	// Two of three are worse: p = 1.
	if w.Worse != 2 || w.Better != 1 || w.Same != 1 || *w.Split != 1 {
		t.Errorf("%d worse, %d better, %d the same, p %v", w.Worse, w.Better, w.Same, *w.Split)
	}
	if diff := cmp.Diff([]string{"c0", "c1", "c2"}, w.All); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	// Of pay five calls changed, of find two.
	if diff := cmp.Diff([]string{"pay", "find"}, w.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestParametersThatChanged: parameters of both runs by the drop of their share, largest first.
func TestParametersThatChanged(t *testing.T) {
	params := func(tool string, list ...report.Parameter) report.ToolParameters {
		return report.ToolParameters{Tool: tool, Parameters: list}
	}
	one := func(name string, n, equal int) report.Parameter {
		return report.Parameter{Parameter: name, N: n, Equal: equal}
	}
	a, b := inputsOf(runOf("p", "p")), inputsOf(runOf("p", "p"))
	a.Manifest.ByParameter = []report.ToolParameters{
		params("pay", one("to", 4, 4), one("sum", 4, 2), one("never", 0, 0), one("gone", 3, 3)),
		params("find", one("to", 2, 2)),
	}
	b.Manifest.ByParameter = []report.ToolParameters{
		params("find", one("to", 4, 3)),
		params("pay", one("to", 4, 3), one("sum", 5, 5), one("never", 2, 1), one("new", 3, 3)),
	}
	var got []string
	for _, p := range compare(t, a, b, measure.Config{}).Parameters {
		got = append(got, fmt.Sprintf("%s %s %d %d: %g", p.Tool, p.Parameter, p.NA, p.NB, *p.Delta.Value))
	}
	if diff := cmp.Diff([]string{"find to 2 4: -0.25", "pay to 4 4: -0.25", "pay sum 4 5: 0.5"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPrimaryEndpointByName: the named score is the endpoint; an unknown one is an error with the name that was
// probably meant.
func TestPrimaryEndpointByName(t *testing.T) {
	a, b := inputsOf(runOf("pf", "pf")), inputsOf(runOf("pf", "pp"))
	c := compare(t, a, b, measure.Config{Primary: "exact"})
	if e := c.Endpoint(); e == nil || e.Name != "exact" {
		t.Errorf("endpoint %+v", e)
	}
	for name, want := range map[string]string{
		"exakt":  "primary endpoint exakt: no score of this name is in both runs; did you mean exact?",
		"zzzzzz": "primary endpoint zzzzzz: no score of this name is in both runs; known are exact, overall",
	} {
		if _, err := measure.Compare(a, b, measure.Config{Primary: name}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for text, in := range map[string][2]report.Inputs{
		"compare: run A: no scores given": {{}, b}, "compare: run B: no scores given": {a, {}},
	} {
		if _, err := measure.Compare(in[0], in[1], measure.Config{}); err == nil || err.Error() != text {
			t.Errorf("got  %v\nwant %s", err, text)
		}
	}
}
