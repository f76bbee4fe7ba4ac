package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Confusion counts items, or adds their weights, by gold and prediction; positive means pass.
type Confusion struct {
	TP, FP, FN, TN float64
}

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

// Metrics computes every measure from the counts, which must not be negative.
func (c Confusion) Metrics() BinaryMetrics {
	tp, fp, fn, tn := c.TP, c.FP, c.FN, c.TN
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

// matthews multiplies square roots instead of counts, so that large counts keep their digits.
func matthews(tp, fp, fn, tn float64) stat.Opt {
	den := math.Sqrt(tp+fp) * math.Sqrt(tp+fn) * math.Sqrt(tn+fp) * math.Sqrt(tn+fn)
	return stat.Ratio(tp*tn-fp*fn, den, stat.ZeroVariance)
}

// counts returns the weights of gold and prediction by cluster: clusters × (TN, FP, FN, TP).
func counts(gold, predicted, weight []float64, index []int, clusters int) []float64 {
	out := make([]float64, 4*clusters)
	for i, c := range index {
		cell := 0
		if stat.IsPass(gold[i]) {
			cell += 2
		}
		if stat.IsPass(predicted[i]) {
			cell++
		}
		out[4*c+cell] += weight[i]
	}
	return out
}

// MCC returns the Matthews correlation (1975) of a binary prediction with binary gold, in -1..1,
// with the interval [interval.Jackknifed.Common], clustered.
func MCC(gold, predicted, weight []float64, cluster []int, alpha float64) (interval.Jackknifed, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return interval.Jackknifed{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, predicted, stat.Weights(weight, len(gold)))
	if err != nil {
		return interval.Jackknifed{}, err
	}
	of := func(sums []float64) stat.Opt { return matthews(sums[3], sums[1], sums[2], sums[0]) }
	sums := counts(kept[0], kept[1], kept[2], index, g)
	j := interval.JackknifeSums(sums, 4, of)
	// For these shares of passes the correlation is kappa times a factor.
	var all [4]float64
	for i, x := range sums {
		all[i%4] += x
	}
	r0, r1, c0, c1 := all[0]+all[1], all[2]+all[3], all[0]+all[2], all[1]+all[3]
	times := (r1*c0 + r0*c1) / 2 / (math.Sqrt(r0) * math.Sqrt(r1) * math.Sqrt(c0) * math.Sqrt(c1))
	kappa := j
	kappa.Value, kappa.SE = j.Value.Times(1/times), j.SE.Times(1/times)
	both := func(i int) []float64 { return []float64{outcome(kept[0][i]), outcome(kept[1][i])} }
	ci := kappa.Common(index, kept[2], both, func(a, b float64) float64 { return math.Abs(a - b) }, alpha).CI
	j.CI = stat.Both(ci.Low.Times(times), ci.High.Times(times))
	j.CI.High.Value = math.Min(1, j.CI.High.Value)
	return j, nil
}

// TwoRates holds the recall of passes (sensitivity) and of fails (specificity) of a prediction
// against gold, with their clustered Wilson intervals, and the two measures that weight them
// equally: balanced accuracy, their mean, and Youden's J, their sum minus 1.
type TwoRates struct {
	Sensitivity, Specificity   interval.ClusterSE
	BalancedAccuracy, Youden   stat.Opt
	BalancedCI, YoudenInterval stat.Interval
}

// BothRates computes [TwoRates]. The intervals of the two sums are by MOVER, the method of variance
// estimates recovery (Newcombe's square-and-add, 1998; Zou and Donner 2008): the distance of each
// end of the sum is the root of the summed squares of the distances of the rates' ends.
func BothRates(gold, predicted, weight []float64, cluster []int, alpha float64) (out TwoRates, err error) {
	kept, index, _, _, err := stat.CompleteClustered(cluster, gold, predicted, stat.Weights(weight, len(gold)))
	if err != nil {
		return out, err
	}
	of := func(class float64) (interval.ClusterSE, error) {
		right := make([]float64, len(index))
		for i := range right {
			right[i] = stat.Missing()
			if outcome(kept[0][i]) == class {
				right[i] = 1 - math.Abs(outcome(kept[1][i])-class)
			}
		}
		return interval.WeightedMean(right, kept[2], index, alpha)
	}
	if out.Sensitivity, err = of(1); err != nil {
		return out, err
	}
	if out.Specificity, err = of(0); err != nil {
		return out, err
	}
	sum, ci := interval.MoverSum(out.Sensitivity.Rate(), out.Specificity.Rate())
	if !sum.Valid {
		sum, ci = stat.None(stat.OneClass), stat.NoInterval(stat.OneClass)
		if out.Sensitivity.N+out.Specificity.N == 0 {
			sum, ci = stat.None(stat.NoItems), stat.NoInterval(stat.NoItems)
		}
	}
	out.BalancedAccuracy, out.Youden = sum.Times(0.5), sum.Minus(stat.Some(1))
	out.BalancedCI = stat.Both(ci.Low.Times(0.5), ci.High.Times(0.5))
	out.YoudenInterval = stat.Both(ci.Low.Minus(stat.Some(1)), ci.High.Minus(stat.Some(1)))
	return out, nil
}

// YoudenDifference returns Youden's J (1950) of prediction a minus that of b against the same gold,
// in -2..2, on the items that all three have, clustered.
func YoudenDifference(gold, a, b []float64, cluster []int, alpha float64) (interval.Difference, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return interval.Difference{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, a, b)
	if err != nil {
		return interval.Difference{}, err
	}
	each := stat.Weights(nil, len(index))
	x, y := counts(kept[0], kept[1], each, index, g), counts(kept[0], kept[2], each, index, g)
	return interval.JackknifeDifference(x, y, 4, youdenOf, interval.Varied(index, g, kept[0]), alpha), nil
}

// youdenOf returns Youden's J from (TN, FP, FN, TP).
func youdenOf(s []float64) stat.Opt {
	passes, fails := stat.Ratio(s[3], s[2]+s[3], stat.OneClass), stat.Ratio(s[0], s[0]+s[1], stat.OneClass)
	return passes.Minus(fails.Times(-1)).Minus(stat.Some(1))
}
