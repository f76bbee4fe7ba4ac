// Command judge grades the tool calls in agent conversation logs: with language models behind any
// OpenAI-compatible endpoint, with deterministic scorers, and by comparing the two. Run "judge
// help" for the manual.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
)

func main() {
	// Go's HTTP transport logs surplus bytes of a server unescaped.
	log.SetOutput(io.Discard)
	a := system()
	ctx := a.withSignals(context.Background())
	boundGarbage(os.Getenv, 0)
	os.Exit(command(ctx, os.Args[1:], a))
}

// app is everything outside the program that a command may touch.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	// profiles keeps what endpoints support; nil keeps nothing.
	profiles *instrument.Store
	// outTerminal and errTerminal say whether a person reads the output.
	outTerminal, errTerminal bool
	stopping                 stopping
	// quiet turns off progress and notes.
	quiet bool
	// progress is the raw standard error, where a line is redrawn; err shows no control
	// characters.
	progress io.Writer
}

func system() *app {
	return &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, profiles: userProfiles(),
		outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
	}
}

// command runs one command line and returns the exit code.
func command(ctx context.Context, args []string, a *app) int {
	if code, ok := childProcess(args, a); ok {
		return code
	}
	raw := a.err
	a.err = plain(raw)
	if a.inActions() {
		a.err = plain(mapWriter{raw, inert})
	}
	a.progress = raw
	defer a.stopping.end()
	out := &checkedWriter{Writer: a.out}
	a.out = out
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.exitCode(cmp.Or(root.ExecuteContext(ctx), out.err))
}

// checkedWriter keeps its first error, because callers of fmt.Fprint do not look at it.
type checkedWriter struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

const (
	// softMemory is the garbage collector's target, in bytes, with usualInFlight open requests;
	// softEach is added for each further request. A run holds little memory but allocates a lot:
	// without a limit half of it is garbage.
	softMemory    = 160 << 20
	usualInFlight = 64
	softEach      = 384 << 10
)

// boundGarbage sets a soft memory limit, which never makes anything fail. Below it the collector
// runs an eighth as often as usual: so little is in use that it would cost a fifth of the time.
// GOMEMLIMIT and GOGC in the environment override it.
func boundGarbage(getenv func(string) string, requests int) {
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(softMemory + softEach*int64(max(0, requests-usualInFlight)))
	if getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// Exit codes. Scripts rely on them; the manual lists them.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitEndpoint    = 3
	exitIncomplete  = 4
	exitGate        = 100
	exitInterrupted = 130
)

// codeError decides the exit code. If its cause is nil, the user has been told already.
type codeError struct {
	code  int
	cause error
}

func (e *codeError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

// Unwrap returns the cause.
func (e *codeError) Unwrap() error { return e.cause }

// is reports whether an error is or wraps one of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// usage marks an error as wrong usage, unless the context was cancelled.
func usage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &codeError{exitUsage, err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// exitCode prints the error, if it has not been reported, and returns the code.
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
