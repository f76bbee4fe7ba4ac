package rubrics

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// short holds all keys of the short form of a rubric. Those that the published form has too stay
// raw values here: they are read from the published form.
type short struct {
	Name           value.Value `json:"name"`
	Question       string      `json:"question"`
	Answer         value.Value `json:"answer"`
	Pass           value.Value `json:"pass,omitempty"`
	Scale          value.Value `json:"scale,omitempty"`
	Considerations []string    `json:"considerations,omitempty"`
	Extra          value.Value `json:"extra,omitempty"`
	Examples       value.Value `json:"examples,omitempty"`

	When          value.Value `json:"when,omitempty"`
	Scope         value.Value `json:"scope,omitempty"`
	Combine       value.Value `json:"combine,omitempty"`
	NotApplicable value.Value `json:"not_applicable,omitempty"`
	Language      value.Value `json:"language,omitempty"`
	Sees          value.Value `json:"sees,omitempty"`
	Confidence    value.Value `json:"confidence,omitempty"`
	Correction    value.Value `json:"correction,omitempty"`
	CompareWith   value.Value `json:"compare_with,omitempty"`
	WorstOf       value.Value `json:"worst_of,omitempty"`
	Guidelines    value.Value `json:"guidelines,omitempty"`
	Retrieve      value.Value `json:"retrieve,omitempty"`
	Aligned       value.Value `json:"aligned,omitempty"`
}

// isShort reports whether a record has the short form.
func isShort(record value.Value) bool {
	return !record.Has("jsonschema") && record.HasAny("question", "answer")
}

// The properties that the short form adds to an answer.
var (
	explanationSpec = value.Pairs("type", "string",
		"description", "two to four sentences from the record to the answer")
	evidenceSpec   = value.Pairs("type", "string", "description", "the quotes that decide")
	confidenceSpec = value.Pairs("type", "number", "minimum", 0, "maximum", 1, "threshold_low", 0.7,
		"threshold_high", 1, "description", "0 = a guess, 1 = no doubt")
	correctionSpec = value.Pairs("type", "object", "additionalProperties", true, "description",
		`the better call, {"name": …, "parameters": {…}} with a tool of the record; {} when this one can stand`)
)

// expand returns the published form of a record in the short form.
func (p *parser) expand(record value.Value) value.Value {
	var s short
	p.settings(record, &s)
	p.settings(record, &p.common)
	if len(p.problems) > 0 {
		return record
	}
	props, pass := p.properties(&s)
	description := s.Question
	if len(s.Considerations) > 0 {
		description += "\n\nKey considerations:\n- " + strings.Join(s.Considerations, "\n- ")
	}
	out := []value.Member{{Key: "name", Value: s.Name}}
	for _, key := range []string{"scope", "combine", "when", "language", "sees", "not_applicable", "confidence",
		"correction", "compare_with", "worst_of", "guidelines", "retrieve", "aligned"} {
		if v := record.Field(key); !v.IsNull() {
			out = append(out, value.Member{Key: key, Value: v})
		}
	}
	if pass != nil {
		out = append(out, value.Member{Key: "pass", Value: *pass})
	}
	return value.OfObject(append(out,
		value.Member{Key: "jsonschema", Value: value.Pairs("description", description, "type", "object",
			"properties", value.OfObject(props...))},
		value.Member{Key: "examples", Value: withCorrections(s.Examples, hasKey(props, KeyCorrection))})...)
}

func hasKey(list []value.Member, key string) bool {
	return slices.ContainsFunc(list, func(m value.Member) bool { return m.Key == key })
}

// withCorrections gives the answer of every example an empty correction if it has none and one is
// wanted.
func withCorrections(examples value.Value, wanted bool) value.Value {
	if examples.IsNull() {
		return value.OfList()
	}
	if !wanted || !examples.IsList() {
		return examples
	}
	return examples.Each(func(_ string, e value.Value) value.Value {
		if answer := e.Field("output"); answer.Kind() == value.Object && !answer.Has(KeyCorrection) {
			return e.With("output", answer.With(KeyCorrection, value.OfObject()))
		}
		return e
	})
}

