package run

import (
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// replay holds calls that judges propose against schemas and expected calls, by the
// same scorers as the log's own calls. It is safe for concurrent use.
type replay struct{ schema, accuracy scorer.Scorer }

func newReplay() *replay {
	r := &replay{}
	// Without a configuration there is nothing that could be wrong; were there, the
	// checks would only be missing.
	r.schema, _ = deterministic.New("schema_check", value.Value{})
	r.accuracy, _ = deterministic.New("function_call_accuracy", value.Value{})
	return r
}

// factsOf collects what the deterministic side knows about the calls of a
// conversation, for the checks on a judge's answers. No judge sees any of it.
func (r *replay) factsOf(c *transcript.Conversation, scores []score.Score) func(int) judges.Facts {
	facts := map[int]judges.Facts{}
	for i := range scores {
		s := &scores[i]
		if s.CallIndex == nil || s.Status != score.Scored {
			continue
		}
		f := facts[*s.CallIndex]
		switch s.Name {
		case "schema_check":
			if s.Passed != nil && !*s.Passed {
				f.SchemaError = s.Explanation
			}
		case "expected_call_match":
			at, ok := s.Details.Field("expected_index").Int64()
			if ok && c.Expected != nil && int(at) < len(c.Expected.Calls) {
				f.Expected = &c.Expected.Calls[at]
				f.Likeness = r.likeness(f.Expected)
			}
		}
		facts[*s.CallIndex] = f
	}
	return func(call int) judges.Facts {
		f := facts[call]
		f.SchemaErrorOf = r.schemaError
		return f
	}
}

// schemaError says why arguments break a tool's schema, "" where they keep it or
// nothing is known of it.
func (r *replay) schemaError(tool *transcript.Tool, arguments value.Value) string {
	if r.schema == nil || tool.Parameters.IsNull() {
		return ""
	}
	definition := object("name", value.OfString(tool.Name), "parameters", tool.Parameters)
	got, err := r.schema.Score(scorer.Input{Actual: callValue(tool.Name, arguments), Tools: value.OfList(definition)})
	if err != nil || got.Score == nil || *got.Score == 1 {
		return ""
	}
	return got.Reason
}

// likeness returns how much of an expected call another call makes, as
// function_call_accuracy has it.
func (r *replay) likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
	if r.accuracy == nil {
		return nil
	}
	arguments := e.Arguments
	if e.Compare != nil {
		arguments = value.OfObject()
		for _, key := range e.Compare {
			if v, ok := e.Arguments.Get(key); ok {
				arguments = arguments.With(key, v)
			}
		}
	}
	expected := value.OfList(callValue(e.Name, arguments))
	return func(name string, args value.Value) (float64, bool) {
		got, err := r.accuracy.Score(scorer.Input{Actual: value.OfList(callValue(name, args)), Expected: expected})
		if err != nil || got.Score == nil {
			return 0, false
		}
		return *got.Score, true
	}
}

func callValue(name string, arguments value.Value) value.Value {
	if arguments.Kind() != value.Object {
		arguments = value.OfObject()
	}
	return object("name", value.OfString(name), "arguments", arguments)
}

func object(key string, v value.Value, key2 string, v2 value.Value) value.Value {
	return value.OfObject(value.Member{Key: key, Value: v}, value.Member{Key: key2, Value: v2})
}
