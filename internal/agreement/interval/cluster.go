package interval

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ClusterSE describes a mean over items that come in clusters (calls in
// conversations), with standard errors that know it.
type ClusterSE struct {
	N, Clusters, Dropped int
	Mean                 stat.Opt
	SEIID                stat.Opt      // as if items were independent
	SEMiller             stat.Opt      // Miller 2024: CR0 with the diagonal over n-1
	SECR0, SECR1         stat.Opt      // CR1 = CR0·√(G/(G-1)), the default
	Deff, NEff           stat.Opt      // design effect (CR1/iid)², effective items
	ICC                  stat.Opt      // one-way intraclass correlation, 2 <= G < n
	CI                   stat.Interval // Mean ± t(G-1)·CR1, not clipped
	Wilson               stat.Interval // of values in [0,1]: Wilson with NEff, see ClusterMean
	Warnings             []stat.Warning
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
	if err := stat.CheckAlpha(alpha); err != nil {
		return ClusterSE{}, err
	}
	kept, index, g, dropped, err := stat.CompleteClustered(cluster, values)
	if err != nil {
		return ClusterSE{}, err
	}
	v := kept[0]
	out := newClusterSE(len(v), g, dropped)
	if out.N == 0 {
		return out, nil
	}
	m := stat.Mean(v)
	out.Mean = stat.Some(m)
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
	out.fill(squares, between, stat.Constant(v), alpha)
	if g >= 2 {
		out.ICC = clusterICC(v, index, g, m)
		out.Wilson = effectiveWilson(v, m, out.NEff, g, alpha)
	}
	return out, nil
}

// newClusterSE has everything undefined.
func newClusterSE(n, clusters, dropped int) ClusterSE {
	u := stat.None(stat.TooFew)
	return ClusterSE{
		N: n, Clusters: clusters, Dropped: dropped, Mean: stat.None(stat.NoItems),
		SEIID: u, SEMiller: u, SECR0: u, SECR1: u, Deff: u, NEff: u, ICC: u,
		CI: stat.NoInterval(stat.TooFew), Wilson: stat.NoInterval(stat.TooFew),
	}
}

// fill sets the standard errors and the t interval of at least two values from
// their squared deviations and the squared sums of the clusters' deviations.
func (out *ClusterSE) fill(squares, between float64, constant bool, alpha float64) {
	n, g := float64(out.N), out.Clusters
	iid := math.Sqrt(squares / (n - 1) / n)
	cr0 := math.Sqrt(between) / n
	out.SEIID, out.SECR0 = stat.Some(iid), stat.Some(cr0)
	out.SEMiller = stat.None(stat.ZeroVariance)
	if mv := squares/(n-1)/n + (between-squares)/(n*n); mv >= 0 {
		out.SEMiller = stat.Some(math.Sqrt(mv))
	}
	if g < 2 {
		out.Warnings = append(out.Warnings, stat.Warning{Code: "one_cluster", Detail: "one conversation says nothing about other conversations"})
		return
	}
	cr1 := cr0 * math.Sqrt(float64(g)/float64(g-1))
	out.SECR1 = stat.Some(cr1)
	out.CI = stat.Around(out.Mean, stat.Some(stat.CriticalT(alpha, float64(g-1))*cr1))
	out.Deff, out.NEff = stat.None(stat.ZeroVariance), stat.None(stat.ZeroVariance)
	if !constant && iid > 0 {
		deff := cr1 / iid * (cr1 / iid)
		out.Deff, out.NEff = stat.Some(deff), stat.Ratio(n, deff, stat.ZeroVariance)
	}
	if g < 10 {
		out.Warnings = append(out.Warnings, stat.Warning{Code: "few_clusters", Detail: "fewer than 10 conversations: the interval rests on the t distribution alone"})
	}
}

// clusterICC is the one-way intraclass correlation, only for 2 <= G < n.
func clusterICC(v []float64, index []int, g int, m float64) stat.Opt {
	n, gf := float64(len(v)), float64(g)
	if g < 2 || g >= len(v) {
		return stat.None(stat.TooFew)
	}
	if stat.Constant(v) {
		return stat.None(stat.ZeroVariance)
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
	return stat.Ratio(msb-msw, msb+(n0-1)*msw, stat.ZeroVariance)
}

// effectiveWilson is the score interval with the effective number of items.
// Where nothing varies the design effect is unknown, and each cluster counts as
// one item.
func effectiveWilson(v []float64, m float64, nEff stat.Opt, clusters int, alpha float64) stat.Interval {
	for _, x := range v {
		if x < 0 || x > 1 {
			return stat.NoInterval(stat.NotApplicable)
		}
	}
	return clusterWilson(float64(len(v)), m, nEff, clusters, alpha)
}

func clusterWilson(n, m float64, nEff stat.Opt, clusters int, alpha float64) stat.Interval {
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
func InfluenceSE(influence []float64, index []int, clusters int) stat.Opt {
	if clusters < 2 {
		return stat.None(stat.TooFew)
	}
	sums, _ := clusterTotals(influence, index, clusters)
	g := float64(clusters)
	return stat.Some(math.Sqrt(stat.SumSquares(sums, 0) * g / (g - 1)))
}
