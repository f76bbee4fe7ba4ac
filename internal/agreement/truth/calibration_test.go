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
	for name, of := range map[string]func(gold, prob, weight []float64) (stat.Opt, error){
		"Brier score": BrierScore, "overconfidence": Overconfidence,
	} {
		got, want := stattest.Must[stat.Opt](t)(of(gold, prob, weight)), stattest.Must[stat.Opt](t)(of(thrice, each, nil))
		if !got.Valid || !stattest.Near(got, want) {
			t.Errorf("%s: %v with weights, %v item by item", name, got, want)
		}
	}
}
