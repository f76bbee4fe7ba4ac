package measure_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
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

// TestComparisonsThatCannotBe: the error names the run that cannot be read.
func TestComparisonsThatCannotBe(t *testing.T) {
	good := inputsOf(runOf("pf", "pf"))
	broken, scaled := good, good
	broken.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, errors.New("disk gone")) }
	}
	broken.Earlier = func(id string, call int) (string, int) { return id, call }
	scaled.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1}}
	high := measure.Config{Thresholds: []report.Threshold{{Name: "overall", Low: 7}}}
	for _, tt := range []struct {
		a, b report.Inputs
		cfg  measure.Config
		want string
	}{
		{report.Inputs{}, good, measure.Config{}, "compare: run A: no scores given"},
		{good, report.Inputs{}, measure.Config{}, "compare: run B: no scores given"},
		{broken, good, measure.Config{}, "compare: run A: read scores: disk gone"},
		{good, broken, measure.Config{}, "compare: run B: read scores: disk gone"},
		{scaled, good, high, "compare: run A: threshold overall=7: "}, {good, scaled, high, "compare: run B: threshold overall=7: "},
		{good, good, measure.Config{Alpha: 2}, "compare: "},
	} {
		c, err := measure.Compare(tt.a, tt.b, tt.cfg)
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) ||
			!strings.HasSuffix(tt.want, ": ") && err.Error() != tt.want {
			t.Errorf("%+v: %v, want %s", c != nil, err, tt.want)
		}
	}
}

// TestConversationsOfOneRun: they are counted, and a single one is told.
func TestConversationsOfOneRun(t *testing.T) {
	for _, tt := range []struct {
		a, b   string
		counts string
		want   []string
	}{
		{"pf", "pf", "2 0 0", nil},
		{"pfp", "pf", "2 1 0", []string{"conversations"}}, {"pf", "pfpp", "2 0 2", []string{"conversations"}},
	} {
		c := gateCompare(t, inputsOf(runOf(tt.a, tt.a)), inputsOf(runOf(tt.b, tt.b)))
		got := fmt.Sprint(c.Shared, " ", c.OnlyA, " ", c.OnlyB)
		if diff := cmp.Diff(tt.want, codesOf(c.Warnings)); diff != "" || got != tt.counts {
			t.Errorf("%s and %s: %s (-want +got):\n%s", tt.a, tt.b, got, diff)
		}
	}
}

