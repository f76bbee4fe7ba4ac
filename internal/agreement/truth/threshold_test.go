package truth

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// Of thresholds that do equally well the largest one wins.
func TestBestThresholdOfTies(t *testing.T) {
	gold, score := []float64{1, 0, 1, 0}, []float64{4, 3, 2, 1}
	right := func(c Confusion) stat.Opt { return stat.Some(c.TP + c.TN) } // 3, 2, 3, 2 from the largest cut on
	got := stattest.Must[Threshold](t)(BestThreshold(gold, score, nil, right))
	if got != (Threshold{stat.Some(4), stat.Some(3)}) {
		t.Errorf("%+v, want the threshold 4 with 3 right", got)
	}
}

func TestBothRatesWithoutOneClass(t *testing.T) {
	for _, tt := range []struct {
		name string
		gold []float64
		want stat.Reason
	}{
		{"no items", nil, stat.NoItems},
		{"passes only", []float64{1, 1, 1}, stat.OneClass},
		{"fails only", []float64{0, 0, 0}, stat.OneClass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := stattest.Must[TwoRates](t)(BothRates(tt.gold, tt.gold, nil, nil, 0.05))
			if got.BalancedAccuracy != stat.None(tt.want) || got.YoudenInterval != stat.NoInterval(tt.want) {
				t.Errorf("balanced accuracy %+v, interval of J %+v, want the reason %q", got.BalancedAccuracy, got.YoudenInterval, tt.want)
			}
		})
	}
}
