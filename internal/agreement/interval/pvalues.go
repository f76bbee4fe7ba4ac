package interval

import (
	"cmp"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/sorting"
)

// McNemar returns the exact two-sided p-value for two raters (McNemar 1947): only the first is
// right on b items, only the second on c. Without such items it is 1.
func McNemar(b, c int) (float64, error) {
	if b < 0 || c < 0 || float64(b)+float64(c) > maxCount {
		return 0, fmt.Errorf("need 0 <= b, c and b+c <= %g, got b=%d c=%d", maxCount, b, c)
	}
	return math.Min(1, 2*stat.BinomialCDF(float64(min(b, c)), float64(b+c), 0.5)), nil
}

// Holm corrects p-values (NaN means missing) for their number (Holm 1979), in input order. A
// missing p-value stays undefined and does not count.
func Holm(p []float64) ([]stat.Opt, error) {
	out := make([]stat.Opt, len(p))
	var present []int
	for i, x := range p {
		out[i] = stat.None(stat.NoItems)
		switch {
		case math.IsNaN(x):
		case x < 0 || x > 1:
			return nil, fmt.Errorf("p %d must be in 0..1, got %v", i+1, x)
		default:
			present = append(present, i)
		}
	}
	sorting.Stable(present, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	last := 0.0
	for rank, i := range present {
		last = math.Max(last, math.Min(1, float64(len(present)-rank)*p[i]))
		out[i] = stat.Some(last)
	}
	return out, nil
}
