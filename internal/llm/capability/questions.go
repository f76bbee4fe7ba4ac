package capability

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/value"
)

func user(format string, args ...any) []llm.Message {
	return []llm.Message{{Role: "user", Content: fmt.Sprintf(format, args...)}}
}

// answerText returns the text that holds the answer: the content without an inline thought, or the
// arguments of a tool call.
func answerText(res *llm.Response, transport llm.Transport) string {
	text := res.Content
	if transport == llm.Tools {
		text = res.ToolArguments
	}
	const end = "</think>"
	if i := strings.LastIndex(text, end); i >= 0 {
		return text[i+len(end):]
	}
	return text
}

// object parses a text as a JSON object; null if it is not one.
func object(text string) value.Value {
	v, err := value.ParseString(text)
	if err != nil || v.Kind() != value.Object {
		return value.Value{}
	}
	return v
}

// quoteAnswer returns the beginning of an answer, to quote it in a message.
func quoteAnswer(text string) string {
	if text == "" {
		return "the answer was empty"
	}
	return "the answer was " + llm.OneLine(value.Excerpt(text, 120))
}

// carriesSchema reports whether the transport carries a schema.
func carriesSchema(t llm.Transport) bool { return t == llm.JSONSchema || t == llm.Tools }

// descend finds the strictest transport that works, and whether it keeps the order of keys. It
// tries the transports one after the other.
func (p *probe) descend(ctx context.Context, rungs []llm.Transport) error {
	for _, transport := range rungs {
		s, err := p.step(ctx, transport, false)
		if err != nil {
			return err
		}
		p.caps.Ladder = append(p.caps.Ladder, s)
		if s.Finding == Yes {
			p.caps.Transport = transport
			return nil
		}
	}
	return p.unusable()
}

// step asks, by one transport, for a key that cannot be guessed, and for two more whose order is
// not alphabetical. The prompt does not show the schema, so only a server that uses the schema
// knows the key.
func (p *probe) step(ctx context.Context, transport llm.Transport, strict bool) (step, error) {
	res, refused, err := p.ask(ctx, p.stepRequest(transport, strict))
	if err != nil || res == nil {
		return step{transport, Refused, refused}, err
	}
	text := answerText(res, transport)
	answer := object(text)
	switch {
	case answer.Has(p.key):
		p.caps.KeyOrder = No
		if answer.Len() == 3 && answer.KeyAt(0) == p.key && answer.KeyAt(1) == "b" {
			p.caps.KeyOrder = Yes
		}
		return step{transport, Yes, ""}, nil
	case res.FinishReason == "length":
		return step{transport, Truncated, quoteAnswer(text)}, nil
	}
	return step{transport, Ignored, quoteAnswer(text)}, nil
}

func (p *probe) stepRequest(transport llm.Transport, strict bool) llm.Request {
	schema := fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":"string","maxLength":20},`+
		`"b":{"type":"integer","minimum":0,"maximum":10},"a":{"type":"boolean"}},`+
		`"required":[%q,"b","a"],"additionalProperties":false}`, p.key, p.key)
	r := llm.Request{Transport: transport, Messages: user("Answer with one short JSON object.")}
	if carriesSchema(transport) {
		r.Schema = llm.Schema{Name: "probe", JSON: schema, Strict: strict}
	} else {
		r.Messages = user("Answer with one JSON object that fits this schema, and nothing else: %s", schema)
	}
	return r
}

// unusable returns the error if no transport works, with advice on what to set.
func (p *probe) unusable() error {
	last := p.caps.Ladder[len(p.caps.Ladder)-1]
	e := &llm.Error{Kind: llm.KindInvalidReply, Model: p.caps.Model, Endpoint: p.caps.Endpoint}
	switch {
	case last.Finding == Refused:
		e.Kind, e.Message = llm.KindBadRequest, "every request was refused, the plainest with: "+last.Detail
		e.Hint = fieldAdvice(last.Detail)
	case p.depth.Transport != "":
		return nil
	case last.Finding == Truncated:
		e.Message = "no request was answered to its end: " + last.Detail
		e.Hint = "the model writes or thinks without end; switch its thinking off, or use another model"
	default:
		e.Message = "no request was answered with the JSON object that it asked for: " + last.Detail
		e.Hint = "use a model that follows instructions, or a server that enforces schemas"
	}
	return e
}

