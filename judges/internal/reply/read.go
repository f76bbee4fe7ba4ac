// Package reply owns the reading of what a judge sent back: the answer in it, what a
// repair request must name, the weight of its score token, and what the server's
// counts say about the prompt. It is pure.
//
// It promises that an answer is accepted only when it keeps the rubric's schema:
// what is out of range is not clamped, what is cut short is not completed, and a
// local repair never invents a value.
package reply

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// The kinds of failure that a judgement can end with; Score carries them in its
// error. A failure is a missing value, never a low one.
const (
	KindTransport          = "transport"            // no reply, after all retries
	KindRefused            = "refused"              // the model or the service declined
	KindTruncated          = "truncated"            // cut at the token limit
	KindTruncatedInThought = "truncated_in_thought" // cut before the answer began
	KindInvalidJSON        = "invalid_json"         // no JSON object in the reply
	KindSchemaViolation    = "schema_violation"     // an object that breaks the rubric's schema
	KindCanary             = "canary"               // the secret word is in the answer
	KindContextAlarm       = "context_alarm"        // the server seems to have cut the prompt
	KindContextOverflow    = "context_overflow"     // the record does not fit the model
	KindWhitespaceLoop     = "whitespace_loop"      // blanks up to the token limit
)

// Options are the settings of Read.
type Options struct {
	// Canary voids an answer that holds it; "" checks nothing.
	Canary string
	// CorrectionAsText says that the schema asked for the correction as a string.
	CorrectionAsText bool
	// CoerceNumbers accepts numeric strings as numbers, under a flag.
	CoerceNumbers bool
}

// Reading is a reply as read: an answer that keeps the rubric's schema, or why
// there is none.
type Reading struct {
	// Kind is "" for an answer, else one of the kinds; Detail says more.
	Kind, Detail string
	// Answer is the answer's object, its correction as an object or null.
	Answer value.Value
	// Violations are what a repair request must name.
	Violations []rubrics.Violation
	// Flags were raised on the way.
	Flags []score.Flag
	// Output is the number, also of an invalid answer whose output alone is valid;
	// nil where there is none.
	Output *float64
	// Text is the reply without its thinking, for a repair request.
	Text string
}

// OK reports whether there is an answer.
func (r *Reading) OK() bool { return r.Kind == "" }

// Raise adds a flag, unless one with its code is there.
func (r *Reading) Raise(code string, severity int, detail string) {
	for _, f := range r.Flags {
		if f.Code == code {
			return
		}
	}
	r.Flags = append(r.Flags, score.Flag{Code: code, Severity: severity, Detail: detail})
}

// Fail makes the reading one without an answer.
func (r *Reading) Fail(kind, detail string) Reading {
	r.Kind, r.Detail = kind, detail
	return *r
}

// Read reads a reply under a rubric, from its content, tool arguments, reasoning and
// finish reason. It is pure: the same reply gives the same reading, live or from a
// journal.
func Read(r *rubrics.Rubric, in *llm.Response, o Options) Reading {
	var out Reading
	text := in.Content
	if strings.TrimSpace(text) == "" {
		text = in.ToolArguments
	}
	if strings.TrimSpace(text) == "" && in.FinishReason != "length" && strings.Contains(in.Reasoning, "{") {
		text = in.Reasoning
		out.Raise("answer_in_reasoning", 1, "the answer stood in the reasoning field")
	}
	if len(text) > maxReplyText {
		text = text[len(text)-maxReplyText:]
	}
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		text = rest
		out.Raise(repairBOM, 1, "")
	}
	answer, thought, open := cutThought(text)
	out.Text = strings.TrimSpace(answer)
	if o.Canary != "" && strings.Contains(answer, o.Canary) {
		return out.Fail(KindCanary, "the answer repeats the secret word of the system message")
	}
	if kind, detail := cutShort(in, text, out.Text, open); kind != "" {
		return out.Fail(kind, detail)
	}
	switch {
	case out.Text == "" && open:
		return out.Fail(KindInvalidJSON, "the reply holds only thinking")
	case out.Text == "":
		return out.Fail(KindInvalidJSON, "the reply is empty")
	}
	out.choose(r, out.Text, o)
	if !out.OK() && thought && strings.HasPrefix(strings.TrimSpace(text), "{") {
		// The closing tag may stand inside a string of the answer.
		again := Reading{Flags: out.Flags, Text: strings.TrimSpace(text)}
		if again.choose(r, again.Text, o); again.OK() {
			return again
		}
	}
	return out
}

