package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestAUCByPairsAndComplement(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		n := 4 + r.IntN(40)
		gold, score, neg := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range gold {
			gold[i], score[i] = float64(r.IntN(2)), float64(r.IntN(6))
			neg[i] = -score[i]
		}
		a := stattest.Must[AUC](t)(ClusteredAUC(gold, score, nil, 0.05))
		b := stattest.Must[AUC](t)(ClusteredAUC(gold, neg, nil, 0.05))
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
		if math.Abs(a.AUC.Value-want) > 1e-12 || math.Abs(a.AUC.Value+b.AUC.Value-1) > 1e-12 || !stattest.Near(a.SE, b.SE) {
			t.Errorf("auc %v, by pairs %v, complement %v", a.AUC, want, b.AUC)
		}
	})
}

func TestSwappingClassesSwapsRates(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := Confusion{r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9)}
		swapped := Confusion{TP: c.TN, FP: c.FN, FN: c.FP, TN: c.TP}
		m, s := c.Metrics(), swapped.Metrics()
		if !stattest.Near(m.Recall, s.Specificity) || !stattest.Near(m.MCC, s.MCC) || !stattest.Near(Kappa(c), Kappa(swapped)) {
			t.Errorf("%+v: %+v against %+v", c, m, s)
		}
		if m.MCC.Valid && math.Abs(m.MCC.Value) > 1+1e-12 {
			t.Errorf("MCC %v", m.MCC)
		}
	})
}
