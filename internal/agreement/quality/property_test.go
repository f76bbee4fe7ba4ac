package quality

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
)

func TestPPIReducesToItsParts(t *testing.T) {
	statistictest.Repeat(t, 50, func(t *testing.T, r *rand.Rand) {
		c := statistictest.RandomColumns(r, 20, 2, 3)
		gold := statistictest.Must[PPI](t)(PPIMean(c[0], c[1], c[2], 0, 0.05))
		if !statistictest.Near(gold.Estimate, gold.Classical) || !statistictest.Near(gold.SE, gold.ClassicalSE) {
			t.Errorf("lambda 0 is not gold only: %+v", gold)
		}
		full := statistictest.Must[PPI](t)(PPIMean(c[0], c[1], c[2], 1, 0.05))
		if want := full.JudgeOnly.Value + full.Rectifier.Value; math.Abs(full.Estimate.Value-want) > 1e-12 {
			t.Errorf("lambda 1 gives %v, judge + rectifier %v", full.Estimate, want)
		}
		auto := statistictest.Must[PPI](t)(PPIMean(c[0], c[1], c[2], AutoLambda, 0.05))
		if auto.Lambda.Value < 0 || auto.Lambda.Value > 1 {
			t.Errorf("lambda %v", auto.Lambda)
		}
	})
}
