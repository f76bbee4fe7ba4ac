package transcript

import (
	"errors"
	"fmt"
)

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
