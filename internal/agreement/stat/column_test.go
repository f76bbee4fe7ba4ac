package stat

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestColumns has the values of small columns, by hand.
func TestColumns(t *testing.T) {
	for name, tt := range map[string]struct{ got, want float64 }{
		"sum":                          {Sum([]float64{1, 2, 4}), 7},
		"sum of nothing":               {Sum(nil), 0},
		"mean":                         {Mean([]float64{1, 2, 6}), 3},
		"squares around 1":             {SumSquares([]float64{1, 2, 4}, 1), 10},
		"variance":                     {Variance([]float64{1, 2, 3, 6}), 14.0 / 3},
		"variance of close numbers":    {Variance([]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}), 1},
		"median of one":                {Median([]float64{4}), 4},
		"median of two":                {Median([]float64{4, 1}), 2.5},
		"median of three":              {Median([]float64{9, 1, 2}), 2},
		"median of four":               {Median([]float64{9, 1, 2, 4}), 3},
		"median of the largest number": {Median([]float64{1.5e308, 1.5e308}), 1.5e308},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
	for name, tt := range map[string]struct{ got, want bool }{
		"constant": {Constant([]float64{2, 2, 2}), true}, "varied at the end": {Constant([]float64{2, 2, 1}), false},
		"varied at the start": {Constant([]float64{1, 2, 2}), false}, "one": {Constant([]float64{3}), true},
		"half passes": {IsPass(0.5), true}, "less fails": {IsPass(0.49), false},
		"nothing fails": {IsPass(Missing()), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v", name, tt.got)
		}
	}
	v := []float64{3, 1, 3, 2, 1, 1}
	if d := cmp.Diff([]float64{5.5, 2, 5.5, 4, 2, 2}, Midranks(v)); d != "" {
		t.Errorf("midranks %s", d)
	}
	if d := cmp.Diff([]int{1, 4, 5, 3, 0, 2}, SortedOrder(v)); d != "" {
		t.Errorf("order %s", d)
	}
	if d := cmp.Diff([]float64{1, 2, 3}, Distinct(v)); d != "" {
		t.Errorf("distinct %s", d)
	}
	if d := cmp.Diff([]float64{3, 1}, Present([]float64{3, Missing(), 1})); d != "" {
		t.Errorf("present %s", d)
	}
	runs := []float64{1, 1, 2, 3, 3}
	if a, b, c := RunEnd(runs, 0), RunEnd(runs, 2), RunEnd(runs, 3); a != 2 || b != 3 || c != 5 {
		t.Errorf("runs end at %d, %d and %d", a, b, c)
	}
}

// TestCompleteClustered: rows with a missing value go, with their cluster; the other clusters are numbered as they
// first appear, in any order of names.
func TestCompleteClustered(t *testing.T) {
	none := Missing()
	x, y := []float64{1, none, 3, 4, 5}, []float64{6, 7, 8, none, 10}
	type result struct {
		Kept     [][]float64
		Index    []int
		Clusters int
		Dropped  int
	}
	for name, tt := range map[string]struct {
		cluster []int
		columns [][]float64
		want    result
	}{
		"each its own": {nil, [][]float64{x, y}, result{[][]float64{{1, 3, 5}, {6, 8, 10}}, []int{0, 1, 2}, 3, 2}},
		"in order": {[]int{4, 4, 7, 8, 9}, [][]float64{x, y},
			result{[][]float64{{1, 3, 5}, {6, 8, 10}}, []int{0, 1, 2}, 3, 2}},
		"apart": {[]int{9, 8, 2, 2, 9}, [][]float64{x, y},
			result{[][]float64{{1, 3, 5}, {6, 8, 10}}, []int{0, 1, 0}, 2, 2}},
		"all complete": {[]int{5, 5, 3, 5, 1}, [][]float64{{1, 2, 3, 4, 5}},
			result{[][]float64{{1, 2, 3, 4, 5}}, []int{0, 0, 1, 0, 2}, 3, 0}},
		"ascending": {[]int{1, 1, 3, 5, 5}, [][]float64{{1, 2, 3, 4, 5}},
			result{[][]float64{{1, 2, 3, 4, 5}}, []int{0, 0, 1, 2, 2}, 3, 0}},
		"one goes":       {nil, [][]float64{{1, none, 3}}, result{[][]float64{{1, 3}}, []int{0, 1}, 2, 1}},
		"nothing at all": {nil, [][]float64{{}}, result{[][]float64{{}}, []int{}, 0, 0}},
	} {
		kept, index, clusters, dropped, err := CompleteClustered(tt.cluster, tt.columns...)
		if d := cmp.Diff(tt.want, result{kept, index, clusters, dropped}); d != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	for name, tt := range map[string]struct {
		cluster []int
		columns [][]float64
		want    string
	}{
		"a column":  {nil, [][]float64{x, y, x[1:]}, "columns differ in length: 5 and 4"},
		"a cluster": {[]int{1}, [][]float64{x}, "columns differ in length: 5 values and 1 clusters"},
		"the first": {nil, [][]float64{x[1:], y}, "columns differ in length: 4 and 5"},
	} {
		kept, index, clusters, dropped, err := CompleteClustered(tt.cluster, tt.columns...)
		if !errors.Is(err, ErrLengths) || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if d := cmp.Diff(result{}, result{kept, index, clusters, dropped}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if d := cmp.Diff([]int{0, 1, 0, 2}, ClusterIDs([]string{"b", "a", "b", "c"})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{1, 1}, Weights(nil, 2)); d != "" || Weights(y, 5)[0] != 6 {
		t.Errorf("weights %s", d)
	}
}
