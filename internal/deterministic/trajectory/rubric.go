package trajectory

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// rubric holds the numbers that decide a verdict: the range of output, and the
// thresholds of output; those of confidence are the same for all.
type rubric struct {
	metric    string
	low, high float64
	passFrom  float64
	integer   bool
}

// rubricVerdict is rubric_verdict with its rubric.
type rubricVerdict struct {
	rubric
	answers *schema.Schema
}

var rubrics = []rubric{
	{"function_intent_alignment", 1, 5, 3, true},
	{"parameter_completeness_consistency", 1, 5, 3, true},
	{"prerequisite_satisfaction", 0, 1, 1, true},
	{"overall_call_correctness", 0, 1, 0.7, false},
}

// A confidence from confidentFrom to 1 makes a verdict important.
const confidentFrom = 0.7

// NewRubricVerdict returns the scorer rubric_verdict. Its one setting is metric, the
// name of a rubric. Actual is a judge's reply, an object or the JSON text of one;
// anything else is an error of the kind judge_reply. Results have important,
// correct, issue, normalized (null unless output is a number) and schema_valid;
// the score is normalized.
func NewRubricVerdict(config value.Value) (scorer.Scorer, error) {
	s := readSettings(config)
	if s.Err != nil {
		return nil, s.Err
	}
	name, _ := config.Field("metric").Str()
	known := make([]string, 0, len(rubrics))
	for i := range rubrics {
		if rubrics[i].metric == name {
			answers, err := rubrics[i].schema()
			return &rubricVerdict{rubrics[i], answers}, err
		}
		known = append(known, rubrics[i].metric)
	}
	return nil, scorer.Config("metric", "is %.60s, must be one of %s", config.Field("metric").JSON(), strings.Join(known, ", "))
}

// Score implements scorer.Scorer.
func (r *rubricVerdict) Score(in scorer.Input) (scorer.Result, error) {
	reply := in.Actual
	if text, ok := reply.Str(); ok {
		var err error
		if reply, err = value.ParseString(text); err != nil {
			return scorer.Result{}, &scorer.Error{Kind: scorer.JudgeReplyError, Field: "actual", Message: "the judge's reply is no JSON: " + err.Error()}
		}
	}
	if reply.Kind() != value.Object {
		return scorer.Result{}, &scorer.Error{Kind: scorer.JudgeReplyError, Field: "actual", Message: fmt.Sprintf("the judge's reply is a %s, must be an object", reply.Kind())}
	}
	confidence, readable := number(reply, "confidence")
	important := readable && confidence >= confidentFrom && confidence <= 1
	output, readable := number(reply, "output")
	correct := !important || readable && output >= r.passFrom && output <= r.high
	fields := []value.Member{
		{Key: "important", Value: value.OfBool(important)},
		{Key: "correct", Value: value.OfBool(correct)},
		{Key: "issue", Value: value.OfBool(important && !correct)},
	}
	res := scorer.Result{Reason: r.reason(important, correct)}
	normalized := value.Value{}
	if exact, ok := reply.Field("output").Float64(); ok {
		score := (exact - r.low) / (r.high - r.low)
		res.Score, normalized = &score, value.OfFloat(score)
	}
	broken, err := r.answers.Validate(reply)
	if err != nil {
		return scorer.Result{}, err
	}
	res.Fields = append(fields, value.Member{Key: "normalized", Value: normalized},
		value.Member{Key: "schema_valid", Value: value.OfBool(len(broken) == 0)})
	return res, nil
}

func (r *rubric) reason(important, correct bool) string {
	switch {
	case !important:
		return fmt.Sprintf("confidence is not within %v to 1, so the verdict does not count", confidentFrom)
	case correct:
		return fmt.Sprintf("output is within %v to %v", r.passFrom, r.high)
	}
	return fmt.Sprintf("output is not within %v to %v", r.passFrom, r.high)
}

// number reads a field as Python's float does: numbers, bools, numeric strings; 0
// when it is missing.
func number(reply value.Value, key string) (float64, bool) {
	v, given := reply.Get(key)
	if !given {
		return 0, true
	}
	switch v.Kind() {
	case value.Int, value.Float:
		f, err := strconv.ParseFloat(v.Text(), 64)
		return f, err == nil || v.Kind() == value.Float
	case value.Bool:
		if b, _ := v.BoolVal(); b {
			return 1, true
		}
		return 0, true
	case value.String:
		return pythonFloat(v.Text())
	}
	return 0, false
}

// pythonFloat reads a text as Python's float() does: blanks around, single
// underscores between digits, inf and nan; no hexadecimal.
func pythonFloat(s string) (float64, bool) {
	s = value.ASCIIDigits(strings.TrimSpace(s))
	if strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	for i, c := range s {
		if c == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return f, err == nil || math.IsInf(f, 0)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// schema is the rubric's JSON schema of a reply: the five fields with their types
// and ranges. Further fields are allowed.
func (r *rubric) schema() (*schema.Schema, error) {
	kind := "number"
	if r.integer {
		kind = "integer"
	}
	source, err := value.ParseString(fmt.Sprintf(`{"type":"object","required":["explanation","evidence","output","confidence","correction"],
		"properties":{"explanation":{"type":"string"},"evidence":{"type":"string"},"correction":{"type":"object"},
		"output":{"type":%q,"minimum":%g,"maximum":%g},"confidence":{"type":"number","minimum":0,"maximum":1}}}`, kind, r.low, r.high))
	if err != nil {
		return nil, err
	}
	return schema.Compile(source, schema.Config{})
}
