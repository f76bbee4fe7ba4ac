// Package gate decides conditions on a report and on a comparison: one function makes
// the decision, the line that is printed, and the exit code.
//
// It promises that a gate never passes in silence: where nothing was measured it fails,
// and where the data cannot decide it passes and says so. It fails only when the data
// say so, unless it is strict.
package gate

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// The exit codes that a decision can come to.
const (
	ExitPassed     = 0
	ExitGateFailed = 100
)

// ByTool as Gate.By decides for every tool by itself.
const ByTool = "tool"

// Gate is one condition on a report. Nil fields ask nothing; each field that asks
// is decided on its own. The tags are its form in a judge.yaml.
type Gate struct {
	Score string `json:"score" jsonschema_description:"Rubric, scorer or label, with .metric where one is meant."`
	Judge string `json:"judge,omitempty" jsonschema_description:"Only the scores of this judge, panel or cascade; every judge's by default."`
	// Reference is "" for the labels, or where there is none every scorer that gives a
	// kappa.
	Reference string `json:"reference,omitempty" jsonschema_description:"Scorer or label that min_kappa holds the judge against; the labels by default, without labels every scorer."`
	// By is "" for all calls together, or ByTool: see report.ToolConversations.
	By string `json:"by,omitempty" jsonschema:"enum=tool" jsonschema_description:"Every tool by itself. The score of a conversation counts for every tool that the conversation calls, and for those of expected calls that are missing."`
	// Tool is "" for all.
	Tool    string `json:"tool,omitempty" jsonschema_description:"Only this tool; implies by: tool."`
	Against string `json:"against,omitempty" jsonschema_description:"Baseline run directory of max_drop."`
	// MinPassRate, MinMean, MinKappa and MinCoverage are in the units of the report.
	MinPassRate *float64 `json:"min_pass_rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	MinMean     *float64 `json:"min_mean,omitempty"`
	MinKappa    *float64 `json:"min_kappa,omitempty" jsonschema:"minimum=-1,maximum=1"`
	MinCoverage *float64 `json:"min_coverage,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Share of the wanted scores that are there; a count, so that the point decides."`
	MaxDrop     *float64 `json:"max_drop,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_description:"In percentage points of the pass rate. By tool the decision is corrected for the number of tools."`
	// Strict fails on the point; without it a gate fails only when the better end of
	// the interval misses the bound. Where there is no interval only a strict gate fails.
	Strict bool `json:"strict,omitempty" jsonschema_description:"The point decides. Without it a gate fails only when the interval says so, and never where there is none."`
}

// Decision is what all gates came to: the results in the order of the gates, and
// the exit code.
type Decision struct {
	Results  []report.GateResult
	Passed   bool
	ExitCode int
}

// The reasons of results that no number decided.
const (
	notMeasured   = "not_measured"
	baselineJudge = "baseline_judge"
	noBaseline    = "no_baseline"
	undecided     = "undecided"
)

