package quality

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// ActiveMean is a mean from labels drawn with recorded probabilities.
type ActiveMean struct {
	Estimate, SE statistic.Opt
	CI           statistic.Interval
	Labeled      int
	ESS          statistic.Opt // (Σw)²/Σw² of the weights 1/π of the labelled items
	Dropped      int
}

// EstimateActive is mean_i[f_i + 1{labelled}(Y_i-f_i)/π_i], the SE from the same
// terms. y is missing where no label was drawn; pi is the probability in (0,1]
// with which the item could have been drawn, recorded before drawing; a labelled
// item without one is an error. Items without a judge score are dropped.
func EstimateActive(y, yhat, pi []float64, alpha float64) (ActiveMean, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return ActiveMean{}, err
	}
	if len(y) != len(yhat) || len(y) != len(pi) {
		return ActiveMean{}, fmt.Errorf("%w: %d, %d and %d", statistic.ErrLengths, len(y), len(yhat), len(pi))
	}
	var out ActiveMean
	var terms []float64
	weight, square := 0.0, 0.0
	for i, f := range yhat {
		if math.IsNaN(f) {
			out.Dropped++
			continue
		}
		if !math.IsNaN(y[i]) {
			if !(pi[i] > 0 && pi[i] <= 1) {
				return ActiveMean{}, fmt.Errorf("item %d: a labelled item needs a probability in (0,1], got %v", i+1, pi[i])
			}
			out.Labeled++
			weight += 1 / pi[i]
			square += 1 / pi[i] / pi[i]
			f += (y[i] - f) / pi[i]
		}
		terms = append(terms, f)
	}
	out.ESS = statistic.Ratio(weight*weight, square, statistic.NoItems)
	out.Estimate, out.SE = statistic.None(statistic.NoItems), statistic.None(statistic.TooFew)
	if len(terms) > 0 {
		out.Estimate = statistic.Some(statistic.Mean(terms))
	}
	if len(terms) > 1 {
		out.SE = statistic.Some(math.Sqrt(statistic.Variance(terms) / float64(len(terms))))
	}
	out.CI = statistic.Around(out.Estimate, out.SE.Times(statistic.Critical(alpha)))
	return out, nil
}

// LabelingProbabilities spreads a budget of expected labels over items: the
// share mix uniformly, the rest in proportion to uncertainty, capped at 1 with
// the excess given to the uncapped in proportion. A missing uncertainty counts
// as 0. Draw each item independently and store its probability with the label.
func LabelingProbabilities(uncertainty []float64, budget, mix float64) ([]float64, error) {
	if !(mix >= 0 && mix <= 1) || !(budget >= 0) || math.IsInf(budget, 0) {
		return nil, fmt.Errorf("need budget >= 0 and mix in 0..1, got %v and %v", budget, mix)
	}
	n := len(uncertainty)
	pi := make([]float64, n)
	if budget >= float64(n) {
		for i := range pi {
			pi[i] = 1
		}
		return pi, nil
	}
	total := 0.0
	for i, u := range uncertainty {
		if u < 0 || math.IsInf(u, 0) {
			return nil, fmt.Errorf("uncertainty %d must be a number >= 0, got %v", i+1, u)
		}
		if u > 0 {
			total += u
		}
	}
	if math.IsInf(total, 0) {
		return nil, fmt.Errorf("the uncertainties overflow")
	}
	for i, u := range uncertainty {
		base := 1 / float64(n)
		if total > 0 {
			share := 0.0
			if u > 0 {
				share = u / total
			}
			base = (1-mix)*share + mix/float64(n)
		}
		pi[i] = base * budget
	}
	capProbabilities(pi, budget)
	return pi, nil
}

// capProbabilities caps at 1 and scales the uncapped up until none exceeds 1.
func capProbabilities(pi []float64, budget float64) {
	capped := make([]bool, len(pi))
	for range pi {
		changed, free, left := false, 0.0, budget
		for i, p := range pi {
			if !capped[i] && p > 1 {
				capped[i], changed = true, true
				pi[i] = 1
			}
			if capped[i] {
				left--
			} else {
				free += pi[i]
			}
		}
		if !changed || free <= 0 {
			return
		}
		for i := range pi {
			if !capped[i] {
				pi[i] *= left / free
			}
		}
	}
}
