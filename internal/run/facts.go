package run

import (
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// facts finds out what is known, with a scorer for each question. It is safe for
// concurrent use.
type facts struct{ log *deterministic.Log }

// newFacts returns the facts of any log.
func newFacts() *facts {
	r := &facts{}
	// Without a configuration there is nothing that could be wrong; were there, the
	// checks would only be missing.
	r.log, _ = deterministic.ForLog([]deterministic.Config{{Type: "schema_check"}, {Type: deterministic.ExpectedCallMatch}})
	return r
}

// Of returns what the deterministic side knows about the calls of a conversation,
// for the checks on a judge's answers. It is found out when it is first asked for.
func (r *facts) Of(c *transcript.Conversation) func(int) judges.Facts {
	known := sync.OnceValue(func() map[int]judges.Facts { return r.all(c) })
	return func(call int) judges.Facts {
		f := known()[call]
		if r.log != nil {
			f.SchemaErrorOf = r.log.SchemaError
		}
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
				f.Likeness = likeness(f.Expected)
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

// likeness returns how much of an expected call another call makes.
func likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
	return func(name string, arguments value.Value) (float64, bool) {
		return deterministic.Likeness(&transcript.Call{Name: name, Arguments: arguments}, e), true
	}
}
