package sorting

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestStable: the list is in order, and equal elements stay as they were.
func TestStable(t *testing.T) {
	type pair struct{ Key, Place int }
	list := []pair{{3, 0}, {1, 0}, {2, 0}, {1, 1}, {3, 1}, {1, 2}}
	Stable(list, func(a, b pair) int { return cmp.Compare(a.Key, b.Key) })
	want := []pair{{1, 0}, {1, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 1}}
	if diff := gocmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	even := []int{1, 2, 3, 4, 5, 6, 7, 8}
	Stable(even, func(a, b int) int { return cmp.Compare(a%2, b%2) })
	if diff := gocmp.Diff([]int{2, 4, 6, 8, 1, 3, 5, 7}, even); diff != "" {
		t.Errorf("even numbers first (-want +got):\n%s", diff)
	}
	Stable(even, func(a, b int) int { return 9 * cmp.Compare(b, a) })
	if diff := gocmp.Diff([]int{8, 7, 6, 5, 4, 3, 2, 1}, even); diff != "" {
		t.Errorf("largest first (-want +got):\n%s", diff)
	}
}
