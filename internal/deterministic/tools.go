package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// tool is one tool definition as scorers read it.
type tool struct {
	name string
	// definition is the object that holds the name: the definition itself, or what
	// stands under "function".
	definition value.Value
}

// readTool reads one definition.
func readTool(v value.Value) (tool, bool) {
	if inner, ok := v.Get("function"); ok && inner.Kind() == value.Object {
		v = inner
	}
	name, ok := v.Field("name").Str()
	return tool{name, v}, ok
}

// findTool returns the first definition of a name among the tools, which may be a
// list or a single definition.
func findTool(tools value.Value, name string) (tool, bool) {
	if tools.Kind() == value.Object {
		t, ok := readTool(tools)
		return t, ok && t.name == name
	}
	for _, v := range tools.Elements() {
		if t, ok := readTool(v); ok && t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// checkTools reports an error when there are no tools or one of them is none.
func checkTools(tools value.Value) error {
	if tools.Kind() == value.Object {
		tools = value.OfList(tools)
	}
	if !tools.IsList() || tools.Len() == 0 {
		return scorer.Config("tools", "are missing: give the definitions of the tools")
	}
	for i, v := range tools.Elements() {
		if _, ok := readTool(v); !ok {
			return scorer.Config("tools", "definition %d has no name", i)
		}
	}
	return nil
}

// schemaOf returns the JSON Schema of a tool's arguments, false where it has none.
func (t tool) schemaOf() (value.Value, bool) {
	for _, key := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if s, ok := t.definition.Get(key); ok && !s.IsNull() {
			return s, true
		}
	}
	return value.Value{}, false
}

// parameter is one declared parameter.
type parameter struct {
	name     string
	required bool
	// types are the names of the allowed types; none means no type test.
	types []string
	// enum are the allowed values; none means that all are.
	enum value.Value
}

// parameters returns the declared parameters of a tool, from a list of parameters
// or from the properties of a JSON Schema.
func (t tool) parameters() []parameter {
	declared, ok := t.schemaOf()
	if !ok {
		return nil
	}
	var out []parameter
	if declared.IsList() {
		for _, v := range declared.Elements() {
			name, named := v.Field("name").Str()
			if !named {
				continue
			}
			required, given := v.Field("required").BoolVal()
			out = append(out, parameter{name, required || !given, typesOf(v), v.Field("enum")})
		}
		return out
	}
	required := map[string]bool{}
	for _, v := range declared.Field("required").Elements() {
		if name, ok := v.Str(); ok {
			required[name] = true
		}
	}
	for name, v := range declared.Field("properties").Members() {
		out = append(out, parameter{name, required[name], typesOf(v), v.Field("enum")})
	}
	return out
}

func typesOf(v value.Value) []string {
	t := v.Field("type")
	if name, ok := t.Str(); ok {
		return []string{name}
	}
	var names []string
	for _, e := range t.Elements() {
		if name, ok := e.Str(); ok {
			names = append(names, name)
		}
	}
	return names
}
