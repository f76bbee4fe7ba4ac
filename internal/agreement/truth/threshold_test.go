package truth

import (
	"errors"
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// Of thresholds that do equally well the largest one wins.
func TestBestThresholdOfTies(t *testing.T) {
	gold, score := []float64{1, 0, 1, 0}, []float64{4, 3, 2, 1}
	right := func(c Confusion) stat.Opt { return stat.Some(c.TP + c.TN) } // 3, 2, 3, 2 from the largest cut on
	got := stattest.Must[Threshold](t)(BestThreshold(gold, score, nil, right))
	if got != (Threshold{stat.Some(4), stat.Some(3)}) {
		t.Errorf("%+v, want the threshold 4 with 3 right", got)
	}
	wrong := func(c Confusion) stat.Opt { return stat.Some(-c.FP - 2*c.FN) } // -2, -3, -1, -2
	if got = stattest.Must[Threshold](t)(BestThreshold(gold, score, nil, wrong)); got != (Threshold{stat.Some(2),
		stat.Some(-1)}) {
		t.Errorf("%+v, want the threshold 2 with one wrong", got)
	}
	got = stattest.Must[Threshold](t)(BestThreshold([]float64{0, 1, 1, 1}, score, nil, right)) // 0, 1, 2, 3
	if got != (Threshold{stat.Some(1), stat.Some(3)}) {
		t.Errorf("%+v, want the smallest score", got)
	}
	if _, err := BestThreshold(gold, score[1:], nil, wrong); !errors.Is(err, stat.ErrLengths) {
		t.Errorf("a score is missing: %v", err)
	}
}

// TestBestThresholdSkipsUndefined: a cut without a value is no better than one with a negative value.
func TestBestThresholdSkipsUndefined(t *testing.T) {
	gold, score := []float64{1, 0, 1, 0}, []float64{4, 3, 2, 1}
	for undefined := 1.0; undefined <= 4; undefined++ {
		got := stattest.Must[Threshold](t)(BestThreshold(gold, score, nil, func(c Confusion) stat.Opt {
			if c.TP+c.FP == undefined {
				return stat.None(stat.OneClass)
			}
			return stat.Some(-c.TP - c.FP)
		}))
		want := Threshold{stat.Some(4), stat.Some(-1)}
		if undefined == 1 {
			want = Threshold{stat.Some(3), stat.Some(-2)}
		}
		if got != want {
			t.Errorf("the cut at place %v has no value: %+v, want %+v", undefined, got, want)
		}
	}
	never := stattest.Must[Threshold](t)(BestThreshold(gold, score, nil, func(Confusion) stat.Opt {
		return stat.None(stat.OneClass)
	}))
	if none := stat.None(stat.NoAcceptedThreshold); never != (Threshold{none, none}) {
		t.Errorf("no cut has a value: %+v", never)
	}
}

// TestBothRatesByHand: of six passes five are found, of four fails three. Both intervals are that of the sum, the one
// halved, the other less 1.
func TestBothRatesByHand(t *testing.T) {
	gold := []float64{1, 1, 1, 1, 1, 1, 0, 0, 0, 0}
	predicted := []float64{1, 1, 1, 1, 1, 0, 0, 0, 0, 1}
	got := stattest.Must[TwoRates](t)(BothRates(gold, predicted, nil, nil, 0.05))
	a, b := got.Sensitivity.Rate(), got.Specificity.Rate()
	low := 19./12 - math.Hypot(5./6-a.CI.Low.Value, 0.75-b.CI.Low.Value)
	high := 19./12 + math.Hypot(a.CI.High.Value-5./6, b.CI.High.Value-0.75)
	for name, tt := range map[string]struct {
		got  stat.Opt
		want float64
	}{
		"sensitivity": {a.Value, 5. / 6}, "specificity": {b.Value, 0.75}, "balanced": {got.BalancedAccuracy, 19. / 24},
		"J": {got.Youden, 7. / 12}, "balanced, low": {got.BalancedCI.Low, low / 2}, "balanced, high": {got.BalancedCI.High, high / 2},
		"J, low": {got.YoudenInterval.Low, low - 1}, "J, high": {got.YoudenInterval.High, high - 1},
	} {
		if !stattest.Near(tt.got, stat.Some(tt.want)) {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}

// TestIndependentAUC has the standard error of the comment by hand: the classes have 2 and 3 items, and weights of 1 and 3
// beside two of 1.
func TestIndependentAUC(t *testing.T) {
	for _, tt := range []struct {
		of   placements
		want float64
	}{
		{placements{auc: 0.8, weight: []float64{1, 1, 1, 1, 1}, posItem: []int{0, 1}, negItem: []int{2, 3, 4}}, 0.19570656901627595},
		{placements{auc: 0.5, weight: []float64{1, 3, 1, 1}, posItem: []int{0, 1}, negItem: []int{2, 3}}, 0.30618621784789724},
	} {
		if got := tt.of.independent(); !(math.Abs(got-tt.want) <= 1e-12) {
			t.Errorf("%+v: %v, want %v", tt.of, got, tt.want)
		}
	}
}

func TestBothRatesWithoutOneClass(t *testing.T) {
	for _, tt := range []struct {
		name string
		gold []float64
		want stat.Reason
	}{
		{"no items", nil, stat.NoItems},
		{"passes only", []float64{1, 1, 1}, stat.OneClass},
		{"fails only", []float64{0, 0, 0}, stat.OneClass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := stattest.Must[TwoRates](t)(BothRates(tt.gold, tt.gold, nil, nil, 0.05))
			if got.BalancedAccuracy != stat.None(tt.want) || got.YoudenInterval != stat.NoInterval(tt.want) {
				t.Errorf("balanced accuracy %+v, interval of J %+v, want the reason %q", got.BalancedAccuracy, got.YoudenInterval, tt.want)
			}
		})
	}
}

// TestKappaOfCounts: by hand, and undefined if both sides use a single class.
func TestKappaOfCounts(t *testing.T) {
	for _, tt := range []struct {
		of   Confusion
		want stat.Opt
	}{
		// (.7 - .5)/(1 - .5), where .5 is .6·.5 + .4·.5; (.4 - .5)/(1 - .5)
		{Confusion{TP: 4, FP: 2, FN: 1, TN: 3}, stat.Some(0.4)},
		{Confusion{TP: 2, FP: 3, FN: 3, TN: 2}, stat.Some(-0.2)},
		{Confusion{TP: 0.5, TN: 0.5}, stat.Some(1)}, {Confusion{FP: 1}, stat.Some(0)},
		{Confusion{TP: 3}, stat.None(stat.NoChanceDisagreement)},
		{Confusion{TN: 3}, stat.None(stat.NoChanceDisagreement)},
		{Confusion{}, stat.None(stat.NoItems)},
	} {
		if got := Kappa(tt.of); !stattest.Near(got, tt.want) || got.Reason != tt.want.Reason {
			t.Errorf("%+v: %+v, want %+v", tt.of, got, tt.want)
		}
	}
}
