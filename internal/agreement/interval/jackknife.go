package interval

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Statistic computes a value from the sums of the clusters' sufficient statistics. It must not keep
// or change sums.
type Statistic func(sums []float64) stat.Opt

// Jackknifed is an estimate with its standard error by cluster.
type Jackknifed struct {
	Value    stat.Opt
	SE       stat.Opt // delete-one-cluster jackknife
	CI       stat.Interval
	Clusters int
	// Freedom is the degrees of freedom of SE. They follow from the kurtosis of the clusters'
	// contributions d to the error: 2/(1/m - 1/G) with m = (Σd²)²/Σd⁴, the number of clusters that
	// matter, and at most G-1. For normal contributions m is G/3 and Freedom is G; if few clusters
	// decide, it is 2m. Skew is the skewness of the error, computed from the same contributions.
	Freedom, Skew float64
}

// roundingZero is the largest standard error that counts as 0, because rounding can leave that
// much.
const roundingZero = 1e-10

// Jackknife returns the standard error of a value, computed by leaving out one cluster at a time:
// √((G-1)/G·Σ(θ₍c₎-θ̄₍·₎)²), Efron and Tibshirani 1993, chapter 11. It is undefined for fewer than
// two clusters, and if the value is undefined without one of them.
func Jackknife(value stat.Opt, clusters int, without func(cluster int) stat.Opt) Jackknifed {
	out := Jackknifed{Value: value, SE: stat.None(value.Reason), Clusters: clusters}
	switch {
	case !value.Valid:
		return out.refuse(value.Reason)
	case clusters < 2:
		out.SE = stat.None(stat.TooFew)
		return out.refuse(stat.OneCluster)
	}
	left := make([]float64, clusters)
	for c := range left {
		theta := without(c)
		if !theta.Valid {
			out.SE = stat.None(stat.OneClusterDecides)
			return out.refuse(stat.OneClusterDecides)
		}
		left[c] = theta.Value
	}
	g, mean := float64(clusters), stat.Mean(left)
	out.SE = stat.Some(math.Sqrt((g - 1) / g * stat.SumSquares(left, mean)))
	for c := range left {
		left[c] = mean - left[c]
	}
	out.Freedom, out.Skew = shape(left)
	return out.refuse(stat.NotApplicable)
}

// shape returns the degrees of freedom and the skewness of an error that is the sum of parts.
func shape(parts []float64) (freedom, skew float64) {
	most, squares, cubes, fourth := 0.0, 0.0, 0.0, 0.0
	for _, x := range parts {
		most = math.Max(most, math.Abs(x))
	}
	g := float64(len(parts))
	if most < roundingZero {
		return g - 1, 0
	}
	for _, x := range parts {
		x /= most
		squares, cubes, fourth = squares+x*x, cubes+x*x*x, fourth+x*x*x*x
	}
	return Freedom(squares, fourth, g), cubes / math.Pow(squares, 1.5)
}

// Freedom returns the degrees of freedom of an error that is the sum of g parts, from the sums of
// their squares and fourth powers: see [Jackknifed].
func Freedom(squares, fourth, g float64) float64 {
	count := squares * squares / fourth
	if count >= g {
		return g - 1
	}
	return math.Max(1, math.Min(g-1, 2*count/(1-count/g)))
}

// Symmetric returns the degrees of freedom of an interval that is symmetric around the value, for
// differences: G-1 unless the error is skewed. With the normal quantile z, an interval whose
// standard error has f degrees of freedom covers too little by (z²+1)/4f, and if the error is
// skewed by (z⁴+2z²-3)/18·skew² more (Hall 1992, section 2.6). At .95 both factors are nearly
// equal, so 1/f + skew² replaces 1/f.
func (j Jackknifed) Symmetric() float64 {
	f := float64(j.Clusters - 1)
	return math.Max(1, f/(1+f*j.Skew*j.Skew))
}

// OneSided returns the degrees of freedom of a rate's interval: Freedom, reduced for a skewed error
// by the skew² of [Jackknifed.Symmetric]. If k of n clusters have all the failures, the result is
// about 2k/3.
func (j Jackknifed) OneSided() float64 { return math.Max(1, j.Freedom/(1+j.Freedom*j.Skew*j.Skew)) }

