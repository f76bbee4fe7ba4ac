package environment

import (
	"context"
	"errors"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// Outcome is the result of a check. Parts that were not requested are nil: what was not checked
// neither passes nor fails.
type Outcome struct {
	// Status is scored; not_applicable if nothing is expected from the conversation; error if the
	// environment failed, with Fault.
	Status score.Status
	Fault  *Fault
	// ExecOK says that the final state is right: the state and the assertions.
	ExecOK *bool
	// StateOK is about the states, OutputsOK about the texts that the agent must give the user.
	StateOK, OutputsOK *bool
	// Reward is 1 if all checked parts are right and the run ended by itself (if that is required),
	// else 0.
	Reward *float64
	// Unfinished says that the run did not end by itself, which makes the reward 0.
	Unfinished bool
	// Diff lists the differences between the final state and the expected one, each with the call
	// that caused it.
	Diff []state.Change
	// Pollution is the number of differences that were not expected.
	Pollution int
	// Final lists what the logged calls changed from the start, Expected what the expected calls
	// changed.
	Final, Expected []state.Change
	// Effects has one entry for each call that was run, ExpectedEffects for each
	// expected one.
	Effects, ExpectedEffects []Effect
	// Compared counts the results that could be compared with the log's, Drift lists those that
	// differ: then the sandbox is not the one in which the log was made.
	Compared   int
	Drift      []Drift
	Assertions []AssertionResult
	Outputs    []OutputResult
	Skipped    []Skip
}

// Effect says what one call did.
type Effect struct {
	// Index is the call's index among the logged or the expected calls.
	Index  int
	Name   string
	Result Result
}

// execute runs a plan. If the environment fails, the Outcome has the status error; it returns an
// error only if the context ended.
func execute(ctx context.Context, env *environment, p Plan) (Outcome, error) {
	out := Outcome{Skipped: p.Skipped, Unfinished: p.Unfinished}
	err := out.check(ctx, env, p)
	var fault *Fault
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &fault):
		return Outcome{
			Status: score.Error, Fault: fault,
			Effects: out.Effects, ExpectedEffects: out.ExpectedEffects, Skipped: p.Skipped,
		}, nil
	}
	return Outcome{}, err
}

// check runs the expected and the logged calls and compares the resulting states.
func (o *Outcome) check(ctx context.Context, env *environment, p Plan) error {
	expected := p.WantState
	if p.WantCalls != nil {
		want, err := replay(ctx, env, p.Start, p.WantCalls)
		o.ExpectedEffects, expected = want.effects, &want.final
		if err == nil {
			err = lacking(want.effects, p.Reads)
		}
		if err != nil {
			return err
		}
	}
	got, err := replay(ctx, env, p.Start, p.Calls)
	o.Effects = got.effects
	if err != nil {
		return err
	}
	o.Final = state.Compare(got.start, got.final, p.Compare.Equality)
	if expected != nil {
		o.Expected = state.Compare(got.start, *expected, p.Compare.Equality)
		o.Diff = state.Diff(&got.start, *expected, got.final, p.Compare)
		o.blame()
		ok := len(o.Diff) == 0
		o.StateOK = &ok
	}
	o.Assertions = assertAll(got.final, p.Assertions)
	o.drift(p.Calls)
	if p.CheckOutputs {
		o.Outputs = findOutputs(p.Outputs, p.Replies)
	}
	o.decide(p)
	return nil
}

// lacking returns a fault if the environment lacks a tool that the expected calls need, because
// their resulting state would be wrong. Tools that only read may be missing.
func lacking(effects []Effect, reads []string) error {
	for _, e := range effects {
		if e.Result.Unknown && !slices.Contains(reads, e.Name) {
			return faultf(configFault, "call "+e.Name, "the environment has no tool %q, which the expected calls need "+
				"(name it under reads if it changes nothing)", e.Name)
		}
	}
	return nil
}

// replayed is the result of running calls.
type replayed struct {
	start, final value.Value
	effects      []Effect
}

// replay runs calls from a start state. The end is compared with what the environment shows after
// the reset: with a null start it is the only known start, and a server that writes 1.0 as 1 would
// otherwise seem to have changed it. With an error it returns the effects of the calls before it.
func replay(ctx context.Context, env *environment, start value.Value, calls []Call) (r replayed, err error) {
	if err = env.Reset(ctx, start); err != nil {
		return r, err
	}
	if r.start, err = env.Snapshot(ctx); err != nil {
		return r, err
	}
	calls = slices.Clone(calls)
	for i := range calls {
		res, err := run(ctx, env, start, calls, i)
		if err != nil {
			return r, err
		}
		r.effects = append(r.effects, Effect{Index: calls[i].Index, Name: calls[i].Name, Result: res})
	}
	r.final, err = env.Snapshot(ctx)
	return r, err
}

// run runs the call at i. A call whose strings can be decoded is tried decoded first; if the log
// has another result, the environment is reset to its earlier state and the call is run as written.
// calls then holds what was run.
func run(ctx context.Context, env *environment, start value.Value, calls []Call, i int) (Result, error) {
	c := &calls[i]
	if c.Decoded.IsNull() {
		return env.Call(ctx, c.Name, c.Arguments)
	}
	res, err := env.Call(ctx, c.Name, c.Decoded)
	if err != nil || identical(res, c.Logged) {
		c.Arguments = c.Decoded
		return res, err
	}
	if err := env.Reset(ctx, start); err != nil {
		return Result{}, err
	}
	if _, err := env.Snapshot(ctx); err != nil { // the state after the next call is compared with it
		return Result{}, err
	}
	for _, before := range calls[:i] {
		if _, err := env.Call(ctx, before.Name, before.Arguments); err != nil {
			return Result{}, err
		}
	}
	return env.Call(ctx, c.Name, c.Arguments)
}

// blame finds the calls that caused the differences: the last call that wrote to the place, and the
// expected call that should have written.
func (o *Outcome) blame() {
	for i := range o.Diff {
		c := &o.Diff[i]
		c.ExpectedCall = lastWriter(o.ExpectedEffects, c.Path)
		c.Call = lastWriter(o.Effects, c.Path)
		if c.Kind == state.Unexpected {
			o.Pollution++
		}
	}
}

func lastWriter(effects []Effect, path string) int {
	for i := len(effects) - 1; i >= 0; i-- {
		for _, op := range effects[i].Result.Effects {
			if state.Overlaps(op.Path, path) {
				return effects[i].Index
			}
		}
	}
	return -1
}

// decide computes the verdicts and the reward.
func (o *Outcome) decide(p Plan) {
	exec, found := true, true
	if o.StateOK != nil {
		exec = *o.StateOK
	}
	for _, a := range o.Assertions {
		exec = exec && a.OK
	}
	if o.StateOK != nil || len(o.Assertions) > 0 {
		o.ExecOK = &exec
	}
	if p.CheckOutputs && len(p.Outputs) > 0 {
		for _, out := range o.Outputs {
			found = found && out.Found
		}
		o.OutputsOK = &found
	}
	o.Status = score.NotApplicable
	if o.ExecOK != nil || o.OutputsOK != nil {
		o.Status = score.Scored
		reward := 0.0
		if exec && found && !p.Unfinished {
			reward = 1
		}
		o.Reward = &reward
	}
}
