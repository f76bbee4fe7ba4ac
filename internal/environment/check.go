package environment

import (
	"context"
	"errors"
	"slices"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Outcome is what a check found. The parts that were not asked for are nil: nothing
// that was not looked at passes or fails.
type Outcome struct {
	// Status is scored; not_applicable where nothing is expected of the
	// conversation; error where the environment failed, with Fault.
	Status score.Status
	Fault  *Fault
	// ExecOK says that the final state is right: the state and the assertions.
	ExecOK *bool
	// StateOK compares the states, OutputsOK the texts that the agent had to tell.
	StateOK, OutputsOK *bool
	// Reward is 1 when all parts that were looked at hold and the run ended by itself
	// (where that is asked), else 0.
	Reward *float64
	// Unfinished says that the run did not end by itself, which costs the reward.
	Unfinished bool
	// Diff is how the final state differs from the expected one, with the call that
	// caused each difference.
	Diff []state.Change
	// Pollution is the number of differences that nobody asked for.
	Pollution int
	// Final is what the logged calls changed from the start, Expected what the
	// expected ones did.
	Final, Expected []state.Op
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

// Effect is what one call did.
type Effect struct {
	// Index is the call's index among the logged or the expected calls.
	Index  int
	Name   string
	Result Result
}

// execute runs a plan. An environment that fails gives an Outcome with the status
// error; the only error is that of a context that ended.
func execute(ctx context.Context, env *environment, p Plan) (Outcome, error) {
	p.Calls = slices.Clone(p.Calls)
	out := Outcome{Skipped: p.Skipped, Unfinished: p.Unfinished}
	err := check(ctx, env, p, &out)
	var fault *Fault
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &fault):
		return Outcome{Status: score.Error, Fault: fault, Effects: out.Effects, ExpectedEffects: out.ExpectedEffects, Skipped: p.Skipped}, nil
	}
	return Outcome{}, err
}

func check(ctx context.Context, env *environment, p Plan, out *Outcome) error {
	expected := p.WantState
	if p.WantCalls != nil {
		_, want, effects, err := replay(ctx, env, p.Start, p.WantCalls, &out.ExpectedEffects)
		if err != nil {
			return err
		}
		expected, out.ExpectedEffects = &want, effects
		if err := lacking(effects, p.Reads); err != nil {
			return err
		}
	}
	start, final, effects, err := replay(ctx, env, p.Start, p.Calls, &out.Effects)
	if err != nil {
		return err
	}
	out.Effects = effects
	out.Final = state.Compare(start, final, p.Compare.Equality)
	if expected != nil {
		out.Expected = state.Compare(start, *expected, p.Compare.Equality)
		out.Diff = state.Diff(&start, *expected, final, p.Compare)
		out.blame()
		ok := len(out.Diff) == 0
		out.StateOK = &ok
	}
	out.Assertions = assertAll(final, p.Assertions)
	out.drift(p.Calls)
	if p.CheckOutputs {
		out.Outputs = findOutputs(p.Outputs, p.Replies)
	}
	out.decide(p)
	return nil
}

// lacking is the fault of an environment without a tool that the expected calls
// need: what they lead to would be wrong. Tools that only read may be missing.
func lacking(effects []Effect, reads []string) error {
	for _, e := range effects {
		if e.Result.Unknown && !slices.Contains(reads, e.Name) {
			return faultf(ConfigFault, "call "+e.Name, "the environment has no tool %q, which the expected calls need (name it under reads if it changes nothing)", e.Name)
		}
	}
	return nil
}

// replay runs calls from a start state. What the environment shows after the reset
// is the start that the end is compared with: with a null start it is the only one
// known, and a server that writes 1.0 as 1 would otherwise seem to have changed it.
// partial receives the effects as they come, so that they are known when the
// environment fails.
func replay(ctx context.Context, env *environment, start value.Value, calls []Call, partial *[]Effect) (began, final value.Value, effects []Effect, err error) {
	if err := env.Reset(ctx, start); err != nil {
		return start, final, nil, err
	}
	if began, err = env.Snapshot(ctx); err != nil {
		return began, final, nil, err
	}
	for i := range calls {
		res, err := run(ctx, env, start, calls, i)
		if err != nil {
			return began, final, nil, err
		}
		effects = append(effects, Effect{Index: calls[i].Index, Name: calls[i].Name, Result: res})
		*partial = effects
	}
	final, err = env.Snapshot(ctx)
	return began, final, effects, err
}

// run runs the call at i. One with strings to decode is tried decoded; where the log
// holds another result, the environment is brought back to where it was and the call is
// run as it was written. calls then hold what was run.
func run(ctx context.Context, env *environment, start value.Value, calls []Call, i int) (Result, error) {
	c := &calls[i]
	if !c.Decoded.IsNull() {
		written := c.Arguments
		c.Arguments, c.Decoded = c.Decoded, value.Value{}
		res, err := runOne(ctx, env, c)
		if err != nil || identical(res, *c.Logged) {
			return res, err
		}
		c.Arguments = written
		if err := env.Reset(ctx, start); err != nil {
			return Result{}, err
		}
		for k := range i {
			if _, err := runOne(ctx, env, &calls[k]); err != nil {
				return Result{}, err
			}
		}
	}
	return runOne(ctx, env, c)
}

func runOne(ctx context.Context, env *environment, c *Call) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return env.Call(ctx, c.Name, c.Arguments)
}

// blame finds the calls behind the differences: the last call that wrote to the
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
	exec, asked := true, false
	if o.StateOK != nil {
		exec, asked = *o.StateOK, true
	}
	for _, a := range o.Assertions {
		exec, asked = exec && a.OK, true
	}
	all := exec
	if asked {
		o.ExecOK = &exec
	}
	if p.CheckOutputs && len(p.Outputs) > 0 {
		found := true
		for _, out := range o.Outputs {
			found = found && out.Found
		}
		o.OutputsOK = &found
		all, asked = all && found, true
	}
	if !asked {
		o.Status = score.NotApplicable
		return
	}
	o.Status = score.Scored
	reward := 0.0
	if all && !p.Unfinished {
		reward = 1
	}
	o.Reward = &reward
}
