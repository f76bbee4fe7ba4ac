package quality

import (
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// Active labelling with recorded probabilities is unbiased; the mean of the
// labelled items alone is not.
func TestActiveMeanIsUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const repeats, n = 400, 300
	active, plain, target := 0.0, 0.0, 0.0
	for range repeats {
		y, f, u := make([]float64, n), make([]float64, n), make([]float64, n)
		truth := make([]float64, n)
		for i := range y {
			truth[i], f[i], u[i] = 1, 1, 0.05
			if r.Float64() < 0.3 { // uncertain items, mostly fails
				u[i] = 0.8
				if r.Float64() < 0.7 {
					truth[i] = 0
				}
			}
			target += truth[i] / (n * repeats)
		}
		pi, err := LabelingProbabilities(u, 60, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		labeled, passes := 0.0, 0.0
		for i := range y {
			y[i] = statistic.Missing()
			if r.Float64() < pi[i] {
				y[i] = truth[i]
				labeled++
				passes += truth[i]
			}
		}
		a, err := EstimateActive(y, f, pi, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		active += a.Estimate.Value / repeats
		plain += passes / labeled / repeats
	}
	if d := active - target; d < -0.01 || d > 0.01 {
		t.Errorf("active labelling estimates %.4f of %.4f", active, target)
	}
	if plain > target-0.1 {
		t.Errorf("the labelled items alone give %.4f of %.4f: the test has lost its point", plain, target)
	}
}
