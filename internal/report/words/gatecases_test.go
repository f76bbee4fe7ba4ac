package words_test

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func gateCases() []written {
	known := &report.Report{
		Scores: []report.ScoreRow{
			{Instrument: report.Instrument{Source: "judge", Name: "overall", Judge: "judge-a", Level: "call"}},
			{Instrument: report.Instrument{Source: "judge", Name: "polite", Judge: "judge-a", Level: "call", Purpose: "qa"}},
			{Instrument: report.Instrument{Source: "deterministic", Name: "bfcl", Metric: "executable", Level: "call"}},
		},
		ByTool:              []report.ToolRow{{Tool: "refund"}},
		ByToolConversations: []report.ToolRow{{Tool: "cancel_order"}},
	}
	lines := func(list []report.GateResult) (out []string) {
		for _, g := range list {
			out = append(out, words.GateLine(g, known))
		}
		return out
	}
	var names []string
	for _, g := range decidedGates() {
		names = append(names, words.GateName(g))
	}
	return []written{
		{"Gates that numbers decide", lines(decidedGates())},
		{"The names of these gates", names},
		{"Gates without a number", lines(undecidedGates())},
		{"Gates can be about", words.GateTitles(known)},
		{"Regressions", regressionCases()},
	}
}

func decidedGates() []report.GateResult {
	return []report.GateResult{
		{Score: "overall", Judge: "judge-a", Level: "call", Measure: "min_pass_rate", Bound: 0.8, N: 120, Passed: true,
			Got: est(0.91, 0.85, 0.95)},
		{Score: "overall", Level: "call", Tool: "refund", Measure: "min_pass_rate", Bound: 0.8, N: 120, Strict: true,
			Got: est(0.79, 0.7, 0.9)},
		{Score: "overall", Level: "call", Tool: "refund", Measure: "min_pass_rate", Bound: 0.8, N: 40, P: new(0.0123),
			Tools: 2, Got: est(0.5, 0.3, 0.7)},
		{Score: "overall", Level: "call", Measure: "min_pass_rate", Bound: 0.8, N: 40, P: new(0.0123), Tools: 1,
			Got: est(0.5, 0.3, 0.7)},
		{Score: "solved", Level: "conversation", Tool: "refund", Measure: "min_coverage", Bound: 0.95, N: 9, Passed: true,
			Got: point(1, "zero_variance")},
		{Score: "overall", Level: "conversation", Reduced: "mean", Tool: "refund", Measure: "min_mean", Bound: 3.5, N: 9,
			Got: est(3.25)},
		{Score: "overall", Level: "conversation", Reduced: "min", Measure: "min_kappa", Bound: 0.6, N: 9,
			Reference: "human", Got: est(0.7, 0.5, 0.9), Passed: true},
		{Score: "overall", Judge: "judge-a", Measure: "min_found", Bound: 0.9, N: 12, Reference: "human", Got: est(0.75)},
		{Score: "tone", Category: "rude", Measure: "max_rate", Bound: 0.05, N: 200, Got: est(0.1, 0.06, 0.15)},
		{Score: "overall", Measure: "max_drop", Bound: 2, N: 50, Passed: true, Got: est(1.5, -1, 4)},
	}
}

func undecidedGates() []report.GateResult {
	unmeasured := func(reason, score, tool, measure string) report.GateResult {
		return report.GateResult{Score: score, Tool: tool, Measure: measure, Level: "call", Reason: "not_measured",
			Got: none(reason)}
	}
	return []report.GateResult{
		unmeasured("no_such_score", "overal", "", "min_mean"),
		unmeasured("no_such_score", "polit", "", "min_mean"), // a score of quality assurance is not meant
		unmeasured("no_such_score", "bfcl.executible", "", "min_mean"),
		unmeasured("no_such_score", "overal", "", "max_drop"),
		unmeasured("no_such_tool", "overall", "refnd", "min_mean"),
		unmeasured("no_such_tool", "overall", "cancel_ordr", "min_mean"),
		unmeasured("no_such_tool", "overall", "weather", "min_mean"),
		unmeasured("no_items", "overall", "", "max_drop"),
		unmeasured("no_items", "overall", "", "min_mean"),
		unmeasured("circular", "overall", "", "min_kappa"),
		unmeasured("shared_rules", "overall", "", "min_kappa"),
		unmeasured("no_such_reference", "overall", "", "min_kappa"),
		unmeasured("by_conversation", "overall", "", "min_kappa"),
		unmeasured("no_gold", "overall", "", "min_kappa"),
		unmeasured("no_such_judge", "overall", "", "min_mean"),
		unmeasured("no_calls", "solved", "refund", "min_mean"),
		unmeasured("no_such_category", "tone", "", "max_rate"),
		unmeasured("qa", "polite", "", "min_mean"),
		{Score: "overall", Measure: "min_mean", Reason: "baseline_judge"},
		{Score: "overall", Measure: "max_drop", Reason: "no_baseline", Against: "runs/main"},
		{Score: "overall", Measure: "min_mean", Bound: 3, N: 1, Reason: "undecided", Passed: true,
			Got: point(2, "one_cluster")},
		{Score: "overall", Measure: "min_mean", Bound: 3, N: 1, Reason: "undecided", Passed: true, Got: est(2)},
	}
}

// regressionCases are the lines of judge compare --fail-on-regression, and of --min-effect.
func regressionCases() []string {
	row := func(judge, tool string, rates int, youden ...float64) report.ChangeRow {
		ch := report.Change{N: 40, A: est(0.8), B: est(0.6), Delta: est(-0.2, -0.3, -0.1), Detectable: est(0.1)}
		r := report.ChangeRow{Instrument: report.Instrument{Source: "judge", Name: "overall", Judge: judge, Level: "call"},
			Tool: tool, Mean: ch}
		if rates > 0 {
			r.PassRate = ch
		}
		if youden != nil {
			r.Youden, r.ByYouden = new(est(0.5, 0.4, 0.8)), new(est(youden[0], youden[1:]...))
		}
		return r
	}
	judged, divided := row("judge-a", "", 40), row("judge-a", "refund", 40, -0.4, -0.6, -0.2)
	mean, scorer, few := row("judge-a", "", 0), row("", "refund", 40), row("judge-a", "", 40, -0.4)
	gone := judged
	gone.PassRate.A, gone.PassRate.B = none("no_items"), none("no_items")
	return []string{
		words.RegressionLine(&judged, new(0.0004), 0),
		words.RegressionLine(&divided, new(0.004), 0),
		words.RegressionLine(&divided, new(0.004), 0.05),
		words.RegressionLine(&judged, new(0.004), 0.05),
		words.RegressionLine(&mean, new(0.004), 0.05),
		words.RegressionLine(&scorer, new(0.004), 0.05),
		words.RegressionLine(&few, new(0.004), 0.05),
		words.RegressionLine(&gone, nil, 0),
		words.BesidesLine(&scorer),
		words.NoRegressionLine([]report.ChangeRow{judged}, 0),
		words.NoRegressionLine([]report.ChangeRow{judged, divided}, 0),
		words.NoRegressionLine([]report.ChangeRow{judged, divided}, 0.05),
		words.NoRegressionLine([]report.ChangeRow{judged}, 0.05),
		words.NoRegressionLine([]report.ChangeRow{divided}, 0.05),
		words.NothingToCompareLine,
	}
}
