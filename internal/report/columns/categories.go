package columns

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
)

// categoryMeasures compares two columns over the declared scale.
func (w *work) categoryMeasures(p *Pair, a, b *side) error {
	x, y := complete(a.category, b.category)
	n, clusters := w.both(x, y)
	q := len(w.labels)
	p.Matrix = make([][]int, q)
	for k := range p.Matrix {
		p.Matrix[k] = make([]int, q)
	}
	same, near := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		same[i], near[i] = math.NaN(), math.NaN()
		if math.IsNaN(x[i]) {
			continue
		}
		r, c := slices.Index(w.labels, x[i]), slices.Index(w.labels, y[i])
		p.Matrix[r][c]++
		same[i], near[i] = isTrue(r == c), isTrue(r-c <= 1 && c-r <= 1)
	}
	ordinal := w.scale() == Ordinal
	m, err := w.rate("same_category", "same category", same)
	if err != nil {
		return err
	}
	p.Measures = append(p.Measures, m)
	if ordinal {
		if m, err = w.rate("within_one", "at most one category apart", near); err != nil {
			return err
		}
		p.Measures = append(p.Measures, m)
		if err := w.kappa(p, x, y, w.labels, raters.Quadratic, "kappa_quadratic", "Cohen's kappa, quadratic weights"); err != nil {
			return err
		}
	}
	if err := w.kappa(p, x, y, w.labels, raters.NoWeights, "kappa_categories", "Cohen's kappa, unweighted"); err != nil {
		return err
	}
	weights, name, label, level := raters.NoWeights, "ac1_categories", "Gwet's AC1", raters.LevelNominal
	if ordinal {
		weights, name, label, level = raters.Quadratic, "ac2", "Gwet's AC2, quadratic weights", raters.LevelOrdinal
	}
	g, err := raters.GwetAC([][]float64{x, y}, w.labels, weights, w.cfg.Alpha)
	if err != nil {
		return err
	}
	ac := point(name, label, g.Coef, n, clusters)
	if !w.clustered {
		ac.between(g.CI, "linearised, items independent")
	}
	alpha, err := w.krippendorff([][]float64{x, y}, level, w.groups(p))
	if err != nil {
		return err
	}
	alpha.N, alpha.Clusters = n, clusters
	p.Measures = append(p.Measures, ac, alpha)
	if ordinal && (a.value == nil || b.value == nil) {
		return w.correlations(p, x, y, n, clusters)
	}
	return nil
}

func isTrue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
