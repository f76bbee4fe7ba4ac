package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestPPIReducesToItsParts(t *testing.T) {
	stattest.Repeat(t, 50, func(t *testing.T, r *rand.Rand) {
		c := stattest.RandomColumns(r, 20, 2, 3)
		each := make([]int, len(c[0]))
		for i := range each {
			each[i] = i
		}
		ppi := func(lambda float64) PPICluster {
			return stattest.Must[PPICluster](t)(PPIClustered(c[0], c[1], each, c[2], each, lambda, 0.05))
		}
		gold := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(c[0], each, 0.05))
		if got := ppi(0); !stattest.Near(got.Estimate, gold.Mean) || !stattest.Near(got.SE, gold.SE) {
			t.Errorf("lambda 0 is not gold only: %+v", got)
		}
		full := ppi(1)
		judge := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(c[2], each, 0.05))
		if want := judge.Mean.Value + full.Rectifier.Value; math.Abs(full.Estimate.Value-want) > 1e-12 {
			t.Errorf("lambda 1 gives %v, judge + rectifier %v", full.Estimate, want)
		}
	})
}
