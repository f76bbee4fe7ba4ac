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
	"regexp"
	"slices"
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
	KindInvalidReply       = "invalid_reply"        // a body that is no chat completion, after all retries
	KindBadRequest         = "bad_request"          // the server does not take the request
	KindRefused            = "refusal"              // the model or the service declined
	KindRefusedByEndpoint  = "refused_by_endpoint"  // the endpoint refused this item, and answers others
	KindTruncated          = "truncated"            // cut at the token limit
	KindTruncatedInThought = "truncated_in_thought" // cut before the answer began
	KindInvalidJSON        = "invalid_json"         // no JSON object in the reply
	KindSchemaViolation    = "schema_violation"     // an object that breaks the rubric's schema
	KindCanary             = "canary"               // the secret word is in the answer
	KindContextCut         = "context_cut"          // the server cut the prompt
	KindContext            = "context"              // the record does not fit the model
	KindWhitespaceLoop     = "whitespace_loop"      // blanks up to the token limit
)

// Kinds returns them all.
func Kinds() []string {
	return []string{
		KindTransport, KindInvalidReply, KindBadRequest, KindRefused, KindRefusedByEndpoint, KindTruncated, KindTruncatedInThought,
		KindInvalidJSON, KindSchemaViolation, KindCanary, KindContextCut, KindContext, KindWhitespaceLoop,
	}
}

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
	// Answer is the answer's object, its correction as an object or null. Side fields
	// that broke the schema are null in it, and keys that the schema does not know are
	// left out; Flags name them.
	Answer value.Value
	// Violations are what a repair request must name.
	Violations []rubrics.Violation
	// Flags were raised on the way.
	Flags []score.Flag
	// Output is the number, also of a text that is no JSON but for a valid output; nil
	// where there is none.
	Output *float64
	// Text is the reply without its thinking, for a repair request.
	Text string
	// At is the offset of the answer's object in the reply's content; -1 where it does
	// not stand there.
	At int
	// object is the text of the answer, or of what comes nearest to one.
	object string
	// whole is the answer as it was sent; clean says that nothing in it broke the schema.
	whole value.Value
	clean bool
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
	out := Reading{At: -1}
	from := sourceOf(in)
	if from.reasoning {
		out.Raise("answer_in_reasoning", 1, "the answer stood in the reasoning field")
	}
	if from.marked {
		out.Raise(repairBOM, 1, "")
	}
	answer, thought, open := from.said()
	out.Text = strings.TrimSpace(answer)
	if o.leaked(in) || o.holds(answer) {
		return out.Fail(KindCanary, leakText)
	}
	if kind, detail := cutShort(in, from.text, out.Text, open); kind != "" {
		return out.Fail(kind, detail)
	}
	switch {
	case out.Text == "" && in.Refusal != "":
		return out.Fail(KindRefused, "the server declined to answer: "+llm.OneLine(in.Refusal))
	case out.Text == "" && open:
		return out.Fail(KindInvalidJSON, "the reply holds only thinking")
	case out.Text == "":
		return out.Fail(KindInvalidJSON, "the reply is empty")
	}
	out.chooseIn(r, from, answer, o)
	if whole := from.text; !out.OK() && thought && strings.HasPrefix(strings.TrimSpace(whole), "{") {
		// The closing tag may stand inside a string of the answer.
		again := Reading{Flags: out.Flags, Text: strings.TrimSpace(whole), At: -1}
		if again.chooseIn(r, from, whole, o); again.OK() {
			out = again
			if o.holds(whole) {
				return out.Fail(KindCanary, leakText)
			}
		}
	}
	if declined := in.Refusal; out.Kind == KindInvalidJSON && (declined != "" || out.object == "" && refuses(out.Text)) {
		if declined == "" {
			declined = out.Text
		}
		return out.Fail(KindRefused, "the model declined to answer: "+llm.OneLine(declined))
	}
	if out.Kind == KindInvalidJSON && out.Output == nil {
		out.Output = stated(r, out.Text)
	}
	if from.reasoning {
		// What goes back to be repaired must not hold thoughts.
		out.Text = out.object
	}
	// An escape may hide the word from the search in the text.
	if out.OK() && o.holds(out.whole.JSON()) {
		return out.Fail(KindCanary, leakText)
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

// chooseIn is choose for a part of the source's text, of which it is an end.
func (r *Reading) chooseIn(rubric *rubrics.Rubric, from source, part string, o Options) {
	var found []candidate
	around := false
	for _, p := range from.parts(part) {
		list, words := objects(p)
		found, around = append(found, list...), around || words
	}
	at := r.choose(rubric, found, around, o)
	if r.At = -1; at >= 0 && from.base >= 0 {
		r.At = from.base + len(from.text) - len(part) + at
	}
}

// choose takes the last object that keeps the whole schema, else the last one with a
// valid output, and returns its offset; -1 without one. Then it reports what is wrong
// with the last object.
func (r *Reading) choose(rubric *rubrics.Rubric, found []candidate, around bool, o Options) (at int) {
	r.Kind, r.Detail, r.Violations = "", "", nil
	var last Reading
	seen := false
	var outputs []value.Value
	chosen := Reading{Kind: KindInvalidJSON}
	at = -1
	for _, c := range found {
		one := Reading{object: c.text}
		one.read(rubric, c, o)
		if one.OK() && c.loose && !one.clean {
			continue // most likely a part of the answer that led nowhere
		}
		if one.OK() {
			outputs = append(outputs, one.Answer.Field(rubrics.KeyOutput))
			if one.clean || !chosen.clean {
				chosen, around, at = one, around && c.closed, c.at
			}
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
	r.object, r.whole, r.clean = chosen.object, chosen.whole, chosen.clean
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
	return at
}

// read reads one candidate.
func (r *Reading) read(rubric *rubrics.Rubric, c candidate, o Options) {
	p, err := c.read()
	if err != nil {
		r.Kind, r.Detail = KindInvalidJSON, value.Excerpt(jsonTrouble(c.text, err), 300)
		r.Violations = []rubrics.Violation{{Pointer: "/", Rule: r.Detail}}
		if start, end, ok := outputSpan(c.text, 0); ok {
			// The repair must not change what can be read.
			r.Output = validOutput(rubric, value.OfObject(value.Member{Key: rubrics.KeyOutput, Value: value.OfNumber(c.text[start:end])}))
		}
		return
	}
	for _, name := range p.repairs {
		r.Raise(name, 1, "")
	}
	r.Answer, r.whole = p.value, p.value
	textual := r.correction(o)
	if o.CoerceNumbers {
		r.coerce()
	}
	var broken []rubrics.Violation
	for _, pointer := range p.repeated {
		broken = append(broken, rubrics.Violation{Pointer: value.Excerpt(pointer, 100), Rule: "the key stands twice"})
	}
	broken = append(broken, rubric.Check(r.Answer)...)
	r.clean = len(broken) == 0 && !textual
	for _, v := range broken {
		if keyOf(rubric, v.Pointer) == rubrics.KeyOutput {
			r.Violations = append(r.Violations, v)
		}
	}
	if len(r.Violations) > 0 {
		r.Kind, r.Detail = KindSchemaViolation, value.Excerpt(describe(r.Violations, 3), 500)
		return
	}
	r.Output = outputOf(r.Answer)
	r.dropSideFields(rubric, broken)
	r.overlong(rubrics.KeyExplanation, rubrics.MaxExplanation)
	r.overlong(rubrics.KeyEvidence, rubrics.MaxEvidence)
}

// dropSideFields makes null what breaks the schema beside the output, under a flag:
// only the output decides whether there is a score.
func (r *Reading) dropSideFields(rubric *rubrics.Rubric, broken []rubrics.Violation) {
	for key := range r.whole.Members() {
		if !slices.Contains(rubric.PropertyOrder(), key) {
			r.Answer = r.Answer.Without(key)
		}
	}
	if !rubric.Ordered(r.Answer) {
		r.Raise("order_violated", 1, "the keys came in another order than the schema's")
	}
	for _, v := range broken {
		key := keyOf(rubric, v.Pointer)
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

// outputMember finds an output in a text that is no JSON, such as one with a quotation mark
// too many, in which nobody can say where a string ends.
var outputMember = regexp.MustCompile(`"` + rubrics.KeyOutput + `"\s*:\s*(-?[0-9][0-9.eE+-]*)\s*[,}]`)

// stated is the one valid output that a text states; nil for none, and for several.
func stated(rubric *rubrics.Rubric, text string) *float64 {
	found := outputMember.FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return nil
	}
	return validOutput(rubric, value.OfObject(value.Member{Key: rubrics.KeyOutput, Value: value.OfNumber(found[0][1])}))
}

// validOutput is the output of an answer, nil where it breaks the schema.
func validOutput(rubric *rubrics.Rubric, answer value.Value) *float64 {
	for _, v := range rubric.Check(answer) {
		if keyOf(rubric, v.Pointer) == rubrics.KeyOutput {
			return nil
		}
	}
	return outputOf(answer)
}

func outputOf(answer value.Value) *float64 {
	f, ok := answer.Field(rubrics.KeyOutput).Float64()
	if !ok {
		return nil
	}
	f += 0 // -0 is 0
	return &f
}

// keyOf returns the property of the answer in which a JSON Pointer lies, "" for none.
func keyOf(rubric *rubrics.Rubric, pointer string) string {
	token, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	for _, key := range rubric.PropertyOrder() {
		if value.EscapePointer(key) == token {
			return key
		}
	}
	return ""
}

// flagUnreadable marks a correction that is no object, or text that is none.
const flagUnreadable = "correction_unreadable"

// Unreadable reports whether flags say that there was a correction which could not be
// read.
func Unreadable(list []score.Flag) bool {
	return slices.ContainsFunc(list, func(f score.Flag) bool { return f.Code == flagUnreadable })
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

// correction turns a correction that came as text into the object it spells; unreadable
// says that it spells none.
func (r *Reading) correction(o Options) (unreadable bool) {
	s, ok := r.Answer.Field(rubrics.KeyCorrection).Str()
	if !ok {
		return false
	}
	s = strings.TrimSpace(s)
	parsed := value.OfObject()
	if s != "" && s != "null" && s != "none" {
		v, err := value.ParseString(s)
		if unreadable = err != nil || v.Kind() != value.Object && !v.IsNull(); unreadable {
			r.Raise(flagUnreadable, 1, "the text is not a JSON object: "+value.Excerpt(s, 200))
			v = value.Value{}
		}
		parsed = v
	}
	r.Answer = r.Answer.With(rubrics.KeyCorrection, parsed)
	if !o.CorrectionAsText && !unreadable {
		r.Raise("correction_as_text", 1, "the correction came as a string")
	}
	return unreadable
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
