package run

import (
	"sync"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// facts looks up what the schemas and expected calls of a conversation say about its calls, to
// check the judges' answers. Judges never see it, and it does not depend on the run's scorers. It
// is safe for concurrent use.
type facts struct{ log *deterministic.Log }

func newFacts() *facts {
	log, err := deterministic.ForLog(nil)
	if err != nil {
		panic("scorers without a configuration: " + err.Error())
	}
	return &facts{log}
}

// of returns a function with what is known about a conversation's calls. Its first call computes
// everything.
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
	for i, k := range f.log.Known(c) {
		known := judges.Facts{SchemaError: k.SchemaError}
		if k.Expected != nil {
			known.Expected, known.Likeness = k.Expected, likeness(k.Expected)
		}
		out[i] = known
	}
	return out
}

// likeness returns a function that returns the share of an expected call that another call matches.
func likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
	return func(name string, arguments value.Value) (float64, bool) {
		return deterministic.Likeness(&transcript.Call{Name: name, Arguments: arguments}, e), true
	}
}
