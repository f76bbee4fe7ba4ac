package score

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/value"
)

// Parse reads one line of the stream. Unknown keys are ignored. The error names
// the field.
func Parse(line []byte) (Score, error) {
	obj, err := value.Parse(line)
	if err != nil {
		return Score{}, err
	}
	if obj.Kind() != value.Object {
		return Score{}, fmt.Errorf("must be an object, is %s", obj.Kind())
	}
	var d decoder
	s := Score{}
	for key, v := range obj.Members() {
		d.member(&s, key, v)
	}
	if d.err == nil {
		d.err = s.Check()
	}
	if d.err != nil {
		return Score{}, d.err
	}
	return s, nil
}

// decoder keeps the first mistake.
type decoder struct{ err error }

func (d *decoder) member(s *Score, key string, v value.Value) {
	switch key {
	case "conversation_id":
		s.ConversationID = d.text(key, v)
	case "call_index":
		s.CallIndex = d.index(key, v)
	case "call_id":
		s.CallID = d.text(key, v)
	case "tool":
		s.Tool = d.text(key, v)
	case "place":
		s.Place = d.text(key, v)
	case "name":
		s.Name = d.text(key, v)
	case "metric":
		s.Metric = d.text(key, v)
	case "source":
		s.Source = Source(d.text(key, v))
	case "judge":
		s.Judge = d.text(key, v)
	case "rubric_sha":
		s.RubricSHA = d.text(key, v)
	case "status":
		s.Status = Status(d.text(key, v))
	case "value":
		s.Value = d.number(key, v)
	case "passed":
		s.Passed = d.truth(key, v)
	default:
		d.remark(s, key, v)
	}
}

// remark reads the members that explain a score.
func (d *decoder) remark(s *Score, key string, v value.Value) {
	switch key {
	case "label":
		s.Label = d.text(key, v)
	case "explanation":
		s.Explanation = d.text(key, v)
	case "evidence":
		s.Evidence = d.text(key, v)
	case "confidence":
		s.Confidence = d.number(key, v)
	case "correction":
		s.Correction = v
	case "flags":
		s.Flags = d.flags(v)
	case "details":
		s.Details = v
	case "purpose":
		s.Purpose = d.text(key, v)
	case "error":
		s.Error = d.failure(v)
	}
}

func (d *decoder) fail(key, want string, v value.Value) {
	if d.err == nil {
		d.err = fmt.Errorf("%s: must be %s, is %s", key, want, v.Kind())
	}
}

func (d *decoder) text(key string, v value.Value) string {
	if v.IsNull() {
		return ""
	}
	s, ok := v.Str()
	if !ok {
		d.fail(key, "a string", v)
	}
	return s
}

func (d *decoder) number(key string, v value.Value) *float64 {
	if v.IsNull() {
		return nil
	}
	f, ok := v.Float64()
	if !ok {
		d.fail(key, "a number or null", v)
		return nil
	}
	return &f
}

func (d *decoder) index(key string, v value.Value) *int {
	if v.IsNull() {
		return nil
	}
	i, ok := v.Int64()
	if !ok || i < 0 || i > math.MaxInt32 {
		d.fail(key, "a whole number from 0 or null", v)
		return nil
	}
	n := int(i)
	return &n
}

func (d *decoder) truth(key string, v value.Value) *bool {
	if v.IsNull() {
		return nil
	}
	b, ok := v.BoolVal()
	if !ok {
		d.fail(key, "true, false or null", v)
		return nil
	}
	return &b
}

func (d *decoder) flags(v value.Value) []Flag {
	if v.IsNull() {
		return nil
	}
	if v.Kind() != value.List {
		d.fail("flags", "an array", v)
		return nil
	}
	var out []Flag
	for i, f := range v.Elements() {
		if f.Kind() != value.Object {
			d.fail(fmt.Sprintf("flags[%d]", i), "an object", f)
			return nil
		}
		severity, ok := f.Field("severity").Int64()
		if (!ok || severity < 0 || severity > maxSeverity) && d.err == nil {
			d.err = fmt.Errorf("flags[%d].severity: must be 1 or 2", i)
		}
		out = append(out, Flag{
			Code:     d.text(fmt.Sprintf("flags[%d].code", i), f.Field("code")),
			Severity: int(severity),
			Detail:   d.text(fmt.Sprintf("flags[%d].detail", i), f.Field("detail")),
		})
	}
	return out
}

func (d *decoder) failure(v value.Value) *Failure {
	if v.IsNull() {
		return nil
	}
	if v.Kind() != value.Object {
		d.fail("error", "an object or null", v)
		return nil
	}
	return &Failure{
		Kind:    d.text("error.kind", v.Field("kind")),
		Message: d.text("error.message", v.Field("message")),
	}
}
