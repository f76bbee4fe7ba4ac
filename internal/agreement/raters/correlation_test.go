package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func BenchmarkCorrelateMillion(b *testing.B) {
	items, clusters := 1_000_000, 20_000
	if testing.Short() {
		items, clusters = 20_000, 400
	}
	x, y, _ := stattest.ClusteredPairs(1, items, clusters, 2)
	for b.Loop() {
		if _, err := Correlate(x, y, nil, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

func TestKendallByPairs(t *testing.T) {
	stattest.Repeat(t, 150, func(t *testing.T, r *rand.Rand) {
		c := stattest.RandomColumns(r, 2+r.IntN(40), 6, 2)
		x, y := c[0], c[1]
		s, nx, ny := 0.0, 0.0, 0.0
		sign := func(v float64) float64 {
			switch {
			case v > 0:
				return 1
			case v < 0:
				return -1
			}
			return 0
		}
		for i := range x {
			for j := range i {
				dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
				s += dx * dy
				nx += dx * dx
				ny += dy * dy
			}
		}
		got := stattest.Must[Correlation](t)(Correlate(x, y, nil, 0.05))
		if want := stat.Ratio(s, math.Sqrt(nx*ny), stat.ZeroVariance); !stattest.Near(got.KendallB, want) && got.KendallB.Valid {
			t.Errorf("tau %v, by pairs %v", got.KendallB, want)
		}
	})
}