// cutThought removes thinking: <think>…</think>, or everything up to the last
// closing tag when the chat template opened it. open says that thinking was begun
// and not ended.
func cutThought(text string) (answer string, thought, open bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text, thought = text[i+len("</think>"):], true
	}
	if i := strings.Index(text, "<think>"); i >= 0 && strings.TrimSpace(text[:i]) == "" {
		return "", true, true
	}
	return text, thought, false
}

// cutShort classifies a reply that ended at the token limit. An answer that ends
// without any finish reason and without an object broke off as well.
func cutShort(in *llm.Response, text, answer string, open bool) (kind, detail string) {
	switch in.FinishReason {
	case "length":
	case llm.FinishRepetition:
		// A server that breaks off a reply for repeating itself calls it finished; an
		// object before the loop is no more an answer than one before a length limit.
		if blanksAtEnd(text) >= guardBlanks {
			return KindWhitespaceLoop, "the server broke the reply off: it only wrote blanks"
		}
		return KindTruncated, "the server broke the reply off: it repeated itself"
	default:
		return "", ""
	}
	switch {
	case blankTail(text):
		return KindWhitespaceLoop, "the reply ran into its token limit writing blanks"
	case open || answer == "" && (in.Reasoning != "" || text != ""):
		return KindTruncatedInThought, "the reply ran into its token limit while thinking; raise the reasoning budget"
	}
	return KindTruncated, "the reply ran into its token limit; raise max_tokens"
}

// guardBlanks is how many blanks at the end of a reply that was broken off for
// repetition make it a loop of blanks; servers allow some thirty tokens.
const guardBlanks = 16

func blanksAtEnd(s string) int { return len(s) - len(strings.TrimRight(s, " \t\r\n")) }

// blankTail reports whether more than 30 % of the last 512 bytes are blanks. Shorter
// texts are never a loop.
func blankTail(s string) bool {
	const tail = 512
	if len(s) < tail/2 {
		return false
	}
	s = s[max(0, len(s)-tail):]
	blanks := 0
	for i := range len(s) {
		if c := s[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			blanks++
		}
	}
	return blanks*10 > len(s)*3
}

// choose takes the last object that validates. Without one it reports what is
// wrong with the last object.
func (r *Reading) choose(rubric *rubrics.Rubric, text string, o Options) {
	r.Kind, r.Detail, r.Violations = "", "", nil
	found, around := objects(text)
	var last Reading
	seen := false
	var outputs []value.Value
	chosen := Reading{Kind: KindInvalidJSON}
	for _, c := range found {
		one := Reading{}
		one.object(rubric, c, o)
		if one.OK() {
			outputs = append(outputs, one.Answer.Field(rubrics.KeyOutput))
			chosen, around = one, around && c.closed
		}
		// A later object that is no JSON at all must not hide one that nearly is.
		if !c.loose && (!seen || one.Kind != KindInvalidJSON || last.Kind == KindInvalidJSON) {
			last, seen = one, true
		}
	}
	switch {
	case chosen.OK():
	case seen:
		chosen = last
	default:
		chosen.Detail = "no JSON object in the reply"
		chosen.Violations = []rubrics.Violation{{Pointer: "/", Rule: "the answer holds no complete JSON object"}}
	}
	r.Kind, r.Detail, r.Answer, r.Output, r.Violations = chosen.Kind, chosen.Detail, chosen.Answer, chosen.Output, chosen.Violations
	for _, f := range chosen.Flags {
		r.Raise(f.Code, f.Severity, f.Detail)
	}
	if r.OK() && around {
		r.Raise("text_around_answer", 1, "")
	}
	for _, other := range outputs {
		if r.OK() && !value.Equal(other, r.Answer.Field(rubrics.KeyOutput)) {
			r.Raise("multiple_answers", 2, "the reply holds valid answers with different outputs; the last one counts")
		}
	}
}

