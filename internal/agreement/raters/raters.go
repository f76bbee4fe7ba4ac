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
	if err := stat.CheckAlpha(alpha); err != nil {
		return RaterAgreement{}, err
	}
	sorted := slices.Clone(categories)
	slices.Sort(sorted)
	weights, err := valueWeights(w, sorted)
	if err != nil {
		return RaterAgreement{}, err
	}
	units, err := unitCounts(ratings, sorted)
	if err != nil {
		return RaterAgreement{}, err
	}
	q := len(sorted)
	g := newUnits(units, weights, q)
	if q > 1 {
		tw := stat.Sum(weights) / (float64(q) * float64(q-1))
		pe := 0.0
		for _, p := range g.pi {
			pe += p * (1 - p)
		}
		g.pe = stat.Some(tw * pe)
		g.unitPE = func(r []float64, total float64) float64 {
			s := 0.0
			for k, x := range r {
				s += x * (1 - g.pi[k])
			}
			return tw * s / total
		}
	}
	return g.coefficient(alpha), nil
}

// valueWeights are weights on ascending category values: linear and quadratic
// by distance, ordinal by the number of category pairs between the two.
func valueWeights(w Weighting, categories []float64) ([]float64, error) {
	q := len(categories)
	if q > MaxCategories {
		return nil, fmt.Errorf("%d categories are more than %d", q, MaxCategories)
	}
	out := identityWeights(q)
	if q < 2 {
		return out, nil
	}
	span := categories[q-1] - categories[0]
	for i := range q {
		for j := range q {
			d := math.Abs(categories[i]-categories[j]) / span
			steps := math.Abs(float64(i-j)) + 1
			switch w {
			case NoWeights, "", "identity":
				continue
			case Linear:
				out[i*q+j] = 1 - d
			case Quadratic:
				out[i*q+j] = 1 - d*d
			case Ordinal:
				out[i*q+j] = 1 - steps*(steps-1)/(float64(q)*float64(q-1))
			default:
				return nil, fmt.Errorf("weighting %q is none of none, linear, quadratic, ordinal", w)
			}
		}
	}
	return out, nil
}

