package format

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// seen counts what the conversations of a log contained so far, to notice calls that were silently missed.
type seen struct {
	conversations, calls int
	// unreadable counts the records that could not be read.
	unreadable int
	// filled counts the conversations with messages, aside the skipped records that are not conversations.
	filled, aside int
	doubts        doubts
	// mark is the first sign of calls in a record that yielded no call; at is its place.
	mark, at string
	// hidden is set if the log leaves out the contents of messages.
	hidden bool
}

func (s *seen) add(out *outcome) {
	c := out.conversation
	s.conversations++
	s.calls += len(c.Calls)
	s.filled += b2i(len(c.Messages) > 0)
	s.doubts.join(&out.doubts)
	if s.calls > 0 {
		return
	}
	if s.mark == "" && out.mark != "" {
		s.mark, s.at = out.mark, c.Source.String()
	}
	for i := range c.Notes {
		s.hidden = s.hidden || c.Notes[i].Kind == transcript.ContentHidden
	}
}

// atEnd returns the error after the last conversation: io.EOF, or an error if no call was read from
// a log with signs of calls. If the agent wrote calls only in its texts, there are notes instead,
// because such an agent made no call.
func (r *Reader) atEnd() error {
	s := &r.seen
	if err := r.Suspect(); err != nil {
		return err
	}
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
	return &transcript.FormatError{File: r.file, Format: r.format.name, Message: message}
}

// callMarks lists keys and types that show that a tool was called.
var callMarks = []string{
	"tool_calls", "toolCalls", "function_call", "functionCall", "toolUse", "tool_use", "tool-call", "toolInvocations",
	"tool_call", "tool_uses",
}

// callMark finds a sign of a call in a record: a key with a non-empty list or object, or a type; "" if none.
func callMark(v value.Value) (mark string) {
	for _, e := range v.Elements() {
		mark = cmp.Or(mark, callMark(e))
	}
	for key, e := range v.Members() {
		switch {
		case mark != "":
		case slices.Contains(callMarks, key) && e.Len() > 0:
			mark = strconv.Quote(key)
		case key == "type" && slices.Contains(callMarks, e.Text()):
			mark = strconv.Quote(e.Text())
		default:
			mark = callMark(e)
		}
	}
	return mark
}
