// Package reply reads what a judge sent back: it finds the answer, decides what a repair request
// must name, and weighs the score token. It is pure.
//
// It promises that an answer is accepted only if it matches the rubric's schema: values out of
// range are not clamped, a cut answer is not completed, and a local repair never invents a value.
package reply

import (
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Options are the settings of Read.
type Options struct {
	// Canaries are secret words; an answer that contains one is void. "" checks nothing.
	Canaries []string
	// CorrectionAsText says that the schema asked for the correction as a string.
	CorrectionAsText bool
	// Arguments lists the names of the judged call's arguments. Each needs its own verdict if the
	// rubric asks for verdicts on arguments.
	Arguments []string
	// CoerceNumbers accepts numeric strings as numbers and flags them.
	CoerceNumbers bool
}

// Reading is the result of reading a reply: an answer that matches the rubric's schema, or the
// reason why it is missing.
type Reading struct {
	// Kind is "" if there is an answer, else the kind of failure; Detail says more.
	Kind, Detail string
	// Answer is the answer's object; its correction is an object or null. Members other than the
	// output that broke the schema are null, and keys that the schema does not know are removed;
	// Flags names them.
	Answer value.Value
	// Violations lists what a repair request must name.
	Violations []rubrics.Violation
	// Flags lists the flags that were set while reading.
	Flags []score.Flag
	// Output is the number, or nil. It may also come from text that is invalid JSON except for a
	// valid output. Category is the category, rubrics.NotApplicable if the question does not apply,
	// "" for a number.
	Output   *float64
	Category string
	// Text is the reply without its thinking, for a repair request.
	Text string
	// At is the offset of the answer's object in the reply's content; -1 if the object is
	// elsewhere.
	At int
	// object is the text of the answer, or of the object that is nearest to one.
	object string
	// whole is the answer as it was sent; clean says that it matched the schema completely.
	whole value.Value
	clean bool
}

// OK reports whether there is an answer.
func (r *Reading) OK() bool { return r.Kind == "" }

// Said returns the output as text, "" if none. A repair must not change it.
func (r *Reading) Said() string {
	if r.Category == "" && r.Output != nil {
		return strconv.FormatFloat(*r.Output, 'f', -1, 64)
	}
	return r.Category
}

// Raise adds a flag, unless there is one with the same code.
func (r *Reading) Raise(code string, severity int, detail string) {
	if !slices.ContainsFunc(r.Flags, func(f score.Flag) bool { return f.Code == code }) {
		r.Flags = append(r.Flags, score.Flag{Code: code, Severity: severity, Detail: detail})
	}
}

// Fail turns the reading into a failure.
func (r *Reading) Fail(kind, detail string) Reading {
	r.Kind, r.Detail = kind, detail
	return *r
}

// reader is the state of reading one reply.
type reader struct {
	Options
	rubric *rubrics.Rubric
	in     *llm.Response
	from   source
}

// Read reads a reply under a rubric: its content, tool arguments, reasoning and finish reason. It
// is pure: the same reply gives the same reading, live or from a journal.
func Read(r *rubrics.Rubric, in *llm.Response, o Options) Reading {
	p := &reader{o, r, in, sourceOf(in)}
	answer, thought, open := p.from.answer()
	none := p.reading(answer)
	if p.leaked() || p.holds(answer) {
		return none.Fail(KindCanary, leakText)
	}
	if kind, detail := cutShort(in, p.from.text, none.Text); kind != "" {
		return none.Fail(kind, detail)
	}
	switch {
	case none.Text == "" && in.Refusal != "":
		return none.Fail(KindRefused, "the server declined to answer: "+llm.OneLine(in.Refusal))
	case open:
		return none.Fail(KindInvalidJSON, "the reply holds only thinking")
	case none.Text == "":
		return none.Fail(KindInvalidJSON, "the reply is empty")
	}
	out := p.choose(answer)
	if whole := p.from.text; !out.OK() && thought && strings.HasPrefix(strings.TrimSpace(whole), "{") {
		// The closing tag may be inside a string of the answer.
		if again := p.choose(whole); again.OK() {
			out = again
			if p.holds(whole) {
				return out.Fail(KindCanary, leakText)
			}
		}
	}
	return p.finish(out)
}

// finish applies the last checks to a reading: whether the text refuses to answer, which output can
// be read from invalid JSON, and whether the decoded answer contains the secret word.
func (p *reader) finish(out Reading) Reading {
	declined := p.in.Refusal
	if declined == "" && out.object == "" && refuses(out.Text) {
		declined = out.Text
	}
	if out.Kind == KindInvalidJSON && declined != "" {
		return out.Fail(KindRefused, "the model declined to answer: "+llm.OneLine(declined))
	}
	if out.Kind == KindInvalidJSON {
		out.Output, out.Category = p.outputIn(out.Text) // a repair must not change an output that can be read
	}
	if p.from.reasoning {
		out.Text = out.object // a repair request must not contain thinking
	}
	// An escape may hide the word from the search in the text.
	if out.OK() && p.holds(out.whole.JSON()) {
		return out.Fail(KindCanary, leakText)
	}
	return out
}

const leakText = "the answer repeats the secret word of the system message"

func (o *Options) holds(text string) bool {
	return slices.ContainsFunc(o.Canaries, func(c string) bool { return c != "" && strings.Contains(text, c) })
}

// leaked reports whether the secret word is anywhere in a reply outside its thinking.
func (p *reader) leaked() bool {
	answer, _, _ := cutThought(p.in.Content)
	return p.holds(answer) || p.holds(p.in.ToolArguments) || slices.ContainsFunc(p.in.Arguments, p.holds)
}

func (p *reader) reading(text string) Reading {
	out := Reading{Text: strings.TrimSpace(text), At: -1}
	if p.from.reasoning {
		out.Raise("answer_in_reasoning", 1, "the answer was in the reasoning field")
	}
	if p.from.marked {
		out.Raise(repairBOM, 1, "")
	}
	return out
}

// choose returns the last object in part that matches the whole schema, else the last one with a
// valid output. Without either it says what is wrong with the last object.
func (p *reader) choose(part string) Reading {
	found, around := p.from.objects(part)
	var answer, last *Reading
	var outputs []value.Value
	for _, c := range found {
		one := p.reading(part)
		p.read(&one, c)
		if c.loose && !one.clean {
			continue // probably an unfinished part of the answer
		}
		if one.OK() {
			outputs = append(outputs, one.Answer.Field(rubrics.KeyOutput))
			if answer == nil || one.clean || !answer.clean {
				answer, around = &one, around && c.closed
				if p.from.base >= 0 {
					one.At = p.from.base + len(p.from.text) - len(part) + c.at
				}
			}
		}
		// A later object that is not JSON at all must not hide one that nearly is.
		if !c.loose && (last == nil || one.Kind != KindInvalidJSON || last.Kind == KindInvalidJSON) {
			last = &one
		}
	}
	switch {
	case answer == nil && last != nil:
		return *last
	case answer == nil:
		none := p.reading(part)
		none.Violations = []rubrics.Violation{{Pointer: "/", Rule: "the answer holds no complete JSON object"}}
		return none.Fail(KindInvalidJSON, "no JSON object in the reply")
	}
	if around {
		answer.Raise("text_around_answer", 1, "")
	}
	for _, other := range outputs {
		if !value.Equal(other, answer.Answer.Field(rubrics.KeyOutput)) {
			answer.Raise("multiple_answers", 2,
				"the reply holds valid answers with different outputs; the last one counts")
		}
	}
	return *answer
}

func (p *reader) read(r *Reading, c candidate) {
	r.object = c.text
	answer, repeated, repairs, err := c.parse()
	if err != nil {
		r.Kind, r.Detail = KindInvalidJSON, value.Excerpt(jsonError(c.text, err), 300)
		r.Violations = []rubrics.Violation{{Pointer: "/", Rule: r.Detail}}
		return
	}
	for _, name := range repairs {
		r.Raise(name, 1, "")
	}
	r.Answer, r.whole = answer, answer
	unreadable := p.correction(r)
	if output, other := p.rubric.Output.Meant(r.Answer.Field(rubrics.KeyOutput)); other {
		r.Raise("category_spelling", 1, "the output came in another spelling")
		r.Answer = r.Answer.With(rubrics.KeyOutput, output)
	}
	r.recompute(p.rubric)
	if p.CoerceNumbers {
		r.coerce(p.rubric.Output)
	}
	var broken []rubrics.Violation
	for _, pointer := range repeated {
		broken = append(broken, rubrics.Violation{Pointer: value.Excerpt(pointer, 100), Rule: "the key occurs twice"})
	}
	broken = append(broken, p.rubric.Check(r.Answer)...)
	r.clean = len(broken) == 0 && !unreadable
	for _, v := range broken {
		if p.keyOf(v.Pointer) == rubrics.KeyOutput {
			r.Violations = append(r.Violations, v)
		}
	}
	if !p.rubric.Output.IsNotApplicable(r.Answer.Field(rubrics.KeyOutput)) {
		for _, name := range p.rubric.Unjudged(r.Answer, p.Arguments) {
			rule := "no entry is about the argument " + value.Excerpt(name, 60)
			r.Violations = append(r.Violations, rubrics.Violation{Pointer: "/parameters", Rule: rule})
		}
	}
	if len(r.Violations) > 0 {
		r.Kind, r.Detail = KindSchemaViolation, value.Excerpt(describe(r.Violations), 500)
		return
	}
	r.Output, r.Category = p.rubric.Output.Take(r.Answer.Field(rubrics.KeyOutput))
	p.dropSideFields(r, broken)
	r.overlong(rubrics.KeyExplanation, rubrics.MaxExplanation)
	r.overlong(rubrics.KeyEvidence, rubrics.MaxEvidence)
}
