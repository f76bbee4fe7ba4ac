package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ICC holds the intraclass correlations of Shrout and Fleiss (1979). Use ICC1
// for test-retest of one judge, ICC2 for judges meant to be exchangeable.
type ICC struct {
	Items, Raters          int
	ICC1, ICC2, ICC3       stat.Opt // single ratings: 1,1 · 2,1 · 3,1
	ICC1K, ICC2K, ICC3K    stat.Opt // averages of all raters
	ICC1CI, ICC2CI, ICC3CI stat.Interval
	Dropped                int // items with a missing rating
}

// meanSquares are those of a two-way layout: rows, columns, residual, within.
type meanSquares struct {
	n, k             float64
	row, col, rest   float64
	within           float64
	degenerate       bool
	degenerateReason stat.Reason
}

// IntraclassCorrelation takes items × raters; items with a missing rating are
// dropped. Fewer than 2 items or raters, or no variation at all, is undefined.
func IntraclassCorrelation(ratings [][]float64, alpha float64) (ICC, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return ICC{}, err
	}
	rows, dropped, err := completeRows(ratings)
	if err != nil {
		return ICC{}, err
	}
	out := ICC{Items: len(rows), Dropped: dropped}
	if len(rows) > 0 {
		out.Raters = len(rows[0])
	}
	ms := squaresOf(rows)
	if ms.degenerate {
		u, none := stat.None(ms.degenerateReason), stat.NoInterval(ms.degenerateReason)
		out.ICC1, out.ICC2, out.ICC3, out.ICC1K, out.ICC2K, out.ICC3K = u, u, u, u, u, u
		out.ICC1CI, out.ICC2CI, out.ICC3CI = none, none, none
		return out, nil
	}
	n, k, r, c, e, w := ms.n, ms.k, ms.row, ms.col, ms.rest, ms.within
	out.ICC1 = stat.Ratio(r-w, r+(k-1)*w, stat.ZeroVariance)
	out.ICC2 = stat.Ratio(r-e, r+(k-1)*e+k*(c-e)/n, stat.ZeroVariance)
	out.ICC3 = stat.Ratio(r-e, r+(k-1)*e, stat.ZeroVariance)
	out.ICC1K = stat.Ratio(r-w, r, stat.ZeroVariance)
	out.ICC2K = stat.Ratio(r-e, r+(c-e)/n, stat.ZeroVariance)
	out.ICC3K = stat.Ratio(r-e, r, stat.ZeroVariance)
	out.ICC1CI = ms.oneWayInterval(w, n*(k-1), alpha)
	out.ICC3CI = ms.oneWayInterval(e, (n-1)*(k-1), alpha)
	out.ICC2CI = ms.twoWayInterval(out.ICC2, alpha)
	return out, nil
}

// completeRows keeps the items without a missing rating; all items must have
// the same number of ratings.
func completeRows(ratings [][]float64) (rows [][]float64, dropped int, err error) {
items:
	for i, row := range ratings {
		if len(row) != len(ratings[0]) {
			return nil, 0, fmt.Errorf("%w: item %d has %d ratings, item 1 has %d", stat.ErrLengths, i+1, len(row), len(ratings[0]))
		}
		for _, v := range row {
			if math.IsNaN(v) {
				dropped++
				continue items
			}
		}
		rows = append(rows, row)
	}
	return rows, dropped, nil
}

// squaresOf computes the mean squares; sums of squares below 1e-12 of the total
// count as 0, so that rounding does not become a variance.
func squaresOf(rows [][]float64) meanSquares {
	if len(rows) < 2 || len(rows[0]) < 2 {
		return meanSquares{degenerate: true, degenerateReason: stat.TooFew}
	}
	n, k := float64(len(rows)), float64(len(rows[0]))
	colMean := make([]float64, len(rows[0]))
	rowMean := make([]float64, len(rows))
	var all []float64
	for i, row := range rows {
		rowMean[i] = stat.Mean(row)
		all = append(all, row...)
		for j, v := range row {
			colMean[j] += v / n
		}
	}
	if stat.Constant(all) {
		return meanSquares{degenerate: true, degenerateReason: stat.ZeroVariance}
	}
	grand := stat.Mean(all)
	total := stat.SumSquares(all, grand)
	ssRow, ssCol := k*stat.SumSquares(rowMean, grand), n*stat.SumSquares(colMean, grand)
	ssWithin, ssRest := 0.0, 0.0
	for i, row := range rows {
		for j, v := range row {
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
	}
}

// oneWayInterval is the F interval of ICC1 (error = within) or ICC3 (residual).
func (ms meanSquares) oneWayInterval(errorSquare, errorDF, alpha float64) stat.Interval {
	if errorSquare == 0 {
		return stat.NoInterval(stat.ZeroVariance)
	}
	f := ms.row / errorSquare
	low := f / stat.FQuantile(1-alpha/2, ms.n-1, errorDF)
	high := f * stat.FQuantile(1-alpha/2, errorDF, ms.n-1)
	return stat.Both(stat.Some((low-1)/(low+ms.k-1)), stat.Some((high-1)/(high+ms.k-1)))
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

// Retest describes repeated runs of one judge on the same items.
type Retest struct {
	Items            int      // with at least two runs
	ExactRepeat      stat.Opt // share of items whose runs are all equal
	WithinSD         stat.Opt // pooled within-item sd, the noise floor
	FlipRate         stat.Opt // share of items whose verdicts are not unanimous
	VerdictAgreement stat.Opt // share of agreeing pairs of runs, averaged over items
}

// TestRetest takes items × runs (ragged, missing as NaN); pass iff >= threshold.
func TestRetest(runs [][]float64, threshold float64) Retest {
	var out Retest
	exact, flips, ss, df, agree := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, row := range runs {
		v := stat.Present(row)
		if len(v) < 2 {
			continue
		}
		out.Items++
		if stat.Constant(v) {
			exact++
		} else {
			ss += stat.SumSquares(v, stat.Mean(v))
		}
		df += float64(len(v) - 1)
		pass := 0.0
		for _, x := range v {
			if x >= threshold {
				pass++
			}
		}
		fail := float64(len(v)) - pass
		if pass > 0 && fail > 0 {
			flips++
		}
		pairs := float64(len(v)) * float64(len(v)-1) / 2
		agree += (pass*(pass-1)/2 + fail*(fail-1)/2) / pairs
	}
	n := float64(out.Items)
	out.ExactRepeat, out.FlipRate = stat.Ratio(exact, n, stat.NoItems), stat.Ratio(flips, n, stat.NoItems)
	out.VerdictAgreement = stat.Ratio(agree, n, stat.NoItems)
	out.WithinSD = stat.None(stat.NoItems)
	if df > 0 {
		out.WithinSD = stat.Some(math.Sqrt(ss / df))
	}
	return out
}
