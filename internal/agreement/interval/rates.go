package interval

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Proportion is a rate k/n with four intervals.
type Proportion struct {
	P              stat.Opt
	Wilson         stat.Interval // the default; exactly 0 at k=0 and 1 at k=n on that side
	ClopperPearson stat.Interval // guaranteed coverage
	Jeffreys       stat.Interval // ends 0 and 1 by convention
	AgrestiCoull   stat.Interval // clipped to [0,1]
}

// MaxCount bounds counts, so that no tail needs more terms than is sensible.
const MaxCount = 1e9

// ProportionCI takes k successes in n trials. Both may be fractions: for
// clustered data pass k = p·nEff and n = nEff.
func ProportionCI(k, n, alpha float64) (Proportion, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Proportion{}, err
	}
	if !(k >= 0 && k <= n && n <= MaxCount) {
		return Proportion{}, fmt.Errorf("need 0 <= k <= n <= %g, got k=%v n=%v", MaxCount, k, n)
	}
	if n == 0 {
		none := stat.NoInterval(stat.NoItems)
		return Proportion{stat.None(stat.NoItems), none, none, none, none}, nil
	}
	out := Proportion{P: stat.Some(k / n), Wilson: wilson(k, n, alpha)}
	cpLow, cpHigh, jLow, jHigh := 0.0, 1.0, 0.0, 1.0
	if k > 0 {
		cpLow = stat.BetaQuantile(alpha/2, k, n-k+1)
		jLow = stat.BetaQuantile(alpha/2, k+0.5, n-k+0.5)
	}
	if k < n {
		cpHigh = stat.BetaQuantile(1-alpha/2, k+1, n-k)
		jHigh = stat.BetaQuantile(1-alpha/2, k+0.5, n-k+0.5)
	}
	out.ClopperPearson = stat.Interval{Low: stat.Some(cpLow), High: stat.Some(cpHigh)}
	out.Jeffreys = stat.Interval{Low: stat.Some(jLow), High: stat.Some(jHigh)}
	z := stat.Critical(alpha)
	size := n + z*z
	p := (k + z*z/2) / size
	out.AgrestiCoull = stat.Around(stat.Some(p), stat.Some(z*math.Sqrt(p*(1-p)/size))).Clip(0, 1)
	return out, nil
}

// wilson is the score interval; n must be positive.
func wilson(k, n, alpha float64) stat.Interval {
	z := stat.Critical(alpha)
	p := k / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := wilsonHalfwidth(p, n, z)
	low, high := math.Max(0, center-half), math.Min(1, center+half)
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return stat.Interval{Low: stat.Some(low), High: stat.Some(high)}
}

func wilsonHalfwidth(p, n, z float64) float64 {
	return z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
}

// Wilson is the score interval of k successes in n trials, undefined for n = 0.
func Wilson(k, n, alpha float64) (stat.Interval, error) {
	p, err := ProportionCI(k, n, alpha)
	return p.Wilson, err
}

// Difference is a difference with its interval.
type Difference struct {
	Diff stat.Opt
	CI   stat.Interval
}

// NewcombeDiff is k1/n1 - k2/n2 of independent rates with Newcombe's method 10.
func NewcombeDiff(k1, n1, k2, n2, alpha float64) (Difference, error) {
	a, err := ProportionCI(k1, n1, alpha)
	if err != nil {
		return Difference{}, fmt.Errorf("first rate: %w", err)
	}
	b, err := ProportionCI(k2, n2, alpha)
	if err != nil {
		return Difference{}, fmt.Errorf("second rate: %w", err)
	}
	if n1 == 0 || n2 == 0 {
		return Difference{stat.None(stat.NoItems), stat.NoInterval(stat.NoItems)}, nil
	}
	p1, p2 := a.P.Value, b.P.Value
	diff := p1 - p2
	low := diff - math.Hypot(p1-a.Wilson.Low.Value, b.Wilson.High.Value-p2)
	high := diff + math.Hypot(a.Wilson.High.Value-p1, p2-b.Wilson.Low.Value)
	return Difference{stat.Some(diff), stat.Interval{Low: stat.Some(low), High: stat.Some(high)}}, nil
}

// McNemar compares two raters that are right or wrong on the same items.
type McNemar struct {
	B, C              int      // only A right, only B right
	PExact, PMid      stat.Opt // mid-p is the default below 25 discordant pairs
	Chi2, PChi2       stat.Opt // undefined without discordant pairs
	Chi2CC, PChi2CC   stat.Opt // with continuity correction, |b-c|-1 not below 0
	Diff, DiffSE      stat.Opt // (b-c)/n, undefined without n
	N, Dropped        int      // N is -1 when it was not given
	discordantPresent bool
}

// McNemarCounts tests from the discordant counts; n < 0 means it is not known.
func McNemarCounts(b, c, n int) (McNemar, error) {
	if b < 0 || c < 0 || b > MaxCount || c > MaxCount {
		return McNemar{}, fmt.Errorf("discordant counts must be 0..%g, got b=%d c=%d", MaxCount, b, c)
	}
	if n >= 0 && n < b+c {
		return McNemar{}, fmt.Errorf("n=%d is less than b+c=%d", n, b+c)
	}
	out := McNemar{B: b, C: c, N: n, Diff: stat.None(stat.NotApplicable), DiffSE: stat.None(stat.NotApplicable)}
	bf, cf := float64(b), float64(c)
	d := bf + cf
	if n >= 0 {
		nf := float64(n)
		out.Diff = stat.Ratio(bf-cf, nf, stat.NoItems)
		out.DiffSE = stat.None(stat.NoItems)
		if n > 0 {
			out.DiffSE = stat.Some(math.Sqrt(math.Max(0, d-(bf-cf)*(bf-cf)/nf)) / nf)
		}
	}
	if d == 0 {
		out.PExact, out.PMid = stat.Some(1), stat.Some(1)
		out.Chi2, out.PChi2, out.Chi2CC, out.PChi2CC = stat.None(stat.NoItems), stat.None(stat.NoItems), stat.None(stat.NoItems), stat.None(stat.NoItems)
		return out, nil
	}
	out.discordantPresent = true
	tail := stat.BinomialCDF(math.Min(bf, cf), d, 0.5)
	out.PExact = stat.Some(math.Min(1, 2*tail))
	out.PMid = stat.Some(math.Min(1, 2*tail-stat.BinomialPMF(math.Min(bf, cf), d, 0.5)))
	chi2 := (bf - cf) * (bf - cf) / d
	corrected := math.Max(math.Abs(bf-cf)-1, 0)
	cc := corrected * corrected / d
	out.Chi2, out.PChi2 = stat.Some(chi2), stat.Some(stat.ChiSquareSurvival(chi2, 1))
	out.Chi2CC, out.PChi2CC = stat.Some(cc), stat.Some(stat.ChiSquareSurvival(cc, 1))
	return out, nil
}