// unitCounts turns raters × units into units × categories counts.
func unitCounts(ratings [][]float64, categories []float64) ([][]float64, error) {
	if len(ratings) == 0 {
		return nil, nil
	}
	n := len(ratings[0])
	counts := make([][]float64, n)
	flat := make([]float64, n*len(categories))
	for i := range counts {
		counts[i] = flat[i*len(categories) : (i+1)*len(categories)]
	}
	at := make(map[float64]int, len(categories))
	for k, c := range categories {
		if _, twice := at[c]; twice || math.IsNaN(c) {
			return nil, fmt.Errorf("category %v is declared twice or is missing", c)
		}
		at[c] = k
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

// units holds what both coefficients share.
type units struct {
	counts  [][]float64 // rated units × categories
	total   []float64   // ratings per unit
	weights []float64
	q       int
	pi      []float64 // mean share of each category
	pe      stat.Opt
	unitPE  func(r []float64, total float64) float64
}

func newUnits(counts [][]float64, weights []float64, q int) *units {
	g := &units{weights: weights, q: q, pi: make([]float64, q)}
	for _, r := range counts {
		if t := stat.Sum(r); t > 0 {
			g.counts = append(g.counts, r)
			g.total = append(g.total, t)
		}
	}
	for i, r := range g.counts {
		for k, x := range r {
			g.pi[k] += x / g.total[i]
		}
	}
	for k := range g.pi {
		g.pi[k] /= float64(len(g.counts))
	}
	g.pe = stat.None(stat.NoChanceDisagreement)
	return g
}

// unitPA is the weighted agreement among the ratings of one unit.
func (g *units) unitPA(r []float64, total float64) float64 {
	s := 0.0
	for k, x := range r {
		if x == 0 {
			continue
		}
		star := 0.0
		for l, y := range r {
			star += g.weights[k*g.q+l] * y
		}
		s += x * (star - 1)
	}
	return s / (total * (total - 1))
}

// coefficient is (pa-pe)/(1-pe) with its linearised SE (Gwet 2014).
func (g *units) coefficient(alpha float64) RaterAgreement {
	n := len(g.counts)
	out := RaterAgreement{Units: n, Coef: stat.None(stat.TooFew), PA: stat.None(stat.TooFew), PE: stat.None(stat.TooFew), SE: stat.None(stat.TooFew), CI: stat.NoInterval(stat.TooFew)}
	pa := make([]float64, n)
	total := 0.0
	for i, r := range g.counts {
		if g.total[i] >= 2 {
			out.Pairable++
			pa[i] = g.unitPA(r, g.total[i])
			total += pa[i]
		}
	}
	if out.Pairable == 0 {
		return out
	}
	out.PA, out.PE = stat.Some(total/float64(out.Pairable)), g.pe
	if !g.pe.Valid || g.pe.Value == 1 {
		r := stat.NoChanceDisagreement
		out.Coef, out.SE, out.CI = stat.None(r), stat.None(r), stat.NoInterval(r)
		return out
	}
	pe := g.pe.Value
	coef := (out.PA.Value - pe) / (1 - pe)
	out.Coef = stat.Some(coef)
	if n < 2 {
		return out
	}
	scale := float64(n) / float64(out.Pairable)
	ss := 0.0
	for i, r := range g.counts {
		k := 0.0
		if g.total[i] >= 2 {
			k = scale * (pa[i] - pe) / (1 - pe)
		}
		x := k - 2*(1-coef)*(g.unitPE(r, g.total[i])-pe)/(1-pe)
		ss += (x - coef) * (x - coef)
	}
	out.SE = stat.Some(math.Sqrt(ss / (float64(n) * float64(n-1))))
	out.CI = stat.Around(out.Coef, out.SE.Times(stat.CriticalT(alpha, float64(n-1)))).Clip(math.Inf(-1), 1)
	return out
}

// FleissKappa is [FleissGeneralized] of raters × units over the declared categories; a
// missing rating is NaN.
func FleissKappa(ratings [][]float64, categories []float64, alpha float64) (RaterAgreement, error) {
	counts, err := unitCounts(ratings, categories)
	if err != nil {
		return RaterAgreement{}, err
	}
	return FleissGeneralized(counts, alpha)
}

// FleissGeneralized is Fleiss' kappa for items with different numbers of
// ratings; counts is items × categories. Its interval has no clipping below.
func FleissGeneralized(counts [][]float64, alpha float64) (RaterAgreement, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return RaterAgreement{}, err
	}
	q, err := checkCounts(counts)
	if err != nil {
		return RaterAgreement{}, err
	}
	g := newUnits(counts, identityWeights(q), q)
	if len(g.counts) > 0 {
		pe, used := 0.0, 0
		for _, p := range g.pi {
			pe += p * p
			if p > 0 {
				used++
			}
		}
		if used == 1 {
			pe = 1
		}
		g.pe = stat.Some(pe)
		g.unitPE = func(r []float64, total float64) float64 {
			s := 0.0
			for k, x := range r {
				s += x * g.pi[k]
			}
			return s / total
		}
	}
	return g.coefficient(alpha), nil
}

// checkCounts checks an items × categories table and returns its width.
func checkCounts(counts [][]float64) (int, error) {
	if len(counts) == 0 {
		return 0, nil
	}
	q := len(counts[0])
	if q > MaxCategories {
		return 0, fmt.Errorf("%d categories are more than %d", q, MaxCategories)
	}
	for i, r := range counts {
		if len(r) != q {
			return 0, fmt.Errorf("%w: item %d has %d categories, item 1 has %d", stat.ErrLengths, i+1, len(r), q)
		}
		for _, x := range r {
			if !(x >= 0) || x != math.Trunc(x) {
				return 0, fmt.Errorf("item %d: a count must be a whole number >= 0, got %v", i+1, x)
			}
		}
	}
	return q, nil
}
