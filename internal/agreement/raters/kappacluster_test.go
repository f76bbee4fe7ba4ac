package raters

import (
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestBootstrapDoesNotDependOnWorkers(t *testing.T) {
	a, b, cluster := stattest.ClusteredPairs(1, 500, 40, 3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first KappaCluster
	for workers := 1; workers <= 7; workers++ {
		runtime.GOMAXPROCS(workers)
		k, err := ClusteredKappa(a, b, cluster, stattest.ScaleTo(3), Quadratic, interval.Bootstrap{Resamples: 101, Seed: 5, Alpha: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = k
			continue
		}
		if diff := cmp.Diff(first, k); diff != "" {
			t.Fatalf("%d workers (-1 worker +%d):\n%s", workers, workers, diff)
		}
	}
}

// The sufficient statistics of clusters give the kappa of the items they stand
// for: each replicate is recomputed here from the drawn items themselves.
func TestKappaReplicatesMatchItems(t *testing.T) {
	const clusters, resamples = 12, 20
	a, b, cluster := stattest.ClusteredPairs(3, 90, clusters, 4)
	labels := stattest.ScaleTo(4)
	kept, index, g, _, err := stat.CompleteClustered(cluster, a, b)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := newPairs(kept[0], kept[1], labels, linear)
	if err != nil {
		t.Fatal(err)
	}
	var got []stat.Opt // of the whole, then of every resample in turn
	recorded := func(sums []float64) stat.Opt {
		got = append(got, pairs.kappaOfSums(sums))
		return got[len(got)-1]
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one resample after the other
	if _, err := interval.ResampleClusters(pairs.tables(index, g), 16, recorded, interval.Bootstrap{Resamples: resamples, Seed: 9, Alpha: 0.05}); err != nil {
		t.Fatal(err)
	}
	got = got[1:]
	if len(got) != resamples {
		t.Fatalf("%d resamples, want %d", len(got), resamples)
	}
	draw := stat.StreamAt(9, 0)
	for r := range resamples {
		var x, y []float64
		for range g {
			c := draw.Index(uint64(g))
			for i, k := range index {
				if k == c {
					x, y = append(x, a[i]), append(y, b[i])
				}
			}
		}
		want := plainKappa(t, x, y, labels, linear)
		if got[r].Valid != want.Kappa.Valid || math.Abs(got[r].Value-want.Kappa.Value) > 1e-12 {
			t.Errorf("resample %d: kappa %v from tables, %v from items", r, got[r], want.Kappa)
		}
	}
}

// With one item per cluster the clustered SE is the iid SE up to √(n/(n-1)).
func TestKappaClusterSEReducesToIID(t *testing.T) {
	a, b, _ := stattest.ClusteredPairs(7, 200, 50, 5)
	cluster := make([]int, len(a))
	for i := range cluster {
		cluster[i] = 1000 - i
	}
	k, err := ClusteredKappa(a, b, cluster, stattest.ScaleTo(5), Quadratic, interval.Bootstrap{Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	want := k.SE.Value * math.Sqrt(200.0/199)
	if math.Abs(k.SECluster.Value-want) > 1e-12 {
		t.Errorf("clustered SE %v, want %v", k.SECluster, want)
	}
}

// The million-score case runs small in tests: its size is in the benchmark.
func BenchmarkClusteredKappaMillion(b *testing.B) {
	items, clusters, resamples := 1_000_000, 20_000, 2000
	if testing.Short() {
		items, clusters, resamples = 20_000, 400, 200
	}
	for _, q := range []int{2, 5} {
		x, y, cluster := stattest.ClusteredPairs(1, items, clusters, q)
		b.Run(map[int]string{2: "binary", 5: "scale5"}[q], func(b *testing.B) {
			for b.Loop() {
				if _, err := ClusteredKappa(x, y, cluster, stattest.ScaleTo(q), Quadratic, interval.Bootstrap{Resamples: resamples, Seed: 1, Alpha: 0.05}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
