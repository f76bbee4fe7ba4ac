package trajectory

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// deepEval is the tool correctness of DeepEval 4.1 without a list of available
// tools, which is the part that asks no model. Settings: evaluation_params (of
// input_parameters and output), should_exact_match, should_consider_ordering,
// threshold (0.5), strict_mode. Both sides are lists of
// {name, type, input_parameters, output}. Results have passed.
type deepEval struct {
	params, output, exact, ordering, strict bool
	threshold                               float64
}

func newDeepEval(s settings) scorer.Scorer {
	d := &deepEval{
		exact:     s.Flag("should_exact_match", false),
		ordering:  s.Flag("should_consider_ordering", false),
		strict:    s.Flag("strict_mode", false),
		threshold: s.Number("threshold", 0.5),
	}
	if d.strict {
		d.threshold = 1
	}
	params := s.Config.Field("evaluation_params")
	if !params.IsNull() && !params.IsList() {
		s.Fail("evaluation_params", "is a %s, must be a list", params.Kind())
	}
	for _, p := range params.Elements() {
		switch p.Text() {
		case "input_parameters":
			d.params = true
		case "output":
			d.output = true
		default:
			s.Fail("evaluation_params", "holds %.60s, may hold input_parameters and output", p.JSON())
		}
	}
	return d
}

// toolUse is one call as DeepEval sees it; params and output are null where absent.
type toolUse struct {
	name, kind     string
	params, output value.Value
	unreadable     bool
}

func readToolUses(v value.Value) ([]toolUse, bool) {
	if !v.IsList() {
		return nil, v.IsNull()
	}
	out, clean := make([]toolUse, 0, v.Len()), true
	for _, e := range v.Elements() {
		c, ok := scorer.ReadOne(e)
		use := toolUse{name: c.Name, kind: "FUNCTION", output: e.Field("output"), unreadable: !ok || c.Malformed}
		if kind, given := e.Field("type").Str(); given {
			use.kind = kind
		}
		if params, given := e.Get("input_parameters"); given {
			use.params = params
		} else if c.Arguments.Len() > 0 {
			use.params = c.Arguments
		}
		clean = clean && !use.unreadable
		out = append(out, use)
	}
	return out, clean
}

// Score implements scorer.Scorer.
func (d *deepEval) Score(in scorer.Input) (scorer.Result, error) {
	expected, ok := readToolUses(in.Expected)
	if !ok || in.Expected.IsNull() {
		return scorer.Result{}, scorer.Config("expected", "must be a list of {name, input_parameters, output}")
	}
	actual, _ := readToolUses(in.Actual)
	var score float64
	switch {
	case d.exact:
		score = d.exactScore(actual, expected)
	case len(expected) == 0:
		if len(actual) == 0 {
			score = 1
		}
	case d.ordering:
		score = d.longestCommon(actual, expected) / float64(len(expected))
	default:
		score = d.bestFits(actual, expected) / float64(len(expected))
	}
	if d.strict && score < d.threshold {
		score = 0
	}
	passed := score >= d.threshold
	return scored(score, &passed, fmt.Sprintf("%d tools called, %d expected", len(actual), len(expected))), nil
}

func (d *deepEval) exactScore(actual, expected []toolUse) float64 {
	if len(actual) != len(expected) {
		return 0
	}
	for i := range expected {
		if d.weight(&actual[i], &expected[i]) < 1 {
			return 0
		}
	}
	return 1
}

// weight is how well a called tool fits an expected one, 0 to 1.
func (d *deepEval) weight(actual, expected *toolUse) float64 {
	if actual.unreadable || actual.name != expected.name || actual.kind != expected.kind {
		return 0
	}
	if d.output && !python.Equal(actual.output, expected.output) {
		return 0
	}
	if !d.params {
		return 1
	}
	return d.parameterScore(expected.params, actual.params)
}

// parameterScore is 1 for equal objects; else, with K the union of the keys, each
// key with equal values adds 1/K, and one with two objects their own score over K.
func (d *deepEval) parameterScore(a, b value.Value) float64 {
	if python.Equal(a, b) {
		return 1
	}
	if d.exact {
		return 0
	}
	union := a.Len()
	for key := range b.Members() {
		if !a.Has(key) {
			union++
		}
	}
	score := 0.0
	for key, v := range a.Members() {
		w, ok := b.Get(key)
		switch {
		case !ok:
		case python.Equal(v, w):
			score += 1 / float64(union)
		case v.Kind() == value.Object && w.Kind() == value.Object:
			score += d.parameterScore(v, w) / float64(union)
		}
	}
	return score
}

// longestCommon is the greatest weight of a common subsequence.
func (d *deepEval) longestCommon(actual, expected []toolUse) float64 {
	previous, current := make([]float64, len(actual)+1), make([]float64, len(actual)+1)
	for i := range expected {
		for j := range actual {
			best := max(previous[j+1], current[j])
			if w := d.weight(&actual[j], &expected[i]); w > 0 {
				best = max(best, previous[j]+w)
			}
			current[j+1] = best
		}
		previous, current = current, previous
	}
	return previous[len(actual)]
}

// bestFits gives each expected tool in order the unused call that fits best, the
// first of equals. Whether a call is used is decided by its content, so identical
// calls are used up together.
func (d *deepEval) bestFits(actual, expected []toolUse) float64 {
	keys := make([]string, len(actual))
	for i := range actual {
		keys[i] = value.OfString(actual[i].name).JSON() + pythonKey(actual[i].params) + "\x00" + pythonKey(actual[i].output)
	}
	used := map[string]bool{}
	sum := 0.0
	for i := range expected {
		best, bestKey := 0.0, ""
		for j := range actual {
			if used[keys[j]] {
				continue
			}
			if w := d.weight(&actual[j], &expected[i]); w > best {
				best, bestKey = w, keys[j]
			}
		}
		if best > 0 {
			sum += best
			used[bestKey] = true
		}
	}
	return sum
}
