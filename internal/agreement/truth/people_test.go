package truth

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestHumanLikeness: by hand. The judge sides with 2 of 3 people, with none of 3 and with 1 of 2; pairs of
// people agree in 1 of 3, 3 of 3 and 0 of 1. Items with one person, or without the judge, do not count.
func TestHumanLikeness(t *testing.T) {
	none := stat.Missing()
	people := [][]float64{{1, 1, 0, 1, 1}, {1, 1, 1, none, 1}, {0, 1, none, none, 1}}
	got := stattest.Must[Likeness](t)(HumanLikeness(people, []float64{1, 0, 0, 1, none}, []int{0, 1, 2, 3, 4}, 0.05))
	for what, c := range map[string]struct {
		got  interval.ClusterSE
		want float64
	}{
		"with people": {got.Judge, (2.0/3 + 0 + 0.5) / 3}, "among people": {got.People, (1.0/3 + 1 + 0) / 3},
		"difference": {got.Difference, (1.0/3 - 1 + 0.5) / 3},
	} {
		if c.got.N != 3 || !stattest.Near(c.got.Mean, stat.Some(c.want)) {
			t.Errorf("%s: %v of %d items, want %v of 3", what, c.got.Mean, c.got.N, c.want)
		}
	}
}
