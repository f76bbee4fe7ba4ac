package raters

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Correlation holds three correlations. They ignore bias: a judge that is always one point too high
// correlates perfectly.
type Correlation struct {
	Pearson  interval.Jackknifed // with the interval of [interval.Jackknifed.Common], of numbers in standard deviations
	Spearman stat.Opt            // Pearson of midranks
	KendallB stat.Opt            // tau-b, the right one under heavy ties
}

// Correlate returns the correlations of Pearson, Spearman (1904) and Kendall (1945) of x and y,
// each in -1..1. The items belong to clusters (nil: each is one). With a constant column or fewer
// than 2 items all are undefined.
func Correlate(x, y []float64, cluster []int, alpha float64) (Correlation, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Correlation{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, x, y)
	if err != nil {
		return Correlation{}, err
	}
	x, y = kept[0], kept[1]
	if reason := needVariation(x, y); reason != "" {
		u := stat.None(reason)
		return Correlation{interval.Jackknife(u, g, nil), u, u}, nil
	}
	linear := interval.JackknifeSums(moments(x, y, index, g), 6, pearson)
	return Correlation{
		Pearson:  linear.Common(index, nil, inColumns(standard(x), standard(y)), squared, alpha),
		Spearman: spearman(x, y), KendallB: kendall(x, y),
	}, nil
}

// standard returns the values minus their median, in standard deviations.
func standard(x []float64) (out []float64) {
	median, sd := slices.Sorted(slices.Values(x))[len(x)/2], math.Sqrt(stat.Variance(x))
	for _, v := range x {
		out = append(out, (v-median)/sd)
	}
	return out
}

// Pull compares the rank correlation (Spearman) of two columns in two settings, on the items that
// have all four numbers.
type Pull struct {
	N            int
	Joint, Alone stat.Opt
	Difference   interval.Difference // Joint minus Alone, clustered
}

// maxGroups limits how many groups of clusters are left out in turn to estimate the error of a
// [Pull], because each time all ranks are computed again.
const maxGroups = 200

// Pulled returns the pull of two columns: joint is the first setting, alone the second.
func Pulled(joint, alone [2][]float64, cluster []int, alpha float64) (Pull, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Pull{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, joint[0], joint[1], alone[0], alone[1])
	if err != nil {
		return Pull{}, err
	}
	out := Pull{N: len(index), Joint: spearman(kept[0], kept[1]), Alone: spearman(kept[2], kept[3])}
	varied := interval.Varied(index, g, kept...)
	groups := min(g, maxGroups)
	j := interval.Jackknife(out.Joint.Minus(out.Alone), groups, func(group int) stat.Opt {
		var rest [4][]float64
		for i, c := range index {
			for k := range rest {
				if c%groups != group {
					rest[k] = append(rest[k], kept[k][i])
				}
			}
		}
		return spearman(rest[0], rest[1]).Minus(spearman(rest[2], rest[3]))
	})
	out.Difference = j.Difference(varied, alpha)
	return out, nil
}

// spearman returns Pearson's correlation of midranks.
func spearman(x, y []float64) stat.Opt {
	if reason := needVariation(x, y); reason != "" {
		return stat.None(reason)
	}
	return pearson(moments(stat.Midranks(x), stat.Midranks(y), make([]int, len(x)), 1))
}

// moments returns, for each cluster, the number of items and the sums of the deviations of x and y
// from their means, of their squares and of their product.
func moments(x, y []float64, index []int, clusters int) []float64 {
	mx, my := stat.Mean(x), stat.Mean(y)
	out := make([]float64, 6*clusters)
	for i, c := range index {
		dx, dy := x[i]-mx, y[i]-my
		for j, v := range [6]float64{1, dx, dy, dx * dx, dy * dy, dx * dy} {
			out[6*c+j] += v
		}
	}
	return out
}

// pearson returns the linear correlation from moments. A result that differs from ±1 only by
// rounding is set to ±1, so that its interval does not depend on the last digit. A variance that is
// only rounding counts as 0.
func pearson(m []float64) stat.Opt {
	if m[0] < 2 {
		return stat.None(stat.TooFew)
	}
	sxx, syy, sxy := m[3]-m[1]*m[1]/m[0], m[4]-m[2]*m[2]/m[0], m[5]-m[1]*m[2]/m[0]
	if sxx <= 1e-12*m[3] || syy <= 1e-12*m[4] {
		return stat.None(stat.ZeroVariance)
	}
	r := sxy / math.Sqrt(sxx) / math.Sqrt(syy)
	if math.Abs(r) > 1-1e-14 {
		r = math.Copysign(1, r)
	}
	return stat.Some(r)
}

