package truth

import (
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestClusteredAUCReducesToDeLong(t *testing.T) {
	a, b, _ := stattest.ClusteredPairs(11, 300, 300, 7)
	gold := make([]float64, len(a))
	cluster := make([]int, len(a))
	pos := 0.0
	for i := range a {
		cluster[i] = i
		if b[i] > 3 {
			gold[i] = 1
			pos++
		}
	}
	p := place(gold, a)
	deLong := math.Sqrt(stat.Variance(p.pos)/float64(len(p.pos)) + stat.Variance(p.neg)/float64(len(p.neg)))
	clustered, err := ClusteredAUC(gold, a, cluster, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// The two differ only in the small-sample factors of the variances.
	if r := clustered.SE.Value / deLong; math.Abs(r-1) > 0.01 {
		t.Errorf("clustered %v ± %v, by DeLong ± %v", clustered.AUC, clustered.SE, deLong)
	}
}

func BenchmarkClusteredAUCMillion(b *testing.B) {
	items, clusters := 1_000_000, 20_000
	if testing.Short() {
		items, clusters = 20_000, 400
	}
	x, y, cluster := stattest.ClusteredPairs(1, items, clusters, 2)
	for b.Loop() {
		if _, err := ClusteredAUC(x, y, cluster, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}
