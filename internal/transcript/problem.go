package transcript

import (
	"errors"
)

// Problem is a record of a log that could not be read. Reading continues after it. It is an error,
// so that an iteration can yield it beside conversations; use errors.As to find it.
type Problem struct {
	Source Source
	// Field is the wrong part of the record, such as "messages[3].role"; "" means the record itself.
	Field string
	// Message says what is wrong.
	Message string
}

// Error returns "file:line: field: message".
func (p *Problem) Error() string {
	if p.Field == "" {
		return p.Source.String() + ": " + p.Message
	}
	return p.Source.String() + ": " + p.Field + ": " + p.Message
}

// FormatError says that a whole file has no readable format.
type FormatError struct {
	File string
	// Format is the name of the recognised format; "" if none was recognised.
	Format  string
	Message string
	// Advice says what to do next; "" if the message contains it.
	Advice string
}

// Error returns "file: message: advice".
func (e *FormatError) Error() string {
	if e.Advice == "" {
		return e.File + ": " + e.Message
	}
	return e.File + ": " + e.Message + ": " + e.Advice
}

// WithoutAdvice returns err without the advice of a [FormatError], for the command that the advice names.
func WithoutAdvice(err error) error {
	e, ok := errors.AsType[*FormatError](err)
	if !ok {
		return err
	}
	bare := *e
	bare.Advice = ""
	return &bare
}
