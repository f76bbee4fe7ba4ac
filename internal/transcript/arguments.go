package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// The problems of calls without arguments.
const (
	nullArguments = "the arguments are null"
	noArguments   = "the call has no arguments"
)

// arguments reads the arguments of a call, which stand in the log as a JSON text
// (given true: the key is there) or as a JSON value, and notes what is odd.
func (d *draft) arguments(c *Call, v value.Value, given bool) {
	switch {
	case !given || v.IsNull():
		if given {
			c.RawArguments = "null"
			d.malformed(c, "arguments_missing", nullArguments)
			return
		}
		d.malformed(c, "arguments_missing", noArguments)
	case v.Kind() == value.String:
		c.RawArguments = v.Text()
		d.argumentText(c)
	case v.Kind() == value.Object:
		c.RawArguments, c.Arguments = v.Raw(), v
	default:
		c.RawArguments = v.Raw()
		d.malformed(c, "arguments_not_object", "the arguments are "+article(v.Kind())+", not an object")
	}
	if !c.Malformed {
		d.listsInStrings(c)
	}
}

func (d *draft) malformed(c *Call, kind, problem string) {
	c.Malformed, c.Problem, c.Arguments = true, problem, value.OfObject()
	d.note(kind, c.Place, c.Name+": "+problem)
}

// argumentText reads c.RawArguments: JSON, or a Python literal.
func (d *draft) argumentText(c *Call) {
	v, err := d.parser.ParseString(c.RawArguments)
	switch {
	case err == nil && v.Kind() == value.Object:
		c.Arguments = v
		return
	case err == nil:
		d.malformed(c, "arguments_not_object", "the arguments are "+article(v.Kind())+", not an object: "+quote(c.RawArguments))
		return
	case strings.TrimSpace(c.RawArguments) == "":
		d.malformed(c, "arguments_empty", "the argument text is empty")
		return
	}
	if literal, pyErr := pycall.ParseLiteral(c.RawArguments); pyErr == nil {
		if literal.Kind() != value.Object {
			d.malformed(c, "arguments_not_object", "the arguments are a Python literal that is no dict: "+quote(c.RawArguments))
			return
		}
		c.Arguments, c.Literal = literal, true
		d.note("arguments_python_literal", c.Place, c.Name+": "+quote(c.RawArguments))
		return
	}
	d.malformed(c, "arguments_not_json", "the arguments are no JSON ("+err.Error()+"): "+quote(c.RawArguments))
}

// listsInStrings notes arguments whose text looks like a list: the value stays the
// text that the agent wrote.
func (d *draft) listsInStrings(c *Call) {
	for name, v := range c.Arguments.Members() {
		if s, ok := v.Str(); ok && len(s) >= 2 && s[0] == '[' && s[len(s)-1] == ']' {
			d.note("list_in_string", c.Place, c.Name+": "+name+" is the text "+quote(s)+", not a list")
		}
	}
}
