package environment

import (
	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/value"
)

// mostListed bounds each list of Object.
const mostListed = 200

// Object returns the outcome as the details of a score: exec_ok, state_ok,
// outputs_ok, reward, terminated (false
// where the run did not end by itself, else null), pollution, diff, patch (RFC 6902, what the logged calls
// changed), expected_patch, effects, compared, drift, assertions, outputs, skipped,
// fault. Parts that were not looked at are null; lists are cut after 200 entries,
// and their full lengths stand in counts.
func (o Outcome) Object() value.Value {
	members := []value.Member{
		{Key: "exec_ok", Value: ofBool(o.ExecOK)},
		{Key: "state_ok", Value: ofBool(o.StateOK)},
		{Key: "outputs_ok", Value: ofBool(o.OutputsOK)},
		{Key: "reward", Value: value.Value{}},
		{Key: "terminated", Value: value.Value{}},
		{Key: "pollution", Value: value.OfInt(int64(o.Pollution))},
		{Key: "counts", Value: o.counts()},
		{Key: "diff", Value: listOf(o.Diff, state.Change.Object)},
		{Key: "patch", Value: listOf(o.Final, withOld)},
		{Key: "expected_patch", Value: listOf(o.Expected, withOld)},
		{Key: "effects", Value: listOf(o.Effects, Effect.object)},
		{Key: "expected_effects", Value: listOf(o.ExpectedEffects, Effect.object)},
		{Key: "compared", Value: value.OfInt(int64(o.Compared))},
		{Key: "drift", Value: listOf(o.Drift, Drift.object)},
		{Key: "assertions", Value: listOf(o.Assertions, AssertionResult.object)},
		{Key: "outputs", Value: o.outputs()},
		{Key: "skipped", Value: listOf(o.Skipped, Skip.object)},
	}
	if o.Unfinished {
		members[4].Value = value.OfBool(false)
	}
	if o.Reward != nil {
		members[3].Value = value.OfFloat(*o.Reward)
	}
	if o.Fault != nil {
		members = append(members, value.Member{Key: "fault", Value: o.Fault.object()})
	}
	return value.OfObject(members...)
}

func (o Outcome) counts() value.Value {
	return value.OfObject(
		value.Member{Key: "diff", Value: value.OfInt(int64(len(o.Diff)))},
		value.Member{Key: "patch", Value: value.OfInt(int64(len(o.Final)))},
		value.Member{Key: "expected_patch", Value: value.OfInt(int64(len(o.Expected)))},
		value.Member{Key: "effects", Value: value.OfInt(int64(len(o.Effects)))},
		value.Member{Key: "drift", Value: value.OfInt(int64(len(o.Drift)))},
	)
}

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

func withOld(o state.Op) value.Value { return o.Object(true) }

func listOf[T any](list []T, object func(T) value.Value) value.Value {
	out := make([]value.Value, min(len(list), mostListed))
	for i := range out {
		out[i] = object(list[i])
	}
	return value.OfList(out...)
}

func (e Effect) object() value.Value {
	members := []value.Member{
		{Key: "call", Value: value.OfInt(int64(e.Index))},
		{Key: "name", Value: value.OfString(e.Name)},
	}
	if e.Result.IsError {
		members = append(members, value.Member{Key: "error", Value: value.OfString(value.Excerpt(e.Result.Value.Python(), mostShown))})
	}
	patch := value.Value{}
	if e.Result.Tracked {
		patch = listOf(e.Result.Effects, withOld)
	}
	return value.OfObject(append(members, value.Member{Key: "patch", Value: patch})...)
}

func (d Drift) object() value.Value {
	return value.OfObject(
		value.Member{Key: "call", Value: value.OfInt(int64(d.Call))},
		value.Member{Key: "name", Value: value.OfString(d.Name)},
		value.Member{Key: "logged", Value: value.OfString(d.Logged)},
		value.Member{Key: "got", Value: value.OfString(d.Got)},
		value.Member{Key: "unknown_tool", Value: value.OfBool(d.Unknown)},
	)
}

func (a AssertionResult) object() value.Value {
	v := value.OfObject(
		value.Member{Key: "path", Value: value.OfString(a.Path)},
		value.Member{Key: "op", Value: value.OfString(a.Op)},
		value.Member{Key: "value", Value: a.Value},
		value.Member{Key: "ok", Value: value.OfBool(a.OK)},
	)
	if a.Found != nil {
		v = v.With("found", *a.Found)
	}
	return v
}

func (s Skip) object() value.Value {
	return value.OfObject(
		value.Member{Key: "call", Value: value.OfInt(int64(s.Index))},
		value.Member{Key: "reason", Value: value.OfString(s.Reason)},
	)
}

func (f *Fault) object() value.Value {
	lines := make([]value.Value, len(f.Stderr))
	for i, l := range f.Stderr {
		lines[i] = value.OfString(l)
	}
	return value.OfObject(
		value.Member{Key: "kind", Value: value.OfString(string(f.Kind))},
		value.Member{Key: "message", Value: value.OfString(f.Error())},
		value.Member{Key: "stderr", Value: value.OfList(lines...)},
	)
}
