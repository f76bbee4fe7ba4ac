package raters

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// ICC holds intraclass correlations of Shrout and Fleiss (1979). Use ICC1 for test-retest of one
// judge, ICC2 for judges that should be exchangeable.
type ICC struct {
	ICC1 stat.Opt            // single ratings, 1,1
	ICC2 interval.Jackknifed // single ratings, 2,1, with the interval of [interval.Jackknifed.Common]
}

// IntraclassCorrelation takes raters × items. Items belong to clusters (nil: each is one), and
// items with a missing rating are dropped. It is undefined for fewer than 2 items or raters, and
// without any variation.
func IntraclassCorrelation(ratings [][]float64, cluster []int, alpha float64) (ICC, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return ICC{}, err
	}
	few := stat.None(stat.TooFew)
	if len(ratings) < 2 {
		return ICC{few, interval.Jackknife(few, 0, nil)}, nil
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, ratings...)
	if err != nil {
		return ICC{}, err
	}
	totals, width := ratingSums(kept, index, g)
	all := make([]float64, width)
	for i, x := range totals {
		all[i%width] += x
	}
	ms, reason := squaresOf(all)
	if reason != "" {
		u := stat.None(reason)
		return ICC{u, interval.Jackknife(u, g, nil)}, nil
	}
	return ICC{
		ICC1: stat.Ratio(ms.row-ms.within, ms.row+(ms.k-1)*ms.within, stat.ZeroVariance),
		ICC2: interval.JackknifeSums(totals, width, twoWay).Common(index, nil, inColumns(kept...), squared, alpha),
	}, nil
}

// twoWay returns ICC(2,1) from the sums of ratings.
func twoWay(sums []float64) stat.Opt {
	ms, reason := squaresOf(sums)
	if reason != "" {
		return stat.None(reason)
	}
	n, k, r, c, e := ms.n, ms.k, ms.row, ms.col, ms.rest
	return stat.Ratio(r-e, r+(k-1)*e+k*(c-e)/n, stat.ZeroVariance)
}

// ratingSums returns, for each cluster, the number of items, the sum of squared means of items, the
// sum of squared ratings, and the sum of each rater's ratings, all relative to the mean of all
// ratings.
func ratingSums(cols [][]float64, index []int, clusters int) (totals []float64, width int) {
	width = 3 + len(cols)
	totals = make([]float64, clusters*width)
	grand := stat.Mean(slices.Concat(cols...)) // NaN, and not used, if there are no items
	for i, c := range index {
		row, mean := totals[c*width:][:width], 0.0
		row[0]++
		for j, col := range cols {
			v := col[i] - grand
			mean += v / float64(len(cols))
			row[2] += v * v
			row[3+j] += v
		}
		row[1] += mean * mean
	}
	return totals, width
}

// meanSquares holds the mean squares of a two-way layout of n items and k raters: rows, columns,
// residual, within.
type meanSquares struct {
	n, k                   float64
	row, col, rest, within float64
}

// squaresOf computes the mean squares from sums of ratings. A sum of squares below 1e-12 of the
// total counts as 0, so that rounding does not become a variance.
func squaresOf(sums []float64) (meanSquares, stat.Reason) {
	n, k := sums[0], float64(len(sums)-3)
	if n < 2 {
		return meanSquares{}, stat.TooFew
	}
	grand := stat.Sum(sums[3:]) / (n * k)
	total := sums[2] - n*k*grand*grand
	if total <= 1e-12*sums[2] {
		return meanSquares{}, stat.ZeroVariance
	}
	ssCol := 0.0
	for _, sum := range sums[3:] {
		ssCol += n * (sum/n - grand) * (sum/n - grand)
	}
	ssRow := k * (sums[1] - n*grand*grand)
	ssWithin := total - ssRow
	ssRest := ssWithin - ssCol
	for _, s := range []*float64{&ssRow, &ssCol, &ssWithin, &ssRest} {
		if *s < 1e-12*total {
			*s = 0
		}
	}
	return meanSquares{
		n: n, k: k,
		row: ssRow / (n - 1), col: ssCol / (k - 1),
		rest: ssRest / ((n - 1) * (k - 1)), within: ssWithin / (n * (k - 1)),
	}, ""
}

// WithinSD returns the pooled standard deviation within items of repeated runs of one judge,
// the noise floor: √(ΣΣ(x-x̄_i)²/Σ(k_i-1)). runs is runs × items, with missing values as
// NaN; items with fewer than two runs are left out.
func WithinSD(runs [][]float64) stat.Opt {
	squares, df := 0.0, 0.0
	if len(runs) == 0 {
		return stat.None(stat.NoItems)
	}
	for i := range runs[0] {
		var v []float64
		for _, run := range runs {
			v = append(v, run[i])
		}
		if v = stat.Present(v); len(v) > 1 {
			squares += stat.SumSquares(v, stat.Mean(v))
			df += float64(len(v) - 1)
		}
	}
	if df == 0 {
		return stat.None(stat.NoItems)
	}
	return stat.Some(math.Sqrt(squares / df))
}
