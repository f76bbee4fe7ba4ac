package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// tool is one tool definition as scorers read it.
type tool struct {
	name string
	// schema is the JSON Schema of the arguments, or a list of parameters; null where
	// there is none.
	schema value.Value
}

// readTool reads one definition: the object that holds the name, or the one under
// "function".
func readTool(v value.Value) (tool, bool) {
	if inner, ok := v.Get("function"); ok && inner.Kind() == value.Object {
		v = inner
	}
	name, ok := v.Field("name").Str()
	t := tool{name: name}
	for _, key := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if s := v.Field(key); !s.IsNull() {
			t.schema = s
			break
		}
	}
	return t, ok
}

// inventory is the tools of a conversation, in their order.
type inventory []tool

// readTools reads the definitions that a case gives: a list, or a single one. What has no
// name is left out.
func readTools(v value.Value) inventory {
	if v.Kind() == value.Object {
		v = value.OfList(v)
	}
	var tools inventory
	for _, e := range v.Elements() {
		if t, ok := readTool(e); ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// find returns the first definition of a name.
func (i inventory) find(name string) *tool {
	for at := range i {
		if i[at].name == name {
			return &i[at]
		}
	}
	return nil
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

// parameter is one declared parameter.
type parameter struct {
	name     string
	required bool
	// types are the names of the allowed types; none means no type test.
	types []string
	// enum are the allowed values; none means that all are.
	enum value.Value
}

// parametersOf returns the parameters that a schema declares, or a list of parameters.
func parametersOf(declared value.Value) []parameter {
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
