package agreement

import (
	"testing"
)

// The clustered bootstrap estimates what the plain measure computes, and tells
// a better prediction from a worse one and from itself.
func TestResampledConfusionEstimatesThePlainOne(t *testing.T) {
	quick := Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	a, b, cluster := clusteredPairs(5, 400, 40, 4)
	c, _, _ := clusteredPairs(6, 400, 40, 4)
	a[3], b[77] = Missing(), Missing()
	gold, pass, other := cut(a, 2), cut(b, 2), cut(c, 2)
	f1 := func(m BinaryMetrics) Opt { return m.F1 }
	got := must[Resampled](t)(ConfusionInterval(gold, pass, cluster, f1, quick))
	want := must[BinaryMetrics](t)(Binary(gold, pass, 0.5)).F1
	if !near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
		t.Errorf("%+v, want the estimate %v", got, want)
	}
	e := must[Resampled](t)(ConfusionDifference(gold, pass, other, cluster, f1, quick))
	same := must[Resampled](t)(ConfusionDifference(gold, pass, pass, cluster, f1, quick))
	if !e.Estimate.Valid || e.Estimate.Value <= 0 || same.P.Value != 1 || same.Estimate.Value != 0 {
		t.Errorf("differences %+v and %+v", e, same)
	}
}
