package agreement

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/distribution"
)

var errLengths = errors.New("columns differ in length")

// complete keeps the rows in which no column is missing, in order, and counts
// the others. All columns must have the same length.
func complete(cols ...[]float64) (kept [][]float64, dropped int, err error) {
	n := len(cols[0])
	for _, c := range cols[1:] {
		if len(c) != n {
			return nil, 0, fmt.Errorf("%w: %d and %d", errLengths, n, len(c))
		}
	}
	kept = make([][]float64, len(cols))
	for j := range kept {
		kept[j] = make([]float64, 0, n)
	}
rows:
	for i := range n {
		for _, c := range cols {
			if math.IsNaN(c[i]) {
				dropped++
				continue rows
			}
		}
		for j, c := range cols {
			kept[j] = append(kept[j], c[i])
		}
	}
	return kept, dropped, nil
}

// present keeps the values that are not missing.
func present(v []float64) []float64 {
	out := make([]float64, 0, len(v))
	for _, x := range v {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

func addRow(sums, row []float64) {
	for j, x := range row {
		sums[j] += x
	}
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// mean is the plain mean; v must not be empty.
func mean(v []float64) float64 { return sum(v) / float64(len(v)) }

// sumSquares is the sum of squared deviations from center.
func sumSquares(v []float64, center float64) float64 {
	s := 0.0
	for _, x := range v {
		s += (x - center) * (x - center)
	}
	return s
}

// variance divides by n-1; len(v) must be at least 2.
func variance(v []float64) float64 { return sumSquares(v, mean(v)) / float64(len(v)-1) }

// constant reports whether all values are equal; it is exact where a computed
// variance is only nearly zero.
func constant(v []float64) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}

func isPass(v float64) bool { return v >= 0.5 }

// lanesSum adds in eight interleaved lanes that are joined pairwise at the end.
// It is the order in which the reference packages for kappa add the cells of a
// table; where a variance is a difference of equal sums the order decides the
// last digits, and so the standard error.
func lanesSum(v []float64) float64 {
	if len(v) < 8 {
		return sum(v)
	}
	var lane [8]float64
	copy(lane[:], v[:8])
	i := 8
	for ; i+8 <= len(v); i += 8 {
		for k := range lane {
			lane[k] += v[i+k]
		}
	}
	s := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
	for ; i < len(v); i++ {
		s += v[i]
	}
	return s
}

// quantileSorted is the type-7 quantile of an ascending, non-empty slice.
func quantileSorted(v []float64, p float64) float64 {
	h := p * float64(len(v)-1)
	k := int(math.Floor(h))
	if k >= len(v)-1 {
		return v[len(v)-1]
	}
	if k < 0 {
		return v[0]
	}
	return v[k] + (h-float64(k))*(v[k+1]-v[k])
}

func median(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return quantileSorted(s, 0.5)
}

// distinct returns the distinct values in ascending order.
func distinct(v []float64) []float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return slices.Compact(s)
}

// sortedOrder is the permutation that sorts v ascending; equal values keep
// their order.
func sortedOrder(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	return order
}

// midranks gives each value its rank from 1, ties sharing the mean rank.
func midranks(v []float64) []float64 {
	order := sortedOrder(v)
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

// critical is z = Φ⁻¹(1-α/2).
func critical(alpha float64) float64 { return distribution.NormalQuantile(1 - alpha/2) }

// criticalT is the Student quantile at 1-α/2.
func criticalT(alpha, df float64) float64 { return distribution.StudentQuantile(1-alpha/2, df) }

func checkAlpha(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("alpha must lie between 0 and 1, got %v", alpha)
	}
	return nil
}

// indexClusters renumbers cluster ids 0..G-1 in order of first appearance.
func indexClusters(ids []int) (index []int, clusters int) {
	seen := make(map[int]int)
	index = make([]int, len(ids))
	last, lastIndex := 0, -1
	for i, id := range ids {
		if lastIndex >= 0 && id == last {
			index[i] = lastIndex
			continue
		}
		k, ok := seen[id]
		if !ok {
			k = len(seen)
			seen[id] = k
		}
		index[i] = k
		last, lastIndex = id, k
	}
	return index, len(seen)
}

// ClusterIDs numbers conversation names 0..G-1 in order of first appearance,
// the form in which the clustered statistics take them.
func ClusterIDs(names []string) []int {
	seen := make(map[string]int)
	ids := make([]int, len(names))
	for i, name := range names {
		k, ok := seen[name]
		if !ok {
			k = len(seen)
			seen[name] = k
		}
		ids[i] = k
	}
	return ids
}

// completeClustered is complete for columns whose items belong to clusters; the
// clusters of the kept rows are renumbered in order of first appearance.
func completeClustered(cluster []int, cols ...[]float64) (kept [][]float64, index []int, clusters, dropped int, err error) {
	if len(cluster) != len(cols[0]) {
		return nil, nil, 0, 0, fmt.Errorf("%w: %d values and %d clusters", errLengths, len(cols[0]), len(cluster))
	}
	kept, dropped, err = complete(cols...)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	if dropped == 0 {
		index, clusters = indexClusters(cluster)
		return kept, index, clusters, 0, nil
	}
	ids := make([]int, 0, len(kept[0]))
rows:
	for i, id := range cluster {
		for _, c := range cols {
			if math.IsNaN(c[i]) {
				continue rows
			}
		}
		ids = append(ids, id)
	}
	index, clusters = indexClusters(ids)
	return kept, index, clusters, dropped, nil
}
