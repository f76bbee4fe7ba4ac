package classification

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// The clustered bootstrap estimates what the plain measure computes, and tells
// a better prediction from a worse one and from itself.
func TestResampledConfusionEstimatesThePlainOne(t *testing.T) {
	quick := uncertainty.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	a, b, cluster := statistictest.ClusteredPairs(5, 400, 40, 4)
	c, _, _ := statistictest.ClusteredPairs(6, 400, 40, 4)
	a[3], b[77] = statistic.Missing(), statistic.Missing()
	gold, pass, other := statistictest.Cut(a, 2), statistictest.Cut(b, 2), statistictest.Cut(c, 2)
	f1 := func(m BinaryMetrics) statistic.Opt { return m.F1 }
	got := statistictest.Must[uncertainty.Resampled](t)(ConfusionInterval(gold, pass, cluster, f1, quick))
	want := statistictest.Must[BinaryMetrics](t)(Binary(gold, pass, 0.5)).F1
	if !statistictest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
		t.Errorf("%+v, want the estimate %v", got, want)
	}
	e := statistictest.Must[uncertainty.Resampled](t)(ConfusionDifference(gold, pass, other, cluster, f1, quick))
	same := statistictest.Must[uncertainty.Resampled](t)(ConfusionDifference(gold, pass, pass, cluster, f1, quick))
	if !e.Estimate.Valid || e.Estimate.Value <= 0 || same.P.Value != 1 || same.Estimate.Value != 0 {
		t.Errorf("differences %+v and %+v", e, same)
	}
}
