package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// ranged returns an estimate with an interval.
func ranged(low, value, high float64) report.Estimate {
	return report.Estimate{Low: &low, Value: &value, High: &high}
}

func pointAt(value float64) report.Estimate { return report.Estimate{Value: &value} }

// briefly writes a gate's result in a line: what it is about, n, the number, and the decision with its reason.
func briefly(g report.GateResult) string {
	got := g.Got.Reason
	if g.Got.Value != nil {
		got = fmt.Sprintf("%g", *g.Got.Value)
	}
	line := fmt.Sprintf("%s|%s|%s|%s n %d: %s", g.Judge, g.Level, g.Reduced, g.Tool, g.N, got)
	if g.Reference != "" {
		line += " against " + g.Reference
	}
	if g.P != nil {
		line += fmt.Sprintf(", p %.3f of %d", *g.P, g.Tools)
	}
	return line + fmt.Sprintf(" %s %s", map[bool]string{true: "passes", false: "fails"}[g.Passed], g.Reason)
}

func checkGate(t *testing.T, g measure.Gate, r *report.Report, base map[string]*report.Comparison, want ...string) {
	t.Helper()
	var got []string
	passed := true
	d := measure.DecideGates([]measure.Gate{g}, r, base)
	for _, res := range d.Results {
		got, passed = append(got, briefly(res)), passed && res.Passed
	}
	if diff := cmp.Diff(want, got); diff != "" || d.Passed != passed {
		t.Errorf("the gate passes: %v (-want +got):\n%s", d.Passed, diff)
	}
}

// scored returns a report with one row of a judge's calls.
func scored(rate report.Estimate) *report.Report {
	return &report.Report{Alpha: 0.05, Scores: []report.ScoreRow{{
		Instrument: report.Instrument{Name: "overall", Judge: "j", Level: "call"}, N: 40, Judged: 30, Unscored: 6, Errors: 4,
		Mean: ranged(0.6, 0.7, 0.8), PassRate: rate,
		Categories: []report.CategoryShare{{Category: "a", Share: pointAt(0.1)}, {Category: "b", Share: rate}},
	}}}
}

// TestBoundsOfGates: the bound itself is kept, a number beyond it fails if the whole interval is beyond it, and
// without an interval only a strict gate fails.
func TestBoundsOfGates(t *testing.T) {
	for name, tt := range map[string]struct {
		rate report.Estimate
		gate measure.Gate
		want string
	}{
		"rate at the bound": {pointAt(0.9), measure.Gate{MinPassRate: new(0.9)}, "j|call|| n 30: 0.9 passes "},
		"above it":          {pointAt(0.91), measure.Gate{MinPassRate: new(0.9)}, "j|call|| n 30: 0.91 passes "},
		"interval ends at":  {ranged(0.5, 0.8, 0.9), measure.Gate{MinPassRate: new(0.9)}, "j|call|| n 30: 0.8 passes "},
		"interval ends below": {
			ranged(0.5, 0.8, 0.89), measure.Gate{MinPassRate: new(0.9)}, "j|call|| n 30: 0.8 fails ",
		},
		"no interval": {pointAt(0.8), measure.Gate{MinPassRate: new(0.9)}, "j|call|| n 30: 0.8 passes undecided"},
		"strict, no interval": {
			pointAt(0.8), measure.Gate{MinPassRate: new(0.9), Strict: true}, "j|call|| n 30: 0.8 fails ",
		},
		"strict": {
			ranged(0.5, 0.8, 0.95), measure.Gate{MinPassRate: new(0.9), Strict: true}, "j|call|| n 30: 0.8 fails ",
		},
		"no rate": {
			report.Estimate{Reason: "no_items"}, measure.Gate{MinPassRate: new(0.)},
			"j|call|| n 30: no_items fails not_measured",
		},
		"mean at the bound": {pointAt(0.1), measure.Gate{MinMean: new(0.7)}, "j|call|| n 40: 0.7 passes "},
		"mean below":        {pointAt(0.1), measure.Gate{MinMean: new(0.9)}, "j|call|| n 40: 0.7 fails "},
		"coverage":          {pointAt(0.1), measure.Gate{MinCoverage: new(0.8)}, "j|call|| n 50: 0.8 passes "},
		"coverage below":    {pointAt(0.1), measure.Gate{MinCoverage: new(0.81)}, "j|call|| n 50: 0.8 fails "},
		"share at the bound": {
			pointAt(0.2), measure.Gate{Category: "b", MaxRate: new(0.2)}, "j|call|| n 40: 0.2 passes ",
		},
		"share below": {pointAt(0.1), measure.Gate{Category: "b", MaxRate: new(0.2)}, "j|call|| n 40: 0.1 passes "},
		"share's interval from": {
			ranged(0.2, 0.3, 0.4), measure.Gate{Category: "b", MaxRate: new(0.2)}, "j|call|| n 40: 0.3 passes ",
		},
		"share's interval above": {
			ranged(0.21, 0.3, 0.4), measure.Gate{Category: "b", MaxRate: new(0.2)}, "j|call|| n 40: 0.3 fails ",
		},
		"share without interval": {
			pointAt(0.3), measure.Gate{Category: "b", MaxRate: new(0.2)}, "j|call|| n 40: 0.3 passes undecided",
		},
		"no such category": {
			pointAt(0.3), measure.Gate{Category: "c", MaxRate: new(0.2)},
			"j|call|| n 40: no_such_category fails not_measured",
		},
		"share of no such score": {
			pointAt(0.3), measure.Gate{Judge: "k", Category: "b", MaxRate: new(0.2)},
			"k||| n 0: no_such_judge fails not_measured",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.gate.Score = "overall"
			checkGate(t, tt.gate, scored(tt.rate), nil, tt.want)
		})
	}
}

