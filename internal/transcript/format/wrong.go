package format

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/transcript"
)

// wrong returns a problem with a field of a record. Its place is added later.
func wrong(field, format string, args ...any) error {
	return &transcript.Problem{Field: field, Message: fmt.Sprintf(format, args...)}
}

// problemOf turns a reader's error into a problem with its place.
func problemOf(err error, at transcript.Source) *transcript.Problem {
	problem := &transcript.Problem{Message: err.Error()}
	errors.As(err, &problem)
	problem.Source = at
	return problem
}
