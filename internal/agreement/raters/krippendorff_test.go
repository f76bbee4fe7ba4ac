package raters

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestAlphaNeedsVariedUnits: alpha of three values has an interval from FewestVaried conversations on that hold a
// rating beside the most common one, whatever value that is.
func TestAlphaNeedsVariedUnits(t *testing.T) {
	const n = 60
	for _, common := range []float64{0, 1, 2} {
		for varied := interval.FewestVaried - 1; varied <= interval.FewestVaried; varied++ {
			a, b, each := make([]float64, n), make([]float64, n), make([]int, n)
			for i := range n {
				a[i], b[i], each[i] = common, common, i
				if i < varied {
					a[i] = float64((int(common) + 1 + i%2) % 3)
				}
				if i%3 == 0 && i < varied {
					b[i] = a[i]
				}
			}
			for _, level := range []string{LevelNominal, LevelOrdinal} {
				got := stattest.Must[Alpha](t)(ClusteredAlpha([][]float64{a, b}, each, level, 0.05))
				if want := varied >= interval.FewestVaried; got.CI.Low.Valid != want || !want && got.CI != stat.NoInterval(stat.FewVaried) {
					t.Errorf("%s, %v is common, %d others: %+v", level, common, varied, got.CI)
				}
			}
		}
	}
}
