package environment

import (
	"context"
	"errors"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// Outcome holds what a check found. The parts that were not asked for are nil: nothing
// that was not looked at passes or fails.
type Outcome struct {
	// Status is scored; not_applicable if nothing is expected of the
	// conversation; error if the environment failed, with Fault.
	Status score.Status
	Fault  *Fault
	// ExecOK says that the final state is right: the state and the assertions.
	ExecOK *bool
	// StateOK compares the states, OutputsOK the texts that the agent must give the user.
	StateOK, OutputsOK *bool
	// Reward is 1 when all parts that were looked at hold and the run ended by itself
	// (if that is asked), else 0.
	Reward *float64
	// Unfinished says that the run did not end by itself, which costs the reward.
	Unfinished bool
	// Diff says how the final state differs from the expected one, with the call that
	// caused each difference.
	Diff []state.Change
	// Pollution is the number of differences that were not expected.
	Pollution int
	// Final holds what the logged calls changed from the start, Expected what the
	// expected ones did.
	Final, Expected []state.Change
	// Effects has one entry for each call that was run, ExpectedEffects for each
	// expected one.
	Effects, ExpectedEffects []Effect
	// Compared is the number of results that could be compared with the log's, Drift
	// those that differ: then the sandbox is not what the log was made in.
	Compared   int
	Drift      []Drift
	Assertions []AssertionResult
	Outputs    []OutputResult
	Skipped    []Skip
}

// Effect holds what one call did.
type Effect struct {
	// Index is the call's index among the logged or the expected calls.
	Index  int
	Name   string
	Result Result
}

// execute runs a plan. An environment that fails gives an Outcome with the status
// error; the only error is that of a context that ended.
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

// check runs the expected and the logged calls and compares what they lead to.
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

// lacking returns the fault of an environment without a tool that the expected calls
// need: what they lead to would be wrong. Tools that only read may be missing.
func lacking(effects []Effect, reads []string) error {
	for _, e := range effects {
		if e.Result.Unknown && !slices.Contains(reads, e.Name) {
			return faultf(configFault, "call "+e.Name, "the environment has no tool %q, which the expected calls need "+
				"(name it under reads if it changes nothing)", e.Name)
		}
	}
	return nil
}

// replayed holds what calls led to.
type replayed struct {
	start, final value.Value
	effects      []Effect
}

// replay runs calls from a start state. What the environment shows after the reset
// is the start that the end is compared with: with a null start it is the only one
// known, and a server that writes 1.0 as 1 would otherwise seem to have changed it.
// With an error come the effects of the calls before it.
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

// run runs the call at i. One with strings to decode is tried decoded; if the log
// holds another result, the environment gets its earlier state back and the call is
// run as it was written. calls then hold what was run.
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
	if _, err := env.Snapshot(ctx); err != nil { // with which the state after the next call is compared
		return Result{}, err
	}
	for _, before := range calls[:i] {
		if _, err := env.Call(ctx, before.Name, before.Arguments); err != nil {
			return Result{}, err
		}
	}
	return env.Call(ctx, c.Name, c.Arguments)
}

// blame finds the calls after the differences: the last call that wrote to the
// place, and the expected call that should have.
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

// decide sums up.
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