// Decide decides every gate. baselines holds, by the name that Gate.Against gives,
// the comparison of the baseline run (A) with this run (B). A gate that finds
// nothing to measure fails: silence must not pass. So does a gate on the scores of
// a built-in baseline judge that nobody asked for by name.
func Decide(gates []Gate, r *report.Report, baselines map[string]*report.Comparison) Decision {
	d := Decision{Results: []report.GateResult{}, Passed: true, ExitCode: ExitPassed}
	for _, g := range gates {
		for _, res := range g.decide(r, baselines) {
			res.Line = line(res, r)
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
		out = append(out, g.onScores(r, "min_pass_rate", *g.MinPassRate, passRate)...)
	}
	if g.MinMean != nil {
		out = append(out, g.onScores(r, "min_mean", *g.MinMean, mean)...)
	}
	if g.MinCoverage != nil {
		out = append(out, g.onScores(r, "min_coverage", *g.MinCoverage, coverage)...)
	}
	if g.MinKappa != nil {
		out = append(out, g.onKappa(r)...)
	}
	if g.MaxDrop != nil {
		out = append(out, g.onDrop(r, baselines)...)
	}
	return out
}

func (g Gate) onTool(tool string) bool { return g.Tool == "" || tool == g.Tool }

func (g Gate) concerns(title, judge, purpose string) bool {
	return title == g.Score && purpose != "qa" && (g.Judge == "" || judge == g.Judge)
}

// result is an empty result of the gate.
func (g Gate) result(measure string, bound float64) report.GateResult {
	return report.GateResult{Score: g.Score, Judge: g.Judge, Tool: g.Tool, Measure: measure, Bound: bound, Strict: g.Strict}
}

// nothing is the failing result of a gate that found nothing, and says why.
func (g Gate) nothing(measure string, bound float64, why string) []report.GateResult {
	res := g.result(measure, bound)
	res.Got.Reason, res.Reason = why, notMeasured
	return []report.GateResult{res}
}

// floor decides got >= bound. certain says that the point is a count, or follows from
// the data whatever their number: then it decides.
func (g Gate) floor(res report.GateResult, r *report.Report, certain bool) report.GateResult {
	point := res.Got.Value
	switch {
	case freeBaseline(res.Judge, r):
		res.Reason = baselineJudge
	case point == nil:
		res.Reason = notMeasured
	case g.Strict || certain || *point >= res.Bound:
		res.Passed = *point >= res.Bound
	case res.Got.High == nil:
		res.Passed, res.Reason = true, undecided
	default:
		res.Passed = *res.Got.High >= res.Bound
	}
	return res
}

// freeBaseline reports whether a judge is a built-in baseline that the user did not
// name.
func freeBaseline(judge string, r *report.Report) bool {
	i := slices.IndexFunc(r.Run.Judges, func(j report.Judge) bool { return j.Name == judge })
	return i >= 0 && r.Run.Judges[i].Baseline && !r.Run.Judges[i].Asked
}

// figure is what a gate looks at in the sums of one score: n of its items were scored,
// missing ones were wanted.
type figure func(mean, passRate report.Estimate, n, missing int) (got report.Estimate, of int, counted bool)

func passRate(_, rate report.Estimate, n, _ int) (report.Estimate, int, bool) { return rate, n, false }
func mean(m, _ report.Estimate, n, _ int) (report.Estimate, int, bool)        { return m, n, false }

// coverage is a count of what was scored, not an estimate.
func coverage(_, _ report.Estimate, n, missing int) (report.Estimate, int, bool) {
	wanted := n + missing
	if wanted == 0 {
		return report.Estimate{Reason: "no_items"}, 0, true
	}
	share := float64(n) / float64(wanted)
	return report.Estimate{Value: &share}.Times(1), wanted, true
}

// onScores decides on a figure of every score that the gate concerns.
func (g Gate) onScores(r *report.Report, measure string, bound float64, of figure) []report.GateResult {
	var out []report.GateResult
	add := func(s report.Instrument, tool string, m, rate report.Estimate, n, missing int) {
		res := g.result(measure, bound)
		res.Judge, res.Level, res.Tool = s.Judge, s.Level, tool
		counted := false
		res.Got, res.N, counted = of(m, rate, n, missing)
		out = append(out, g.floor(res, r, counted))
	}
	if g.By == ByTool {
		eachTool(r, func(tool string, s report.ToolScore) {
			if g.onTool(tool) && g.concerns(s.Title(), s.Judge, s.Purpose) && (s.N > 0 || measure == "min_coverage" && s.Missing > 0) {
				add(s.Instrument, tool, s.Mean, s.PassRate, s.N, s.Missing)
			}
		})
	} else {
		for _, s := range r.Scores {
			if !g.concerns(s.Title(), s.Judge, s.Purpose) {
				continue
			}
			n := s.N
			if measure == "min_pass_rate" {
				n = s.Judged
			}
			add(s.Instrument, "", s.Mean, s.PassRate, n, s.Unscored+s.Errors)
		}
	}
	if len(out) == 0 {
		return g.nothing(measure, bound, g.whyNothing(r))
	}
	if g.By == ByTool && measure == "min_pass_rate" {
		correctRates(out, r.Alpha)
	}
	return out
}

// eachTool visits the scores of calls and those of conversations by tool.
func eachTool(r *report.Report, visit func(tool string, s report.ToolScore)) {
	for _, t := range r.ByTool {
		for _, s := range t.Scores {
			visit(t.Tool, s)
		}
	}
	for _, t := range r.ByToolConversations {
		for _, s := range t.Scores {
			visit(t.Tool, s)
		}
	}
}

// The reasons why there is nothing to measure, beside those of estimates.
const (
	noItems     = "no_items"
	noSuchScore = "no_such_score"
	noSuchJudge = "no_such_judge"
	noSuchTool  = "no_such_tool"
	noCalls     = "no_calls"
	noReference = "no_such_reference"
	circular    = "circular"
	sharedRules = "shared_rules"
	byWhole     = "by_conversation"
	reportedQA  = "qa"
)

// whyNothing says why no score meets a gate.
func (g Gate) whyNothing(r *report.Report) string {
	why := noSuchScore
	for _, s := range r.Scores {
		switch {
		case s.Title() != g.Score:
		case s.Purpose == "qa":
			return reportedQA
		case g.Judge != "" && s.Judge != g.Judge:
			why = noSuchJudge
		case g.By == ByTool && s.Level == report.ConversationLevel && s.N > 0 && len(r.ByToolConversations) == 0:
			return noCalls
		case g.Tool != "":
			return noSuchTool
		default:
			return noItems
		}
	}
	return why
}
