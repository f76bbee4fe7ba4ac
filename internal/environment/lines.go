package environment

import (
	"context"
	"errors"
	"strings"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// lineEnv is an environment in a process that speaks JSON lines. The Starlark kind
// and the command kind are both one; they differ in how they learn what a call
// changed.
type lineEnv struct {
	command command
	limits  Limits
	proc    *process
	// greeting is the first request, empty for a program that needs none.
	greeting []byte
	// edits says that the program tells with each call what it wrote (Starlark).
	// Then the state is kept on this side and never read back.
	edits bool
	// track says to read the state back after each call; reads are the tools after
	// which that is not needed.
	track bool
	reads map[string]bool
	// equality says which values a call did not change.
	equality value.Equality

	// start is the state of the last reset, sent says that the program has it.
	start value.Value
	sent  bool
	// current is the state as far as it is known.
	current value.Value
	known   bool
	texts   seen
}

// Reset implements Environment: a program that is not running is started.
func (e *lineEnv) Reset(ctx context.Context, st value.Value) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.proc == nil {
		if err := e.open(ctx); err != nil {
			return err
		}
	}
	request := value.OfObject(value.Member{Key: "op", Value: value.OfString("reset")})
	if !e.edits || !e.sent || !value.Same(st, e.start) {
		request = request.With("state", st)
	}
	reply, err := e.ask(ctx, "reset", request)
	if err != nil {
		return err
	}
	if message, bad := refusal(reply); bad {
		return e.fail(faultf(Protocol, "reset", "the environment refused its state: %s", message))
	}
	e.start, e.sent = st, true
	e.current, e.known, e.texts.fresh = st, true, true
	return nil
}

func (e *lineEnv) open(ctx context.Context) error {
	proc, err := e.command.start()
	if err != nil {
		return startFault(e.command.argv, err)
	}
	e.proc, e.sent = proc, false
	if len(e.greeting) == 0 {
		return nil
	}
	line, err := proc.exchange(ctx, "start", e.greeting, e.limits.Start, e.limits.MaxReply)
	if err != nil {
		return e.fail(err)
	}
	reply, err := value.Parse(line)
	if err != nil {
		return e.fail(faultf(Protocol, "start", "the answer is no JSON: %v", err))
	}
	if message, bad := refusal(reply); bad {
		return e.fail(faultf(ConfigFault, "start", "%s", message))
	}
	return nil
}

// fail ends the process, so that the next reset starts a new one, and returns err.
func (e *lineEnv) fail(err error) error {
	if e.proc != nil {
		e.proc.kill()
		e.proc = nil
	}
	e.sent, e.known = false, false
	return err
}

// ask sends a request and reads the reply, which is an object with "ok".
func (e *lineEnv) ask(ctx context.Context, op string, request value.Value) (value.Value, error) {
	line, err := e.askRaw(ctx, op, request)
	if err != nil {
		return value.Value{}, err
	}
	return e.parse(op, line)
}

func (e *lineEnv) askRaw(ctx context.Context, op string, request value.Value) ([]byte, error) {
	if e.proc == nil {
		return nil, faultf(Crash, op, "the environment is not running: reset comes first")
	}
	timeout := e.limits.Call
	if op == "reset" {
		timeout = e.limits.Start
	}
	line := append(value.AppendJSON(nil, request, value.Format{}), '\n')
	reply, err := e.proc.exchange(ctx, op, line, timeout, e.limits.MaxReply)
	if err != nil {
		return nil, e.fail(err)
	}
	return reply, nil
}

func (e *lineEnv) parse(op string, line []byte) (value.Value, error) {
	reply, err := value.Parse(line)
	if err == nil {
		if _, ok := reply.Field("ok").BoolVal(); ok {
			return reply, nil
		}
	}
	return value.Value{}, e.malformed(op, line)
}

func (e *lineEnv) malformed(op string, line []byte) error {
	f := faultf(Protocol, op, "the answer is no reply: want {\"ok\":true,\"result\":…} or {\"ok\":false,\"error\":…}, got %s", quote(string(line)))
	f.Stderr = e.proc.stderr.lines()
	return e.fail(f)
}

