package rubrics

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// maxDescription bounds the characters of the schema's description, which costs tokens in
// every single request.
const maxDescription = 6000

// Lint returns what is wrong or doubtful about a rubric that could be loaded, in
// the order of the record; nil for a good one.
func Lint(r *Rubric) []*Problem {
	l := &linter{r: r}
	l.schema()
	l.keywords("/jsonschema", r.Schema)
	l.examples()
	return l.findings
}

type linter struct {
	r        *Rubric
	findings []*Problem
}

func (l *linter) add(severity Severity, pointer, format string, args ...any) {
	p := l.r.problem(pointer, format, args...)
	p.Severity = severity
	l.findings = append(l.findings, p)
}

func (l *linter) warn(pointer, format string, args ...any) {
	l.add(SeverityWarning, pointer, format, args...)
}

func (l *linter) schema() {
	if n := utf8.RuneCountInString(l.r.Description); n > maxDescription {
		l.warn("/jsonschema/description", "%d characters are sent with every request; keep it under %d", n,
			maxDescription)
	}
	if slices.Index(l.r.keys, KeyOutput) < slices.Index(l.r.keys, KeyExplanation) {
		l.warn(properties+KeyOutput,
			"the number comes before its explanation: a model would score first and find reasons later")
	}
	for _, name := range l.r.Schema.Field("required").Elements() {
		if !slices.Contains(l.r.keys, name.Text()) {
			l.add(SeverityError, "/jsonschema/required", "%q is required but is not a property", name.Text())
		}
	}
	if o := l.r.Output; o.Integer && (o.Min != float64(int64(o.Min)) || o.Max != float64(int64(o.Max))) {
		l.warn(properties+KeyOutput+"/minimum", "an integer scale needs whole bounds; some servers refuse others")
	}
}

// applied lists the keywords by which answers are checked.
var applied = strings.Fields(`minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems
	maxItems minProperties maxProperties minContains maxContains pattern type enum const required uniqueItems
	dependentRequired threshold_low threshold_high`)

// keywords complains about parts of a schema by which no answer is checked. For a keyword of JSON
// Schema that is an error, because a wrong answer would be scored.
func (l *linter) keywords(at string, s value.Value) {
	for key, operand := range s.Members() {
		here := at + "/" + value.EscapePointer(key)
		checked, known := schema.Checked(key)
		if !known && schema.HoldsSchemas(key) {
			if key == "items" && operand.IsList() {
				l.add(SeverityError, here, "a list of schemas is not checked; use prefixItems")
				continue
			}
			schema.Within(key, operand, func(at string, sub value.Value) value.Value {
				l.keywords(here+at, sub)
				return sub
			})
			continue
		}
		switch {
		case checked || slices.Contains(applied, key):
		case known && strings.HasSuffix(strings.ToLower(key), "ref"):
			l.add(SeverityError, here,
				"references are not followed: no answer is checked against it; write the schema out in this place")
		case key == "format":
			l.add(SeverityError, here, "formats are not checked in the answer; use a pattern")
		case known:
			l.add(SeverityError, here, "the keyword is sent but cannot be checked in the answer; remove it, "+
				"or say it otherwise")
		default:
			l.warn(here, "the keyword is sent, but JSON Schema knows none of that name")
		}
	}
}

func (l *linter) examples() {
	if r := l.r; r.Retrieve > 0 && r.Retrieve >= len(r.Examples) {
		l.warn("/retrieve", "there are %d examples: every prompt has all of them", len(r.Examples))
	}
	if len(l.r.Examples) == 0 {
		l.warn("/examples", "no examples: give at least one that passes and one that fails")
		return
	}
	passes, fails := 0, 0
	for i := range l.r.Examples {
		switch pass, ok := l.example(&l.r.Examples[i]); {
		case ok && pass:
			passes++
		case ok:
			fails++
		}
	}
	if !l.r.Output.NoPass && (passes == 0 || fails == 0) {
		l.warn("/examples", "%d examples pass and %d fail: a judge needs at least one of each", passes, fails)
	}
}

