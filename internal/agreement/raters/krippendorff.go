package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Alpha is Krippendorff's alpha with its observed and expected disagreement.
type Alpha struct {
	Alpha, DO, DE stat.Opt
	Values        int // pairable values
	Units         int // units with at least two ratings
}

// The levels of measurement of Krippendorff's alpha. Ordinal distances depend
// on the margins of the values present.
const (
	LevelNominal  = "nominal"
	LevelOrdinal  = "ordinal"
	LevelInterval = "interval"
)

// maxDistinct bounds the values-by-values sums of Krippendorff's alpha.
const maxDistinct = 10_000

// AlphaCluster is Krippendorff's alpha over units that come in clusters (calls in
// conversations).
type AlphaCluster struct {
	Alpha
	Clusters int           // with a pairable unit
	SE       stat.Opt      // CR1 from the influence of each unit, by linearisation with fixed distances
	CI       stat.Interval // Alpha ± t(G-1)·SE, not clipped
}

// ClusteredAlpha compares any number of raters with gaps; ratings is raters × units, and
// cluster the conversation of each unit, nil for independent units. Alpha is undefined
// when nothing varies.
func ClusteredAlpha(ratings [][]float64, cluster []int, level string, alpha float64) (AlphaCluster, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return AlphaCluster{}, err
	}
	d, err := disagreementOf(ratings, level)
	if err != nil {
		return AlphaCluster{}, err
	}
	out := AlphaCluster{Alpha: d.Alpha, SE: stat.None(d.Alpha.Alpha.Reason), CI: stat.NoInterval(d.Alpha.Alpha.Reason)}
	if !d.Alpha.Alpha.Valid {
		return out, nil
	}
	var of []int
	if cluster != nil {
		if len(ratings[0]) != len(cluster) {
			return AlphaCluster{}, fmt.Errorf("%w: alpha needs one cluster per unit", stat.ErrLengths)
		}
		for _, u := range d.units {
			of = append(of, cluster[u.at])
		}
	}
	influence, index, g, _, err := stat.CompleteClustered(of, d.influences())
	if err != nil {
		return AlphaCluster{}, err
	}
	out.Clusters, out.SE = g, interval.InfluenceSE(influence[0], index, g)
	out.CI = stat.Around(d.Alpha.Alpha, out.SE.Times(stat.CriticalT(alpha, math.Max(1, float64(g-1)))))
	return out, nil
}

// disagreement is alpha with what it is made of.
type disagreement struct {
	Alpha
	units    []unit
	count    []float64 // of each value, ascending, over the pairable units
	distance func(c, k int) float64
}

// unit are the ratings, two at least, of the unit at a place, as places of their values.
type unit struct {
	at     int
	places []int
}

func disagreementOf(ratings [][]float64, level string) (d disagreement, err error) {
	if level != LevelNominal && level != LevelOrdinal && level != LevelInterval {
		return d, fmt.Errorf("level %q is none of nominal, ordinal, interval", level)
	}
	values, err := d.fill(ratings)
	if err != nil {
		return d, err
	}
	if d.Values == 0 {
		d.Alpha.Alpha, d.DO, d.DE = stat.None(stat.TooFew), stat.None(stat.TooFew), stat.None(stat.TooFew)
		return d, nil
	}
	d.distance = distanceOf(level, values, d.count)
	n := float64(d.Values)
	do, de := 0.0, 0.0
	for _, u := range d.units {
		do += d.observed(u)
	}
	for c := range values {
		for k := range c {
			de += d.count[c] * d.count[k] * d.distance(c, k)
		}
	}
	do, de = do/n, 2*de/(n*(n-1))
	d.DO, d.DE, d.Alpha.Alpha = stat.Some(do), stat.Some(de), stat.None(stat.ZeroVariance)
	if de != 0 {
		d.Alpha.Alpha = stat.Some(1 - do/de)
	}
	return d, nil
}

// fill collects the units that have at least two ratings, and gives the distinct values.
func (d *disagreement) fill(ratings [][]float64) ([]float64, error) {
	if len(ratings) == 0 {
		return nil, nil
	}
	n, pairable := len(ratings[0]), make([]int, len(ratings[0]))
	for r, row := range ratings {
		if len(row) != n {
			return nil, fmt.Errorf("%w: rater %d has %d units, rater 1 has %d", stat.ErrLengths, r+1, len(row), n)
		}
		for i, v := range row {
			if !math.IsNaN(v) {
				pairable[i]++
			}
		}
	}
	var all []float64
	for i, count := range pairable {
		if count < 2 {
			continue
		}
		d.units = append(d.units, unit{at: i})
		for _, row := range ratings {
			if !math.IsNaN(row[i]) {
				all = append(all, row[i])
			}
		}
	}
	values := stat.Distinct(all)
	if len(values) > maxDistinct {
		return nil, fmt.Errorf("%d distinct values are more than %d; bin them first", len(values), maxDistinct)
	}
	d.Units, d.Values, d.count = len(d.units), len(all), make([]float64, len(values))
	places := make([]int, len(all))
	for i, v := range all {
		places[i], _ = slices.BinarySearch(values, v)
		d.count[places[i]]++
	}
	for i := range d.units {
		m := pairable[d.units[i].at]
		d.units[i].places, places = places[:m], places[m:]
	}
	return values, nil
}

// influences are what each unit adds to the deviation of alpha from its expectation.
func (d *disagreement) influences() []float64 {
	n, do, de := float64(d.Values), d.DO.Value, d.DE.Value
	// apart is, for each value, the mean squared distance of all ratings from it.
	apart, out := make([]float64, len(d.count)), make([]float64, len(d.units))
	for c := range apart {
		for k, count := range d.count {
			apart[c] += count * d.distance(c, k) / n
		}
	}
	for i, u := range d.units {
		m, expected := float64(len(u.places)), 0.0
		for _, c := range u.places {
			expected += apart[c]
		}
		dObserved, dExpected := (d.observed(u)-do*m)/n, 2*(expected-de*m)/n
		out[i] = (do*dExpected/de - dObserved) / de
	}
	return out
}

// observed is the sum of the squared distances of all ordered pairs of a unit's
// ratings, divided by their number minus 1.
func (d *disagreement) observed(u unit) float64 {
	s := 0.0
	for i, c := range u.places {
		for _, k := range u.places[:i] {
			s += d.distance(c, k)
		}
	}
	return 2 * s / float64(len(u.places)-1)
}

// distanceOf is the squared distance between the values at two places.
func distanceOf(level string, values, count []float64) func(c, k int) float64 {
	switch level {
	case LevelInterval:
		return func(c, k int) float64 { d := values[c] - values[k]; return d * d }
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
