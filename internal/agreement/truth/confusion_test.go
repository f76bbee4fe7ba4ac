package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
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
		if !(math.Abs(a.AUC.Value-want) <= 1e-12) || !(math.Abs(a.AUC.Value+b.AUC.Value-1) <= 1e-12) || !stattest.Near(a.SE, b.SE) {
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
		if m.MCC.Valid && !(math.Abs(m.MCC.Value) <= 1+1e-12) {
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
		if !(math.Abs(low+high-2*d.Value.Value) <= 1e-9) || high <= low || !(math.Abs(d.P.Value-0.05) <= 1e-6) && (low > 0 || high < 0) != (d.P.Value < 0.05) {
			t.Errorf("difference %v, interval %v to %v, p %v", d.Value, low, high, d.P)
		}
	})
}

// TestNoItems: without items no measure has a value, and the reason is not that a class is missing.
func TestNoItems(t *testing.T) {
	m, none := Confusion{}.Metrics(), stat.None(stat.NoItems)
	if m.Recall != none || m.Specificity != none || m.Prevalence != none || m.PredictedRate != none || m.MCC.Valid {
		t.Errorf("%+v", m)
	}
	m = Confusion{TP: 4, FP: 2, FN: 1, TN: 3}.Metrics()
	for name, tt := range map[string]struct {
		got  stat.Opt
		want float64
	}{
		"recall": {m.Recall, 0.8}, "specificity": {m.Specificity, 0.6}, "balanced accuracy": {m.BalancedAccuracy, 0.7},
		"J": {m.Youden, 0.4}, "prevalence": {m.Prevalence, 0.5}, "predicted": {m.PredictedRate, 0.6},
		"MCC": {m.MCC, 10 / math.Sqrt(6*5*5*4)},
	} {
		if !stattest.Near(tt.got, stat.Some(tt.want)) {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
	if m = (Confusion{TP: 1, FN: 1}).Metrics(); m.Recall != stat.Some(0.5) || m.Specificity != stat.None(stat.OneClass) ||
		m.BalancedAccuracy != stat.None(stat.OneClass) || m.Youden.Valid {
		t.Errorf("passes only: %+v", m)
	}
}

// TestYoudenDifferenceOfRareFails: what counts is how many conversations have a fail of gold, not of a judge.
func TestYoudenDifferenceOfRareFails(t *testing.T) {
	rare, often, other := make([]float64, 48), make([]float64, 48), make([]float64, 48)
	cluster := make([]int, 48)
	for i := range cluster {
		number := map[bool]float64{true: 1}
		rare[i], often[i], other[i] = number[i > 9 || i%3 > 0], number[i%3 > 0], number[i%5 > 0]
		cluster[i] = i / 4
	}
	d := stattest.Must[interval.Difference](t)(YoudenDifference(rare, often, other, cluster, 0.05))
	if !d.Value.Valid || d.CI.Low.Reason != stat.FewRare {
		t.Errorf("fails in 3 of 12 conversations: %+v", d)
	}
	if d = stattest.Must[interval.Difference](t)(YoudenDifference(often, rare, other, cluster, 0.05)); !d.CI.Low.Valid {
		t.Errorf("fails in all conversations: %+v", d)
	}
}

// TestMCCNearOne: the interval of a nearly perfect judge ends at 1.
func TestMCCNearOne(t *testing.T) {
	gold, judge := make([]float64, 60), make([]float64, 60)
	for i := range gold {
		gold[i] = float64(i % 2)
		judge[i] = gold[i]
	}
	judge[7] = 0
	got := stattest.Must[interval.Jackknifed](t)(MCC(gold, judge, nil, nil, 0.05))
	if high := got.CI.High; !high.Valid || high.Value > 1 || high.Value < 0.98 {
		t.Errorf("%+v", got)
	}
}

// TestMCCInterval: with two answers the correlation is kappa times a factor of the shares, and so is its interval.
func TestMCCInterval(t *testing.T) {
	gold, judge, cluster := make([]float64, 90), make([]float64, 90), make([]int, 90)
	for i := range gold {
		gold[i], judge[i], cluster[i] = 1, 1, i/6
		if i%3 == 0 {
			gold[i] = 0
		}
		if i%10 == 0 || i%9 == 0 {
			judge[i] = 0
		}
	}
	mcc := stattest.Must[interval.Jackknifed](t)(MCC(gold, judge, nil, cluster, 0.05))
	kappa := stattest.Must[raters.Kappa](t)(raters.CohenKappa(gold, judge, nil, cluster, []float64{0, 1}, raters.NoWeights, 0.05))
	times := mcc.Value.Value / kappa.Value.Value
	if math.Abs(times-1) < 0.01 {
		t.Fatalf("the shares are too alike: %v", times)
	}
	for _, end := range [][2]float64{{mcc.CI.Low.Value, kappa.CI.Low.Value}, {mcc.CI.High.Value, kappa.CI.High.Value}} {
		if !(math.Abs(end[0]-times*end[1]) <= 1e-9) {
			t.Errorf("an end of %v, of kappa %v times %v", end[0], end[1], times)
		}
	}
}
