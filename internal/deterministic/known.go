package deterministic

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// SchemaError says how arguments break a tool's schema; "" if they match it or nothing is known.
func (l *Log) SchemaError(tool *transcript.Tool, arguments value.Value) string {
	violations, err := l.schema.validate(tool, arguments)
	if err != nil || len(violations) == 0 {
		return ""
	}
	return schemaResult(violations).Reason
}

// Known holds what is known about a call without a model.
type Known struct {
	// SchemaError says how the arguments break the tool's schema; "" if they match it.
	SchemaError string
	// Expected is the expected call with which it was paired; nil if none.
	Expected *transcript.ExpectedCall
}

// Known returns what is known about the calls of a conversation, by their index.
func (l *Log) Known(c *transcript.Conversation) map[int]Known {
	v, known := newView(c, value.Value{}), map[int]Known{}
	for _, o := range l.schema.log(v) {
		if o.err == nil && o.why == "" && *o.result.Score < 1 {
			known[o.call.Index] = Known{SchemaError: o.result.bounded().Reason}
		}
	}
	for _, o := range l.pairing.log(v) {
		if i, ok := value.OfObject(o.result.Fields...).Field("expected_index").Int64(); ok {
			k := known[o.call.Index]
			k.Expected = v.expected[i]
			known[o.call.Index] = k
		}
	}
	return known
}

// Likeness returns the share of an expected call that another call matches, 0 to 1, as in
// function_call_accuracy.
func Likeness(made *transcript.Call, expected *transcript.ExpectedCall) float64 {
	var w weights
	w.settings() // sets the defaults
	wanted := &transcript.Call{Name: expected.Name, Arguments: compared(expected)}
	return w.weigh(family{}.pairing(side{}, side{}).compare(made, wanted))
}
