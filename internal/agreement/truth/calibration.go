package truth

import "github.com/judgekit/judge/internal/agreement/stat"

// BrierScore returns the mean squared error of the probabilities prob against binary gold, in 0..1 (Brier 1950).
func BrierScore(gold, prob, weight []float64) (stat.Opt, error) {
	return meanOver(gold, prob, weight, func(y, p float64) float64 { return (p - y) * (p - y) })
}

// Overconfidence returns the mean of the confidences (0..1) minus the share of correct (binary) items, in -1..1.
func Overconfidence(correct, confidence, weight []float64) (stat.Opt, error) {
	return meanOver(correct, confidence, weight, func(y, p float64) float64 { return p - y })
}

// meanOver returns the weighted mean of a function over the items that have both values.
func meanOver(gold, prob, weight []float64, of func(y, p float64) float64) (stat.Opt, error) {
	kept, _, err := stat.Complete(gold, prob, stat.Weights(weight, len(gold)))
	if err != nil {
		return stat.Opt{}, err
	}
	sum := 0.0
	for i, g := range kept[0] {
		sum += kept[2][i] * of(outcome(g), kept[1][i])
	}
	return stat.Ratio(sum, stat.Sum(kept[2]), stat.NoItems), nil
}

// outcome returns a binary value as 1 or 0.
func outcome(v float64) float64 {
	if stat.IsPass(v) {
		return 1
	}
	return 0
}
