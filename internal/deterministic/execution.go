package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ExecutionCheck checks whether the calls led to the expected state.
var ExecutionCheck = Scorer{
	Name: "execution_check",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.EndState,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Strong},
			Layer:    score.ExecutionLayer,
		},
		Needs: score.NeedsState,
	},
	rule: func() Rule { return new(execution) },
}

// execution implements execution_check: is the state after the calls the expected one? It compares
// whole snapshots. The score is 1 or 0.
type execution struct{ preset string }

func (e *execution) settings() []Setting {
	return []Setting{optional("preset", &e.preset,
		"states are compared as text, and outputs must have been said, as in that benchmark", "tau_bench")}
}

// ending says how a run ended, and how it should have ended.
type ending struct {
	final, expected value.Value
	// reached and wanted say that the states are known, failed that the run ended in an error.
	reached, wanted, failed bool
	// replies holds what the agent said, outputs what it should have said.
	replies, outputs []value.Value
	// unfinished says that the run did not end by itself.
	unfinished bool
}

// endingOf reads the ending of a case.
func endingOf(actual, expected value.Value) ending {
	var e ending
	e.final, e.reached = actual.Get("final_state")
	e.expected, e.wanted = expected.Get("state")
	e.failed, _ = actual.Field("exec_error").BoolVal()
	e.replies, e.outputs = elements(actual.Field("responses")), elements(expected.Field("outputs"))
	terminated, known := actual.Field("terminated").BoolVal()
	e.unfinished = known && !terminated
	return e
}

func elements(v value.Value) []value.Value {
	out := make([]value.Value, 0, v.Len())
	for _, e := range v.Elements() {
		out = append(out, e)
	}
	return out
}

// ending returns the log's states for execution-grounded scorers: final_state (or exec_error) and
// expected_state among its own keys, or the reference's state. ok is false if there are no states.
func (v *view) ending() (e ending, ok bool) {
	e.expected, e.wanted = v.c.Extra.Get("expected_state")
	if !e.wanted && v.c.Expected != nil {
		e.expected, e.wanted = v.c.Expected.Raw.Get("state")
	}
	e.final, e.reached = v.c.Extra.Get("final_state")
	e.failed, _ = v.c.Extra.Field("exec_error").BoolVal()
	return e, e.wanted && (e.reached || v.c.Extra.Has("exec_error"))
}

// Score implements Rule.
func (e *execution) Score(in Input) (Result, error) {
	end := endingOf(in.Actual, in.Expected)
	outputs := in.Expected.Field("outputs")
	if e.preset != "" && end.wanted && !outputs.IsNull() && !outputs.IsList() {
		return Result{}, configError("expected.outputs", "is %s, must be a list", outputs.Kind().WithArticle())
	}
	return e.of(end)
}

func (e *execution) log(v *view) []outcome {
	end, ok := v.ending()
	if !ok {
		return notApplicable(noState)
	}
	for i := range v.c.Messages {
		if m := &v.c.Messages[i]; m.Role == transcript.Assistant && m.HasContent {
			end.replies = append(end.replies, value.OfString(m.Content))
		}
	}
	if v.c.Expected != nil {
		for _, o := range v.c.Expected.Outputs {
			end.outputs = append(end.outputs, value.OfString(o))
		}
	}
	terminated, known := v.c.Terminated()
	end.unfinished = known && !terminated
	return whole(e.of(end))
}

func (e *execution) of(end ending) (Result, error) {
	switch {
	case !end.wanted:
		return Result{}, configError("expected.state", "is missing: give the state that should be reached")
	case !end.reached && !end.failed:
		return Result{}, configError("actual.final_state",
			"is missing: give the state that was reached, or exec_error: true")
	case e.preset != "":
		return tauBench(end), nil
	case end.failed:
		return yesNo(false, "the execution ended in an error", field("exec_ok", false), field("diff", value.OfList())), nil
	}
	diff, places := stateDiff(end.final, end.expected)
	reason := "the final state is the expected one"
	if places > 0 {
		first := diff[0].Value.At(0)
		reason = fmt.Sprintf("the final state differs in %d places: %s %s",
			places, first.Field("path").Text(), first.Field("op").Text())
	}
	ok := places == 0
	return yesNo(ok, reason, append([]value.Member{field("exec_ok", ok)}, diff...)...), nil
}