// TestGatesChooseRows: a gate decides about the rows of its score, judge and tool, and says why there are none.
func TestGatesChooseRows(t *testing.T) {
	row := func(name, judge, level, purpose string) report.ScoreRow {
		in := report.Instrument{Name: name, Judge: judge, Level: level, Purpose: purpose}
		return report.ScoreRow{Instrument: in, N: 20, Judged: 20, PassRate: pointAt(0.9)}
	}
	tool := func(name string, n, missing int, of report.Instrument) report.ToolRow {
		one := report.ToolScore{Instrument: of, N: n, Missing: missing, PassRate: pointAt(0.9)}
		one.EffectiveN = pointAt(float64(n))
		return report.ToolRow{Tool: name, Scores: []report.ToolScore{one}}
	}
	free := report.Instrument{Name: "overall", Judge: "rules", Level: "call"}
	calls, whole := row("overall", "j", "call", ""), row("goal", "", "conversation", "")
	r := &report.Report{
		Run:   report.Run{Judges: []report.Judge{{Name: "j"}, {Name: "k"}, {Name: "rules", Baseline: true}}},
		Alpha: 0.05, Scores: []report.ScoreRow{calls, row("overall", "k", "call", ""), whole, row("style", "", "call", "qa")},
		ByTool: []report.ToolRow{tool("find", 20, 5, calls.Instrument), tool("pay", 0, 1, calls.Instrument),
			tool("send", 0, 0, calls.Instrument), tool("find", 20, 0, free)},
		ByToolConversations: []report.ToolRow{tool("find", 7, 0, whole.Instrument)},
		Probe: &report.Probe{Operators: []report.ProbeOperator{
			{Operator: "swap", Judge: "j", Found: report.Sampled{Estimate: pointAt(0.8), N: 12}},
			{Operator: "swap", Judge: "k", Found: report.Sampled{Estimate: ranged(0.1, 0.2, 0.3), N: 13}},
			{Operator: "drop", Judge: "j", Found: report.Sampled{Estimate: pointAt(0.9), N: 14}},
		}},
	}
	noTools := *r
	noTools.ByToolConversations = nil
	empty := *r
	empty.Scores = []report.ScoreRow{calls}
	empty.ByTool = nil
	blank := noTools
	blank.Scores = []report.ScoreRow{calls, row("one", "j", "call", ""), whole}
	blank.Scores[0].N, blank.Scores[1].N, blank.Scores[2].N = 0, 1, 0
	for name, tt := range map[string]struct {
		r    *report.Report
		gate measure.Gate
		want []string
	}{
		"every judge": {r, measure.Gate{Score: "overall", MinPassRate: new(0.5)},
			[]string{"j|call|| n 20: 0.9 passes ", "k|call|| n 20: 0.9 passes "}},
		"one judge": {r, measure.Gate{Score: "overall", Judge: "k", MinPassRate: new(0.5)},
			[]string{"k|call|| n 20: 0.9 passes "}},
		"by tool": {r, measure.Gate{Score: "overall", By: "tool", MinPassRate: new(0.5)},
			[]string{"j|call||find n 20: 0.9 passes ", "rules|call||find n 20: 0.9 fails baseline_judge"}},
		"coverage by tool": {r, measure.Gate{Score: "overall", Judge: "j", By: "tool", MinCoverage: new(0.8)},
			[]string{"j|call||find n 25: 0.8 passes ", "j|call||pay n 1: 0 fails "}},
		"coverage of nothing": {&blank, measure.Gate{Score: "overall", MinCoverage: new(0.)},
			[]string{"j|call|| n 0: no_items fails not_measured"}},
		"coverage of one": {&blank, measure.Gate{Score: "one", MinCoverage: new(1.)}, []string{"j|call|| n 1: 1 passes "}},
		"one tool": {r, measure.Gate{Score: "overall", By: "tool", Tool: "pay", MinCoverage: new(0.)},
			[]string{"j|call||pay n 1: 0 passes "}},
		"conversations by tool": {r, measure.Gate{Score: "goal", By: "tool", MinPassRate: new(0.5)},
			[]string{"|conversation||find n 7: 0.9 passes "}},
		"qa": {r, measure.Gate{Score: "style", MinPassRate: new(0.)}, []string{"||| n 0: qa fails not_measured"}},
		"no score": {r, measure.Gate{Score: "x", MinPassRate: new(0.)},
			[]string{"||| n 0: no_such_score fails not_measured"}},
		"no judge": {r, measure.Gate{Score: "overall", Judge: "x", MinPassRate: new(0.)},
			[]string{"x||| n 0: no_such_judge fails not_measured"}},
		"no tool": {r, measure.Gate{Score: "overall", By: "tool", Tool: "x", MinPassRate: new(0.)},
			[]string{"|||x n 0: no_such_tool fails not_measured"}},
		"no calls": {&noTools, measure.Gate{Score: "goal", By: "tool", MinPassRate: new(0.)},
			[]string{"||| n 0: no_calls fails not_measured"}},
		"no tool of a judge": {r, measure.Gate{Score: "overall", Judge: "j", By: "tool", Tool: "x", MinPassRate: new(0.)},
			[]string{"j|||x n 0: no_such_tool fails not_measured"}},
		"no tool, and no conversations by tool": {&noTools,
			measure.Gate{Score: "overall", By: "tool", Tool: "x", MinPassRate: new(0.)},
			[]string{"|||x n 0: no_such_tool fails not_measured"}},
		"no tool of conversations": {r, measure.Gate{Score: "goal", By: "tool", Tool: "x", MinPassRate: new(0.)},
			[]string{"|||x n 0: no_such_tool fails not_measured"}},
		"no conversations": {&blank, measure.Gate{Score: "goal", By: "tool", MinPassRate: new(0.)},
			[]string{"||| n 0: no_items fails not_measured"}},
		"no kappa": {r, measure.Gate{Score: "overall", MinKappa: new(0.)}, []string{"||| n 0: no_items fails not_measured"}},
		"no kappa with a score": {r, measure.Gate{Score: "overall", Reference: "goal", MinKappa: new(0.)},
			[]string{"||| n 0: no_items fails not_measured"}},
		"no kappa with what is not there": {r, measure.Gate{Score: "overall", Reference: "gold", MinKappa: new(0.)},
			[]string{"||| n 0: no_such_reference fails not_measured"}},
		"no kappa of conversations": {&noTools, measure.Gate{Score: "goal", By: "tool", MinKappa: new(0.)},
			[]string{"||| n 0: no_items fails not_measured"}},
		"no items": {&empty, measure.Gate{Score: "overall", By: "tool", MinPassRate: new(0.)},
			[]string{"||| n 0: no_items fails not_measured"}},
		"probe": {r, measure.Gate{Probe: "swap", MinFound: new(0.8)},
			[]string{"j|call|| n 12: 0.8 passes ", "k|call|| n 13: 0.2 fails "}},
		"probe of a judge": {r, measure.Gate{Probe: "swap", Judge: "j", MinFound: new(0.9)},
			[]string{"j|call|| n 12: 0.8 passes undecided"}},
		"no probe": {r, measure.Gate{Probe: "x", MinFound: new(0.)}, []string{"||| n 0: no_such_score fails not_measured"}},
		"nothing planted": {&report.Report{}, measure.Gate{Probe: "swap", MinFound: new(0.)},
			[]string{"||| n 0: no_such_score fails not_measured"}},
	} {
		t.Run(name, func(t *testing.T) { checkGate(t, tt.gate, tt.r, nil, tt.want...) })
	}
}

