package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// plainKappa is kappa of independent items.
func plainKappa(t *testing.T, a, b, labels []float64, w Weighting) Kappa {
	t.Helper()
	return stattest.Must[KappaCluster](t)(ClusteredKappa(a, b, nil, labels, w, interval.Bootstrap{Alpha: 0.05})).Kappa
}

func TestKappaIsSymmetricAndBounded(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := stattest.RandomColumns(r, 2+r.IntN(40), 5, 2)
		for _, w := range []Weighting{NoWeights, linear, Quadratic} {
			k := plainKappa(t, c[0], c[1], stattest.ScaleTo(5), w)
			s := plainKappa(t, c[1], c[0], stattest.ScaleTo(5), w)
			if !stattest.Near(k.Kappa, s.Kappa) || math.Abs(k.SE.Value-s.SE.Value) > 1e-7 {
				t.Errorf("%s: kappa %v, swapped %v", w, k, s)
			}
			if k.Kappa.Valid && k.Kappa.Value > 1+1e-12 {
				t.Errorf("kappa %v above 1", k.Kappa)
			}
			self := plainKappa(t, c[0], c[0], stattest.ScaleTo(5), w)
			if self.Kappa.Valid && math.Abs(self.Kappa.Value-1) > 1e-12 {
				t.Errorf("kappa of a rater with itself is %v", self.Kappa)
			}
		}
	})
}

// A full scale that is not used changes weighted kappa, and never plain kappa.
func TestKappaUsesTheDeclaredScale(t *testing.T) {
	a, b := []float64{1, 2, 5, 5, 1, 2}, []float64{1, 5, 5, 2, 1, 2}
	for _, tt := range []struct {
		w    Weighting
		same bool
	}{{NoWeights, true}, {linear, false}, {Quadratic, false}} {
		full := plainKappa(t, a, b, []float64{1, 2, 3, 4, 5}, tt.w)
		seen := plainKappa(t, a, b, []float64{1, 2, 5}, tt.w)
		if stattest.Near(full.Kappa, seen.Kappa) != tt.same {
			t.Errorf("%s: declared %v, observed %v", tt.w, full.Kappa, seen.Kappa)
		}
	}
}

// A permutation of items changes no statistic; of raters, none of those that
// treat raters alike.
func TestPermutationInvariance(t *testing.T) {
	stattest.Repeat(t, 60, func(t *testing.T, r *rand.Rand) {
		n := 6 + r.IntN(30)
		c := stattest.RandomColumns(r, n, 5, 3)
		for _, col := range c {
			if r.IntN(2) == 0 {
				col[r.IntN(n)] = stat.Missing()
			}
		}
		perm := r.Perm(n)
		shuffled := make([][]float64, 3)
		for j, col := range c {
			shuffled[2-j] = make([]float64, n)
			for i, k := range perm {
				shuffled[2-j][i] = col[k]
			}
		}
		for _, level := range []string{LevelNominal, LevelOrdinal, LevelInterval} {
			a := stattest.Must[AlphaCluster](t)(ClusteredAlpha(c, nil, level, 0.05))
			b := stattest.Must[AlphaCluster](t)(ClusteredAlpha(shuffled, nil, level, 0.05))
			if !stattest.Near(a.Alpha.Alpha, b.Alpha.Alpha) || a.Alpha.Alpha.Value > 1 {
				t.Errorf("%s: alpha %v, shuffled %v", level, a.Alpha, b.Alpha)
			}
		}
		for _, w := range []Weighting{NoWeights, linear, Quadratic} {
			a := stattest.Must[RaterAgreement](t)(GwetAC(c, stattest.ScaleTo(5), w, 0.05))
			b := stattest.Must[RaterAgreement](t)(GwetAC(shuffled, stattest.ScaleTo(5), w, 0.05))
			if !stattest.Near(a.Coef, b.Coef) || !stattest.Near(a.SE, b.SE) || a.Coef.Value > 1+1e-12 {
				t.Errorf("%s: %v, shuffled %v", w, a, b)
			}
		}
	})
}
