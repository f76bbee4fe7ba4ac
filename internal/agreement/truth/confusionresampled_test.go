package truth

import (
	"math"
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
	gold, pass := passFrom(a, 2), passFrom(b, 2)
	var counts Confusion
	for i, g := range gold {
		switch {
		case math.IsNaN(g) || math.IsNaN(pass[i]):
		case g == 1 && pass[i] == 1:
			counts.TP++
		case g == 1:
			counts.FN++
		case pass[i] == 1:
			counts.FP++
		default:
			counts.TN++
		}
	}
	mcc := func(m BinaryMetrics) stat.Opt { return m.MCC }
	got := stattest.Must[interval.Resampled](t)(ConfusionInterval(gold, pass, cluster, mcc, quick))
	want := counts.Metrics().MCC
	if !stattest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
		t.Errorf("%+v, want the estimate %v", got, want)
	}
}

// passFrom makes verdicts of scores: 1 from the threshold on, else 0; missing stays missing.
func passFrom(v []float64, threshold float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x
		if !math.IsNaN(x) {
			out[i] = 0
			if x >= threshold {
				out[i] = 1
			}
		}
	}
	return out
}
