package deterministic

import (
	"errors"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Log scores conversations of a log. It is safe for concurrent use.
type Log struct {
	entries []entry
	// pairing is an expected_call_match without a configuration.
	pairing expectedMatch
	schema  schemaCheck
	// patterns limits the time for the patterns in all schemas.
	patterns jsregex.Budget
	lists    sync.Pool // of *[]score.Score, empty
}

// Scorers returns the configured scorers, or the default ones, in order.
func (l *Log) Scorers() []Config {
	list := make([]Config, len(l.entries))
	for i := range l.entries {
		list[i] = l.entries[i].Config
	}
	return list
}

// Names returns the names under which scores are reported, in order.
func (l *Log) Names() []string {
	names := make([]string, len(l.entries))
	for i := range l.entries {
		names[i] = l.entries[i].Key
	}
	return names
}

// Score returns the scores of a conversation: scorer by scorer, first the conversation's, then
// those of its calls in order.
func (l *Log) Score(c *transcript.Conversation) []score.Score {
	return l.scores(newView(c, value.Value{}))
}

// Grade returns the same as Score, and the calls beside the expected ones, for the table of tools
// and parameters. execution holds the details of running the calls in an environment, exec_ok and
// diff; null if they were not run.
func (l *Log) Grade(c *transcript.Conversation, execution value.Value) ([]score.Score, []metric.Pair) {
	v := newView(c, execution)
	return l.scores(v), v.pairs(l.pairing)
}

// Reuse takes back a list from Score or Grade that is no longer used, for a later conversation.
func (l *Log) Reuse(scores []score.Score) {
	clear(scores)
	scores = scores[:0]
	l.lists.Put(&scores)
}

func (l *Log) scores(v *view) []score.Score {
	var out []score.Score
	if list, ok := l.lists.Get().(*[]score.Score); ok {
		out = *list
	}
	out = slices.Grow(out, len(l.entries)+3*len(v.made))
	place := v.c.Source.String()
	inText := openInText(v.c)
	for i := range l.entries {
		e := &l.entries[i]
		for _, o := range e.rule.log(v) {
			if inText != nil && e.leftOpen(&o) {
				o = outcome{call: o.call, err: inText}
			}
			if o.why == "" || o.said || !e.quiet {
				out = e.scores(out, v, place, o)
			}
		}
	}
	return out
}

// openInText returns an error for all outcomes that depend on whether the agent called, if it made
// no readable call but wrote something that looks like one; nil for other conversations.
func openInText(c *transcript.Conversation) error {
	switch c.OnlyInText() {
	case transcript.CallInText:
		return &Error{Kind: inTextKind, Message: "the agent made no call, and a message looks like one written as text: " +
			"--include-text-calls reads it"}
	case transcript.UnreadableInText:
		return &Error{Kind: unreadableKind, Message: "the agent made no call that can be read, and a message looks like one"}
	}
	return nil
}

// leftOpen reports whether an outcome depends on text that looks like a call and was not read
// (openInText). A score from states does not.
func (e *entry) leftOpen(o *outcome) bool {
	switch e.rule.(type) {
	case *execution:
		return false
	case *threeLayer:
		return !value.OfObject(o.result.layers...).Field("ast_ok").IsNull()
	}
	return o.result.Score != nil
}

// scores appends an outcome as records.
func (e *entry) scores(out []score.Score, v *view, place string, o outcome) []score.Score {
	o.result = o.result.bounded()
	out = append(out, score.Score{
		ConversationID: v.c.ID, Place: place, Name: e.Key,
		Source: score.Deterministic, Status: score.Scored, Explanation: o.result.Reason,
	})
	s := &out[len(out)-1]
	if e.Purpose == "qa" {
		s.Purpose = "qa"
	}
	if o.call != nil {
		index := o.call.Index // a copy, because a pointer would keep the conversation in memory
		s.CallIndex, s.CallID, s.Tool = &index, o.call.ID, o.call.Name
	}
	switch {
	case o.err != nil:
		s.Status, s.Explanation = score.Error, ""
		if s.Error = failureOf(o.err); s.Error.Kind == unreadableKind || s.Error.Kind == inTextKind {
			s.Status = score.Unscored
		}
		return out
	case o.why != "":
		s.Status, s.Explanation = score.NotApplicable, o.why
		return out
	case o.result.layers != nil:
		return append(out[:len(out)-1], layerScores(*s, o.result)...)
	case o.result.Score == nil:
		s.Status = score.NotApplicable
	default:
		e.decide(s, o.result.Score, o.result.Passed)
	}
	s.Details = value.ObjectOf(o.result.Fields)
	return out
}

// decide sets the value and the verdict.
func (e *entry) decide(s *score.Score, v *float64, passed *bool) {
	const slack = 1e-9
	s.Value = v
	if passed == nil || e.Threshold != nil {
		least := 1.0
		if e.Threshold != nil {
			least = *e.Threshold
		}
		reached := *v >= least-slack
		passed = &reached
	}
	s.Passed = passed
	s.Label = "fail"
	if *passed {
		s.Label = "pass"
	}
}

// layerScores returns the verdicts of three_layer as scores, one per metric.
func layerScores(s score.Score, r Result) []score.Score {
	s.Details = value.OfObject(r.Fields...)
	var out []score.Score
	for _, verdict := range r.layers {
		layer := s
		layer.Metric = verdict.Key
		if ok, known := verdict.Value.BoolVal(); known {
			(&entry{}).decide(&layer, new(boolScore(ok)), &ok)
		} else {
			layer.Status = score.NotApplicable
		}
		out = append(out, layer)
	}
	return out
}

func failureOf(err error) *score.Failure {
	kind := configKind
	if known := (*Error)(nil); errors.As(err, &known) {
		kind = known.Kind
	}
	return &score.Failure{Kind: kind, Message: err.Error()}
}
