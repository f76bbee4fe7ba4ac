package deterministic

import "math"

// The ways in which expected calls find calls of their own. All scorers match by one of
// these.

// subsequence returns how many of n rows find a column in ascending order, each taking the first
// that fits.
func subsequence(n, columns int, fits func(row, column int) bool) int {
	row := 0
	for column := 0; column < columns && row < n; column++ {
		if fits(row, column) {
			row++
		}
	}
	return row
}

// greedy gives each row, in order, the first free column that fits. It returns the first row that
// finds none; -1 if all find one.
func greedy(rows, columns int, fits func(row, column int) bool) (missed int) {
	used := make([]bool, columns)
rows:
	for i := range rows {
		for j := range used {
			if !used[j] && fits(i, j) {
				used[j] = true
				continue rows
			}
		}
		return i
	}
	return -1
}

// matchesBy reports whether every row finds a column: in any order, in this order, or position by
// position.
func matchesBy(mode string, rows, columns int, fits func(row, column int) bool) bool {
	switch mode {
	case "ANY_ORDER", "any_order_match":
		return greedy(rows, columns, fits) < 0
	case "IN_ORDER", "in_order_match":
		return subsequence(rows, columns, fits) == rows
	}
	return rows == columns && subsequence(rows, columns, fits) == rows
}

// perfect gives each of n rows a column that fits, revising earlier choices if that helps
// (augmenting paths, Kuhn). It returns the first row for which that is impossible; -1 if all rows
// find one.
func perfect(n int, fits func(row, column int) bool) (missed int) {
	const unknown, no, yes = 0, 1, 2
	known := make([]byte, n*n)
	edge := func(i, j int) bool {
		if known[i*n+j] == unknown {
			known[i*n+j] = no
			if fits(i, j) {
				known[i*n+j] = yes
			}
		}
		return known[i*n+j] == yes
	}
	rowOf := make([]int, n)
	for j := range rowOf {
		rowOf[j] = -1
	}
	seen := make([]bool, n)
	var augment func(i int) bool
	augment = func(i int) bool {
		// Try the same position first: equal lists then need no search.
		for step := range n {
			j := (i + step) % n
			if seen[j] || !edge(i, j) {
				continue
			}
			seen[j] = true
			if rowOf[j] < 0 || augment(rowOf[j]) {
				rowOf[j] = i
				return true
			}
		}
		return false
	}
	for i := range n {
		clear(seen)
		if !augment(i) {
			return i
		}
	}
	return -1
}

// match says that an actual call matched an expected one.
type match struct {
	expected, actual int
	score            float64
}

// maxPairs limits the work of an assignment: the smaller length squared times the larger.
const maxPairs = 2e9

func tooManyPairs(rows, columns int) error {
	small := float64(min(rows, columns))
	if small*small*float64(max(rows, columns)) <= maxPairs {
		return nil
	}
	return configError("actual", "%d calls against %d expected are too many to pair", columns, rows)
}

// assign returns a one-to-one assignment of rows to columns with the greatest
// total of scores, and among those one with the most pairs; pairs whose score is
// not positive are left out. It counts in units of 1e-4 (scores are rounded to
// that), so that equal totals are equal. The pairs come in row order; among equally
// good assignments the choice depends on the scores alone.
func assign(scores []float64, rows, cols int) []match {
	// One more pair counts less than one unit of score, however many there are.
	scale := int64(min(rows, cols) + 1)
	cost := func(i, j int) int64 {
		s := scores[i*cols+j]
		if s <= 0 {
			return 0
		}
		return -int64(math.Round(s*1e4))*scale - 1
	}
	column := make([]int, rows)
	if rows <= cols {
		column = hungarian(rows, cols, cost)
	} else {
		for i := range column {
			column[i] = -1
		}
		for j, i := range hungarian(cols, rows, func(j, i int) int64 { return cost(i, j) }) {
			column[i] = j
		}
	}
	pairs := make([]match, 0, min(rows, cols))
	for i, j := range column {
		if j >= 0 && scores[i*cols+j] > 0 {
			pairs = append(pairs, match{i, j, scores[i*cols+j]})
		}
	}
	return pairs
}

// hungarian returns for each of n rows one of m ≥ n columns, all different, with
// the least total cost, by shortest augmenting paths with potentials (Kuhn,
// Munkres; the form of Jonker and Volgenant), in O(n²m).
func hungarian(n, m int, cost func(i, j int) int64) []int {
	const infinite = math.MaxInt64 / 4
	rowPotential, colPotential := make([]int64, n+1), make([]int64, m+1)
	// Column 0 is the start of each path; rows and columns count from 1.
	match, way := make([]int, m+1), make([]int, m+1)
	least, done := make([]int64, m+1), make([]bool, m+1)
	for i := 1; i <= n; i++ {
		match[0] = i
		for j := range least {
			least[j], done[j] = infinite, false
		}
		at := 0
		for match[at] != 0 {
			done[at] = true
			row, next, delta := match[at], 0, int64(infinite)
			for j := 1; j <= m; j++ {
				if done[j] {
					continue
				}
				if c := cost(row-1, j-1) - rowPotential[row] - colPotential[j]; c < least[j] {
					least[j], way[j] = c, at
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					rowPotential[match[j]] += delta
					colPotential[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			match[at] = match[way[at]]
			at = way[at]
		}
	}
	column := make([]int, n)
	for j := 1; j <= m; j++ {
		if match[j] > 0 {
			column[match[j]-1] = j - 1
		}
	}
	return column
}
