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

// facts finds out what the deterministic side knows about the calls of a conversation, for
// the checks on what judges say of them: schemas, expected calls, earlier calls that
// failed. No judge sees any of it, and it does not depend on the scorers of a run nor on
// their names. It is safe for concurrent use.
type facts struct{ log *deterministic.Log }

func newFacts() *facts {
	scorers := []deterministic.Config{{Type: "schema_check"}, {Type: deterministic.ExpectedCallMatch}}
	log, err := deterministic.ForLog(scorers)
	if err != nil {
		panic("scorers without a configuration: " + err.Error())
	}
	return &facts{log}
}

// of returns what is known about the calls of a conversation. It is found out when it is
// first asked for.
func (f *facts) of(c *transcript.Conversation) func(int) judges.Facts {
	known := sync.OnceValue(func() map[int]judges.Facts { return f.all(c) })
	return func(call int) judges.Facts {
		out := known()[call]
		out.SchemaErrorOf = f.log.SchemaError
		return out
	}
}

func (f *facts) all(c *transcript.Conversation) map[int]judges.Facts {
	out := map[int]judges.Facts{}
	if p := newPrerequisites(c); len(p.failed) > 0 {
		for _, i := range judges.AllCalls(c) {
			out[i] = judges.Facts{FailedPrerequisite: p.of(i)}
		}
	}
	var expected []transcript.ExpectedCall
	if c.Expected != nil {
		// Scorers do not count those of the simulated user.
		expected = slices.DeleteFunc(slices.Clone(c.Expected.Calls), func(e transcript.ExpectedCall) bool {
			return e.Requestor == "user"
		})
	}
	for _, s := range f.log.Score(c) {
		if s.CallIndex == nil || s.Status != score.Scored {
			continue
		}
		known := out[*s.CallIndex]
		at, ok := s.Details.Field("expected_index").Int64()
		switch {
		case s.Name == "schema_check" && s.Passed != nil && !*s.Passed:
			known.SchemaError = s.Explanation
		case s.Name == deterministic.ExpectedCallMatch && ok && at >= 0 && int(at) < len(expected):
			known.Expected = &expected[at]
			known.Likeness = likeness(known.Expected)
		}
		out[*s.CallIndex] = known
	}
	return out
}

// likeness returns how much of an expected call another call makes.
func likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
	return func(name string, arguments value.Value) (float64, bool) {
		return deterministic.Likeness(&transcript.Call{Name: name, Arguments: arguments}, e), true
	}
}