// stateDiff lists the differences between a final state and the expected one. Each has a JSON
// Pointer under path and, under op, "added" (only in the final state), "removed" (only in the
// expected one) or "changed". The field diff holds the first ones; places counts all.
func stateDiff(final, expected value.Value) (diff []value.Member, places int) {
	changes, more := state.FirstDifferences(expected, final, state.Options{ByIndex: true}, maxNames)
	found := make([]value.Value, len(changes))
	for i, c := range changes {
		found[i] = value.Pairs("path", c.Path, "op", c.Op())
	}
	return namesField("diff", found, more), len(changes) + more
}

// sortedKeys returns the keys of objects, each once.
func sortedKeys(objects ...value.Value) []string {
	var keys []string
	for _, o := range objects {
		for key := range o.Members() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// tauBench implements the preset tau_bench: the reward is 1 if the states print alike and every
// output was said.
func tauBench(end ending) Result {
	stateOK := sameText(nested{v: end.final}, nested{v: end.expected})
	replies := make([]string, len(end.replies))
	for i, r := range end.replies {
		replies[i] = strings.ReplaceAll(value.Lower(r.Python()), ",", "")
	}
	said := make([]value.Member, len(end.outputs))
	missing := 0
	for i, o := range end.outputs {
		text := value.Lower(o.Python())
		holds := func(reply string) bool { return strings.Contains(reply, text) }
		ok := text == "" || slices.ContainsFunc(replies, holds)
		if !ok {
			missing++
		}
		said[i] = field(o.Python(), ok)
	}
	ok := stateOK && missing == 0 && !end.unfinished
	reason := "state as expected"
	if !stateOK {
		reason = "state not as expected"
	}
	if len(said) > 0 {
		reason += fmt.Sprintf(", %d of %d outputs said", len(said)-missing, len(said))
	}
	if end.unfinished {
		reason += ", the run did not end by itself"
	}
	result := yesNo(ok, reason,
		floatField("reward", boolScore(ok)), field("exec_ok", ok), field("state_ok", stateOK))
	if len(said) > 0 {
		result.Fields = append(result.Fields, field("outputs", value.OfObject(said...)))
	}
	return result
}

// nested is a value as the tau-bench program writes it before it hashes the text: an object is a
// tuple of (key, value) sorted by key, a list a tuple. pair makes it one such (key, value).
type nested struct {
	v    value.Value
	key  string
	pair bool
}

// parts returns the members of a tuple; tuple is false for all other values.
func (n nested) parts() (parts int, part func(i int) nested, tuple bool) {
	switch {
	case n.pair:
		return 2, func(i int) nested { return [...]nested{{v: value.OfString(n.key)}, {v: n.v}}[i] }, true
	case n.v.IsList():
		return n.v.Len(), func(i int) nested { return nested{v: n.v.At(i)} }, true
	case n.v.Kind() != value.Object:
		return 0, nil, false
	}
	order := make([]int, n.v.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(n.v.KeyAt(i), n.v.KeyAt(j)) })
	return len(order), func(i int) nested { return nested{n.v.At(order[i]), n.v.KeyAt(order[i]), true} }, true
}

// sameText reports whether two values have the same text there, without writing it.
func sameText(a, b nested) bool {
	n, partOfA, tupleA := a.parts()
	m, partOfB, tupleB := b.parts()
	if !tupleA && !tupleB {
		return a.v.Repr() == b.v.Repr()
	}
	if tupleA != tupleB || n != m {
		return false
	}
	for i := range n {
		if !sameText(partOfA(i), partOfB(i)) {
			return false
		}
	}
	return true
}
