package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestIntervalsHoldTheirRate(t *testing.T) {
	stattest.Repeat(t, 300, func(t *testing.T, r *rand.Rand) {
		n := 1 + r.IntN(60)
		k := r.IntN(n + 1)
		p := stattest.Must[Proportion](t)(ProportionCI(float64(k), float64(n), 0.05))
		q := stattest.Must[Proportion](t)(ProportionCI(float64(n-k), float64(n), 0.05))
		for name, pair := range map[string][2]stat.Interval{
			"wilson": {p.Wilson, q.Wilson}, "clopper": {p.ClopperPearson, q.ClopperPearson},
			"jeffreys": {p.Jeffreys, q.Jeffreys}, "agresti": {p.AgrestiCoull, q.AgrestiCoull},
		} {
			low, high := pair[0].Low.Value, pair[0].High.Value
			if low < 0 || high > 1 || low > p.P.Value+1e-12 || high < p.P.Value-1e-12 {
				t.Errorf("%s of %d/%d: [%v, %v]", name, k, n, low, high)
			}
			if math.Abs(low+pair[1].High.Value-1) > 1e-9 {
				t.Errorf("%s of %d/%d is not the mirror of its complement", name, k, n)
			}
		}
		a := stattest.Must[Difference](t)(NewcombeDiff(float64(k), float64(n), 3, 9, 0.05))
		b := stattest.Must[Difference](t)(NewcombeDiff(3, 9, float64(k), float64(n), 0.05))
		if math.Abs(a.CI.Low.Value+b.CI.High.Value) > 1e-12 {
			t.Errorf("newcombe is not antisymmetric: %v and %v", a, b)
		}
	})
}

func TestAdjustedPOrder(t *testing.T) {
	stattest.Repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		p := make([]float64, 1+r.IntN(20))
		for i := range p {
			p[i] = r.Float64() * r.Float64()
		}
		a := stattest.Must[Adjusted](t)(AdjustP(p, 0.05))
		for i := range p {
			ladder := []float64{p[i], a.BH[i].Value, a.Hochberg[i].Value, a.Holm[i].Value, a.Bonferroni[i].Value}
			if !slices.IsSorted(ladder) || a.BY[i].Value < a.BH[i].Value || ladder[4] > 1 {
				t.Errorf("p %v adjusts to %v", p[i], ladder)
			}
		}
	})
}
