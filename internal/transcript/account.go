package transcript

import (
	"fmt"
	"io"
	"strings"
)

// seen is what the conversations of a log so far held: whether nothing silently went wrong.
type seen struct {
	conversations, calls int
	// mark is the first sign of calls in a record of which no call was read, at its place.
	mark, at string
	// hidden is set where the log leaves out what was said.
	hidden bool
}

func (s *seen) add(out *outcome) {
	c := out.conversation
	s.conversations++
	s.calls += len(c.Calls)
	if s.calls > 0 {
		return
	}
	if s.mark == "" && out.mark != "" {
		s.mark, s.at = out.mark, c.Source.String()
	}
	for i := range c.Notes {
		s.hidden = s.hidden || c.Notes[i].Kind == contentHidden
	}
}

// contentHidden is the kind of the note on a conversation whose log leaves out messages
// or arguments.
const contentHidden = "content_not_captured"

// atEnd is the error behind the last conversation: io.EOF, or why no call was read of a
// log that holds some. Calls that the agent only wrote in its texts have notes instead:
// such an agent made no call.
func (r *Reader) atEnd() error {
	s := &r.seen
	if s.conversations == 0 || s.calls > 0 || s.mark == "" && !s.hidden {
		return io.EOF
	}
	message := "no tool call was read of " + fmt.Sprint(s.conversations) + " conversations"
	if s.hidden {
		message += ": the log names calls without their content, because content capture was off " +
			"(for OpenTelemetry set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true and record again)"
	} else {
		message += ", but " + s.at + " holds " + s.mark + ": the log was read as " + r.format.name + " (" +
			r.detected.Evidence + "), and another --input-format may be right"
	}
	return &FormatError{r.file, r.format.name, message}
}

// callMarks are the keys and types by which logs say that a tool was called.
var callMarks = []string{
	`"tool_calls"`, `"toolCalls"`, `"function_call"`, `"functionCall"`, `"toolUse"`, `"tool_use"`, `"tool-call"`,
	`"toolInvocations"`, `"tool_call"`, `"tool_uses"`,
}

// callMark finds the sign of a call in the text of a record: a key whose value is neither
// null nor empty, or a type. "" for none.
func callMark(text string) string {
	for _, mark := range callMarks {
		for rest := text; ; {
			before, after, found := strings.Cut(rest, mark)
			if !found {
				break
			}
			if saysCall(before, after) {
				return mark
			}
			rest = after
		}
	}
	return ""
}

// saysCall reports whether the mark between before and after is a key with something in
// it, or the value of a type.
func saysCall(before, after string) bool {
	const blanks = " \t\r\n"
	filled, key := strings.CutPrefix(strings.TrimLeft(after, blanks), ":")
	if !key {
		name, colon := strings.CutSuffix(strings.TrimRight(before, blanks), ":")
		return colon && strings.HasSuffix(strings.TrimRight(name, blanks), `"type"`)
	}
	filled = strings.TrimLeft(filled, blanks)
	if filled == "" || filled[0] != '{' && filled[0] != '[' {
		return false
	}
	inside := strings.TrimLeft(filled[1:], blanks)
	return inside != "" && inside[0] != ']' && inside[0] != '}'
}
