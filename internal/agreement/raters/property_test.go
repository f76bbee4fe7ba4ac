package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// plainKappa is kappa of independent items.
func plainKappa(t *testing.T, a, b, labels []float64, w Weighting) Kappa {
	t.Helper()
	return stattest.Must[Kappa](t)(CohenKappa(a, b, nil, nil, labels, w, 0.05))
}

func TestKappaIsSymmetricAndBounded(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := stattest.RandomColumns(r, 2+r.IntN(40), 5, 2)
		for _, w := range []Weighting{NoWeights, linear, Quadratic} {
			k := plainKappa(t, c[0], c[1], stattest.ScaleTo(5), w)
			s := plainKappa(t, c[1], c[0], stattest.ScaleTo(5), w)
			if !stattest.Near(k.Value, s.Value) || !(math.Abs(k.SE.Value-s.SE.Value) <= 1e-7) {
				t.Errorf("%s: kappa %v, swapped %v", w, k, s)
			}
			if k.Value.Valid && k.Value.Value > 1+1e-12 {
				t.Errorf("kappa %v above 1", k.Value)
			}
			self := plainKappa(t, c[0], c[0], stattest.ScaleTo(5), w)
			if self.Value.Valid && !(math.Abs(self.Value.Value-1) <= 1e-12) {
				t.Errorf("kappa of a rater with itself is %v", self.Value)
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
		if stattest.Near(full.Value, seen.Value) != tt.same {
			t.Errorf("%s: declared %v, observed %v", tt.w, full.Value, seen.Value)
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
			a := stattest.Must[Alpha](t)(ClusteredAlpha(c, nil, level, 0.05))
			b := stattest.Must[Alpha](t)(ClusteredAlpha(shuffled, nil, level, 0.05))
			if !stattest.Near(a.Value, b.Value) || a.Value.Value > 1 {
				t.Errorf("%s: alpha %v, shuffled %v", level, a.Value, b.Value)
			}
		}
		for _, w := range []Weighting{NoWeights, linear, Quadratic} {
			a := stattest.Must[RaterAgreement](t)(GwetAC(c, nil, nil, stattest.ScaleTo(5), w, 0.05))
			b := stattest.Must[RaterAgreement](t)(GwetAC(shuffled, nil, nil, stattest.ScaleTo(5), w, 0.05))
			if !stattest.Near(a.Value, b.Value) || !stattest.Near(a.SE, b.SE) || a.Value.Value > 1+1e-12 {
				t.Errorf("%s: %v, shuffled %v", w, a, b)
			}
		}
	})
}
