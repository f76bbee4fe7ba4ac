package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// Alpha is Krippendorff's alpha with its observed and expected disagreement.
type Alpha struct {
	Alpha, DO, DE statistic.Opt
	Values        int // pairable values
	Units         int // units with at least two ratings
}

// The levels of measurement of Krippendorff's alpha. Ordinal distances depend
// on the margins of the values present.
const (
	LevelNominal  = "nominal"
	LevelOrdinal  = "ordinal"
	LevelInterval = "interval"
	LevelRatio    = "ratio"
)

// maxDistinct bounds the values-by-values sums of Krippendorff's alpha.
const maxDistinct = 10_000

// KrippendorffAlpha compares any number of raters with gaps; ratings is
// raters × units. Alpha is undefined when nothing varies.
func KrippendorffAlpha(ratings [][]float64, level string) (Alpha, error) {
	switch level {
	case LevelNominal, LevelOrdinal, LevelInterval, LevelRatio:
	default:
		return Alpha{}, fmt.Errorf("level %q is none of nominal, ordinal, interval, ratio", level)
	}
	perUnit, err := pairableUnits(ratings)
	if err != nil {
		return Alpha{}, err
	}
	out := Alpha{Units: len(perUnit)}
	var all []float64
	for _, u := range perUnit {
		out.Values += len(u)
		all = append(all, u...)
	}
	if out.Values == 0 {
		out.Alpha, out.DO, out.DE = statistic.None(statistic.TooFew), statistic.None(statistic.TooFew), statistic.None(statistic.TooFew)
		return out, nil
	}
	values := statistic.Distinct(all)
	if len(values) > maxDistinct {
		return Alpha{}, fmt.Errorf("%d distinct values are more than %d; bin them first", len(values), maxDistinct)
	}
	place := make(map[float64]int, len(values))
	for k, v := range values {
		place[v] = k
	}
	count := make([]float64, len(values))
	for _, v := range all {
		count[place[v]]++
	}
	distance := distanceOf(level, values, count)
	n := float64(out.Values)
	do, de := observedDisagreement(perUnit, place, distance)/n, 0.0
	for c := range values {
		for k := range c {
			de += count[c] * count[k] * distance(c, k)
		}
	}
	de = 2 * de / (n * (n - 1))
	out.DO, out.DE = statistic.Some(do), statistic.Some(de)
	out.Alpha = statistic.None(statistic.ZeroVariance)
	if de != 0 {
		out.Alpha = statistic.Some(1 - do/de)
	}
	return out, nil
}

// pairableUnits collects the ratings of each unit that has at least two.
func pairableUnits(ratings [][]float64) ([][]float64, error) {
	if len(ratings) == 0 {
		return nil, nil
	}
	n := len(ratings[0])
	for r, row := range ratings {
		if len(row) != n {
			return nil, fmt.Errorf("%w: rater %d has %d units, rater 1 has %d", statistic.ErrLengths, r+1, len(row), n)
		}
	}
	var out [][]float64
	for i := range n {
		var u []float64
		for _, row := range ratings {
			if !math.IsNaN(row[i]) {
				u = append(u, row[i])
			}
		}
		if len(u) >= 2 {
			out = append(out, u)
		}
	}
	return out, nil
}

// observedDisagreement is Σ over units of the squared distances of all ordered
// pairs, divided by the unit's number of ratings minus 1.
func observedDisagreement(perUnit [][]float64, place map[float64]int, distance func(c, k int) float64) float64 {
	total := 0.0
	for _, u := range perUnit {
		slices.Sort(u)
		s := 0.0
		for i := 0; i < len(u); {
			iEnd := statistic.RunEnd(u, i)
			for j := iEnd; j < len(u); {
				jEnd := statistic.RunEnd(u, j)
				s += float64(iEnd-i) * float64(jEnd-j) * distance(place[u[i]], place[u[j]])
				j = jEnd
			}
			i = iEnd
		}
		total += 2 * s / float64(len(u)-1)
	}
	return total
}

// distanceOf is the squared distance between the values at two places.
func distanceOf(level string, values, count []float64) func(c, k int) float64 {
	switch level {
	case LevelInterval:
		return func(c, k int) float64 { d := values[c] - values[k]; return d * d }
	case LevelRatio:
		return func(c, k int) float64 {
			if c == k {
				return 0
			}
			d := (values[c] - values[k]) / (values[c] + values[k])
			return d * d
		}
	case LevelOrdinal:
		cumulative := make([]float64, len(count)+1)
		for i, n := range count {
			cumulative[i+1] = cumulative[i] + n
		}
		return func(c, k int) float64 {
			low, high := min(c, k), max(c, k)
			d := cumulative[high+1] - cumulative[low] - (count[c]+count[k])/2
			return d * d
		}
	}
	return func(c, k int) float64 {
		if c == k {
			return 0
		}
		return 1
	}
}
