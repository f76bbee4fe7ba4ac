package raters

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ICC holds intraclass correlations of Shrout and Fleiss (1979). Use ICC1 for test-retest
// of one judge, ICC2 for judges meant to be exchangeable.
type ICC struct {
	ICC1   stat.Opt // single ratings, 1,1
	ICC2   stat.Opt // single ratings, 2,1
	ICC2K  stat.Opt // averages of all raters, 2,k
	ICC2CI stat.Interval
}

// IntraclassCorrelation takes raters × items; items with a missing rating are dropped.
// Fewer than 2 items or raters, or no variation at all, is undefined.
func IntraclassCorrelation(ratings [][]float64, alpha float64) (ICC, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return ICC{}, err
	}
	ms, reason := meanSquares{}, stat.TooFew
	if len(ratings) > 1 {
		kept, _, err := stat.Complete(ratings...)
		if err != nil {
			return ICC{}, err
		}
		ms, reason = squaresOf(kept)
	}
	if reason != "" {
		u := stat.None(reason)
		return ICC{u, u, u, stat.NoInterval(reason)}, nil
	}
	out := ICC{}
	n, k, r, c, e, w := ms.n, ms.k, ms.row, ms.col, ms.rest, ms.within
	out.ICC1 = stat.Ratio(r-w, r+(k-1)*w, stat.ZeroVariance)
	out.ICC2 = stat.Ratio(r-e, r+(k-1)*e+k*(c-e)/n, stat.ZeroVariance)
	out.ICC2K = stat.Ratio(r-e, r+(c-e)/n, stat.ZeroVariance)
	out.ICC2CI = ms.twoWayInterval(out.ICC2, alpha)
	return out, nil
}

// meanSquares are those of a two-way layout of n items and k raters: rows, columns,
// residual, within.
type meanSquares struct {
	n, k                   float64
	row, col, rest, within float64
}

// squaresOf computes the mean squares; sums of squares below 1e-12 of the total
// count as 0, so that rounding does not become a variance.
func squaresOf(cols [][]float64) (meanSquares, stat.Reason) {
	n, k := float64(len(cols[0])), float64(len(cols))
	if n < 2 {
		return meanSquares{}, stat.TooFew
	}
	all := slices.Concat(cols...)
	if stat.Constant(all) {
		return meanSquares{}, stat.ZeroVariance
	}
	rowMean, colMean := make([]float64, len(cols[0])), make([]float64, len(cols))
	for j, col := range cols {
		colMean[j] = stat.Mean(col)
		for i, v := range col {
			rowMean[i] += v / k
		}
	}
	grand := stat.Mean(all)
	total := stat.SumSquares(all, grand)
	ssRow, ssCol := k*stat.SumSquares(rowMean, grand), n*stat.SumSquares(colMean, grand)
	ssWithin, ssRest := 0.0, 0.0
	for j, col := range cols {
		for i, v := range col {
			ssWithin += (v - rowMean[i]) * (v - rowMean[i])
			d := v - rowMean[i] - colMean[j] + grand
			ssRest += d * d
		}
	}
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

// twoWayInterval is the interval of ICC2 with Satterthwaite's degrees of freedom.
func (ms meanSquares) twoWayInterval(icc stat.Opt, alpha float64) stat.Interval {
	n, k, r, c, e := ms.n, ms.k, ms.row, ms.col, ms.rest
	if !icc.Valid || icc.Value == 1 || c == 0 && e == 0 {
		return stat.NoInterval(stat.ZeroVariance)
	}
	a := k * icc.Value / (n * (1 - icc.Value))
	b := 1 + k*icc.Value*(n-1)/(n*(1-icc.Value))
	num := (a*c + b*e) * (a*c + b*e)
	v := num / (a*c*a*c/(k-1) + b*e*b*e/((n-1)*(k-1)))
	if !(v > 0) {
		return stat.NoInterval(stat.ZeroVariance)
	}
	f1, f2 := stat.FQuantile(1-alpha/2, n-1, v), stat.FQuantile(1-alpha/2, v, n-1)
	rest := k*c + (k*n-k-n)*e
	return stat.Both(stat.Some(n*(r-f1*e)/(f1*rest+n*r)), stat.Some(n*(f2*r-e)/(rest+n*f2*r)))
}

// WithinSD is the pooled standard deviation within items of repeated runs of one judge,
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
