package measure

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// ByTool is the value of Gate.By that decides for every tool on its own.
const ByTool = "tool"

// Gate is one condition on a report. Nil fields are not checked; each other field is decided on its
// own. The tags are its form in a judge.yaml.
type Gate struct {
	Score string `json:"score,omitempty"`
	// Probe names an operator of judge probe instead of a score; MinFound is the smallest share of
	// its faults that must be found.
	Probe    string   `json:"probe,omitempty"`
	MinFound *float64 `json:"min_found,omitempty" jsonschema:"minimum=0,maximum=1"`
	Judge    string   `json:"judge,omitempty"`
	// Reference is the reference to use; "" means the labels, or without labels every reference
	// that is evidence in both directions.
	Reference string `json:"reference,omitempty"`
	// By is "" for all calls together, or ByTool: see report.ToolConversations.
	By string `json:"by,omitempty" jsonschema:"enum=tool"`
	// Tool is the tool to check; "" means all.
	Tool    string `json:"tool,omitempty"`
	Against string `json:"against,omitempty"`
	// MinPassRate, MinMean, MinKappa and MinCoverage are in the units of the report.
	MinPassRate *float64 `json:"min_pass_rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	MinMean     *float64 `json:"min_mean,omitempty"`
	MinKappa    *float64 `json:"min_kappa,omitempty" jsonschema:"minimum=-1,maximum=1"`
	MinCoverage *float64 `json:"min_coverage,omitempty" jsonschema:"minimum=0,maximum=1"`
	MaxDrop     *float64 `json:"max_drop,omitempty" jsonschema:"minimum=0,maximum=100"`
	// MaxRate limits the share of Category among the answers.
	Category string   `json:"category,omitempty"`
	MaxRate  *float64 `json:"max_rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Strict decides by the number itself. Otherwise a gate fails only if the better end of the
	// interval misses the bound; without an interval, only a strict gate can fail.
	Strict bool `json:"strict,omitempty"`
}

// GateDecision holds the results in the order of the gates, and the exit code: 0 or exitGateFailed.
type GateDecision struct {
	Results  []report.GateResult
	Passed   bool
	ExitCode int
}

const exitGateFailed = 100

// add adds a result. A failed one fails the decision.
func (d *GateDecision) add(res report.GateResult) {
	if !res.Passed {
		d.Passed, d.ExitCode = false, exitGateFailed
	}
	d.Results = append(d.Results, res)
}

// failOn fails the decision if one of its statistics had an error: no gate passes unmeasured.
func (d *GateDecision) failOn(err error, like report.GateResult) {
	if err != nil {
		like.Reason, like.Line = report.GateNotMeasured, err.Error()
		d.add(like)
	}
}

// gateDecider decides one gate.
type gateDecider struct {
	Gate
	statistics
	r         *report.Report
	baselines map[string]*report.Comparison
}

// DecideGates decides every gate. baselines holds, by the name in Gate.Against, the comparison of
// the baseline run (A) with this run (B). A gate fails if it finds nothing to measure, or if it is
// about a built-in baseline judge that the user did not name.
func DecideGates(gates []Gate, r *report.Report, baselines map[string]*report.Comparison) GateDecision {
	d := GateDecision{Results: []report.GateResult{}, Passed: true}
	for _, g := range gates {
		one := &gateDecider{Gate: g, r: r, baselines: baselines}
		for _, m := range []struct {
			measure string
			bound   *float64
			decide  func(report.GateResult) []report.GateResult
		}{
			{report.MeasureMinPassRate, g.MinPassRate, one.onScores}, {report.MeasureMinMean, g.MinMean, one.onScores},
			{report.MeasureMinCoverage, g.MinCoverage, one.onScores}, {report.MeasureMinKappa, g.MinKappa, one.onKappa},
			{report.MeasureMaxDrop, g.MaxDrop, one.onDrop}, {report.MeasureMaxRate, g.MaxRate, one.onCategory},
			{report.MeasureMinFound, g.MinFound, one.onProbe},
		} {
			if m.bound == nil {
				continue
			}
			like := report.GateResult{
				Score: cmp.Or(g.Probe, g.Score), Judge: g.Judge, Tool: g.Tool, Category: g.Category, Measure: m.measure, Bound: *m.bound,
				Strict: g.Strict,
			}
			for _, res := range m.decide(like) {
				res.Line = words.GateLine(res, r)
				d.add(res)
			}
			d.failOn(one.Err(), like)
		}
	}
	return d
}

// concerns reports whether a gate is about a score.
func (g Gate) concerns(s report.Instrument) bool {
	return s.Title() == g.Score && s.Purpose != "qa" && (g.Judge == "" || s.Judge == g.Judge)
}

func (g Gate) onTool(tool string) bool { return g.Tool == "" || tool == g.Tool }

// nothingMeasured returns the failing result of a gate that found nothing, with the reason.
func nothingMeasured(res report.GateResult, why string) []report.GateResult {
	res.Got.Reason, res.Reason = why, report.GateNotMeasured
	return []report.GateResult{res}
}

