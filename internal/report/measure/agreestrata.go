package measure

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/sorting"
)

// splitBy compares stratum by stratum, largest first, and adds the mean over strata. The number over all rows
// can be high just because strata differ in their pass rates. both are the rows that both sides have.
func (w *agreeWork) splitBy(col *inputColumn, both []pair, a, b, sure *side) report.Split {
	out := report.Split{By: col.name}
	eachWord(col, both, func(word word, pairs []pair) {
		name := word.Word
		if word.missing {
			name = "(missing)"
		}
		s := report.Stratum{Name: name, Small: len(pairs) < w.cfg.SmallN, ColumnPair: w.pairNumbers(match(pairs), a, b, sure)}
		s.MissingJudge, s.MissingRef = 0, 0 // they count rows of all strata
		out.Strata = append(out.Strata, s)
	})
	sorting.Stable(out.Strata, func(p, q report.Stratum) int {
		return cmp.Or(cmp.Compare(q.N, p.N), cmp.Compare(p.Name, q.Name))
	})
	out.Macro = macro(out.Strata)
	return out
}

// eachWord calls visit with each word of a column and its pairs. The slice is reused for the next word.
func eachWord(col *inputColumn, all []pair, visit func(word word, pairs []pair)) {
	// order holds the indexes of the pairs sorted by word; ends holds where each word's pairs end.
	order, ends := make([]int32, len(all)), make([]int, len(col.words)+1)
	code := func(i int) int32 { return col.code[all[i].of.call] }
	for i := range all {
		ends[code(i)+1]++
	}
	for word := range col.words {
		ends[word+1] += ends[word]
	}
	for i := range all {
		order[ends[code(i)]] = int32(i)
		ends[code(i)]++
	}
	var pairs []pair
	from := 0
	for i, word := range col.words {
		pairs = pairs[:0]
		for ; from < ends[i]; from++ {
			pairs = append(pairs, all[order[from]])
		}
		visit(word, pairs)
	}
}

// macro returns the mean of every number over the strata that define it; n counts these strata.
func macro(strata []report.Stratum) (out report.ColumnPair) {
	out = shapeOf(&strata[0].ColumnPair)
	out.N, out.Conversations = len(strata), len(strata)
	numbers := make([][]*report.Estimate, len(strata))
	for i := range strata {
		numbers[i] = numbersOf(&strata[i].ColumnPair)
	}
	for k, mean := range numbersOf(&out) {
		if first := numbers[0][k]; !first.Defined() && first.Reason == "" {
			continue // the pair does not have this number
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

// shapeOf returns a pair with the same kinds, without numbers.
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

// numbersOf returns the numbers of a pair that can be averaged over strata.
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

// pairWarnings returns the warnings about a pair's numbers.
func (w *agreeWork) pairWarnings(p *report.ColumnPair, a, b *side) []report.Warning {
	out := warningList{}
	if p.N == 0 {
		return append(out, words.Warning(words.NoCommonRow, a.Name, b.Name))
	}
	if p.Verdicts == 0 && a.kinds[verdictKind] {
		out.Add(w.isConstant(a, observation.verdict), words.OneClass, a.Name, b.Name)
		out.Add(true, words.NoThreshold, b.Name)
	}
	out.Numbers(&p.AgreementRow)
	out.Add(w.cluster != nil && p.Conversations < fewClusters, words.FewClusters, p.Conversations)
	rows := len(w.calls)
	lost := rows - p.N
	out.Add(float64(lost) > muchMissing*float64(rows),
		words.MissingRows, lost, rows, a.Name, a.missing, b.Name, b.missing)
	for _, s := range []*side{a, b} {
		out.Add(!s.kinds[verdictKind] && w.isConstant(s, observation.number), words.Constant, s.Name)
	}
	return out
}

func (w *agreeWork) isConstant(s *side, of func(observation) float64) bool {
	numbers, _ := w.matrix([]*side{s}, of)
	return stat.Constant(stat.Present(numbers[0]))
}

// tableWarnings returns the warnings about the whole table.
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