// example checks one example and reports whether its answer passes.
func (l *linter) example(e *Example) (pass, ok bool) {
	for _, v := range l.r.Check(e.asWritten) {
		l.add(SeverityError, e.answerAt+v.Pointer, "the answer breaks the rubric's own schema: %s", v.Rule)
	}
	if !l.r.Ordered(e.asWritten) {
		l.warn(e.answerAt, "the keys are in another order than in the schema (%s)", strings.Join(l.r.keys, ", "))
	}
	for _, n := range e.Log.Notes {
		if n.Kind == "tool_not_read" {
			l.add(SeverityError, e.recordAt+"/tools_inventory", "the judge does not see this tool: %s", n.Detail)
		}
	}
	l.length(e, KeyExplanation, MaxExplanation)
	l.length(e, KeyEvidence, MaxEvidence)
	l.evidence(e)
	if l.r.Asks(KeyCorrection) {
		l.correction(e)
	}
	score, _ := l.r.Output.Take(e.asWritten.Field(KeyOutput))
	if pass = score != nil && l.r.Output.PassBand().Contains(*score); pass {
		l.checkOmitted(e)
	}
	return pass, score != nil
}

func (l *linter) length(e *Example, key string, limit int) {
	s, ok := e.asWritten.Field(key).Str()
	if n := utf8.RuneCountInString(s); n > limit {
		l.warn(e.answerAt+"/"+key, "%d characters, more than the %d that an answer may have", n, limit)
	}
	if ok && strings.TrimSpace(s) == "" {
		l.warn(e.answerAt+"/"+key, "empty: the example teaches judges to give no reasons")
	}
}

// evidence checks that the example contains every quote of its evidence word for word.
func (l *linter) evidence(e *Example) {
	text, ok := e.asWritten.Field(KeyEvidence).Str()
	if !ok {
		return
	}
	sources := []string{e.Call.JSON(), e.CallName()}
	for _, m := range e.Conversation {
		for key, v := range m.Members() {
			if s, isText := v.Str(); isText && key != "role" {
				sources = append(sources, s)
			} else if key != "role" {
				sources = append(sources, v.JSON())
			}
		}
	}
	for i := range e.Log.Tools {
		t := &e.Log.Tools[i]
		sources = append(sources, t.Signature()+" "+t.Description)
	}
	exact := answer.GroundingRule{Threshold: 1, MinFuzzyTokens: 1 << 30}
	got := answer.Ground(text, sources, exact)
	at := e.answerAt + "/" + KeyEvidence
	if len(got.Quotes) == 0 && !strings.HasPrefix(strings.TrimSpace(text), "NONE:") {
		l.warn(at, "no quote: quote the record, or begin with \"NONE:\" and say what is absent")
	}
	for i, q := range got.Quotes {
		if !got.Grounded[i] {
			l.warn(at, "the quote %q does not occur word for word in the example", value.Excerpt(q, 80))
		}
	}
}

// correction checks that a correction is empty, a whole call, or a patch of the
// judged call's parameters.
func (l *linter) correction(e *Example) {
	c := e.asWritten.Field(KeyCorrection)
	if s, ok := c.Str(); ok {
		c, _ = value.ParseString(s)
	}
	in := answer.CorrectionInput{Correction: c, Tools: answer.Tools{}}
	in.Call.Name = e.CallName()
	for i := range e.Log.Tools {
		in.Tools[e.Log.Tools[i].Name] = e.Log.Tools[i].ParameterNames()
	}
	got := answer.CheckCorrection(in).Contradictions
	if slices.Contains(got, answer.Unrecognised) || slices.Contains(got, answer.UnknownParameter) {
		l.warn(e.answerAt+"/"+KeyCorrection,
			"the correction is neither a call {name, parameters} of a tool in the inventory nor parameters of the judged call")
	}
}

// checkOmitted complains about required parameters that a call lacks although the answer passes it.
func (l *linter) checkOmitted(e *Example) {
	for i := range e.Log.Tools {
		t := &e.Log.Tools[i]
		for _, name := range t.Parameters.Field("required").Elements() {
			if t.Name == e.CallName() && !e.CallParameters().Has(name.Text()) {
				l.warn(e.recordAt+"/tool_call/parameters",
					"the call omits the required parameter %q, and the answer passes it",
					value.Excerpt(name.Text(), 60))
			}
		}
	}
}
