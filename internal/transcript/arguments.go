package transcript

import (
	"bytes"
	"regexp"
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

// refusalStart is how much of a result may hold the refusal of its call.
const refusalStart = 240

// refusalWords rule out nearly all results quickly: the pattern below is slow.
var refusalWords = [...]string{"reject", "refus", "denied", "block", "terminat", "declin", "not permitted"}

// refusalForm is a sentence whose subject is the call itself.
var refusalForm = regexp.MustCompile(`(?i)^[\s"'*\[(]*(?:error:?\s*)?(?:` +
	`(?:the\s+)?(?:(?:tool|function)[\s_-]?(?:call|use|execution|invocation)|execution|invocation|call)\b[^.!?\n]{0,120}?(?:\.\w[^.!?\n]{0,80}?)?\s(?:was|is|were|has been|got)\s+(?:rejected|refused|denied|blocked|terminated|declined|not permitted)\b` +
	`|(?:the\s+)?user\s+(?:has\s+)?(?:rejected|refused|denied|declined|blocked)\s+(?:the|this|to run|permission)\b` +
	`|(?:blocked|rejected|refused|denied|terminated)\s+by\s+(?:the\s+|a\s+)?(?:guard|guardrail|safety|approval|hook|operator|supervisor)\b` +
	`)`)

// refusal reports whether a tool result says that the call was refused before it
// ran. The subject of the sentence must be the call, so that a tool that answers
// "payment was declined" has run.
func refusal(content string) bool {
	if len(content) > refusalStart {
		content = content[:refusalStart]
	}
	var buf [refusalStart]byte
	lower := buf[:copy(buf[:], content)]
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	for _, word := range refusalWords {
		if bytes.Contains(lower, []byte(word)) {
			return refusalForm.MatchString(content)
		}
	}
	return false
}
