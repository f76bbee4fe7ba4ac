package transcript

import (
	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// flag reads the flag by which a log marks a tool result as an error, or as none.
func (m *Message) flag(v value.Value) {
	if v.Kind() == value.Bool || v.Kind() == value.String {
		m.IsError, m.Succeeded = v.Text() == "true", v.Text() == "false"
	}
}

// Failure says whether a call failed, and by what: "flag" (the log or the result marks
// it), "refused", or the form of package toolresult in which the result says so. A call
// without a result has not failed.
func (c *Conversation) Failure(call *Call) (by string, failed bool) {
	if call.Refused {
		return "refused", true
	}
	if call.Result < 0 || call.Result >= len(c.Messages) {
		return "", false
	}
	m := &c.Messages[call.Result]
	switch {
	case m.IsError:
		return "flag", true
	case m.Succeeded:
		return "", false
	case m.Output.Kind() == value.Object:
		return toolresult.Value(m.Output)
	}
	return toolresult.Text(m.Content)
}
