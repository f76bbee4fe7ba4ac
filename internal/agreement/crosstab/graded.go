package crosstab

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// Graded says whether two graded scores on one scale are interchangeable.
type Graded struct {
	N int
	// Bias is the mean of X - Y, MAE and RMSE the mean absolute and root mean squared
	// difference.
	Bias, MAE, RMSE statistic.Opt
	// CCC is Lin's concordance, with 1/n variances.
	CCC statistic.Opt
}

// Graded compares X with Y.
func (t *Table) Graded() Graded {
	none := statistic.None(statistic.NoItems)
	out := Graded{N: t.n, Bias: none, MAE: none, RMSE: none, CCC: none}
	if t.n == 0 {
		return out
	}
	n := float64(t.n)
	var mx, my, absolute, square float64
	for _, c := range t.Cells() {
		d, k := c.X-c.Y, float64(c.N)
		mx, my = mx+k*c.X/n, my+k*c.Y/n
		absolute += k * math.Abs(d)
		square += k * d * d
	}
	bias := 0.0
	var xx, yy, xy float64
	for _, c := range t.Cells() {
		dx, dy, k := c.X-mx, c.Y-my, float64(c.N)
		bias += k * (c.X - c.Y)
		xx, yy, xy = xx+k*dx*dx, yy+k*dy*dy, xy+k*dx*dy
	}
	out.Bias, out.MAE, out.RMSE = statistic.Some(bias/n), statistic.Some(absolute/n), statistic.Some(math.Sqrt(square/n))
	out.CCC = statistic.None(statistic.TooFew)
	if t.n > 1 {
		out.CCC = statistic.Ratio(2*xy/n, xx/n+yy/n+(mx-my)*(mx-my), statistic.ZeroVariance)
	}
	return out
}

// Retest reads X and Y as two scores of one item by one instrument: the standard
// deviation about the item's own mean, and ICC(1,1) of Shrout and Fleiss.
func (t *Table) Retest() (within, icc statistic.Opt) {
	if t.n == 0 {
		return statistic.None(statistic.NoItems), statistic.None(statistic.NoItems)
	}
	n := float64(t.n)
	grand, msw := 0.0, 0.0
	for _, c := range t.Cells() {
		grand += float64(c.N) * (c.X + c.Y) / 2 / n
		msw += float64(c.N) * (c.X - c.Y) * (c.X - c.Y) / 2 / n
	}
	within = statistic.Some(math.Sqrt(msw))
	if t.n < 2 {
		return within, statistic.None(statistic.TooFew)
	}
	msb := 0.0
	for _, c := range t.Cells() {
		d := (c.X+c.Y)/2 - grand
		msb += 2 * float64(c.N) * d * d / (n - 1)
	}
	return within, statistic.Ratio(msb-msw, msb+msw, statistic.ZeroVariance)
}

// KendallB is tau-b, the rank correlation that counts ties for neither side.
func (t *Table) KendallB() statistic.Opt {
	xs, ys := t.margins(xOf), t.margins(yOf)
	switch {
	case t.n == 0:
		return statistic.None(statistic.NoItems)
	case t.n < 2:
		return statistic.None(statistic.TooFew)
	case len(xs) < 2 || len(ys) < 2:
		return statistic.None(statistic.ZeroVariance)
	}
	place := make(map[float64]int, len(ys))
	for i, m := range ys {
		place[m.value] = i + 1
	}
	// below is a Fenwick tree over the places of Y, of the items with a smaller X.
	below := make([]float64, len(ys)+1)
	seen, score := 0.0, 0.0
	cells := t.Cells()
	for i := 0; i < len(cells); {
		end := i
		for end < len(cells) && cells[end].X == cells[i].X {
			end++
		}
		for _, c := range cells[i:end] {
			at := place[c.Y]
			less, upTo := prefix(below, at-1), prefix(below, at)
			score += float64(c.N) * (less - (seen - upTo))
		}
		for _, c := range cells[i:end] {
			for at := place[c.Y]; at < len(below); at += at & -at {
				below[at] += float64(c.N)
			}
			seen += float64(c.N)
		}
		i = end
	}
	untied := func(all []margin) float64 {
		pairs := float64(t.n) * float64(t.n-1) / 2
		for _, m := range all {
			pairs -= float64(m.n) * float64(m.n-1) / 2
		}
		return pairs
	}
	return statistic.Ratio(score, math.Sqrt(untied(xs))*math.Sqrt(untied(ys)), statistic.ZeroVariance)
}

func prefix(tree []float64, at int) (sum float64) {
	for ; at > 0; at -= at & -at {
		sum += tree[at]
	}
	return sum
}
