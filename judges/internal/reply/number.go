package reply

import (
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/rubrics"
)

// ReadNumber reads a reply that was asked for the number alone, by the rules of Read:
// what was cut short, refused or leaks the secret word holds none. Only the content
// counts, because the weights of tokens are those of the content. Of the objects the
// last one with a number of the scale counts, unless another one has another number.
func ReadNumber(r *rubrics.Rubric, in *llm.Response, canary string) Reading {
	out := Reading{At: -1}
	o := Options{Canary: canary}
	from := source{text: in.Content}
	if n := len(from.text); n > maxReplyText {
		from.base, from.text = n-maxReplyText, from.text[n-maxReplyText:]
	}
	answer, _, open := from.said()
	if o.leaked(in) {
		return out.Fail(KindCanary, leakText)
	}
	if kind, detail := cutShort(in, from.text, answer, open); kind != "" {
		return out.Fail(kind, detail)
	}
	found, _ := objects(answer)
	for _, c := range found {
		number := c.number(r)
		switch {
		case number == nil:
		case out.Output != nil && *out.Output != *number:
			out.At = -1
			return out.Fail(KindSchemaViolation, "the reply holds different numbers")
		default:
			out.Output, out.At = number, from.base+len(from.text)-len(answer)+c.at
		}
	}
	if out.Output == nil {
		return out.Fail(KindSchemaViolation, "there is no number of the scale in the reply")
	}
	return out
}

// number reads a candidate's output; nil where it is none of the scale.
func (c candidate) number(r *rubrics.Rubric) *float64 {
	p, err := c.read()
	if err != nil || len(p.repeated) > 0 {
		return nil
	}
	return validOutput(r, p.value)
}