// hold checks a figure against its bound: got >= bound, or for a largest drop or rate got <= bound.
// certain says that the figure is a count, or follows from the data whatever their number: then it
// decides. For a drop, P is the corrected p-value of a larger one, or nil.
func (d *gateDecider) hold(res report.GateResult, certain bool) report.GateResult {
	point, p := res.Got.Value, res.P
	drop, most := res.Measure == report.MeasureMaxDrop, res.Measure == report.MeasureMaxRate
	switch res.P = nil; {
	case d.freeBaseline(res.Judge):
		res.Reason = report.GateBaselineJudge
	case point == nil:
		res.Reason = report.GateNotMeasured
	case (drop || most) && *point <= res.Bound || !drop && !most && *point >= res.Bound:
		res.Passed = true
	case d.Strict || certain: // the point fails
	case drop && p == nil || !drop && res.Got.High == nil:
		res.Passed, res.Reason = true, report.GateUndecided
	case drop:
		res.Passed, res.P = *p > d.baselines[d.Against].Alpha, p
	case most:
		res.Passed = *res.Got.Low <= res.Bound
	default:
		res.Passed = *res.Got.High >= res.Bound
	}
	return res
}

// freeBaseline reports whether a judge is a built-in baseline that the user did not name.
func (d *gateDecider) freeBaseline(judge string) bool {
	return slices.ContainsFunc(d.r.Run.Judges, func(j report.Judge) bool {
		return j.Name == judge && j.Baseline && !j.Asked
	})
}

// onScores decides about a figure of every score that the gate concerns.
func (d *gateDecider) onScores(like report.GateResult) []report.GateResult {
	var out []report.GateResult
	var effective []report.Estimate
	add := func(s report.Instrument, tool string, mean, rate report.Estimate, n, missing int) {
		res := like
		res.Judge, res.Level, res.Tool, res.Got, res.N = s.Judge, s.Level, tool, rate, n
		switch like.Measure {
		case report.MeasureMinMean:
			res.Got = mean
		case report.MeasureMinCoverage:
			res.Got, res.N = coverage(n, missing), n+missing
		}
		out = append(out, d.hold(res, like.Measure == report.MeasureMinCoverage))
	}
	if d.By == ByTool {
		eachTool(d.r, func(tool string, s report.ToolScore) {
			wanted := s.N > 0 || like.Measure == report.MeasureMinCoverage && s.Missing > 0
			if d.onTool(tool) && d.concerns(s.Instrument) && wanted {
				add(s.Instrument, tool, s.Mean, s.PassRate, s.N, s.Missing)
				effective = append(effective, s.EffectiveN)
			}
		})
	} else {
		for _, s := range d.r.Scores {
			n := s.N
			if like.Measure == report.MeasureMinPassRate {
				n = s.Judged
			}
			if d.concerns(s.Instrument) {
				add(s.Instrument, "", s.Mean, s.PassRate, n, s.Unscored+s.Errors)
			}
		}
	}
	if len(out) == 0 {
		return nothingMeasured(like, d.whyNothing())
	}
	if d.By == ByTool && like.Measure == report.MeasureMinPassRate {
		d.correctRates(out, effective)
	}
	return out
}

// onProbe decides about the share of planted faults that judges find.
func (d *gateDecider) onProbe(like report.GateResult) []report.GateResult {
	var out []report.GateResult
	if d.r.Probe != nil {
		for _, row := range d.r.Probe.Operators {
			if row.Operator == d.Probe && (d.Judge == "" || row.Judge == d.Judge) {
				res := like
				res.Judge, res.Level, res.N, res.Got = row.Judge, report.CallLevel, row.Found.N, row.Found.Estimate
				out = append(out, d.hold(res, false))
			}
		}
	}
	if len(out) == 0 {
		return nothingMeasured(like, report.GateNoSuchScore)
	}
	return out
}

// onCategory decides about the share of a category among the answers to a rubric.
func (d *gateDecider) onCategory(like report.GateResult) []report.GateResult {
	var out []report.GateResult
	for _, s := range d.r.Scores {
		if !d.concerns(s.Instrument) {
			continue
		}
		res := like
		res.Judge, res.Level, res.N = s.Judge, s.Level, s.N
		res.Got = report.Estimate{Reason: report.GateNoSuchCategory}
		for _, c := range s.Categories {
			if c.Category == d.Category {
				res.Got = c.Share
			}
		}
		out = append(out, d.hold(res, false))
	}
	if len(out) == 0 {
		return nothingMeasured(like, d.whyNothing())
	}
	return out
}

// coverage returns the scored share, which is a count and not an estimate.
func coverage(n, missing int) report.Estimate {
	wanted := n + missing
	if wanted == 0 {
		return report.Estimate{Reason: report.GateNoItems}
	}
	return report.Estimate{Value: report.Rounded(float64(n) / float64(wanted))}
}

// eachTool visits the scores of calls and those of conversations, by tool.
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

// whyNothing says why no score fits the gate.
func (d *gateDecider) whyNothing() string {
	why := report.GateNoSuchScore
	for _, s := range d.r.Scores {
		switch {
		case s.Title() != d.Score:
		case s.Purpose == "qa":
			return report.GateReportedQA
		case d.Judge != "" && s.Judge != d.Judge:
			why = report.GateNoSuchJudge
		case d.By == ByTool && s.Level == report.ConversationLevel && s.N > 0 && len(d.r.ByToolConversations) == 0:
			return report.GateNoToolCalls
		case d.Tool != "":
			return report.GateNoSuchTool
		default:
			return report.GateNoItems
		}
	}
	return why
}
