package transcript

import (
	"fmt"
	"strconv"

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
}

// Error returns "file: message".
func (e *FormatError) Error() string { return e.File + ": " + e.Message }

// wrong is a problem of a field of a record, whose place is added later.
func wrong(field, format string, args ...any) error {
	return &Problem{Field: field, Message: fmt.Sprintf(format, args...)}
}

// quote returns the beginning of s on one line, in quotes.
func quote(s string) string { return strconv.Quote(value.Excerpt(s, 120)) }
