// Package scorer owns the seam that every deterministic scorer implements: what it
// is given, what it gives back, and how it says that it could not score. It reads calls
// out of the many forms in which agents and references write them down: OpenAI tool calls
// and messages, Responses items, Anthropic blocks, Gemini parts, JSON text, lists of
// these, Python call strings, and the traces of the coverage scorer.
//
// It promises that an error is never a score: a Result exists only where there is
// an answer; and that reading never fails and never loses a call: what stands where a
// call must stand and cannot be read comes out as one unreadable call, which is
// counted, has no name and matches nothing; arguments that cannot be read come out
// as {} with the Malformed flag.
package scorer

import (
	"fmt"

	"github.com/judgekit/judge/internal/value"
)

// Input is what a scorer looks at. The forms of each part are those of the case
// files: null means "not given".
type Input struct {
	// Actual is what the agent did: calls, a trace, messages, events, a final state
	// or a judge's reply, as the scorer's documentation says.
	Actual value.Value
	// Expected is the reference in the same forms.
	Expected value.Value
	// Tools is the list of tool definitions.
	Tools value.Value
	// Sample is the row's free fields, for templates.
	Sample value.Value
}

// Result is a scorer's answer.
type Result struct {
	// Score is in [0, 1] unless the scorer's documentation says otherwise; nil
	// where the scorer has an answer but no number (undefined, see Reason).
	Score *float64
	// Passed is nil where the scorer has no notion of passing.
	Passed *bool
	// Fields are the scorer's own outputs in their documented order, without
	// "score", "passed" and "reason".
	Fields []value.Member
	// Reason says in words for people why the score is what it is.
	Reason string
}

// Object returns the result as one JSON object: score, passed where there is one,
// the fields, and the reason where there is one.
func (r Result) Object() value.Value {
	members := make([]value.Member, 0, len(r.Fields)+3)
	score := value.Value{}
	if r.Score != nil {
		score = value.OfFloat(*r.Score)
	}
	members = append(members, value.Member{Key: "score", Value: score})
	if r.Passed != nil {
		members = append(members, value.Member{Key: "passed", Value: value.OfBool(*r.Passed)})
	}
	members = append(members, r.Fields...)
	if r.Reason != "" {
		members = append(members, value.Member{Key: "reason", Value: value.OfString(r.Reason)})
	}
	return value.OfObject(members...)
}

// Scorer scores one item. Implementations are pure and safe for concurrent use.
type Scorer interface {
	// Score returns the answer, or an *Error.
	Score(Input) (Result, error)
}

// The kinds of errors.
const (
	// ConfigError: the scorer was set up wrongly, or the expected side or the tools
	// are missing or unreadable.
	ConfigError = "config"
	// JudgeReplyError: a judge's reply could not be read.
	JudgeReplyError = "judge_reply"
)

// Error says why there is no score.
type Error struct {
	Kind string
	// Field is the part of the configuration or input that is wrong, as
	// "required[2].name"; "" where none can be named.
	Field   string
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Config returns a ConfigError that names a field of the configuration.
func Config(field, format string, args ...any) *Error {
	return &Error{Kind: ConfigError, Field: field, Message: fmt.Sprintf(format, args...)}
}