// object reads one candidate.
func (r *Reading) object(rubric *rubrics.Rubric, c candidate, o Options) {
	p, err := c.read()
	if err != nil {
		r.Kind, r.Detail = KindInvalidJSON, value.Excerpt(jsonTrouble(c.text, err), 300)
		r.Violations = []rubrics.Violation{{Pointer: "/", Rule: r.Detail}}
		return
	}
	for _, name := range p.repairs {
		r.Raise(name, 1, "")
	}
	r.Answer = p.value
	r.correction(o)
	if o.CoerceNumbers {
		r.coerce()
	}
	for _, pointer := range p.repeated {
		r.Violations = append(r.Violations, rubrics.Violation{Pointer: value.Excerpt(pointer, 100), Rule: "the key stands twice"})
	}
	r.Violations = append(r.Violations, rubric.Check(r.Answer)...)
	r.readOutput()
	if len(r.Violations) > 0 {
		r.Kind, r.Detail = KindSchemaViolation, value.Excerpt(describe(r.Violations, 3), 500)
		return
	}
	if !rubric.Ordered(r.Answer) {
		r.Raise("order_violated", 1, "the keys came in another order than the schema's")
	}
	r.overlong(rubrics.KeyExplanation, rubrics.MaxExplanation)
	r.overlong(rubrics.KeyEvidence, rubrics.MaxEvidence)
}

// overlong flags free text beyond the bound that was sent.
func (r *Reading) overlong(key string, limit int) {
	if n := utf8.RuneCountInString(r.Answer.Field(key).Text()); n > limit {
		r.Raise("overlong_"+key, 1, fmt.Sprintf("%d characters, %d were allowed", n, limit))
	}
}

// jsonTrouble words why an object is no JSON.
func jsonTrouble(text string, err error) string {
	for _, word := range []string{"NaN", "Infinity"} {
		if strings.Contains(text, ": "+word) || strings.Contains(text, ":"+word) || strings.Contains(text, "-"+word) {
			return word + " is not a JSON number"
		}
	}
	return "the answer is not valid JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}

// correction turns a correction that came as text into the object it spells.
func (r *Reading) correction(o Options) {
	s, ok := r.Answer.Field(rubrics.KeyCorrection).Str()
	if !ok {
		return
	}
	s = strings.TrimSpace(s)
	parsed := value.OfObject()
	if s != "" && s != "null" && s != "none" {
		v, err := value.ParseString(s)
		if err != nil || v.Kind() != value.Object && !v.IsNull() {
			if o.CorrectionAsText {
				r.Violations = append(r.Violations, rubrics.Violation{Pointer: "/correction", Rule: "the text is not a JSON object"})
			}
			return
		}
		parsed = v
	}
	r.Answer = r.Answer.With(rubrics.KeyCorrection, parsed)
	if !o.CorrectionAsText {
		r.Raise("correction_as_text", 1, "the correction came as a string")
	}
}

// coerce turns numeric strings into numbers, under a flag.
func (r *Reading) coerce() {
	for _, key := range []string{rubrics.KeyOutput, rubrics.KeyConfidence} {
		s, ok := r.Answer.Field(key).Str()
		if !ok {
			continue
		}
		if n := value.OfNumber(strings.TrimSpace(s)); n.IsNumber() {
			r.Answer = r.Answer.With(key, n)
			r.Raise("coerced_number", 1, key+" came as a string")
		}
	}
}

// readOutput notes the number when nothing is wrong with it.
func (r *Reading) readOutput() {
	for _, v := range r.Violations {
		if v.Pointer == "/"+rubrics.KeyOutput {
			return
		}
	}
	if f, ok := r.Answer.Field(rubrics.KeyOutput).Float64(); ok {
		r.Output = &f
	}
}

// describe joins the first n violations.
func describe(list []rubrics.Violation, n int) string {
	var parts []string
	for i, v := range list {
		if i == n {
			break
		}
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "; ")
}