// strict asks a hosted service once more, with strict set. If that works, strict is the better way:
// without it such services treat a schema as a hint.
func (p *probe) strict(ctx context.Context) error {
	if p.caps.Transport != llm.JSONSchema || !p.hosted() {
		return nil
	}
	s, err := p.step(ctx, llm.JSONSchema, true)
	p.caps.Strict = s.Finding
	return err
}

// memberRequest asks for an object with one member of the given name and schema.
func memberRequest(transport llm.Transport, name, schema, prompt string) llm.Request {
	schema = fmt.Sprintf(`{"type":"object","properties":{%q:%s},"required":[%q],"additionalProperties":false}`,
		name, schema, name)
	return llm.Request{Transport: transport, Seed: new(int64(0)), Messages: user("%s", prompt),
		Schema: llm.Schema{Name: "probe", JSON: json.RawMessage(schema)}}
}

// try sends a request up to the given number of times, with different seeds, until read says that
// the value of the member decides the question. refused reports that the server does not accept the
// schema.
func (p *probe) try(ctx context.Context, times int64, name string, r llm.Request,
	read func(value.Value) (certain bool)) (refused bool, err error) {
	r.Schema.Strict = p.caps.Strict == Yes
	for seed := range times {
		if r.Seed = &seed; seed > 0 {
			r.Temperature = new(1.0)
		}
		res, _, err := p.ask(ctx, r)
		if err != nil || res == nil {
			return err == nil, err
		}
		if read(object(answerText(res, p.caps.Transport)).Field(name)) {
			break
		}
	}
	return false, nil
}

// openObject asks for an object without fixed keys, in the form in which answers ask for a
// free-form member. Strict schemas have none.
func (p *probe) openObject(ctx context.Context) error {
	if !carriesSchema(p.caps.Transport) || p.caps.Strict == Yes {
		return nil
	}
	refused, err := p.try(ctx, 2, "o", openRequest(p.caps.Transport), func(v value.Value) bool {
		switch {
		case v.Kind() != value.Object:
		case v.Len() == 0:
			p.caps.OpenObject = Ignored
		default:
			p.caps.OpenObject = Yes
		}
		return p.caps.OpenObject == Yes
	})
	if refused {
		p.caps.OpenObject = Refused
	}
	return err
}

func openRequest(transport llm.Transport) llm.Request {
	const schema = `{"type":"object","additionalProperties":true}`
	return memberRequest(transport, "o", schema, `Answer exactly {"o": {"colour": "red"}}`)
}

