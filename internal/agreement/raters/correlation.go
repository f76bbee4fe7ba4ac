package raters

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Correlation holds three rank and linear correlations. It ignores bias: a judge
// always one point high correlates perfectly.
type Correlation struct {
	N, Dropped int
	Pearson    stat.Opt
	PearsonP   stat.Opt // from t with N-2 degrees of freedom
	PearsonCI  stat.Interval
	Spearman   stat.Opt // Pearson of midranks
	SpearmanP  stat.Opt
	KendallB   stat.Opt // tau-b, the honest one under heavy ties
	KendallP   stat.Opt // tie-corrected, asymptotic
}

// Correlate compares x and y; a constant column or fewer than 2 items leave
// everything undefined, 2 items give values without p.
func Correlate(x, y []float64, alpha float64) (Correlation, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Correlation{}, err
	}
	kept, dropped, err := stat.Complete(x, y)
	if err != nil {
		return Correlation{}, err
	}
	x, y = kept[0], kept[1]
	out := Correlation{N: len(x), Dropped: dropped}
	if reason := needVariation(x, y); reason != "" {
		u := stat.None(reason)
		out.Pearson, out.PearsonP, out.PearsonCI = u, u, stat.NoInterval(reason)
		out.Spearman, out.SpearmanP, out.KendallB, out.KendallP = u, u, u, u
		return out, nil
	}
	out.Pearson = Pearson(x, y)
	out.PearsonP = correlationP(out.Pearson, out.N)
	out.PearsonCI = fisherInterval(out.Pearson, out.N, alpha)
	out.Spearman = Pearson(stat.Midranks(x), stat.Midranks(y))
	out.SpearmanP = correlationP(out.Spearman, out.N)
	out.KendallB, out.KendallP = kendall(x, y)
	return out, nil
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

// Pearson is the linear correlation, put on ±1 exactly when it is there up to
// rounding, so that its p and interval do not hang on the last digit.
func Pearson(x, y []float64) stat.Opt {
	mx, my := stat.Mean(x), stat.Mean(y)
	var sxx, syy, sxy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sxx += dx * dx
		syy += dy * dy
		sxy += dx * dy
	}
	if sxx == 0 || syy == 0 {
		return stat.None(stat.ZeroVariance)
	}
	r := sxy / math.Sqrt(sxx) / math.Sqrt(syy)
	if math.Abs(r) > 1-1e-14 {
		r = math.Copysign(1, r)
	}
	return stat.Some(r)
}

func correlationP(r stat.Opt, n int) stat.Opt {
	switch {
	case !r.Valid:
		return r
	case n < 3:
		return stat.None(stat.TooFew)
	case math.Abs(r.Value) == 1:
		return stat.Some(0)
	}
	df := float64(n - 2)
	t := r.Value * math.Sqrt(df/((1-r.Value)*(1+r.Value)))
	return stat.Some(stat.StudentTwoSided(t, df))
}

// fisherInterval is the interval by Fisher's transformation, for n >= 4.
func fisherInterval(r stat.Opt, n int, alpha float64) stat.Interval {
	switch {
	case !r.Valid:
		return stat.NoInterval(r.Reason)
	case n < 4:
		return stat.NoInterval(stat.TooFew)
	case math.Abs(r.Value) == 1:
		return stat.Interval{Low: r, High: r}
	}
	z, half := math.Atanh(r.Value), stat.Critical(alpha)/math.Sqrt(float64(n-3))
	return stat.Interval{Low: stat.Some(math.Tanh(z - half)), High: stat.Some(math.Tanh(z + half))}
}

// tieSums are Σt(t-1)/2, Σt(t-1)(t-2), Σt(t-1)(2t+5) over groups of equal values.
type tieSums struct{ pairs, triples, weighted float64 }

func (s *tieSums) add(size int) {
	t := float64(size)
	s.pairs += t * (t - 1) / 2
	s.triples += t * (t - 1) * (t - 2)
	s.weighted += t * (t - 1) * (2*t + 5)
}

// kendall computes tau-b in O(n log n): sort by x, then y, and count the
// exchanges a merge sort of y needs (Knight 1966).
func kendall(x, y []float64) (tau, p stat.Opt) {
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
	var tx, ty, joint tieSums
	for i := 0; i < n; {
		end := stat.RunEnd(sx, i)
		tx.add(end - i)
		for j := i; j < end; {
			e := min(end, stat.RunEnd(sy, j))
			joint.add(e - j)
			j = e
		}
		i = end
	}
	discordant := float64(inversions(sy, make([]float64, n))) // sorts sy
	for j := 0; j < n; {
		end := stat.RunEnd(sy, j)
		ty.add(end - j)
		j = end
	}
	m := float64(n) * float64(n-1)
	total := m / 2
	s := total - tx.pairs - ty.pairs + joint.pairs - 2*discordant // concordant - discordant
	tau = stat.Ratio(s, math.Sqrt(total-tx.pairs)*math.Sqrt(total-ty.pairs), stat.ZeroVariance)
	if n < 3 {
		return tau, stat.None(stat.TooFew)
	}
	v := (m*float64(2*n+5)-tx.weighted-ty.weighted)/18 + 2*tx.pairs*ty.pairs/m +
		tx.triples*ty.triples/(9*m*float64(n-2))
	if !(v > 0) {
		return tau, stat.None(stat.ZeroVariance)
	}
	return tau, stat.Some(2 * stat.NormalCDF(-math.Abs(s)/math.Sqrt(v)))
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

// Continuous is the agreement of two graded scores on one scale.
type Continuous struct {
	N, Dropped      int
	Bias, MAE, RMSE stat.Opt // of judge - det
	SDDiff          stat.Opt // n-1
	Limits          stat.Interval
	CCC             stat.Opt // Lin's concordance, 1/n variances: are the numbers interchangeable
}

// AgreeContinuous compares the judge's graded scores with det's; Limits are the
// limits of agreement, bias ± z·SDDiff.
func AgreeContinuous(judge, det []float64, alpha float64) (Continuous, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Continuous{}, err
	}
	kept, dropped, err := stat.Complete(judge, det)
	if err != nil {
		return Continuous{}, err
	}
	x, y := kept[0], kept[1]
	out := Continuous{N: len(x), Dropped: dropped}
	if out.N == 0 {
		u := stat.None(stat.NoItems)
		out.Bias, out.MAE, out.RMSE, out.SDDiff, out.Limits, out.CCC = u, u, u, u, stat.NoInterval(stat.NoItems), u
		return out, nil
	}
	d := make([]float64, len(x))
	absolute, square := 0.0, 0.0
	for i := range x {
		d[i] = x[i] - y[i]
		absolute += math.Abs(d[i])
		square += d[i] * d[i]
	}
	n := float64(out.N)
	out.Bias, out.MAE, out.RMSE = stat.Some(stat.Mean(d)), stat.Some(absolute/n), stat.Some(math.Sqrt(square/n))
	out.SDDiff, out.CCC = stat.None(stat.TooFew), stat.None(stat.TooFew)
	if out.N > 1 {
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
