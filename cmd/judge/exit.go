package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/run/directory"
)

// Exit codes. Scripts rely on them; the root command's help lists them.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitEndpoint    = 3
	exitIncomplete  = 4
	exitGate        = 100
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    done, gates passed
  1    internal error
  2    wrong usage, config, rubric or input; nothing was sent
  3    endpoint, authentication or model not available, or away for longer than --outage
  4    fewer judgements scored than the coverage floor; resumable
  100  a gate failed
  130  interrupted; what was finished is saved`

// codeError is an error that decides the exit code. A nil cause has already been
// reported to the user.
type codeError struct {
	code  int
	cause error
}

// Error implements error.
func (e *codeError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

// Unwrap lets callers look at the cause.
func (e *codeError) Unwrap() error { return e.cause }

// is reports whether an error is, or wraps, one of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// usage marks an error as one of usage; a cancelled context is none.
func usage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &codeError{exitUsage, err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// exitCode prints the error, if there is one to print, and decides the code.
func (a *app) exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitInternal
	coded, ok := errors.AsType[*codeError](err)
	switch {
	case is[*directory.Partial](err):
		code = exitIncomplete
	case ok && coded.cause == nil:
		return coded.code
	case ok:
		code = coded.code
	case errors.Is(err, context.Canceled):
		code, err = exitInterrupted, errors.New("interrupted")
	}
	fmt.Fprintf(a.err, "judge: %v\n", err)
	return code
}