// ranges asks for numbers outside their range: a server that enforces ranges cannot return them.
func (p *probe) ranges(ctx context.Context) error {
	if !carriesSchema(p.caps.Transport) {
		return nil
	}
	for _, of := range []struct {
		kind    string
		most    float64
		finding *Finding
	}{{"integer", 10, &p.caps.IntegerRange}, {"number", 1, &p.caps.NumberRange}} {
		schema := fmt.Sprintf(`{"type":%q,"minimum":0,"maximum":%g}`, of.kind, of.most)
		r := memberRequest(p.caps.Transport, "x", schema, `Answer exactly {"x": 7500}`)
		_, err := p.try(ctx, 4, "x", r, func(v value.Value) bool {
			x, ok := v.Float64()
			switch {
			case !ok:
			case x < 0 || x > of.most:
				*of.finding = No
			default:
				*of.finding = Yes
			}
			return *of.finding == No
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rubric sends one of the run's prompts with its whole schema: a server that accepts a small schema
// may refuse a large one. After each refusal it gives up one thing and asks again: first strict,
// then the open object (the correction is then asked for as text), then the transport.
func (p *probe) rubric(ctx context.Context) error {
	for p.depth.Rubric != nil {
		transport := cmp.Or(p.depth.Transport, p.caps.Transport)
		if transport == "" {
			return nil
		}
		strict := p.caps.Strict == Yes && transport == llm.JSONSchema
		r, err := p.depth.Rubric(transport, p.caps.CorrectionAsText(), strict)
		if err != nil {
			return fmt.Errorf("probe: %w", err)
		}
		res, refused, err := p.ask(ctx, r)
		switch {
		case tooLong(err):
			p.context(llm.WindowOf(err), "an error")
			p.caps.RubricPrompt, p.caps.RubricDetail = Truncated, err.Error()
			return nil
		case err != nil:
			return err
		case res != nil:
			p.countBytes(&r, res)
			p.readRubric(res, transport)
			return nil
		}
		p.caps.RubricPrompt, p.caps.RubricDetail = Refused, refused
		switch {
		case strict:
			p.caps.Strict = Refused
		case carriesSchema(transport) && !p.caps.CorrectionAsText():
			p.caps.OpenObject = Refused
		case p.depth.Transport != "":
			return nil // the user chose it; a run moves to plainer transports by itself
		default:
			if err := p.below(ctx, transport, refused); err != nil {
				return err
			}
		}
	}
	return nil
}

// tooLong reports whether a prompt did not fit, timed out while it was read, or was stopped by a
// filter. That says nothing about the transport.
func tooLong(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && !e.Fatal &&
		(e.Kind == llm.KindOverflow || e.Kind == llm.KindTimeout || e.Kind == llm.KindRefused)
}

// readRubric records the result of a rubric's prompt. An invalid answer is the model's fault and
// does not rule out the transport.
func (p *probe) readRubric(res *llm.Response, transport llm.Transport) {
	text := answerText(res, transport)
	p.caps.RubricPrompt, p.caps.RubricDetail = Ignored, quoteAnswer(text)
	switch {
	case object(text).Has("output"):
		p.caps.RubricPrompt, p.caps.RubricDetail = Yes, ""
	case res.FinishReason == "length":
		p.caps.RubricPrompt = Truncated
	}
}

// below continues with the plainer transports after this one refused a rubric.
func (p *probe) below(ctx context.Context, transport llm.Transport, refused string) error {
	last := &p.caps.Ladder[len(p.caps.Ladder)-1]
	last.Finding, last.Detail = Refused, "a rubric's prompt: "+refused
	p.caps.Transport, p.caps.OpenObject = "", Unknown
	rungs := llm.Ladder()
	if err := p.descend(ctx, rungs[slices.Index(rungs, transport)+1:]); err != nil {
		return err
	}
	return p.openObject(ctx)
}

// seeds compares three answers: two with the same seed and one with another.
func (p *probe) seeds(ctx context.Context) error {
	p.caps.Seed = Refused
	if slices.ContainsFunc(p.caps.Fields, func(f FieldChange) bool { return f.Field == "seed" }) {
		return nil
	}
	var texts [3]string
	for i, seed := range []int64{11, 11, 12} {
		res, _, err := p.ask(ctx, llm.Request{Temperature: new(1.0), Seed: &seed,
			Messages: user("Write ten random words.")})
		if err != nil || res == nil {
			return err
		}
		texts[i] = res.Content
	}
	switch {
	case texts[0] != texts[1]:
		p.caps.Seed = No
	case texts[0] == texts[2]:
		p.caps.Seed = Fixed
	default:
		p.caps.Seed = Yes
	}
	return nil
}

// AskLogprobs asks a server that was probed before whether it returns log-probabilities, and
// records that in known. It fails like [Probe].
func AskLogprobs(ctx context.Context, endpoint client.Endpoint, known *Capabilities, cfg client.Config,
	depth ProbeConfig) error {
	p, err := newProbe(endpoint, known, cfg, depth)
	if err != nil {
		return err
	}
	defer p.c.Close()
	return p.logprobs(ctx)
}

func (p *probe) logprobs(ctx context.Context) error {
	res, _, err := p.ask(ctx, llm.Request{Logprobs: true, TopLogprobs: 5, Messages: user("Say yes.")})
	switch {
	case err != nil:
		return err
	case res == nil:
		p.caps.Logprobs = Refused
	case len(res.Logprobs) == 0 && res.FinishReason == "length":
		p.caps.Logprobs = Unknown // it was cut off while thinking, for which some servers report none
	case len(res.Logprobs) == 0:
		p.caps.Logprobs = No
	default:
		p.caps.Logprobs, p.caps.TopLogprobs = Yes, len(res.Logprobs[0].Top)
	}
	return nil
}
