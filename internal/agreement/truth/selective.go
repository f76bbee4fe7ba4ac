package truth

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Selective is the confidence cut above which verdicts may be trusted.
type Selective struct {
	Threshold stat.Opt // undefined: never trust this judge alone
	Errors, N stat.Opt // among the items at or above the cut
	RiskUCB   stat.Opt // one-sided Clopper–Pearson bound at the cut
	MinN      int      // fewest items that could ever be accepted
}

// SelectiveThreshold finds the lowest confidence cut that keeps
// P(error rate above the cut <= risk) >= 1-delta for exchangeable items, by
// fixed-sequence testing from the highest confidence (after Jung et al. 2024).
// Items of one conversation are not exchangeable: calibrate on one call each.
func SelectiveThreshold(confidence, correct []float64, risk, delta float64) (Selective, error) {
	if !(risk > 0 && risk < 1 && delta > 0 && delta < 1) {
		return Selective{}, fmt.Errorf("risk and delta must be between 0 and 1, got %v and %v", risk, delta)
	}
	kept, _, err := stat.Complete(confidence, correct)
	if err != nil {
		return Selective{}, err
	}
	minN := math.Ceil(math.Log(delta) / math.Log(1-risk))
	none := stat.None(stat.NoAcceptedThreshold)
	out := Selective{MinN: int(math.Min(minN, 1e15)), Threshold: none, Errors: none, N: none, RiskUCB: none}
	eachCut(kept[1], kept[0], func(cut float64, c Confusion) bool {
		seen, wrong := float64(c.TP+c.FP), float64(c.FP)
		if seen < minN {
			return true
		}
		bound := 1.0
		if wrong < seen {
			bound = stat.BetaQuantile(1-delta, wrong+1, seen-wrong)
		}
		if bound > risk {
			return false
		}
		out.Threshold, out.RiskUCB = stat.Some(cut), stat.Some(bound)
		out.Errors, out.N = stat.Some(wrong), stat.Some(seen)
		return true
	})
	return out, nil
}
