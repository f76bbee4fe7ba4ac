package rubrics

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Problem is one thing that is wrong with a rubric file.
type Problem struct {
	File string
	// Line is 1-based; it is the line of the field where that can be told, else of
	// the record.
	Line int
	// Field is the place inside the record, as "jsonschema.properties.output"; ""
	// for the whole record.
	Field   string
	Message string
}

// Error returns "file:line: field: message".
func (p *Problem) Error() string {
	if p.Field == "" {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Field, p.Message)
}

// Parse reads one rubric from its JSON text. file and line say where it stands and
// only serve messages. The error is a *Problem, or several joined.
func Parse(data []byte, file string, line int) (*Rubric, error) {
	p := &parser{file: file, line: line, raw: data}
	r := p.parse()
	if len(p.problems) > 0 {
		return nil, joinProblems(p.problems)
	}
	return r, nil
}

type parser struct {
	file     string
	line     int
	raw      []byte
	problems []*Problem
}

func (p *parser) fail(path []string, format string, args ...any) {
	p.problems = append(p.problems, &Problem{
		File: p.file, Line: p.line + lineOf(p.raw, path), Field: fieldName(path),
		Message: fmt.Sprintf(format, args...),
	})
}

func (p *parser) parse() *Rubric {
	record, repeated, err := value.ParseUnique(p.raw)
	switch {
	case err != nil:
		p.fail(nil, "not readable as JSON: %v", err)
		return nil
	case record.Kind() != value.Object:
		p.fail(nil, "a rubric is a JSON object with name, jsonschema and examples, not %s", record.Kind().WithArticle())
		return nil
	}
	for _, pointer := range repeated {
		p.fail(pointerPath(pointer), "the key stands twice; remove one")
	}
	r := &Rubric{File: p.file, Line: p.line, raw: bytes.Clone(p.raw)}
	p.name(r, record)
	p.schema(r, record)
	p.examples(r, record)
	if len(p.problems) == 0 {
		p.rules(r)
	}
	if len(p.problems) > 0 {
		return nil
	}
	r.finish(record)
	return r
}

func (p *parser) name(r *Rubric, record value.Value) {
	name, ok := record.Field("name").Str()
	switch {
	case !ok:
		p.fail([]string{"name"}, "the rubric needs a name (a string)")
	case strings.TrimSpace(name) == "" || len(name) > 200 || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }):
		p.fail([]string{"name"}, "the name must be 1 to 200 characters on one line")
	}
	r.Name = name
}

func (p *parser) schema(r *Rubric, record value.Value) {
	schema, ok := record.Get("jsonschema")
	if !ok || schema.Kind() != value.Object {
		p.fail([]string{"jsonschema"}, "the rubric needs a jsonschema (an object)")
		return
	}
	r.Schema = schema
	r.Title, _ = schema.Field("title").Str()
	r.Description, _ = schema.Field("description").Str()
	if strings.TrimSpace(r.Description) == "" {
		p.fail([]string{"jsonschema", "description"}, "the schema needs a description: it tells the judge what to grade")
	}
	if t := schema.Field("type"); !t.IsNull() && t.Text() != "object" {
		p.fail([]string{"jsonschema", "type"}, "the answer is an object: set \"type\": \"object\"")
	}
	props := schema.Field("properties")
	if props.Kind() != value.Object {
		p.fail([]string{"jsonschema", "properties"}, "the schema needs properties: %s", strings.Join(Keys(), ", "))
		return
	}
	for _, key := range Keys() {
		if props.Field(key).Kind() != value.Object {
			p.fail([]string{"jsonschema", "properties", key}, "the schema needs the property %q (an object)", key)
		}
	}
	if props.Field(KeyOutput).Kind() == value.Object {
		p.output(r, props.Field(KeyOutput))
	}
	if props.Field(KeyConfidence).Kind() == value.Object {
		p.confidence(r, props.Field(KeyConfidence))
	}
}

// rules reads what an answer is checked by. A keyword that cannot mean anything is a
// mistake here and now: answers would pass it unchecked.
func (p *parser) rules(r *Rubric) {
	read := keywordReader{}
	read.walk(nil, r.Schema, 0)
	for _, x := range read.doubts {
		if x.severity == malformed {
			p.fail(append([]string{"jsonschema"}, x.path...), "%s", x.message)
			continue
		}
		r.doubtful = append(r.doubtful, x)
	}
	if len(p.problems) > 0 {
		return
	}
	for key := range r.Schema.Field("properties").Members() {
		r.keys = append(r.keys, key)
	}
	var err error
	if r.rules, err = r.answerSchema(); err != nil {
		p.fail([]string{"jsonschema"}, "%v", err)
	}
}

func (p *parser) output(r *Rubric, spec value.Value) {
	at := []string{"jsonschema", "properties", KeyOutput}
	switch t := spec.Field("type").Text(); t {
	case "integer":
		r.Output.Integer = true
	case "number":
	default:
		p.fail(append(at, "type"), "the output must be of type \"integer\" or \"number\", not %s", kindOrText(spec.Field("type")))
		return
	}
	r.Output.Description, _ = spec.Field("description").Str()
	before := len(p.problems)
	o := &r.Output
	o.Min, o.Max = p.number(at, spec, "minimum"), p.number(at, spec, "maximum")
	o.Low, o.High = p.number(at, spec, "threshold_low"), p.number(at, spec, "threshold_high")
	if len(p.problems) > before {
		return
	}
	if o.Min >= o.Max {
		p.fail(append(at, "maximum"), "the maximum %v must be greater than the minimum %v", o.Max, o.Min)
		return
	}
	p.band(at, spec, Band{o.Min, o.Max}, Band{o.Low, o.High})
}

