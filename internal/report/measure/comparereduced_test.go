package measure_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// calls returns the scores of one judge on the calls of conversations, a text of verdicts
// each.
func calls(conversations ...string) []score.Score {
	var out []score.Score
	for i, verdicts := range conversations {
		for k := range verdicts {
			out = append(out, scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), k, verdicts[k]))
		}
	}
	return out
}

// heldAs makes inputs in which run B's calls have the numbers that call gives.
func heldAs(scores []score.Score, call func(string, int) int) report.Inputs {
	in := report.Inputs{Scores: reporttest.Each(scores)}
	if call != nil {
		in.Earlier = func(id string, index int) (string, int) { return id, call(id, index) }
	}
	return in
}

// paired says how the calls of a run were paired.
func paired(in report.Inputs, calls report.CallPairs) report.Inputs {
	in.Calls = calls
	return in
}

func reducedRow(t *testing.T, c *report.Comparison, how, tool string) report.ChangeRow {
	t.Helper()
	for _, r := range c.Rows {
		if r.Reduced == how && r.Tool == tool {
			return r
		}
	}
	t.Fatalf("no row %q %q", how, tool)
	return report.ChangeRow{}
}

func TestCallsReducedToConversations(t *testing.T) {
	// B made other calls: its second and later ones have no partner.
	call := func(_ string, i int) int {
		if i == 0 {
			return 0
		}
		return 100 + i
	}
	a := calls("pp", "pf", "pppp", "f", "p", "u")
	b := calls("pf", "pppf", "pp", "p", "u", "p")
	c := compare(t, heldAs(a, nil), paired(heldAs(b, call), report.CallPairs{Known: true, Same: 6, OnlyA: 5, OnlyB: 6, Unpaired: 0.48}), measure.Config{})

	// Over the four conversations that both scored: 1, .5, 1, 0 and .5, .75, 1, 1.
	mean := reducedRow(t, c, report.ReduceMean, "")
	if *mean.PassRate.A.Value != 0.625 || *mean.PassRate.B.Value != 0.8125 || *mean.PassRate.Delta.Value != 0.1875 || mean.PassRate.N != 4 {
		t.Errorf("mean of calls: %+v", mean.PassRate)
	}
	if *mean.Mean.Delta.Value != 0.1875 || mean.LostInB != 1 || mean.GainedInB != 1 || mean.Broken != 1 || mean.Fixed != 2 {
		t.Errorf("mean of calls: mean %+v, lost %d, gained %d, broken %d, fixed %d", mean.Mean, mean.LostInB, mean.GainedInB, mean.Broken, mean.Fixed)
	}
	// Every call passes in 1, 0, 1, 0 and 0, 0, 1, 1.
	least := reducedRow(t, c, report.ReduceMin, "")
	if *least.PassRate.A.Value != 0.5 || *least.PassRate.B.Value != 0.5 || least.Broken != 1 || least.Fixed != 1 || least.Level != report.ConversationLevel {
		t.Errorf("every call: %+v", least)
	}
	// Only the first call of each conversation is one of both runs: of four pairs that
	// both scored one got better.
	row := reducedRow(t, c, "", "")
	if row.PassRate.N != 4 || *row.PassRate.Delta.Value != 0.25 || row.LostInB != 1 || row.GainedInB != 1 {
		t.Errorf("the calls of both runs: %+v", row)
	}
	if tool := reducedRow(t, c, report.ReduceMean, "t"); *tool.PassRate.Delta.Value != 0.1875 || !tool.Decides {
		t.Errorf("by tool: %+v", tool)
	}
	if !mean.Decides || !least.Decides || row.Decides || c.Rows[0].Reduced == "" {
		t.Errorf("deciding: mean %v, every call %v, calls %v; first row %q", mean.Decides, least.Decides, row.Decides, words.ChangeLabel(&c.Rows[0]))
	}
	if c.Verdicts.Total != 3 || c.Verdicts.Items[0].Reduced != report.ReduceMin || c.Verdicts.Items[0].ConversationID != "c00" {
		t.Errorf("changed verdicts: %+v", c.Verdicts)
	}
	if !strings.Contains(c.Summary[1], "both runs made 6 calls, run A 5 more and run B 6 more") {
		t.Errorf("summary %q", c.Summary)
	}
}

