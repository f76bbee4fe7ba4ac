package interval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// McNemar is the exact two-sided p that, of the items on which one rater alone is right,
// b are the first one's and c the second one's: 1 where there is none.
func McNemar(b, c int) (float64, error) {
	if b < 0 || c < 0 || float64(b)+float64(c) > maxCount {
		return 0, fmt.Errorf("need 0 <= b, c and b+c <= %g, got b=%d c=%d", maxCount, b, c)
	}
	return math.Min(1, 2*stat.BinomialCDF(float64(min(b, c)), float64(b+c), 0.5)), nil
}

// Holm adjusts p-values (NaN: missing) for their number, in input order; a missing p
// stays undefined and does not count.
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
	slices.SortStableFunc(present, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	last := 0.0
	for rank, i := range present {
		last = math.Max(last, math.Min(1, float64(len(present)-rank)*p[i]))
		out[i] = stat.Some(last)
	}
	return out, nil
}

// RateChange are the counts of one tool in two independent runs: K1 of N1 and K2 of N2.
type RateChange struct{ K1, N1, K2, N2 int }

// RateTest is the change of one tool; without data there is no p, and it does not count as
// a test.
type RateTest struct {
	P, PHolm stat.Opt
	// Flagged says that PHolm is at most alpha.
	Flagged bool
}

// TestRates tests the rate of each tool by Fisher's exact test and corrects over tools.
// The order of tools is kept.
func TestRates(tools []RateChange, alpha float64) ([]RateTest, error) {
	p := make([]float64, len(tools))
	for i, t := range tools {
		if p[i] = stat.FisherTwoSided(t.K1, t.N1, t.K2, t.N2); t.N1 == 0 || t.N2 == 0 {
			p[i] = math.NaN()
		} else if math.IsNaN(p[i]) {
			return nil, fmt.Errorf("tool %d: need 0 <= k <= n, got %d of %d and %d of %d", i+1, t.K1, t.N1, t.K2, t.N2)
		}
	}
	adjusted, err := Holm(p)
	if err != nil {
		return nil, err
	}
	out := make([]RateTest, len(tools))
	for i, a := range adjusted {
		out[i] = RateTest{P: stat.None(stat.NoItems), PHolm: a, Flagged: a.Valid && a.Value <= alpha}
		if a.Valid {
			out[i].P = stat.Some(p[i])
		}
	}
	return out, nil
}
