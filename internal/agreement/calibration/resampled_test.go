package calibration

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// The clustered bootstrap estimates what the plain error computes.
func TestResampledCalibrationEstimatesThePlainOne(t *testing.T) {
	quick := uncertainty.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	_, b, cluster := statistictest.ClusteredPairs(5, 400, 40, 4)
	c, _, _ := statistictest.ClusteredPairs(6, 400, 40, 4)
	b[77] = statistic.Missing()
	pass := statistictest.Cut(b, 2)
	conf := make([]float64, len(c))
	for i, x := range c {
		conf[i] = x / 4
	}
	for _, s := range []BinStrategy{UniformBins, QuantileBins} {
		got := statistictest.Must[uncertainty.Resampled](t)(CalibrationErrorInterval(conf, pass, cluster, 10, s, quick))
		want := statistictest.Must[ECE](t)(CalibrationError(conf, pass, 10, s)).ECE
		if !statistictest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
			t.Errorf("%s: %+v, want the estimate %v", s, got, want)
		}
	}
	none, ids := []float64{}, []int{}
	if r := statistictest.Must[uncertainty.Resampled](t)(CalibrationErrorInterval(none, none, ids, 5, UniformBins, quick)); r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
		t.Errorf("of nothing: %+v", r)
	}
}
