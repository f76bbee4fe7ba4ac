package agreement

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/distribution"
)

// Proportion is a rate k/n with four intervals.
type Proportion struct {
	P              Opt
	Wilson         Interval // the default; exactly 0 at k=0 and 1 at k=n on that side
	ClopperPearson Interval // guaranteed coverage
	Jeffreys       Interval // ends 0 and 1 by convention
	AgrestiCoull   Interval // clipped to [0,1]
}

// maxCount bounds counts, so that no tail needs more terms than is sensible.
const maxCount = 1e9

// ProportionCI takes k successes in n trials. Both may be fractions: for
// clustered data pass k = p·nEff and n = nEff.
func ProportionCI(k, n, alpha float64) (Proportion, error) {
	if err := checkAlpha(alpha); err != nil {
		return Proportion{}, err
	}
	if !(k >= 0 && k <= n && n <= maxCount) {
		return Proportion{}, fmt.Errorf("need 0 <= k <= n <= %g, got k=%v n=%v", maxCount, k, n)
	}
	if n == 0 {
		none := noInterval(NoItems)
		return Proportion{None(NoItems), none, none, none, none}, nil
	}
	out := Proportion{P: Some(k / n), Wilson: wilson(k, n, alpha)}
	cpLow, cpHigh, jLow, jHigh := 0.0, 1.0, 0.0, 1.0
	if k > 0 {
		cpLow = distribution.BetaQuantile(alpha/2, k, n-k+1)
		jLow = distribution.BetaQuantile(alpha/2, k+0.5, n-k+0.5)
	}
	if k < n {
		cpHigh = distribution.BetaQuantile(1-alpha/2, k+1, n-k)
		jHigh = distribution.BetaQuantile(1-alpha/2, k+0.5, n-k+0.5)
	}
	out.ClopperPearson = Interval{Some(cpLow), Some(cpHigh)}
	out.Jeffreys = Interval{Some(jLow), Some(jHigh)}
	z := critical(alpha)
	size := n + z*z
	p := (k + z*z/2) / size
	out.AgrestiCoull = around(Some(p), Some(z*math.Sqrt(p*(1-p)/size))).clip(0, 1)
	return out, nil
}

// wilson is the score interval; n must be positive.
func wilson(k, n, alpha float64) Interval {
	z := critical(alpha)
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
	return Interval{Some(low), Some(high)}
}

func wilsonHalfwidth(p, n, z float64) float64 {
	return z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
}

// Wilson is the score interval of k successes in n trials, undefined for n = 0.
func Wilson(k, n, alpha float64) (Interval, error) {
	p, err := ProportionCI(k, n, alpha)
	return p.Wilson, err
}

// Difference is a difference with its interval.
type Difference struct {
	Diff Opt
	CI   Interval
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
		return Difference{None(NoItems), noInterval(NoItems)}, nil
	}
	p1, p2 := a.P.Value, b.P.Value
	diff := p1 - p2
	low := diff - math.Hypot(p1-a.Wilson.Low.Value, b.Wilson.High.Value-p2)
	high := diff + math.Hypot(a.Wilson.High.Value-p1, p2-b.Wilson.Low.Value)
	return Difference{Some(diff), Interval{Some(low), Some(high)}}, nil
}

// McNemar compares two raters that are right or wrong on the same items.
type McNemar struct {
	B, C              int // only A right, only B right
	PExact, PMid      Opt // mid-p is the default below 25 discordant pairs
	Chi2, PChi2       Opt // undefined without discordant pairs
	Chi2CC, PChi2CC   Opt // with continuity correction, |b-c|-1 not below 0
	Diff, DiffSE      Opt // (b-c)/n, undefined without n
	N, Dropped        int // N is -1 when it was not given
	discordantPresent bool
}

// McNemarCounts tests from the discordant counts; n < 0 means it is not known.
func McNemarCounts(b, c, n int) (McNemar, error) {
	if b < 0 || c < 0 || b > maxCount || c > maxCount {
		return McNemar{}, fmt.Errorf("discordant counts must be 0..%g, got b=%d c=%d", maxCount, b, c)
	}
	if n >= 0 && n < b+c {
		return McNemar{}, fmt.Errorf("n=%d is less than b+c=%d", n, b+c)
	}
	out := McNemar{B: b, C: c, N: n, Diff: None(NotApplicable), DiffSE: None(NotApplicable)}
	bf, cf := float64(b), float64(c)
	d := bf + cf
	if n >= 0 {
		nf := float64(n)
		out.Diff = ratio(bf-cf, nf, NoItems)
		out.DiffSE = None(NoItems)
		if n > 0 {
			out.DiffSE = Some(math.Sqrt(math.Max(0, d-(bf-cf)*(bf-cf)/nf)) / nf)
		}
	}
	if d == 0 {
		out.PExact, out.PMid = Some(1), Some(1)
		out.Chi2, out.PChi2, out.Chi2CC, out.PChi2CC = None(NoItems), None(NoItems), None(NoItems), None(NoItems)
		return out, nil
	}
	out.discordantPresent = true
	tail := distribution.BinomialCDF(math.Min(bf, cf), d, 0.5)
	out.PExact = Some(math.Min(1, 2*tail))
	out.PMid = Some(math.Min(1, 2*tail-distribution.BinomialPMF(math.Min(bf, cf), d, 0.5)))
	chi2 := (bf - cf) * (bf - cf) / d
	corrected := math.Max(math.Abs(bf-cf)-1, 0)
	cc := corrected * corrected / d
	out.Chi2, out.PChi2 = Some(chi2), Some(distribution.ChiSquareSurvival(chi2, 1))
	out.Chi2CC, out.PChi2CC = Some(cc), Some(distribution.ChiSquareSurvival(cc, 1))
	return out, nil
}

// McNemarPredictions counts the discordant pairs of two binary predictions
// against binary gold, then tests them. Items of one conversation are not
// independent: for a decision use the cluster bootstrap.
func McNemarPredictions(gold, a, b []float64) (McNemar, error) {
	kept, dropped, err := complete(gold, a, b)
	if err != nil {
		return McNemar{}, err
	}
	onlyA, onlyB := 0, 0
	for i, g := range kept[0] {
		rightA, rightB := isPass(kept[1][i]) == isPass(g), isPass(kept[2][i]) == isPass(g)
		switch {
		case rightA && !rightB:
			onlyA++
		case rightB && !rightA:
			onlyB++
		}
	}
	out, err := McNemarCounts(onlyA, onlyB, len(kept[0]))
	out.Dropped = dropped
	return out, err
}
