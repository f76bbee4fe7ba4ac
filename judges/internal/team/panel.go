package team

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// The rules of a panel beyond those of verdict.PanelRule.
const (
	// AnyNegative takes the strictest member's score: one that fails the call fails
	// it for all.
	AnyNegative answer.PanelRule = "any_negative"
	// Weighted is the weighted vote on a binary scale and the weighted mean on any
	// other.
	Weighted answer.PanelRule = "weighted"
)

// Panel says how the scores of several judges become one. The zero value takes the
// median and wants answers from half of the members.
type Panel struct {
	// Name is the panel's name in results; "" means "panel".
	Name string
	// Members are the names of its judges, in the order of Join's results; Run joins
	// by them.
	Members []string
	// Rule is how scores are joined; "" means the median.
	Rule answer.PanelRule
	// Quorum is how many members must answer; 0 means half, rounded up.
	Quorum int
	// Weights are the members' measured reliabilities by name, for the weighted
	// rules; never what a judge claims of itself. An absent member weighs nothing.
	Weights map[string]float64
	// RubricWeights are those of single rubrics, by rubric and member; where a rubric
	// has none, Weights hold.
	RubricWeights map[string]map[string]float64
}

// Join makes one result of the results of several judges for the same call and
// rubric. Its confidence is the share of answering members that share the panel's
// verdict (from three answers on), its text that of the first member nearest to the
// joint score. The results must be those of one call and of r.
func (p Panel) Join(r *rubrics.Rubric, results []result.Result, mode answer.Mode) (result.Result, error) {
	if len(results) == 0 {
		return result.Result{}, fmt.Errorf("panel %s: no results to join", p.Name)
	}
	p.Name, p.Rule = cmp.Or(p.Name, "panel"), cmp.Or(p.Rule, answer.PanelMedian)
	scores, weights, err := p.votes(r, results)
	if err != nil {
		return result.Result{}, err
	}
	joint, err := answer.AggregatePanel(scores, weights, p.aggregate(r), p.Quorum)
	if err != nil {
		return result.Result{}, fmt.Errorf("panel %s: %w", p.Name, err)
	}
	first := &results[0]
	out := result.Result{
		ConversationID: first.ConversationID, CallIndex: first.CallIndex, CallID: first.CallID, Tool: first.Tool,
		Rubric: r.Name, RubricSHA: r.SHA, Judge: p.Name, Method: result.PanelMethod,
	}
	out.Panel = &result.PanelDetail{Rule: p.Rule, Spread: joint.Spread.Pointer()}
	for i := range results {
		out.Panel.Members = append(out.Panel.Members, result.PanelMember{Judge: results[i].Judge, Output: results[i].Output, Verdict: results[i].Verdict})
	}
	truncated := slices.ContainsFunc(results, func(r result.Result) bool { return r.ContextTruncated })
	if !joint.Value.Valid {
		out.ErrorKind = result.KindNoQuorum
		out.ErrorDetail = fmt.Sprintf("%d of %d judges answered", joint.Used, len(results))
		if truncated {
			shortened(&out)
		}
		result.Decide(&out, r, mode)
		return out, nil
	}
	out.Output = joint.Value.Pointer()
	if p.Rule == AnyNegative {
		out.Output = strictest(results)
	}
	p.speak(&out, results)
	if truncated {
		shortened(&out)
	}
	p.confidence(&out, r, results, joint.Used, mode)
	if joint.Tie {
		result.Raise(&out, "panel_tie", 1, "the judges are split evenly; the lower score counts")
	}
	result.Decide(&out, r, mode)
	result.EscalateSevere(&out)
	return out, nil
}

// votes are the members' scores, and their weights where the panel has any.
func (p Panel) votes(r *rubrics.Rubric, results []result.Result) (scores, weights []float64, err error) {
	reliability := p.Weights
	if own := p.RubricWeights[r.Name]; own != nil {
		reliability = own
	}
	first := &results[0]
	for i := range results {
		v := &results[i]
		if v.Rubric != r.Name || v.CallIndex != first.CallIndex || v.ConversationID != first.ConversationID {
			return nil, nil, fmt.Errorf("panel %s: the results are not of one call under %s", p.Name, r.Name)
		}
		vote := stat.Missing()
		if v.Output != nil {
			vote = *v.Output
		}
		scores = append(scores, vote)
		if reliability != nil {
			weights = append(weights, reliability[v.Judge])
		}
	}
	return scores, weights, nil
}

// aggregate is the rule for the numbers; the strictest answer is looked for afterwards.
func (p Panel) aggregate(r *rubrics.Rubric) answer.PanelRule {
	switch {
	case p.Rule == AnyNegative:
		return answer.PanelMedian
	case p.Rule == Weighted && r.Output.Binary():
		return answer.PanelWeightedVote
	case p.Rule == Weighted:
		return answer.PanelWeightedMean
	}
	return p.Rule
}

// strictest is the score of the member that fails the call, the lowest one where
// there are several; where none fails, the lowest of all.
func strictest(results []result.Result) *float64 {
	var out *float64
	failed := false
	for i := range results {
		o, fails := results[i].Output, results[i].Verdict == result.Fail
		if o == nil || failed && !fails {
			continue
		}
		if out == nil || fails && !failed || *o < *out {
			out, failed = o, fails
		}
	}
	if out == nil {
		return nil
	}
	score := *out
	return &score
}

// speak takes over the words of the member nearest to the joint score, with the
// flags that were raised about them, and those of all members that are carried.
func (p Panel) speak(out *result.Result, results []result.Result) {
	best := -1
	for i := range results {
		if results[i].Output == nil {
			continue
		}
		if best < 0 || math.Abs(*results[i].Output-*out.Output) < math.Abs(*results[best].Output-*out.Output) {
			best = i
		}
	}
	m := &results[best]
	out.Explanation, out.Evidence, out.Correction, out.Checks = m.Explanation, m.Evidence, m.Correction, m.Checks
	out.Flags = slices.Clone(m.Flags)
	out.Transport, out.Fingerprint = m.Transport, m.Fingerprint
	names, flags := make([]string, len(results)), make([][]score.Flag, len(results))
	for i := range results {
		names[i] = results[i].Judge
		if results[i].Output != nil {
			flags[i] = results[i].Flags
		}
	}
	carry(out, names, flags)
}

func (p Panel) confidence(out *result.Result, r *rubrics.Rubric, results []result.Result, used int, mode answer.Mode) {
	if used < 3 {
		return
	}
	joint := *out
	result.Decide(&joint, r, mode)
	same := 0
	for i := range results {
		if results[i].Output != nil && results[i].Verdict == joint.Verdict {
			same++
		}
	}
	result.SetConfidence(out, result.Jury, float64(same)/float64(used))
}
