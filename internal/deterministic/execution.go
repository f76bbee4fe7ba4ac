package deterministic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// execution is execution_check: is the state that the calls left behind the
// expected one, whole snapshot against whole snapshot? Score 1 or 0.
type execution struct{ tau bool }

// newExecution reads preset (tau_bench: states as text, and outputs that the agent
// must have said).
func newExecution(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	return &execution{o.Word("preset", "", "tau_bench") == "tau_bench"}, o.Err
}

// Score implements scorer.Scorer.
func (e *execution) Score(in scorer.Input) (scorer.Result, error) {
	want, given := in.Expected.Get("state")
	if !given {
		return scorer.Result{}, scorer.Config("expected.state", "is missing: give the state that should be reached")
	}
	failed, _ := in.Actual.Field("exec_error").BoolVal()
	final, reached := in.Actual.Get("final_state")
	switch {
	case !reached && !failed:
		return scorer.Result{}, scorer.Config("actual.final_state", "is missing: give the state that was reached, or exec_error: true")
	case e.tau:
		return tauBench(in, want)
	case failed:
		return executionResult(false, "the execution ended in an error", nil), nil
	}
	diff := Diff(final, want)
	reason := "the final state is the expected one"
	if len(diff) > 0 {
		reason = fmt.Sprintf("the final state differs in %d places: %s %s", len(diff), diff[0].Path, diff[0].Op)
	}
	return executionResult(len(diff) == 0, reason, diff), nil
}

func executionResult(ok bool, reason string, diff []Difference) scorer.Result {
	return yesNo(ok, reason,
		value.Member{Key: "exec_ok", Value: value.OfBool(ok)},
		value.Member{Key: "diff", Value: diffList(diff)})
}

// Difference is one place in which a final state is not the expected one.
type Difference struct {
	// Path is a JSON Pointer.
	Path string
	// Op is "added" (only in the final state), "removed" (only in the expected one)
	// or "changed".
	Op string
}

// Diff compares a final state with the expected one: objects by sorted key, lists
// by index, numbers by value, a bool never equal to a number, different kinds
// changed as a whole.
func Diff(final, expected value.Value) []Difference {
	var found []Difference
	diffInto(&found, "", final, expected)
	return found
}

func diffInto(found *[]Difference, path string, final, expected value.Value) {
	switch {
	case final.Kind() == value.Object && expected.Kind() == value.Object:
		for _, key := range unionKeys(final, expected) {
			at := path + "/" + value.EscapePointer(key)
			got, inFinal := final.Get(key)
			want, inExpected := expected.Get(key)
			switch {
			case !inExpected:
				*found = append(*found, Difference{at, "added"})
			case !inFinal:
				*found = append(*found, Difference{at, "removed"})
			default:
				diffInto(found, at, got, want)
			}
		}
	case final.IsList() && expected.IsList():
		for i := range max(final.Len(), expected.Len()) {
			at := path + "/" + strconv.Itoa(i)
			switch {
			case i >= expected.Len():
				*found = append(*found, Difference{at, "added"})
			case i >= final.Len():
				*found = append(*found, Difference{at, "removed"})
			default:
				diffInto(found, at, final.At(i), expected.At(i))
			}
		}
	case !value.Equal(final, expected):
		*found = append(*found, Difference{path, "changed"})
	}
}

func unionKeys(a, b value.Value) []string {
	keys := make([]string, 0, a.Len())
	for key := range a.Members() {
		keys = append(keys, key)
	}
	for key := range b.Members() {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func diffList(diff []Difference) value.Value {
	list := make([]value.Value, len(diff))
	for i, d := range diff {
		list[i] = value.OfObject(
			value.Member{Key: "path", Value: value.OfString(d.Path)},
			value.Member{Key: "op", Value: value.OfString(d.Op)})
	}
	return value.OfList(list...)
}

// tauBench is preset tau_bench: reward 1 when the states print alike and every
// output was said.
func tauBench(in scorer.Input, want value.Value) (scorer.Result, error) {
	outputs := in.Expected.Field("outputs")
	if !outputs.IsNull() && !outputs.IsList() {
		return scorer.Result{}, scorer.Config("expected.outputs", "is a %s, must be a list", outputs.Kind())
	}
	stateOK := hashable(in.Actual.Field("final_state")).Python() == hashable(want).Python()
	var replies []string
	for _, r := range in.Actual.Field("responses").Elements() {
		replies = append(replies, strings.ReplaceAll(lower(r.Python()), ",", ""))
	}
	said := make([]value.Member, 0, outputs.Len())
	missing := 0
	for _, o := range outputs.Elements() {
		text := lower(o.Python())
		ok := text == "" || slices.ContainsFunc(replies, func(reply string) bool { return strings.Contains(reply, text) })
		if !ok {
			missing++
		}
		said = append(said, value.Member{Key: o.Python(), Value: value.OfBool(ok)})
	}
	ended, known := in.Actual.Field("terminated").BoolVal()
	unfinished := known && !ended
	ok := stateOK && missing == 0 && !unfinished
	reason := "state as expected"
	if !stateOK {
		reason = "state not as expected"
	}
	if outputs.Len() > 0 {
		reason += fmt.Sprintf(", %d of %d outputs said", outputs.Len()-missing, outputs.Len())
	}
	if unfinished {
		reason += ", the run did not end by itself"
	}
	result := yesNo(ok, reason,
		value.Member{Key: "reward", Value: value.OfFloat(boolScore(ok))},
		value.Member{Key: "exec_ok", Value: value.OfBool(ok)},
		value.Member{Key: "state_ok", Value: value.OfBool(stateOK)})
	if outputs.Len() > 0 {
		result.Fields = append(result.Fields, value.Member{Key: "outputs", Value: value.OfObject(said...)})
	}
	return result, nil
}

func boolScore(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// hashable turns objects into tuples of (key, value) sorted by key, and lists into
// tuples, as the tau-bench program does before it hashes the text.
func hashable(v value.Value) value.Value {
	elems := make([]value.Value, 0, v.Len())
	switch {
	case v.Kind() == value.Object:
		keys := make([]string, 0, v.Len())
		for key := range v.Members() {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			elems = append(elems, value.OfTuple(value.OfString(key), hashable(v.Field(key))))
		}
	case v.IsList():
		for _, e := range v.Elements() {
			elems = append(elems, hashable(e))
		}
	default:
		return v
	}
	return value.OfTuple(elems...)
}

// lower lower-cases a whole string by the rules of Unicode, those for letters in
// their place included, as Python does.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Lower(language.Und).String(s)
		}
	}
	return strings.ToLower(s)
}
