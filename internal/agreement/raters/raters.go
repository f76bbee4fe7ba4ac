package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// RaterAgreement is a chance-corrected coefficient for any number of raters
// with gaps: Gwet's AC or the generalised Fleiss kappa.
type RaterAgreement struct {
	Units    int // units with at least one rating
	Pairable int // units with at least two
	Coef     stat.Opt
	PA, PE   stat.Opt
	SE       stat.Opt      // by linearisation over units
	CI       stat.Interval // t with Units-1 degrees of freedom, upper end cut at 1
}

// GwetAC is AC1 (NoWeights) or AC2 over the declared categories. ratings is
// raters × units; a missing rating is NaN.
func GwetAC(ratings [][]float64, categories []float64, w Weighting, alpha float64) (RaterAgreement, error) {
	sorted := slices.Clone(categories)
	slices.Sort(sorted)
	u, err := newUnits(ratings, sorted, w, alpha)
	if err != nil {
		return RaterAgreement{}, err
	}
	q := float64(len(sorted))
	if q < 2 {
		return u.coefficient(stat.None(stat.NoChanceDisagreement), nil, alpha), nil
	}
	tw, pe := stat.Sum(u.weights)/(q*(q-1)), 0.0
	chance := make([]float64, len(sorted))
	for k, p := range u.pi {
		pe += p * (1 - p)
		chance[k] = tw * (1 - p)
	}
	return u.coefficient(stat.Some(tw*pe), chance, alpha), nil
}

// FleissKappa is Fleiss' kappa over the declared categories for units with different
// numbers of ratings. ratings is raters × units; a missing rating is NaN. Its interval has
// no clipping below.
func FleissKappa(ratings [][]float64, categories []float64, alpha float64) (RaterAgreement, error) {
	u, err := newUnits(ratings, categories, NoWeights, alpha)
	if err != nil {
		return RaterAgreement{}, err
	}
	pe, used := 0.0, 0
	for _, p := range u.pi {
		pe += p * p
		if p > 0 {
			used++
		}
	}
	if used == 1 {
		pe = 1
	}
	return u.coefficient(stat.Some(pe), u.pi, alpha), nil
}

// units are the rated units as counts of categories.
type units struct {
	counts  [][]float64 // rated units × categories
	total   []float64   // ratings per unit
	weights []float64   // categories × categories, row-major
	pi      []float64   // mean share of each category
}

func newUnits(ratings [][]float64, categories []float64, w Weighting, alpha float64) (*units, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return nil, err
	}
	u := &units{pi: make([]float64, len(categories))}
	var err error
	if u.weights, err = weightsOn(categories, w); err != nil {
		return nil, err
	}
	counts, err := unitCounts(ratings, categories)
	if err != nil {
		return nil, err
	}
	for _, r := range counts {
		if t := stat.Sum(r); t > 0 {
			u.counts, u.total = append(u.counts, r), append(u.total, t)
		}
	}
	for i, r := range u.counts {
		for k, x := range r {
			u.pi[k] += x / u.total[i]
		}
	}
	for k := range u.pi {
		u.pi[k] /= float64(len(u.counts))
	}
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

// agreement is the weighted agreement among the ratings of one unit.
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

// coefficient is (pa-pe)/(1-pe) with its linearised SE (Gwet 2014). chance is what a
// rating of each category adds to the expected agreement of its unit.
func (u *units) coefficient(pe stat.Opt, chance []float64, alpha float64) RaterAgreement {
	n, few := len(u.counts), stat.None(stat.TooFew)
	out := RaterAgreement{Units: n, Coef: few, PA: few, PE: few, SE: few, CI: stat.NoInterval(stat.TooFew)}
	pa := make([]float64, n)
	for i := range pa {
		if u.total[i] >= 2 {
			out.Pairable++
			pa[i] = u.agreement(i)
		}
	}
	if out.Pairable == 0 {
		return out
	}
	out.PA, out.PE = stat.Some(stat.Sum(pa)/float64(out.Pairable)), pe
	if !pe.Valid || pe.Value == 1 {
		r := stat.NoChanceDisagreement
		out.Coef, out.SE, out.CI = stat.None(r), stat.None(r), stat.NoInterval(r)
		return out
	}
	coef := (out.PA.Value - pe.Value) / (1 - pe.Value)
	out.Coef = stat.Some(coef)
	if n < 2 {
		return out
	}
	ss := 0.0
	for i, r := range u.counts {
		x := 0.0
		if u.total[i] >= 2 {
			x = float64(n) / float64(out.Pairable) * (pa[i] - pe.Value) / (1 - pe.Value)
		}
		expected := 0.0
		for k, count := range r {
			expected += count * chance[k]
		}
		x -= 2 * (1 - coef) * (expected/u.total[i] - pe.Value) / (1 - pe.Value)
		ss += (x - coef) * (x - coef)
	}
	out.SE = stat.Some(math.Sqrt(ss / (float64(n) * float64(n-1))))
	out.CI = stat.Around(out.Coef, out.SE.Times(stat.CriticalT(alpha, float64(n-1)))).Clip(math.Inf(-1), 1)
	return out
}
