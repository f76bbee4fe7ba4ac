package truth

import (
	"fmt"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Objective is what a threshold search maximises.
type Objective string

// The objectives; Cost is -(CostFP·fp + CostFN·fn).
const (
	ObjectiveF1       Objective = "f1"
	ObjectiveMCC      Objective = "mcc"
	ObjectiveYouden   Objective = "youden"
	ObjectiveAccuracy Objective = "accuracy"
	ObjectiveKappa    Objective = "kappa"
	ObjectiveRecall   Objective = "recall"
	ObjectiveCost     Objective = "cost"
)

// ThresholdSearch configures [BestThreshold]. MinPrecision, when not nil, skips
// the candidates below it. Both costs default to 1 when both are 0.
type ThresholdSearch struct {
	Objective      Objective
	MinPrecision   *float64
	CostFP, CostFN float64
}

// Threshold is the best cut. The maximum over candidates is biased up: search on
// the calibration split only, and report the value on the test split.
type Threshold struct {
	Threshold, Value stat.Opt
	PredictedPass    stat.Opt // items at or above the threshold
	Candidates       int      // distinct scores
	Dropped          int
}

// BestThreshold tries each distinct score as the cut (pass iff score >= cut).
// Candidates with an undefined objective are skipped; of candidates within
// 1e-12 of each other the largest threshold wins.
func BestThreshold(gold, score []float64, search ThresholdSearch) (Threshold, error) {
	kept, dropped, err := stat.Complete(gold, score)
	if err != nil {
		return Threshold{}, err
	}
	gold, score = kept[0], kept[1]
	if search.CostFP == 0 && search.CostFN == 0 {
		search.CostFP, search.CostFN = 1, 1
	}
	out := Threshold{Dropped: dropped, Threshold: stat.None(stat.NoAcceptedThreshold), Value: stat.None(stat.NoAcceptedThreshold), PredictedPass: stat.None(stat.NoAcceptedThreshold)}
	if _, err := search.value(Confusion{}); err != nil {
		return Threshold{}, err
	}
	var c Confusion
	for _, g := range gold {
		c.add(stat.IsPass(g), false)
	}
	order := stat.SortedOrder(score)
	for i := len(order) - 1; i >= 0; {
		cut := score[order[i]]
		for ; i >= 0 && score[order[i]] == cut; i-- {
			if stat.IsPass(gold[order[i]]) {
				c.TP, c.FN = c.TP+1, c.FN-1
			} else {
				c.FP, c.TN = c.FP+1, c.TN-1
			}
		}
		out.Candidates++
		v, err := search.value(c)
		if err != nil {
			return Threshold{}, err
		}
		if !v.Valid || search.MinPrecision != nil && float64(c.TP)/float64(c.TP+c.FP) < *search.MinPrecision {
			continue
		}
		if !out.Value.Valid || v.Value > out.Value.Value+1e-12 {
			out.Threshold, out.Value, out.PredictedPass = stat.Some(cut), v, stat.Some(float64(c.TP+c.FP))
		}
	}
	return out, nil
}

// value is the objective at one confusion table.
func (s ThresholdSearch) value(c Confusion) (stat.Opt, error) {
	tp, fp, fn, tn := float64(c.TP), float64(c.FP), float64(c.FN), float64(c.TN)
	switch s.Objective {
	case ObjectiveF1:
		return stat.Ratio(2*tp, 2*tp+fp+fn, stat.NoItems), nil
	case ObjectiveMCC:
		return matthews(tp, fp, fn, tn), nil
	case ObjectiveYouden:
		if tp+fn == 0 || tn+fp == 0 {
			return stat.None(stat.OneClass), nil
		}
		return stat.Some(tp/(tp+fn) + tn/(tn+fp) - 1), nil
	case ObjectiveAccuracy:
		return stat.Ratio(tp+tn, tp+fp+fn+tn, stat.NoItems), nil
	case ObjectiveKappa:
		return c.kappa(), nil
	case ObjectiveRecall:
		return stat.Ratio(tp, tp+fn, stat.OneClass), nil
	case ObjectiveCost:
		return stat.Some(-(s.CostFP*fp + s.CostFN*fn)), nil
	}
	return stat.Opt{}, fmt.Errorf("objective %q is none of f1, mcc, youden, accuracy, kappa, recall, cost", s.Objective)
}
