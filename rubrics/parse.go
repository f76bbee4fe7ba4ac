package rubrics

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// parse reads one rubric from a record, and returns the rubric or the problems.
func parse(from source) (*Rubric, []*Problem) {
	p := &parser{r: &Rubric{File: from.file, Line: from.line, origin: origin{source: from}}}
	for _, pointer := range from.repeated {
		p.fail(pointer, "the key appears twice; remove one")
	}
	record := from.value
	if record.Has("jsonschema") && record.HasAny("question", "answer") {
		p.fail("/jsonschema", "a rubric has a question with its answer, or a jsonschema, not both; remove one")
		return nil, p.problems
	}
	if p.r.origin.short = isShort(record); p.r.origin.short {
		record = p.expand(record)
	}
	if !p.r.origin.short || len(p.problems) == 0 {
		p.parse(record)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return p.r, nil
}

type parser struct {
	r        *Rubric
	common   common
	problems []*Problem
}

// fail records a problem of the value at a JSON Pointer of the record.
func (p *parser) fail(pointer, format string, args ...any) {
	p.problems = append(p.problems, p.r.problem(pointer, format, args...))
}

func (p *parser) parse(record value.Value) {
	p.r.record = record
	name, ok := record.Field("name").Str()
	control := func(c rune) bool { return c < ' ' }
	switch {
	case !ok:
		p.fail("/name", "the rubric needs a name (a string)")
	case strings.TrimSpace(name) == "" || len(name) > 200 || strings.ContainsFunc(name, control):
		p.fail("/name", "the name must be 1 to 200 characters on one line")
	}
	p.r.Name = name
	p.readCommon(record)
	p.compareWith(record.Field("compare_with"))
	p.schema(record)
	p.worstOf()
	p.combine()
	p.examples(record)
	if len(p.problems) == 0 {
		p.rules()
	}
	if len(p.problems) == 0 {
		p.r.finish()
	}
}

// compareWith reads one name, or a list of names.
func (p *parser) compareWith(v value.Value) {
	const at = "/compare_with"
	take := func(at string, e value.Value) {
		name, ok := e.Str()
		if !ok || strings.TrimSpace(name) == "" {
			p.fail(at, "must be the name of a scorer, or a list of names, not %s", kindOrText(e))
			return
		}
		p.r.CompareWith = append(p.r.CompareWith, name)
	}
	switch {
	case v.IsList():
		for i, e := range v.Elements() {
			take(at+"/"+strconv.Itoa(i), e)
		}
	case !v.IsNull():
		take(at, v)
	}
}

const properties = "/jsonschema/properties/"

func (p *parser) schema(record value.Value) {
	r, s := p.r, record.Field("jsonschema")
	if s.Kind() != value.Object {
		p.fail("/jsonschema", "the rubric needs a jsonschema (an object)")
		return
	}
	r.Schema, r.Title = s, s.Field("title").Text()
	r.Description, _ = s.Field("description").Str()
	if strings.TrimSpace(r.Description) == "" {
		p.fail("/jsonschema/description", "the schema needs a description: it says what to grade")
	}
	r.Description += guidelineText(r.Guidelines)
	if t := s.Field("type"); !t.IsNull() && t.Text() != "object" {
		p.fail("/jsonschema/type", "the answer is an object: set \"type\": \"object\"")
	}
	props := s.Field("properties")
	if props.Kind() != value.Object {
		p.fail("/jsonschema/properties", "the schema needs properties: %s", strings.Join(Keys(), ", "))
		return
	}
	for _, key := range Keys() {
		switch spec := props.Field(key); {
		case !props.Has(key) && !p.common.needs(key):
		case spec.Kind() != value.Object:
			p.fail(properties+key, "the schema needs the property %q (an object)", key)
		case key == KeyOutput:
			p.output(record, spec)
		case key == KeyConfidence:
			p.confidence(spec)
		}
	}
}

// rules compiles the schema by which answers are checked. A keyword that cannot mean anything is
// reported here, because answers would pass it unchecked.
func (p *parser) rules() {
	r := p.r
	for key := range r.Schema.Field("properties").Members() {
		r.keys = append(r.keys, key)
	}
	p.checkReplaced()
	var err error
	r.rules, err = schema.Compile(r.closeSchema(r.Schema), schema.Config{Answer: true})
	if err == nil {
		return
	}
	if invalid, ok := errors.AsType[*schema.InvalidError](err); ok {
		p.fail("/jsonschema"+invalid.Path, "not a value that this keyword of JSON Schema can have (%s)", invalid.Rule)
		return
	}
	p.fail("/jsonschema", "%v", err)
}

// checkReplaced checks the keywords that closeSchema replaces: the compiler does not see them.
func (p *parser) checkReplaced() {
	required, extra := p.r.Schema.Field("required"), p.r.Schema.Field("additionalProperties")
	names := required.IsList() || !p.r.Schema.Has("required")
	for _, name := range required.Elements() {
		names = names && name.Kind() == value.String
	}
	if !names {
		p.fail("/jsonschema/required", "must be a list of names, not %s", required.Kind().WithArticle())
	}
	if p.r.Schema.Has("additionalProperties") && extra.Kind() != value.Bool && extra.Kind() != value.Object {
		p.fail("/jsonschema/additionalProperties", "must be true, false or a schema, not %s", extra.Kind().WithArticle())
	}
}

func (p *parser) output(record, spec value.Value) {
	const at = properties + KeyOutput
	o, t := &p.r.Output, spec.Field("type")
	o.Description, _ = spec.Field("description").Str()
	pass, given := record.Get("pass")
	if t.Text() == "string" && spec.Has("enum") {
		p.categories(pass, spec)
		return
	}
	if o.Integer = t.Text() == "integer"; !o.Integer && t.Text() != "number" {
		p.fail(at+"/type", "the output must be of type \"integer\" or \"number\", not %s", kindOrText(t))
		return
	}
	before := len(p.problems)
	o.Min, o.Max = p.number(at, spec, "minimum"), p.number(at, spec, "maximum")
	switch {
	case given && pass.IsNull():
		o.dropPass()
	case given:
		p.fail("/pass", "on a scale of numbers, threshold_low and threshold_high say what passes")
	default:
		o.Low, o.High = p.number(at, spec, "threshold_low"), p.number(at, spec, "threshold_high")
	}
	switch {
	case len(p.problems) > before:
	case o.Min >= o.Max:
		p.fail(at+"/maximum", "the maximum %v must be greater than the minimum %v", o.Max, o.Min)
	case !o.NoPass:
		p.band(at, spec, Band{o.Min, o.Max}, Band{o.Low, o.High})
	}
}

// categories reads the list of categories and which of them pass; null means that none passes or
// fails.
func (p *parser) categories(pass, spec value.Value) {
	const at = properties + KeyOutput + "/enum"
	before, list, low := len(p.problems), []string{}, []string{}
	for i, e := range spec.Field("enum").Elements() {
		name, ok := e.Str()
		here := at + "/" + strconv.Itoa(i)
		switch {
		case !ok:
			p.fail(here, "a category is a text, not %s; write it in quotation marks", e.Kind().WithArticle())
		case strings.TrimSpace(name) != name || name == "" || len(name) > 100 || strings.ContainsAny(name, "\n\r\t"):
			p.fail(here, "a category has 1 to 100 characters on one line, without blanks around them")
		case sameName(name, NotApplicable):
			p.fail(here, "set not_applicable: yes instead of a category of that name")
		case slices.Contains(low, strings.ToLower(name)):
			p.fail(here, "the category %q appears twice", name)
		}
		list, low = append(list, name), append(low, strings.ToLower(name))
	}
	if len(list) < 2 {
		p.fail(at, "a list of categories has two at least")
	}
	passing := pass.Slice()
	if !pass.IsList() && !pass.IsNull() {
		passing = []value.Value{pass}
	} else if pass.IsList() && len(passing) == 0 {
		p.fail("/pass", "name the categories that pass, or leave it out for no pass rate")
	}
	var names []string
	for _, e := range passing {
		if name := e.Text(); slices.Contains(list, name) {
			names = append(names, name)
		} else {
			p.notCategory("/pass", name, list)
		}
	}
	if len(p.problems) == before {
		p.r.Output.setCategories(list, names)
	}
}

// notCategory complains about a name that is not one of the categories.
func (p *parser) notCategory(at, name string, list []string) {
	hint := "they are " + strings.Join(list, ", ")
	if near := spelling.Nearest(name, list); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.fail(at, "%q is not a category; %s", value.Excerpt(name, 40), hint)
}

// confidence reads the band in which an answer counts as sure. Without thresholds
// every confidence counts.
func (p *parser) confidence(spec value.Value) {
	const at = properties + KeyConfidence
	if t := spec.Field("type"); t.Text() != "number" && t.Text() != "integer" {
		p.fail(at+"/type", "the confidence must be of type \"number\", not %s", kindOrText(t))
		return
	}
	before := len(p.problems)
	or := func(key string, otherwise float64) float64 {
		if !spec.Has(key) {
			return otherwise
		}
		return p.number(at, spec, key)
	}
	scale := Band{or("minimum", 0), or("maximum", 1)}
	p.r.Confidence = Band{or("threshold_low", scale.Low), or("threshold_high", scale.High)}
	if len(p.problems) == before {
		p.band(at, spec, scale, p.r.Confidence)
	}
}

// band complains about thresholds that are not an interval inside the range.
func (p *parser) band(at string, spec value.Value, scale, band Band) {
	outside := func(key string) {
		p.fail(at+"/"+key, "%s is outside the range %v to %v", spec.Field(key).Text(), scale.Low, scale.High)
	}
	switch {
	case !scale.Contains(band.Low):
		outside("threshold_low")
	case !scale.Contains(band.High):
		outside("threshold_high")
	case band.Low > band.High:
		p.fail(at+"/threshold_low", "%v is greater than threshold_high %v", band.Low, band.High)
	}
}

func (p *parser) number(at string, spec value.Value, key string) float64 {
	f, ok := spec.Field(key).Float64()
	if !ok {
		p.fail(at+"/"+key, "needs a finite number")
	}
	return f
}

func (p *parser) examples(record value.Value) {
	list := record.Field("examples")
	if !list.IsList() && !list.IsNull() {
		p.fail("/examples", "examples must be a list, not %s", list.Kind().WithArticle())
		return
	}
	for i, e := range list.Elements() {
		at := "/examples/" + strconv.Itoa(i)
		if e.Kind() != value.Object {
			p.fail(at, "an example is an object with %s and output, not %s", keyEnvelope, e.Kind().WithArticle())
			continue
		}
		p.r.Examples = append(p.r.Examples, p.example(at, e))
	}
}

// example reads {"user_kwargs": {the record}, "output": {the answer}}, or a record whose own keys
// stand beside the answer.
func (p *parser) example(at string, e value.Value) Example {
	ex := Example{asWritten: e.Field("output"), answerAt: at + "/output", recordAt: at, Task: e.Field("task").Text()}
	record, nested := e.Get(keyEnvelope)
	if !nested {
		record = e
	} else {
		ex.recordAt = at + "/" + keyEnvelope
	}
	if record.Kind() != value.Object {
		p.fail(ex.recordAt, "must be an object with conversation_context, tools_inventory and tool_call, not %s",
			record.Kind().WithArticle())
		return ex
	}
	before := len(p.problems)
	ex.Conversation = p.list(ex.recordAt, record, "conversation_context")
	ex.Tools = p.list(ex.recordAt, record, "tools_inventory")
	ex.Call = record.Field("tool_call")
	call := ex.recordAt + "/tool_call"
	switch {
	case p.r.Scope == ScopeResult && !ex.Call.IsNull():
		p.fail(call, "put the judged call with its result into conversation_context, as the last message of role tool: "+
			"{role: tool, name, parameters, output}")
	case p.r.Scope == ScopeCall || !ex.Call.IsNull():
		p.need(call, record, "tool_call", "it holds the judged call, {\"name\", \"parameters\"}")
	}
	if name := ex.Call.Field("name"); ex.Call.Kind() == value.Object && name.Text() == "" {
		p.need(call+"/name", ex.Call, "name", "it names the called tool")
	}
	p.need(ex.answerAt, e, "output", "it holds the answer, an object with "+strings.Join(Keys(), ", "))
	if len(p.problems) == before {
		p.log(&ex)
	}
	return ex
}

// need complains about a key that is missing, or whose value is not an object (for "name": is
// empty). holding says what the key must hold.
func (p *parser) need(at string, in value.Value, key, holding string) {
	v, there := in.Get(key)
	switch {
	case !there:
		p.fail(at, "the key is missing: %s; here are %s", holding, keyList(in))
	case key == "name" || v.Kind() != value.Object:
		p.fail(at, "not usable: %s; here is %s", holding, v.Kind().WithArticle())
	}
}

// log turns the record of an example into a conversation of a log, so that one renderer shows both.
func (p *parser) log(ex *Example) {
	call := ex.Call
	if call.IsNull() { // the reader needs one
		call = value.Pairs("name", "none", "parameters", value.OfObject())
	}
	record := value.Pairs("conversation_context", ex.Conversation, "tools_inventory", ex.Tools, "tool_call", call)
	text := strings.NewReader(record.JSON())
	for conv, err := range format.Open(context.Background(), p.r.File, text, format.Options{}).All() {
		if err != nil {
			p.fail(ex.recordAt, "not readable as a conversation: %v", err)
			continue
		}
		if ex.Call.IsNull() {
			conv.Calls, conv.Messages = conv.Calls[:len(conv.Calls)-1], conv.Messages[:len(conv.Messages)-1]
		}
		if p.r.Scope == ScopeResult {
			p.judgeLastCall(ex, conv)
		}
		ex.Log = conv
	}
}

// judgeLastCall makes the last call of an example's conversation the judged one. The call needs a
// result.
func (p *parser) judgeLastCall(ex *Example, conv *transcript.Conversation) {
	n := len(conv.Calls)
	if n == 0 || conv.Calls[n-1].Result < 0 {
		p.fail(ex.recordAt+"/conversation_context", "the last call is the judged one and needs its result: "+
			"{role: tool, name, parameters, output}")
		return
	}
	ex.Call = value.Pairs("name", conv.Calls[n-1].Name, "parameters", conv.Calls[n-1].Arguments)
}

// keyList names the keys of an object, for messages about a key that it lacks.
func keyList(v value.Value) string {
	var keys []string
	for key := range v.Members() {
		keys = append(keys, value.Excerpt(key, 40))
	}
	if len(keys) == 0 {
		return "no keys"
	}
	return strings.Join(keys[:min(len(keys), 8)], ", ")
}

// list reads a list of objects; an absent key is an empty list.
func (p *parser) list(at string, record value.Value, key string) []value.Value {
	at += "/" + key
	v := record.Field(key)
	if !v.IsList() && !v.IsNull() {
		p.fail(at, "must be a list of objects, not %s", v.Kind().WithArticle())
	}
	var out []value.Value
	for i, m := range v.Elements() {
		if m.Kind() != value.Object {
			p.fail(at+"/"+strconv.Itoa(i), "must be an object, not %s", m.Kind().WithArticle())
			continue
		}
		out = append(out, m)
	}
	return out
}

func kindOrText(v value.Value) string {
	if s, ok := v.Str(); ok {
		return strconv.Quote(s)
	}
	return v.Kind().WithArticle()
}
