package result

import (
	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/value"
)

// PanelDetail says how a panel's score came about.
type PanelDetail struct {
	Rule    answer.PanelRule
	Members []PanelMember
	// Spread is the highest minus the lowest score; nil below the quorum.
	Spread *float64
}

// PanelMember is what one member said; Output is nil where it gave no score.
type PanelMember struct {
	Judge   string
	Output  *float64
	Verdict string
}

func (p *PanelDetail) value() value.Value {
	members := make([]value.Value, len(p.Members))
	for i, m := range p.Members {
		d := details{}
		d.add("judge", value.OfString(m.Judge))
		d.add("output", number64(m.Output))
		d.add("verdict", value.OfString(m.Verdict))
		members[i] = value.OfObject(d.members...)
	}
	return value.OfObject(
		value.Member{Key: "aggregate", Value: value.OfString(string(p.Rule))},
		value.Member{Key: "spread", Value: number64(p.Spread)},
		value.Member{Key: "members", Value: value.OfList(members...)},
	)
}

func number64(f *float64) value.Value {
	if f == nil {
		return value.Value{}
	}
	return value.OfFloat(*f)
}

// Reason is why a cascade does not rest with a tier's answer.
type Reason string

// The reasons, in the order in which they are told.
const (
	// OnBorderline: the score lies within the margin of the cut, or in the band
	// between fail and pass.
	OnBorderline Reason = "borderline"
	// OnLowConfidence: the confidence is missing or outside its band.
	OnLowConfidence Reason = "low_confidence"
	// OnError: there is no score.
	OnError Reason = "error"
	// OnContradiction: the answer contradicts itself or the facts (a flag of
	// severity 2).
	OnContradiction Reason = "contradiction"
)

// Reasons returns all reasons.
func Reasons() []Reason { return []Reason{OnBorderline, OnLowConfidence, OnError, OnContradiction} }

// ClimbDetail is the way of one judgement through a cascade.
type ClimbDetail struct {
	// Tiers are those that were asked; the last one's answer stands.
	Tiers []ClimbTier
	// Unresolved says that the last tier left it open.
	Unresolved bool
}

// ClimbTier is what one tier said, and why that was not enough; Reasons is nil for
// an answer that was.
type ClimbTier struct {
	Judge      string
	Output     *float64
	Verdict    string
	Confidence *float64
	Reasons    []Reason
}

func (c *ClimbDetail) value() value.Value {
	tiers := make([]value.Value, len(c.Tiers))
	for i := range c.Tiers {
		tiers[i] = c.Tiers[i].Value()
	}
	return value.OfObject(
		value.Member{Key: "stands", Value: value.OfString(c.Tiers[len(c.Tiers)-1].Judge)},
		value.Member{Key: "unresolved", Value: value.OfBool(c.Unresolved)},
		value.Member{Key: "tiers", Value: value.OfList(tiers...)},
	)
}

// Value returns the tier as it stands in score details and queue files.
func (t *ClimbTier) Value() value.Value {
	reasons := make([]value.Value, len(t.Reasons))
	for i, r := range t.Reasons {
		reasons[i] = value.OfString(string(r))
	}
	return value.OfObject(
		value.Member{Key: "judge", Value: value.OfString(t.Judge)},
		value.Member{Key: "output", Value: number64(t.Output)},
		value.Member{Key: "verdict", Value: value.OfString(t.Verdict)},
		value.Member{Key: "confidence", Value: number64(t.Confidence)},
		value.Member{Key: "escalated", Value: value.OfList(reasons...)},
	)
}

// Joint reports whether a result was made from other results, without requests.
func (r *Result) Joint() bool { return r.Panel != nil || r.Climb != nil }
