package measure

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// TestFewChangesProveLittle: whatever the t test says, five conversations that changed cannot show a change
// with 95 % confidence, and six can if all go one way.
func TestFewChangesProveLittle(t *testing.T) {
	for n, want := range map[int]float64{0: 0.001, 1: 1, 2: 0.5, 5: 0.0625, 6: 0.03125, 40: 0.001} {
		if got := atLeast(stat.Some(0.001), n); got.Value != want {
			t.Errorf("%d changes: p %v, want %v", n, got.Value, want)
		}
	}
	if atLeast(stat.None(stat.TooFew), 3).Valid {
		t.Error("a test without a value got one")
	}
}
