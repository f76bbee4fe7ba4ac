package truth

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// The clustered bootstrap estimates what the plain error computes.
func TestResampledCalibrationEstimatesThePlainOne(t *testing.T) {
	quick := interval.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	_, b, cluster := stattest.ClusteredPairs(5, 400, 40, 4)
	c, _, _ := stattest.ClusteredPairs(6, 400, 40, 4)
	b[77] = stat.Missing()
	pass := passFrom(b, 2)
	conf := make([]float64, len(c))
	for i, x := range c {
		conf[i] = x / 4
	}
	got := stattest.Must[interval.Resampled](t)(CalibrationErrorInterval(conf, pass, cluster, 10, quick))
	want := stattest.Must[ECE](t)(CalibrationError(conf, pass, 10)).ECE
	if !stattest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
		t.Errorf("%+v, want the estimate %v", got, want)
	}
	none, ids := []float64{}, []int{}
	if r := stattest.Must[interval.Resampled](t)(CalibrationErrorInterval(none, none, ids, 5, quick)); r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
		t.Errorf("of nothing: %+v", r)
	}
}
