package interval

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Estimate is a rate or a difference with its interval.
type Estimate struct {
	Value stat.Opt
	CI    stat.Interval
}

// maxCount limits counts, so that no tail needs too many terms.
const maxCount = 1e9

// Wilson returns the rate k/n with its score interval (Wilson 1927). The low end is exactly 0 for k=0, the
// high end 1 for k=n. k and n may be fractions: for clustered data pass k = p·nEff and n = nEff.
func Wilson(k, n, alpha float64) (Estimate, error) {
	return rate(k, n, alpha, func(k, n, alpha float64) stat.Interval { return wilson(k, n, stat.Critical(alpha)) })
}

// ClopperPearson returns the rate k/n with the interval that has guaranteed coverage (Clopper and Pearson 1934).
func ClopperPearson(k, n, alpha float64) (Estimate, error) {
	return rate(k, n, alpha, func(k, n, alpha float64) stat.Interval {
		low, high := 0.0, 1.0
		if k > 0 {
			low = stat.BetaQuantile(alpha/2, k, n-k+1)
		}
		if k < n {
			high = stat.BetaQuantile(1-alpha/2, k+1, n-k)
		}
		return stat.Interval{Low: stat.Some(low), High: stat.Some(high)}
	})
}

func rate(k, n, alpha float64, of func(k, n, alpha float64) stat.Interval) (Estimate, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Estimate{}, err
	}
	if !(k >= 0 && k <= n && n <= maxCount) {
		return Estimate{}, fmt.Errorf("need 0 <= k <= n <= %g, got k=%v n=%v", maxCount, k, n)
	}
	if n == 0 {
		return Estimate{stat.None(stat.NoItems), stat.NoInterval(stat.NoItems)}, nil
	}
	return Estimate{stat.Some(k / n), of(k, n, alpha)}, nil
}

// wilson returns the score interval with the quantile z; n must be positive.
func wilson(k, n, z float64) stat.Interval {
	p := k / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high := math.Max(0, center-half), math.Min(1, center+half)
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return stat.Interval{Low: stat.Some(low), High: stat.Some(high)}
}

// ScoreAround returns the score interval of a rate with a known standard error: Wilson's, for the
// number of items that gives this error, but at least for least items. A rate that is not strictly
// between 0 and 1, or has no error, has the plain interval.
func ScoreAround(rate, se, least, alpha float64) stat.Interval {
	z := stat.Critical(alpha)
	if n := rate * (1 - rate) / (se * se); n > 0 && n < math.Inf(1) {
		n = math.Max(n, least)
		return wilson(rate*n, n, z)
	}
	return stat.Around(stat.Some(rate), stat.Some(z*se))
}

// MoverRatio returns the ratio of two uncorrelated estimates, the second above 0, with MOVER's
// interval (Donner and Zou 2012): the values r for which the interval of a - r·b, computed from
// squared distances, contains 0. There is no interval if b's is too wide for that.
func MoverRatio(a, b Estimate) (stat.Opt, stat.Interval) {
	x, y := a.Value.Value, b.Value.Value
	if !a.CI.Low.Valid || !b.CI.Low.Valid || b.CI.Low.Value <= 0 {
		return stat.None(stat.NotApplicable), stat.NoInterval(stat.NotApplicable)
	}
	below, above := y-b.CI.Low.Value, b.CI.High.Value-y
	// end solves (x - r·y)² = far² + r²·d² for the sign of the root; d is above for the lower
	// end of a positive ratio and for the upper end of a negative one, else below.
	end := func(limit, sign float64) float64 {
		root := func(d float64) float64 {
			p, q := y*y-d*d, limit*(2*x-limit)
			return (x*y + sign*math.Sqrt(math.Max(0, x*y*x*y-p*q))) / p
		}
		first, second := above, below
		if sign > 0 {
			first, second = below, above
		}
		if r := root(first); r >= 0 {
			return r
		}
		return root(second)
	}
	if math.Max(below, above) >= y {
		return stat.Some(x / y), stat.NoInterval(stat.TooFew)
	}
	return stat.Some(x / y), stat.Both(stat.Some(end(a.CI.Low.Value, -1)), stat.Some(end(a.CI.High.Value, 1)))
}

// MoverSum returns the sum of two uncorrelated rates with MOVER's interval: θ₁+θ₂ -
// √((θ₁-l₁)²+(θ₂-l₂)²) and θ₁+θ₂ + √((u₁-θ₁)²+(u₂-θ₂)²).
func MoverSum(a, b Estimate) (stat.Opt, stat.Interval) {
	for _, e := range []Estimate{a, b} {
		if !e.Value.Valid {
			return e.Value, stat.NoInterval(e.Value.Reason)
		}
	}
	sum := a.Value.Value + b.Value.Value
	for _, e := range []Estimate{a, b} {
		if !e.CI.Low.Valid {
			return stat.Some(sum), e.CI
		}
	}
	low := sum - math.Hypot(a.Value.Value-a.CI.Low.Value, b.Value.Value-b.CI.Low.Value)
	high := sum + math.Hypot(a.CI.High.Value-a.Value.Value, b.CI.High.Value-b.Value.Value)
	return stat.Some(sum), stat.Both(stat.Some(low), stat.Some(high))
}
