package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
)

func TestKappaIsSymmetricAndBounded(t *testing.T) {
	statistictest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := statistictest.RandomColumns(r, 2+r.IntN(40), 5, 2)
		for _, w := range []Weighting{NoWeights, Linear, Quadratic} {
			k := statistictest.Must[Kappa](t)(CohenKappa(c[0], c[1], statistictest.ScaleTo(5), w, 0.05))
			s := statistictest.Must[Kappa](t)(CohenKappa(c[1], c[0], statistictest.ScaleTo(5), w, 0.05))
			if !statistictest.Near(k.Kappa, s.Kappa) || math.Abs(k.SE.Value-s.SE.Value) > 1e-7 || !statistictest.Near(k.ScottPi, s.ScottPi) {
				t.Errorf("%s: kappa %v, swapped %v", w, k, s)
			}
			if k.Kappa.Valid && k.Kappa.Value > 1+1e-12 {
				t.Errorf("kappa %v above 1", k.Kappa)
			}
			self := statistictest.Must[Kappa](t)(CohenKappa(c[0], c[0], statistictest.ScaleTo(5), w, 0.05))
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
	}{{NoWeights, true}, {Linear, false}, {Quadratic, false}} {
		full := statistictest.Must[Kappa](t)(CohenKappa(a, b, []float64{1, 2, 3, 4, 5}, tt.w, 0.05))
		seen := statistictest.Must[Kappa](t)(CohenKappa(a, b, []float64{1, 2, 5}, tt.w, 0.05))
		if statistictest.Near(full.Kappa, seen.Kappa) != tt.same {
			t.Errorf("%s: declared %v, observed %v", tt.w, full.Kappa, seen.Kappa)
		}
	}
}

// A permutation of items changes no statistic; of raters, none of those that
// treat raters alike.
func TestPermutationInvariance(t *testing.T) {
	statistictest.Repeat(t, 60, func(t *testing.T, r *rand.Rand) {
		n := 6 + r.IntN(30)
		c := statistictest.RandomColumns(r, n, 5, 3)
		for _, col := range c {
			if r.IntN(2) == 0 {
				col[r.IntN(n)] = statistic.Missing()
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
		for _, level := range []string{LevelNominal, LevelOrdinal, LevelInterval, LevelRatio} {
			a := statistictest.Must[Alpha](t)(KrippendorffAlpha(c, level))
			b := statistictest.Must[Alpha](t)(KrippendorffAlpha(shuffled, level))
			if !statistictest.Near(a.Alpha, b.Alpha) || a.Alpha.Value > 1 {
				t.Errorf("%s: alpha %v, shuffled %v", level, a.Alpha, b.Alpha)
			}
		}
		for _, w := range []Weighting{NoWeights, Linear, Quadratic, Ordinal} {
			a := statistictest.Must[RaterAgreement](t)(GwetAC(c, statistictest.ScaleTo(5), w, 0.05))
			b := statistictest.Must[RaterAgreement](t)(GwetAC(shuffled, statistictest.ScaleTo(5), w, 0.05))
			if !statistictest.Near(a.Coef, b.Coef) || !statistictest.Near(a.SE, b.SE) || a.Coef.Value > 1+1e-12 {
				t.Errorf("%s: %v, shuffled %v", w, a, b)
			}
		}
	})
}
