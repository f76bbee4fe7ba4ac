// Package deterministic holds the scorers that need no judgement: the same calls and the same
// reference always give the same score, computed in memory. Judges are compared with them. Each
// scorer is one file: its settings, how it reads a case and how it reads a conversation of a log;
// docs/scorers.md describes it for users.
//
// It promises that scorers are pure (no clock, no network, no files) and safe for concurrent use,
// that a wrong configuration gives an error and never a score, and that every call of a log is
// either scored or gets a reason why it is not.
package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Input is a case. docs/scorers.md lists the forms of each part for each scorer; null means "not
// given".
type Input struct {
	// Actual is what the agent did: calls, a trace, messages, events, a final state or a judge's
	// reply.
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
	// Score is in [0, 1] unless docs/scorers.md says otherwise; nil if the scorer has an answer
	// without a number (undefined, see Reason).
	Score *float64
	// Passed is nil if the scorer has no verdict.
	Passed *bool
	// Fields are the scorer's own outputs in their documented order, without "score", "passed" and
	// "reason".
	Fields []value.Member
	// Reason says why the score is what it is.
	Reason string
	// layers holds the fields that are verdicts of their own and never become one number.
	layers []value.Member
}

// object returns the result as a JSON object: score, passed if it has one, the fields, and the
// reason if it has one.
func (r Result) object() value.Value {
	members := make([]value.Member, 0, len(r.Fields)+3)
	score := value.Value{}
	if r.Score != nil {
		score = value.OfFloat(*r.Score)
	}
	members = append(members, field("score", score))
	if r.Passed != nil {
		members = append(members, field("passed", *r.Passed))
	}
	members = append(members, r.Fields...)
	if r.Reason != "" {
		members = append(members, field("reason", r.Reason))
	}
	return value.OfObject(members...)
}

// scored returns a result with a number.
func scored(score float64, reason string, fields ...value.Member) Result {
	return Result{Score: &score, Reason: reason, Fields: fields}
}

// yesNo returns the result of a scorer whose score is 1 or 0.
func yesNo(ok bool, reason string, fields ...value.Member) Result {
	return scored(boolScore(ok), reason, fields...)
}

// passFail is like yesNo, and sets Passed.
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

// field returns an output with a value that value.Of accepts.
func field(key string, v any) value.Member { return value.Member{Key: key, Value: value.Of(v)} }

// floatField is like field, without an allocation.
func floatField(key string, f float64) value.Member {
	return value.Member{Key: key, Value: value.OfFloat(f)}
}

// optionalIndex returns an index, or null if it is negative.
func optionalIndex(key string, i int) value.Member {
	if i < 0 {
		return field(key, value.Value{})
	}
	return field(key, i)
}

// The kinds of errors.
const (
	// configKind: the configuration is wrong, or the expected side or the tools are missing or
	// unreadable, or the actual side is missing or has a wrong type.
	configKind = "config"
	// judgeReplyKind: a judge's reply could not be read.
	judgeReplyKind = "judge_reply"
	// unreadableKind: the actual side looks like a call but cannot be parsed.
	unreadableKind = "unreadable_call"
	// inTextKind: the calls of a log may be in the agent's texts, which were not read.
	inTextKind = transcript.CallInText
)

// Error says why there is no score.
type Error struct {
	// Kind is "config", "judge_reply", "unreadable_call" or "call_in_text".
	Kind string
	// Field is the wrong part of the configuration or input, such as "required[2].name"; "" if
	// there is no single part.
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

// configError returns an error about a field of the configuration or input.
func configError(field, format string, args ...any) *Error {
	return &Error{Kind: configKind, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Rule scores with one scorer's settings. It is pure and safe for concurrent use.
type Rule interface {
	// Score scores a case. The error is an *Error.
	Score(Input) (Result, error)
	// settings returns the scorer's settings, bound to it, with their defaults set.
	settings() []Setting
	// log scores a conversation of a log.
	log(*view) []outcome
}

// Scorer is a row of All: a scorer's name, what its scores mean, and how it scores.
type Scorer struct {
	Name string
	score.Facts
	// rule returns a rule whose settings are not bound yet.
	rule func() Rule
}

// Settings returns the settings of a scorer.
func (s Scorer) Settings() []Setting { return s.rule().settings() }

// Configure returns the scorer's rule with a configuration, which is an object or null. An unknown
// key is an error that names the most similar known one.
func (s Scorer) Configure(config value.Value) (Rule, error) {
	rule := s.rule()
	if err := configure(s.Name, rule, config); err != nil {
		return nil, err
	}
	return rule, nil
}

// New returns the rule with this name and configuration.
func New(name string, config value.Value) (Rule, error) {
	s, err := Find(name)
	if err != nil {
		return nil, err
	}
	return s.Configure(config)
}

// Find returns the scorer with this name, in which hyphens may replace underscores. Its error names
// the most similar one.
func Find(name string) (Scorer, error) {
	known := strings.ReplaceAll(name, "-", "_")
	if i := slices.IndexFunc(All, func(s Scorer) bool { return s.Name == known }); i >= 0 {
		return All[i], nil
	}
	return Scorer{}, configError("scorer", "%.60q is unknown%s", name, hint(known, Names()))
}

// Names returns the names of all scorers.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}

// ThatMeasure returns the names of the scorers that measure something, and of their metrics that
// do, as "scorer.metric".
func ThatMeasure(what score.Construct) []string {
	var names []string
	for _, s := range All {
		if s.Measures == what {
			names = append(names, s.Name)
		}
		for _, m := range s.Metrics {
			if m.Measures == what {
				names = append(names, s.Name+"."+m.Name)
			}
		}
	}
	return names
}

// hint names the most similar known word, if one is similar.
func hint(word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(known) > 0 {
		return "; known are " + strings.Join(known, ", ")
	}
	return ""
}
