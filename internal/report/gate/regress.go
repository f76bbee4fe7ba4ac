package gate

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// Regressions decides whether run B may take the place of run A. It fails for
// every score that got worse by more than noise and by at least minEffect (a share
// of the pass rate, or units of a score without verdicts), with tools also for
// every tool by itself; and it fails when there is nothing to
// compare.
func Regressions(c *report.Comparison, minEffect float64, tools bool) Decision {
	d := Decision{Results: []report.GateResult{}, Passed: true}
	result := report.GateResult{Measure: "regression", Bound: minEffect}
	compared := 0
	for _, r := range c.Rows {
		if r.Decides && r.Tool == "" && r.Primary().N > 0 && r.Primary().PHolm.Defined() {
			compared++
		}
	}
	if compared == 0 {
		result.Reason, result.Line = notMeasured, "FAIL  nothing to compare: no score has items in both runs"
		d.add(result)
		return d
	}
	for _, r := range c.Regressions(minEffect, tools) {
		ch, one := r.Primary(), result
		name := r.Words()
		if r.Tool != "" {
			name += " on " + document.Shorten(r.Tool, 60)
		}
		one.Score, one.Judge, one.Level, one.Reduced, one.Tool = r.Title(), r.Judge, r.Level, r.Reduced, r.Tool
		one.Got, one.N = ch.Delta, ch.N
		one.Line = fmt.Sprintf("FAIL  %s: %s to %s, difference %s, p %s after correction, n = %d",
			name, fixed(ch.A), fixed(ch.B), r.Difference(), document.P(ch.PHolm.Value), ch.N)
		d.add(one)
	}
	if d.Passed {
		result.Passed, result.N = true, compared
		result.Line = fmt.Sprintf("pass  no regression beyond noise in %s", document.Count(compared, "score", "scores"))
		d.add(result)
	}
	return d
}

func fixed(e report.Estimate) string {
	if e.Value == nil {
		return "undefined"
	}
	return document.Fixed(*e.Value, 2)
}
