package columns

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/report/measure"
)

// stratumColumns are the measures of a pair that its strata show, under the first name.
var stratumColumns = []measureColumn{
	{head: "base", names: []string{"base_rate"}},
	{head: "rate", names: []string{"judge_rate"}},
	{head: "same", ends: true, names: []string{"agreement", "same_category"}},
	{head: "wrong found", ends: true, names: []string{"recall_wrong"}},
	{head: "kappa", ends: true, names: kappas},
	{head: "AUC", ends: true, names: []string{"auc"}},
	{head: "mean", names: []string{"mean_a"}},
	{head: "its mean", names: []string{"mean_b"}},
	{head: "bias", names: []string{"bias"}},
	{head: "abs. diff.", names: []string{"mae"}},
	{head: "rho", names: []string{"spearman"}},
}

// splitBy compares stratum by stratum, largest first, beside the pooled numbers and the
// mean over strata: a pooled kappa can be high only because strata differ in their
// pass rates.
func (w *work) splitBy(col *column, a, b *side) Split {
	out := Split{By: col.name}
	rows := map[string][]int{}
	var all []int
	x := w.both(a.any(), b.any()).Gold
	for i, k := range col.code {
		name := col.words[k].Word
		if col.words[k].missing {
			name = "(missing)"
		}
		if !math.IsNaN(x[i]) {
			rows[name], all = append(rows[name], i), append(all, i)
		} else if rows[name] == nil {
			rows[name] = []int{}
		}
	}
	for name, of := range rows {
		out.Strata = append(out.Strata, w.stratum(name, of, a, b))
	}
	slices.SortFunc(out.Strata, func(p, q Stratum) int {
		return cmp.Or(cmp.Compare(q.N, p.N), cmp.Compare(p.Name, q.Name))
	})
	out.Pooled = w.stratum("pooled", all, a, b)
	out.Macro = macro(&out)
	return out
}

// stratum compares the given rows by the finest kind that both sides have. It works on its
// own rows only, so that many small strata cost no more than one large one.
func (w *work) stratum(name string, rows []int, a, b *side) Stratum {
	at := func(values []float64) []float64 { return picked(values, rows) }
	sub := *w
	sub.rows = len(rows)
	if w.cluster != nil {
		sub.cluster = picked(w.cluster, rows)
	}
	var p Pair
	switch {
	case a.verdict != nil && b.verdict != nil:
		sub.verdictMeasures(&p, &side{name: a.name, verdict: at(a.verdict)},
			&side{name: b.name, verdict: at(b.verdict)})
	case a.category != nil && b.category != nil:
		sub.categoryMeasures(&p, &side{category: at(a.category)}, &side{category: at(b.category)})
	case a.value != nil && b.value != nil && a.verdict == nil:
		sub.valueMeasures(&p, &side{name: a.name, value: at(a.value)}, &side{name: b.name, value: at(b.value)})
	default:
		sub.scoreMeasures(&p, &side{name: a.name, verdict: at(a.verdict)}, &side{name: b.name, value: at(b.value)})
	}
	n := p.Measures[0].N
	out := Stratum{Name: name, N: n, Small: n < w.cfg.SmallN, Confusion: p.Confusion, Measures: Measures{}}
	for _, want := range stratumColumns {
		if m := p.Measures.get(want.names...); m != nil {
			one := *m
			one.Name = want.names[0]
			out.Measures = append(out.Measures, one)
		}
	}
	return out
}

// picked are the values in the given rows.
func picked[T any](values []T, rows []int) []T {
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = values[i]
	}
	return out
}

// macro is the mean of every measure over the strata in which it is defined, each
// stratum counting once.
func macro(split *Split) Stratum {
	out := Stratum{Name: "macro: mean over strata", N: len(split.Strata), Measures: Measures{}}
	for _, m := range split.Pooled.Measures {
		var values []float64
		for _, s := range split.Strata {
			if one := s.Measures.get(m.Name); one != nil && one.Defined() {
				values = append(values, *one.Value)
			}
		}
		mean := Measure{Name: m.Name, Label: m.Label, size: size{N: len(values)}, Share: m.Share,
			Note: "n counts strata"}
		mean.Estimate = report.Point(stat.Ratio(stat.Sum(values), float64(len(values)), stat.NoItems))
		out.Measures = append(out.Measures, mean)
	}
	return out
}

const (
	fewClusters = 10
	muchMissing = 0.02
)

// pairWarnings are the caveats of a pair's numbers.
func (w *work) pairWarnings(p *Pair, a, b *side) []report.Warning {
	out := measure.Warnings{}
	if p.N == 0 {
		out.Add(true, "no_items", "no row has both %s and %s", a.name, b.name)
		return out
	}
	if p.Confusion != nil {
		out.Verdicts(*p.Confusion, a.name, b.name)
	} else if a.verdict != nil {
		out.Add(constant(a.verdict), "one_class",
			"%s has one class only: it cannot show whether %s separates right from wrong", a.name, b.name)
		out.Add(true, "no_threshold",
			"%s holds numbers and no threshold says which pass: there are no verdicts to compare", b.name)
	}
	out.Add(p.N < measure.FewItems, "few_items", "only %s", document.Count(p.N, "item", "items"))
	out.Add(w.cluster != nil && p.Clusters < fewClusters, "few_clusters",
		"only %d clusters: intervals rest on the t distribution alone, and percentile intervals are too short",
		p.Clusters)
	lost := w.rows - p.N
	out.Add(float64(lost) > muchMissing*float64(w.rows), "missing",
		"%d of %d rows lack %s (%d) or %s (%d) and are left out", lost, w.rows, a.name, a.missing, b.name, b.missing)
	for _, s := range []*side{a, b} {
		out.Add(s.verdict == nil && constant(s.any()), "constant", "%s is the same everywhere", s.name)
	}
	return out
}

func constant(v []float64) bool {
	present := stat.Present(v)
	return stat.Constant(present)
}

// tableWarnings are the caveats of the whole table.
func (w *work) tableWarnings(r *Report) []report.Warning {
	out := measure.Warnings{}
	out.Add(w.cluster == nil, "no_clusters",
		"no cluster column: the intervals take every row as independent; "+
			"calls of one conversation are not, and then these are too short")
	out.Add(w.unplaced > 0, "no_cluster", "%d rows name no %s and are left out", w.unplaced, w.cfg.Cluster)
	out.Add(w.tab.Unreadable > 0, "unreadable", "%d rows could not be read and are left out", w.tab.Unreadable)
	different := slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.N != r.Pairs[0].N })
	out.Add(different && len(w.judges) > 1, "different_items",
		"the judges answered different items: compare them by the differences on common items, not by their rows")
	if r.Blind != nil {
		out.Add(len(w.judges) == 2, "two_judges",
			"two judges alone: which of them is right where they differ cannot be seen; add a third, or labels")
		out.Add(r.Blind.Family != "", "one_family", "all judges are of one model family, %s: they share mistakes, which "+
			"look like agreement; add a judge of another family", r.Blind.Family)
		for _, name := range r.Blind.Opposed {
			out.Add(true, "opposed", "%s says rather the opposite of the other judges: is its column the other way round, "+
				"or are the others wrong together?", name)
		}
	}
	return out
}
