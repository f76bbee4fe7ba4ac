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
		for name, of := range map[string]func(k, n, alpha float64) (Estimate, error){"wilson": Wilson, "clopper": ClopperPearson} {
			p := stattest.Must[Estimate](t)(of(float64(k), float64(n), 0.05))
			q := stattest.Must[Estimate](t)(of(float64(n-k), float64(n), 0.05))
			low, high, rate := p.CI.Low.Value, p.CI.High.Value, p.Value.Value
			if low < 0 || high > 1 || low > rate+1e-12 || high < rate-1e-12 {
				t.Errorf("%s of %d/%d: [%v, %v]", name, k, n, low, high)
			}
			if !(math.Abs(low+q.CI.High.Value-1) <= 1e-9) {
				t.Errorf("%s of %d/%d is not the mirror of its complement", name, k, n)
			}
		}
	})
}

// Holm's p-values lie between the plain ones and Bonferroni's, in the same order.
func TestHolmOrder(t *testing.T) {
	stattest.Repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		p := make([]float64, 1+r.IntN(20))
		for i := range p {
			p[i] = r.Float64() * r.Float64()
		}
		holm := stattest.Must[[]stat.Opt](t)(Holm(p))
		for i := range p {
			ladder := []float64{p[i], holm[i].Value, math.Min(1, float64(len(p))*p[i])}
			if !slices.IsSorted(ladder) {
				t.Errorf("p %v adjusts to %v", p[i], ladder)
			}
			for j := range p {
				if p[i] < p[j] && holm[i].Value > holm[j].Value {
					t.Errorf("%v and %v change places: %v and %v", p[i], p[j], holm[i], holm[j])
				}
			}
		}
	})
}

// TestMoverRatio: a certain denominator divides both ends; the interval holds the ratio, turns
// round with the sign, and widens with either interval.
func TestMoverRatio(t *testing.T) {
	of := func(v, low, high float64) Estimate {
		return Estimate{Value: stat.Some(v), CI: stat.Both(stat.Some(low), stat.Some(high))}
	}
	ends := func(a, b Estimate) [2]float64 {
		_, ci := MoverRatio(a, b)
		if !ci.Low.Valid {
			t.Fatalf("no interval for %v / %v", a, b)
		}
		return [2]float64{ci.Low.Value, ci.High.Value}
	}
	near := func(name string, got, want [2]float64) {
		t.Helper()
		if !(math.Abs(got[0]-want[0]) <= 1e-9) || !(math.Abs(got[1]-want[1]) <= 1e-9) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	near("certain", ends(of(-0.2, -0.3, -0.1), of(0.5, 0.5, 0.5)), [2]float64{-0.6, -0.2})
	near("across 0", ends(of(0.1, -0.1, 0.3), of(0.5, 0.5, 0.5)), [2]float64{-0.2, 0.6})
	up, down := ends(of(0.2, 0.1, 0.3), of(0.5, 0.4, 0.7)), ends(of(-0.2, -0.3, -0.1), of(0.5, 0.4, 0.7))
	near("mirrored", down, [2]float64{-up[1], -up[0]})
	// Worked by hand: r²(0.25-0.04) - 0.2r + 0.03 = 0 below, r²(0.25-0.01) - 0.2r + 0.03 = 0 above.
	near("by hand", up, [2]float64{(0.1 - math.Sqrt(0.01-0.21*0.03)) / 0.21, (0.1 + math.Sqrt(0.01-0.24*0.03)) / 0.24})
	if _, ci := MoverRatio(of(0.2, 0.1, 0.3), of(0.5, 0, 0.7)); ci.Low.Valid {
		t.Error("a denominator that may be 0 has an interval")
	}
}
