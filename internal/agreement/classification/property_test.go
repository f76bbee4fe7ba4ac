package classification

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/statistic/statistictest"
)

func TestAUCByPairsAndComplement(t *testing.T) {
	statistictest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		n := 4 + r.IntN(40)
		gold, score, neg := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range gold {
			gold[i], score[i] = float64(r.IntN(2)), float64(r.IntN(6))
			neg[i] = -score[i]
		}
		a := statistictest.Must[AUC](t)(ROCAUC(gold, score, 0.05))
		b := statistictest.Must[AUC](t)(ROCAUC(gold, neg, 0.05))
		if !a.AUC.Valid {
			return
		}
		wins := 0.0
		for i := range gold {
			for j := range gold {
				if gold[i] == 1 && gold[j] == 0 {
					switch {
					case score[i] > score[j]:
						wins++
					case score[i] == score[j]:
						wins += 0.5
					}
				}
			}
		}
		want := wins / float64(a.Pos*a.Neg)
		if math.Abs(a.AUC.Value-want) > 1e-12 || math.Abs(a.AUC.Value+b.AUC.Value-1) > 1e-12 || !statistictest.Near(a.SE, b.SE) {
			t.Errorf("auc %v, by pairs %v, complement %v", a.AUC, want, b.AUC)
		}
	})
}

func TestSwappingClassesSwapsRates(t *testing.T) {
	statistictest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := Confusion{r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9)}
		m := statistictest.Must[BinaryMetrics](t)(c.Metrics())
		s := statistictest.Must[BinaryMetrics](t)(c.Swapped().Metrics())
		if !statistictest.Near(m.Recall, s.Specificity) || !statistictest.Near(m.Precision, s.NPV) || !statistictest.Near(m.MCC, s.MCC) || !statistictest.Near(c.kappa(), c.Swapped().kappa()) {
			t.Errorf("%+v: %+v against %+v", c, m, s)
		}
		if m.MCC.Valid && math.Abs(m.MCC.Value) > 1+1e-12 {
			t.Errorf("MCC %v", m.MCC)
		}
	})
}
