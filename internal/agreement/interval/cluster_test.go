package interval

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestBootstrapOfNothing(t *testing.T) {
	r, err := ResampleClusters(nil, 2, func(s []float64) stat.Opt { return stat.Some(s[0]) }, Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
		t.Errorf("the mean of nothing: %+v", r)
	}
}

func TestClusterMeanEdges(t *testing.T) {
	tests := []struct {
		name    string
		values  []float64
		cluster []int
		mean    stat.Opt
		cr1     stat.Opt
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
			got := []any{c.Mean, c.SECR1, c.Wilson}
			want := []any{tt.mean, tt.cr1, tt.wilson}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkRatesMillion(b *testing.B) {
	items, clusters, resamples := 1_000_000, 20_000, 2000
	if testing.Short() {
		items, clusters, resamples = 20_000, 400, 200
	}
	x, y, cluster := stattest.ClusteredPairs(1, items, clusters, 2)
	cfg := Bootstrap{Resamples: resamples, Seed: 1, Alpha: 0.05}
	for name, run := range map[string]func() error{
		"cluster_t": func() error { _, err := ClusterMean(x, cluster, 0.05); return err },
		"paired":    func() error { _, err := PairedBootstrap(x, y, cluster, cfg); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
