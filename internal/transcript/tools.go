package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// inventory is a list of tools as it was read, with what is needed to read the same
// list again without work: logs repeat it on every line.
type inventory struct {
	raw   string
	tools []Tool
	names map[string]bool
	notes []Note
}

func (in *inventory) has(name string) bool { return in.names[name] }

// ParseTools reads a tool inventory: a list of definitions in the form of OpenAI
// (nested or flat), Anthropic, MCP or the rubric examples, or an object of name and
// definition. The notes name what could not be read; their place is inside the
// list.
func ParseTools(v value.Value) ([]Tool, []Note) {
	var tools []Tool
	var notes []Note
	add := func(name string, def value.Value, at string) {
		t, note := tool(name, def)
		if note != "" {
			notes = append(notes, Note{Kind: "tool_not_read", Place: at, Detail: note})
		}
		if t.Name != "" {
			tools = append(tools, t)
		}
	}
	switch v.Kind() {
	case value.Null:
	case value.List:
		for i, def := range v.Elements() {
			if nested := def.Field("function_declarations"); nested.IsList() {
				more, odd := ParseTools(nested)
				tools, notes = append(tools, more...), append(notes, odd...)
				continue
			}
			add("", def, place("tools", i))
		}
	case value.Object:
		for name, def := range v.Members() {
			add(name, def, "tools."+name)
		}
	case value.String:
		inner, err := value.ParseString(v.Text())
		if err == nil && inner.Kind() != value.String {
			return ParseTools(inner)
		}
		notes = append(notes, Note{Kind: "tool_not_read", Place: "tools", Detail: "the inventory is a text: " + quote(v.Text())})
	default:
		notes = append(notes, Note{Kind: "tool_not_read", Place: "tools", Detail: "the inventory is " + article(v.Kind())})
	}
	return tools, notes
}

// tool reads one definition. name is the key it stands under, "" in a list.
func tool(name string, raw value.Value) (Tool, string) {
	def := raw
	if s, ok := def.Str(); ok {
		inner, err := value.ParseString(s)
		switch {
		case err == nil && inner.Kind() == value.Object:
			def = inner
		case name != "":
			raw = object("name", value.OfString(name)).With("description", raw)
			return Tool{Name: name, Description: s, Raw: raw}, ""
		default:
			return Tool{Name: s, Raw: raw}, ""
		}
	}
	for _, nested := range []string{"function", "custom"} {
		if f := def.Field(nested); f.Kind() == value.Object {
			def = f
			break
		}
	}
	if name != "" && !def.Has("name") && raw.Kind() == value.Object {
		raw = raw.With("name", value.OfString(name))
	}
	t := Tool{Name: name, Raw: raw}
	if n, ok := def.Field("name").Str(); ok {
		t.Name = n
	}
	if t.Name == "" {
		return t, "a tool has no name: " + quote(raw.JSON())
	}
	t.Name = strings.Clone(t.Name)
	t.Description = def.Field("description").Text()
	for _, key := range []string{"parameters", "input_schema", "inputSchema", "arguments", "args"} {
		if p, ok := def.Get(key); ok {
			t.Parameters = parameters(p)
			break
		}
	}
	return t, ""
}

// parameters returns the JSON Schema of a tool's parameters. A JSON Schema stays as
// it is; a map of names and shorthand types, and a list of named parameters, become
// one. In these a parameter is required unless it says otherwise.
func parameters(p value.Value) value.Value {
	switch p.Kind() {
	case value.Object:
		if isSchema(p) {
			return p
		}
		return objectSchema(p)
	case value.List:
		var members []value.Member
		for _, e := range p.Elements() {
			name, ok := e.Field("name").Str()
			if !ok {
				return value.Value{}
			}
			members = append(members, value.Member{Key: name, Value: e.Without("name")})
		}
		return objectSchema(value.OfObject(members...))
	}
	return value.Value{}
}

// isSchema tells a JSON Schema from a map of parameter names: its keywords have the
// values that the keywords demand. {} is a schema.
func isSchema(p value.Value) bool {
	if p.Len() == 0 {
		return true
	}
	if p.Field("properties").Kind() == value.Object {
		return true
	}
	switch p.Field("type").Text() {
	case "object", "dict":
		// A parameter called "type" of type "object" has siblings that are types.
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
	var properties []value.Member
	required := []value.Value{}
	for name, def := range params.Members() {
		schema, optional := shorthand(def)
		properties = append(properties, value.Member{Key: name, Value: schema})
		if !optional {
			required = append(required, value.OfString(name))
		}
	}
	return value.OfObject(
		value.Member{Key: "type", Value: value.OfString("object")},
		value.Member{Key: "properties", Value: value.OfObject(properties...)},
		value.Member{Key: "required", Value: value.OfList(required...)},
	)
}
