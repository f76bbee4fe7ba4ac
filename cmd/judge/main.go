// Command judge grades the tool calls in agent conversation logs: by language
// models behind any OpenAI-compatible endpoint, by deterministic scorers, and by
// comparing the two. Run "judge help" for the manual.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"runtime/debug"
	"slices"
)

func main() {
	// Go's HTTP transport logs what a server sends too much, as the server wrote it.
	log.SetOutput(io.Discard)
	a := system()
	ctx := a.withSignals(context.Background())
	boundGarbage(os.Getenv, 0)
	os.Exit(command(ctx, os.Args[1:], a))
}

// app is everything of the outside world that a command may touch.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	// outTerminal and errTerminal say whether a person is looking.
	outTerminal, errTerminal bool
	stopping                 stopping
	// progress is where a line is redrawn; err shows no control characters.
	progress io.Writer
	// ends is what has to end with the command.
	ends []func()
}

// atEnd has something done when the command is at its end, the last thing first.
func (a *app) atEnd(end func()) { a.ends = append(a.ends, end) }

func system() *app {
	return &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
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
	defer func() {
		for _, end := range slices.Backward(a.ends) {
			end()
		}
	}()
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.exitCode(root.ExecuteContext(ctx))
}

const (
	// softMemory is what the garbage collector aims at with usualInFlight requests in
	// flight, softEach what each further one adds. A run holds little at a time, but
	// makes and drops a lot: without a limit half of its memory is garbage that waits.
	softMemory    = 160 << 20
	usualInFlight = 64
	softEach      = 384 << 10
)

// boundGarbage sets a soft limit for the collector, which never makes anything fail.
// Below the limit the collector runs a quarter as often as usual, because so little is in
// use that it would take a fifth of the time. GOMEMLIMIT and GOGC in the environment
// override it.
func boundGarbage(getenv func(string) string, requests int) {
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(softMemory + softEach*int64(max(0, requests-usualInFlight)))
	if getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
