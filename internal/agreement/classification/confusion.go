package classification

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
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
	Accuracy         statistic.Opt
	Precision        statistic.Opt
	Recall           statistic.Opt
	F1               statistic.Opt // 0 when no true positive but some error exists
	Specificity      statistic.Opt
	NPV              statistic.Opt
	BalancedAccuracy statistic.Opt // undefined when a class is absent
	MCC              statistic.Opt // undefined when a margin is 0
	Youden           statistic.Opt
	Prevalence       statistic.Opt // share of gold passes
	PredictedRate    statistic.Opt // share of judge passes
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
		Accuracy:      statistic.Ratio(tp+tn, n, statistic.NoItems),
		Precision:     statistic.Ratio(tp, tp+fp, statistic.NoItems),
		Recall:        statistic.Ratio(tp, tp+fn, statistic.OneClass),
		F1:            statistic.Ratio(2*tp, 2*tp+fp+fn, statistic.NoItems),
		Specificity:   statistic.Ratio(tn, tn+fp, statistic.OneClass),
		NPV:           statistic.Ratio(tn, tn+fn, statistic.NoItems),
		Prevalence:    statistic.Ratio(tp+fn, n, statistic.NoItems),
		PredictedRate: statistic.Ratio(tp+fp, n, statistic.NoItems),
	}
	if n == 0 {
		m.Recall, m.Specificity = statistic.None(statistic.NoItems), statistic.None(statistic.NoItems)
	}
	if m.Recall.Valid && m.Specificity.Valid {
		m.BalancedAccuracy = statistic.Some((m.Recall.Value + m.Specificity.Value) / 2)
		m.Youden = statistic.Some(m.Recall.Value + m.Specificity.Value - 1)
	} else {
		m.BalancedAccuracy, m.Youden = statistic.None(statistic.OneClass), statistic.None(statistic.OneClass)
	}
	m.MCC = matthews(tp, fp, fn, tn)
	return m, nil
}

// matthews multiplies square roots, not counts, so that large counts keep their
// digits.
func matthews(tp, fp, fn, tn float64) statistic.Opt {
	den := math.Sqrt(tp+fp) * math.Sqrt(tp+fn) * math.Sqrt(tn+fp) * math.Sqrt(tn+fn)
	return statistic.Ratio(tp*tn-fp*fn, den, statistic.ZeroVariance)
}

// kappa is the unweighted kappa of the counts.
func (c Confusion) kappa() statistic.Opt {
	n := float64(c.N())
	if n == 0 {
		return statistic.None(statistic.NoItems)
	}
	tp, fp, fn, tn := float64(c.TP), float64(c.FP), float64(c.FN), float64(c.TN)
	po := (tp + tn) / n
	pe := (tp+fp)/n*((tp+fn)/n) + (tn+fn)/n*((tn+fp)/n)
	if (tp+fp == 0 && tp+fn == 0) || (tn+fn == 0 && tn+fp == 0) {
		return statistic.None(statistic.NoChanceDisagreement)
	}
	return statistic.Ratio(po-pe, 1-pe, statistic.NoChanceDisagreement)
}
