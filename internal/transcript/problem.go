package transcript

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// Problem is a record of a log that could not be read. Reading goes on behind it.
// It is an error so that it can be beside a conversation in an iteration; find
// it with errors.As.
type Problem struct {
	Source Source
	// Field is the part of the record that is wrong, as "messages[3].role"; "" where
	// it is the record itself.
	Field string
	// Message says what is wrong, in words for people.
	Message string
}

// Error returns "file:line: field: message".
func (p *Problem) Error() string {
	if p.Field == "" {
		return p.Source.String() + ": " + p.Message
	}
	return p.Source.String() + ": " + p.Field + ": " + p.Message
}

// FormatError says that a file as a whole is in no form that can be read.
type FormatError struct {
	File string
	// Format is the name of the recognised format, "" where none was.
	Format  string
	Message string
	// Advice says what to do next, "" if the message says it.
	Advice string
}

// Error returns "file: message: advice".
func (e *FormatError) Error() string {
	if e.Advice == "" {
		return e.File + ": " + e.Message
	}
	return e.File + ": " + e.Message + ": " + e.Advice
}

// WithoutAdvice returns err without the advice of a [FormatError], for the command that the
// advice names.
func WithoutAdvice(err error) error {
	e, ok := errors.AsType[*FormatError](err)
	if !ok {
		return err
	}
	bare := *e
	bare.Advice = ""
	return &bare
}

// wrong is a problem of a field of a record, whose place is added later.
func wrong(field, format string, args ...any) error {
	return &Problem{Field: field, Message: fmt.Sprintf(format, args...)}
}

// problemOf is the problem that an error of a reader is, at its place.
func problemOf(err error, at Source) *Problem {
	problem := &Problem{Message: err.Error()}
	errors.As(err, &problem)
	problem.Source = at
	return problem
}

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
