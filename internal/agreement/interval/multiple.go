package interval

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Adjusted holds p-values adjusted for the number of tests, in input order; a
// missing p stays undefined and does not count.
type Adjusted struct {
	Bonferroni, Holm, Hochberg, BH, BY []stat.Opt
	RejectHolm, RejectBH               []*bool // adjusted p <= alpha; nil where p is missing
}

// AdjustP adjusts p-values (NaN = missing). Holm is for release gates, BH for
// exploration.
func AdjustP(p []float64, alpha float64) (Adjusted, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Adjusted{}, err
	}
	var index []int
	var v []float64
	for i, x := range p {
		if math.IsNaN(x) {
			continue
		}
		if x < 0 || x > 1 {
			return Adjusted{}, fmt.Errorf("p %d must lie in 0..1, got %v", i+1, x)
		}
		index, v = append(index, i), append(v, x)
	}
	m := float64(len(v))
	harmonic := 0.0
	for i := range v {
		harmonic += 1 / float64(i+1)
	}
	spread := func(adjusted []float64) []stat.Opt {
		out := make([]stat.Opt, len(p))
		for i := range out {
			out[i] = stat.None(stat.NoItems)
		}
		for k, a := range adjusted {
			out[index[k]] = stat.Some(a)
		}
		return out
	}
	out := Adjusted{
		Bonferroni: spread(stepDown(v, func(float64) float64 { return m }, false)),
		Holm:       spread(stepDown(v, func(rank float64) float64 { return m - rank + 1 }, true)),
		Hochberg:   spread(stepUp(v, func(rank float64) float64 { return m - rank + 1 })),
		BH:         spread(stepUp(v, func(rank float64) float64 { return m / rank })),
		BY:         spread(stepUp(v, func(rank float64) float64 { return harmonic * m / rank })),
	}
	out.RejectHolm, out.RejectBH = rejects(out.Holm, alpha), rejects(out.BH, alpha)
	return out, nil
}

// stepDown multiplies the p of each ascending rank (from 1) by factor(rank),
// caps at 1, and, when monotone, takes running maxima.
func stepDown(p []float64, factor func(rank float64) float64, monotone bool) []float64 {
	out := make([]float64, len(p))
	last := 0.0
	for r, i := range stat.SortedOrder(p) {
		out[i] = math.Min(1, factor(float64(r+1))*p[i])
		if monotone {
			out[i] = math.Max(out[i], last)
			last = out[i]
		}
	}
	return out
}

// stepUp is stepDown from the largest p, with running minima.
func stepUp(p []float64, factor func(rank float64) float64) []float64 {
	out := make([]float64, len(p))
	last := 1.0
	order := stat.SortedOrder(p)
	for r := len(order) - 1; r >= 0; r-- {
		i := order[r]
		last = math.Min(last, factor(float64(r+1))*p[i])
		out[i] = last
	}
	return out
}

func rejects(adjusted []stat.Opt, alpha float64) []*bool {
	out := make([]*bool, len(adjusted))
	for i, a := range adjusted {
		if a.Valid {
			reject := a.Value <= alpha
			out[i] = &reject
		}
	}
	return out
}