// droppedBy returns a row whose pass rate dropped by so many points, 8 less or more.
func droppedBy(points float64, change func(*report.ChangeRow)) report.ChangeRow {
	row := report.ChangeRow{
		Instrument: report.Instrument{Name: "overall", Judge: "j", Level: "call"}, Decides: true, Conversations: 20,
		PassRate: report.Change{N: 50, Freedom: 19, Delta: ranged(-points/100-0.08, -points/100, -points/100+0.08)},
	}
	if change != nil {
		change(&row)
	}
	return row
}

// TestDropsAgainstTheBaseline: a row fails if the lower end of its drop is beyond the bound, which is p < alpha.
func TestDropsAgainstTheBaseline(t *testing.T) {
	onTool := func(name string, n int) func(*report.ChangeRow) {
		return func(r *report.ChangeRow) { r.Tool, r.PassRate.N = name, n }
	}
	for name, tt := range map[string]struct {
		rows []report.ChangeRow
		gate measure.Gate
		want []string
	}{
		"the drop is the bound": {[]report.ChangeRow{droppedBy(10, nil)}, measure.Gate{MaxDrop: new(10.)},
			[]string{"j|call|| n 50: 10 passes "}},
		"its lower end is below": {[]report.ChangeRow{droppedBy(10, nil)}, measure.Gate{MaxDrop: new(2.1)},
			[]string{"j|call|| n 50: 10, p 0.053 of 0 passes "}},
		"its lower end is beyond": {[]report.ChangeRow{droppedBy(10, nil)}, measure.Gate{MaxDrop: new(1.9)},
			[]string{"j|call|| n 50: 10, p 0.047 of 0 fails "}},
		"strict": {[]report.ChangeRow{droppedBy(10, nil)}, measure.Gate{MaxDrop: new(9.), Strict: true},
			[]string{"j|call|| n 50: 10 fails "}},
		"a rise": {[]report.ChangeRow{droppedBy(-10, nil)}, measure.Gate{MaxDrop: new(0.)},
			[]string{"j|call|| n 50: -10 passes "}},
		"one conversation": {[]report.ChangeRow{droppedBy(10, func(r *report.ChangeRow) { r.Conversations = 1 })},
			measure.Gate{MaxDrop: new(1.)}, []string{"j|call|| n 50: 10 passes undecided"}},
		"no interval, the test of the change": {[]report.ChangeRow{droppedBy(10, func(r *report.ChangeRow) {
			r.PassRate.Delta, r.PassRate.P = pointAt(-0.1), pointAt(0.05)
		})}, measure.Gate{MaxDrop: new(1.)}, []string{"j|call|| n 50: 10, p 0.050 of 0 fails "}},
		"all items changed alike": {[]report.ChangeRow{droppedBy(100, func(r *report.ChangeRow) {
			r.PassRate.Delta, r.PassRate.P = ranged(-1, -1, -1), pointAt(0.06)
		})}, measure.Gate{MaxDrop: new(1.)}, []string{"j|call|| n 50: 100, p 0.060 of 0 passes "}},
		"under the name of run B's judge": {[]report.ChangeRow{droppedBy(1, func(r *report.ChangeRow) {
			r.JudgeB = "k"
		})}, measure.Gate{Judge: "k", MaxDrop: new(5.)}, []string{"k|call|| n 50: 1 passes "}},
		"rows that do not decide": {[]report.ChangeRow{droppedBy(50, func(r *report.ChangeRow) { r.Decides = false }),
			droppedBy(1, func(r *report.ChangeRow) { r.Reduced = "mean" })}, measure.Gate{MaxDrop: new(5.)},
			[]string{"j|call|mean| n 50: 1 passes "}},
		"rows of tools do not count for all": {[]report.ChangeRow{droppedBy(1, nil), droppedBy(50, onTool("pay", 9))},
			measure.Gate{MaxDrop: new(5.)}, []string{"j|call|| n 50: 1 passes "}},
		// 10 with the lower end at 2 has p 0.0474 for a bound of 1.9: twice that with two tools. The tool without
		// calls is left out.
		"two tools": {[]report.ChangeRow{droppedBy(50, nil), droppedBy(10, onTool("find", 9)), droppedBy(9, onTool("pay", 8)),
			droppedBy(90, onTool("send", 0))}, measure.Gate{By: "tool", MaxDrop: new(1.9)},
			[]string{"j|call||find n 9: 10, p 0.095 of 2 passes ", "j|call||pay n 8: 9, p 0.095 of 2 passes "}},
		"one of two tools": {[]report.ChangeRow{droppedBy(10, onTool("find", 9)), droppedBy(9, onTool("pay", 8))},
			measure.Gate{By: "tool", Tool: "pay", MaxDrop: new(0.5)}, []string{"j|call||pay n 8: 9, p 0.038 of 1 fails "}},
		// Two judges are two families: neither is corrected for the other's tools.
		"two judges": {[]report.ChangeRow{droppedBy(10, onTool("pay", 9)),
			droppedBy(10, func(r *report.ChangeRow) { r.Tool, r.Judge = "pay", "k" })},
			measure.Gate{By: "tool", MaxDrop: new(1.9)},
			[]string{"j|call||pay n 9: 10, p 0.047 of 1 fails ", "k|call||pay n 50: 10, p 0.047 of 1 fails "}},
		"beyond all points": {[]report.ChangeRow{droppedBy(10, func(r *report.ChangeRow) {
			r.PassRate.Delta = ranged(-1.2, -1, -0.8)
		})}, measure.Gate{MaxDrop: new(0.)}, []string{"j|call|| n 50: 100, p 0.000 of 0 fails "}},
		"a rise of all points": {[]report.ChangeRow{droppedBy(10, func(r *report.ChangeRow) {
			r.PassRate.Delta = pointAt(1)
		})}, measure.Gate{MaxDrop: new(0.)}, []string{"j|call|| n 50: -100 passes "}},
		"no item in common": {[]report.ChangeRow{droppedBy(10, func(r *report.ChangeRow) {
			r.PassRate = report.Change{Delta: report.Estimate{Reason: "no_items"}}
		})}, measure.Gate{MaxDrop: new(0.)}, []string{"j|call|| n 0: no_items fails not_measured"}},
		"calls and conversations of a tool are two families": {[]report.ChangeRow{droppedBy(10, onTool("pay", 9)),
			droppedBy(10, func(r *report.ChangeRow) { r.Tool, r.Level = "pay", "conversation" })},
			measure.Gate{By: "tool", MaxDrop: new(1.9)},
			[]string{"j|call||pay n 9: 10, p 0.047 of 1 fails ", "j|conversation||pay n 50: 10, p 0.047 of 1 fails "}},
		"and so are two reductions": {[]report.ChangeRow{droppedBy(10, onTool("pay", 9)),
			droppedBy(10, func(r *report.ChangeRow) { r.Tool, r.Reduced = "pay", "mean" })},
			measure.Gate{By: "tool", MaxDrop: new(1.9)},
			[]string{"j|call||pay n 9: 10, p 0.047 of 1 fails ", "j|call|mean|pay n 50: 10, p 0.047 of 1 fails "}},
		"a tool whose calls are all the same": {[]report.ChangeRow{droppedBy(10, onTool("find", 9)),
			droppedBy(10, func(r *report.ChangeRow) {
				r.Tool, r.PassRate.Constant, r.PassRate.Delta = "pay", true, pointAt(0)
			})}, measure.Gate{By: "tool", MaxDrop: new(1.9)},
			[]string{"j|call||find n 9: 10, p 0.047 of 1 fails ", "j|call||pay n 50: 0 passes "}},
		"nothing of the judge": {[]report.ChangeRow{droppedBy(10, nil)}, measure.Gate{Judge: "x", MaxDrop: new(0.)},
			[]string{"x||| n 0: no_such_score fails not_measured"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.gate.Score, tt.gate.Against = "overall", "base"
			c := &report.Comparison{Alpha: 0.05, Rows: tt.rows}
			base := map[string]*report.Comparison{"base": c}
			checkGate(t, tt.gate, &report.Report{Alpha: 0.05}, base, tt.want...)
			for _, res := range measure.DecideGates([]measure.Gate{tt.gate}, &report.Report{Alpha: 0.05}, base).Results {
				if res.Against != "base" {
					t.Errorf("compared with %q", res.Against)
				}
			}
		})
	}
}
