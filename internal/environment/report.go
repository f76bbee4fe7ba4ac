package environment

import (
	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// mostListed bounds each list of Object.
const mostListed = 200

// Object returns the outcome as the details of a score, as docs/environments.md lists
// them. Parts that were not looked at are null; lists are cut after 200 entries, and
// their full lengths are in counts.
func (o Outcome) Object() value.Value {
	reward, terminated := value.Value{}, value.Value{}
	if o.Reward != nil {
		reward = value.OfFloat(*o.Reward)
	}
	if o.Unfinished {
		terminated = value.OfBool(false)
	}
	counts := value.OfObject(
		count("diff", len(o.Diff)), count("patch", len(o.Final)), count("expected_patch", len(o.Expected)),
		count("effects", len(o.Effects)), count("drift", len(o.Drift)),
	)
	members := []value.Member{
		{Key: "exec_ok", Value: ofBool(o.ExecOK)},
		{Key: "state_ok", Value: ofBool(o.StateOK)},
		{Key: "outputs_ok", Value: ofBool(o.OutputsOK)},
		{Key: "reward", Value: reward},
		{Key: "terminated", Value: terminated},
		count("pollution", o.Pollution),
		{Key: "counts", Value: counts},
		{Key: "diff", Value: listOf(o.Diff, state.Change.Object)},
		{Key: "patch", Value: listOf(o.Final, state.Change.Operation)},
		{Key: "expected_patch", Value: listOf(o.Expected, state.Change.Operation)},
		{Key: "effects", Value: listOf(o.Effects, Effect.object)},
		{Key: "expected_effects", Value: listOf(o.ExpectedEffects, Effect.object)},
		count("compared", o.Compared),
		{Key: "drift", Value: listOf(o.Drift, Drift.object)},
		{Key: "assertions", Value: listOf(o.Assertions, AssertionResult.object)},
		{Key: "outputs", Value: o.outputs()},
		{Key: "skipped", Value: listOf(o.Skipped, Skip.object)},
	}
	if o.Fault != nil {
		members = append(members, value.Member{Key: "fault", Value: o.Fault.object()})
	}
	return value.OfObject(members...)
}

func count(key string, n int) value.Member {
	return value.Member{Key: key, Value: value.OfInt(int64(n))}
}

func text(key, s string) value.Member { return value.Member{Key: key, Value: value.OfString(s)} }

func (o Outcome) outputs() value.Value {
	members := make([]value.Member, len(o.Outputs))
	for i, out := range o.Outputs {
		members[i] = value.Member{Key: out.Text, Value: value.OfBool(out.Found)}
	}
	return value.OfObject(members...)
}

func ofBool(b *bool) value.Value {
	if b == nil {
		return value.Value{}
	}
	return value.OfBool(*b)
}

func listOf[T any](list []T, object func(T) value.Value) value.Value {
	out := make([]value.Value, min(len(list), mostListed))
	for i := range out {
		out[i] = object(list[i])
	}
	return value.OfList(out...)
}

func (e Effect) object() value.Value {
	members := []value.Member{count("call", e.Index), text("name", e.Name)}
	if e.Result.IsError {
		members = append(members, text("error", value.Excerpt(e.Result.Value.Python(), mostShown)))
	}
	patch := value.Member{Key: "patch"}
	if e.Result.Tracked {
		patch.Value = listOf(e.Result.Effects, state.Change.Operation)
	}
	return value.OfObject(append(members, patch)...)
}

func (d Drift) object() value.Value {
	return value.OfObject(
		count("call", d.Call), text("name", d.Name), text("logged", d.Logged), text("got", d.Got),
		value.Member{Key: "unknown_tool", Value: value.OfBool(d.Unknown)},
	)
}

func (a AssertionResult) object() value.Value {
	v := value.OfObject(text("path", a.Path), text("op", a.Op)).
		With("value", a.Value).
		With("ok", value.OfBool(a.OK))
	if a.Found != nil {
		v = v.With("found", *a.Found)
	}
	return v
}

func (s Skip) object() value.Value {
	return value.OfObject(count("call", s.Index), text("reason", s.Reason))
}

func (f *Fault) object() value.Value {
	return value.OfObject(text("kind", string(f.Kind)), text("message", f.Error())).
		With("stderr", value.OfStrings(f.Stderr...))
}
