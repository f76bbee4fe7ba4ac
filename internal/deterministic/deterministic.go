// Package deterministic owns the scorers that need no judgement: the same calls and
// the same reference always give the same score, computed in memory. They are what
// a judge is compared with. Each scorer is one file: what people read about it, its
// settings, how it reads a case and how it reads a conversation of a log.
//
// It promises that scorers are pure (no clock, no network, no files) and safe for
// concurrent use, that a scorer that was set up wrongly gives an error and never a
// score, and that every call of a log is either scored or explains why it is not.
package deterministic

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// Input is a case. The forms of each part are those that a scorer's Spec lists: null
// means "not given".
type Input struct {
	// Actual is what the agent did: calls, a trace, messages, events, a final state
	// or a judge's reply.
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
	// Score is in [0, 1] unless the scorer's Spec describes another range; nil where the
	// scorer has an answer but no number (undefined, see Reason).
	Score *float64
	// Passed is nil where the scorer has no notion of passing.
	Passed *bool
	// Fields are the scorer's own outputs in their documented order, without
	// "score", "passed" and "reason".
	Fields []value.Member
	// Reason describes in words for people why the score is what it is.
	Reason string
	// layers are those of the fields that are verdicts of their own, never one number.
	layers []value.Member
}

// object returns the result as one JSON object: score, passed where there is one,
// the fields, and the reason where there is one.
func (r Result) object() value.Value {
	members := make([]value.Member, 0, len(r.Fields)+3)
	score := value.Value{}
	if r.Score != nil {
		score = value.OfFloat(*r.Score)
	}
	members = append(members, field("score", score))
	if r.Passed != nil {
		members = append(members, boolField("passed", *r.Passed))
	}
	members = append(members, r.Fields...)
	if r.Reason != "" {
		members = append(members, field("reason", value.OfString(r.Reason)))
	}
	return value.OfObject(members...)
}

// scored is a result with a number.
func scored(score float64, reason string, fields ...value.Member) Result {
	return Result{Score: &score, Reason: reason, Fields: fields}
}

// yesNo is the result of a scorer that only knows 1 and 0.
func yesNo(ok bool, reason string, fields ...value.Member) Result {
	return scored(boolScore(ok), reason, fields...)
}

// passFail is yesNo that also reports whether it passes.
func passFail(ok bool, reason string, fields ...value.Member) Result {
	r := yesNo(ok, reason, fields...)
	r.Passed = &ok
	return r
}

func boolScore(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// The outputs of results by kind.
func field(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }

func textField(key, text string) value.Member { return field(key, value.OfString(text)) }

func boolField(key string, b bool) value.Member { return field(key, value.OfBool(b)) }

func intField(key string, n int) value.Member { return field(key, value.OfInt(int64(n))) }

func floatField(key string, f float64) value.Member { return field(key, value.OfFloat(f)) }

func listField(key string, list []value.Value) value.Member { return field(key, value.OfList(list...)) }

func namesField(key string, names []string) value.Member {
	list := make([]value.Value, len(names))
	for i, name := range names {
		list[i] = value.OfString(name)
	}
	return listField(key, list)
}

// optionalIndex is an index, null where it is negative.
func optionalIndex(key string, i int) value.Member {
	if i < 0 {
		return field(key, value.Value{})
	}
	return intField(key, i)
}

// The kinds of errors.
const (
	// configKind: the scorer was set up wrongly, or the expected side or the tools
	// are missing or unreadable.
	configKind = "config"
	// judgeReplyKind: a judge's reply could not be read.
	judgeReplyKind = "judge_reply"
)

// Error explains why there is no score.
type Error struct {
	// Kind is "config" or "judge_reply".
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

// configError returns an error that names a field of the configuration or input.
func configError(field, format string, args ...any) *Error {
	return &Error{Kind: configKind, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Scorer scores one item. It is pure and safe for concurrent use.
type Scorer interface {
	// Score scores a case. The error is an *Error.
	Score(Input) (Result, error)
	spec() Spec
	// settings binds the scorer's settings; their defaults are set.
	settings() []Setting
	// log scores a conversation of a log.
	log(*view) []outcome
}

// Spec is what people need to know of a scorer. The page docs/scorers.md and the
// schema of judge.yaml are written from it.
type Spec struct {
	Name string
	// Level is what one score is about: "conversation", "call" or "reply".
	Level string
	// Summary is one sentence.
	Summary string
	// Actual, Expected and Tools are the input forms of a case; "" is not read.
	Actual, Expected, Tools string
	// Outputs are the fields of a result beside score, passed and reason.
	Outputs string
	// Logs is where the input comes from when a log is scored.
	Logs     string
	Settings []Setting
}

// The forms that several scorers read.
const (
	callsForm = "calls in any form: an object or a list of them (name with arguments, parameters, input or args; " +
		"OpenAI, Anthropic, Gemini), messages with calls, JSON text of these, or Python call text such as `f(a=1)`"
	expectedForm = "calls in any form; `[]` means that no call is right, null is an error"
	toolsForm    = "tool definitions: `{name, parameters}` with a JSON Schema under parameters, input_schema or " +
		"inputSchema, or inside function"
	pairLogs = "the agent's calls against the expected calls of the log"
	callLogs = "every call against the tool inventory"
)

// fresh returns every scorer, in the order in which reports list them. A new scorer is
// one file and one entry here.
func fresh() []Scorer {
	return []Scorer{
		&coverage{}, &accuracy{}, &exactMatch{}, &validation{}, &nameMatch{}, &toolCalls{}, &schemaCheck{},
		&astEquivalence{}, &execution{}, &threeLayer{}, &trajectory{}, &rubricVerdict{}, &relevance{}, &recovery{},
		&efficiency{}, &expectedMatch{},
	}
}

// Specs returns the description of every scorer.
func Specs() []Spec {
	var out []Spec
	for _, s := range fresh() {
		spec := s.spec()
		spec.Settings = s.settings()
		out = append(out, spec)
	}
	return out
}

// Names returns the names of all scorers.
func Names() []string {
	var names []string
	for _, s := range fresh() {
		names = append(names, s.spec().Name)
	}
	return names
}

// New makes the scorer of a name with its configuration, an object or null. Hyphens may
// stand for underscores in the name. An unknown name and an unknown key are errors that
// name the nearest known one.
func New(name string, config value.Value) (Scorer, error) {
	s, err := find(name)
	if err == nil {
		err = configure(s, config)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// find returns a scorer of a name that is not configured yet.
func find(name string) (Scorer, error) {
	known := strings.ReplaceAll(name, "-", "_")
	for _, s := range fresh() {
		if s.spec().Name == known {
			return s, nil
		}
	}
	return nil, configError("scorer", "%.60q is unknown%s", name, hint(known, Names()))
}

// hint names the nearest known word, when one is near.
func hint(word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(known) > 0 {
		return "; known are " + strings.Join(known, ", ")
	}
	return ""
}
