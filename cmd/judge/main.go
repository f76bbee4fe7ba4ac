// Command judge grades the tool calls in agent conversation logs: by language
// models behind any OpenAI-compatible endpoint, by deterministic scorers, and by
// comparing the two. Run "judge help" for the manual.
package main

import (
	"context"
	"io"
	"log"
	"os"
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
}

func system() *app {
	return &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
	}
}

// command runs one command line and returns the exit code.
func command(ctx context.Context, args []string, a *app) int {
	if code, ok := childProcess(ctx, args, a); ok {
		return code
	}
	raw := a.err
	a.err = plainWriter{raw}
	a.progress = raw
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.exitCode(root.ExecuteContext(ctx))
}