// JackknifeSums is like [Jackknife], for a statistic of additive sums per cluster: totals is
// clusters × width, row-major.
func JackknifeSums(totals []float64, width int, of Statistic) Jackknifed {
	all := make([]float64, width)
	if len(totals) == 0 { // without items there may be no sums either
		return Jackknife(of(all), 0, nil)
	}
	for c := 0; c < len(totals); c += width {
		for j, x := range totals[c : c+width] {
			all[j] += x
		}
	}
	rest := make([]float64, width)
	return Jackknife(of(all), len(totals)/width, func(c int) stat.Opt {
		for j, x := range totals[c*width : (c+1)*width] {
			if rest[j] = all[j] - x; math.Abs(rest[j]) < roundingZero*math.Abs(all[j]) {
				rest[j] = 0 // only rounding errors of weights are left
			}
		}
		return of(rest)
	})
}

func (j Jackknifed) refuse(r stat.Reason) Jackknifed {
	j.CI = stat.NoInterval(r)
	return j
}

// known removes the interval of a coefficient in -1..1 if the data do not vary: at ±1 there is no
// disagreement, or no agreement, from which to estimate an error.
func (j Jackknifed) known() (_ Jackknifed, ok bool) {
	switch {
	case !j.SE.Valid:
		return j, false
	case 1-math.Abs(j.Value.Value) < roundingZero:
		return j.refuse(stat.NoDisagreement), false
	case j.SE.Value < roundingZero:
		return j.refuse(stat.ZeroVariance), false
	}
	return j, true
}

// Difference is the difference of two values of the same kind on the same clusters, with its t
// interval and the two-sided p-value of the hypothesis that it is 0.
type Difference struct {
	Jackknifed
	P stat.Opt
}

// JackknifeDifference compares one statistic of two rows of totals for the same clusters: first -
// second. If both change by the same amount in every cluster, there is neither interval nor
// p-value; if they are equal in all of them, p is 1. n clusters decide the values: see
// [Jackknifed.Difference].
func JackknifeDifference(first, second []float64, width int, of Statistic, n int, alpha float64) Difference {
	joint := make([]float64, 0, 2*len(first))
	for c := 0; c < len(first); c += width {
		joint = append(append(joint, first[c:c+width]...), second[c:c+width]...)
	}
	j := JackknifeSums(joint, 2*width, func(sums []float64) stat.Opt {
		return of(sums[:width]).Minus(of(sums[width:]))
	})
	return j.Difference(n, alpha)
}

// Difference gives a difference its t interval and its p-value. If n clusters decide it, 1/f + 1/n
// replaces 1/f of the degrees of freedom; there is no interval if n is less than [FewestCompared]
// and less than a third of all.
func (j Jackknifed) Difference(n int, alpha float64) Difference {
	out := Difference{Jackknifed: j, P: stat.None(j.CI.Low.Reason)}
	switch {
	case !j.SE.Valid:
	case j.SE.Value < roundingZero:
		out.Jackknifed, out.P = j.refuse(stat.ZeroVariance), stat.None(stat.ZeroVariance)
		if math.Abs(j.Value.Value) < roundingZero {
			out.P = stat.Some(1)
		}
	default:
		freedom := 1 / (1/j.Symmetric() + 1/math.Max(1, float64(n)))
		out.CI = stat.Around(j.Value, j.SE.Times(stat.CriticalT(alpha, freedom)))
		out.P = stat.Some(stat.StudentTwoSided(j.Value.Value/j.SE.Value, freedom))
		if Few(n, FewestCompared, j.Clusters) {
			out.Jackknifed, out.P = j.refuse(stat.FewRare), stat.None(stat.FewRare)
		}
	}
	return out
}

// Contrast returns the p-value of the hypothesis that a group's items and all others have the same
// mean: t of the difference with its clustered jackknife error. It is undefined if one cluster has
// all items of either.
func Contrast(values []float64, group []bool, cluster []int) (stat.Opt, error) {
	in := make([]float64, len(group))
	for i, g := range group {
		if g {
			in[i] = 1
		}
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, values, in)
	if err != nil {
		return stat.Opt{}, err
	}
	first, second := make([]float64, 2*g), make([]float64, 2*g)
	for i, c := range index {
		to := second
		if kept[1][i] == 1 {
			to = first
		}
		to[2*c] += kept[0][i]
		to[2*c+1]++
	}
	const any, all = 0.05, math.MaxInt // the interval is not used, and no rarer class decides
	d := JackknifeDifference(first, second, 2, func(s []float64) stat.Opt {
		return stat.Ratio(s[0], s[1], stat.NoItems)
	}, all, any)
	return d.P, nil
}
