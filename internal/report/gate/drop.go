package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// onDrop compares with the baseline run, pair by pair. By tool the p-values of one
// instrument are corrected for the number of its tools by Holm's method: one false alarm
// among many tools is one too many.
func (d *decider) onDrop(like report.GateResult) []report.GateResult {
	like.Against = d.Against
	c := d.baselines[d.Against]
	if c == nil {
		like.Got.Reason, like.Reason = noItems, noBaseline
		return []report.GateResult{like}
	}
	var out []report.GateResult
	for rows := d.changes(c); len(rows) > 0; {
		n := slices.IndexFunc(rows, func(row report.ChangeRow) bool { return !sameFamily(row, rows[0]) })
		if n < 0 {
			n = len(rows)
		}
		p, tools := make([]float64, n), 0
		for i := range p {
			if p[i] = exceeds(&rows[i], *d.MaxDrop, c.Alpha); !math.IsNaN(p[i]) {
				tools++
			}
		}
		for i, corrected := range holm(p) {
			row, one := &rows[i], like
			one.Judge, one.Level, one.Reduced, one.Tool, one.N = row.Judge, row.Level, row.Reduced, row.Tool,
				row.PassRate.N
			one.Got = drop(row).Clipped(-100, 100)
			if d.By == ByTool {
				one.Tools = tools
			}
			if corrected.Valid {
				one.P = &corrected.Value
			}
			out = append(out, d.settle(one, false))
		}
		rows = rows[n:]
	}
	if len(out) == 0 {
		return nothing(like, d.whyNothing())
	}
	return out
}

// changes are the rows that a gate concerns, under the names of this run's judges: of
// scores of calls those that decide, the calls or their conversations.
func (d *decider) changes(c *report.Comparison) []report.ChangeRow {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(row report.ChangeRow) bool { return !row.Decides })
	rows = append(rows, c.ByToolConversations...)
	for i := range rows {
		rows[i].Judge = cmp.Or(rows[i].JudgeB, rows[i].Judge)
	}
	return slices.DeleteFunc(rows, func(row report.ChangeRow) bool {
		byTool := d.By == ByTool
		return !d.onTool(row.Tool) || !d.concerns(row.Instrument) || (row.Tool != "") != byTool ||
			byTool && row.PassRate.N == 0
	})
}

// sameFamily reports whether a gate decides two rows together.
func sameFamily(x, y report.ChangeRow) bool {
	return x.Judge == y.Judge && x.Level == y.Level && x.Reduced == y.Reduced
}

func drop(row *report.ChangeRow) report.Estimate { return row.PassRate.Delta.Times(-100) }

// exceeds is the p-value of a true drop of no more than the bound, in points: of the
// clustered t statistic, doubled, so that a row by itself is decided as by its interval.
// Where all items changed alike there is no variance to divide by, and the p-value of
// the change itself, from signs of conversations, takes its place. NaN says that there
// is neither, or that every item is the same in both runs: that counts in no correction.
func exceeds(row *report.ChangeRow, bound, alpha float64) float64 {
	d := drop(row)
	switch {
	case !d.Defined() || row.Conversations < 2 || row.PassRate.Constant:
		return math.NaN()
	case *d.Value <= bound:
		return 1
	}
	if d.HasInterval() {
		freedom := row.PassRate.Freedom
		se := (*d.High - *d.Low) / 2 / stat.CriticalT(alpha, freedom)
		if se > 0 {
			return stat.StudentTwoSided((*d.Value-bound)/se, freedom)
		}
	}
	if p := row.PassRate.P.Value; p != nil {
		return *p
	}
	return math.NaN()
}

// holm corrects p-values for their number (NaN: missing).
func holm(p []float64) []stat.Opt {
	adjusted, err := interval.Holm(p)
	if err != nil {
		return make([]stat.Opt, len(p)) // nothing is decided
	}
	return adjusted
}

// correctRates drops the failures of tools that chance explains. The interval of
// one tool in twenty misses a bound that all of them keep, and that of two calls of
// which one fails misses it more often. So a tool fails when its interval misses the
// bound and the exact binomial test of as many independent items as its calls amount to
// does too, after correction for the number of tools.
func correctRates(results []report.GateResult, effective []report.Estimate, alpha float64) {
	type instrument struct{ judge, level string }
	families := map[instrument][]int{}
	for i, res := range results {
		if res.Got.Defined() && effective[i].Defined() {
			key := instrument{res.Judge, res.Level}
			families[key] = append(families[key], i)
		}
	}
	for _, of := range families {
		p := make([]float64, len(of))
		for k, i := range of {
			// Doubled as for a two-sided interval.
			n := *effective[i].Value
			p[k] = math.Min(1, 2*stat.BinomialCDF(*results[i].Got.Value*n, n, results[i].Bound))
		}
		for k, corrected := range holm(p) {
			res := &results[of[k]]
			if res.Strict || res.Passed || res.Reason != "" || !corrected.Valid {
				continue
			}
			res.P, res.Tools, res.Passed = &corrected.Value, len(of), corrected.Value > alpha
		}
	}
}

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