// TestSameCallsDecideThemselves: where hardly a call is another one, the calls decide,
// and their reductions neither fail a gate nor cost it a correction.
func TestSameCallsDecideThemselves(t *testing.T) {
	var a, b []string
	for i := range 40 {
		a = append(a, "pppp")
		b = append(b, []string{"fffp", "pppp"}[min(1, i%4)])
	}
	c := compare(t, heldAs(calls(a...), nil), paired(heldAs(calls(b...), nil), report.CallPairs{Known: true, Same: 160}), measure.Config{})
	row := reducedRow(t, c, "", "")
	if !row.Decides || row.PassRate.Outcome() != "worse" || *row.PassRate.P.Value != *row.PassRate.PHolm.Value {
		t.Errorf("calls: %+v", row)
	}
	if reg := measure.Regressions(c, 0, false); reg.Passed || len(reg.Results) != 1 || reg.Results[0].Reduced != "" {
		t.Errorf("regressions %+v", reg)
	}
	for _, s := range c.Summary {
		if strings.Contains(s, "other calls") || strings.Contains(s, "every call") {
			t.Errorf("the summary says %q", s)
		}
	}
}

// TestOtherCallsDecideByConversation: where no call is in both runs there is no pair of
// calls, and what the conversations came to fails the gates.
func TestOtherCallsDecideByConversation(t *testing.T) {
	var a, b []string
	for range 30 {
		a, b = append(a, "pp"), append(b, "ffpp")
	}
	none := func(_ string, i int) int { return 100 + i }
	c := compare(t, heldAs(calls(a...), nil), paired(heldAs(calls(b...), none), report.CallPairs{Known: true, OnlyA: 60, OnlyB: 120, Unpaired: 1}), measure.Config{})
	if row := reducedRow(t, c, "", ""); row.PassRate.N != 0 {
		t.Errorf("calls without a partner were paired: %+v", row)
	}
	d := measure.Regressions(c, 0, false)
	if d.Passed || len(d.Results) != 2 || !strings.Contains(d.Results[0].Line, "overall by j, mean of calls: 1.00 to 0.50") || d.Results[1].Reduced != report.ReduceMin {
		t.Errorf("decision %+v", d)
	}
	drop := 5.0
	d = measure.DecideGates([]measure.Gate{{Score: "overall", Judge: "j", MaxDrop: &drop, Against: "a"}}, &report.Report{}, map[string]*report.Comparison{"a": c})
	if d.Passed || len(d.Results) != 2 || d.Results[0].Level != report.ConversationLevel {
		t.Errorf("max_drop %+v", d.Results)
	}
}

// TestNoVarianceIsNoCertainty: what never changed in n conversations may still change in
// some, and no interval is a point.
func TestNoVarianceIsNoCertainty(t *testing.T) {
	for _, n := range []int{2, 5, 60} {
		same := make([]string, n)
		for i := range same {
			same[i] = []string{"pf", "pp"}[i%2]
		}
		c := compare(t, inputsOf(calls(same...)), inputsOf(calls(same...)), measure.Config{})
		for _, r := range c.Rows {
			// The exact upper bound for none of n.
			most := 1 - math.Pow(0.025, 1/float64(n))
			d := r.PassRate.Delta
			if d.Low == nil || !(math.Abs(*d.High-most) <= 1e-6) || *d.Low != -*d.High || d.Reason != "zero_variance" {
				t.Errorf("n = %d, %s: difference %v %s", n, words.ChangeLabel(&r), d, d.Reason)
			}
			if m := r.Mean.Delta; m.HasInterval() || m.Value == nil {
				t.Errorf("n = %d, %s: difference of means %v", n, words.ChangeLabel(&r), m)
			}
		}
	}
	// All of them broke: that is a change, but no interval of width 0.
	c := compare(t, inputsOf(calls("p", "p", "p", "p", "p", "p", "p", "p")), inputsOf(calls("f", "f", "f", "f", "f", "f", "f", "f")), measure.Config{})
	for _, r := range c.Rows {
		for _, e := range []report.Estimate{r.PassRate.Delta, r.Mean.Delta, r.Mean.A, r.Mean.B, r.PassRate.A, r.PassRate.B} {
			if e.HasInterval() && *e.Low == *e.High {
				t.Errorf("%s: %v", words.ChangeLabel(&r), e)
			}
		}
		if r.PassRate.Outcome() != "worse" {
			t.Errorf("%s is %s", words.ChangeLabel(&r), r.PassRate.Outcome())
		}
	}
}
