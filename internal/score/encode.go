package score

import (
	"fmt"
	"math"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// Check reports what makes s no score: a value without the status scored or the
// other way round, a number that is not finite, a name that is missing.
func (s *Score) Check() error {
	switch {
	case s.ConversationID == "":
		return fmt.Errorf("conversation_id: must not be empty")
	case s.Name == "":
		return fmt.Errorf("name: must not be empty")
	case s.CallIndex != nil && *s.CallIndex < 0:
		return fmt.Errorf("call_index: must be 0 or more, or null")
	case !knownSource(s.Source):
		return fmt.Errorf("source: %q is none of judge, deterministic, label", s.Source)
	case !knownStatus(s.Status):
		return fmt.Errorf("status: %q is none of scored, unscored, not_applicable, error", s.Status)
	case s.Status == Scored && s.Value == nil:
		return fmt.Errorf("value: is null although the status is scored")
	case s.Status != Scored && s.Value != nil:
		return fmt.Errorf("value: must be null when the status is %s", s.Status)
	case s.Status != Scored && s.Passed != nil:
		return fmt.Errorf("passed: must be null when the status is %s", s.Status)
	case s.Value != nil && !finite(*s.Value):
		return fmt.Errorf("value: %v is no finite number", *s.Value)
	case s.Confidence != nil && !finite(*s.Confidence):
		return fmt.Errorf("confidence: %v is no finite number", *s.Confidence)
	}
	for i, f := range s.Flags {
		if f.Severity < 0 || f.Severity > maxSeverity {
			return fmt.Errorf("flags[%d].severity: must be 1 or 2", i)
		}
	}
	return nil
}

// maxSeverity leaves room for severities to come.
const maxSeverity = 9

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func knownSource(s Source) bool { return s == Judge || s == Deterministic || s == Label }

func knownStatus(s Status) bool {
	return s == Scored || s == Unscored || s == NotApplicable || s == Error
}

// Append appends the score's line, without the line feed, to dst: fields in the
// order of the type, numbers in the fewest digits that read back. The score must
// pass Check.
func Append(dst []byte, s *Score) []byte {
	dst = field(dst, '{', "conversation_id", s.ConversationID)
	dst = append(dst, `,"call_index":`...)
	if s.CallIndex == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, int64(*s.CallIndex), 10)
	}
	dst = optional(dst, "call_id", s.CallID)
	dst = optional(dst, "tool", s.Tool)
	dst = optional(dst, "place", s.Place)
	dst = field(dst, ',', "name", s.Name)
	dst = optional(dst, "metric", s.Metric)
	dst = field(dst, ',', "source", string(s.Source))
	dst = optional(dst, "judge", s.Judge)
	dst = optional(dst, "rubric_sha", s.RubricSHA)
	dst = field(dst, ',', "status", string(s.Status))
	dst = append(dst, `,"value":`...)
	dst = number(dst, s.Value)
	dst = append(dst, `,"passed":`...)
	dst = truth(dst, s.Passed)
	dst = optional(dst, "label", s.Label)
	dst = optional(dst, "explanation", s.Explanation)
	dst = optional(dst, "evidence", s.Evidence)
	if s.Confidence != nil {
		dst = append(dst, `,"confidence":`...)
		dst = number(dst, s.Confidence)
	}
	dst = append(dst, `,"correction":`...)
	dst = value.AppendJSON(dst, s.Correction, value.Format{})
	dst = append(dst, `,"flags":`...)
	dst = flags(dst, s.Flags)
	dst = append(dst, `,"details":`...)
	dst = value.AppendJSON(dst, s.Details, value.Format{})
	dst = optional(dst, "purpose", s.Purpose)
	dst = append(dst, `,"error":`...)
	if s.Error == nil {
		return append(dst, "null}"...)
	}
	dst = field(dst, '{', "kind", s.Error.Kind)
	dst = field(dst, ',', "message", s.Error.Message)
	return append(dst, "}}"...)
}

func field(dst []byte, before byte, key, text string) []byte {
	dst = append(dst, before, '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return value.AppendQuoted(dst, text)
}

func optional(dst []byte, key, text string) []byte {
	if text == "" {
		return dst
	}
	return field(dst, ',', key, text)
}

func number(dst []byte, f *float64) []byte {
	if f == nil {
		return append(dst, "null"...)
	}
	return AppendNumber(dst, *f)
}

// AppendNumber appends a finite number as JSON in the fewest digits that read
// back; a number that is not finite becomes null.
func AppendNumber(dst []byte, f float64) []byte {
	if !finite(f) {
		return append(dst, "null"...)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

func truth(dst []byte, b *bool) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	return strconv.AppendBool(dst, *b)
}

func flags(dst []byte, all []Flag) []byte {
	dst = append(dst, '[')
	for i, f := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = field(dst, '{', "code", f.Code)
		dst = append(dst, `,"severity":`...)
		dst = strconv.AppendInt(dst, int64(f.Severity), 10)
		dst = optional(dst, "detail", f.Detail)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
