package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// RaterAgreement is a chance-corrected coefficient for any number of raters with gaps: Gwet's AC or
// the generalised Fleiss kappa.
type RaterAgreement struct {
	Units    int // units with at least one rating
	Pairable int // units with at least two
	PA, PE   stat.Opt
	interval.Jackknifed
}

// GwetAC returns AC1 (NoWeights) or AC2 over the declared categories (Gwet 2014), in -1..1. ratings is raters
// × units; a missing rating is NaN. cluster is the conversation of each unit, nil for independent units;
// weight is how many units each represents, nil for one. The interval is [interval.Jackknifed.Agreeing].
func GwetAC(
	ratings [][]float64, weight []float64, cluster []int, categories []float64, w Weighting, alpha float64,
) (RaterAgreement, error) {
	sorted := slices.Clone(categories)
	slices.Sort(sorted)
	u, err := newUnits(ratings, weight, cluster, sorted, w, alpha)
	if err != nil {
		return RaterAgreement{}, err
	}
	q, tw := float64(len(sorted)), stat.Sum(u.weights)
	out := u.coefficient(func(pi []float64) float64 {
		if q < 2 {
			return 1
		}
		pe := 0.0
		for _, p := range pi {
			pe += p * (1 - p)
		}
		return tw / (q * (q - 1)) * pe
	})
	agreements := make([]float64, len(u.total))
	for i, n := range u.total {
		if agreements[i] = stat.Missing(); n >= 2 {
			agreements[i] = u.agreement(i)
		}
	}
	all, err := interval.WeightedMean(agreements, u.weight, u.index, alpha)
	unlike := interval.Holding(u.index, u.clusters, func(i int) bool { return agreements[i] <= 0.75 })
	out.Jackknifed = out.Agreeing(all, out.PE, unlike, alpha)
	return out, err
}

// FleissKappa returns Fleiss' kappa (1971), in -1..1, over the declared categories, for units with different
// numbers of ratings. ratings and cluster are as for [GwetAC]; the interval is [interval.Jackknifed.Common].
func FleissKappa(ratings [][]float64, cluster []int, categories []float64, alpha float64) (RaterAgreement, error) {
	u, err := newUnits(ratings, nil, cluster, categories, NoWeights, alpha)
	if err != nil {
		return RaterAgreement{}, err
	}
	out := u.coefficient(func(pi []float64) float64 {
		pe, used := 0.0, 0
		for _, p := range pi {
			pe += p * p
			if p > 0 {
				used++
			}
		}
		if used == 1 {
			return 1
		}
		return pe
	})
	out.Jackknifed = out.Common(u.index, nil, func(i int) (of []float64) {
		for k, n := range u.counts[i] {
			of = append(of, slices.Repeat([]float64{float64(k)}, int(n))...)
		}
		return of
	}, func(a, b float64) float64 { return 1 - u.weights[int(a)*len(categories)+int(b)] }, alpha)
	return out, nil
}

// units holds the rated units as counts of categories.
type units struct {
	counts   [][]float64 // rated units × categories
	total    []float64   // ratings per unit
	index    []int       // cluster of each
	clusters int
	weight   []float64 // how many units each represents
	weights  []float64 // categories × categories, row-major
}

func newUnits(
	ratings [][]float64, weight []float64, cluster []int, categories []float64, w Weighting, alpha float64,
) (*units, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return nil, err
	}
	u := &units{}
	var err error
	if u.weights, err = weightsOn(categories, w); err != nil {
		return nil, err
	}
	counts, err := unitCounts(ratings, categories)
	if err != nil {
		return nil, err
	}
	rated := make([]float64, len(counts)) // NaN: without ratings
	for i, r := range counts {
		if rated[i] = stat.Sum(r); rated[i] > 0 {
			u.counts = append(u.counts, r)
		} else {
			rated[i] = stat.Missing()
		}
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, rated, stat.Weights(weight, len(rated)))
	if err != nil {
		return nil, err
	}
	u.total, u.weight, u.index, u.clusters = kept[0], kept[1], index, g
	return u, nil
}

// unitCounts turns raters × units into units × categories counts.
func unitCounts(ratings [][]float64, categories []float64) ([][]float64, error) {
	if len(ratings) == 0 {
		return nil, nil
	}
	at, err := places(categories)
	if err != nil {
		return nil, err
	}
	n, q := len(ratings[0]), len(categories)
	counts, flat := make([][]float64, n), make([]float64, n*q)
	for i := range counts {
		counts[i] = flat[i*q : (i+1)*q]
	}
	for r, row := range ratings {
		if len(row) != n {
			return nil, fmt.Errorf("%w: rater %d has %d units, rater 1 has %d", stat.ErrLengths, r+1, len(row), n)
		}
		for i, v := range row {
			if math.IsNaN(v) {
				continue
			}
			k, ok := at[v]
			if !ok {
				return nil, fmt.Errorf("rating %v (rater %d, unit %d) is not a declared category", v, r+1, i+1)
			}
			counts[i][k]++
		}
	}
	return counts, nil
}

// agreement returns the weighted agreement among the ratings of one unit.
func (u *units) agreement(i int) float64 {
	s, r := 0.0, u.counts[i]
	for k, x := range r {
		if x == 0 {
			continue
		}
		star := 0.0
		for l, y := range r {
			star += u.weights[k*len(r)+l] * y
		}
		s += x * (star - 1)
	}
	return s / (u.total[i] * (u.total[i] - 1))
}

// sums returns, for each cluster, the agreement over pairable units, their number, the number of
// rated units, and each category's share summed over them.
func (u *units) sums() (totals []float64, width int) {
	width = 3
	if len(u.counts) > 0 {
		width += len(u.counts[0])
	}
	totals = make([]float64, u.clusters*width)
	for i, r := range u.counts {
		row, w := totals[u.index[i]*width:][:width], u.weight[i]
		if u.total[i] >= 2 {
			row[0] += float64(w * u.agreement(i))
			row[1] += w
		}
		row[2] += w
		for k, x := range r {
			row[3+k] += float64(w * x / u.total[i])
		}
	}
	return totals, width
}

// coefficient returns (pa-pe)/(1-pe); chance is the expected agreement at the mean shares of the
// categories.
func (u *units) coefficient(chance func(pi []float64) float64) RaterAgreement {
	totals, width := u.sums()
	parts := func(sums []float64) (pa, pe, coef stat.Opt) {
		if sums[1] == 0 {
			none := stat.None(stat.TooFew)
			return none, none, none
		}
		pi := make([]float64, width-3)
		for k, x := range sums[3:] {
			// If a category is no longer used, the jackknife leaves only rounding errors of it.
			if pi[k] = x / sums[2]; pi[k] < 1e-12 {
				pi[k] = 0
			}
		}
		pa, pe = stat.Some(sums[0]/sums[1]), stat.Some(chance(pi))
		if pe.Value == 1 {
			return pa, pe, stat.None(stat.NoChanceDisagreement)
		}
		return pa, pe, stat.Some((pa.Value - pe.Value) / (1 - pe.Value))
	}
	j := interval.JackknifeSums(totals, width, func(sums []float64) stat.Opt {
		_, _, coef := parts(sums)
		return coef
	})
	all := make([]float64, width)
	for i, x := range totals {
		all[i%width] += x
	}
	out := RaterAgreement{Units: len(u.counts), Jackknifed: j}
	for _, n := range u.total {
		if n >= 2 {
			out.Pairable++
		}
	}
	out.PA, out.PE, _ = parts(all)
	return out
}
