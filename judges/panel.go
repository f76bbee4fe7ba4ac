package judges

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/value"
)

// The rules of a panel, besides the median, the mean, the majority and the weighted ones by name.
const (
	// AnyNegative takes the strictest member's score: if one member fails the call, the panel fails
	// it.
	AnyNegative PanelRule = "any_negative"
	// Weighted is a weighted vote on a binary scale and a weighted mean on any other scale.
	Weighted PanelRule = "weighted"
)

// Panel joins the scores of several judges. The zero value takes the median and requires answers
// from half of the members.
type Panel struct {
	// Name is the panel's name in results.
	Name string
	// Members are the names of the panel's judges.
	Members []string
	// Rule says how scores are joined; "" means the median.
	Rule PanelRule
	// Quorum is the number of members that must answer; 0 means half, rounded up.
	Quorum int
	// Weights are the members' measured reliabilities by name, for the weighted rules. They never
	// come from the judges themselves. A member without a weight does not count.
	Weights map[string]float64
	// RubricWeights are weights for single rubrics, by rubric and member. A rubric without an entry
	// uses Weights.
	RubricWeights map[string]map[string]float64
}

// PanelDetail holds the members' answers from which a panel's score was computed.
type PanelDetail struct {
	Rule    PanelRule
	Members []PanelMember
	// Spread is the highest minus the lowest score; nil below the quorum.
	Spread *float64
}

// PanelMember is one member's answer. Output is nil without a score, Category is "" on a numeric
// scale.
type PanelMember struct {
	Judge             string
	Output            *float64
	Verdict, Category string
}

func (p *PanelDetail) value() value.Value {
	members := list(p.Members, func(m PanelMember) any {
		v := value.Pairs("judge", m.Judge, "output", m.Output, "verdict", m.Verdict)
		if m.Category != "" {
			v = v.With("category", value.OfString(m.Category))
		}
		return v
	})
	return value.Pairs("aggregate", string(p.Rule), "spread", p.Spread, "members", members)
}

// join combines the members' results for the same item and rubric into one. Its confidence is the
// share of answering members with the panel's verdict (with at least three answers). Its text comes
// from the first member nearest to the joint score.
func (p *Panel) join(in *instrument, results []*Result) (Result, error) {
	scores, weights := p.votes(in, results)
	joint, err := answer.AggregatePanel(scores, weights, p.aggregate(in), p.Quorum)
	if err != nil {
		return Result{}, fmt.Errorf("panel %s: %w", p.Name, err)
	}
	first := results[0]
	out := Result{
		ConversationID: first.ConversationID, Scope: first.Scope, Turn: first.Turn,
		CallIndex: first.CallIndex, CallID: first.CallID, Tool: first.Tool,
		Rubric: in.rubric.Name, RubricSHA: in.rubric.SHA, Judge: p.Name, Method: PanelMethod,
		Panel: &PanelDetail{Rule: cmp.Or(p.Rule, answer.PanelMedian), Spread: joint.Spread.Pointer()},
	}
	for _, m := range results {
		out.Panel.Members = append(out.Panel.Members, PanelMember{m.Judge, m.Output, m.Verdict, m.Category})
		out.ContextTruncated = out.ContextTruncated || m.ContextTruncated
	}
	not := func(m *Result) bool { return m.Verdict != NotApplicable }
	notApplicable := slices.DeleteFunc(slices.Clone(results), not)
	if len(notApplicable) > joint.Used {
		out.Category = NotApplicable
		out.adopt(notApplicable[0])
		out.carry(results)
	} else if joint.Value.Valid {
		out.Output = joint.Value.Pointer()
		if p.Rule == AnyNegative {
			out.Output = strictest(results)
		}
		out.quote(results)
	} else {
		out.ErrorKind, out.ErrorDetail = KindNoQuorum, fmt.Sprintf("%d of %d judges answered", joint.Used, len(results))
	}
	if out.ContextTruncated && !flagged(out.Flags, FlagContextTruncated) {
		out.raise(FlagContextTruncated, 1, "a member of the panel saw a shortened history")
	}
	if out.Output != nil && joint.Used >= 3 {
		verdict, same := in.verdict(out.Output, nil).Verdict, 0.0
		for _, m := range results {
			if m.Output != nil && m.Verdict == verdict {
				same++
			}
		}
		out.setConfidence("panel", same/float64(joint.Used))
	}
	if joint.Tie {
		out.raise("panel_tie", 1, "the judges are split evenly; the lower score counts")
	}
	in.decide(&out)
	out.escalateSevere()
	return out, nil
}

