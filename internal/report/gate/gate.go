// Package gate decides conditions on a report and on a comparison: one function makes
// the decision, the line that is printed, and the exit code.
//
// It promises that a gate never passes in silence: where nothing was measured it fails
// and says so.
package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// The exit codes that a decision can come to.
const (
	ExitPassed     = 0
	ExitGateFailed = 100
)

// Gate is one condition on a report. Nil fields ask nothing; each field that asks
// is decided on its own.
type Gate struct {
	// Score is the name of a rubric, scorer or label, with ".metric" where one is
	// meant.
	Score string
	// Judge narrows the gate to one judge, "" for every judge that gave the score.
	Judge string
	// By is "" for all calls together, or "tool" for every tool by itself.
	By string
	// Against names the baseline run of MaxDrop.
	Against string
	// MinPassRate, MinMean, MinKappa and MinCoverage are in the units of the report.
	MinPassRate, MinMean, MinKappa, MinCoverage *float64
	// MaxDrop is in percentage points of the pass rate against the baseline.
	MaxDrop *float64
	// Strict fails on the point; without it a gate fails only when the interval
	// says so, which is when its better end misses the bound.
	Strict bool
}

// Decision is what all gates came to: the results in the order of the gates, and
// the exit code.
type Decision struct {
	Results  []report.GateResult
	Passed   bool
	ExitCode int
}

// Decide decides every gate. baselines holds, by the name that Gate.Against gives,
// the comparison of the baseline run (A) with this run (B). A gate that finds
// nothing to measure fails: silence must not pass. So does a gate on the scores of
// a built-in baseline judge that nobody asked for by name.
func Decide(gates []Gate, r *report.Report, baselines map[string]*report.Comparison) Decision {
	d := Decision{Results: []report.GateResult{}, Passed: true, ExitCode: ExitPassed}
	for _, g := range gates {
		for _, res := range g.decide(r, baselines) {
			res.Line = line(res)
			if !res.Passed {
				d.Passed, d.ExitCode = false, ExitGateFailed
			}
			d.Results = append(d.Results, res)
		}
	}
	return d
}

func (g Gate) decide(r *report.Report, baselines map[string]*report.Comparison) []report.GateResult {
	var out []report.GateResult
	if g.MinPassRate != nil {
		out = append(out, g.onRates(r, "min_pass_rate", *g.MinPassRate, func(s report.ScoreRow) (report.Estimate, int) { return s.PassRate, s.Judged },
			func(t report.ToolScore) report.Estimate { return t.PassRate })...)
	}
	if g.MinMean != nil {
		out = append(out, g.onRates(r, "min_mean", *g.MinMean, func(s report.ScoreRow) (report.Estimate, int) { return s.Mean, s.N },
			func(t report.ToolScore) report.Estimate { return t.Mean })...)
	}
	if g.MinCoverage != nil {
		out = append(out, g.onCoverage(r)...)
	}
	if g.MinKappa != nil {
		out = append(out, g.onKappa(r)...)
	}
	if g.MaxDrop != nil {
		out = append(out, g.onDrop(r, baselines)...)
	}
	return out
}

func (g Gate) concerns(title, judge, purpose string) bool {
	return title == g.Score && purpose != "qa" && (g.Judge == "" || judge == g.Judge)
}

// floor decides got >= bound; the better end of the interval decides unless the
// gate is strict.
func (g Gate) floor(res report.GateResult, r *report.Report) report.GateResult {
	res.Strict = g.Strict
	decides := res.Got.Value
	if !g.Strict && res.Got.High != nil {
		decides = res.Got.High
	}
	switch {
	case g.freeBaseline(res, r):
		res.Reason = "baseline_judge"
	case decides == nil:
		res.Reason = "not_measured"
	default:
		res.Passed = *decides >= res.Bound
	}
	return res
}

// freeBaseline reports whether the result rests on a built-in baseline judge that
// the user did not name.
func (g Gate) freeBaseline(res report.GateResult, r *report.Report) bool {
	if res.Judge == "" {
		return false
	}
	for _, j := range r.Run.Judges {
		if j.Name == res.Judge {
			return j.Baseline && !j.Asked
		}
	}
	return false
}

func (g Gate) onRates(r *report.Report, measure string, bound float64, all func(report.ScoreRow) (report.Estimate, int), tool func(report.ToolScore) report.Estimate) []report.GateResult {
	var out []report.GateResult
	if g.By == "tool" {
		for _, t := range r.ByTool {
			for _, s := range t.Scores {
				if !g.concerns(s.Title(), s.Judge, s.Purpose) || s.N == 0 {
					continue
				}
				out = append(out, g.floor(report.GateResult{Score: g.Score, Judge: s.Judge, Level: s.Level, Tool: t.Tool, Measure: measure, Bound: bound, Got: tool(s), N: s.N}, r))
			}
		}
		return g.orNothing(out, measure, bound)
	}
	for _, s := range r.Scores {
		if !g.concerns(s.Title(), s.Judge, s.Purpose) {
			continue
		}
		got, n := all(s)
		out = append(out, g.floor(report.GateResult{Score: g.Score, Judge: s.Judge, Level: s.Level, Measure: measure, Bound: bound, Got: got, N: n}, r))
	}
	return g.orNothing(out, measure, bound)
}

