package raters

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// KappaCluster is kappa over items that come in clusters (calls in
// conversations).
type KappaCluster struct {
	Kappa                        // point, parts and the iid interval, for comparison only
	Clusters  int                //
	SECluster stat.Opt           // CR1 from the influence values, by cluster
	CRCI      stat.Interval      // Kappa ± t(G-1)·SECluster, not clipped
	Bootstrap interval.Resampled // percentile interval over clusters
}

// ClusteredKappa computes Cohen's kappa over the declared scale with intervals
// that respect clusters. For the bootstrap each cluster is reduced to its table of
// counts, so that its cost does not depend on the number of items. A Bootstrap with 0
// resamples skips it.
func ClusteredKappa(a, b []float64, cluster []int, labels []float64, w Weighting, cfg interval.Bootstrap) (KappaCluster, error) {
	if err := stat.CheckAlpha(cfg.Alpha); err != nil {
		return KappaCluster{}, err
	}
	kept, index, g, dropped, err := stat.CompleteClustered(cluster, a, b)
	if err != nil {
		return KappaCluster{}, err
	}
	point, err := CohenKappa(kept[0], kept[1], labels, w, cfg.Alpha)
	if err != nil {
		return KappaCluster{}, err
	}
	point.Dropped = dropped
	q := len(labels)
	weights, err := positionWeights(w, q)
	if err != nil {
		return KappaCluster{}, err
	}
	out := KappaCluster{Kappa: point, Clusters: g}
	if out.SECluster, err = kappaClusterSE(kept[0], kept[1], labels, index, g, weights); err != nil {
		return KappaCluster{}, err
	}
	out.CRCI = stat.Around(point.Kappa, out.SECluster.Times(stat.CriticalT(cfg.Alpha, math.Max(1, float64(g-1)))))
	none := stat.None(stat.NotApplicable)
	out.Bootstrap = interval.Resampled{Estimate: point.Kappa, SE: none, CI: stat.NoInterval(stat.NotApplicable), P: none, Clusters: g}
	if cfg.Resamples == 0 {
		return out, nil
	}
	tables, err := clusterTables(kept[0], kept[1], labels, index, g)
	if err != nil {
		return KappaCluster{}, err
	}
	out.Bootstrap, err = interval.ResampleClusters(tables, q*q, kappaStatistic(q, weights), cfg)
	return out, err
}

// clusterTables counts the pairs of ratings of each cluster: clusters × q·q.
func clusterTables(a, b, labels []float64, index []int, g int) ([]float64, error) {
	rows, err := positions(a, labels)
	if err != nil {
		return nil, err
	}
	cols, err := positions(b, labels)
	if err != nil {
		return nil, err
	}
	q := len(labels)
	tables := make([]float64, g*q*q)
	for i, c := range index {
		tables[c*q*q+rows[i]*q+cols[i]]++
	}
	return tables, nil
}

// kappaStatistic is kappa from the sums of a q×q table, without allocating.
func kappaStatistic(q int, w []float64) interval.Statistic {
	return func(table []float64) stat.Opt {
		n, po, pe := 0.0, 0.0, 0.0
		for c, x := range table {
			n += x
			po += w[c] * x
		}
		if n == 0 {
			return stat.None(stat.NoItems)
		}
		informative := false
		for i := range q {
			row := stat.Sum(table[i*q : (i+1)*q])
			if row == 0 {
				continue
			}
			for j := range q {
				col := 0.0
				for r := range q {
					col += table[r*q+j]
				}
				pe += w[i*q+j] * row * col
				informative = informative || col > 0 && w[i*q+j] != 1
			}
		}
		po, pe = po/n, pe/(n*n)
		if !informative {
			return stat.None(stat.NoChanceDisagreement)
		}
		return stat.Ratio(po-pe, 1-pe, stat.NoChanceDisagreement)
	}
}

// kappaClusterSE sums the influence of each item on kappa,
// [w_ij - po - (1-κ)(w̄_i· + w̄_·j - 2pe)]/(n(1-pe)), over clusters and takes CR1 of
// the sums. With one item per cluster it is the SE of Fleiss, Cohen and Everitt
// up to √(n/(n-1)).
func kappaClusterSE(a, b, labels []float64, index []int, g int, w []float64) (stat.Opt, error) {
	q := len(labels)
	all, err := clusterTables(a, b, labels, make([]int, len(a)), 1)
	if err != nil {
		return stat.Opt{}, err
	}
	k := kappaOf(all, q, w)
	if !k.Kappa.Valid {
		return stat.None(k.Kappa.Reason), nil
	}
	rows, err := positions(a, labels)
	if err != nil {
		return stat.Opt{}, err
	}
	cols, err := positions(b, labels)
	if err != nil {
		return stat.Opt{}, err
	}
	cells, influence := kappaInfluence(all, q, w, k), make([]float64, len(a))
	for i := range influence {
		influence[i] = cells[rows[i]*q+cols[i]]
	}
	return interval.InfluenceSE(influence, index, g), nil
}

// kappaInfluence is the influence of an item in each cell of a table.
func kappaInfluence(counts []float64, q int, w []float64, k Kappa) []float64 {
	n := stat.Sum(counts)
	_, row, col := margins(counts, q, n)
	rowWeight, colWeight := marginWeights(row, col, w, q)
	po, pe := k.PO.Value, k.PE.Value
	out := make([]float64, q*q)
	for i := range q {
		for j := range q {
			out[i*q+j] = (w[i*q+j] - po - (1-k.Kappa.Value)*(rowWeight[i]+colWeight[j]-2*pe)) / (1 - pe) / n
		}
	}
	return out
}