func (p *Panel) votes(in *instrument, results []*Result) (scores, weights []float64) {
	reliability := p.Weights
	if own := p.RubricWeights[in.rubric.Name]; own != nil {
		reliability = own
	}
	for _, m := range results {
		vote := stat.Missing()
		if m.Output != nil {
			vote = *m.Output
		}
		scores = append(scores, vote)
		if reliability != nil {
			weights = append(weights, reliability[m.Judge])
		}
	}
	return scores, weights
}

// aggregate returns the rule for the numbers; the strictest answer is chosen afterwards.
func (p *Panel) aggregate(in *instrument) PanelRule {
	switch {
	case p.Rule == AnyNegative || p.Rule == "":
		return answer.PanelMedian
	case p.Rule == Weighted && in.rubric.Output.Binary():
		return answer.PanelWeightedVote
	case p.Rule == Weighted:
		return answer.PanelWeightedMean
	}
	return p.Rule
}

// strictest returns the lowest score among the members that fail the call; if none fails it, the
// lowest score of all.
func strictest(results []*Result) *float64 {
	fails := slices.ContainsFunc(results, func(m *Result) bool { return m.Output != nil && m.Verdict == Fail })
	lowest := math.Inf(1)
	for _, m := range results {
		if m.Output != nil && (m.Verdict == Fail || !fails) {
			lowest = min(lowest, *m.Output)
		}
	}
	return &lowest
}

// quote copies the text of the member nearest to the joint score, the flags about that text, and
// the severe flags of all members. If several categories have the joint score, the most frequent
// one counts.
func (r *Result) quote(results []*Result) {
	votes := map[string]int{}
	for _, m := range results {
		votes[m.Category]++
	}
	var nearest *Result
	for _, m := range results {
		if m.Output == nil {
			continue
		}
		if nearest == nil || math.Abs(*m.Output-*r.Output) < math.Abs(*nearest.Output-*r.Output) ||
			*m.Output == *nearest.Output && votes[m.Category] > votes[nearest.Category] {
			nearest = m
		}
	}
	if *nearest.Output == *r.Output {
		r.Category = nearest.Category
	}
	r.adopt(nearest)
	r.carry(results)
}

// adopt copies a member's answer.
func (r *Result) adopt(m *Result) {
	r.Explanation, r.Evidence, r.Answer = m.Explanation, m.Evidence, m.Answer
	r.Correction, r.Checks = m.Correction, m.Checks
	r.Transport, r.Fingerprint = m.Transport, m.Fingerprint
	r.Flags = slices.Clone(m.Flags)
}

func flagged(flags []Flag, code string) bool {
	return slices.ContainsFunc(flags, func(f Flag) bool { return f.Code == code })
}

// carry copies the members' flags that escalate or that affect the members' independence. Each code
// appears once, with the names of the members and the first one's detail.
func (r *Result) carry(results []*Result) {
	var carried []Flag
	by := map[string][]string{}
	for _, m := range results {
		for _, f := range m.Flags {
			if m.Output == nil || f.Severity < 2 && f.Code != FlagSelfPreference {
				continue
			}
			if by[f.Code] == nil {
				carried = append(carried, f)
			}
			if !slices.Contains(by[f.Code], m.Judge) {
				by[f.Code] = append(by[f.Code], m.Judge)
			}
		}
	}
	for _, f := range carried {
		names := strings.Join(by[f.Code], ", ")
		if f.Detail != "" {
			names += ": " + f.Detail
		}
		f.Detail = value.Excerpt(names, 400)
		r.Flags = slices.DeleteFunc(r.Flags, func(old Flag) bool { return old.Code == f.Code })
		r.Flags = append(r.Flags, f)
	}
}
