package measure

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// Regressions decides whether run B may replace run A. If least is 0, it fails for every score that got worse
// by more than noise. Otherwise only the primary endpoint decides: it fails if the whole interval of its true
// drop is larger than least. Without a primary endpoint each score except "every call" is checked that way,
// after correction. If tools is set, every tool is decided too. It fails if there is nothing to compare.
func Regressions(c *report.Comparison, least float64, tools bool) GateDecision {
	g := &regressions{Comparison: c, least: least, like: report.GateResult{Measure: "regression", Bound: least}}
	d := GateDecision{Results: []report.GateResult{}, Passed: true}
	rows := g.rows()
	if len(rows) == 0 {
		one := g.like
		one.Reason, one.Line = report.GateNotMeasured, words.NothingToCompareLine
		d.add(one)
		return d
	}
	compared := len(rows)
	if tools {
		rows = append(rows, g.tools(rows)...)
	}
	for _, one := range g.decide(rows) {
		d.add(one)
	}
	d.failOn(g.computed.Err(), g.like)
	if d.Passed {
		one := g.like
		one.Passed, one.N, one.Line = true, compared, words.NoRegressionLine(rows[:compared], g.least)
		d.add(one)
	}
	for _, r := range g.besides(rows, d.Passed) {
		one := g.result(&r)
		one.Passed = true
		one.Line = words.BesidesLine(&r)
		d.add(one)
	}
	return d
}

// regressions decides which rows of a comparison are regressions. least is the smallest effect that
// matters, 0 for any.
type regressions struct {
	*report.Comparison
	computed statistics
	least    float64
	like     report.GateResult
}

// rows returns the deciding rows over all items.
func (g *regressions) rows() (out []report.ChangeRow) {
	primary := g.Endpoint() != nil
	for _, r := range g.Rows {
		switch ch := r.Primary(); {
		case !r.Decides || r.Tool != "" || ch.N == 0:
		case g.least == 0 && (ch.PHolm.Defined() || ch.Constant),
			g.least > 0 && (r.IsPrimary || !primary && r.Reduced != report.ReduceMin):
			out = append(out, r)
		}
	}
	return out
}

// tools returns the rows by tool of the deciding scores.
func (g *regressions) tools(of []report.ChangeRow) (out []report.ChangeRow) {
	for _, r := range g.Rows {
		if r.Decides && r.Tool != "" && r.Primary().N > 0 && hasRow(of, &r) {
			out = append(out, r)
		}
	}
	return out
}

// hasRow reports whether one of the rows is about the same score, reduced in the same way.
func hasRow(rows []report.ChangeRow, r *report.ChangeRow) bool {
	return slices.ContainsFunc(rows, func(x report.ChangeRow) bool {
		return x.Instrument == r.Instrument && x.Reduced == r.Reduced
	})
}

// besides returns the scores that got worse by more than noise but do not decide, if the comparison passes.
func (g *regressions) besides(rows []report.ChangeRow, passes bool) (out []report.ChangeRow) {
	for _, r := range g.Rows {
		worse := r.Decides && r.Tool == "" && r.Primary().Outcome() == report.Worse
		if passes && g.least > 0 && worse && !hasRow(rows, &r) {
			out = append(out, r)
		}
	}
	return out
}

// decide returns a result for each row that fails.
func (g *regressions) decide(rows []report.ChangeRow) (out []report.GateResult) {
	if g.least == 0 {
		for i := range rows {
			if ch := rows[i].Primary(); ch.Outcome() == report.Worse {
				out = append(out, g.failed(&rows[i], ch.Delta, ch.PHolm.Value))
			}
		}
		return out
	}
	p := map[bool][]float64{}
	for i := range rows {
		r := &rows[i]
		p[r.Tool != ""] = append(p[r.Tool != ""], exceeds(r, r.TrueDifference().Times(-1), g.least, g.Alpha))
	}
	for i, corrected := range slices.Concat(g.computed.Holm(p[false]), g.computed.Holm(p[true])) {
		if corrected.Valid && corrected.Value <= g.Alpha {
			out = append(out, g.failed(&rows[i], rows[i].TrueDifference(), &corrected.Value))
		}
	}
	return out
}

func (g *regressions) result(r *report.ChangeRow) report.GateResult {
	one := g.like
	one.Score, one.Judge, one.Level, one.Reduced, one.Tool = r.Title(), r.Judge, r.Level, r.Reduced, r.Tool
	one.Got, one.N = r.Primary().Delta, r.Primary().N
	return one
}

// failed returns the result of a row that failed by a difference and its p-value.
func (g *regressions) failed(r *report.ChangeRow, by report.Estimate, p *float64) report.GateResult {
	one := g.result(r)
	one.Got = by
	one.Line = words.RegressionLine(r, p, g.least)
	return one
}
