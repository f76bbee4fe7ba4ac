package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// CountedRaters are any number of raters, with gaps, whose ratings are counted and not
// kept: the memory is that of a table of categories. It gives Krippendorff's alpha and
// the generalised kappa of Fleiss as the functions over whole columns do.
type CountedRaters struct {
	values []float64
	at     map[float64]int
	// counts are the ratings of each category, over units that have at least two, and
	// pairs the coincidences of two categories in one unit, each unit with the weight
	// 1/(ratings-1).
	counts, pairs []float64
	ratings       float64
	pairable      int
	// Over the same units: the sum of their shares of agreeing pairs; over all units
	// with a rating: the sums of the shares of each category.
	agreeing float64
	shares   []float64
	rated    int

	unit []float64
}

// NewCountedRaters takes the declared categories, ascending.
func NewCountedRaters(categories []float64) (*CountedRaters, error) {
	q := len(categories)
	if q > MaxCategories {
		return nil, fmt.Errorf("%d categories are more than %d", q, MaxCategories)
	}
	c := &CountedRaters{
		values: categories, at: make(map[float64]int, q), counts: make([]float64, q), pairs: make([]float64, q*q),
		shares: make([]float64, q), unit: make([]float64, q),
	}
	for i, v := range categories {
		if i > 0 && categories[i-1] >= v || math.IsNaN(v) {
			return nil, fmt.Errorf("category %v does not follow %v", v, categories[max(0, i-1)])
		}
		c.at[v] = i
	}
	return c, nil
}

// take counts the ratings of one unit by category; ok is false where one is no declared
// category.
func (c *CountedRaters) take(ratings []float64) (m float64, ok bool) {
	clear(c.unit)
	for _, v := range ratings {
		if math.IsNaN(v) {
			continue
		}
		at, ok := c.at[v]
		if !ok {
			return 0, false
		}
		c.unit[at]++
		m++
	}
	return m, true
}

// Add takes what the raters say of one unit, NaN for a rating that is missing. It
// reports false, and takes nothing, where a rating is no declared category.
func (c *CountedRaters) Add(ratings []float64) bool {
	m, ok := c.take(ratings)
	if !ok || m == 0 {
		return ok
	}
	c.rated++
	for k, n := range c.unit {
		c.shares[k] += n / m
	}
	if m < 2 {
		return true
	}
	c.pairable++
	c.ratings += m
	q := len(c.values)
	for i, n := range c.unit {
		if n == 0 {
			continue
		}
		c.counts[i] += n
		c.agreeing += n * (n - 1) / (m * (m - 1))
		for j, k := range c.unit {
			if i != j {
				c.pairs[i*q+j] += n * k / (m - 1)
			} else {
				c.pairs[i*q+j] += n * (n - 1) / (m - 1)
			}
		}
	}
	return true
}

// Pairable is the number of units with at least two ratings.
func (c *CountedRaters) Pairable() int { return c.pairable }

// Fleiss is the generalised kappa without weights, undefined where no unit has two
// ratings and where chance alone would agree always.
func (c *CountedRaters) Fleiss() statistic.Opt {
	if c.pairable == 0 {
		return statistic.None(statistic.TooFew)
	}
	chance := 0.0
	for _, s := range c.shares {
		p := s / float64(c.rated)
		chance += p * p
	}
	return statistic.Ratio(c.agreeing/float64(c.pairable)-chance, 1-chance, statistic.NoChanceDisagreement)
}

// CountedAlpha is Krippendorff's alpha with what each unit adds to its deviation.
type CountedAlpha struct {
	Alpha    statistic.Opt
	of       *CountedRaters
	distance func(c, k int) float64
	do, de   float64
	// apart is, for each category, the mean squared distance of all ratings from it.
	apart []float64
}

// Alpha compares the raters on the given level; see KrippendorffAlpha.
func (c *CountedRaters) Alpha(level string) (*CountedAlpha, error) {
	switch level {
	case LevelNominal, LevelOrdinal, LevelInterval, LevelRatio:
	default:
		return nil, fmt.Errorf("level %q is none of nominal, ordinal, interval, ratio", level)
	}
	out := &CountedAlpha{of: c, distance: distanceOf(level, c.values, c.counts), apart: make([]float64, len(c.values))}
	n, q := c.ratings, len(c.values)
	if n == 0 {
		out.Alpha = statistic.None(statistic.TooFew)
		return out, nil
	}
	for i := range q {
		for k := range q {
			// Categories that nobody used are no values: their distances must not count.
			if i == k || c.counts[i] == 0 || c.counts[k] == 0 {
				continue
			}
			d := out.distance(i, k)
			out.do += c.pairs[i*q+k] * d / n
			out.de += c.counts[i] * c.counts[k] * d / (n * (n - 1))
			out.apart[i] += c.counts[k] * d / n
		}
	}
	out.Alpha = statistic.None(statistic.ZeroVariance)
	if out.de != 0 {
		out.Alpha = statistic.Some(1 - out.do/out.de)
	}
	return out, nil
}

// Influence is what one unit adds to the deviation of alpha from its expectation, by
// linearisation with the distances taken as fixed; NaN where alpha is undefined or the
// unit has fewer than two ratings.
func (a *CountedAlpha) Influence(ratings []float64) float64 {
	m, ok := a.of.take(ratings)
	if !a.Alpha.Valid || !ok || m < 2 {
		return math.NaN()
	}
	observed, expected := 0.0, 0.0
	for i, n := range a.of.unit {
		if n == 0 {
			continue
		}
		expected += n * a.apart[i]
		for k, l := range a.of.unit {
			if i != k && l > 0 {
				observed += n * l * a.distance(i, k) / (m - 1)
			}
		}
	}
	n := a.of.ratings
	dObserved := (observed - a.do*m) / n
	dExpected := 2 * (expected - a.de*m) / n
	return (a.do*dExpected/a.de - dObserved) / a.de
}
