package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Confusion counts items by gold and prediction; positive means pass.
type Confusion struct {
	TP, FP, FN, TN int
}

// N is the number of items.
func (c Confusion) N() int { return c.TP + c.FP + c.FN + c.TN }

// BinaryMetrics describes a judge against binary gold. Recall is sensitivity.
type BinaryMetrics struct {
	Confusion
	Recall           stat.Opt
	Specificity      stat.Opt
	BalancedAccuracy stat.Opt // undefined when a class is absent
	MCC              stat.Opt // undefined when a margin is 0
	Youden           stat.Opt
	Prevalence       stat.Opt // share of gold passes
	PredictedRate    stat.Opt // share of judge passes
}

// Metrics derives every measure from the counts, which must not be negative.
func (c Confusion) Metrics() BinaryMetrics {
	tp, fp, fn, tn := float64(c.TP), float64(c.FP), float64(c.FN), float64(c.TN)
	n := tp + fp + fn + tn
	m := BinaryMetrics{
		Confusion:        c,
		Recall:           stat.Ratio(tp, tp+fn, stat.OneClass),
		Specificity:      stat.Ratio(tn, tn+fp, stat.OneClass),
		Prevalence:       stat.Ratio(tp+fn, n, stat.NoItems),
		PredictedRate:    stat.Ratio(tp+fp, n, stat.NoItems),
		BalancedAccuracy: stat.None(stat.OneClass),
		Youden:           stat.None(stat.OneClass),
		MCC:              matthews(tp, fp, fn, tn),
	}
	if n == 0 {
		m.Recall, m.Specificity = stat.None(stat.NoItems), stat.None(stat.NoItems)
	}
	if m.Recall.Valid && m.Specificity.Valid {
		m.BalancedAccuracy = stat.Some((m.Recall.Value + m.Specificity.Value) / 2)
		m.Youden = stat.Some(m.Recall.Value + m.Specificity.Value - 1)
	}
	return m
}

// matthews multiplies square roots, not counts, so that large counts keep their
// digits.
func matthews(tp, fp, fn, tn float64) stat.Opt {
	den := math.Sqrt(tp+fp) * math.Sqrt(tp+fn) * math.Sqrt(tn+fp) * math.Sqrt(tn+fn)
	return stat.Ratio(tp*tn-fp*fn, den, stat.ZeroVariance)
}

// ConfusionInterval bootstraps one measure of a binary prediction against binary gold
// over clusters; see [Confusion.Metrics] for the measures.
func ConfusionInterval(
	gold, predicted []float64, cluster []int, measure func(BinaryMetrics) stat.Opt, cfg interval.Bootstrap,
) (interval.Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, predicted)
	if err != nil {
		return interval.Resampled{}, err
	}
	totals := make([]float64, 4*g)
	for i, c := range index {
		cell := 0
		if stat.IsPass(kept[0][i]) {
			cell += 2
		}
		if stat.IsPass(kept[1][i]) {
			cell++
		}
		totals[4*c+cell]++
	}
	return interval.ResampleClusters(totals, 4, func(s []float64) stat.Opt {
		return measure(Confusion{TN: int(s[0]), FP: int(s[1]), FN: int(s[2]), TP: int(s[3])}.Metrics())
	}, cfg)
}
