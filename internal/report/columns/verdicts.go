package columns

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

var verdictScale = []float64{0, 1}

func keepIf(keep bool, x float64) float64 {
	if keep {
		return x
	}
	return math.NaN()
}

// verdictColumns are the shares that follow from two columns of verdicts, item by
// item; NaN where an item does not count for a share.
type verdictColumns struct {
	a, b, same, caught, kept, rightFail, rightPass []float64
	confusion                                      truth.Confusion
}

// lay cuts the columns to the given rows (nil: all).
func lay(a, b []float64, rows []int) verdictColumns {
	n := len(a)
	if rows != nil {
		n = len(rows)
	}
	var v verdictColumns
	for _, list := range []*[]float64{&v.a, &v.b, &v.same, &v.caught, &v.kept, &v.rightFail, &v.rightPass} {
		*list = make([]float64, n)
	}
	for k := range n {
		i := k
		if rows != nil {
			i = rows[k]
		}
		x, y := a[i], b[i]
		ok := !math.IsNaN(x) && !math.IsNaN(y)
		v.a[k], v.b[k] = keepIf(ok, x), keepIf(ok, y)
		v.same[k] = keepIf(ok, 1-math.Abs(x-y))
		v.caught[k] = keepIf(ok && x == 0, 1-y)
		v.kept[k] = keepIf(ok && x == 1, y)
		v.rightFail[k] = keepIf(ok && y == 0, 1-x)
		v.rightPass[k] = keepIf(ok && y == 1, x)
		switch {
		case !ok:
		case x == 1 && y == 1:
			v.confusion.TP++
		case x == 1:
			v.confusion.FN++
		case y == 1:
			v.confusion.FP++
		default:
			v.confusion.TN++
		}
	}
	return v
}

func publicConfusion(c truth.Confusion) *Confusion {
	return &Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
}

// verdictMeasures compares two columns of verdicts.
func (w *work) verdictMeasures(p *Pair, a, b *side) error {
	v := lay(a.verdict, b.verdict, nil)
	p.Confusion = publicConfusion(v.confusion)
	type share struct {
		name, label string
		values      []float64
	}
	shares := []share{
		{"base_rate", "base rate: passed by " + a.name, v.a},
		{"judge_rate", "passed by " + b.name, v.b},
		{"agreement", "same verdict", v.same},
	}
	if w.gold != nil {
		shares = append(shares,
			share{"recall_wrong", "recall of wrong items", v.caught},
			share{"specificity", "specificity: right items passed", v.kept},
			share{"precision_fail", "precision of its fails", v.rightFail},
			share{"precision_pass", "precision of its passes", v.rightPass})
	}
	for _, s := range shares {
		m, err := w.rate(s.name, s.label, s.values)
		if err != nil {
			return err
		}
		p.Measures = append(p.Measures, m)
	}
	n, clusters := w.both(v.a, v.b)
	if w.gold != nil {
		for _, s := range []struct {
			name, label string
			of          func(truth.BinaryMetrics) stat.Opt
		}{
			{"balanced_accuracy", "balanced accuracy", func(m truth.BinaryMetrics) stat.Opt { return m.BalancedAccuracy }},
			{"mcc", "Matthews correlation (MCC)", func(m truth.BinaryMetrics) stat.Opt { return m.MCC }},
		} {
			m, err := w.confusionMeasure(p, &v, s.of)
			if err != nil {
				return err
			}
			m.Name, m.Label, m.N, m.Clusters = s.name, s.label, n, clusters
			m.Percent = s.name == "balanced_accuracy"
			p.Measures = append(p.Measures, m)
		}
	}
	if err := w.kappa(p, v.a, v.b, verdictScale, raters.NoWeights, "kappa", "Cohen's kappa"); err != nil {
		return err
	}
	return w.ac1(p, &v, n, clusters)
}

// confusionMeasure is a measure of the four counts with a bootstrap interval.
func (w *work) confusionMeasure(p *Pair, v *verdictColumns, of func(truth.BinaryMetrics) stat.Opt) (Measure, error) {
	var m Measure
	m.set(of(v.confusion.Metrics()))
	cfg, ok := w.bootstrap(4, w.groups(p))
	if !ok || m.Value == nil {
		return m, nil
	}
	s, err := truth.ConfusionInterval(v.a, v.b, w.cluster, of, cfg)
	if err == nil {
		w.resampled(&m, s, cfg)
	}
	return m, err
}

// kappa appends Cohen's kappa with its closed interval, and the same with a bootstrap
// interval, which is the one to read near 1.
func (w *work) kappa(p *Pair, a, b, labels []float64, weights raters.Weighting, name, label string) error {
	cfg, ok := w.bootstrap(len(labels)*len(labels), w.groups(p))
	k, err := raters.ClusteredKappa(a, b, w.cluster, labels, weights, cfg)
	if err != nil {
		return err
	}
	m := Measure{Name: name, Label: label, N: k.N}
	m.set(k.Kappa.Kappa)
	if w.clustered {
		m.Clusters = k.Clusters
		if k.Clusters > 1 {
			m.between(k.CRCI, "t(G-1), CR1 by cluster")
		}
	} else {
		m.between(k.CI, "asymptotic, items independent")
	}
	if m.Low != nil && *m.Low == *m.High {
		m.Low, m.High, m.Method, m.Note = nil, nil, "", "no disagreement to estimate an error from"
	}
	p.Measures = append(p.Measures, m)
	if !ok || m.Value == nil || *m.Value == 1 {
		return nil
	}
	boot := Measure{Name: name + "_bootstrap", Label: "  by bootstrap", N: m.N, Clusters: m.Clusters, Value: m.Value}
	w.resampled(&boot, k.Bootstrap, cfg)
	p.Measures = append(p.Measures, boot)
	return nil
}

// ac1 is Gwet's coefficient for verdicts. Its linearised error is over items; with
// clusters the bootstrap takes its place.
func (w *work) ac1(p *Pair, v *verdictColumns, n, clusters int) error {
	m := Measure{Name: "ac1", Label: "Gwet's AC1", N: n, Clusters: clusters}
	g, err := raters.GwetAC([][]float64{v.a, v.b}, verdictScale, raters.NoWeights, w.cfg.Alpha)
	if err != nil {
		return err
	}
	m.set(g.Coef)
	if !w.clustered {
		m.between(g.CI, "linearised, items independent")
	} else if cfg, ok := w.bootstrap(4, w.groups(p)); ok && m.Value != nil {
		s, err := truth.ConfusionInterval(v.a, v.b, w.cluster, ac1Of, cfg)
		if err != nil {
			return err
		}
		w.resampled(&m, s, cfg)
	}
	p.Measures = append(p.Measures, m)
	return nil
}

// ac1Of is AC1 of two raters with two categories, from the counts: chance agreement
// is 2π(1-π), π the mean share of passes (Gwet 2008).
func ac1Of(m truth.BinaryMetrics) stat.Opt {
	n := float64(m.N())
	if n == 0 {
		return stat.None(stat.NoItems)
	}
	pi := float64(2*m.TP+m.FP+m.FN) / (2 * n)
	pa, pe := float64(m.TP+m.TN)/n, 2*pi*(1-pi)
	return stat.Some((pa - pe) / (1 - pe))
}
