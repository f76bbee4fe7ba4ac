package planted

import (
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Tier says how we know that a call is right.
type Tier string

// The tiers, the most reliable first.
const (
	// Matched calls match an expected call, or their conversation passes an execution check.
	Matched Tier = "matched"
	// Rewarded calls belong to a conversation that is labelled or rewarded as passing.
	Rewarded Tier = "rewarded"
	// Assumed calls match their schema, had a result without an error and were not repeated. Some
	// of them are wrong nevertheless.
	Assumed Tier = "assumed"
)

// Tiers returns all tiers in their order.
func Tiers() []Tier { return []Tier{Matched, Rewarded, Assumed} }

func (t Tier) rank() int { return slices.Index(Tiers(), t) }

// Base is a call that is assumed to be right.
type Base struct {
	Conversation *transcript.Conversation
	Call         int
	Tier         Tier
	order        uint64
}

// signals holds what labels, matches and checks say about the calls of a conversation.
type signals struct {
	// match says whether calls match an expected one.
	match map[int]bool
	// executed and labelled are about the conversation: 1 passes, -1 fails, 0 unknown.
	executed, labelled int
	// failed holds the calls that a label fails.
	failed map[int]bool
}

// read collects the signals from the scores of a conversation: labels, matches and execution checks.
func read(scores []score.Score, matches, executions []string) signals {
	s := signals{match: map[int]bool{}, failed: map[int]bool{}}
	vote := func(of *int, passed bool) {
		if !passed {
			*of = -1
		} else if *of == 0 {
			*of = 1
		}
	}
	for i := range scores {
		sc := &scores[i]
		passed := sc.Passed != nil && *sc.Passed
		switch {
		case sc.Passed == nil || sc.Metric != "":
		case sc.Source == score.Label && sc.CallIndex == nil:
			vote(&s.labelled, passed)
		case sc.Source == score.Label && !passed:
			s.failed[*sc.CallIndex] = true
		case sc.Source == score.Label || slices.Contains(matches, sc.Name):
			if sc.CallIndex != nil {
				s.match[*sc.CallIndex] = passed
			}
		case slices.Contains(executions, sc.Name) && sc.CallIndex == nil:
			vote(&s.executed, passed)
		}
	}
	return s
}

// Bases returns the calls of a conversation that are assumed to be right. scores are its labels and
// deterministic scores; matches and executions name the scorers that prove a call or a conversation
// right. At least two signals must agree, and none may speak against the call.
func (p *Planter) Bases(c *transcript.Conversation, scores []score.Score, matches, executions []string) (out []Base) {
	text := func(call transcript.Call) bool { return call.Proposed || call.Context }
	if slices.ContainsFunc(c.Calls, text) {
		return nil // its calls are only in texts, or are the history of another call
	}
	s := read(scores, matches, executions)
	for i := range c.Calls {
		if tier := p.tier(c, i, &s); tier != "" {
			out = append(out, Base{Conversation: c, Call: i, Tier: tier})
		}
	}
	return out
}

// tier returns the tier of a call; "" if it is not assumed to be right.
func (p *Planter) tier(c *transcript.Conversation, i int, s *signals) Tier {
	call := &c.Calls[i]
	tool := transcript.FindTool(c.Tools, call.Name)
	_, broken := c.Failure(call)
	matched, compared := s.match[i]
	switch {
	case call.Malformed || call.Custom || call.Executor == "user" || broken || s.failed[i] || compared && !matched:
		return ""
	case tool != nil && p.cfg.SchemaError(tool, call.Arguments) != "":
		return ""
	case slices.ContainsFunc(c.Calls, func(o transcript.Call) bool { // it was repeated
		return o.Index != i && o.Name == call.Name && value.Equal(o.Arguments, call.Arguments)
	}):
		return ""
	}
	keeps, worked := tool != nil && !tool.Parameters.IsNull(), call.Result >= 0
	switch second := keeps || worked; {
	case second && (matched || s.executed > 0 && s.labelled >= 0):
		return Matched
	case second && s.labelled > 0 && s.executed >= 0:
		return Rewarded
	case s.labelled == 0 && s.executed == 0 && keeps && worked:
		return Assumed
	}
	return ""
}
