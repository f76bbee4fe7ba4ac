package format

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// arguments reads the arguments of a call and notes what is odd. They are JSON text or a JSON
// value; given says that the key exists.
func (d *draft) arguments(c *transcript.Call, v value.Value, given bool) {
	switch {
	case !given:
		d.malformed(c, "arguments_missing", transcript.NoArguments)
	case v.IsNull():
		c.RawArguments = "null"
		d.malformed(c, "arguments_missing", transcript.NullArguments)
	case v.Kind() == value.String:
		c.RawArguments = v.Text()
		d.argumentText(c)
	case v.Kind() == value.Object:
		c.RawArguments, c.Arguments = v.Raw(), v
	default:
		c.RawArguments = v.Raw()
		d.malformed(c, "arguments_not_object", "the arguments are "+v.Kind().WithArticle()+", not an object")
	}
	for name, v := range c.Arguments.Members() {
		// A list in a text stays a text, as the agent wrote it.
		if s, ok := v.Str(); ok && len(s) >= 2 && s[0] == '[' && s[len(s)-1] == ']' {
			d.note("list_in_string", c.Place, c.Name+": "+name+" is the text "+value.Quote(s)+", not a list")
		}
	}
}

func (d *draft) malformed(c *transcript.Call, kind, problem string) {
	c.Malformed, c.Problem, c.Arguments = true, problem, value.OfObject()
	d.note(kind, c.Place, c.Name+": "+problem)
}

// argumentText parses c.RawArguments, which is JSON or a Python literal.
func (d *draft) argumentText(c *transcript.Call) {
	v, err := d.parser.ParseString(c.RawArguments)
	if err == nil && v.Kind() == value.Object {
		c.Arguments = v
		return
	}
	written := ": " + value.Quote(c.RawArguments)
	switch {
	case err == nil:
		d.malformed(c, "arguments_not_object", "the arguments are "+v.Kind().WithArticle()+", not an object"+written)
		return
	case strings.TrimSpace(c.RawArguments) == "":
		d.malformed(c, "arguments_empty", "the argument text is empty")
		return
	}
	literal, noLiteral := pycall.ParseLiteral(c.RawArguments)
	switch {
	case noLiteral != nil:
		d.malformed(c, "arguments_not_json", "the arguments are no JSON ("+err.Error()+")"+written)
	case literal.Kind() != value.Object:
		d.malformed(c, "arguments_not_object", "the arguments are a Python literal and not a dict"+written)
	default:
		c.Arguments, c.Literal = literal, true
		d.note("arguments_python_literal", c.Place, c.Name+written)
	}
}