// quote shows the start of what came instead of what was wanted.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "…"
	}
	return string(value.AppendQuoted(nil, s))
}

// refusal returns the error of a reply that says ok: false.
func refusal(reply value.Value) (message string, refused bool) {
	if ok, _ := reply.Field("ok").BoolVal(); ok {
		return "", false
	}
	return reply.Field("error").Python(), true
}

// Call implements Environment.
func (e *lineEnv) Call(ctx context.Context, name string, args value.Value) (Result, error) {
	op := "call " + name
	reply, err := e.ask(ctx, op, value.OfObject(
		value.Member{Key: "op", Value: value.OfString("call")},
		value.Member{Key: "name", Value: value.OfString(name)},
		value.Member{Key: "arguments", Value: args},
	))
	if err != nil {
		return Result{}, err
	}
	if kind, ok := reply.Field("fault").Str(); ok {
		f := faultf(Protocol, op, "%s", reply.Field("error").Python())
		if kind == "steps" {
			f.Kind = Steps
		}
		return Result{}, e.fail(f)
	}
	res := Result{Value: reply.Field("result")}
	if message, bad := refusal(reply); bad {
		res.Value, res.IsError = value.OfString(message), true
		res.Unknown = strings.HasPrefix(message, "unknown tool")
	}
	return e.effects(ctx, op, name, reply, res)
}

// effects finds out what the call changed.
func (e *lineEnv) effects(ctx context.Context, op, name string, reply value.Value, res Result) (Result, error) {
	switch {
	case e.edits:
		next, ops, err := applyEdits(e.current, reply.Field("edits"), e.equality)
		if err != nil {
			return Result{}, e.fail(faultf(Protocol, op, "%v", err))
		}
		e.current, res.Effects, res.Tracked = next, ops, true
	case !e.track:
		e.known = false
	case e.reads[name]:
		res.Tracked = true
	default:
		before := e.current
		after, err := e.Snapshot(ctx)
		if err != nil {
			return Result{}, err
		}
		res.Effects, res.Tracked = state.Compare(before, after, e.equality), true
	}
	return res, nil
}

// applyEdits writes the edits of a Starlark call into the state.
func applyEdits(st, edits value.Value, eq value.Equality) (value.Value, []state.Op, error) {
	if edits.Len() == 0 {
		return st, nil, nil
	}
	ops := make([]state.Op, edits.Len())
	for i, edit := range edits.Elements() {
		ops[i] = state.Op{Op: state.Remove, Path: edit.At(0).Text()}
		if edit.Len() > 1 {
			ops[i].Op, ops[i].Value = state.Replace, edit.At(1)
		}
	}
	next, err := state.Apply(st, ops)
	if err != nil {
		return st, nil, err
	}
	return next, state.Compare(st, next, eq), nil
}

// Snapshot implements Environment.
func (e *lineEnv) Snapshot(ctx context.Context) (value.Value, error) {
	if e.edits && e.known {
		return e.current, nil
	}
	line, err := e.askRaw(ctx, "snapshot", value.OfObject(value.Member{Key: "op", Value: value.OfString("snapshot")}))
	if err != nil {
		return value.Value{}, err
	}
	reply, err := e.texts.parse(string(line))
	if err == nil {
		_, ok := reply.Field("ok").BoolVal()
		if !ok {
			err = errors.New(`it has no "ok"`)
		}
	}
	if err != nil {
		return value.Value{}, e.malformed("snapshot", line)
	}
	if message, bad := refusal(reply); bad {
		return value.Value{}, e.fail(faultf(Protocol, "snapshot", "the environment refused: %s", message))
	}
	e.current, e.known = reply.Field("result"), true
	return e.current, nil
}

// Close implements Environment.
func (e *lineEnv) Close() error {
	if e.proc != nil {
		e.proc.stop()
		e.proc = nil
	}
	return nil
}
