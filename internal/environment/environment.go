// Package environment owns execution-grounded checks: it runs the calls of a log
// against a tool environment, and says whether the state that they lead to is the
// wanted one, what else changed, and which call did it.
//
// There are three kinds of environments behind one interface: Starlark tools over a
// JSON state (run in a process of their own), any program that speaks JSON lines,
// and an MCP server. The package promises that an environment that hangs, crashes,
// prints rubbish, eats memory or answers too much costs the conversation that was
// being checked and nothing else; that the same calls over the same environment
// give the same outcome; and that a state is never judged by an environment that
// failed.
package environment

import (
	"context"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// Environment is a sandbox that tools run in. It is used by one goroutine at a
// time. Errors are *Fault, or the context's error when the context ended; after an
// error the environment is usable again from the next Reset on.
type Environment interface {
	// Reset makes st the state.
	Reset(ctx context.Context, st value.Value) error
	// Call runs a tool. A tool that reports an error is a Result, not an error.
	Call(ctx context.Context, name string, args value.Value) (Result, error)
	// Snapshot returns the whole state.
	Snapshot(ctx context.Context) (value.Value, error)
	// Close ends what belongs to the environment.
	Close() error
}

// Result is what a tool gave back.
type Result struct {
	// Value is the result: any JSON, a string for plain text. Of a failed call it is
	// the error's text.
	Value value.Value
	// IsError says that the tool reported an error, as the agent would have seen it.
	IsError bool
	// Unknown says that the environment has no tool of that name; IsError is set.
	Unknown bool
	// Effects is what the call changed, where Tracked is set.
	Effects []state.Op
	// Tracked says that Effects is known: empty Effects then mean no change.
	Tracked bool
}

// FaultKind says in what way an environment failed.
type FaultKind string

// The kinds of faults.
const (
	// Hang: no answer within the time limit.
	Hang FaultKind = "hang"
	// Crash: the process ended, or the connection was lost.
	Crash FaultKind = "crash"
	// Protocol: an answer that is none.
	Protocol FaultKind = "protocol"
	// Oversized: an answer beyond the size limit.
	Oversized FaultKind = "oversized"
	// Memory: the memory limit was exceeded.
	Memory FaultKind = "memory"
	// Steps: a Starlark call ran into its step limit.
	Steps FaultKind = "steps"
	// ConfigFault: the environment cannot work as it is set up.
	ConfigFault FaultKind = "config"
)

// Fault is an environment's own failure, told apart from a tool that reports an
// error.
type Fault struct {
	Kind FaultKind
	// Op is what was being done: "start", "reset", "call <tool>", "snapshot".
	Op      string
	Message string
	// Stderr holds the last lines that the process wrote to its standard error.
	Stderr []string
}

// Error implements error: one line, without the standard error's lines.
func (f *Fault) Error() string {
	return fmt.Sprintf("environment %s: %s: %s", f.Op, f.Kind, f.Message)
}

// Detail returns the error with the last lines of the standard error.
func (f *Fault) Detail() string {
	if len(f.Stderr) == 0 {
		return f.Error()
	}
	return f.Error() + "; stderr: " + strings.Join(f.Stderr, " | ")
}

func faultf(kind FaultKind, op, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Op: op, Message: fmt.Sprintf(format, args...)}
}
