package columns

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// split compares stratum by stratum, largest first, beside the pooled numbers and the
// mean over strata: a pooled kappa can be high only because strata differ in their
// pass rates.
func (w *work) split(s strataOf, a, b *side) (Split, error) {
	out := Split{By: s.name}
	x, _ := complete(anyOf(a), anyOf(b))
	rows := make([][]int, len(s.names))
	for i, k := range s.of {
		if !math.IsNaN(x[i]) {
			rows[k] = append(rows[k], i)
		}
	}
	var all []int
	for k, name := range s.names {
		one, err := w.stratum(name, rows[k], a, b)
		if err != nil {
			return out, err
		}
		all = append(all, rows[k]...)
		out.Strata = append(out.Strata, one)
	}
	slices.SortStableFunc(out.Strata, func(p, q Stratum) int { return cmp.Or(cmp.Compare(q.N, p.N), cmp.Compare(p.Name, q.Name)) })
	slices.Sort(all)
	var err error
	if out.Pooled, err = w.stratum("pooled", all, a, b); err != nil {
		return out, err
	}
	out.Macro = macro(&out)
	return out, nil
}

func at(values []float64, rows []int) []float64 {
	if values == nil {
		return nil
	}
	out := make([]float64, len(rows))
	for k, i := range rows {
		out[k] = values[i]
	}
	return out
}

// stratum compares the given rows. It works on its own rows only, so that many small
// strata cost no more than one large one.
func (w *work) stratum(name string, rows []int, a, b *side) (Stratum, error) {
	s := Stratum{Name: name, N: len(rows), Small: len(rows) < w.cfg.SmallN, Measures: Measures{}}
	sub := *w
	sub.cluster = make([]int, len(rows))
	for k, i := range rows {
		sub.cluster[k] = w.cluster[i]
	}
	sub.cfg.Resamples = -1
	switch {
	case a.verdict != nil && b.verdict != nil:
		return s, sub.stratumVerdicts(&s, a, b, rows)
	case a.category != nil && b.category != nil:
		return s, sub.stratumCategories(&s, at(a.category, rows), at(b.category, rows))
	case a.value != nil && b.value != nil && !binaryValues(a.value):
		return s, sub.stratumValues(&s, at(a.value, rows), at(b.value, rows))
	}
	return s, sub.stratumScores(&s, at(a.verdict, rows), at(b.value, rows))
}

func (w *work) stratumVerdicts(s *Stratum, a, b *side, rows []int) error {
	v := lay(a.verdict, b.verdict, rows)
	s.Confusion = publicConfusion(v.confusion)
	s.N = v.confusion.N()
	s.Small = s.N < w.cfg.SmallN
	for _, r := range []struct {
		name, label string
		values      []float64
	}{{"base_rate", "base rate", v.a}, {"judge_rate", "judge's rate", v.b}, {"agreement", "same verdict", v.same}, {"recall_wrong", "recall of wrong items", v.caught}} {
		if r.name == "recall_wrong" && w.gold == nil {
			continue
		}
		m, err := w.rate(r.name, r.label, r.values)
		if err != nil {
			return err
		}
		s.Measures = append(s.Measures, m)
	}
	return w.stratumKappa(s, v.a, v.b, verdictScale, raters.NoWeights)
}

func (w *work) stratumKappa(s *Stratum, x, y, labels []float64, weights raters.Weighting) error {
	var p Pair
	if err := w.kappa(&p, x, y, labels, weights, "kappa", "Cohen's kappa"); err != nil {
		return err
	}
	s.Measures = append(s.Measures, p.Measures...)
	return nil
}

func (w *work) stratumCategories(s *Stratum, x, y []float64) error {
	same := make([]float64, len(x))
	for i := range x {
		same[i] = isTrue(x[i] == y[i])
	}
	m, err := w.rate("agreement", "same category", same)
	if err != nil {
		return err
	}
	s.Measures = append(s.Measures, m)
	weights := raters.NoWeights
	if w.scale() == Ordinal {
		weights = raters.Quadratic
	}
	return w.stratumKappa(s, x, y, w.labels, weights)
}

func (w *work) stratumValues(s *Stratum, x, y []float64) error {
	gap := make([]float64, len(x))
	for i := range x {
		gap[i] = y[i] - x[i]
	}
	for _, r := range []struct {
		name, label string
		values      []float64
	}{{"mean_a", "mean", x}, {"mean_b", "judge's mean", y}, {"bias", "bias", gap}} {
		m, err := w.mean(r.name, r.label, r.values)
		if err != nil {
			return err
		}
		s.Measures = append(s.Measures, m)
	}
	c, err := raters.AgreeContinuous(y, x, w.cfg.Alpha)
	if err != nil {
		return err
	}
	r, err := raters.Correlate(x, y, w.cfg.Alpha)
	s.Measures = append(s.Measures, point("mae", "mean absolute difference", c.MAE, s.N, 0), point("spearman", "Spearman's rho", r.Spearman, s.N, 0))
	return err
}

func (w *work) stratumScores(s *Stratum, y, score []float64) error {
	m, err := w.rate("base_rate", "base rate", y)
	if err != nil {
		return err
	}
	auc, err := truth.ClusteredAUC(y, score, w.cluster, w.cfg.Alpha)
	if err != nil {
		return err
	}
	a := point("auc", "AUC of the score", auc.AUC, s.N, m.Clusters)
	if a.Value != nil && auc.SE.Valid && auc.SE.Value > 0 {
		a.between(auc.CI, "placement values, CR1 by cluster")
	}
	s.Measures = append(s.Measures, m, a)
	return nil
}

// macro is the mean of every measure over the strata in which it is defined, each
// stratum counting once.
func macro(split *Split) Stratum {
	out := Stratum{Name: "macro: mean over strata", Measures: Measures{}}
	for _, m := range split.Pooled.Measures {
		sum, used := 0.0, 0
		for _, s := range split.Strata {
			if one := s.Measures.Get(m.Name); one != nil && one.Value != nil {
				sum += *one.Value
				used++
			}
		}
		mean := Measure{Name: m.Name, Label: m.Label, N: used, Percent: m.Percent, Reason: string(stat.NoItems), Note: "n counts strata"}
		if used > 0 {
			mean.Value, mean.Reason = rounded(sum/float64(used)), ""
		}
		out.Measures = append(out.Measures, mean)
	}
	out.N = len(split.Strata)
	return out
}
