package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// parseTools reads a tool inventory: a list of definitions in the form of OpenAI (nested or flat),
// Anthropic, MCP or the rubric examples, or an object of names and definitions. The notes say what
// could not be read; their places are inside the list.
func parseTools(v value.Value) ([]transcript.Tool, []transcript.Note) {
	var tools []transcript.Tool
	var notes []transcript.Note
	odd := func(at, detail string) {
		notes = append(notes, transcript.Note{Kind: "tool_not_read", Place: at, Detail: detail})
	}
	add := func(name string, def value.Value, at string) {
		t, problem := tool(name, def)
		if problem != "" {
			odd(at, problem)
			return
		}
		tools = append(tools, t)
	}
	switch v.Kind() {
	case value.Null:
	case value.List:
		for i, def := range v.Elements() {
			if nested, _ := def.First("function_declarations", "functionDeclarations", "tools"); nested.IsList() {
				more, problems := parseTools(nested)
				tools, notes = append(tools, more...), append(notes, problems...)
				continue
			}
			add("", def, fmt.Sprintf("tools[%d]", i))
		}
	case value.Object:
		if nested := v.Field("tools"); nested.IsList() { // a reply to tools/list, a namespace
			return parseTools(nested)
		}
		for name, def := range v.Members() {
			add(name, def, "tools."+name)
		}
	case value.String:
		inner, err := value.ParseString(v.Text())
		if err == nil && inner.Kind() != value.String {
			return parseTools(inner)
		}
		odd("tools", "the inventory is a text: "+value.Quote(v.Text()))
	default:
		odd("tools", "the inventory is "+v.Kind().WithArticle())
	}
	return tools, notes
}

// tool reads one definition. name is its key, "" in a list.
func tool(name string, raw value.Value) (t transcript.Tool, problem string) {
	def := raw
	if s, ok := def.Str(); ok {
		inner, err := value.ParseString(s)
		switch {
		case err == nil && inner.Kind() == value.Object:
			def = inner
		case name != "":
			raw = value.Pairs("name", value.OfString(name)).With("description", raw)
			return transcript.Tool{Name: name, Description: s, Raw: raw}, ""
		case s != "":
			return transcript.Tool{Name: s, Raw: raw}, ""
		}
	}
	def = def.Inside("function", "custom", "toolSpec")
	if name != "" && !def.Has("name") && raw.Kind() == value.Object {
		raw = raw.With("name", value.OfString(name))
	}
	t = transcript.Tool{Name: strings.Clone(name), Raw: raw, Description: def.Field("description").Text()}
	if n, ok := def.Field("name").Str(); ok {
		t.Name = strings.Clone(n)
	}
	if t.Name == "" {
		return t, "a tool has no name: " + value.Quote(raw.JSON())
	}
	if p, ok := def.First("parameters", "input_schema", "inputSchema", "arguments", "args",
		"parametersJsonSchema", "parameters_json_schema"); ok {
		t.Parameters, t.Listed = parameters(p)
	}
	return t, ""
}

// parameters returns the JSON Schema of a tool's parameters. A JSON Schema is returned unchanged; a
// map of names to shorthand types, and a list of named parameters, are converted. In these, a
// parameter is required unless it says otherwise.
func parameters(p value.Value) (schema value.Value, listed bool) {
	for _, wrapping := range []string{"json", "jsonSchema"} { // the forms of Bedrock and of the Vercel AI SDK
		if inner := p.Field(wrapping); inner.Kind() == value.Object && p.Len() == 1 {
			p = inner
		}
	}
	switch p.Kind() {
	case value.Object:
		if p.Field("type").Text() == "OBJECT" {
			return lowerTypes(p, 0), false
		}
		if isSchema(p) {
			return p, false
		}
		return objectSchema(p), true
	case value.List:
		var members []value.Member
		for _, e := range p.Elements() {
			name, ok := e.Field("name").Str()
			if !ok {
				return value.Value{}, false
			}
			members = append(members, value.Member{Key: name, Value: e.Without("name")})
		}
		return objectSchema(value.OfObject(members...)), true
	}
	return value.Value{}, false
}

// lowerTypes converts a Gemini schema, whose types are in capitals, to a JSON Schema.
func lowerTypes(v value.Value, depth int) value.Value {
	if depth > maxShorthand {
		return v
	}
	return v.Each(func(key string, e value.Value) value.Value {
		switch word, isText := e.Str(); {
		case isText && key == "type":
			return value.OfString(strings.ToLower(word))
		case key == "enum" || key == "default" || key == "example":
			return e
		}
		return lowerTypes(e, depth+1)
	})
}

// isSchema distinguishes a JSON Schema from a map of parameter names: the values of its keywords
// must be valid. {} is a schema.
func isSchema(p value.Value) bool {
	if p.Len() == 0 || p.Field("properties").Kind() == value.Object {
		return true
	}
	switch p.Field("type").Text() {
	case "object", "dict":
		// If "type" and "object" are a parameter and its type, the other keys have types too.
		for k, v := range p.Members() {
			if _, word := v.Str(); word && k != "type" && k != "description" && k != "title" && k[0] != '$' {
				return false
			}
		}
		return true
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if p.Field(k).IsList() {
			return true
		}
	}
	_, ref := p.Field("$ref").Str()
	return ref
}

func objectSchema(params value.Value) value.Value {
	var p properties
	for name, def := range params.Members() {
		schema, optional := shorthand(def)
		p.members = append(p.members, value.Member{Key: name, Value: schema})
		if !optional {
			p.required = append(p.required, name)
		}
	}
	return p.schema()
}

// properties collects the parameters of a tool; of equal names the first counts.
type properties struct {
	members  []value.Member
	required []string
}

func (p *properties) add(name string, schema value.Value, required bool) {
	if slices.ContainsFunc(p.members, func(m value.Member) bool { return m.Key == name }) {
		return
	}
	p.members = append(p.members, value.Member{Key: name, Value: schema})
	if required {
		p.required = append(p.required, name)
	}
}

func (p *properties) schema() value.Value {
	return value.Pairs("type", value.OfString("object")).
		With("properties", value.OfObject(p.members...)).
		With("required", value.OfStrings(p.required...))
}
