package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// splitBy compares stratum by stratum, largest first, with the mean over strata: the number of
// all rows can be high only because strata differ in their pass rates.
func (w *agreeWork) splitBy(col *inputColumn, a, b, sure *side) report.Split {
	out := report.Split{By: col.name}
	rows := map[string][]int{}
	all := w.both(a.any(), b.any()).Gold
	for i, k := range col.code {
		name := col.words[k].Word
		if col.words[k].missing {
			name = "(missing)"
		}
		if !math.IsNaN(all[i]) {
			rows[name] = append(rows[name], i)
		} else if rows[name] == nil {
			rows[name] = []int{}
		}
	}
	for name, of := range rows {
		s := report.Stratum{Name: name, Small: len(of) < w.cfg.SmallN, ColumnPair: w.at(of).numbers(a.at(of), b.at(of), sure.at(of))}
		out.Strata = append(out.Strata, s)
	}
	slices.SortFunc(out.Strata, func(p, q report.Stratum) int {
		return cmp.Or(cmp.Compare(q.N, p.N), cmp.Compare(p.Name, q.Name))
	})
	out.Macro = macro(out.Strata)
	return out
}

// at is the work on the given rows only, so that many small strata cost no more than one
// large one.
func (w *agreeWork) at(rows []int) *agreeWork {
	sub := *w
	sub.rows, sub.cluster = len(rows), picked(w.cluster, rows)
	return &sub
}

// at is a side in the given rows.
func (s *side) at(rows []int) *side {
	if s == nil {
		return nil
	}
	return &side{name: s.name, verdict: picked(s.verdict, rows), value: picked(s.value, rows),
		category: picked(s.category, rows), graded: s.graded}
}

// picked are the values in the given rows, nil of none.
func picked[T any](values []T, rows []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = values[i]
	}
	return out
}

// macro is the mean of every number over the strata in which it is defined; n counts strata.
func macro(strata []report.Stratum) (out report.ColumnPair) {
	out = shapeOf(&strata[0].ColumnPair)
	out.N, out.Conversations = len(strata), len(strata)
	numbers := make([][]*report.Estimate, len(strata))
	for i := range strata {
		numbers[i] = numbersOf(&strata[i].ColumnPair)
	}
	for k, mean := range numbersOf(&out) {
		if first := numbers[0][k]; !first.Defined() && first.Reason == "" {
			continue // the pair has no such number
		}
		var values []float64
		for i := range strata {
			if one := numbers[i][k]; one.Defined() {
				values = append(values, *one.Value)
			}
		}
		*mean = report.Point(stat.Ratio(stat.Sum(values), float64(len(values)), stat.NoItems))
	}
	return out
}

// shapeOf returns a pair of the same kinds without numbers.
func shapeOf(p *report.ColumnPair) (out report.ColumnPair) {
	out.Judge, out.Reference, out.Level, out.Direction = p.Judge, p.Reference, p.Level, p.Direction
	if p.Graded != nil {
		out.Graded, out.Numbers = new(report.Graded), new(report.Numbers)
	}
	if p.Ratings != nil {
		out.Ratings = new(report.Ratings)
	}
	return out
}

// numbersOf returns the numbers of a pair that have a mean over strata.
func numbersOf(p *report.ColumnPair) []*report.Estimate {
	out := []*report.Estimate{
		&p.BaseRate, &p.JudgeRate, &p.Accuracy, &p.Balanced, &p.RecallWrong, &p.Specificity, &p.MCC, &p.Kappa, &p.AC1,
		&p.Spearman, &p.AUC, &p.Youden, &p.PrecisionFail, &p.PrecisionPass,
	}
	if g, n := p.Graded, p.Numbers; g != nil {
		out = append(out, &g.Bias, &g.MAE, &g.RMSE, &g.CCC, &n.MeanReference, &n.MeanJudge, &n.SD, &n.LimitLow,
			&n.LimitHigh, &n.Pearson, &n.KendallB, &n.ICC, &n.Alpha)
	}
	if r := p.Ratings; r != nil {
		out = append(out, &r.Same, &r.WithinOne, &r.Kappa, &r.Quadratic, &r.AC, &r.Alpha)
	}
	return out
}

const (
	fewClusters = 10
	muchMissing = 0.02
)

// pairWarnings are the caveats of a pair's numbers.
func (w *agreeWork) pairWarnings(p *report.ColumnPair, a, b *side) []report.Warning {
	out := warningList{}
	if p.N == 0 {
		return append(out, words.Warning(words.NoCommonRow, a.name, b.name))
	}
	if p.Verdicts > 0 {
		out.Verdicts(p.Confusion, a.name, b.name)
	} else if a.verdict != nil {
		out.Add(isConstant(a.verdict), words.OneClass, a.name, b.name)
		out.Add(true, words.NoThreshold, b.name)
	}
	out.Add(p.N < fewItems, words.FewItems, words.Counted(p.N, "item"))
	out.Add(w.cluster != nil && p.Conversations < fewClusters, words.FewClusters, p.Conversations)
	lost := w.rows - p.N
	out.Add(float64(lost) > muchMissing*float64(w.rows),
		words.MissingRows, lost, w.rows, a.name, a.missing, b.name, b.missing)
	for _, s := range []*side{a, b} {
		out.Add(s.verdict == nil && isConstant(s.any()), words.Constant, s.name)
	}
	return out
}

func isConstant(v []float64) bool {
	present := stat.Present(v)
	return stat.Constant(present)
}

// tableWarnings are the caveats of the whole table.
func (w *agreeWork) tableWarnings(r *report.TableAgreement) []report.Warning {
	out := warningList{}
	out.Add(w.cluster == nil, words.NoClusters)
	out.Add(w.unplaced > 0, words.RowsWithoutCluster, w.unplaced, w.cfg.Cluster)
	out.Add(w.tab.Unreadable > 0, words.UnreadableRows, w.tab.Unreadable)
	different := slices.ContainsFunc(r.Pairs, func(p report.ColumnPair) bool { return p.N != r.Pairs[0].N })
	out.Add(different && len(w.judges) > 1, words.DifferentItems)
	if r.Blind != nil {
		out.Add(len(w.judges) == 2, words.TwoJudges)
		out.Add(r.Blind.Family != "", words.OneFamily, r.Blind.Family)
		for _, name := range r.Blind.Opposed {
			out.Add(true, words.Opposed, name)
		}
	}
	return out
}
