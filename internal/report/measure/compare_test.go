package measure_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func compare(t testing.TB, a, b report.Inputs, cfg measure.Config) *report.Comparison {
	t.Helper()
	c, err := measure.Compare(a, b, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rowOf(t *testing.T, c *report.Comparison, name, judge, tool string) report.ChangeRow {
	t.Helper()
	for _, r := range c.Rows {
		if r.Name == name && r.Judge == judge && r.Tool == tool {
			return r
		}
	}
	t.Fatalf("no row for %s %s %s", name, judge, tool)
	return report.ChangeRow{}
}

func TestCompareWithItselfIsNoise(t *testing.T) {
	run := reporttest.New(1, 50)
	c := compare(t, run.Inputs(), run.Inputs(), measure.Config{})
	for _, r := range c.Rows {
		if ch := r.Primary(); ch.N == 0 || *ch.Delta.Value != 0 || ch.Outcome() != "~" || r.Broken+r.Fixed+r.LostInB+r.GainedInB != 0 {
			t.Errorf("%s %s: %+v", r.Title(), r.Tool, ch)
		}
	}
	if c.Verdicts.Total != 0 || len(c.Warnings) != 0 || c.OnlyA != 0 || c.OnlyB != 0 || c.Shared != 50 {
		t.Errorf("flips %d, warnings %v, sets %d %d %d", c.Verdicts.Total, c.Warnings, c.Shared, c.OnlyA, c.OnlyB)
	}
}

func TestCompareFindsARealDrop(t *testing.T) {
	run := reporttest.New(1, 80)
	worse := run.Worse("function_call_accuracy", 0.2, 1)
	c := compare(t, run.Inputs(), worse.Inputs(), measure.Config{})
	row := rowOf(t, c, "function_call_accuracy", "", "")
	if row.PassRate.Outcome() != "worse" || row.Broken == 0 || row.Fixed != 0 || c.Verdicts.Total != row.Broken {
		t.Errorf("row %+v, flips %d", row, c.Verdicts.Total)
	}
	if other := rowOf(t, c, "schema_check", "", ""); other.PassRate.Outcome() != "~" {
		t.Errorf("an unchanged scorer is called %s", other.PassRate.Outcome())
	}
	for _, f := range c.Verdicts.Items {
		if !f.Broken || f.A != 1 || f.B != 0 || f.Name != "function_call_accuracy" || f.Place == "" {
			t.Errorf("flip %+v", f)
		}
	}
	reg := measure.Regressions(c, 0, false)
	if reg.Passed || len(reg.Results) != 1 || reg.Results[0].Score != "function_call_accuracy" {
		t.Errorf("regressions %+v", reg)
	}
	if reg := measure.Regressions(c, 0.9, false); !reg.Passed {
		t.Errorf("regressions beyond 90 points: %+v", reg)
	}
	back := compare(t, worse.Inputs(), run.Inputs(), measure.Config{})
	if got := rowOf(t, back, "function_call_accuracy", "", ""); got.PassRate.Outcome() != "better" || *got.PassRate.Delta.Value != -*row.PassRate.Delta.Value {
		t.Errorf("the other way round: %+v", got.PassRate)
	}
}

// TestCompareFalseAlarms: two runs that differ by chance alone are called changed
// no oftener than alpha allows.
func TestCompareFalseAlarms(t *testing.T) {
	alarms := 0
	const runs = 100
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 5))
		var a, b []score.Score
		for conv := range 30 {
			hard := 0.5 + 0.4*r.Float64()
			for call := range 4 {
				for _, side := range []*[]score.Score{&a, &b} {
					what := byte('f')
					if r.Float64() < hard {
						what = 'p'
					}
					*side = append(*side, scoreOf(score.Deterministic, "exact", fmt.Sprintf("c%02d", conv), call, what))
				}
			}
		}
		c := compare(t, inputsOf(a), inputsOf(b), measure.Config{})
		if c.Rows[0].PassRate.Outcome() != "~" {
			alarms++
		}
	}
	// Binomial(100, .05): 12 or more has a chance of 0.4 %.
	if alarms >= 12 {
		t.Errorf("%d false alarms in %d runs at alpha 0.05", alarms, runs)
	}
}

