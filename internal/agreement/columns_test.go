package agreement

import (
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
	"github.com/judgekit/judge/internal/agreement/truth"
)

func TestMismatchedColumnsAreErrors(t *testing.T) {
	short, long := []float64{1}, []float64{1, 0}
	calls := map[string]func() error{
		"kappa": func() error {
			_, err := raters.CohenKappa(short, long, nil, nil, stattest.ScaleTo(2), raters.NoWeights, 0.05)
			return err
		},
		"cluster": func() error { _, err := interval.ClusterMean(long, []int{1}, 0.05); return err },
		"ppi":     func() error { _, err := truth.PPIClustered(short, long, nil, []int{1}, nil, nil, 1, 0.05); return err },
		"alpha":   func() error { _, err := interval.ClusterMean(long, []int{1, 2}, 1); return err },
		"scale": func() error {
			_, err := raters.CohenKappa(long, []float64{1, 7}, nil, nil, stattest.ScaleTo(2), raters.NoWeights, 0.05)
			return err
		},
		"twice": func() error {
			_, err := raters.CohenKappa(long, long, nil, nil, []float64{1, 1}, raters.NoWeights, 0.05)
			return err
		},
	}
	for name, call := range calls {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
