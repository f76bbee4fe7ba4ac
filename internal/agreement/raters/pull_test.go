package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// answers draws the answers of so many items in pairs of one conversation: two rubrics on a scale of 1 to
// 5 whose latent scores have the given correlation.
func answers(rng *rand.Rand, items int, rho float64) (x, y []float64) {
	grade := func(z float64) float64 { return math.Max(1, math.Min(5, math.Round(z+3))) }
	for range items {
		a := rng.NormFloat64()
		b := rho*a + math.Sqrt(1-rho*rho)*rng.NormFloat64()
		x, y = append(x, grade(a)), append(y, grade(b))
	}
	return x, y
}

// TestPulled: the interval of the pull covers what it is of, about as often as it says, and rubrics that pull
// each other are found.
func TestPulled(t *testing.T) {
	const items, runs = 80, 150
	cluster := make([]int, items)
	for i := range cluster {
		cluster[i] = i / 2
	}
	for _, rho := range []float64{0.3, 0.8} {
		rng, covered, found := rand.New(rand.NewPCG(5, 28)), 0, 0
		x, y := answers(rng, 200_000, rho)
		u, v := answers(rng, 200_000, 0.3)
		truth := spearman(x, y).Value - spearman(u, v).Value
		if rho == 0.3 {
			truth = 0
		}
		for range runs {
			x, y := answers(rng, items, rho)
			u, v := answers(rng, items, 0.3)
			got, err := Pulled([2][]float64{x, y}, [2][]float64{u, v}, cluster, 0.05)
			if err != nil || got.N != items {
				t.Fatal(got, err)
			}
			ci := got.Difference.CI
			if ci.Low.Value <= truth && truth <= ci.High.Value {
				covered++
			}
			if ci.Low.Value > 0 {
				found++
			}
		}
		t.Logf("rho %v: pull %.2f, covered in %d of %d, found in %d", rho, truth, covered, runs, found)
		if share := float64(covered) / runs; share < 0.92 || share > 0.98 {
			t.Errorf("rho %v: covered in %d of %d", rho, covered, runs)
		}
		if rho == 0.8 && found < runs*9/10 {
			t.Errorf("a pull of %.2f is found in %d of %d", truth, found, runs)
		}
	}
}

// TestPulledEdges: what has no variation, or no items, has no number; equal settings have a pull of 0.
func TestPulledEdges(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 1, 2, 3}, []float64{2, 1, 4, 3, 5, 2, 2, 3}
	flat := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	none := make([]float64, 8)
	for i := range none {
		none[i] = stat.Missing()
	}
	if got, err := Pulled([2][]float64{x, y}, [2][]float64{x, y}, nil, 0.05); err != nil || got.Difference.Value.Value != 0 || got.Difference.CI.Low.Valid {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := Pulled([2][]float64{x, flat}, [2][]float64{x, y}, nil, 0.05); err != nil || got.Difference.Value.Valid || !got.Alone.Valid {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := Pulled([2][]float64{x, none}, [2][]float64{x, y}, nil, 0.05); err != nil || got.N != 0 || got.Joint.Valid {
		t.Errorf("%+v %v", got, err)
	}
}
