package run

import (
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// facts finds out what is known, with a scorer for each question. It is safe for
// concurrent use.
type facts struct {
	log              *deterministic.Log
	schema, accuracy scorer.Scorer
}

// newFacts returns the facts of any log.
func newFacts() *facts {
	r := &facts{}
	// Without a configuration there is nothing that could be wrong; were there, the
	// checks would only be missing.
	r.log, _ = deterministic.ForLog([]deterministic.Config{{Type: "schema_check"}, {Type: deterministic.ExpectedCallMatch}})
	r.schema, _ = deterministic.New("schema_check", value.Value{})
	r.accuracy, _ = deterministic.New("function_call_accuracy", value.Value{})
	return r
}

// Of returns what the deterministic side knows about the calls of a conversation,
// for the checks on a judge's answers. It is found out when it is first asked for.
func (r *facts) Of(c *transcript.Conversation) func(int) judges.Facts {
	known := sync.OnceValue(func() map[int]judges.Facts { return r.all(c) })
	return func(call int) judges.Facts {
		f := known()[call]
		f.SchemaErrorOf = r.schemaError
		return f
	}
}

func (r *facts) all(c *transcript.Conversation) map[int]judges.Facts {
	facts := map[int]judges.Facts{}
	if p := newPrerequisites(c); len(p.failed) > 0 {
		for _, i := range judges.AllCalls(c) {
			if failed := p.of(i); failed != "" {
				facts[i] = judges.Facts{FailedPrerequisite: failed}
			}
		}
	}
	if r.log == nil {
		return facts
	}
	expected := ofTheAgent(c.Expected)
	for _, s := range r.log.Score(c) {
		if s.CallIndex == nil || s.Status != score.Scored {
			continue
		}
		f := facts[*s.CallIndex]
		switch s.Name {
		case "schema_check":
			if s.Passed != nil && !*s.Passed {
				f.SchemaError = s.Explanation
			}
		case deterministic.ExpectedCallMatch:
			at, ok := s.Details.Field("expected_index").Int64()
			if ok && at >= 0 && int(at) < len(expected) {
				f.Expected = &expected[at]
				f.Likeness = r.likeness(f.Expected)
			}
		}
		facts[*s.CallIndex] = f
	}
	return facts
}

// ofTheAgent are the expected calls that scorers count: the simulated user's are not
// among them.
func ofTheAgent(e *transcript.Expected) []transcript.ExpectedCall {
	if e == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Calls), func(call transcript.ExpectedCall) bool { return call.Requestor == "user" })
}

// schemaError says why arguments break a tool's schema, "" where they keep it or
// nothing is known of it.
func (r *facts) schemaError(tool *transcript.Tool, arguments value.Value) string {
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
func (r *facts) likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
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
