package agreement

import (
	"testing"
)

// The clustered bootstrap estimates what the plain error computes.
func TestResampledCalibrationEstimatesThePlainOne(t *testing.T) {
	quick := Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	_, b, cluster := clusteredPairs(5, 400, 40, 4)
	c, _, _ := clusteredPairs(6, 400, 40, 4)
	b[77] = Missing()
	pass := cut(b, 2)
	conf := make([]float64, len(c))
	for i, x := range c {
		conf[i] = x / 4
	}
	for _, s := range []BinStrategy{UniformBins, QuantileBins} {
		got := must[Resampled](t)(CalibrationErrorInterval(conf, pass, cluster, 10, s, quick))
		want := must[ECE](t)(CalibrationError(conf, pass, 10, s)).ECE
		if !near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
			t.Errorf("%s: %+v, want the estimate %v", s, got, want)
		}
	}
	none, ids := []float64{}, []int{}
	if r := must[Resampled](t)(CalibrationErrorInterval(none, none, ids, 5, UniformBins, quick)); r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
		t.Errorf("of nothing: %+v", r)
	}
}
