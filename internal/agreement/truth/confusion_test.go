package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
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
		a := stattest.Must[AUC](t)(ClusteredAUC(gold, score, nil, nil, 0.05))
		b := stattest.Must[AUC](t)(ClusteredAUC(gold, neg, nil, nil, 0.05))
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
		n := func() float64 { return float64(r.IntN(9)) }
		c := Confusion{n(), n(), n(), n()}
		swapped := Confusion{TP: c.TN, FP: c.FN, FN: c.FP, TN: c.TP}
		m, s := c.Metrics(), swapped.Metrics()
		if !stattest.Near(m.Recall, s.Specificity) || !stattest.Near(m.MCC, s.MCC) || !stattest.Near(Kappa(c), Kappa(swapped)) {
			t.Errorf("%+v: %+v against %+v", c, m, s)
		}
		if m.Recall.Valid && m.Specificity.Valid && !stattest.Near(m.BalancedAccuracy, m.Recall.Minus(m.Specificity.Times(-1)).Times(0.5)) {
			t.Errorf("balanced accuracy %v of %+v", m.BalancedAccuracy, c)
		}
		if m.MCC.Valid && math.Abs(m.MCC.Value) > 1+1e-12 {
			t.Errorf("MCC %v", m.MCC)
		}
	})
}

// TestYoudenDifference: it is the difference of both J, its interval lies around it and leaves out 0 where p is below
// alpha, and the other way round it is its negative.
func TestYoudenDifference(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		const n = 40
		gold, a, b, each := make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)
		for i := range n {
			gold[i], a[i], b[i], each[i] = float64(r.IntN(2)), float64(r.IntN(2)), float64(r.IntN(2)), i
			if r.IntN(3) > 0 {
				a[i] = gold[i]
			}
		}
		ofA, ofB := stattest.Must[TwoRates](t)(BothRates(gold, a, nil, each, 0.05)), stattest.Must[TwoRates](t)(BothRates(gold, b, nil, each, 0.05))
		d := stattest.Must[interval.Difference](t)(YoudenDifference(gold, a, b, each, 0.05))
		if !stattest.Near(d.Value, ofA.Youden.Minus(ofB.Youden)) {
			t.Errorf("difference %v of %v and %v", d.Value, ofA.Youden, ofB.Youden)
		}
		if back := stattest.Must[interval.Difference](t)(YoudenDifference(gold, b, a, each, 0.05)); !stattest.Near(back.Value, d.Value.Times(-1)) {
			t.Errorf("%v one way, %v the other", d.Value, back.Value)
		}
		if !d.CI.Low.Valid {
			return
		}
		low, high := d.CI.Low.Value, d.CI.High.Value
		if math.Abs(low+high-2*d.Value.Value) > 1e-9 || high <= low || math.Abs(d.P.Value-0.05) > 1e-6 && (low > 0 || high < 0) != (d.P.Value < 0.05) {
			t.Errorf("difference %v, interval %v to %v, p %v", d.Value, low, high, d.P)
		}
	})
}
