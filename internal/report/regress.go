package report

import (
	"fmt"
	"math"
)

// DecideRegressions decides whether run B may take the place of run A. It fails for
// every score that got worse by more than noise and by at least minEffect (a share
// of the pass rate, or units of a score without verdicts), with tools also for
// every tool by itself; and it fails when there is nothing to compare, since silence
// must not pass.
func (c *Comparison) DecideRegressions(minEffect float64, tools bool) Decision {
	d := Decision{Results: []GateResult{}, Passed: true, ExitCode: ExitPassed}
	fail := func(g GateResult) {
		d.Passed, d.ExitCode = false, ExitGateFailed
		g.Measure, g.Bound = "regression", minEffect
		d.Results = append(d.Results, g)
	}
	compared := 0
	for _, r := range c.Rows {
		if r.Tool == "" && r.Primary().N > 0 && r.Primary().PHolm.Defined() {
			compared++
		}
	}
	if compared == 0 {
		fail(GateResult{Reason: "not_measured", Line: "FAIL  nothing to compare: no score has items in both runs"})
		return d
	}
	for _, r := range c.Regressions(minEffect, tools) {
		ch := r.Primary()
		name := instrumentWords(r.Instrument)
		if r.Tool != "" {
			name += " on " + clip(r.Tool, 60)
		}
		fail(GateResult{
			Score: r.Title(), Judge: r.Judge, Level: r.Level, Tool: r.Tool, Got: ch.Delta, N: ch.N,
			Line: fmt.Sprintf("FAIL  %s: %s to %s, difference %s, p %s after correction, n = %d", name,
				fixed(deref(ch.A.Value)), fixed(deref(ch.B.Value)), ch.Delta, pWords(ch.PHolm), ch.N),
		})
	}
	if d.Passed {
		d.Results = append(d.Results, GateResult{
			Measure: "regression", Bound: minEffect, Passed: true, N: compared,
			Line: fmt.Sprintf("pass  no regression beyond noise in %s", count(compared, "score", "scores")),
		})
	}
	return d
}

// sensitivity says in words which drop of a pass rate these items could have shown at
// all: no change found is worth little where only a landslide would have been seen.
func (c *Comparison) sensitivity() string {
	best, worst := math.Inf(1), math.Inf(-1)
	var bestName, worstName string
	rates := 0
	for _, r := range c.Rows {
		if r.Tool != "" || r.PassRate.N == 0 {
			continue
		}
		rates++
		v := r.PassRate.Detectable.Value
		if v == nil {
			continue
		}
		if *v < best {
			best, bestName = *v, instrumentWords(r.Instrument)
		}
		if *v > worst {
			worst, worstName = *v, instrumentWords(r.Instrument)
		}
	}
	switch {
	case rates == 0:
		return ""
	case bestName == "":
		return "Which drop these items could have shown cannot be said: no verdict varies between the runs."
	case bestName == worstName:
		return fmt.Sprintf("These items would have shown a true drop of %s from %s points on (80 %% power, before correction); a smaller one can hide.", bestName, fixed1(100*best))
	}
	return fmt.Sprintf("These items would have shown a true drop from %s points on in %s, the most sensitive score, and from %s points on in %s, the least (80 %% power, before correction); smaller ones can hide.",
		fixed1(100*best), bestName, fixed1(100*worst), worstName)
}

func fixed1(f float64) string { return fmt.Sprintf("%.1f", f) }
