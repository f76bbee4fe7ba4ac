package environment

import (
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

// maxListed limits each list in Object.
const maxListed = 200

// Object returns the outcome as the details of a score, as docs/environments.md lists them. Parts
// that were not checked are null; lists are cut after 200 entries, and counts has their full
// lengths.
func (o Outcome) Object() value.Value {
	var terminated any = value.Value{}
	if o.Unfinished {
		terminated = false
	}
	out := value.Pairs(
		"exec_ok", o.ExecOK, "state_ok", o.StateOK, "outputs_ok", o.OutputsOK,
		"reward", o.Reward, "terminated", terminated, "pollution", o.Pollution,
		"counts", value.Pairs(
			"diff", len(o.Diff), "patch", len(o.Final), "expected_patch", len(o.Expected),
			"effects", len(o.Effects), "drift", len(o.Drift),
		),
		"diff", listOf(o.Diff, state.Change.Object),
		"patch", listOf(o.Final, state.Change.Operation),
		"expected_patch", listOf(o.Expected, state.Change.Operation),
		"effects", listOf(o.Effects, Effect.object),
		"expected_effects", listOf(o.ExpectedEffects, Effect.object),
		"compared", o.Compared,
		"drift", listOf(o.Drift, Drift.object),
		"assertions", listOf(o.Assertions, AssertionResult.object),
		"outputs", o.outputs(),
		"skipped", listOf(o.Skipped, Skip.object),
	)
	if o.Fault != nil {
		out = out.With("fault", o.Fault.object())
	}
	return out
}

func (o Outcome) outputs() value.Value {
	members := make([]value.Member, len(o.Outputs))
	for i, out := range o.Outputs {
		members[i] = value.Member{Key: out.Text, Value: value.OfBool(out.Found)}
	}
	return value.OfObject(members...)
}

func listOf[T any](list []T, object func(T) value.Value) value.Value {
	out := make([]value.Value, min(len(list), maxListed))
	for i := range out {
		out[i] = object(list[i])
	}
	return value.OfList(out...)
}

func (e Effect) object() value.Value {
	out := value.Pairs("call", e.Index, "name", e.Name)
	if e.Result.IsError {
		out = out.With("error", value.OfString(value.Excerpt(e.Result.Value.Python(), maxShown)))
	}
	patch := value.Value{}
	if e.Result.Tracked {
		patch = listOf(e.Result.Effects, state.Change.Operation)
	}
	return out.With("patch", patch)
}

func (d Drift) object() value.Value {
	return value.Pairs("call", d.Call, "name", d.Name, "logged", d.Logged, "got", d.Got, "unknown_tool", d.Unknown)
}

func (a AssertionResult) object() value.Value {
	v := value.Pairs("path", a.Path, "op", a.Op, "value", a.Value, "ok", a.OK)
	if a.Found != nil {
		v = v.With("found", *a.Found)
	}
	return v
}

func (s Skip) object() value.Value { return value.Pairs("call", s.Index, "reason", s.Reason) }

func (f *Fault) object() value.Value {
	return value.Pairs("kind", string(f.Kind), "message", f.Error(), "stderr", f.Stderr)
}
