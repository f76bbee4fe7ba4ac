package deterministic

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// SchemaError explains why arguments break a tool's schema, "" if they keep it or nothing
// is known of it.
func (l *Log) SchemaError(tool *transcript.Tool, arguments value.Value) string {
	violations, err := l.schema.validate(tool, arguments)
	if err != nil || len(violations) == 0 {
		return ""
	}
	return schemaResult(violations).Reason
}

// Known holds what is known of a call without a model.
type Known struct {
	// SchemaError explains why the arguments break the tool's schema, "" if they keep it.
	SchemaError string
	// Expected is the expected call that it was paired with, nil for none.
	Expected *transcript.ExpectedCall
}

// Known returns what is known of the calls of a conversation, by their index.
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

// Likeness returns how much of an expected call another call makes, 0 to 1, as
// function_call_accuracy has it.
func Likeness(made *transcript.Call, expected *transcript.ExpectedCall) float64 {
	var w weights
	w.settings() // the defaults
	wanted := &transcript.Call{Name: expected.Name, Arguments: compared(expected)}
	return w.weigh(family{}.pairing(side{}, side{}).compare(made, wanted))
}