// band complains about thresholds that are no interval inside the range.
func (p *parser) band(at []string, spec value.Value, scale, band Band) {
	switch {
	case !scale.Contains(band.Low):
		p.fail(append(at, "threshold_low"), "%s lies outside the range %v to %v", spec.Field("threshold_low").Text(), scale.Low, scale.High)
	case !scale.Contains(band.High):
		p.fail(append(at, "threshold_high"), "%s lies outside the range %v to %v", spec.Field("threshold_high").Text(), scale.Low, scale.High)
	case band.Low > band.High:
		p.fail(append(at, "threshold_low"), "%v is greater than threshold_high %v", band.Low, band.High)
	}
}

// confidence reads the band in which an answer counts as sure. Without thresholds
// every confidence counts.
func (p *parser) confidence(r *Rubric, spec value.Value) {
	at := []string{"jsonschema", "properties", KeyConfidence}
	if t := spec.Field("type").Text(); t != "number" && t != "integer" {
		p.fail(append(at, "type"), "the confidence must be of type \"number\", not %s", kindOrText(spec.Field("type")))
		return
	}
	scale := Band{0, 1}
	before := len(p.problems)
	if spec.Has("minimum") {
		scale.Low = p.number(at, spec, "minimum")
	}
	if spec.Has("maximum") {
		scale.High = p.number(at, spec, "maximum")
	}
	r.Confidence = scale
	if spec.Has("threshold_low") {
		r.Confidence.Low = p.number(at, spec, "threshold_low")
	}
	if spec.Has("threshold_high") {
		r.Confidence.High = p.number(at, spec, "threshold_high")
	}
	if len(p.problems) == before {
		p.band(at, spec, scale, r.Confidence)
	}
}

func (p *parser) number(at []string, spec value.Value, key string) float64 {
	f, ok := spec.Field(key).Float64()
	if !ok {
		p.fail(append(at[:len(at):len(at)], key), "needs a finite number")
	}
	return f
}

func (p *parser) examples(r *Rubric, record value.Value) {
	list, ok := record.Get("examples")
	if !ok {
		return
	}
	if !list.IsList() {
		p.fail([]string{"examples"}, "examples must be a list, not %s", list.Kind().WithArticle())
		return
	}
	for i, e := range list.Elements() {
		at := []string{"examples", strconv.Itoa(i)}
		if e.Kind() != value.Object {
			p.fail(at, "an example is an object with user_kwargs and output, not %s", e.Kind().WithArticle())
			continue
		}
		r.Examples = append(r.Examples, p.example(at, e))
	}
}

// example reads {"user_kwargs": {the record}, "output": {the answer}}, or the keys of the
// record beside the answer.
func (p *parser) example(at []string, e value.Value) Example {
	record, nested := e.Get(keyEnvelope)
	ex := Example{nested: nested, asWritten: e.Field("output")}
	here := append(at[:len(at):len(at)], ex.envelope()...)
	switch {
	case !nested:
		record = e
	case record.Kind() != value.Object:
		p.fail(here, "must be an object with conversation_context, tools_inventory and tool_call, not %s", record.Kind().WithArticle())
		return ex
	}
	ex.Conversation = p.list(here, record, "conversation_context")
	ex.Tools = p.list(here, record, "tools_inventory")
	ex.Call = record.Field("tool_call")
	call := append(here[:len(here):len(here)], "tool_call")
	name, named := ex.Call.Field("name").Str()
	switch {
	case !record.Has("tool_call"):
		p.fail(call, "the key is missing: it holds the judged call, {\"name\", \"parameters\"}; here are %s", keyList(record))
	case ex.Call.Kind() != value.Object:
		p.fail(call, "the judged call must be an object with name and parameters, not %s", ex.Call.Kind().WithArticle())
	case !ex.Call.Has("name"):
		p.fail(append(call, "name"), "the key is missing: it names the called tool; here are %s", keyList(ex.Call))
	case !named || name == "":
		p.fail(append(call, "name"), "must be the name of the called tool")
	}
	answer := append(at[:len(at):len(at)], "output")
	switch {
	case !e.Has("output"):
		p.fail(answer, "the key is missing: it holds the answer, an object with %s; here are %s", strings.Join(Keys(), ", "), keyList(e))
	case ex.asWritten.Kind() != value.Object:
		p.fail(answer, "the answer must be an object with %s, not %s", strings.Join(Keys(), ", "), ex.asWritten.Kind().WithArticle())
	}
	return ex
}

// keyList names the keys that an object has, for messages about one that it has not.
func keyList(v value.Value) string {
	var keys []string
	for key := range v.Members() {
		keys = append(keys, clipText(key, 40))
	}
	if len(keys) == 0 {
		return "no keys"
	}
	return strings.Join(keys[:min(len(keys), 8)], ", ")
}

// list reads a list of objects; an absent key is an empty list.
func (p *parser) list(at []string, e value.Value, key string) []value.Value {
	path := append(at[:len(at):len(at)], key)
	v := e.Field(key)
	if v.IsNull() {
		return nil
	}
	if !v.IsList() {
		p.fail(path, "must be a list of objects, not %s", v.Kind().WithArticle())
		return nil
	}
	out := make([]value.Value, 0, v.Len())
	for i, m := range v.Elements() {
		if m.Kind() != value.Object {
			p.fail(append(path[:len(path):len(path)], strconv.Itoa(i)), "must be an object, not %s", m.Kind().WithArticle())
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
