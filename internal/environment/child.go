package environment

import (
	"flag"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/environment/sandbox"
)

// ChildMain is the whole of a child process that runs Starlark tools: it serves
// requests from stdin until it ends, and returns the exit code. args are the
// arguments after Deps.Self.
func ChildMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("environment", flag.ContinueOnError)
	flags.SetOutput(stderr)
	memory := flags.Int64("memory", 0, "most bytes of heap, 0 for no limit")
	if err := flags.Parse(args); err != nil {
		return sandbox.ExitProtocol
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "unexpected argument %q\n", flags.Arg(0))
		return sandbox.ExitProtocol
	}
	return sandbox.Main(*memory, stdin, stdout, stderr)
}
