package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// KappaTable is Cohen's kappa of pairs that were counted and not kept. Counts has a
// row for each category of the first rater and a column for each of the second, row by
// row, q·q in all.
type KappaTable struct {
	Kappa
	q         int
	influence []float64
}

// CountedKappa computes kappa from a table of counts, with the interval for
// independent items.
func CountedKappa(counts []float64, q int, w Weighting, alpha float64) (KappaTable, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return KappaTable{}, err
	}
	if q < 1 || len(counts) != q*q {
		return KappaTable{}, fmt.Errorf("%d counts are no table of %d by %d categories", len(counts), q, q)
	}
	weights, err := positionWeights(w, q)
	if err != nil {
		return KappaTable{}, err
	}
	out := KappaTable{Kappa: kappaOf(counts, q, weights), q: q}
	out.N = int(statistic.Sum(counts))
	out.CI = statistic.Around(out.Kappa.Kappa, out.SE.Times(statistic.Critical(alpha)))
	if out.Kappa.Kappa.Valid {
		out.influence = kappaInfluence(counts, q, weights, out.Kappa)
	}
	return out, nil
}

// Influence is what one item in the given row and column adds to the deviation of kappa
// from its expectation, NaN where kappa is undefined. Summed over each cluster it gives
// the clustered standard error, see ClusterTotals of the room uncertainty.
func (k *KappaTable) Influence(row, column int) float64 {
	if k.influence == nil || row < 0 || column < 0 || row >= k.q || column >= k.q {
		return math.NaN()
	}
	return k.influence[row*k.q+column]
}

// kappaInfluence is [w_ij - po - (1-κ)(w̄_i· + w̄_·j - 2pe)]/(n(1-pe)) for every cell.
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
