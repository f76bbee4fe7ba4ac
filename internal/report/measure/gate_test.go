package measure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
)

func ptrGate[T any](v T) *T { return &v }

func build(t testing.TB, in report.Inputs) *report.Report {
	t.Helper()
	r, err := measure.Build(in, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func gateCompare(t testing.TB, a, b report.Inputs) *report.Comparison {
	t.Helper()
	c, err := measure.Compare(a, b, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGates(t *testing.T) {
	run := reporttest.New(1, 80)
	worse := run.Worse("function_call_accuracy", 0.2, 1)
	r := build(t, worse.Inputs())
	base := map[string]*report.Comparison{"runs/base": gateCompare(t, run.Inputs(), worse.Inputs())}
	rate := *r.Scores[slices.IndexFunc(r.Scores, func(s report.ScoreRow) bool { return s.Name == "function_call_accuracy" })].PassRate.Value
	cases := map[string]struct {
		gate   measure.Gate
		passed bool
		reason string
	}{
		"clearly above":               {measure.Gate{Score: "function_call_accuracy", MinPassRate: ptrGate(0.3)}, true, ""},
		"clearly below":               {measure.Gate{Score: "function_call_accuracy", MinPassRate: ptrGate(0.99)}, false, ""},
		"a little below: data unsure": {measure.Gate{Score: "function_call_accuracy", MinPassRate: ptrGate(rate + 0.01)}, true, ""},
		"a little below, strict":      {measure.Gate{Score: "function_call_accuracy", MinPassRate: ptrGate(rate + 0.01), Strict: true}, false, ""},
		"no such score":               {measure.Gate{Score: "nothing", MinPassRate: ptrGate(0.0)}, false, "not_measured"},
		"mean":                        {measure.Gate{Score: "function_intent_alignment", Judge: "judge-a", MinMean: ptrGate(3.0)}, true, ""},
		"coverage is counted":         {measure.Gate{Score: "overall_call_correctness", Judge: "judge-a", MinCoverage: ptrGate(1.0)}, false, ""},
		"free baseline never passes":  {measure.Gate{Score: "overall_call_correctness", Judge: "baseline-rules", MinPassRate: ptrGate(0.0)}, false, "baseline_judge"},
		"kappa on the label":          {measure.Gate{Score: "overall_call_correctness", Judge: "judge-a", MinKappa: ptrGate(0.2)}, true, ""},
		"drop too large":              {measure.Gate{Score: "function_call_accuracy", MaxDrop: ptrGate(1.0), Against: "runs/base"}, false, ""},
		"drop allowed":                {measure.Gate{Score: "function_call_accuracy", MaxDrop: ptrGate(60.0), Against: "runs/base"}, true, ""},
		"no drop":                     {measure.Gate{Score: "schema_check", MaxDrop: ptrGate(0.0), Against: "runs/base"}, true, ""},
		"no baseline":                 {measure.Gate{Score: "schema_check", MaxDrop: ptrGate(5.0), Against: "runs/gone"}, false, "no_baseline"},
	}
	for name, c := range cases {
		d := measure.DecideGates([]measure.Gate{c.gate}, r, base)
		if len(d.Results) != 1 {
			t.Errorf("%s: %d results", name, len(d.Results))
			continue
		}
		res := d.Results[0]
		wantExit := map[bool]int{true: 0, false: 100}[c.passed]
		if res.Passed != c.passed || d.Passed != c.passed || d.ExitCode != wantExit || res.Reason != c.reason || strings.HasPrefix(res.Line, "pass") != c.passed {
			t.Errorf("%s: passed %v, exit %d, reason %q, line %q", name, res.Passed, d.ExitCode, res.Reason, res.Line)
		}
	}
	byTool := measure.DecideGates([]measure.Gate{{Score: "function_call_accuracy", By: "tool", MinPassRate: ptrGate(0.0), MaxDrop: ptrGate(100.0), Against: "runs/base"}}, r, base)
	if len(byTool.Results) != 10 || !byTool.Passed {
		t.Errorf("by tool: %d results, passed %v; want 5 tools twice", len(byTool.Results), byTool.Passed)
	}
	// Asked for by name, the baseline counts like any other judge.
	run.Manifest.Judges[1].Asked = true
	asked := build(t, run.Inputs())
	if d := measure.DecideGates([]measure.Gate{{Score: "overall_call_correctness", Judge: "baseline-rules", MinPassRate: ptrGate(0.0)}}, asked, nil); !d.Passed {
		t.Errorf("an asked-for baseline: %+v", d.Results)
	}
}

func TestKappaGateLeavesSharedRulesOut(t *testing.T) {
	run := reporttest.New(3, 40)
	for i := range run.Manifest.Judges {
		run.Manifest.Judges[i].CircularWith, run.Manifest.Judges[i].SharesRules = nil, nil
	}
	run.Manifest.Judges[1].SharesRules = []string{"schema_check", "three_layer.schema_ok"}
	r := build(t, run.Inputs())
	least := 0.0
	for _, g := range measure.DecideGates([]measure.Gate{{Score: "overall_call_correctness", MinKappa: &least}}, r, nil).Results {
		if g.Judge == "baseline-rules" && g.Reference == "schema_check" {
			t.Error("a gate on kappa counts a reference whose rules the judge applies")
		}
	}
}

// TestGateOnBadP: a p-value above 1 fails the decision; it is not left out of the correction.
func TestGateOnBadP(t *testing.T) {
	row := report.ChangeRow{Instrument: report.Instrument{Name: "s"}, Decides: true, Conversations: 9, PassRate: report.Change{
		N: 9, Delta: report.Estimate{Value: ptrGate(-0.5)}, P: report.Estimate{Value: ptrGate(7.0)}}}
	c := &report.Comparison{Alpha: 0.05, Rows: []report.ChangeRow{row}}
	d := measure.DecideGates([]measure.Gate{{Score: "s", MaxDrop: ptrGate(1.0), Against: "a"}}, &report.Report{}, map[string]*report.Comparison{"a": c})
	if d.Passed || !strings.Contains(d.Results[len(d.Results)-1].Line, "p 1 must be in 0..1") {
		t.Errorf("%+v", d)
	}
	if d := measure.Regressions(c, 0.1, false); d.Passed || !strings.Contains(d.Results[0].Line, "must be in 0..1") {
		t.Errorf("%+v", d)
	}
}