func TestCompareAllBroken(t *testing.T) {
	c := compare(t, inputsOf(runOf("pppppppp", "pppppppp")), inputsOf(runOf("ffffffff", "pppppppp")), measure.Config{})
	row := rowOf(t, c, "overall", "j", "")
	// 8 conversations, all worse: sign test 2/2^8.
	if row.PassRate.Outcome() != "worse" || !(math.Abs(*row.PassRate.P.Value-2.0/256) <= 1e-5) {
		t.Errorf("%+v", row.PassRate)
	}
}

func TestCompareSetsAndInstruments(t *testing.T) {
	a, b := inputsOf(runOf("ppff", "ppff")), inputsOf(runOf("pppfff", "ppuffp"))
	a.Manifest.Rubrics = []report.Rubric{{Name: "overall", SHA: "1"}}
	b.Manifest.Rubrics = []report.Rubric{{Name: "overall", SHA: "2"}}
	renamed := runOf("pppfff", "ppuffp")
	for i := range renamed {
		if renamed[i].Judge == "j" {
			renamed[i].Judge = "k"
		}
	}
	b.Scores = reporttest.Each(renamed)
	c := compare(t, a, b, measure.Config{})
	if c.Shared != 4 || c.OnlyA != 0 || c.OnlyB != 2 {
		t.Errorf("sets %d %d %d", c.Shared, c.OnlyA, c.OnlyB)
	}
	if diff := cmp.Diff([]string{"judges", "conversations", "rubric"}, codesOf(c.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if row := rowOf(t, c, "overall", "j", ""); row.JudgeB != "k" || row.Mean.N != 4 || row.Fixed != 1 {
		t.Errorf("row %+v", row)
	}
	if row := rowOf(t, c, "exact", "", ""); row.LostInB != 1 || row.Mean.N != 3 {
		t.Errorf("a score that B lacks is no fail: %+v", row)
	}
}

func TestCompareByContent(t *testing.T) {
	a, b := inputsOf(runOf("pf", "pf")), inputsOf(nil)
	other := runOf("pf", "pf")
	for i := range other {
		other[i].ConversationID = "new-" + other[i].ConversationID
	}
	b.Scores = reporttest.Each(other)
	if c := compare(t, a, b, measure.Config{}); c.Shared != 0 {
		t.Errorf("%d shared conversations by id, want 0", c.Shared)
	}
	b.Earlier = func(id string, call int) (string, int) { return strings.TrimPrefix(id, "new-"), call }
	c := compare(t, a, b, measure.Config{})
	if c.Shared != 2 || c.Rows[0].Mean.N != 2 {
		t.Errorf("%d shared conversations by content, n %d; want 2, 2", c.Shared, c.Rows[0].Mean.N)
	}
}

// TestCompareConversationsByContent: scores of whole conversations are compared under the other run's names too.
func TestCompareConversationsByContent(t *testing.T) {
	reward := func(prefix, verdicts string) report.Inputs {
		var scores []score.Score
		for i := range verdicts {
			scores = append(scores, scoreOf(score.Deterministic, "reward", fmt.Sprint(prefix, i), -1, verdicts[i]))
		}
		return inputsOf(scores)
	}
	a, b := reward("", "pfp"), reward("new-", "pff")
	b.Earlier = func(id string, call int) (string, int) { return strings.TrimPrefix(id, "new-"), call }
	c := compare(t, a, b, measure.Config{})
	if row := c.Rows[0]; c.Shared != 3 || row.Mean.N != 3 || row.Broken != 1 || row.Fixed != 0 {
		t.Errorf("%d shared conversations, %+v", c.Shared, row)
	}
}

func TestCompareIgnoresOrder(t *testing.T) {
	run := reporttest.New(1, 30)
	worse := run.Worse("schema_check", 0.3, 2)
	text := func() string {
		var out bytes.Buffer
		c := compare(t, run.Inputs(), worse.Inputs(), measure.Config{})
		if err := report.WriteJSON(&out, c); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := text()
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(run.Scores), func(i, j int) { run.Scores[i], run.Scores[j] = run.Scores[j], run.Scores[i] })
	r.Shuffle(len(worse.Scores), func(i, j int) { worse.Scores[i], worse.Scores[j] = worse.Scores[j], worse.Scores[i] })
	if diff := cmp.Diff(want, text()); diff != "" {
		t.Errorf("shuffled streams give another comparison:\n%s", diff)
	}
}
