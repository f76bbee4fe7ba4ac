package truth

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Confusion counts items by gold and prediction; positive means pass.
type Confusion struct {
	TP, FP, FN, TN int
}

// N is the number of items.
func (c Confusion) N() int { return c.TP + c.FP + c.FN + c.TN }

// Swapped exchanges the classes, to study the detection of fails.
func (c Confusion) Swapped() Confusion { return Confusion{TP: c.TN, FP: c.FN, FN: c.FP, TN: c.TP} }

// BinaryMetrics describes a judge against binary gold. Recall is sensitivity.
type BinaryMetrics struct {
	Confusion
	Accuracy         stat.Opt
	Precision        stat.Opt
	Recall           stat.Opt
	F1               stat.Opt // 0 when no true positive but some error exists
	Specificity      stat.Opt
	NPV              stat.Opt
	BalancedAccuracy stat.Opt // undefined when a class is absent
	MCC              stat.Opt // undefined when a margin is 0
	Youden           stat.Opt
	Prevalence       stat.Opt // share of gold passes
	PredictedRate    stat.Opt // share of judge passes
}

func (c *Confusion) add(gold, predicted bool) {
	switch {
	case gold && predicted:
		c.TP++
	case gold:
		c.FN++
	case predicted:
		c.FP++
	default:
		c.TN++
	}
}

// Metrics derives every measure from the counts. Negative counts are an error.
func (c Confusion) Metrics() (BinaryMetrics, error) {
	if c.TP < 0 || c.FP < 0 || c.FN < 0 || c.TN < 0 {
		return BinaryMetrics{}, fmt.Errorf("counts must not be negative: %+v", c)
	}
	tp, fp, fn, tn := float64(c.TP), float64(c.FP), float64(c.FN), float64(c.TN)
	n := tp + fp + fn + tn
	m := BinaryMetrics{
		Confusion:     c,
		Accuracy:      stat.Ratio(tp+tn, n, stat.NoItems),
		Precision:     stat.Ratio(tp, tp+fp, stat.NoItems),
		Recall:        stat.Ratio(tp, tp+fn, stat.OneClass),
		F1:            stat.Ratio(2*tp, 2*tp+fp+fn, stat.NoItems),
		Specificity:   stat.Ratio(tn, tn+fp, stat.OneClass),
		NPV:           stat.Ratio(tn, tn+fn, stat.NoItems),
		Prevalence:    stat.Ratio(tp+fn, n, stat.NoItems),
		PredictedRate: stat.Ratio(tp+fp, n, stat.NoItems),
	}
	if n == 0 {
		m.Recall, m.Specificity = stat.None(stat.NoItems), stat.None(stat.NoItems)
	}
	if m.Recall.Valid && m.Specificity.Valid {
		m.BalancedAccuracy = stat.Some((m.Recall.Value + m.Specificity.Value) / 2)
		m.Youden = stat.Some(m.Recall.Value + m.Specificity.Value - 1)
	} else {
		m.BalancedAccuracy, m.Youden = stat.None(stat.OneClass), stat.None(stat.OneClass)
	}
	m.MCC = matthews(tp, fp, fn, tn)
	return m, nil
}

// matthews multiplies square roots, not counts, so that large counts keep their
// digits.
func matthews(tp, fp, fn, tn float64) stat.Opt {
	den := math.Sqrt(tp+fp) * math.Sqrt(tp+fn) * math.Sqrt(tn+fp) * math.Sqrt(tn+fn)
	return stat.Ratio(tp*tn-fp*fn, den, stat.ZeroVariance)
}

// kappa is the unweighted kappa of the counts.
func (c Confusion) kappa() stat.Opt {
	n := float64(c.N())
	if n == 0 {
		return stat.None(stat.NoItems)
	}
	tp, fp, fn, tn := float64(c.TP), float64(c.FP), float64(c.FN), float64(c.TN)
	po := (tp + tn) / n
	pe := (tp+fp)/n*((tp+fn)/n) + (tn+fn)/n*((tn+fp)/n)
	if (tp+fp == 0 && tp+fn == 0) || (tn+fn == 0 && tn+fp == 0) {
		return stat.None(stat.NoChanceDisagreement)
	}
	return stat.Ratio(po-pe, 1-pe, stat.NoChanceDisagreement)
}
