package deterministic

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// rubricScale holds the numbers that decide a verdict: the range of output, and the
// least output that passes; the thresholds of confidence are the same for all.
type rubricScale struct {
	metric              string
	low, high, passFrom float64
	integer             bool
}

var rubricScales = []rubricScale{
	{"function_intent_alignment", 1, 5, 3, true},
	{"parameter_completeness_consistency", 1, 5, 3, true},
	{"prerequisite_satisfaction", 0, 1, 1, true},
	{"overall_call_correctness", 0, 1, 0.7, false},
}

// A confidence from confidentFrom to 1 makes a verdict important.
const confidentFrom = 0.7

// rubricVerdict is rubric_verdict: the deterministic reading of a judge's reply, an
// object or the JSON text of one; anything else is an error of the kind judge_reply.
// Results have important, correct, issue, normalized (null unless output is a number)
// and schema_valid; the score is normalized.
type rubricVerdict struct {
	metric string
	rubricScale
	answers *schema.Schema
}

func (*rubricVerdict) spec() Spec {
	return Spec{
		Name: "rubric_verdict", Level: "reply",
		Says:    "what a judge's reply comes to under a rubric's thresholds",
		Actual:  "the reply: an object, or JSON text of one",
		Outputs: "important, correct, issue, normalized, schema_valid",
		Logs:    "never: it reads a judge's reply",
	}
}

func (r *rubricVerdict) settings() []Setting {
	var names []string
	for _, scale := range rubricScales {
		names = append(names, scale.metric)
	}
	return []Setting{optional("metric", &r.metric, "required: the rubric", names...)}
}

func (r *rubricVerdict) ready() (err error) {
	at := slices.IndexFunc(rubricScales, func(scale rubricScale) bool { return scale.metric == r.metric })
	if at < 0 {
		return configError("metric", "is missing: name the rubric, such as %s", rubricScales[0].metric)
	}
	r.rubricScale = rubricScales[at]
	r.answers, err = r.schema()
	return err
}

func (*rubricVerdict) log(*view) []outcome {
	return notApplicable("it reads a judge's reply, not a conversation")
}

// Score implements Scorer.
func (r *rubricVerdict) Score(in Input) (Result, error) {
	reply := in.Actual
	if text, ok := reply.Str(); ok {
		var err error
		if reply, err = value.ParseString(text); err != nil {
			return Result{}, &Error{judgeReplyKind, "actual", "the judge's reply is no JSON: " + err.Error()}
		}
	}
	if reply.Kind() != value.Object {
		message := fmt.Sprintf("the judge's reply is a %s, must be an object", reply.Kind())
		return Result{}, &Error{judgeReplyKind, "actual", message}
	}
	confidence, readable := replyNumber(reply, "confidence")
	important := readable && confidence >= confidentFrom && confidence <= 1
	output, readable := replyNumber(reply, "output")
	correct := !important || readable && output >= r.passFrom && output <= r.high
	broken, err := r.answers.Validate(reply)
	if err != nil {
		return Result{}, err
	}
	res := Result{Reason: r.reason(important, correct)}
	normalized := value.Value{}
	if exact, ok := reply.Field("output").Float64(); ok {
		score := (exact - r.low) / (r.high - r.low)
		res.Score, normalized = &score, value.OfFloat(score)
	}
	res.Fields = []value.Member{
		boolField("important", important), boolField("correct", correct), boolField("issue", important && !correct),
		field("normalized", normalized), boolField("schema_valid", len(broken) == 0),
	}
	return res, nil
}

func (r *rubricScale) reason(important, correct bool) string {
	switch {
	case !important:
		return fmt.Sprintf("confidence is not within %v to 1, so the verdict does not count", confidentFrom)
	case correct:
		return fmt.Sprintf("output is within %v to %v", r.passFrom, r.high)
	}
	return fmt.Sprintf("output is not within %v to %v", r.passFrom, r.high)
}

// replyNumber reads a field as Python's float does: numbers, bools, numeric strings; 0
// when it is missing.
func replyNumber(reply value.Value, key string) (float64, bool) {
	v, given := reply.Get(key)
	if !given {
		return 0, true
	}
	switch v.Kind() {
	case value.Int, value.Float:
		f, err := strconv.ParseFloat(v.Text(), 64)
		return f, err == nil || v.Kind() == value.Float
	case value.Bool:
		b, _ := v.BoolVal()
		return boolScore(b), true
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
func (r *rubricScale) schema() (*schema.Schema, error) {
	kind := "number"
	if r.integer {
		kind = "integer"
	}
	source, err := value.ParseString(fmt.Sprintf(`{"type":"object",
		"required":["explanation","evidence","output","confidence","correction"],
		"properties":{"explanation":{"type":"string"},"evidence":{"type":"string"},"correction":{"type":"object"},
		"output":{"type":%q,"minimum":%g,"maximum":%g},"confidence":{"type":"number","minimum":0,"maximum":1}}}`,
		kind, r.low, r.high))
	if err != nil {
		return nil, err
	}
	return schema.Compile(source, schema.Config{})
}
