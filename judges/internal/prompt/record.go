package prompt

import (
	"fmt"
	"strconv"

	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/window"
)

// Line is one line of the history: a message, or a call with its result.
type Line struct {
	// Role is "tool" for a call, Tool its name.
	Role, Tool string
	content    string           // the text of a message
	call       *transcript.Call // nil for a result of an unknown call
	output     value.Value
	hasOutput  bool
	// status is "error", "ok", "refused", "no_result", "not_run" or "".
	status string
}

func (v *View) resultLine(msg *transcript.Message) Line {
	l := Line{Role: "tool", Tool: msg.ToolName, hasOutput: true, call: v.callAt(msg.Result)}
	l.output = value.OfString(msg.Content)
	if !msg.Output.IsNull() {
		l.output = msg.Output
	}
	switch {
	case l.call != nil && l.call.Refused:
		l.status = "refused"
	case msg.IsError:
		l.status = "error"
	case msg.Succeeded:
		if _, looksFailed := toolresult.Text(msg.Content); looksFailed {
			l.status = "ok"
		}
	}
	if l.call != nil {
		l.Tool = l.call.Name
	}
	return l
}

func unansweredLine(c *transcript.Call) Line {
	l := Line{Role: "tool", Tool: c.Name, call: c, status: "no_result"}
	if c.Proposed {
		l.status = "not_run"
	}
	return l
}

// Texts returns the free texts of a line as they are in the log, for the checks.
func (l *Line) Texts() []string {
	if l.Role != "tool" {
		return []string{l.content}
	}
	var out []string
	if l.call != nil {
		out = append(out, arguments(l.call))
	}
	if l.hasOutput {
		out = append(out, plain(l.output))
	}
	return out
}

func arguments(c *transcript.Call) string {
	if c.Malformed {
		return c.RawArguments
	}
	return c.Arguments.JSON()
}

func plain(v value.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	return v.JSON()
}

// object is a JSON object under construction.
type object []value.Member

func (o *object) add(key string, v value.Value) { *o = append(*o, value.Member{Key: key, Value: v}) }
func (o *object) addText(key, text string)      { o.add(key, value.OfString(text)) }

func (o *object) addKnown(key, text string) {
	if text != "" {
		o.addText(key, text)
	}
}

// addArguments adds the arguments of a call; if they could not be parsed, their text.
func (o *object) addArguments(c *transcript.Call) {
	switch {
	case c.Malformed:
		o.addText("parameters", c.RawArguments)
		o.add("unparsed", value.OfBool(true))
	case c.Arguments.IsNull():
		o.add("parameters", value.OfObject())
	default:
		o.add("parameters", c.Arguments)
	}
}

// value returns the line as one object, with the marker in its prose. An output longer than most
// characters is cut in the middle, and then cut is true; 0 cuts none.
func (l *Line) value(marker string, most int) (_ value.Value, cut bool) {
	o := object{}
	o.addText("role", l.Role)
	if l.Role != "tool" {
		o.addText("content", mark(l.content, marker))
		return value.OfObject(o...), false
	}
	o.addText("name", l.Tool)
	if l.call != nil {
		if l.call.Executor == "user" {
			o.addText("caller", "user")
		}
		o.addArguments(l.call)
	}
	if l.hasOutput {
		output := l.output
		if most > 0 {
			output, cut = cutMiddle(output, most)
		}
		o.add("output", markValue(output, marker, ""))
	}
	o.addKnown("status", l.status)
	return value.OfObject(o...), cut
}

// cutMiddle shortens a long output to most characters of text: its beginning and its end, and
// between them the number of characters that are missing.
func cutMiddle(v value.Value, most int) (_ value.Value, cut bool) {
	text := plain(v)
	if len(text) <= most {
		return v, false
	}
	runes := []rune(text)
	left := len(runes) - most
	if left <= 0 {
		return v, false
	}
	head := (most + 1) / 2
	return value.OfString(fmt.Sprintf("%s … %s characters omitted … %s",
		string(runes[:head]), grouped(left), string(runes[head+left:]))), true
}

func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}

// callLine returns the line of the judged call or, with its status, of a call beside it.
func callLine(c *transcript.Call, status string) []byte {
	return append(appendSafe(nil, callValue(c, status)), '\n')
}

func callValue(c *transcript.Call, status string) value.Value {
	o := object{}
	o.addText("name", c.Name)
	o.addArguments(c)
	o.addKnown("status", status)
	return value.OfObject(o...)
}

// ToolTexts returns a tool's name, its description, and the descriptions of its parameters.
func ToolTexts(t *transcript.Tool) []string {
	out := []string{t.Name, t.Description}
	for key, v := range t.Parameters.Leaves() {
		if key == "description" && v.Kind() == value.String {
			out = append(out, v.Text())
		}
	}
	return out
}

// toolLine is a tool of the inventory, in full and as a signature.
type toolLine struct {
	name        string
	full, brief rendered
	// first is the index of the first history line that names the tool; the number
	// of lines if none does.
	first int
}

// rendered is a rendered line with its value and size.
type rendered struct {
	value value.Value
	line  []byte
	size  window.Size
}

func (v *View) newToolLine(t *transcript.Tool) toolLine {
	render := func(o object) rendered {
		v := value.OfObject(o...)
		line := append(appendSafe(nil, v), '\n')
		return rendered{v, line, window.SizeOf(line)}
	}
	brief, full := object{}, object{}
	brief.addText("name", t.Name)
	brief.addText("signature", t.Signature())
	brief.addText("description", mark(t.Description, v.opts.Marker))
	full.addText("name", t.Name)
	full.addText("description", mark(t.Description, v.opts.Marker))
	parameters := value.OfObject()
	if !t.Parameters.IsNull() {
		parameters = markValue(t.Parameters, v.opts.Marker, "description")
	}
	full.add("parameters", parameters)
	return toolLine{name: t.Name, first: len(v.lines), brief: render(brief), full: render(full)}
}