// TestSuccessorOfAJudge: if each run has one judge of its own, these are compared, by every rubric and category.
func TestSuccessorOfAJudge(t *testing.T) {
	run := func(judge string) report.Inputs {
		topic := judged(judge, "topic", 1, 2, 1)
		for i := range topic {
			topic[i].Passed, topic[i].Category = nil, []string{"x", "y"}[int(*topic[i].Value)-1]
		}
		return inputsBy([]report.Judge{{Name: judge}}, []report.Rubric{{Name: "topic", Categories: []string{"x", "y", "z"}}},
			judged(judge, "overall", 1, 0, 1), judged(judge, "tone", 1, 1, 0), topic, judged("stays", "overall", 1, 1, 1))
	}
	c := gateCompare(t, run("old"), run("new"))
	var got []string
	for _, r := range c.Rows {
		if r.Reduced == "" && r.Tool == "" {
			got = append(got, fmt.Sprintf("%s %s to %s", r.Name, r.Judge, r.JudgeB))
		}
	}
	for _, r := range c.Categories {
		got = append(got, fmt.Sprintf("%s %s %s to %s", r.Name, r.Category, r.Judge, r.JudgeB))
	}
	want := []string{"topic old to new", "overall old to new", "tone old to new", "overall stays to ", "topic x old to new",
		"topic y old to new", "topic z old to new"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if row := c.Rows[0]; row.Youden != nil {
		t.Errorf("two judges have one J: %+v", row.Youden)
	}
}

// TestListsOfAnEmptyComparison: lists that are always in the comparison are empty lists there, not null.
func TestListsOfAnEmptyComparison(t *testing.T) {
	c := gateCompare(t, inputsOf(nil), inputsOf(nil))
	if c.Rows == nil || c.Warnings == nil || c.Changes.Tools == nil || c.Changes.Items == nil || c.FailureGroups == nil ||
		c.Parameters == nil || c.Verdicts.Items == nil {
		t.Errorf("%+v", c)
	}
	if c = gateCompare(t, inputsOf(runOf("pf", "pf")), inputsOf(runOf("pf", "pf"))); c.Changes.Split != nil {
		t.Errorf("nothing changed, and the p-value of the split is %v", *c.Changes.Split)
	}
	one := gateCompare(t, inputsOf(runOf("pf", "pf")), inputsOf(runOf("ff", "pf"))).Changes
	if one.Worse != 1 || one.Split == nil || *one.Split != 1 {
		t.Errorf("one changed: %+v", one)
	}
}

// TestChangesThatAreListed: 200 conversations and verdicts are listed, and all are counted.
func TestChangesThatAreListed(t *testing.T) {
	many := strings.Repeat("p", 201)
	c := gateCompare(t, inputsOf(runOf(many, many)), inputsOf(runOf(strings.Repeat("f", 201), many)))
	if w := c.Changes; w.Worse != 201 || len(w.All) != 201 || len(w.Items) != 200 || c.Verdicts.Total != 201 ||
		len(c.Verdicts.Items) != 200 {
		t.Errorf("%d worse, %d and %d listed; %d verdicts, %d listed", w.Worse, len(w.All), len(w.Items), c.Verdicts.Total,
			len(c.Verdicts.Items))
	}
}

// TestOrderOfChangedGroups: groups of failures that are new come first, then by how much they grew. Failing calls
// name the tools on which the runs differ, conversations none.
func TestOrderOfChangedGroups(t *testing.T) {
	run := func(fails map[string]string) report.Inputs {
		var scores []score.Score
		for _, tool := range []string{"find", "pay", "send"} {
			for i := range fails[tool] {
				s := scoreOf(score.Judge, "overall", fmt.Sprint(tool, i), 0, fails[tool][i])
				if s.Tool = tool; *s.Value == 0 {
					s.Explanation = tool + "_rule (m): it is wrong."
				}
				scores = append(scores, s)
			}
		}
		return inputsOf(scores)
	}
	c := gateCompare(t, run(map[string]string{"find": "pppp", "pay": "fppppp", "send": "ffpp"}),
		run(map[string]string{"find": "pfpp", "pay": "ffffff", "send": "pppp"}))
	var got []string
	for _, g := range c.FailureGroups {
		got = append(got, fmt.Sprintf("%s %d to %d", g.Tool, g.A, g.B))
	}
	if diff := cmp.Diff([]string{"find 0 to 1", "pay 1 to 6", "send 2 to 0"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"pay", "send", "find"}, c.Changes.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	whole := func(letters string) report.Inputs {
		var scores []score.Score
		for i := range letters {
			scores = append(scores, scoreOf(score.Judge, "goal", fmt.Sprint("c", i), -1, letters[i]))
		}
		return inputsOf(scores)
	}
	if c = gateCompare(t, whole("ppf"), whole("pfp")); len(c.Changes.Tools) != 0 || c.Changes.Worse != 1 {
		t.Errorf("conversations: %+v", c.Changes)
	}
}

// TestVerdictsOfOtherCalls: if the runs made other calls, the changed verdicts are those of conversations. A tool that
// both runs call is compared over all calls to it, wherever they stand.
func TestVerdictsOfOtherCalls(t *testing.T) {
	run := func(letters ...string) (out []score.Score) {
		for i, calls := range letters {
			for k := range calls {
				s := scoreOf(score.Judge, "overall", fmt.Sprint("c", i), k, calls[k])
				s.Tool = []string{"find", "pay"}[k%2]
				out = append(out, s)
			}
		}
		return out
	}
	for unpaired, want := range map[float64][]string{
		0.05: {"c0 call ", "c2 call "},
		0.06: {"c0 conversation min", "c0 call ", "c2 conversation min", "c2 call "},
	} {
		b := paired(heldAs(run("ppfp", "pppp", "pfpp"), nil), report.CallPairs{Known: true, Unpaired: unpaired})
		c := gateCompare(t, heldAs(run("pppp", "pppp", "pppp"), nil), b)
		var flips []string
		for _, f := range c.Verdicts.Items {
			flips = append(flips, f.ConversationID+" "+f.Level+" "+f.Reduced)
		}
		if diff := cmp.Diff(want, flips); diff != "" || c.Verdicts.Total != len(want) {
			t.Errorf("%v unpaired: %d verdicts (-want +got):\n%s", unpaired, c.Verdicts.Total, diff)
		}
		var got []string
		for _, r := range c.Rows {
			if r.Reduced == report.ReduceMean {
				got = append(got, fmt.Sprintf("%s%d: %s to %s", r.Tool, r.PassRate.N, numberOr(r.PassRate.A), numberOr(r.PassRate.B)))
			}
		}
		rows := []string{"3: 1.0000 to 0.8333", "find3: 1.0000 to 0.8333", "pay3: 1.0000 to 0.8333"}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%v unpaired (-want +got):\n%s", unpaired, diff)
		}
	}
}
