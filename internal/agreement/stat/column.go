package stat

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
)

// ErrLengths is wrapped in the error of every function that gets columns of different lengths.
var ErrLengths = errors.New("columns differ in length")

// Complete keeps the rows in which no column is missing, in order, and counts the others. If it
// keeps all rows, it returns the columns themselves: do not change them. All columns must have the
// same length.
func Complete(cols ...[]float64) (kept [][]float64, dropped int, err error) {
	n := len(cols[0])
	for _, c := range cols[1:] {
		if len(c) != n {
			return nil, 0, fmt.Errorf("%w: %d and %d", ErrLengths, n, len(c))
		}
	}
	for i := range n {
		if !complete(cols, i) {
			dropped++
		}
	}
	if dropped == 0 {
		return cols, 0, nil
	}
	kept = make([][]float64, len(cols))
	for j := range kept {
		kept[j] = make([]float64, 0, n-dropped)
	}
	for i := range n {
		if !complete(cols, i) {
			continue
		}
		for j, c := range cols {
			kept[j] = append(kept[j], c[i])
		}
	}
	return kept, dropped, nil
}

// complete reports whether no column is missing in row i.
func complete(cols [][]float64, i int) bool {
	for _, c := range cols {
		if math.IsNaN(c[i]) {
			return false
		}
	}
	return true
}

// Present keeps the values that are not missing.
func Present(v []float64) []float64 {
	out := make([]float64, 0, len(v))
	for _, x := range v {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

// Sum adds from the first value to the last.
func Sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// Mean returns the plain mean; v must not be empty.
func Mean(v []float64) float64 { return Sum(v) / float64(len(v)) }

// SumSquares returns the sum of squared deviations from center.
func SumSquares(v []float64, center float64) float64 {
	s := 0.0
	for _, x := range v {
		s += (x - center) * (x - center)
	}
	return s
}

// Variance divides by n-1; len(v) must be at least 2.
func Variance(v []float64) float64 { return SumSquares(v, Mean(v)) / float64(len(v)-1) }

// Constant reports whether all values are equal. It is exact even if a computed variance is only
// nearly zero.
func Constant(v []float64) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}

// IsPass reports whether a value of a binary column is a pass: at least 0.5.
func IsPass(v float64) bool { return v >= 0.5 }

// Median returns the middle value, or the mean of the two in the middle, of a non-empty slice, which it does not
// change.
func Median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	low, high := s[(len(s)-1)/2], s[len(s)/2]
	return low + (high-low)/2
}

// Distinct returns the distinct values in ascending order.
func Distinct(v []float64) []float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return slices.Compact(s)
}

// SortedOrder returns the permutation that sorts v ascending; equal values keep their order.
func SortedOrder(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	sorting.Stable(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return order
}

// Midranks gives each value its rank from 1, ties sharing the mean rank.
func Midranks(v []float64) []float64 {
	order := SortedOrder(v)
	ranks := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		r := float64(i+j+1) / 2
		for _, k := range order[i:j] {
			ranks[k] = r
		}
		i = j
	}
	return ranks
}

// RunEnd returns the end of the run of equal values that starts at i.
func RunEnd(v []float64, i int) int {
	j := i + 1
	for j < len(v) && v[j] == v[i] {
		j++
	}
	return j
}
