package truth

import (
	"errors"
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
