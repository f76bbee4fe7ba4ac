package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// deepEval reproduces the tool correctness of DeepEval 4.1 without a list of available tools, which
// is the part that asks no model. Both sides are lists of {name, type, input_parameters, output}.
// Results have passed.
type deepEval struct{ params, output, exact, ordering, strict bool }

func (d *deepEval) settings() []Setting {
	return []Setting{
		{Name: "evaluation_params", Type: "array", Summary: "deepeval: input_parameters, output", read: d.readParams},
		toggle("should_exact_match", &d.exact, false, "deepeval"),
		toggle("should_consider_ordering", &d.ordering, false, "deepeval"),
		toggle("strict_mode", &d.strict, false, "deepeval"),
	}
}

func (d *deepEval) readParams(v value.Value) error {
	if !v.IsList() {
		return fmt.Errorf("is %s, must be a list", v.Kind().WithArticle())
	}
	for _, p := range v.Elements() {
		switch p.Text() {
		case "input_parameters":
			d.params = true
		case "output":
			d.output = true
		default:
			return fmt.Errorf("holds %.60s, may hold input_parameters and output", p.JSON())
		}
	}
	return nil
}

// toolUse is one call as DeepEval sees it; absent arguments and output are null.
type toolUse struct {
	*transcript.Call
	kind   string
	output value.Value
}

func toolUsesOf(calls []*transcript.Call) []toolUse {
	out := make([]toolUse, len(calls))
	for i, c := range calls {
		out[i] = toolUse{Call: c, kind: "FUNCTION"}
	}
	return out
}

func readToolUses(v value.Value) (uses []toolUse, clean bool) {
	if !v.IsList() {
		return nil, false
	}
	clean = true
	for _, e := range v.Elements() {
		use := toolUse{Call: readOne(e), kind: "FUNCTION", output: e.Field("output")}
		if kind, given := e.Field("type").Str(); given {
			use.kind = kind
		}
		if params, given := e.Get("input_parameters"); given {
			use.Arguments = params
		} else if use.Arguments.Len() == 0 {
			use.Arguments = value.Value{}
		}
		clean = clean && readable(use.Call)
		uses = append(uses, use)
	}
	return uses, clean
}

func (d *deepEval) score(in Input, threshold float64) (Result, error) {
	expected, ok := readToolUses(in.Expected)
	if !ok {
		return Result{}, configError("expected", "must be a list of {name, input_parameters, output}")
	}
	actual, err := madeToolUses(in)
	if err != nil {
		return Result{}, err
	}
	return d.of(actual, expected, threshold), nil
}

// madeToolUses reads the called tools: DeepEval's list, or calls in any other form, whose type and
// output are unknown.
func madeToolUses(in Input) ([]toolUse, error) {
	calls, err := madeCalls(in)
	if err != nil {
		return nil, err
	}
	v := in.Actual
	if inner, ok := parseJSON(v.Text()); ok && v.Kind() == value.String {
		v = inner
	}
	if v.Kind() == value.Object && len(calls) == 1 {
		v = value.OfList(v)
	}
	uses, listed := readToolUses(v)
	if listed {
		return uses, nil
	}
	uses = toolUsesOf(calls)
	for _, use := range uses {
		if use.Arguments.Len() == 0 {
			use.Arguments = value.Value{} // as in a list without them
		}
	}
	return uses, nil
}

func (d *deepEval) of(actual, expected []toolUse, threshold float64) Result {
	var score float64
	weight := func(i, j int) float64 { return d.weight(&actual[j], &expected[i]) }
	switch {
	case d.exact:
		equal := func(i, j int) bool { return weight(i, j) == 1 }
		score = boolScore(matchesBy("EXACT", len(expected), len(actual), equal))
	case len(expected) == 0:
		score = boolScore(len(actual) == 0)
	case d.ordering:
		score = longestCommon(len(expected), len(actual), weight) / float64(len(expected))
	default:
		score = bestFits(actual, len(expected), weight) / float64(len(expected))
	}
	if d.strict {
		threshold = 1
		if score < 1 {
			score = 0
		}
	}
	return passes(scored(score, fmt.Sprintf("%d tools called, %d expected", len(actual), len(expected))), threshold)
}

// weight returns how well a called tool fits an expected one, 0 to 1.
func (d *deepEval) weight(actual, expected *toolUse) float64 {
	switch {
	case !readable(actual.Call) || actual.Name != expected.Name || actual.kind != expected.kind:
		return 0
	case d.output && !python.Equal(actual.output, expected.output):
		return 0
	case !d.params:
		return 1
	}
	return d.parameterScore(expected.Arguments, actual.Arguments)
}

// parameterScore returns 1 for equal objects. Otherwise, with K the number of keys in either, each
// key with equal values adds 1/K, and one with two objects adds their own score divided by K.
func (d *deepEval) parameterScore(a, b value.Value) float64 {
	if python.Equal(a, b) {
		return 1
	}
	if d.exact {
		return 0
	}
	union := float64(len(sortedKeys(a, b)))
	score := 0.0
	for key, v := range a.Members() {
		w, ok := b.Get(key)
		switch {
		case !ok:
		case python.Equal(v, w):
			score += 1 / union
		case v.Kind() == value.Object && w.Kind() == value.Object:
			score += d.parameterScore(v, w) / union
		}
	}
	return score
}

// same reports whether two called tools have the same name, arguments and output.
func (t *toolUse) same(u *toolUse) bool {
	return t == u || t.Name == u.Name && python.Equal(t.Arguments, u.Arguments) && python.Equal(t.output, u.output)
}

// longestCommon returns the highest weight of a common subsequence.
func longestCommon(rows, columns int, weight func(i, j int) float64) float64 {
	previous, current := make([]float64, columns+1), make([]float64, columns+1)
	for i := range rows {
		for j := range columns {
			best := max(previous[j+1], current[j])
			if w := weight(i, j); w > 0 {
				best = max(best, previous[j]+w)
			}
			current[j+1] = best
		}
		previous, current = current, previous
	}
	return previous[columns]
}

// bestFits gives each expected tool, in order, the unused call that fits best, the first of equals.
// Equal calls are used up together, because calls are recognised by their content.
func bestFits(actual []toolUse, expected int, weight func(i, j int) float64) float64 {
	used := make([]bool, len(actual))
	sum := 0.0
	for i := range expected {
		best, at := 0.0, 0
		for j := range actual {
			if used[j] {
				continue
			}
			if w := weight(i, j); w > best {
				best, at = w, j
			}
		}
		if best == 0 {
			continue
		}
		sum += best
		for j := range actual {
			used[j] = used[j] || actual[j].same(&actual[at])
		}
	}
	return sum
}
