package deterministic

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// RubricVerdict reads a judge's reply by the rubric that it answers.
var RubricVerdict = Scorer{Name: "rubric_verdict", rule: func() Rule { return new(rubricVerdict) }}

// rubricVerdict implements rubric_verdict: it reads a judge's reply without a model. The reply is
// an object or its JSON text; anything else is an error of the kind judge_reply. Results have
// important, correct, issue, normalized (null unless output is a number) and schema_valid. The
// score is normalized; it is missing if the output is not on the rubric's scale.
type rubricVerdict struct {
	metric  string
	rubric  *rubrics.Rubric
	answers *schema.Schema
}

func (r *rubricVerdict) settings() []Setting {
	return []Setting{optional("metric", &r.metric, "required: the rubric",
		rubrics.Intent, rubrics.Completeness, rubrics.Prerequisite, rubrics.Overall)}
}

func (r *rubricVerdict) validate() error {
	list, err := rubrics.Builtin()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(one *rubrics.Rubric) bool { return one.Name == r.metric })
	if at < 0 {
		return configError("metric", "is missing: name the rubric, such as %s", rubrics.Intent)
	}
	r.rubric = list[at]
	// Unlike the check of a judge's answer, this one allows additional fields.
	r.answers, err = schema.Compile(r.rubric.Schema, schema.Config{})
	return err
}

func (*rubricVerdict) log(*view) []outcome {
	return notApplicable("it reads a judge's reply, not a conversation")
}

// Score implements Rule.
func (r *rubricVerdict) Score(in Input) (Result, error) {
	reply := in.Actual
	if text, ok := reply.Str(); ok {
		var err error
		if reply, err = value.ParseString(text); err != nil {
			return Result{}, &Error{judgeReplyKind, "actual", "the judge's reply is no JSON: " + err.Error()}
		}
	}
	if reply.Kind() != value.Object {
		message := fmt.Sprintf("the judge's reply is %s, must be an object", reply.Kind().WithArticle())
		return Result{}, &Error{judgeReplyKind, "actual", message}
	}
	confidence, readable := replyNumber(reply, "confidence")
	important := readable && r.rubric.Confidence.Contains(confidence)
	output, readable := replyNumber(reply, "output")
	scale := r.rubric.Output
	correct := !important || readable && scale.PassBand().Contains(output)
	broken, err := r.answers.Validate(reply)
	if err != nil {
		return Result{}, err
	}
	res := Result{Reason: r.reason(important, correct)}
	normalized := value.Value{}
	if exact, ok := reply.Field("output").Float64(); ok {
		score := (exact - scale.Min) / (scale.Max - scale.Min)
		normalized = value.OfFloat(score)
		if res.Score = &score; exact < scale.Min || exact > scale.Max {
			res.Score = nil
			res.Reason = fmt.Sprintf("output %v is not on the scale of %v to %v; %s", exact, scale.Min, scale.Max, res.Reason)
		}
	}
	res.Fields = []value.Member{
		field("important", important), field("correct", correct), field("issue", important && !correct),
		field("normalized", normalized), field("schema_valid", len(broken) == 0),
	}
	return res, nil
}

func (r *rubricVerdict) reason(important, correct bool) string {
	within := func(name, not string, b rubrics.Band) string {
		return fmt.Sprintf("%s is %swithin %v to %v", name, not, b.Low, b.High)
	}
	switch {
	case !important:
		return within("confidence", "not ", r.rubric.Confidence) + ", so the verdict does not count"
	case correct:
		return within("output", "", r.rubric.Output.PassBand())
	}
	return within("output", "not ", r.rubric.Output.PassBand())
}

// replyNumber reads a field like Python's float: numbers, bools, numeric strings; 0 if it is
// missing.
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

// pythonFloat parses a text like Python's float(): it allows surrounding blanks, single underscores
// between digits, inf and nan, but no hexadecimal.
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