// orNothing makes a failing result where no score met the gate.
func (g Gate) orNothing(out []report.GateResult, measure string, bound float64) []report.GateResult {
	if len(out) > 0 {
		return out
	}
	return []report.GateResult{{Score: g.Score, Judge: g.Judge, Measure: measure, Bound: bound, Got: report.Estimate{Reason: "no_items"}, Strict: g.Strict, Reason: "not_measured"}}
}

// onCoverage is a count of what was scored, not an estimate: the point decides.
func (g Gate) onCoverage(r *report.Report) []report.GateResult {
	var out []report.GateResult
	for _, s := range r.Scores {
		if !g.concerns(s.Title(), s.Judge, s.Purpose) {
			continue
		}
		got := report.Estimate{Value: s.Coverage.Value, Reason: s.Coverage.Reason}
		out = append(out, g.floor(report.GateResult{Score: g.Score, Judge: s.Judge, Level: s.Level, Measure: "min_coverage", Bound: *g.MinCoverage, Got: got, N: s.N + s.Unscored + s.Errors}, r))
	}
	return g.orNothing(out, "min_coverage", *g.MinCoverage)
}

// onKappa decides on the labels where there are any, else on every reference that
// gives a kappa; of reduced rows only the strictest reduction counts.
func (g Gate) onKappa(r *report.Report) []report.GateResult {
	var labels, all []report.GateResult
	for _, a := range r.Agreement {
		if !g.concerns(a.Rubric, a.Judge, "") || a.Refused != "" || a.SharedRules || a.Reduction != "" && a.Reduction != report.ReduceMin {
			continue
		}
		res := g.floor(report.GateResult{Score: g.Score, Judge: a.Judge, Level: a.Level, Reference: a.Reference.Title(), Measure: "min_kappa", Bound: *g.MinKappa, Got: a.Kappa, N: a.Verdicts}, r)
		if a.Reference.Source == string(score.Label) {
			labels = append(labels, res)
		} else if a.Kappa.Defined() {
			all = append(all, res)
		}
	}
	if len(labels) > 0 {
		return labels
	}
	return g.orNothing(all, "min_kappa", *g.MinKappa)
}

// onDrop compares with the baseline run, pair by pair.
func (g Gate) onDrop(r *report.Report, baselines map[string]*report.Comparison) []report.GateResult {
	res := report.GateResult{Score: g.Score, Judge: g.Judge, Against: g.Against, Measure: "max_drop", Bound: *g.MaxDrop, Strict: g.Strict, Got: report.Estimate{Reason: "no_items"}}
	c := baselines[g.Against]
	if c == nil {
		res.Reason = "no_baseline"
		return []report.GateResult{res}
	}
	var out []report.GateResult
	for _, row := range c.Rows {
		if !g.concerns(row.Title(), row.Judge, row.Purpose) || (row.Tool != "") != (g.By == "tool") || row.PassRate.N == 0 && g.By == "tool" {
			continue
		}
		one := res
		one.Judge, one.Level, one.Tool, one.N = row.Judge, row.Level, row.Tool, row.PassRate.N
		one.Got = row.PassRate.Delta.Times(-100)
		out = append(out, g.ceiling(one, r))
	}
	return g.orNothing(out, "max_drop", *g.MaxDrop)
}

// ceiling decides got <= bound; the better end decides unless the gate is strict.
func (g Gate) ceiling(res report.GateResult, r *report.Report) report.GateResult {
	decides := res.Got.Value
	if !g.Strict && res.Got.Low != nil {
		decides = res.Got.Low
	}
	switch {
	case g.freeBaseline(res, r):
		res.Reason = "baseline_judge"
	case decides == nil:
		res.Reason = "not_measured"
	default:
		res.Passed = *decides <= res.Bound
	}
	return res
}

// line is the printed form of a result.
func line(g report.GateResult) string {
	word := "FAIL"
	if g.Passed {
		word = "pass"
	}
	name := g.Score
	if g.Judge != "" {
		name += " by " + report.Clip(g.Judge, 60)
	}
	if g.Tool != "" {
		name += " on " + report.Clip(g.Tool, 60)
	}
	if g.Reference != "" {
		name += " against " + report.Clip(g.Reference, 60)
	}
	switch g.Reason {
	case "not_measured":
		return fmt.Sprintf("%s  %s: %s has nothing to measure (%s)", word, name, g.Measure, g.Got.Reason)
	case "baseline_judge":
		return fmt.Sprintf("%s  %s: decided by the built-in baseline, which nobody asked for by name; name it as a judge or configure an endpoint", word, name)
	case "no_baseline":
		return fmt.Sprintf("%s  %s: the baseline run %q is not there", word, name, g.Against)
	}
	by := "the point decides"
	if !g.Strict && g.Got.HasInterval() {
		by = "the interval decides"
	}
	return fmt.Sprintf("%s  %s: %s, n = %d (%s)", word, name, compared(g), g.N, by)
}

func compared(g report.GateResult) string {
	switch g.Measure {
	case "min_pass_rate", "min_coverage":
		return fmt.Sprintf("%s %s, at least %s %%", strings.ReplaceAll(strings.TrimPrefix(g.Measure, "min_"), "_", " "), g.Got.Percent(true), short(100*g.Bound))
	case "max_drop":
		return fmt.Sprintf("pass rate dropped by %s points, at most %s", g.Got, short(g.Bound))
	}
	return fmt.Sprintf("%s %s, at least %s", strings.TrimPrefix(g.Measure, "min_"), g.Got, short(g.Bound))
}

func short(f float64) string { return fmt.Sprintf("%g", math.Round(f*1e4)/1e4) }
