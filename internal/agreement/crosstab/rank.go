package crosstab

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/calibration"
	"github.com/judgekit/judge/internal/agreement/statistic"
)

// Spearman is the rank correlation of X and Y: Pearson's of their midranks. It is
// undefined for fewer than two items and where one side is constant.
func (t *Table) Spearman() statistic.Opt {
	xs, ys := t.margins(xOf), t.margins(yOf)
	return t.correlate(
		func(c Cell) float64 { return rankOf(xs, c.X) },
		func(c Cell) float64 { return rankOf(ys, c.Y) })
}

// correlate is Pearson's correlation of two functions of the pairs.
func (t *Table) correlate(of, with func(Cell) float64) statistic.Opt {
	switch {
	case t.n == 0:
		return statistic.None(statistic.NoItems)
	case t.n < 2:
		return statistic.None(statistic.TooFew)
	}
	cells, n := t.Cells(), float64(t.n)
	constantX, constantY := true, true
	var mx, my float64
	for _, c := range cells {
		constantX, constantY = constantX && c.X == cells[0].X, constantY && c.Y == cells[0].Y
		mx += float64(c.N) * of(c) / n
		my += float64(c.N) * with(c) / n
	}
	if constantX || constantY {
		return statistic.None(statistic.ZeroVariance)
	}
	var xx, yy, xy float64
	for _, c := range cells {
		dx, dy := of(c)-mx, with(c)-my
		xx += float64(c.N) * dx * dx
		yy += float64(c.N) * dy * dy
		xy += float64(c.N) * dx * dy
	}
	r := xy / math.Sqrt(xx) / math.Sqrt(yy)
	if math.Abs(r) > 1-1e-14 {
		r = math.Copysign(1, r) // ±1 exactly where it is there up to rounding
	}
	return statistic.Some(r)
}

// Pearson is the linear correlation of X and Y, undefined as Spearman's is.
func (t *Table) Pearson() statistic.Opt {
	return t.correlate(func(c Cell) float64 { return c.X }, func(c Cell) float64 { return c.Y })
}

// StandardizedAlpha is Cronbach's alpha of k standardised columns, from the tables of
// all k·(k-1)/2 pairs of them over the same items: k·r̄/(1+(k-1)·r̄) with the mean r̄ of
// their correlations. It is undefined for fewer than two items or columns and where a
// column is constant.
func StandardizedAlpha(pairs []*Table) statistic.Opt {
	if len(pairs) == 0 {
		return statistic.None(statistic.TooFew)
	}
	k := (1 + math.Sqrt(1+8*float64(len(pairs)))) / 2
	mean := 0.0
	for _, t := range pairs {
		r := t.Pearson()
		switch {
		case r.Reason == statistic.NoItems:
			return statistic.None(statistic.TooFew)
		case !r.Valid:
			return r
		}
		mean += r.Value / float64(len(pairs))
	}
	if den := 1 + (k-1)*mean; math.Abs(den) > 1e-12 {
		return statistic.Some(k * mean / den)
	}
	return statistic.None(statistic.ZeroVariance)
}

// AUC is the area under the ROC curve of X as a score for Y, which is a pass from 0.5
// on: P(X of a pass > X of a fail) + ½ P(equal).
type AUC struct {
	Pos, Neg int
	AUC      statistic.Opt // undefined for one class
	places   []placement
}

// placement says of one score: the share of fails below it and of passes above it,
// ties half.
type placement struct{ score, ofPass, ofFail float64 }

// AUC ranks the passes above the fails by X.
func (t *Table) AUC() AUC {
	var out AUC
	passes := make([]int, 0, 16)
	var scores []margin
	for _, c := range t.Cells() {
		if k := len(scores); k == 0 || scores[k-1].value != c.X {
			scores, passes = append(scores, margin{value: c.X}), append(passes, 0)
		}
		scores[len(scores)-1].n += c.N
		if statistic.IsPass(c.Y) {
			passes[len(passes)-1] += c.N
			out.Pos += c.N
		}
	}
	out.Neg = t.n - out.Pos
	switch {
	case t.n == 0:
		out.AUC = statistic.None(statistic.NoItems)
		return out
	case out.Pos == 0 || out.Neg == 0:
		out.AUC = statistic.None(statistic.OneClass)
		return out
	}
	sum, passesBelow, failsBelow := 0.0, 0, 0
	for i, s := range scores {
		pos, neg := passes[i], s.n-passes[i]
		p := placement{
			score:  s.value,
			ofPass: (float64(failsBelow) + float64(neg)/2) / float64(out.Neg),
			ofFail: (float64(out.Pos-passesBelow-pos) + float64(pos)/2) / float64(out.Pos),
		}
		sum += float64(pos) * p.ofPass
		out.places = append(out.places, p)
		passesBelow, failsBelow = passesBelow+pos, failsBelow+neg
	}
	out.AUC = statistic.Some(sum / float64(out.Pos))
	return out
}

// Influence is what one item with the score x and the verdict y adds to the deviation
// of the area from its expectation (the centred placement value, after Obuchowski
// 1997); NaN where the area is undefined or a value is missing.
func (a *AUC) Influence(x, y float64) float64 {
	if !a.AUC.Valid || math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	at, ok := slices.BinarySearchFunc(a.places, x, func(p placement, x float64) int { return cmp.Compare(p.score, x) })
	switch {
	case !ok:
		return math.NaN()
	case statistic.IsPass(y):
		return (a.places[at].ofPass - a.AUC.Value) / float64(a.Pos)
	}
	return (a.places[at].ofFail - a.AUC.Value) / float64(a.Neg)
}

// Brier is the mean squared error of X as the chance that Y is a pass.
func (t *Table) Brier() statistic.Opt {
	if t.n == 0 {
		return statistic.None(statistic.NoItems)
	}
	sum := 0.0
	for _, c := range t.Cells() {
		d := c.X - hit(c.Y)
		sum += float64(c.N) * d * d
	}
	return statistic.Some(sum / float64(t.n))
}

func hit(y float64) float64 {
	if statistic.IsPass(y) {
		return 1
	}
	return 0
}

// Calibration says how far X, as the chance that Y is a pass, is off in each of bins
// right-closed bins of one width.
func (t *Table) Calibration(bins int) (calibration.ECE, error) {
	return calibration.CountedCalibrationError(bins, func(yield func(float64, calibration.Outcome) bool) {
		for _, c := range t.Cells() {
			if !yield(c.X, calibration.Outcome{Correct: statistic.IsPass(c.Y), N: c.N}) {
				return
			}
		}
	})
}
