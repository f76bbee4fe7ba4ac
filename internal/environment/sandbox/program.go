// Package sandbox runs the Starlark environment: tools are Starlark functions over a JSON state, in
// a separate process.
//
// It promises that a program sees only the state and its arguments (no file, no network, no clock,
// no random numbers), that the same calls give the same results, that each call reports which paths
// of the state it changed, and that a failing call changes nothing. The process limits steps,
// memory and time, see Main.
//
// Between calls the state is an immutable JSON value. During a call its objects are opened if a
// tool reads them, and only opened objects are read back. With plain dicts the whole state would
// have to be searched after every call: 8 CPU-ms on τ-bench's retail database and 25 on the
// airline's, forty times the cost of a call.
package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// Program is a file of tools with a state. It is not safe for concurrent use.
type Program struct {
	tools map[string]*starlark.Function
	// start is the state of the last Reset, state the state after the calls since; both are null
	// before the first Reset.
	start, state value.Value
	maxSteps     uint64
	// keep says that the changes of a failing call stay.
	keep bool
}

// Load loads a file of tools. Every top-level function is a tool, unless its name starts with an
// underscore; its first parameter, whatever its name, gets the state. maxSteps limits the steps of
// one call.
func Load(filename, source string, maxSteps uint64) (*Program, error) {
	options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}
	file, err := options.Parse(filename, source, 0)
	if err != nil {
		return nil, err
	}
	rewrite(file)
	have := builtins()
	compiled, err := starlark.FileProgram(file, have.Has)
	if err != nil {
		return nil, err
	}
	globals, err := compiled.Init(newThread(maxSteps), have)
	if err != nil {
		return nil, explain(err)
	}
	globals.Freeze()
	p := &Program{tools: map[string]*starlark.Function{}, maxSteps: maxSteps}
	for name, v := range globals {
		fn, ok := v.(*starlark.Function)
		if !ok || strings.HasPrefix(name, "_") {
			continue
		}
		if fn.NumParams() == 0 {
			return nil, fmt.Errorf("%s: the tool %s has no parameter for the state "+
				"(if a function is not a tool, begin its name with an underscore)", fn.Position(), name)
		}
		p.tools[name] = fn
	}
	if len(p.tools) == 0 {
		return nil, fmt.Errorf("%s: no tool: write functions as def name(state, argument, …)", filename)
	}
	return p, nil
}

func newThread(maxSteps uint64) *starlark.Thread {
	t := &starlark.Thread{Name: "tool", Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(maxSteps)
	return t
}

// Reset sets the state.
func (p *Program) Reset(v value.Value) error {
	if v.Kind() != value.Object {
		return fmt.Errorf("the state must be a JSON object, not %s", v.Kind())
	}
	p.start, p.state = v, v
	return nil
}

// State returns the state; null before the first Reset.
func (p *Program) State() value.Value { return p.state }

// errSteps says that a call reached its step limit: the environment is at fault, not the call.
var errSteps = errors.New("step limit exceeded")

// maxEdits limits the edits of one call: if there are more, the whole state is the only edit.
const maxEdits = 256

// Outcome is the result of one call.
type Outcome struct {
	Result value.Value
	// Failure is the error that the tool reported, as the agent would see it; ""
	// if the call succeeded.
	Failure string
	// Edits holds what the call changed in the state.
	Edits []state.Change
}

// Call runs a tool. An error is a fault of the environment; what the tool itself
// reports is in the outcome. A tool that fails changes nothing, unless the
// program keeps such changes.
func (p *Program) Call(name string, args value.Value) (Outcome, error) {
	fn, ok := p.tools[name]
	if !ok {
		return Outcome{Failure: fmt.Sprintf("unknown tool %q", name)}, nil
	}
	kwargs := make([]starlark.Tuple, 0, args.Len())
	for k, v := range args.Members() {
		kwargs = append(kwargs, starlark.Tuple{starlark.String(k), plain(v)})
	}
	thread := newThread(p.maxSteps)
	limited := false
	thread.OnMaxSteps = func(t *starlark.Thread) {
		limited = true
		t.Cancel("too many steps")
	}
	root := &object{base: p.state}
	got, err := starlark.Call(thread, fn, starlark.Tuple{root}, kwargs)
	if limited {
		return Outcome{}, fmt.Errorf("%s: %w: more than %d steps", name, errSteps, p.maxSteps)
	}
	return p.finish(root, got, err), nil
}

// finish reads back what a call returned and how it changed the state.
func (p *Program) finish(root *object, got starlark.Value, err error) Outcome {
	var out Outcome
	if err == nil {
		out.Result, err = toValue(got, value.Value{}, 0)
	}
	if err != nil {
		out.Failure = explain(err).Error()
		if !p.keep {
			return out
		}
	}
	after, err := root.value(0)
	if err != nil {
		return Outcome{Failure: "the state: " + err.Error()}
	}
	out.Edits = state.Compare(p.state, after, strict)
	if len(out.Edits) > maxEdits {
		out.Edits = []state.Change{{Final: &after}}
	}
	p.state = after
	return out
}

// explain turns an interpreter error into one line: the text of fail() alone,
// anything else with the place in the program.
func explain(err error) error {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return err
	}
	if text, ok := strings.CutPrefix(eval.Msg, "fail: "); ok {
		return errors.New(text)
	}
	for i := len(eval.CallStack) - 1; i >= 0; i-- {
		if pos := eval.CallStack[i].Pos; pos.Line > 0 {
			return fmt.Errorf("%s (%s:%d)", eval.Msg, pos.Filename(), pos.Line)
		}
	}
	return errors.New(eval.Msg)
}