func needVariation(x, y []float64) stat.Reason {
	switch {
	case len(x) == 0:
		return stat.NoItems
	case len(x) < 2:
		return stat.TooFew
	case stat.Constant(x) || stat.Constant(y):
		return stat.ZeroVariance
	}
	return ""
}

// kendall computes tau-b in O(n log n): sort by x, then y, and count the exchanges of a merge sort
// of y (Knight 1966).
func kendall(x, y []float64) stat.Opt {
	n := len(x)
	order := stat.SortedOrder(y)
	byX := make([]float64, n)
	for i, k := range order {
		byX[i] = x[k]
	}
	perm := stat.SortedOrder(byX) // stable: ties in x stay ascending in y
	sx, sy := make([]float64, n), make([]float64, n)
	for i, k := range perm {
		sx[i], sy[i] = x[order[k]], y[order[k]]
	}
	joint := 0.0 // pairs that are tied in both
	for i := 0; i < n; {
		end := stat.RunEnd(sx, i)
		joint += tiedPairs(sy[i:end])
		i = end
	}
	tiedX := tiedPairs(sx)
	discordant := float64(inversions(sy, make([]float64, n))) // sorts sy
	tiedY := tiedPairs(sy)
	total := float64(n) * float64(n-1) / 2
	s := total - tiedX - tiedY + joint - 2*discordant // concordant - discordant
	return stat.Ratio(s, math.Sqrt(total-tiedX)*math.Sqrt(total-tiedY), stat.ZeroVariance)
}

// tiedPairs counts the pairs of equal values of an ascending column.
func tiedPairs(v []float64) float64 {
	pairs := 0.0
	for i := 0; i < len(v); {
		end := stat.RunEnd(v, i)
		pairs += float64(end-i) * float64(end-i-1) / 2
		i = end
	}
	return pairs
}

// inversions sorts v ascending and counts the pairs i<j with v[i] > v[j].
func inversions(v, buffer []float64) int64 {
	if len(v) < 2 {
		return 0
	}
	mid := len(v) / 2
	count := inversions(v[:mid], buffer[:mid]) + inversions(v[mid:], buffer[mid:])
	copy(buffer, v)
	i, j := 0, mid
	for k := range v {
		if i < mid && (j >= len(v) || buffer[i] <= buffer[j]) {
			v[k] = buffer[i]
			i++
		} else {
			v[k] = buffer[j]
			count += int64(mid - i)
			j++
		}
	}
	return count
}

// Continuous is the agreement of two graded scores on the same scale.
type Continuous struct {
	Bias, MAE, RMSE stat.Opt // of judge - det
	SDDiff          stat.Opt // n-1
	Limits          stat.Interval
	CCC             stat.Opt // Lin's concordance, with 1/n variances: are the numbers interchangeable?
}

// AgreeContinuous compares the judge's graded scores with det's, in their unit. Limits are the
// limits of agreement, bias ± z·SDDiff (Bland and Altman 1986); CCC is Lin's (1989), in -1..1.
func AgreeContinuous(judge, det []float64, alpha float64) (Continuous, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Continuous{}, err
	}
	kept, _, err := stat.Complete(judge, det)
	if err != nil {
		return Continuous{}, err
	}
	x, y := kept[0], kept[1]
	if len(x) == 0 {
		u := stat.None(stat.NoItems)
		return Continuous{u, u, u, u, stat.NoInterval(stat.NoItems), u}, nil
	}
	d := make([]float64, len(x))
	absolute, square := 0.0, 0.0
	for i := range x {
		d[i] = x[i] - y[i]
		absolute += math.Abs(d[i])
		square += d[i] * d[i]
	}
	n, few := float64(len(d)), stat.None(stat.TooFew)
	out := Continuous{
		Bias: stat.Some(stat.Mean(d)), MAE: stat.Some(absolute / n), RMSE: stat.Some(math.Sqrt(square / n)),
		SDDiff: few, CCC: few,
	}
	if len(d) > 1 {
		out.SDDiff = stat.Some(math.Sqrt(stat.Variance(d)))
		out.CCC = concordance(x, y)
	}
	out.Limits = stat.Around(out.Bias, out.SDDiff.Times(stat.Critical(alpha)))
	return out, nil
}

func concordance(x, y []float64) stat.Opt {
	if stat.Constant(x) && stat.Constant(y) && x[0] == y[0] {
		return stat.None(stat.ZeroVariance)
	}
	n, mx, my := float64(len(x)), stat.Mean(x), stat.Mean(y)
	sxy := 0.0
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
	}
	shift := (mx - my) * (mx - my)
	return stat.Ratio(2*sxy/n, stat.SumSquares(x, mx)/n+stat.SumSquares(y, my)/n+shift, stat.ZeroVariance)
}
