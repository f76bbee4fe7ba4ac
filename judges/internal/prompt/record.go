package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// turn is one line of a conversation as a judge sees it.
type turn struct {
	role string
	// content is the text of a message that is no tool message.
	content string
	// tool, params, raw and output make up a tool line.
	tool, caller string
	params       value.Value
	raw          string // arguments that could not be read, as written
	unparsed     bool
	hasParams    bool
	output       value.Value
	hasOutput    bool
	// status is "error", "refused", "no_result", "not_run", "proposed", "pending" or "".
	status string
}

// append appends the turn as one JSON object, its prose with the marker. An output of
// more than most characters is cut in the middle, which is reported; 0 cuts none.
func (t *turn) append(dst []byte, marker string, most int) (_ []byte, cut bool) {
	dst = append(dst, `{"role":`...)
	dst = appendSafeString(dst, t.role)
	if t.role != "tool" {
		dst = append(dst, `,"content":`...)
		return append(appendSafeString(dst, mark(t.content, marker)), '}'), false
	}
	dst = append(dst, `,"name":`...)
	dst = appendSafeString(dst, t.tool)
	if t.caller != "" {
		dst = append(append(dst, `,"caller":`...), '"')
		dst = append(append(dst, t.caller...), '"')
	}
	if t.hasParams {
		dst = appendArguments(dst, t.params, t.raw, t.unparsed)
	}
	if t.hasOutput {
		output := t.output
		if most > 0 {
			output, cut = cutMiddle(output, most)
		}
		dst = append(dst, `,"output":`...)
		dst = appendSafe(dst, markValue(output, marker, ""))
	}
	if t.status != "" {
		dst = append(append(append(dst, `,"status":"`...), t.status...), '"')
	}
	return append(dst, '}'), cut
}

// cutMiddle keeps the beginning and the end of a long output, as text, most characters
// in all, and says between them how many are left out.
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

// grouped writes a number with a blank between its thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}

func appendArguments(dst []byte, params value.Value, raw string, unparsed bool) []byte {
	dst = append(dst, `,"parameters":`...)
	if unparsed {
		return append(appendSafeString(dst, raw), `,"unparsed":true`...)
	}
	if params.IsNull() {
		return append(dst, "{}"...)
	}
	return appendSafe(dst, params)
}

// appendCall appends the judged call, or a proposed one with its status.
func appendCall(dst []byte, c *transcript.Call, status string) []byte {
	dst = append(dst, `{"name":`...)
	dst = appendSafeString(dst, c.Name)
	dst = appendArguments(dst, c.Arguments, c.RawArguments, c.Malformed)
	if status != "" {
		dst = append(append(append(dst, `,"status":"`...), status...), '"')
	}
	return append(dst, '}')
}

// Signature returns "name(p1, p2)" for a tool.
func Signature(t *transcript.Tool) string {
	return t.Name + "(" + strings.Join(ParameterNames(t), ", ") + ")"
}

func ParameterNames(t *transcript.Tool) []string {
	names := []string{}
	for key := range t.Parameters.Field("properties").Members() {
		names = append(names, key)
	}
	return names
}

// appendTool appends a tool, or with brief only its signature and what it is for.
func appendTool(dst []byte, t *transcript.Tool, marker string, brief bool) []byte {
	dst = append(dst, `{"name":`...)
	dst = appendSafeString(dst, t.Name)
	dst = append(dst, `,"signature":`...)
	dst = appendSafeString(dst, Signature(t))
	dst = append(dst, `,"description":`...)
	dst = appendSafeString(dst, mark(t.Description, marker))
	if brief {
		return append(dst, '}')
	}
	dst = append(dst, `,"parameters":`...)
	if t.Parameters.IsNull() {
		dst = append(dst, "{}"...)
	} else {
		dst = appendSafe(dst, markValue(t.Parameters, marker, "description"))
	}
	return append(dst, '}')
}

// texts returns the free texts of a line, for the scan and for grounding.
func (t *turn) texts() []string {
	if t.role != "tool" {
		return []string{t.content}
	}
	var out []string
	if t.unparsed {
		out = append(out, t.raw)
	} else if t.hasParams {
		out = append(out, t.params.JSON())
	}
	if t.hasOutput {
		out = append(out, plain(t.output))
	}
	return out
}

func plain(v value.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	return v.JSON()
}
