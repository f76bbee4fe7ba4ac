package uncertainty

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// ClusterSE describes a mean over items that come in clusters (calls in
// conversations), with standard errors that know it.
type ClusterSE struct {
	N, Clusters, Dropped int
	Mean                 statistic.Opt
	SEIID                statistic.Opt      // as if items were independent
	SEMiller             statistic.Opt      // Miller 2024: CR0 with the diagonal over n-1
	SECR0, SECR1         statistic.Opt      // CR1 = CR0·√(G/(G-1)), the default
	Deff, NEff           statistic.Opt      // design effect (CR1/iid)², effective items
	ICC                  statistic.Opt      // one-way intraclass correlation, 2 <= G < n
	CI                   statistic.Interval // Mean ± t(G-1)·CR1, not clipped
	Wilson               statistic.Interval // of values in [0,1]: Wilson with NEff, see ClusterMean
	Warnings             []statistic.Warning
}

// clusterTotals are Σv and the number of items per cluster.
func clusterTotals(v []float64, index []int, clusters int) (sums, counts []float64) {
	sums, counts = make([]float64, clusters), make([]float64, clusters)
	for i, x := range v {
		sums[index[i]] += x
		counts[index[i]]++
	}
	return sums, counts
}

// ClusterMean estimates the mean of values over clustered items. One cluster
// carries no information about other clusters, so its CR1 is undefined.
//
// Wilson is filled when all values lie in [0,1] and the design effect is
// defined: the score interval of the mean with NEff items, never more than N.
func ClusterMean(values []float64, cluster []int, alpha float64) (ClusterSE, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return ClusterSE{}, err
	}
	kept, index, g, dropped, err := statistic.CompleteClustered(cluster, values)
	if err != nil {
		return ClusterSE{}, err
	}
	v := kept[0]
	out := newClusterSE(len(v), g, dropped)
	if out.N == 0 {
		return out, nil
	}
	m := statistic.Mean(v)
	out.Mean = statistic.Some(m)
	if out.N < 2 {
		return out, nil
	}
	residual := make([]float64, g)
	squares := 0.0
	for i, x := range v {
		e := x - m
		residual[index[i]] += e
		squares += e * e
	}
	between := 0.0
	for _, r := range residual {
		between += r * r
	}
	out.fill(squares, between, statistic.Constant(v), alpha)
	if g >= 2 {
		out.ICC = clusterICC(v, index, g, m)
		out.Wilson = effectiveWilson(v, m, out.NEff, g, alpha)
	}
	return out, nil
}

// newClusterSE has everything undefined.
func newClusterSE(n, clusters, dropped int) ClusterSE {
	u := statistic.None(statistic.TooFew)
	return ClusterSE{
		N: n, Clusters: clusters, Dropped: dropped, Mean: statistic.None(statistic.NoItems),
		SEIID: u, SEMiller: u, SECR0: u, SECR1: u, Deff: u, NEff: u, ICC: u,
		CI: statistic.NoInterval(statistic.TooFew), Wilson: statistic.NoInterval(statistic.TooFew),
	}
}

// fill sets the standard errors and the t interval of at least two values from
// their squared deviations and the squared sums of the clusters' deviations.
func (out *ClusterSE) fill(squares, between float64, constant bool, alpha float64) {
	n, g := float64(out.N), out.Clusters
	iid := math.Sqrt(squares / (n - 1) / n)
	cr0 := math.Sqrt(between) / n
	out.SEIID, out.SECR0 = statistic.Some(iid), statistic.Some(cr0)
	out.SEMiller = statistic.None(statistic.ZeroVariance)
	if mv := squares/(n-1)/n + (between-squares)/(n*n); mv >= 0 {
		out.SEMiller = statistic.Some(math.Sqrt(mv))
	}
	if g < 2 {
		out.Warnings = append(out.Warnings, statistic.Warning{Code: "one_cluster", Detail: "one conversation says nothing about other conversations"})
		return
	}
	cr1 := cr0 * math.Sqrt(float64(g)/float64(g-1))
	out.SECR1 = statistic.Some(cr1)
	out.CI = statistic.Around(out.Mean, statistic.Some(statistic.CriticalT(alpha, float64(g-1))*cr1))
	out.Deff, out.NEff = statistic.None(statistic.ZeroVariance), statistic.None(statistic.ZeroVariance)
	if !constant && iid > 0 {
		deff := cr1 / iid * (cr1 / iid)
		out.Deff, out.NEff = statistic.Some(deff), statistic.Ratio(n, deff, statistic.ZeroVariance)
	}
	if g < 10 {
		out.Warnings = append(out.Warnings, statistic.Warning{Code: "few_clusters", Detail: "fewer than 10 conversations: the interval rests on the t distribution alone"})
	}
}

// clusterICC is the one-way intraclass correlation, only for 2 <= G < n.
func clusterICC(v []float64, index []int, g int, m float64) statistic.Opt {
	n, gf := float64(len(v)), float64(g)
	if g < 2 || g >= len(v) {
		return statistic.None(statistic.TooFew)
	}
	if statistic.Constant(v) {
		return statistic.None(statistic.ZeroVariance)
	}
	sums, counts := clusterTotals(v, index, g)
	between, within, squareCounts := 0.0, 0.0, 0.0
	for c, k := range counts {
		d := sums[c]/k - m
		between += k * d * d
		squareCounts += k * k
	}
	for i, x := range v {
		d := x - sums[index[i]]/counts[index[i]]
		within += d * d
	}
	msb, msw := between/(gf-1), within/(n-gf)
	n0 := (n - squareCounts/n) / (gf - 1)
	return statistic.Ratio(msb-msw, msb+(n0-1)*msw, statistic.ZeroVariance)
}

// effectiveWilson is the score interval with the effective number of items.
// Where nothing varies the design effect is unknown, and each cluster counts as
// one item.
func effectiveWilson(v []float64, m float64, nEff statistic.Opt, clusters int, alpha float64) statistic.Interval {
	for _, x := range v {
		if x < 0 || x > 1 {
			return statistic.NoInterval(statistic.NotApplicable)
		}
	}
	return clusterWilson(float64(len(v)), m, nEff, clusters, alpha)
}

func clusterWilson(n, m float64, nEff statistic.Opt, clusters int, alpha float64) statistic.Interval {
	if nEff.Valid {
		n = math.Min(n, nEff.Value)
	} else {
		n = float64(clusters)
	}
	return wilson(math.Min(m*n, n), n, alpha)
}

// InfluenceSE is √(G/(G-1)·Σ(sum of a cluster)²), the CR1 standard error of an estimate
// whose items have these influences on it; it is undefined for fewer than two clusters.
// index numbers the cluster of each item from 0.
func InfluenceSE(influence []float64, index []int, clusters int) statistic.Opt {
	if clusters < 2 {
		return statistic.None(statistic.TooFew)
	}
	sums, _ := clusterTotals(influence, index, clusters)
	g := float64(clusters)
	return statistic.Some(math.Sqrt(statistic.SumSquares(sums, 0) * g / (g - 1)))
}
