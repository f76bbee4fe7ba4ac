package team

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// DawidSkene joins by the class that Dawid and Skene's model finds most probable,
// each member weighed by how reliable its answers make it look. It needs the answers
// about all items: a Panel with this rule joins by JoinAll, in no Run. It assumes
// that members err independently given the truth; members of one family, or all of
// them lenient, break that.
const DawidSkene verdict.PanelRule = "dawid_skene"

// Ballot is one item with its panel's answers: Outputs has one entry for each
// member, nil where it gave no score.
type Ballot struct {
	ConversationID string
	CallIndex      int
	CallID, Tool   string
	Outputs        []*float64
	// Flags are the members' flags that a panel carries; nil, or one entry for each
	// member. Those of a member without an output do not count.
	Flags [][]score.Flag
	// Truncated says that some member saw a shortened history.
	Truncated bool
}

// Vote notes the answer of member k, which must be an index into Outputs.
func (b *Ballot) Vote(k int, r *result.Result) {
	b.Outputs[k] = r.Output
	b.Truncated = b.Truncated || r.ContextTruncated
	for _, f := range r.Flags {
		if !carried(f) {
			continue
		}
		if b.Flags == nil {
			b.Flags = make([][]score.Flag, len(b.Outputs))
		}
		b.Flags[k] = append(b.Flags[k], f)
	}
}

// The iteration's bounds; one hundredth of a vote is added to every cell, because a
// zero could never be left again.
const (
	latentSteps     = 200
	latentTolerance = 1e-6
	latentSmoothing = 0.01
)

// JoinAll joins the ballots of one rubric by Dawid and Skene's model, one result a
// ballot. On a scale of one-character integers the classes are its labels, else fail
// and pass, which become the ends of the scale. The verdict is the more probable one,
// its probability the confidence, the score its most probable label. Warnings are for a person to read.
func (p Panel) JoinAll(r *rubrics.Rubric, mode verdict.Mode, ballots []Ballot) (out []result.Result, warnings []string, err error) {
	labels := reply.Labels(r.Output)
	classOf := func(x float64) int { return int(math.Round(x - r.Output.Min)) }
	if labels == nil {
		labels = []float64{r.Output.Min, r.Output.Max}
		classOf = func(x float64) int {
			if r.Output.PassBand().Contains(x) {
				return 1
			}
			return 0
		}
	}
	votes := make([][][]int, len(ballots))
	for i := range ballots {
		votes[i] = make([][]int, len(p.Members))
		for k, o := range ballots[i].Outputs {
			if o != nil {
				votes[i][k] = []int{min(max(classOf(*o), 0), len(labels)-1)}
			}
		}
	}
	got, err := raters.DawidSkene(votes, len(labels), raters.ConsensusConfig{MaxIter: latentSteps, Tol: latentTolerance, Smoothing: latentSmoothing})
	if err != nil {
		return nil, nil, fmt.Errorf("panel %s, %s: %w", p.Name, r.Name, err)
	}
	for _, w := range got.Warnings {
		warnings = append(warnings, fmt.Sprintf("panel %s, %s: %s", p.Name, r.Name, w.Detail))
	}
	quorum := p.Quorum
	if quorum <= 0 {
		quorum = (len(p.Members) + 1) / 2
	}
	for i := range ballots {
		out = append(out, p.elected(r, mode, &ballots[i], labels, got.Posterior[i], quorum))
	}
	return out, warnings, nil
}

// elected is the result of one ballot.
func (p Panel) elected(r *rubrics.Rubric, mode verdict.Mode, b *Ballot, labels, posterior []float64, quorum int) result.Result {
	out := result.Result{
		ConversationID: b.ConversationID, CallIndex: b.CallIndex, CallID: b.CallID, Tool: b.Tool,
		Rubric: r.Name, RubricSHA: r.SHA, Judge: p.Name, Method: result.PanelMethod, Panel: &result.PanelDetail{Rule: p.Rule},
	}
	used, low, high := 0, math.Inf(1), math.Inf(-1)
	for k, name := range p.Members {
		m := result.Result{Output: b.Outputs[k]}
		result.Decide(&m, r, mode)
		out.Panel.Members = append(out.Panel.Members, result.PanelMember{Judge: name, Output: m.Output, Verdict: m.Verdict})
		if m.Output != nil {
			used++
			low, high = min(low, *m.Output), max(high, *m.Output)
		}
	}
	if b.Truncated {
		shortened(&out)
	}
	if used < quorum || used == 0 {
		out.ErrorKind, out.ErrorDetail = result.KindNoQuorum, fmt.Sprintf("%d of %d judges answered", used, len(p.Members))
		result.Decide(&out, r, mode)
		return out
	}
	spread := high - low
	out.Panel.Spread = &spread
	pass := 0.0
	for k, label := range labels {
		if r.Output.PassBand().Contains(label) {
			pass += posterior[k]
		}
	}
	passes := pass > 0.5
	if !passes {
		pass = 1 - pass
	}
	// The label is the most probable one on the side of the more probable verdict.
	best := -1
	for k, label := range labels {
		if r.Output.PassBand().Contains(label) == passes && (best < 0 || posterior[k] > posterior[best]+1e-12) {
			best = k
		}
	}
	if best < 0 { // a band that leaves nothing to fail, or to pass
		best = 0
	}
	score := labels[best]
	out.Output = &score
	result.SetConfidence(&out, result.Jury, min(1, max(0, pass)))
	result.Decide(&out, r, mode)
	carry(&out, p.Members, b.counted())
	result.EscalateSevere(&out)
	return out
}

// counted are the flags of the members that gave a score.
func (b *Ballot) counted() [][]score.Flag {
	out := slices.Clone(b.Flags)
	for k := range out {
		if b.Outputs[k] == nil {
			out[k] = nil
		}
	}
	return out
}
