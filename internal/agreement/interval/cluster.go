package interval

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ClusterSE is a mean over items that come in clusters (calls in conversations), with a
// cluster-robust standard error.
type ClusterSE struct {
	N, Clusters int
	Mean        stat.Opt
	SEIID       stat.Opt // as if items were independent
	SE          stat.Opt // from [Jackknife]; equals CR1 if clusters are equal
	// Symmetric is the degrees of freedom of CI, for differences: see [Jackknifed.Symmetric].
	Symmetric float64
	CI        stat.Interval // Mean ± t(Symmetric)·SE, not clipped
	// Freedom is the degrees of freedom of the other intervals: see [Jackknifed.OneSided].
	Freedom float64
	// SEFreedom is the degrees of freedom of SE² as a multiple of chi-square: [Jackknifed.Freedom].
	SEFreedom float64
	// Effective is the number of independent items that an interval or a test counts, see
	// ClusterMean.
	Effective stat.Opt
	// Wilson is the score interval of a rate, whose values are in [0,1], with Effective items.
	Wilson stat.Interval
	// MeanCI is Wilson if all values are 0 or 1, else the score interval within the range of the
	// values. It is undefined if only [Few] clusters have a value other than the most common one.
	MeanCI stat.Interval
	// EqualClusters is the number of clusters of equal weight that vary as little, (Σw)²/Σw² of the clusters' weights
	// w: the variance of the mean is in inverse proportion to it. It is 0 for one cluster.
	EqualClusters float64
	// items is the number of equally weighted independent items with this weight.
	items float64
}

// ClusterMean estimates the mean of values over clustered items. SE is undefined for a single
// cluster, which says nothing about other clusters.
//
// Effective is the number of independent items that would give the mean this SE, reduced for the
// longer intervals of Student's t with Freedom (Korn and Graubard 1998). It is at most N, and at
// least the (Σn)²/Σn² clusters that count if all items of a cluster are equal. If no two clusters
// differ, each counts as one item.
func ClusterMean(values []float64, cluster []int, alpha float64) (ClusterSE, error) {
	return WeightedMean(values, nil, cluster, alpha)
}

// WeightedMean is like [ClusterMean], for weighted items: an item of weight 3 represents three
// (nil: one each). It is Hájek's ratio Σwx/Σw. Items with unequal weights count as (Σw)²/Σw² items.
func WeightedMean(values, weight []float64, cluster []int, alpha float64) (ClusterSE, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return ClusterSE{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, values, stat.Weights(weight, len(values)))
	if err != nil {
		return ClusterSE{}, err
	}
	v, w, none, few := kept[0], kept[1], stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)
	out := ClusterSE{
		N: len(v), Clusters: g, Mean: stat.None(stat.NoItems), SEIID: none, SE: none, CI: few, Effective: none,
		Wilson: few, MeanCI: few,
	}
	if out.N == 0 {
		return out, nil
	}
	total, sum := stat.Sum(w), 0.0
	for i, x := range v {
		sum += float64(w[i] * x)
	}
	m, n := sum/total, total*total/stat.SumSquares(w, 0)
	out.Mean = stat.Some(m)
	if out.N < 2 {
		return out, nil
	}
	deviations, size, squares := make([]float64, g), make([]float64, g), 0.0
	for i, x := range v {
		deviations[index[i]] += float64(w[i] * (x - m))
		size[index[i]] += w[i]
		squares += float64(w[i] * (x - m) * (x - m))
	}
	out.SEIID = stat.Some(math.Sqrt(squares / total / (n - 1)))
	if g < 2 {
		return out, nil
	}
	out.items, out.EqualClusters = n, total*total/stat.SumSquares(size, 0)
	left := Jackknife(out.Mean, g, func(c int) stat.Opt { return stat.Some(m - deviations[c]/(total-size[c])) })
	out.SE, out.Symmetric, out.Freedom, out.SEFreedom = left.SE, left.Symmetric(), left.OneSided(), left.Freedom
	out.CI = stat.Around(out.Mean, out.SE.Times(stat.CriticalT(alpha, out.Symmetric)))
	out.score(v, index, alpha)
	return out, nil
}

// score computes Effective and the score intervals. A mean of values other than 0 and
// 1 is treated as a rate between the smallest and the largest of them: near an end the interval is
// longer towards the middle.
func (c *ClusterSE) score(v []float64, index []int, alpha float64) {
	z := stat.Critical(alpha)
	shorter := z / stat.CriticalT(alpha, c.Freedom)
	low, high := slices.Min(v), slices.Max(v)
	effective := float64(c.Clusters)
	if c.SE.Value >= roundingZero {
		ratio := c.SEIID.Value / c.SE.Value * shorter
		effective = math.Min(c.items, math.Max(c.EqualClusters, c.items*ratio*ratio))
	}
	c.Effective, c.Wilson = stat.Some(effective), stat.NoInterval(stat.NotApplicable)
	if low >= 0 && high <= 1 {
		c.Wilson = wilson(math.Min(c.Mean.Value*effective, effective), effective, z)
	}
	binary := !slices.ContainsFunc(v, func(x float64) bool { return x != 0 && x != 1 })
	switch {
	case binary:
		c.MeanCI = c.Wilson
	case low == high, Few(Varied(index, c.Clusters, v), FewestVaried, c.Clusters):
		c.MeanCI = stat.NoInterval(stat.FewVaried)
	default:
		width := high - low
		ci := ScoreAround((c.Mean.Value-low)/width, c.SE.Value/width/shorter, c.EqualClusters, alpha)
		c.MeanCI = stat.Both(stat.Some(low+width*ci.Low.Value), stat.Some(low+width*ci.High.Value))
	}
}

// Rate returns the mean with its Wilson interval.
func (c ClusterSE) Rate() Estimate { return Estimate{c.Mean, c.Wilson} }

// Welch returns the two-sided p-value of the hypothesis that two means over different clusters are
// equal (Welch 1938): t of their difference, with both clustered standard errors and
// Satterthwaite's degrees of freedom. It is undefined if one of them has no standard error. If
// neither varies, it is 1 for equal means and 0 for others.
func Welch(a, b ClusterSE) stat.Opt {
	if !a.SE.Valid || !b.SE.Valid {
		return stat.None(stat.TooFew)
	}
	va, vb := a.SE.Value*a.SE.Value, b.SE.Value*b.SE.Value
	gap := a.Mean.Value - b.Mean.Value
	if va+vb == 0 {
		if gap == 0 {
			return stat.Some(1)
		}
		return stat.Some(0)
	}
	return stat.Some(stat.StudentTwoSided(gap/math.Sqrt(va+vb), Satterthwaite(va, a.Symmetric, vb, b.Symmetric)))
}

// Satterthwaite returns the degrees of freedom of a sum of two variances, at least one of them
// above 0 (1946).
func Satterthwaite(va, freedomA, vb, freedomB float64) float64 {
	return (va + vb) * (va + vb) / (va*va/freedomA + vb*vb/freedomB)
}
