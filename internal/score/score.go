// Package score defines the one record that judges, deterministic scorers and labels all write, and
// its versioned JSONL stream.
//
// It promises that a missing score is never a number: value is null unless the status is scored,
// and NaN and infinity are refused. It knows nothing about where a score came from, except for its
// source field.
package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/value"
)

// streamSchema is the version of the stream; its first line names it.
const streamSchema = "judge.scores/v1"

// Source is the kind of instrument that made a score.
type Source string

// The sources.
const (
	Judge         Source = "judge"
	Deterministic Source = "deterministic"
	Label         Source = "label"
)

// Status says whether there is a value.
type Status string

// The statuses. Unscored is neither 0 nor fail: a judgement was wanted but could not be obtained.
// NotApplicable says that the scorer has nothing to say here (no expected calls, no such tool).
// Error says that the scorer's configuration is wrong or the scorer failed.
const (
	Scored        Status = "scored"
	Unscored      Status = "unscored"
	NotApplicable Status = "not_applicable"
	Error         Status = "error"
)

// The scopes of judges' scores; "" is the scope of a call before it happens.
const (
	ScopeResult       = "result"
	ScopeTurn         = "turn"
	ScopeConversation = "conversation"
)

// Flag is a remark on a score that does not change it.
type Flag struct {
	Code string `json:"code"`
	// Severity is 1 (look at it) or 2 (escalates).
	Severity int    `json:"severity"`
	Detail   string `json:"detail,omitempty"`
}

// Failure says why there is no value.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// CountedAs is the member of a score's details with the number that the log's benchmark counts for
// an item that is not applicable.
const CountedAs = "counted_as"

// Score is one line of the stream. The order of the fields is the order in the
// file.
type Score struct {
	ConversationID string `json:"conversation_id"`
	// CallIndex is nil for a score of a turn or of the whole conversation.
	CallIndex *int `json:"call_index"`
	// Turn counts from 1; it is 0 except for scope turn. Scope is "result", "turn" or
	// "conversation" for a judge's score that is not about a call before it happens.
	Turn   int    `json:"turn,omitempty"`
	Scope  string `json:"scope,omitempty"`
	CallID string `json:"call_id,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Place is the item's place in the logs, such as "support.jsonl:3".
	Place string `json:"place,omitempty"`
	// Name is the rubric, scorer or label. Metric names a further number of the same scorer; it is
	// empty for the main score.
	Name      string `json:"name"`
	Metric    string `json:"metric,omitempty"`
	Source    Source `json:"source"`
	Judge     string `json:"judge,omitempty"`
	RubricSHA string `json:"rubric_sha,omitempty"`
	Status    Status `json:"status"`
	// Value is nil unless Status is Scored. Rubrics use their own scale.
	Value *float64 `json:"value"`
	// Passed is nil if there is no value or no threshold.
	Passed *bool  `json:"passed"`
	Label  string `json:"label,omitempty"`
	// Category is the answer to a rubric with categories.
	Category    string   `json:"category,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	// Correction is the judge's corrected call, or null.
	Correction value.Value `json:"correction"`
	Flags      []Flag      `json:"flags"`
	// Details is an object with a scorer's own outputs, under the names in its documentation.
	Details value.Value `json:"details"`
	// Purpose is "qa" for scores that are reported separately and enter no mean.
	Purpose string   `json:"purpose,omitempty"`
	Error   *Failure `json:"error"`
}

// Check returns an error if s is not a valid score: a value without the status scored or the
// opposite, a number that is not finite, a missing name.
func (s *Score) Check() error {
	switch {
	case s.ConversationID == "":
		return errors.New("conversation_id: must not be empty")
	case s.Name == "":
		return errors.New("name: must not be empty")
	case s.CallIndex != nil && (*s.CallIndex < 0 || *s.CallIndex > math.MaxInt32):
		return errors.New("call_index: must be 0 or more, or null")
	case s.Turn < 0 || s.Turn > math.MaxInt32 || (s.Turn > 0) != (s.Scope == ScopeTurn):
		return errors.New("turn: must be 1 or more for scope turn, and absent for others")
	case s.Scope != "" && s.Scope != ScopeResult && s.Scope != ScopeTurn && s.Scope != ScopeConversation:
		return fmt.Errorf("scope: %q is not one of result, turn, conversation", s.Scope)
	case s.Source != Judge && s.Source != Deterministic && s.Source != Label:
		return fmt.Errorf("source: %q is not one of judge, deterministic, label", s.Source)
	case s.Status != Scored && s.Status != Unscored && s.Status != NotApplicable && s.Status != Error:
		return fmt.Errorf("status: %q is not one of scored, unscored, not_applicable, error", s.Status)
	case s.Status == Scored && s.Value == nil:
		return errors.New("value: is null although the status is scored")
	case s.Status != Scored && s.Value != nil:
		return fmt.Errorf("value: must be null when the status is %s", s.Status)
	case s.Status != Scored && s.Passed != nil:
		return fmt.Errorf("passed: must be null when the status is %s", s.Status)
	case s.Value != nil && !finite(*s.Value):
		return fmt.Errorf("value: %v is not a finite number", *s.Value)
	case s.Confidence != nil && !finite(*s.Confidence):
		return fmt.Errorf("confidence: %v is not a finite number", *s.Confidence)
	}
	for i, f := range s.Flags {
		if f.Severity < 0 || f.Severity > maxSeverity {
			return fmt.Errorf("flags[%d].severity: must be 1 or 2", i)
		}
	}
	return nil
}

// maxSeverity leaves room for future severities.
const maxSeverity = 9

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
