package gate

import (
	"cmp"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// family are the rows of one instrument that a gate decides together.
type family struct {
	judge, level, reduced string
	rows                  []report.ChangeRow
}

// onDrop compares with the baseline run, pair by pair. By tool the p-values of one
// instrument are corrected for the number of its tools by Holm's method: one false alarm
// among many tools is one too many.
func (g Gate) onDrop(r *report.Report, baselines map[string]*report.Comparison) []report.GateResult {
	res := g.result("max_drop", *g.MaxDrop)
	res.Against = g.Against
	c := baselines[g.Against]
	if c == nil {
		res.Got.Reason, res.Reason = noItems, noBaseline
		return []report.GateResult{res}
	}
	var out []report.GateResult
	for _, f := range g.families(c) {
		p := f.holm(*g.MaxDrop, c.Alpha)
		for i := range f.rows {
			one := res
			one.Judge, one.Level, one.Reduced, one.Tool, one.N = f.judge, f.level, f.reduced, f.rows[i].Tool, f.rows[i].PassRate.N
			one.Got = drop(&f.rows[i]).Clipped(-100, 100)
			if g.By == ByTool {
				one.Tools = len(f.rows)
			}
			out = append(out, g.ceiling(one, r, p[i], c.Alpha))
		}
	}
	if len(out) == 0 {
		res.Got.Reason, res.Reason = g.whyNothing(r), notMeasured
		return []report.GateResult{res}
	}
	return out
}

func drop(row *report.ChangeRow) report.Estimate { return row.PassRate.Delta.Times(-100) }

// families are the rows that a gate concerns, by instrument: of scores of calls those
// that decide, the calls or their conversations.
func (g Gate) families(c *report.Comparison) []*family {
	var out []*family
	for i, rows := range [][]report.ChangeRow{c.Rows, c.ByToolConversations} {
		for _, row := range rows {
			if i == 0 && !row.Decides {
				continue
			}
			judge := cmp.Or(row.JudgeB, row.Judge) // the judge of this run
			if !g.onTool(row.Tool) {
				continue
			}
			if !g.concerns(row.Title(), judge, row.Purpose) || (row.Tool != "") != (g.By == ByTool) || row.PassRate.N == 0 && g.By == ByTool {
				continue
			}
			if n := len(out); n == 0 || out[n-1].judge != judge || out[n-1].level != row.Level || out[n-1].reduced != row.Reduced {
				out = append(out, &family{judge: judge, level: row.Level, reduced: row.Reduced})
			}
			f := out[len(out)-1]
			f.rows = append(f.rows, row)
		}
	}
	return out
}

// holm are the corrected p-values of the rows, nil where one is undefined.
func (f *family) holm(bound, alpha float64) []*float64 {
	p := make([]float64, len(f.rows))
	for i := range f.rows {
		p[i] = exceeds(&f.rows[i], bound, alpha)
	}
	return holm(p)
}

// exceeds is the p-value of a true drop of no more than the bound, in points: of the
// clustered t statistic, doubled, so that a row by itself is decided as by its interval.
// Where all items changed alike there is no variance to divide by, and the p-value of
// the change itself, from signs of conversations, takes its place. NaN says that there
// is neither.
func exceeds(row *report.ChangeRow, bound, alpha float64) float64 {
	d := drop(row)
	switch {
	case !d.Defined() || row.Conversations < 2:
		return math.NaN()
	case *d.Value <= bound:
		return 1
	case !d.HasInterval():
		return signs(row)
	}
	freedom := float64(row.Conversations - 1)
	se := (*d.High - *d.Low) / 2 / stat.StudentQuantile(1-alpha/2, freedom)
	if se > 0 {
		return stat.StudentTwoSided((*d.Value-bound)/se, freedom)
	}
	return signs(row)
}

// signs is the p-value of a change that all items made alike, NaN where there is none.
func signs(row *report.ChangeRow) float64 {
	if p := row.PassRate.P.Value; p != nil {
		return *p
	}
	return math.NaN()
}

// ceiling decides got <= bound; p is the corrected p-value of a drop beyond it.
func (g Gate) ceiling(res report.GateResult, r *report.Report, p *float64, alpha float64) report.GateResult {
	point := res.Got.Value
	switch {
	case freeBaseline(res.Judge, r):
		res.Reason = baselineJudge
	case point == nil:
		res.Reason = notMeasured
	case g.Strict || *point <= res.Bound:
		res.Passed = *point <= res.Bound
	case p == nil:
		res.Passed, res.Reason = true, undecided
	default:
		res.Passed, res.P = *p > alpha, p
	}
	return res
}
