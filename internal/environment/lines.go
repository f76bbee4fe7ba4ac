package environment

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// lineRunner is a process that answers JSON lines, for the Starlark kind and the command kind. The
// Starlark process gets its program at the start, and reports what each call changed, so that its
// state is never read back.
type lineRunner struct {
	command command
	limits  Limits
	// greeting is the first request to Starlark, null for a program that needs none.
	greeting value.Value
	reads    []string

	proc *process
	// base is the state of the last reset; sent says that the program has it, so that Starlark can
	// be reset without sending it again. current is the state after its calls.
	base, current value.Value
	sent          bool
	texts         texts
}

func (r *lineRunner) start(ctx context.Context) error {
	proc, err := r.command.start()
	if err != nil {
		return startFault(r.command.argv, err)
	}
	r.proc, r.sent = proc, false
	if r.greeting.IsNull() {
		return nil
	}
	reply, err := r.ask(ctx, "start", r.greeting)
	if err != nil {
		return err
	}
	if message, refused := refusal(reply); refused {
		return faultf(configFault, "start", "%s", message)
	}
	return nil
}

func (r *lineRunner) stop(atOnce bool) {
	if r.proc != nil {
		r.proc.stop(atOnce)
		r.proc = nil
	}
}

func (r *lineRunner) readOnly(name string) bool { return slices.Contains(r.reads, name) }

func (r *lineRunner) reset(ctx context.Context, st value.Value) error {
	request := value.Pairs("op", "reset")
	if r.greeting.IsNull() || !r.sent || !value.Same(st, r.base) {
		request = request.With("state", st)
	}
	reply, err := r.ask(ctx, "reset", request)
	if err != nil {
		return err
	}
	if message, refused := refusal(reply); refused {
		return faultf(protocol, "reset", "the environment refused its state: %s", message)
	}
	r.base, r.current, r.sent, r.texts.fresh = st, st, true, true
	return nil
}

// ask sends a request and reads the reply, which is an object with "ok".
func (r *lineRunner) ask(ctx context.Context, op string, request value.Value) (value.Value, error) {
	line := append(value.AppendJSON(nil, request, value.Format{}), '\n')
	answer, err := r.proc.exchange(ctx, line, r.limits.MaxReply)
	if err != nil {
		tooLong := errors.Is(err, errTooLong)
		return value.Value{}, explain(ctx, op, r.proc, tooLong, err)
	}
	parse := value.ParseString
	if op == "snapshot" {
		parse = r.texts.parse
	}
	reply, err := parse(string(answer))
	if err != nil && op == "start" {
		// This is not the intended program: its output is ignored.
		return reply, faultf(protocol, op, "the answer is no JSON: %v", err)
	}
	if _, ok := reply.Field("ok").BoolVal(); err != nil || !ok {
		f := faultf(protocol, op, "the answer is not a reply: want {\"ok\":true,\"result\":…} or "+
			"{\"ok\":false,\"error\":…}, got %s", quote(string(answer)))
		f.Stderr = r.proc.stderr.lines()
		return reply, f
	}
	return reply, nil
}

// quote shows the start of an unexpected reply.
func quote(s string) string { return string(value.AppendQuoted(nil, value.Excerpt(s, 120))) }

// refusal returns the error of a reply that says ok: false.
func refusal(reply value.Value) (message string, refused bool) {
	if ok, _ := reply.Field("ok").BoolVal(); ok {
		return "", false
	}
	return reply.Field("error").Python(), true
}

func (r *lineRunner) call(ctx context.Context, name string, args value.Value) (Result, error) {
	op := "call " + name
	request := value.Pairs("op", "call", "name", name, "arguments", args)
	reply, err := r.ask(ctx, op, request)
	if err != nil {
		return Result{}, err
	}
	if kind, ok := reply.Field("fault").Str(); ok {
		f := faultf(protocol, op, "%s", reply.Field("error").Python())
		if kind == "steps" {
			f.Kind = stepsFault
		}
		return Result{}, f
	}
	res := Result{Value: reply.Field("result")}
	if message, refused := refusal(reply); refused {
		res.Value, res.IsError = value.OfString(message), true
		res.Unknown = strings.HasPrefix(message, "unknown tool")
	}
	if r.greeting.IsNull() {
		return res, nil
	}
	if r.current, err = state.Apply(r.current, editsOf(reply)); err != nil {
		return res, faultf(protocol, op, "%v", err)
	}
	return res, nil
}

// editsOf reads what a Starlark call wrote.
func editsOf(reply value.Value) []state.Change {
	var changes []state.Change
	for _, edit := range reply.Field("edits").Elements() {
		c := state.Change{Path: edit.At(0).Text()}
		if edit.Len() > 1 {
			to := edit.At(1)
			c.Final = &to
		}
		changes = append(changes, c)
	}
	return changes
}

func (r *lineRunner) snapshot(ctx context.Context) (value.Value, error) {
	if !r.greeting.IsNull() {
		return r.current, nil
	}
	reply, err := r.ask(ctx, "snapshot", value.Pairs("op", "snapshot"))
	if err != nil {
		return value.Value{}, err
	}
	if message, refused := refusal(reply); refused {
		return value.Value{}, faultf(protocol, "snapshot", "the environment refused: %s", message)
	}
	return reply.Field("result"), nil
}
