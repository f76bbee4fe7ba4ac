package classification

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// The clustered bootstrap estimates what the plain measure computes.
func TestResampledConfusionEstimatesThePlainOne(t *testing.T) {
	quick := uncertainty.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	a, b, cluster := statistictest.ClusteredPairs(5, 400, 40, 4)
	a[3], b[77] = statistic.Missing(), statistic.Missing()
	gold, pass := statistictest.Cut(a, 2), statistictest.Cut(b, 2)
	f1 := func(m BinaryMetrics) statistic.Opt { return m.F1 }
	got := statistictest.Must[uncertainty.Resampled](t)(ConfusionInterval(gold, pass, cluster, f1, quick))
	want := statistictest.Must[BinaryMetrics](t)(counted(gold, pass).Metrics()).F1
	if !statistictest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
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
