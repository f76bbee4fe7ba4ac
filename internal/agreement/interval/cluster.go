package interval

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ClusterSE describes a mean over items that come in clusters (calls in
// conversations), with a cluster-robust standard error.
type ClusterSE struct {
	N, Clusters int
	Mean        stat.Opt
	SEIID       stat.Opt      // as if items were independent
	SECR1       stat.Opt      // √(Σ(sum of a cluster's deviations)²)/n·√(G/(G-1))
	Deff, NEff  stat.Opt      // design effect (CR1/iid)², effective items
	CI          stat.Interval // Mean ± t(G-1)·CR1, not clipped
	// MeanCI is Wilson for values that are 0 or 1, else CI where it holds: not where seven of ten values are the same, or clusters very
	// unequal, and fewer than 200.
	MeanCI stat.Interval
	// Wilson is the interval of a rate, of values in [0,1]: Wilson's with NEff, see ClusterMean.
	Wilson stat.Interval
}

// ClusterMean estimates the mean of values over clustered items. One cluster
// carries no information about other clusters, so its CR1 is undefined.
//
// Wilson is filled when all values are in [0,1] and the design effect is
// defined: the score interval of the mean with NEff items, never more than N. Of [Uneven]
// clusters it takes Student's t in the place of the normal quantile.
func ClusterMean(values []float64, cluster []int, alpha float64) (ClusterSE, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return ClusterSE{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, values)
	if err != nil {
		return ClusterSE{}, err
	}
	v, none := kept[0], stat.None(stat.TooFew)
	out := ClusterSE{
		N: len(v), Clusters: g, Mean: stat.None(stat.NoItems), SEIID: none, SECR1: none, Deff: none, NEff: none,
		CI: stat.NoInterval(stat.TooFew), MeanCI: stat.NoInterval(stat.TooFew), Wilson: stat.NoInterval(stat.TooFew),
	}
	if out.N == 0 {
		return out, nil
	}
	m, n := stat.Mean(v), float64(len(v))
	out.Mean = stat.Some(m)
	if out.N < 2 {
		return out, nil
	}
	iid := math.Sqrt(stat.SumSquares(v, m) / (n - 1) / n)
	out.SEIID = stat.Some(iid)
	if g < 2 {
		return out, nil
	}
	deviations := make([]float64, g)
	for i, x := range v {
		deviations[index[i]] += x - m
	}
	out.SECR1 = stat.Some(clusterError(deviations) / n)
	out.CI = stat.Around(out.Mean, out.SECR1.Times(stat.CriticalT(alpha, float64(g-1))))
	out.Deff, out.NEff = stat.None(stat.ZeroVariance), stat.None(stat.ZeroVariance)
	if !stat.Constant(v) && iid > 0 {
		ratio := out.SECR1.Value / iid
		out.Deff, out.NEff = stat.Some(ratio*ratio), stat.Ratio(n, ratio*ratio, stat.ZeroVariance)
	}
	out.Wilson = stat.NoInterval(stat.NotApplicable)
	if slices.Min(v) >= 0 && slices.Max(v) <= 1 {
		n, z := out.Effective().Value, stat.Critical(alpha)
		if Uneven(index, g) {
			z = stat.CriticalT(alpha, math.Max(1, effectiveClusters(index, g)-1))
		}
		out.Wilson = wilson(math.Min(m*n, n), n, z)
	}
	out.MeanCI = out.meanInterval(v, index)
	return out, nil
}

// meanInterval is that of a rate where all values are 0 or 1, else CI where it holds.
func (c ClusterSE) meanInterval(v []float64, index []int) stat.Interval {
	binary := !slices.ContainsFunc(v, func(x float64) bool { return x != 0 && x != 1 })
	switch {
	case binary:
		return c.Wilson
	case c.Clusters < manyClusters && mostlyOne(v, 1-leastVaried):
		return stat.NoInterval(stat.FewVaried)
	case Uneven(index, c.Clusters):
		return stat.NoInterval(stat.UnequalClusters)
	}
	return c.CI
}

// Rate is the mean with its Wilson interval.
func (c ClusterSE) Rate() Estimate { return Estimate{c.Mean, c.Wilson} }

// P is the two-sided p-value of the t statistic that the mean is 0, with one degree of
// freedom less than there are clusters; values that do not vary have none, unless all are 0.
func (c ClusterSE) P() stat.Opt {
	switch {
	case !c.SECR1.Valid:
		return stat.None(c.SECR1.Reason)
	case c.SECR1.Value > roundingZero:
		return stat.Some(stat.StudentTwoSided(c.Mean.Value/c.SECR1.Value, float64(c.Clusters-1)))
	case math.Abs(c.Mean.Value) < roundingZero:
		return stat.Some(1)
	}
	return stat.None(stat.ZeroVariance)
}

// Effective is the number of independent items that count in an interval or a test: NEff,
// at most N. Where nothing varies the design effect is unknown, and each cluster counts as
// one item. It is undefined for fewer than two clusters.
func (c ClusterSE) Effective() stat.Opt {
	switch {
	case c.Clusters < 2:
		return stat.None(stat.TooFew)
	case !c.NEff.Valid:
		return stat.Some(float64(c.Clusters))
	}
	return stat.Some(math.Min(float64(c.N), c.NEff.Value))
}

// InfluenceSE is the CR1 standard error of an estimate whose items have these influences on
// it; it is undefined for fewer than two clusters. index numbers the cluster of each item
// from 0.
func InfluenceSE(influence []float64, index []int, clusters int) stat.Opt {
	if clusters < 2 {
		return stat.None(stat.TooFew)
	}
	sums := make([]float64, clusters)
	for i, x := range influence {
		sums[index[i]] += x
	}
	return stat.Some(clusterError(sums))
}

// clusterError is √(G/(G-1)·Σ(sum of a cluster)²).
func clusterError(sums []float64) float64 {
	g := float64(len(sums))
	return math.Sqrt(stat.SumSquares(sums, 0) * g / (g - 1))
}

// Welch is the two-sided p-value that two means over different clusters are equal: t of
// their difference with both standard errors by cluster, and Satterthwaite's degrees of
// freedom. It is undefined where one of them has no standard error. Where neither varies it
// is 1 for equal means and 0 for others.
func Welch(a, b ClusterSE) stat.Opt {
	if !a.SECR1.Valid || !b.SECR1.Valid {
		return stat.None(stat.TooFew)
	}
	va, vb := a.SECR1.Value*a.SECR1.Value, b.SECR1.Value*b.SECR1.Value
	gap := a.Mean.Value - b.Mean.Value
	if va+vb == 0 {
		if gap == 0 {
			return stat.Some(1)
		}
		return stat.Some(0)
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(a.Clusters-1) + vb*vb/float64(b.Clusters-1))
	return stat.Some(stat.StudentTwoSided(gap/math.Sqrt(va+vb), freedom))
}
