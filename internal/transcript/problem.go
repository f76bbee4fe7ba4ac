package transcript

import (
	"errors"
)

// Problem is a record of a log that could not be read. Reading goes on after it.
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
	// Format is the name of the recognised format, "" if none was.
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
