package truth

import (
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Threshold is the best cut. Its maximum over candidates is too optimistic: search only on the
// calibration split, and report the value on the test split.
type Threshold struct {
	Threshold, Value stat.Opt
}

// BestThreshold tries each distinct score as the cut (pass iff score >= cut) and returns the one
// with the highest objective, such as [Kappa] or [Youden]. It skips candidates with an undefined
// objective; of candidates within 1e-12 of each other the highest threshold wins. weight is how
// many items each represents, nil for one.
func BestThreshold(gold, score, weight []float64, objective func(Confusion) stat.Opt) (Threshold, error) {
	kept, _, err := stat.Complete(gold, score, stat.Weights(weight, len(gold)))
	if err != nil {
		return Threshold{}, err
	}
	out := Threshold{stat.None(stat.NoAcceptedThreshold), stat.None(stat.NoAcceptedThreshold)}
	eachCut(kept[0], kept[1], kept[2], func(cut float64, c Confusion) {
		v := objective(c)
		if v.Valid && (!out.Value.Valid || v.Value > out.Value.Value+1e-12) {
			out = Threshold{stat.Some(cut), v}
		}
	})
	return out, nil
}

// eachCut calls visit with the distinct scores, highest first, and the confusion of gold and score
// >= cut.
func eachCut(gold, score, weight []float64, visit func(cut float64, c Confusion)) {
	var c Confusion
	for i, g := range gold {
		if stat.IsPass(g) {
			c.FN += weight[i]
		} else {
			c.TN += weight[i]
		}
	}
	order := stat.SortedOrder(score)
	for i := len(order) - 1; i >= 0; {
		cut := score[order[i]]
		for ; i >= 0 && score[order[i]] == cut; i-- {
			if w := weight[order[i]]; stat.IsPass(gold[order[i]]) {
				c.TP, c.FN = c.TP+w, c.FN-w
			} else {
				c.FP, c.TN = c.FP+w, c.TN-w
			}
		}
		visit(cut, c)
	}
}

// Youden returns sensitivity + specificity - 1, in -1..1 (Youden 1950).
func Youden(c Confusion) stat.Opt { return c.Metrics().Youden }

// Kappa returns Cohen's kappa of the counts.
func Kappa(c Confusion) stat.Opt {
	tp, fp, fn, tn := c.TP, c.FP, c.FN, c.TN
	n := tp + fp + fn + tn
	if n == 0 {
		return stat.None(stat.NoItems)
	}
	po := (tp + tn) / n
	pe := (tp+fp)/n*((tp+fn)/n) + (tn+fn)/n*((tn+fp)/n)
	return stat.Ratio(po-pe, 1-pe, stat.NoChanceDisagreement)
}
