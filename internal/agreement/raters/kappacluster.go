package raters

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// KappaCluster is kappa over items that come in clusters (calls in
// conversations).
type KappaCluster struct {
	Kappa                           // point, parts and the iid interval, for comparison only
	Clusters  int                   //
	SECluster statistic.Opt         // CR1 from the influence values, by cluster
	CRCI      statistic.Interval    // Kappa ± t(G-1)·SECluster, not clipped
	Bootstrap uncertainty.Resampled // percentile interval over clusters
}

// ClusteredKappa computes Cohen's kappa over the declared scale with intervals
// that respect clusters. For the bootstrap each cluster is reduced to its table of
// counts, so that its cost does not depend on the number of items. A Bootstrap with 0
// resamples skips it.
func ClusteredKappa(a, b []float64, cluster []int, labels []float64, w Weighting, cfg uncertainty.Bootstrap) (KappaCluster, error) {
	if err := statistic.CheckAlpha(cfg.Alpha); err != nil {
		return KappaCluster{}, err
	}
	kept, index, g, dropped, err := statistic.CompleteClustered(cluster, a, b)
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
	out.CRCI = statistic.Around(point.Kappa, out.SECluster.Times(statistic.CriticalT(cfg.Alpha, math.Max(1, float64(g-1)))))
	none := statistic.None(statistic.NotApplicable)
	out.Bootstrap = uncertainty.Resampled{Estimate: point.Kappa, SE: none, CI: statistic.NoInterval(statistic.NotApplicable), P: none, Clusters: g}
	if cfg.Resamples == 0 {
		return out, nil
	}
	tables, err := clusterTables(kept[0], kept[1], labels, index, g)
	if err != nil {
		return KappaCluster{}, err
	}
	out.Bootstrap, err = uncertainty.ResampleClusters(tables, q*q, kappaStatistic(q, weights), cfg)
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
func kappaStatistic(q int, w []float64) uncertainty.Statistic {
	return func(table []float64) statistic.Opt {
		n, po, pe := 0.0, 0.0, 0.0
		for c, x := range table {
			n += x
			po += w[c] * x
		}
		if n == 0 {
			return statistic.None(statistic.NoItems)
		}
		informative := false
		for i := range q {
			row := statistic.Sum(table[i*q : (i+1)*q])
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
			return statistic.None(statistic.NoChanceDisagreement)
		}
		return statistic.Ratio(po-pe, 1-pe, statistic.NoChanceDisagreement)
	}
}

// kappaClusterSE sums the influence of each item on kappa,
// [w_ij - po - (1-κ)(w̄_i· + w̄_·j - 2pe)]/(n(1-pe)), over clusters and takes CR1 of
// the sums. With one item per cluster it is the SE of Fleiss, Cohen and Everitt
// up to √(n/(n-1)).
func kappaClusterSE(a, b, labels []float64, index []int, g int, w []float64) (statistic.Opt, error) {
	q := len(labels)
	all, err := clusterTables(a, b, labels, make([]int, len(a)), 1)
	if err != nil {
		return statistic.Opt{}, err
	}
	k := kappaOf(all, q, w)
	if !k.Kappa.Valid {
		return statistic.None(k.Kappa.Reason), nil
	}
	rows, err := positions(a, labels)
	if err != nil {
		return statistic.Opt{}, err
	}
	cols, err := positions(b, labels)
	if err != nil {
		return statistic.Opt{}, err
	}
	cells, influence := kappaInfluence(all, q, w, k), make([]float64, len(a))
	for i := range influence {
		influence[i] = cells[rows[i]*q+cols[i]]
	}
	return uncertainty.InfluenceSE(influence, index, g), nil
}

// kappaInfluence is the influence of an item in each cell of a table.
func kappaInfluence(counts []float64, q int, w []float64, k Kappa) []float64 {
	n := statistic.Sum(counts)
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
