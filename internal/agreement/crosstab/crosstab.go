// Package crosstab owns statistics of pairs of numbers that are counted and not kept:
// rank correlation, the area under the ROC curve, Brier score and calibration error.
//
// It promises the values that the functions over whole columns give, up to rounding,
// in a memory that grows with the number of different pairs alone. Scales, verdicts
// and shares have few of them, however many items were scored.
package crosstab

import (
	"cmp"
	"math"
	"slices"
)

// Cell counts the items with one pair of values.
type Cell struct {
	X, Y float64
	N    int
}

func (c Cell) compare(d Cell) int { return cmp.Or(cmp.Compare(c.X, d.X), cmp.Compare(c.Y, d.Y)) }

// Table counts pairs. The zero Table is empty and ready.
type Table struct {
	n int
	// sorted has each pair once, fresh what came since it was made.
	sorted, fresh []Cell
}

// fewCells is how many pairs are collected at least before they are counted.
const fewCells = 4096

// Add takes a pair; one with a missing value (NaN) is left out.
func (t *Table) Add(x, y float64) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	t.n++
	if k := len(t.fresh); k > 0 && t.fresh[k-1].X == x && t.fresh[k-1].Y == y {
		t.fresh[k-1].N++
		return
	}
	if t.fresh == nil {
		t.fresh = make([]Cell, 0, fewCells)
	}
	if len(t.fresh) >= max(fewCells, len(t.sorted)) {
		t.count()
	}
	t.fresh = append(t.fresh, Cell{x, y, 1})
}

// count takes what is fresh into the sorted cells.
func (t *Table) count() {
	slices.SortFunc(t.fresh, Cell.compare)
	t.fresh = joined(t.fresh)
	merged := make([]Cell, 0, len(t.sorted)+len(t.fresh))
	i, k := 0, 0
	for i < len(t.sorted) || k < len(t.fresh) {
		c := 0
		switch {
		case i == len(t.sorted):
			c = 1
		case k == len(t.fresh):
			c = -1
		default:
			c = t.sorted[i].compare(t.fresh[k])
		}
		switch {
		case c < 0:
			merged = append(merged, t.sorted[i])
			i++
		case c > 0:
			merged = append(merged, t.fresh[k])
			k++
		default:
			both := t.sorted[i]
			both.N += t.fresh[k].N
			merged = append(merged, both)
			i, k = i+1, k+1
		}
	}
	t.sorted, t.fresh = merged, t.fresh[:0]
}

// joined adds up neighbours with one pair of values, in place.
func joined(cells []Cell) []Cell {
	out := cells[:0]
	for _, c := range cells {
		if k := len(out); k > 0 && out[k-1].compare(c) == 0 {
			out[k-1].N += c.N
			continue
		}
		out = append(out, c)
	}
	return out
}

// N is the number of pairs that were added, missing ones not among them.
func (t *Table) N() int { return t.n }

// Cells are the different pairs by X, then Y; they must not be changed.
func (t *Table) Cells() []Cell {
	if len(t.fresh) > 0 {
		t.count()
	}
	return t.sorted
}

// margin counts the items with one value.
type margin struct {
	value float64
	n     int
	// rank is the mean rank from 1 of these items.
	rank float64
}

// margins are the values of one side in order, with their midranks.
func (t *Table) margins(side func(Cell) float64) []margin {
	out := make([]margin, 0, 16)
	for _, c := range t.Cells() {
		v := side(c)
		if k := len(out); k > 0 && out[k-1].value == v {
			out[k-1].n += c.N
			continue
		}
		out = append(out, margin{value: v, n: c.N})
	}
	slices.SortStableFunc(out, func(a, b margin) int { return cmp.Compare(a.value, b.value) })
	merged, before := out[:0], 0
	for _, m := range out {
		if k := len(merged); k > 0 && merged[k-1].value == m.value {
			merged[k-1].n += m.n
			continue
		}
		merged = append(merged, m)
	}
	for i := range merged {
		merged[i].rank = float64(before) + float64(merged[i].n+1)/2
		before += merged[i].n
	}
	return merged
}

// rankOf is the midrank of a value that is among the margins.
func rankOf(all []margin, v float64) float64 {
	at, _ := slices.BinarySearchFunc(all, v, func(m margin, v float64) int { return cmp.Compare(m.value, v) })
	return all[at].rank
}

func xOf(c Cell) float64 { return c.X }
func yOf(c Cell) float64 { return c.Y }
