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
	DO, DE stat.Opt
	Values int // pairable values
	Units  int // units with at least two ratings
	interval.Jackknifed
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

// ClusteredAlpha is Krippendorff's alpha (2011) for any number of raters with gaps: at most 1, and
// 0 for agreement by chance. ratings is raters × units, cluster is the conversation of each unit,
// nil for independent units. Alpha is undefined if nothing varies. Its interval is
// [interval.Jackknifed.Common], clustered.
func ClusteredAlpha(ratings [][]float64, cluster []int, level string, alpha float64) (Alpha, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Alpha{}, err
	}
	d, err := disagreementOf(ratings, level)
	if err != nil {
		return Alpha{}, err
	}
	members, err := d.members(cluster, ratings)
	if err != nil {
		return Alpha{}, err
	}
	out := Alpha{Values: d.number, Units: len(d.units)}
	out.DO, out.DE = d.shares()
	j := interval.Jackknife(d.alpha(), len(members), func(c int) stat.Opt {
		for _, i := range members[c] {
			d.count(d.units[i], -1)
		}
		without := d.alpha()
		for _, i := range members[c] {
			d.count(d.units[i], 1)
		}
		return without
	})
	out.Jackknifed = d.bounded(j, members, alpha)
	return out, nil
}

// bounded gives alpha its interval.
func (d *disagreement) bounded(j interval.Jackknifed, members [][]int, alpha float64) interval.Jackknifed {
	index := make([]int, len(d.units))
	for c, units := range members {
		for _, i := range units {
			index[i] = c
		}
	}
	at, apart := d.values, squared
	switch d.level {
	case LevelOrdinal:
		at = midranksOf(d.counts)
	case LevelNominal:
		apart = different
	}
	return j.Common(index, nil, func(i int) (ratings []float64) {
		for _, k := range d.units[i].places {
			ratings = append(ratings, at[k])
		}
		return ratings
	}, apart, alpha)
}

// disagreement holds the pairable ratings as counts, so that alpha can be computed without some
// units and without reading all others again.
type disagreement struct {
	level    string
	units    []unit
	values   []float64 // distinct, ascending
	counts   []float64 // of each value
	number   int       // number of ratings
	observed float64   // sum of squared distances within units, for levels with fixed distances
	// for ordinal ratings: the coincidences of different values, with the index of each pair of
	// values.
	pairs  map[[2]int]int
	apart  [][2]int
	weight []float64
}

// unit holds the ratings of the unit at an index, at least two, as indexes of their values.
type unit struct {
	at     int
	places []int
}

func disagreementOf(ratings [][]float64, level string) (*disagreement, error) {
	if level != LevelNominal && level != LevelOrdinal && level != LevelInterval {
		return nil, fmt.Errorf("level %q is not one of nominal, ordinal, interval", level)
	}
	d := &disagreement{level: level, pairs: map[[2]int]int{}}
	if err := d.fill(ratings); err != nil {
		return nil, err
	}
	for _, u := range d.units {
		d.count(u, 1)
	}
	return d, nil
}

// members returns the units of each cluster, in order of first appearance.
func (d *disagreement) members(cluster []int, ratings [][]float64) ([][]int, error) {
	if cluster != nil && len(ratings) > 0 && len(ratings[0]) != len(cluster) {
		return nil, fmt.Errorf("%w: alpha needs one cluster per unit", stat.ErrLengths)
	}
	var of []int
	if cluster != nil {
		of = make([]int, len(d.units))
		for i, u := range d.units {
			of[i] = cluster[u.at]
		}
	}
	_, index, g, _, err := stat.CompleteClustered(of, make([]float64, len(d.units)))
	out := make([][]int, g)
	for i, c := range index {
		out[c] = append(out[c], i)
	}
	return out, err
}

// count adds a unit, or with sign -1 removes it.
func (d *disagreement) count(u unit, sign float64) {
	weight := 2 * sign / float64(len(u.places)-1)
	for i, c := range u.places {
		d.counts[c] += sign
		for _, k := range u.places[:i] {
			switch {
			case c == k:
			case d.level == LevelOrdinal:
				d.weight[d.pair(c, k)] += weight
			case d.level == LevelInterval:
				apart := d.values[c] - d.values[k]
				d.observed += weight * apart * apart
			default:
				d.observed += weight
			}
		}
	}
	d.number += int(sign) * len(u.places)
}

// pair returns the index of a pair of values.
func (d *disagreement) pair(c, k int) int {
	key := [2]int{min(c, k), max(c, k)}
	at, known := d.pairs[key]
	if !known {
		at = len(d.apart)
		d.pairs[key], d.apart, d.weight = at, append(d.apart, key), append(d.weight, 0)
	}
	return at
}

// alpha returns 1 - DO/DE.
func (d *disagreement) alpha() stat.Opt {
	do, de := d.shares()
	switch {
	case !do.Valid:
		return do
	case de.Value == 0:
		return stat.None(stat.ZeroVariance)
	}
	return stat.Some(1 - do.Value/de.Value)
}

// shares returns the observed and the expected disagreement. For values on a line the expected one
// is twice their variance; ordinal values are placed at their midranks.
func (d *disagreement) shares() (do, de stat.Opt) {
	n := float64(d.number)
	switch used := d.used(); {
	case used == 0:
		return stat.None(stat.TooFew), stat.None(stat.TooFew)
	case used == 1:
		return stat.Some(0), stat.Some(0)
	}
	if d.level == LevelNominal {
		same := 0.0
		for _, count := range d.counts {
			same += count * (count - 1)
		}
		return stat.Some(d.observed / n), stat.Some(1 - same/(n*(n-1)))
	}
	at, observed := d.values, d.observed
	if d.level == LevelOrdinal {
		at, observed = midranksOf(d.counts), 0
		for i, pair := range d.apart {
			gap := at[pair[0]] - at[pair[1]]
			observed += d.weight[i] * gap * gap
		}
	}
	mean := 0.0
	for k, count := range d.counts {
		mean += count * at[k] / n
	}
	squares := 0.0
	for k, count := range d.counts {
		squares += count * (at[k] - mean) * (at[k] - mean)
	}
	return stat.Some(observed / n), stat.Some(2 * squares / (n - 1))
}

// used counts the different values.
func (d *disagreement) used() int {
	used := 0
	for _, count := range d.counts {
		if count > 0 {
			used++
		}
	}
	return used
}

// midranksOf returns the midranks of values with these counts.
func midranksOf(counts []float64) []float64 {
	out, below := make([]float64, len(counts)), 0.0
	for k, count := range counts {
		out[k] = below + count/2
		below += count
	}
	return out
}

// fill collects the units with at least two ratings, and the distinct values.
func (d *disagreement) fill(ratings [][]float64) error {
	if len(ratings) == 0 {
		return nil
	}
	n, pairable := len(ratings[0]), make([]int, len(ratings[0]))
	for r, row := range ratings {
		if len(row) != n {
			return fmt.Errorf("%w: rater %d has %d units, rater 1 has %d", stat.ErrLengths, r+1, len(row), n)
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
	d.values = stat.Distinct(all)
	if len(d.values) > maxDistinct {
		return fmt.Errorf("%d distinct values are more than %d; bin them first", len(d.values), maxDistinct)
	}
	d.counts = make([]float64, len(d.values))
	places := make([]int, len(all))
	for i, v := range all {
		places[i], _ = slices.BinarySearch(d.values, v)
	}
	for i := range d.units {
		m := pairable[d.units[i].at]
		d.units[i].places, places = places[:m], places[m:]
	}
	return nil
}
