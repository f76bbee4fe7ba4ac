package reply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

func (r *Reading) overlong(key string, limit int) {
	if n := utf8.RuneCountInString(r.Answer.Field(key).Text()); n > limit {
		r.Raise("overlong_"+key, 1, fmt.Sprintf("%d characters, %d were allowed", n, limit))
	}
}

// recompute sets the output to the worst of the answer's verdicts, if the rubric asks for that. It
// sets a flag if the judge named another category. An output that is not a category stays.
func (r *Reading) recompute(rubric *rubrics.Rubric) {
	stated := r.Answer.Field(rubrics.KeyOutput).Text()
	worst, ok := rubric.Worst(r.Answer)
	if !ok || worst == stated || !slices.Contains(rubric.Output.Categories, stated) {
		return
	}
	r.Raise("output_recomputed", 1,
		fmt.Sprintf("the judge stated %s; the worst verdict of its list is %s", stated, worst))
	r.Answer = r.Answer.With(rubrics.KeyOutput, value.OfString(worst))
}

// dropSideFields removes unknown members, and sets members other than the output to null if they
// break the schema. It flags each. Only the output decides whether there is a score.
func (p *reader) dropSideFields(r *Reading, broken []rubrics.Violation) {
	for key := range r.whole.Members() {
		if !slices.Contains(p.rubric.PropertyOrder(), key) {
			r.Answer = r.Answer.Without(key)
		}
	}
	if !p.rubric.Ordered(r.Answer) {
		r.Raise("order_violated", 1, "the keys came in another order than the schema's")
	}
	for _, v := range broken {
		key := p.keyOf(v.Pointer)
		switch {
		case v.Pointer == "":
			r.Raise("rule_violated", 1, v.Rule)
		case key == "":
			r.Raise("unexpected_key", 1, v.String())
		case !r.whole.Has(key):
			r.Raise(key+"_missing", 1, "")
		case key == rubrics.KeyCorrection:
			r.Raise(flagUnreadable, 1, v.String())
		default:
			r.Raise(key+"_invalid", 1, v.String())
		}
		if key != "" {
			r.Answer = r.Answer.With(key, value.Value{})
		}
	}
}

// outputMember matches an output, even in text that is not valid JSON, for instance because a
// quotation mark too many makes the end of a string ambiguous.
var outputMember = regexp.MustCompile(`"` + rubrics.KeyOutput +
	`"\s*:\s*(-?[0-9][0-9.eE+-]*|"[^"\\]*"|true|false)\s*[,}]`)

// outputIn returns the only output in a text if it is valid; nil if there is none, or more than
// one.
func (p *reader) outputIn(text string) (output *float64, category string) {
	found := outputMember.FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return nil, ""
	}
	v, err := value.ParseString(found[0][1])
	if err != nil {
		return nil, ""
	}
	v, _ = p.rubric.Output.Meant(v)
	answer := value.OfObject(value.Member{Key: rubrics.KeyOutput, Value: v})
	for _, v := range p.rubric.Check(answer) {
		if p.keyOf(v.Pointer) == rubrics.KeyOutput {
			return nil, ""
		}
	}
	return p.rubric.Output.Take(v)
}

// keyOf returns the answer's property that a JSON Pointer leads into; "" if none.
func (p *reader) keyOf(pointer string) string {
	token, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if key := value.UnescapePointer(token); slices.Contains(p.rubric.PropertyOrder(), key) {
		return key
	}
	return ""
}

// flagUnreadable marks a correction that is neither an object nor text with an object in it.
const flagUnreadable = "correction_unreadable"

// Unreadable reports whether the flags say that a correction could not be read.
func Unreadable(list []score.Flag) bool {
	return slices.ContainsFunc(list, func(f score.Flag) bool { return f.Code == flagUnreadable })
}

// correction replaces a correction that came as text by the object in it; unreadable says that the
// text has none.
func (p *reader) correction(r *Reading) (unreadable bool) {
	s, ok := r.Answer.Field(rubrics.KeyCorrection).Str()
	if !ok {
		return false
	}
	s = strings.TrimSpace(s)
	parsed := value.OfObject()
	if s != "" && s != "null" && s != "none" {
		v, err := value.ParseString(s)
		if unreadable = err != nil || v.Kind() != value.Object; unreadable {
			r.Raise(flagUnreadable, 1, "the text is not a JSON object: "+value.Excerpt(s, 200))
			v = value.Value{}
		}
		parsed = v
	}
	r.Answer = r.Answer.With(rubrics.KeyCorrection, parsed)
	if !p.CorrectionAsText && !unreadable {
		r.Raise("correction_as_text", 1, "the correction came as a string")
	}
	return unreadable
}

// coerce converts numeric strings to numbers and sets a flag. If the rubric has categories, the
// output stays a string.
func (r *Reading) coerce(o rubrics.Output) {
	for _, key := range []string{rubrics.KeyOutput, rubrics.KeyConfidence} {
		if key == rubrics.KeyOutput && o.Categories != nil {
			continue
		}
		s, ok := r.Answer.Field(key).Str()
		if n := value.OfNumber(strings.TrimSpace(s)); ok && n.IsNumber() {
			r.Answer = r.Answer.With(key, n)
			r.Raise("coerced_number", 1, key+" came as a string")
		}
	}
}
