package quality

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic"
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
		one := statistictest.Must[PPIStratified](t)(PPIStratify([]PPIStratum{{Name: "a", Y: c[0], Yhat: c[1], Unl: c[2]}}, 1, 0.05))
		if !statistictest.Near(one.Estimate, full.Estimate) || !statistictest.Near(one.SE, full.SE) {
			t.Errorf("one stratum %v, pooled %v", one, full)
		}
	})
}

func TestLabelingSpendsTheBudget(t *testing.T) {
	statistictest.Repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		u := make([]float64, 1+r.IntN(40))
		for i := range u {
			u[i] = math.Pow(r.Float64(), 6)
		}
		budget := float64(r.IntN(len(u) + 2))
		pi, err := LabelingProbabilities(u, budget, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(statistic.Sum(pi)-math.Min(budget, float64(len(u)))) > 1e-9 {
			t.Errorf("budget %v of %d items spends %v", budget, len(u), statistic.Sum(pi))
		}
		for i, p := range pi {
			if p < 0 || p > 1+1e-12 {
				t.Errorf("probability %d is %v", i, p)
			}
		}
	})
}
