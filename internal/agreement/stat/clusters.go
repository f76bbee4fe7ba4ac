package stat

import (
	"cmp"
	"fmt"
	"slices"
)

// number numbers ids 0..G-1 in order of first appearance. Ascending ids, as in a report, need no
// map.
func number[T cmp.Ordered](ids []T) (index []int, clusters int) {
	index = make([]int, len(ids))
	seen := map[T]int{}
	sorted := slices.IsSorted(ids)
	for i, id := range ids {
		if i > 0 && id == ids[i-1] {
			index[i] = index[i-1]
			continue
		}
		k, known := clusters, false
		if !sorted {
			if k, known = seen[id]; !known {
				k = clusters
				seen[id] = k
			}
		}
		if index[i] = k; !known {
			clusters++
		}
	}
	return index, clusters
}

// ClusterIDs numbers conversation names 0..G-1 in order of first appearance, as the clustered
// statistics require.
func ClusterIDs(names []string) []int {
	ids, _ := number(names)
	return ids
}

// CompleteClustered is like Complete, for columns whose items belong to clusters. The clusters of
// the kept rows are renumbered in order of first appearance. A nil cluster makes every item a
// cluster.
func CompleteClustered(
	cluster []int, cols ...[]float64,
) (kept [][]float64, index []int, clusters, dropped int, err error) {
	if cluster == nil {
		cluster = make([]int, len(cols[0]))
		for i := range cluster {
			cluster[i] = i
		}
	}
	if len(cluster) != len(cols[0]) {
		return nil, nil, 0, 0, fmt.Errorf("%w: %d values and %d clusters", ErrLengths, len(cols[0]), len(cluster))
	}
	if kept, dropped, err = Complete(cols...); err != nil {
		return nil, nil, 0, 0, err
	}
	ids := cluster
	if dropped > 0 {
		ids = make([]int, 0, len(kept[0]))
		for i, id := range cluster {
			if complete(cols, i) {
				ids = append(ids, id)
			}
		}
	}
	index, clusters = number(ids)
	return kept, index, clusters, dropped, nil
}

// Weights returns the weights of n items, which are 1 for nil.
func Weights(weight []float64, n int) []float64 {
	if weight == nil {
		return slices.Repeat([]float64{1}, n)
	}
	return weight
}
