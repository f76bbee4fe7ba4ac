package truth

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// The clustered bootstrap estimates what the plain measure computes.
func TestResampledConfusionEstimatesThePlainOne(t *testing.T) {
	quick := interval.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	a, b, cluster := stattest.ClusteredPairs(5, 400, 40, 4)
	a[3], b[77] = stat.Missing(), stat.Missing()
	gold, pass := stattest.Cut(a, 2), stattest.Cut(b, 2)
	f1 := func(m BinaryMetrics) stat.Opt { return m.F1 }
	got := stattest.Must[interval.Resampled](t)(ConfusionInterval(gold, pass, cluster, f1, quick))
	want := stattest.Must[BinaryMetrics](t)(counted(gold, pass).Metrics()).F1
	if !stattest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
		t.Errorf("%+v, want the estimate %v", got, want)
	}
}

// counted is the confusion of the items without a gap.
func counted(gold, predicted []float64) Confusion {
	index := make([]int, len(gold))
	for i := range gold {
		if gold[i] != gold[i] || predicted[i] != predicted[i] {
			gold[i], predicted[i], index[i] = 0, 0, 1
		}
	}
	n := confusionTotals(gold, predicted, index, 2)
	return Confusion{TN: int(n[0]), FP: int(n[1]), FN: int(n[2]), TP: int(n[3])}
}
