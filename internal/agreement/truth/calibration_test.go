package truth

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestWeightedConfidence: an item of weight 3 counts as three.
func TestWeightedConfidence(t *testing.T) {
	gold, prob, weight := []float64{1, 0, 1}, []float64{0.9, 0.6, 0.5}, []float64{1, 3, 1}
	thrice, each := []float64{1, 0, 0, 0, 1}, []float64{0.9, 0.6, 0.6, 0.6, 0.5}
	for name, tt := range map[string]struct {
		of   func(gold, prob, weight []float64) (stat.Opt, error)
		want float64
	}{
		"Brier score":    {BrierScore, (0.01 + 3*0.36 + 0.25) / 5},
		"overconfidence": {Overconfidence, (-0.1 + 3*0.6 - 0.5) / 5},
	} {
		got, item := stattest.Must[stat.Opt](t)(tt.of(gold, prob, weight)),
			stattest.Must[stat.Opt](t)(tt.of(thrice, each, nil))
		if !stattest.Near(got, stat.Some(tt.want)) || !stattest.Near(item, got) {
			t.Errorf("%s: %v with weights, %v item by item, want %v", name, got, item, tt.want)
		}
		if got = stattest.Must[stat.Opt](t)(tt.of(nil, nil, nil)); got != stat.None(stat.NoItems) {
			t.Errorf("%s of nothing: %+v", name, got)
		}
	}
}
