package prompt

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// CallTexts returns the names and arguments of a call and of the calls shown beside
// it, as the log holds them: without the escapes of their rendering.
func (v *View) CallTexts(index int) []string {
	c := &v.conv.Calls[index]
	out := callTexts(nil, c)
	for _, o := range v.beside(c) {
		out = callTexts(out, o.call)
	}
	return out
}

func callTexts(out []string, c *transcript.Call) []string {
	out = append(out, c.Name)
	if c.Malformed {
		return append(out, c.RawArguments)
	}
	return append(out, c.Arguments.JSON())
}

// maxDepth bounds how deep a tool's schema is searched for descriptions.
const maxDepth = 32

// ToolTexts returns the name of a tool, its description and those of its parameters.
func ToolTexts(t *transcript.Tool) []string {
	out := []string{t.Name, t.Description}
	var walk func(v value.Value, depth int)
	walk = func(v value.Value, depth int) {
		if depth > maxDepth {
			return
		}
		for i := range v.Len() {
			below := v.At(i)
			if v.Kind() == value.Object && v.KeyAt(i) == "description" && below.Kind() == value.String {
				out = append(out, below.Text())
				continue
			}
			walk(below, depth+1)
		}
	}
	walk(t.Parameters, 0)
	return out
}
