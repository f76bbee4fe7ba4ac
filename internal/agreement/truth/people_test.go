package truth

import (
	"errors"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestHumanLikeness: by hand. The judge sides with 2 of 3 people, with none of 3, with 1 of 2 and with 3 of 3; pairs of
// people agree in 1 of 3, 3 of 3, 0 of 1 and 3 of 3. Items with one person, or without the judge, do not count.
func TestHumanLikeness(t *testing.T) {
	none := stat.Missing()
	people := [][]float64{{1, 1, 0, 1, 1, 0}, {1, 1, 1, none, 1, 0}, {0, 1, none, none, 1, 0}}
	judge, cluster := []float64{1, 0, 0, 1, none, 0}, []int{0, 1, 2, 3, 4, 5}
	got := stattest.Must[Likeness](t)(HumanLikeness(people, judge, cluster, 0.05))
	for what, c := range map[string]struct {
		got  interval.ClusterSE
		want float64
	}{
		"with people": {got.Judge, (2.0/3 + 0 + 0.5 + 1) / 4}, "among people": {got.People, (1.0/3 + 1 + 0 + 1) / 4},
		"difference": {got.Difference, (1.0/3 - 1 + 0.5 + 0) / 4},
	} {
		if c.got.N != 4 || !stattest.Near(c.got.Mean, stat.Some(c.want)) {
			t.Errorf("%s: %v of %d items, want %v of 4", what, c.got.Mean, c.got.N, c.want)
		}
	}
	if _, err := HumanLikeness(people, judge, cluster[1:], 0.05); !errors.Is(err, stat.ErrLengths) {
		t.Errorf("a cluster is missing: %v", err)
	}
}
