package judges

import (
	"context"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

// PanelMethod is the method of a score that several judges made together.
const PanelMethod Method = "panel"

// KindNoQuorum is the failure of a panel of which too few members answered.
const KindNoQuorum = "no_quorum"

// Panel says how the scores of several judges become one. The zero value takes the
// median and wants answers from half of the members.
type Panel struct {
	// Name is the panel's name in results; "" means "panel".
	Name string
	// Rule is how scores are joined; "" means the median.
	Rule agreement.PanelRule
	// Quorum is how many members must answer; 0 means half, rounded up.
	Quorum int
	// Weights are the members' measured reliabilities by name, for the weighted
	// rules; never what a judge claims of itself. An absent member weighs nothing.
	Weights map[string]float64
}

// Join makes one result of the results of several judges for the same call and
// rubric. Its confidence is the share of answering members that share the panel's
// verdict (from three answers on), its text that of the first member nearest to the
// joint score. The results must be those of one call and of r.
func (p Panel) Join(r *rubrics.Rubric, results []Result, mode agreement.VerdictMode) (Result, error) {
	if len(results) == 0 {
		return Result{}, fmt.Errorf("panel %s: no results to join", p.Name)
	}
	setDefault(&p.Name, "panel")
	setDefault(&p.Rule, agreement.PanelMedian)
	scores := make([]float64, len(results))
	var weights []float64
	for i := range results {
		if results[i].Rubric != r.Name || results[i].CallIndex != results[0].CallIndex || results[i].ConversationID != results[0].ConversationID {
			return Result{}, fmt.Errorf("panel %s: the results are not of one call under %s", p.Name, r.Name)
		}
		scores[i] = agreement.Missing()
		if o := results[i].Output; o != nil {
			scores[i] = *o
		}
		if p.Weights != nil {
			weights = append(weights, p.Weights[results[i].Judge])
		}
	}
	joint, err := agreement.AggregatePanel(scores, weights, p.Rule, p.Quorum)
	if err != nil {
		return Result{}, fmt.Errorf("panel %s: %w", p.Name, err)
	}
	first := &results[0]
	out := Result{
		ConversationID: first.ConversationID, CallIndex: first.CallIndex, CallID: first.CallID, Tool: first.Tool,
		Rubric: r.Name, RubricSHA: r.SHA, Judge: p.Name, Method: PanelMethod,
	}
	for i := range results {
		out.Samples = append(out.Samples, results[i].Output)
	}
	if !joint.Value.Valid {
		out.ErrorKind = KindNoQuorum
		out.ErrorDetail = fmt.Sprintf("%d of %d judges answered", joint.Used, len(results))
		out.decide(r, mode)
		return out, nil
	}
	out.Output = joint.Value.Pointer()
	p.speak(&out, results)
	p.confidence(&out, r, results, joint.Used, mode)
	if joint.Tie {
		out.flag("panel_tie", 1, "the judges are split evenly; the lower score counts")
	}
	out.decide(r, mode)
	out.escalateBySeverity()
	return out, nil
}

// speak takes over the words of the member nearest to the joint score, and every
// severe flag of any member.
func (p Panel) speak(out *Result, results []Result) {
	best := -1
	for i := range results {
		if results[i].Output == nil {
			continue
		}
		if best < 0 || math.Abs(*results[i].Output-*out.Output) < math.Abs(*results[best].Output-*out.Output) {
			best = i
		}
		out.ContextTruncated = out.ContextTruncated || results[i].ContextTruncated
	}
	m := &results[best]
	out.Explanation, out.Evidence, out.Correction, out.Checks = m.Explanation, m.Evidence, m.Correction, m.Checks
	out.Flags = append([]score.Flag(nil), m.Flags...)
	out.Transport, out.Fingerprint = m.Transport, m.Fingerprint
}

func (p Panel) confidence(out *Result, r *rubrics.Rubric, results []Result, used int, mode agreement.VerdictMode) {
	if used < 3 {
		return
	}
	joint := *out
	joint.decide(r, mode)
	same := 0
	for i := range results {
		if results[i].Output != nil && results[i].Verdict == joint.Verdict {
			same++
		}
	}
	share := float64(same) / float64(used)
	out.Confidence, out.ConfidenceSource = &share, "panel"
}

// Cascade asks cheap judges first: what one tier leaves open goes to the next. A
// later tier does not see an earlier one's answer.
type Cascade struct {
	// Tiers are the judges in the order in which they are asked; all have the same
	// rubrics.
	Tiers []*Judge
}

// Climb is the way of one judgement through a cascade.
type Climb struct {
	// Tiers are the results in the order of the tiers that were asked; the last one
	// stands.
	Tiers []Result
	// Unresolved says that the last tier left it open too: it is for a person.
	Unresolved bool
}

// Final returns the result that stands.
func (c Climb) Final() *Result { return &c.Tiers[len(c.Tiers)-1] }

// Call judges one call by every rubric of the first tier, and each open judgement
// by the next tiers. The error is that of Judge.Call.
func (c Cascade) Call(ctx context.Context, conv *Conversation, callIndex int, facts Facts) ([]Climb, error) {
	if len(c.Tiers) == 0 {
		return nil, fmt.Errorf("cascade: no tiers")
	}
	first, err := c.Tiers[0].Call(ctx, conv, callIndex, facts)
	if err != nil {
		return nil, err
	}
	out := make([]Climb, len(first))
	for i := range first {
		out[i].Tiers = []Result{first[i]}
		for _, tier := range c.Tiers[1:] {
			if !out[i].Final().Escalate {
				break
			}
			next, err := tier.one(ctx, first[i].Rubric, conv, callIndex, facts)
			if err != nil {
				return nil, err
			}
			out[i].Tiers = append(out[i].Tiers, next)
		}
		out[i].Unresolved = out[i].Final().Escalate
	}
	return out, nil
}

// one judges a call by one rubric.
func (j *Judge) one(ctx context.Context, rubric string, conv *Conversation, callIndex int, facts Facts) (Result, error) {
	for i := range j.rubrics {
		if j.rubrics[i].rubric.Name == rubric {
			v := newView(conv, j.cfg.Prompt)
			v.prepare()
			return j.judge(ctx, &j.rubrics[i], v, callIndex, facts)
		}
	}
	return Result{}, fmt.Errorf("judge %s: no rubric %q", j.cfg.Name, rubric)
}
