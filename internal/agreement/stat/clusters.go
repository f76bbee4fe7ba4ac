package stat

import (
	"fmt"
	"math"
	"slices"
)

// indexClusters renumbers cluster ids 0..G-1 in order of first appearance. Ids that ascend,
// as those of a report do, need no map.
func indexClusters(ids []int) (index []int, clusters int) {
	index = make([]int, len(ids))
	seen := map[int]int{}
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

// CompleteClustered is complete for columns whose items belong to clusters; the
// clusters of the kept rows are renumbered in order of first appearance.
func CompleteClustered(cluster []int, cols ...[]float64) (kept [][]float64, index []int, clusters, dropped int, err error) {
	if len(cluster) != len(cols[0]) {
		return nil, nil, 0, 0, fmt.Errorf("%w: %d values and %d clusters", ErrLengths, len(cols[0]), len(cluster))
	}
	kept, dropped, err = Complete(cols...)
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
