package gate

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// Regressions decides whether run B may take the place of run A. It fails for
// every score that got worse by more than noise and by at least minEffect (a share
// of the pass rate, or units of a score without verdicts), with tools also for
// every tool by itself; and it fails when there is nothing to compare, since silence
// must not pass.
func Regressions(c *report.Comparison, minEffect float64, tools bool) Decision {
	d := Decision{Results: []report.GateResult{}, Passed: true, ExitCode: ExitPassed}
	fail := func(g report.GateResult) {
		d.Passed, d.ExitCode = false, ExitGateFailed
		g.Measure, g.Bound = "regression", minEffect
		d.Results = append(d.Results, g)
	}
	compared := 0
	for _, r := range c.Rows {
		if r.Decides && r.Tool == "" && r.Primary().N > 0 && r.Primary().PHolm.Defined() {
			compared++
		}
	}
	if compared == 0 {
		fail(report.GateResult{Reason: notMeasured, Line: "FAIL  nothing to compare: no score has items in both runs"})
		return d
	}
	for _, r := range c.Regressions(minEffect, tools) {
		ch := r.Primary()
		name := r.Words()
		if r.Tool != "" {
			name += " on " + report.Clip(r.Tool, 60)
		}
		fail(report.GateResult{
			Score: r.Title(), Judge: r.Judge, Level: r.Level, Reduced: r.Reduced, Tool: r.Tool, Got: ch.Delta, N: ch.N,
			Line: fmt.Sprintf("FAIL  %s: %s to %s, difference %s, p %s after correction, n = %d", name,
				fixed(ch.A), fixed(ch.B), r.Difference(), pOf(ch), ch.N),
		})
	}
	if d.Passed {
		d.Results = append(d.Results, report.GateResult{
			Measure: "regression", Bound: minEffect, Passed: true, N: compared,
			Line: fmt.Sprintf("pass  no regression beyond noise in %s", document.Count(compared, "score", "scores")),
		})
	}
	return d
}

func pOf(ch report.Change) string {
	if ch.PHolm.Value == nil {
		return "undefined"
	}
	return document.P(ch.PHolm.Value)
}
