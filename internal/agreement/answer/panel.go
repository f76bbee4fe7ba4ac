package answer

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Consistency summarises one judge's repeated samples on one item.
type Consistency struct {
	Valid, Failed  int // failed samples are left out, never scored 0
	Mean, Median   stat.Opt
	Majority       stat.Opt // in a tie, the lower and stricter value
	MajorityIsATie bool
	MajorityShare  stat.Opt
	Variance       stat.Opt // n-1
	PassShare      stat.Opt // share inside [low, high]
}

// SelfConsistency summarises the samples of one item; a sample passes iff low <= x <= high.
func SelfConsistency(samples []float64, low, high float64) Consistency {
	v := stat.Present(samples)
	out := Consistency{Valid: len(v), Failed: len(samples) - len(v)}
	if len(v) == 0 {
		u := stat.None(stat.NoItems)
		out.Mean, out.Median, out.Majority, out.MajorityShare, out.Variance, out.PassShare = u, u, u, u, u, u
		return out
	}
	n := float64(len(v))
	value, votes, tie := majority(v, nil)
	out.Mean, out.Median, out.Majority = stat.Some(stat.Mean(v)), stat.Some(stat.Median(v)), stat.Some(value)
	out.MajorityShare, out.MajorityIsATie = stat.Some(votes/n), tie
	pass := 0.0
	for _, x := range v {
		if low <= x && x <= high {
			pass++
		}
	}
	out.PassShare, out.Variance = stat.Some(pass/n), stat.None(stat.TooFew)
	if len(v) > 1 {
		out.Variance = stat.Some(stat.Variance(v))
	}
	return out
}

// majority returns the value with the most weight (nil: one vote each); in a tie, the lower one.
// Weights within 1e-12 are tied.
func majority(v, weight []float64) (value, votes float64, tie bool) {
	best := math.Inf(-1)
	for _, x := range stat.Distinct(v) {
		w := 0.0
		for i, y := range v {
			if y == x {
				if weight == nil {
					w++
				} else {
					w += weight[i]
				}
			}
		}
		switch {
		case w > best+1e-12:
			value, best, tie = x, w, false
		case w > best-1e-12:
			tie = true
		}
	}
	return value, best, tie
}

// PanelRule says how a panel's scores are joined.
type PanelRule string

// The rules. WeightedVote is for binary verdicts and weighs each judge by
// ln(w/(1-w)), w its balanced accuracy clipped to [0.51, 0.99].
const (
	PanelMedian       PanelRule = "median"
	PanelMean         PanelRule = "mean"
	PanelMajority     PanelRule = "majority"
	PanelWeightedMean PanelRule = "weighted_mean"
	PanelWeightedVote PanelRule = "weighted_vote"
)

// Panel is the joint answer of several judges on one item.
type Panel struct {
	Value  stat.Opt // undefined below the quorum
	Used   int
	Spread stat.Opt // max - min
	Tie    bool
}

// AggregatePanel joins scores (NaN means no answer). weights must come from measured reliability;
// nil means 1 each, and a missing one counts as 0. A quorum of 0 means half of the panel, rounded
// up.
func AggregatePanel(scores, weights []float64, how PanelRule, quorum int) (Panel, error) {
	rules := []PanelRule{PanelMedian, PanelMean, PanelMajority, PanelWeightedMean, PanelWeightedVote}
	if !slices.Contains(rules, how) {
		return Panel{}, fmt.Errorf("panel rule %q is not known", how)
	}
	if weights != nil && len(weights) != len(scores) {
		return Panel{}, fmt.Errorf("%w: %d scores and %d weights", stat.ErrLengths, len(scores), len(weights))
	}
	if quorum <= 0 {
		quorum = (len(scores) + 1) / 2
	}
	var v, w []float64
	for i, s := range scores {
		if math.IsNaN(s) {
			continue
		}
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		if math.IsNaN(weight) {
			weight = 0
		}
		v, w = append(v, s), append(w, weight)
	}
	out := Panel{Used: len(v), Value: stat.None(stat.NoQuorum), Spread: stat.None(stat.NoQuorum)}
	if len(v) > 0 && len(v) >= quorum {
		out.Spread = stat.Some(slices.Max(v) - slices.Min(v))
		out.Value, out.Tie = joint(v, w, how)
	}
	return out, nil
}

// joint returns the score by a rule; tie says that several values have the same number of votes.
func joint(v, weight []float64, how PanelRule) (value stat.Opt, tie bool) {
	sum := 0.0
	for i, x := range v {
		sum += weight[i] * x
	}
	switch how {
	case PanelMedian:
		return stat.Some(stat.Median(v)), false
	case PanelMean:
		return stat.Some(stat.Mean(v)), false
	case PanelWeightedMean:
		return stat.Ratio(sum, stat.Sum(weight), stat.ZeroVariance), false
	case PanelMajority:
		weight = nil
	case PanelWeightedVote:
		for i, x := range weight {
			x = math.Min(0.99, math.Max(0.51, x))
			weight[i] = math.Log(x / (1 - x))
		}
	}
	most, _, tie := majority(v, weight)
	return stat.Some(most), tie
}