// properties returns the properties of the answer: explanation and evidence, the author's extra
// fields, the output, then confidence and correction. pass is the key "pass" of the published form,
// nil if it has none.
func (p *parser) properties(s *short) (props []value.Member, pass *value.Value) {
	add := func(key string, spec value.Value) {
		if i := slices.IndexFunc(props, func(m value.Member) bool { return m.Key == key }); i >= 0 {
			props[i].Value = spec // the author's own words
			return
		}
		props = append(props, value.Member{Key: key, Value: spec})
	}
	add(KeyExplanation, explanationSpec)
	add(KeyEvidence, evidenceSpec)
	if extra := s.Extra; !extra.IsNull() && extra.Kind() != value.Object {
		p.fail("/extra", "want fields with a description or a JSON Schema, not %s", extra.Kind().WithArticle())
	}
	for key, spec := range s.Extra.Members() {
		if slices.Contains(Keys(), key) {
			p.fail("/extra/"+value.EscapePointer(key), "every answer has this field; choose another name")
			continue
		}
		add(key, p.extra("/extra/"+value.EscapePointer(key), spec))
	}
	for key, spec := range p.answer(s).Members() {
		if key == KeyOutput {
			spec, pass = p.pass(s, spec)
		} else {
			spec = p.extra("/answer/properties/"+value.EscapePointer(key), spec)
		}
		add(key, spec)
	}
	for key, spec := range value.Pairs(KeyConfidence, confidenceSpec, KeyCorrection, correctionSpec).Members() {
		if p.common.needs(key) && !hasKey(props, key) {
			add(key, spec)
		}
	}
	return props, pass
}

// extra returns the schema of a field that the author added; a text alone is its description. Texts
// get a bound, because one without is the usual way to the token limit.
func (p *parser) extra(at string, spec value.Value) value.Value {
	if words, ok := spec.Str(); ok {
		spec = value.Pairs("type", "string", "description", words)
	}
	if spec.Kind() != value.Object {
		p.fail(at, "want a description or a JSON Schema, not %s", spec.Kind().WithArticle())
		return spec
	}
	if spec.Field("type").Text() == "string" && !spec.HasAny("enum", "const") {
		return withMaxLength(spec, MaxEvidence)
	}
	return spec
}

const yesNoAnswer = "yes/no"

const answerForms = `write yes/no, a list such as [good, bad], a scale such as 1-5 (whole numbers) or 0..1 ` +
	`(any number), or a JSON Schema with the property output`

