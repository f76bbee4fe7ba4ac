package interval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestClusterMeanEdges(t *testing.T) {
	tests := []struct {
		name    string
		values  []float64
		cluster []int
		mean    stat.Opt
		se      stat.Opt
		wilson  stat.Interval
	}{
		{"empty", nil, nil, stat.None(stat.NoItems), stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)},
		{"one cluster", []float64{1, 0, 1, 1}, []int{4, 4, 4, 4}, stat.Some(0.75), stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)},
		{"all missing", []float64{stat.Missing(), stat.Missing()}, []int{1, 2}, stat.None(stat.NoItems), stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)},
		{"all pass counts clusters as items", []float64{1, 1, 1, 1}, []int{1, 1, 2, 2}, stat.Some(1), stat.Some(0), wilson(2, 2, stat.Critical(0.05))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ClusterMean(tt.values, tt.cluster, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			got := []any{c.Mean, c.SE, c.Wilson}
			want := []any{tt.mean, tt.se, tt.wilson}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkRatesMillion(b *testing.B) {
	items, clusters := 1_000_000, 20_000
	if testing.Short() {
		items, clusters = 20_000, 400
	}
	x, _, cluster := stattest.ClusteredPairs(1, items, clusters, 2)
	for b.Loop() {
		if _, err := ClusterMean(x, cluster, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

// Degrees of freedom follow from the kurtosis of the parts, for rates from their skewness too; a difference loses
// them to skewness alone.
func TestFreedom(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		parts                        []float64
		freedom, oneSided, symmetric float64
	}{
		{"signs alone", []float64{1, -1, 1, -1, 1, -1}, 5, 5, 5},
		{"nothing varies", make([]float64, 9), 8, 8, 8},
		{"one decides", []float64{1, 0, 0, 0, 0, 0, 0, 0}, 2 / (1 - 1./8), 1, 1},
		{"two against each other", []float64{0, -3, 3, 0, 0, 0, 0, 0, 0}, 4 / (1 - 2./9), 4 / (1 - 2./9), 8},
		{"four of a hundred fail", append([]float64{1, 1, 1, 1}, make([]float64, 96)...), 8 / 0.96, 1 / (0.12 + 0.25), 1 / (1./99 + 0.25)},
		{"by hand", []float64{2, -1, -1, 0, 0, 0}, 5, 5 / (1 + 5*36./216), 5. / (1 + 5*36./216)},
	} {
		freedom, skew := shape(tt.parts)
		j := Jackknifed{Clusters: len(tt.parts), Freedom: freedom, Skew: skew}
		got := []float64{freedom, j.OneSided(), j.Symmetric()}
		for k, want := range []float64{tt.freedom, tt.oneSided, tt.symmetric} {
			if !(math.Abs(got[k]-want) <= 1e-9) {
				t.Errorf("%s: %v, want %v, %v, %v", tt.name, got, tt.freedom, tt.oneSided, tt.symmetric)
				break
			}
		}
	}
}

func TestVaried(t *testing.T) {
	nan := stat.Missing()
	tests := []struct {
		name    string
		index   []int
		columns [][]float64
		want    int
	}{
		{"all the same", []int{0, 0, 1, 2}, [][]float64{{1, 1, 1, 1}}, 0},
		{"one of three clusters has another value", []int{0, 0, 1, 2}, [][]float64{{1, 0, 1, 1}}, 1},
		{"the most common value is not the first", []int{0, 1, 2, 2}, [][]float64{{0, 1, 1, 1}}, 1},
		{"missing values do not vary", []int{0, 1, 2, 2}, [][]float64{{1, nan, 1, nan}}, 0},
		{"another column counts", []int{0, 1, 2, 2}, [][]float64{{1, 1, 1, 1}, {1, 0, nan, 0}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Varied(tt.index, 3, tt.columns...); got != tt.want {
				t.Errorf("%d clusters vary, want %d", got, tt.want)
			}
		})
	}
}
