package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestIsotonicIsMonotoneAndKeepsTheMean(t *testing.T) {
	stattest.Repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		n := 1 + r.IntN(40)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(12)), float64(r.IntN(2))
		}
		f := stattest.Must[Isotonic](t)(FitIsotonic(x, y))
		total, last := 0.0, math.Inf(-1)
		for _, v := range x {
			total += f.Predict(v).Value
		}
		for q := -1.0; q < 13; q += 0.25 {
			p := f.Predict(q).Value
			if p < last {
				t.Errorf("the fit falls at %v", q)
			}
			last = p
		}
		if math.Abs(total-stat.Sum(y)) > 1e-9 {
			t.Errorf("the fit sums to %v, the data to %v", total, stat.Sum(y))
		}
	})
}