var scaleText = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?) ?(-|–|\.\.) ?(-?[0-9]+(?:\.[0-9]+)?)$`)

// answer returns the properties for which the key "answer" stands, the output among them.
func (p *parser) answer(s *short) value.Value {
	a, output := s.Answer, value.Value{}
	text, _ := a.Str()
	scale := scaleText.FindStringSubmatch(text)
	switch {
	case strings.EqualFold(strings.ReplaceAll(text, " ", ""), yesNoAnswer):
		output = value.Pairs("type", "string", "enum", value.OfStrings("yes", "no"))
	case a.IsList():
		output = value.Pairs("type", "string", "enum", a)
	case scale != nil && scale[2] != ".." && strings.Contains(scale[1]+scale[3], "."):
		p.fail("/answer", "a dash is for whole numbers; write %s..%s for any number between", scale[1], scale[3])
	case scale != nil:
		kind := "integer"
		if scale[2] == ".." {
			kind = "number"
		}
		output = value.Pairs("type", kind, "minimum", value.OfNumber(scale[1]), "maximum", value.OfNumber(scale[3]))
	case a.Field("properties").Field(KeyOutput).Kind() == value.Object:
		if !s.Scale.IsNull() {
			p.fail("/scale", "with a JSON Schema, describe the scale in properties.output.description")
		}
		return a.Field("properties")
	case a.Kind() == value.Object:
		p.fail("/answer", "the JSON Schema needs the property output (an object); the question's answer goes there")
	case spelling.Nearest(text, []string{yesNoAnswer}) != "":
		p.fail("/answer", "%q is not a kind of answer; did you mean %s?", text, yesNoAnswer)
	default:
		p.fail("/answer", "%s is not a kind of answer; %s", value.Excerpt(a.JSON(), 40), answerForms)
	}
	if output.IsNull() {
		return output
	}
	if words := p.scaleWords(s.Scale, output); words != "" {
		output = output.With("description", value.OfString(words))
	}
	return value.Pairs(KeyOutput, output)
}

// scaleWords describes what the values of the scale mean, from a text or from words by value.
func (p *parser) scaleWords(scale, output value.Value) string {
	if scale.Kind() != value.Object {
		text, ok := scale.Str()
		if !ok && !scale.IsNull() {
			p.fail("/scale", "want a text, or a text for each value, not %s", scale.Kind().WithArticle())
		}
		return text
	}
	var parts []string
	for key, words := range scale.Members() {
		p.scaleKey(key, output)
		parts = append(parts, key+" = "+words.Text())
	}
	return strings.Join(parts, "; ")
}

// scaleKey checks that a value whose meaning is given is a possible answer.
func (p *parser) scaleKey(key string, output value.Value) {
	at := "/scale" + pointerOf(key)
	if enum := output.Field("enum"); enum.IsList() {
		var list []string
		for _, e := range enum.Elements() {
			list = append(list, e.Text())
		}
		if !slices.Contains(list, key) {
			p.notCategory(at, key, list)
		}
		return
	}
	n, err := strconv.ParseFloat(key, 64)
	low, _ := output.Field("minimum").Float64()
	high, _ := output.Field("maximum").Float64()
	if err != nil || n < low || n > high {
		p.fail(at, "%q is not on the scale from %v to %v", value.Excerpt(key, 40), low, high)
	}
}

var passText = regexp.MustCompile(`^(>=|<=|==|=|>|<|≥|≤|) ?(-?[0-9]+(?:\.[0-9]+)?)$`)

// pass returns the schema of the output with its pass band, and the value of "pass" in the
// published form: the categories that pass, or null if nothing passes or fails.
func (p *parser) pass(s *short, output value.Value) (value.Value, *value.Value) {
	none := new(value.Value)
	switch pass, isBool := s.Pass.BoolVal(); {
	case output.Has("enum") && isBool: // for YAML 1.1 yes and no are truth values
		return output, new(value.OfString(map[bool]string{true: "yes", false: "no"}[pass]))
	case output.Has("enum") && !s.Pass.IsNull():
		return output, new(s.Pass)
	case output.Has("enum"):
		return output, none
	case s.Pass.IsNull() && output.HasAny("threshold_low", "threshold_high"):
		return output, nil
	case s.Pass.IsNull():
		return output, none
	}
	low, high, err := passBand(s.Pass.Text(), output)
	if err != nil {
		p.fail("/pass", "%v", err)
		return output, none
	}
	return output.With("threshold_low", low).With("threshold_high", high), nil
}

// passBand reads a band of numbers: ">= 4", "<= 2", "= 1", "3-5", "0.5..1"; a number alone means
// "from here on".
func passBand(text string, output value.Value) (low, high value.Value, err error) {
	if band := scaleText.FindStringSubmatch(text); band != nil {
		return value.OfNumber(band[1]), value.OfNumber(band[3]), nil
	}
	m := passText.FindStringSubmatch(text)
	switch {
	case text == "":
		return low, high, errors.New(`nothing is left of it: YAML needs quotation marks around ">= 4"`)
	case m == nil:
		return low, high, fmt.Errorf(`%q is not a band of numbers; write ">= 4", "<= 2", "= 1" or "3..5"`,
			value.Excerpt(text, 40))
	}
	n := value.OfNumber(m[2])
	low, high = output.Field("minimum"), output.Field("maximum")
	switch whole, ok := n.Int64(); m[1] {
	case "<=", "≤":
		high = n
	case "=", "==":
		low, high = n, n
	case ">", "<":
		if !ok || output.Field("type").Text() != "integer" {
			return low, high, fmt.Errorf("a band includes its bounds; write %s= %s", m[1], m[2])
		}
		if m[1] == ">" {
			low = value.OfInt(whole + 1)
		} else {
			high = value.OfInt(whole - 1)
		}
	default:
		low = n
	}
	return low, high, nil
}
