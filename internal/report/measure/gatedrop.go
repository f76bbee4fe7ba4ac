package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// onDrop compares with the baseline run, pair by pair. With ByTool, the p-values of one instrument are
// corrected for the number of its tools by Holm's method, so that many tools do not cause false alarms.
func (d *gateDecider) onDrop(like report.GateResult) []report.GateResult {
	like.Against = d.Against
	c := d.baselines[d.Against]
	if c == nil {
		like.Got.Reason, like.Reason = report.GateNoItems, report.GateNoBaseline
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
			if p[i] = exceeds(&rows[i], dropPoints(&rows[i]), *d.MaxDrop, c.Alpha); !math.IsNaN(p[i]) {
				tools++
			}
		}
		for i, corrected := range d.Holm(p) {
			row, one := &rows[i], like
			one.Judge, one.Level, one.Reduced, one.Tool, one.N = row.Judge, row.Level, row.Reduced, row.Tool,
				row.PassRate.N
			one.Got = dropPoints(row).Clipped(-100, 100)
			if d.By == ByTool {
				one.Tools = tools
			}
			if corrected.Valid {
				one.P = &corrected.Value
			}
			out = append(out, d.hold(one, false))
		}
		rows = rows[n:]
	}
	if len(out) == 0 {
		return nothingMeasured(like, d.whyNothing())
	}
	return out
}

// changes returns the rows that a gate concerns, under the names of this run's judges; for scores
// of calls, the deciding rows: the calls or their conversations.
func (d *gateDecider) changes(c *report.Comparison) []report.ChangeRow {
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

func dropPoints(row *report.ChangeRow) report.Estimate { return row.PassRate.Delta.Times(-100) }

// exceeds returns the p-value of the hypothesis that the true drop is at most bound, in the units
// of the drop. It comes from the clustered t statistic and is doubled, so that a single row is
// decided as by its interval: p is alpha if the interval's lower end is the bound. If all items
// changed by the same amount, there is no variance to divide by, and the p-value of the change
// itself is used, which is a sign test over conversations. NaN means that there is neither, or that
// every item is the same in both runs: such a row does not count in a correction.
func exceeds(row *report.ChangeRow, d report.Estimate, bound, alpha float64) float64 {
	of := row.Primary()
	switch {
	case !d.Defined() || row.Conversations < 2 || of.Constant:
		return math.NaN()
	case *d.Value <= bound:
		return 1
	}
	if d.HasInterval() {
		se := (*d.Value - *d.Low) / stat.CriticalT(alpha, of.Freedom)
		if se > 0 {
			return stat.StudentTwoSided((*d.Value-bound)/se, of.Freedom)
		}
	}
	if p := of.P.Value; p != nil {
		return *p
	}
	return math.NaN()
}

// correctRates drops tools whose failure is due to chance. If all tools keep a bound, the interval
// of about one in twenty still misses it, and with few calls more often. So a tool fails only if
// its interval misses the bound and an exact binomial test does too. The test uses as many
// independent items as the tool's calls amount to, and is corrected for the number of tools.
func (d *gateDecider) correctRates(results []report.GateResult, effective []report.Estimate) {
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
			// Doubled, as for a two-sided interval.
			n := *effective[i].Value
			p[k] = math.Min(1, 2*stat.BinomialCDF(*results[i].Got.Value*n, n, results[i].Bound))
		}
		for k, corrected := range d.Holm(p) {
			res := &results[of[k]]
			if res.Strict || res.Passed || res.Reason != "" || !corrected.Valid {
				continue
			}
			res.P, res.Tools, res.Passed = &corrected.Value, len(of), corrected.Value > d.r.Alpha
		}
	}
}
