// Package environment runs execution-grounded checks: it runs the calls of a log against a tool
// environment, and says whether the resulting state is the wanted one, what else changed, and which
// call changed it.
//
// There are three kinds of environments behind one interface: Starlark tools over a JSON state (in
// a separate process), any program that reads and writes JSON lines, and an MCP server. The package
// promises that an environment which hangs, crashes, prints garbage, exceeds its memory or answers
// too much fails only the conversation being checked; that the same calls in the same environment
// give the same outcome; and that a failed environment never decides about a state.
package environment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// Result is the result of a tool.
type Result struct {
	// Value is the result: any JSON, a string for plain text. If the call failed, it is the error's
	// text.
	Value value.Value
	// IsError says that the tool reported an error, as the agent would have seen it.
	IsError bool
	// Unknown says that the environment has no tool with this name; IsError is set.
	Unknown bool
	// Effects lists what the call changed, if Tracked is set.
	Effects []state.Change
	// Tracked says that Effects is known: if it is empty, nothing changed.
	Tracked bool
}

// FaultKind says how an environment failed.
type FaultKind string

// The kinds of faults.
const (
	// hang: no answer within the time limit.
	hang FaultKind = "hang"
	// crash: the process ended, or the connection was lost.
	crash FaultKind = "crash"
	// protocol: an invalid answer.
	protocol FaultKind = "protocol"
	// oversized: an answer beyond the size limit.
	oversized FaultKind = "oversized"
	// memoryFault: the memory limit was exceeded.
	memoryFault FaultKind = "memory"
	// stepsFault: a Starlark call ran into its step limit.
	stepsFault FaultKind = "steps"
	// configFault: the environment cannot work with its settings.
	configFault FaultKind = "config"
)

// Fault is a failure of the environment itself, unlike an error that a tool reports.
type Fault struct {
	Kind FaultKind
	// Op is the failed operation: "start", "reset", "call <tool>" or "snapshot".
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

// runner is the part that differs between kinds of environments. Errors are *Fault, or the
// context's cause; after an error the runner is stopped.
type runner interface {
	// start starts the program, or connects to the server.
	start(ctx context.Context) error
	// reset makes st the state.
	reset(ctx context.Context, st value.Value) error
	// call runs a tool.
	call(ctx context.Context, name string, args value.Value) (Result, error)
	// snapshot returns the whole state.
	snapshot(ctx context.Context) (value.Value, error)
	// readOnly reports whether the tool is known to change nothing.
	readOnly(name string) bool
	// stop stops what was started: at once, or after some time to end by itself.
	stop(atOnce bool)
}

// environment is a sandbox in which tools run. It is used by one goroutine at a time. Errors are
// *Fault, or the context's error if the context ended; after an error the next Reset makes the
// environment usable again.
type environment struct {
	runner runner
	limits Limits
	// track says that the state is read after each call that may change it.
	track bool
	// equality decides which values a call did not change.
	equality value.Equality

	running bool
	// current is the last known state; known says that nothing was run since.
	current value.Value
	known   bool
}

// errTimeout is the cause of a context that ended because of its time limit.
var errTimeout = errors.New("no answer in time")

// within limits the time of f; an error stops the environment.
func (e *environment) within(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	err := ctx.Err()
	if err == nil {
		err = f(limited)
	}
	if err != nil && e.running {
		e.runner.stop(true)
		e.running, e.known = false, false
	}
	return err
}

// Reset sets the state. It starts the environment if necessary.
func (e *environment) Reset(ctx context.Context, st value.Value) error {
	if !e.running {
		e.running = true
		if err := e.within(ctx, e.limits.Start, e.runner.start); err != nil {
			return err
		}
	}
	e.known = false
	return e.within(ctx, e.limits.Start, func(ctx context.Context) error { return e.runner.reset(ctx, st) })
}

// Call runs a tool. A tool that reports an error is a Result, not an error.
func (e *environment) Call(ctx context.Context, name string, args value.Value) (Result, error) {
	if !e.running {
		return Result{}, faultf(crash, "call "+name, "the environment is not running: reset comes first")
	}
	var res Result
	err := e.within(ctx, e.limits.Call, func(ctx context.Context) (err error) {
		res, err = e.runner.call(ctx, name, args)
		return err
	})
	switch {
	case err != nil:
	case !e.track:
		e.known = false
	case res.Unknown || e.runner.readOnly(name):
		res.Tracked = true
	default:
		before, known := e.current, e.known
		if _, err = e.Snapshot(ctx); err == nil && known {
			res.Effects, res.Tracked = state.Compare(before, e.current, e.equality), true
		}
	}
	return res, err
}

// Snapshot returns the whole state.
func (e *environment) Snapshot(ctx context.Context) (value.Value, error) {
	if !e.running {
		return value.Value{}, faultf(crash, "snapshot", "the environment is not running: reset comes first")
	}
	err := e.within(ctx, e.limits.Start, func(ctx context.Context) (err error) {
		e.current, err = e.runner.snapshot(ctx)
		return err
	})
	e.known = err == nil
	return e.current, err
}

// Close ends what belongs to the environment.
func (e *environment) Close() {
	if e.running {
		e.runner.stop(false)
		e.running = false
	}
}

// texts caches two texts with their values: the state after a reset and the last one. Reading the
// same text again needs no parsing, and the values are shared.
type texts struct {
	base, last           string
	baseValue, lastValue value.Value
	// fresh says that the next text is the state after a reset.
	fresh bool
}

func (s *texts) parse(text string) (value.Value, error) {
	v := s.lastValue
	switch {
	case text == "":
		return v, errors.New("it is empty")
	case text == s.last:
	case text == s.base:
		v = s.baseValue
	default:
		var err error
		if v, err = value.ParseString(text); err != nil {
			return v, err
		}
	}
	s.last, s.lastValue = text, v
	if s.fresh {
		s.base, s.baseValue, s.fresh = text, v, false
	}
	return v, nil
}
