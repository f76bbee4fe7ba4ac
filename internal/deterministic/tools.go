package deterministic

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// inventory is the tools of a conversation or a case, in their order. Parameters holds
// the JSON Schema of the arguments, or a list of parameters; null where there is neither.
type inventory []transcript.Tool

// readTool reads one definition: the object that holds the name, or the one under
// "function".
func readTool(v value.Value) (transcript.Tool, bool) {
	if inner, ok := v.Get("function"); ok && inner.Kind() == value.Object {
		v = inner
	}
	name, ok := v.Field("name").Str()
	t := transcript.Tool{Name: name}
	for _, key := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if t.Parameters = v.Field(key); !t.Parameters.IsNull() {
			break
		}
	}
	return t, ok
}

// definitions are the elements of the tools of a case: a list, or a single definition.
func definitions(v value.Value) value.Value {
	if v.Kind() == value.Object {
		return value.OfList(v)
	}
	return v
}

// readTools reads the definitions that a case gives. What has no name is left out.
func readTools(v value.Value) inventory {
	var tools inventory
	for _, e := range definitions(v).Elements() {
		if t, ok := readTool(e); ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// find returns the first definition of a name, nil where there is none.
func (i inventory) find(name string) *transcript.Tool {
	for at := range i {
		if i[at].Name == name {
			return &i[at]
		}
	}
	return nil
}

// checkTools reports an error when there are no tools or one of them is none.
func checkTools(tools value.Value) error {
	tools = definitions(tools)
	if !tools.IsList() || tools.Len() == 0 {
		return configError("tools", "are missing: give the definitions of the tools")
	}
	for i, v := range tools.Elements() {
		if _, ok := readTool(v); !ok {
			return configError("tools", "definition %d has no name", i)
		}
	}
	return nil
}
