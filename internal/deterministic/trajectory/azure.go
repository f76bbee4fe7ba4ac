package trajectory

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// azure is the task navigation efficiency of Azure AI evaluation. Setting:
// matching_mode (exact_match, in_order_match, any_order_match). Actual is a list of
// calls, Expected {names: [name], parameters: {name: {argument: value}}}, where
// parameters may be left out and holds one set of arguments for each name. Results
// have passed, precision, recall and f1.
type azure struct {
	mode string
}

func newAzure(s settings) scorer.Scorer {
	return &azure{s.Word("matching_mode", "exact_match", "in_order_match", "any_order_match")}
}

// Score implements scorer.Scorer.
func (a *azure) Score(in scorer.Input) (scorer.Result, error) {
	expected, withArguments, err := azureSteps(in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	calls := scorer.Read(in.Actual).Calls
	actual := make([]string, len(calls))
	for i := range calls {
		c := &calls[i]
		switch {
		case c.Unreadable || withArguments && c.Malformed:
			actual[i] = "unreadable" // no step's key: those are quoted
		case withArguments:
			actual[i] = callKey(c)
		default:
			actual[i] = value.OfString(c.Name).JSON()
		}
	}
	precision, recall, f1, contained := overlap(actual, expected)
	passed := false
	switch a.mode {
	case "in_order_match":
		next := 0
		for _, step := range actual {
			if next < len(expected) && step == expected[next] {
				next++
			}
		}
		passed = next == len(expected)
	case "any_order_match":
		passed = contained
	default:
		passed = strings.Join(actual, "\x00") == strings.Join(expected, "\x00") && len(actual) == len(expected)
	}
	return passFail(passed, fmt.Sprintf("%d steps, %d expected (%s)", len(actual), len(expected), a.mode),
		value.Member{Key: "precision", Value: value.OfFloat(precision)},
		value.Member{Key: "recall", Value: value.OfFloat(recall)},
		value.Member{Key: "f1", Value: value.OfFloat(f1)}), nil
}

// azureSteps returns a key for each expected step.
func azureSteps(expected value.Value) (steps []string, withArguments bool, err error) {
	names := expected.Field("names")
	if !names.IsList() || names.Len() == 0 {
		return nil, false, scorer.Config("expected.names", "must be a list of at least one name")
	}
	parameters, withArguments := expected.Get("parameters")
	if parameters.IsNull() {
		withArguments = false
	} else if parameters.Kind() != value.Object {
		return nil, false, scorer.Config("expected.parameters", "must be an object of {name: arguments}")
	}
	for name, args := range parameters.Members() {
		if args.Kind() != value.Object {
			return nil, false, scorer.Config("expected.parameters."+name, "must be an object of arguments")
		}
	}
	for i, n := range names.Elements() {
		name, ok := n.Str()
		if !ok {
			return nil, false, scorer.Config(fmt.Sprintf("expected.names[%d]", i), "must be a string")
		}
		name = strings.TrimFunc(name, unicode.IsSpace)
		step := scorer.Call{Name: name, Arguments: parameters.Field(name)}
		if !withArguments {
			steps = append(steps, value.OfString(name).JSON())
			continue
		}
		if step.Arguments.IsNull() {
			step.Arguments = value.OfObject()
		}
		steps = append(steps, callKey(&step))
	}
	return steps, withArguments, nil
}

// overlap compares two lists as multisets; all figures are 0 when actual is empty.
// contained says that every expected step is there often enough.
func overlap(actual, expected []string) (precision, recall, f1 float64, contained bool) {
	counts := map[string]int{}
	for _, step := range actual {
		counts[step]++
	}
	tp := 0
	for _, step := range expected {
		if counts[step] > 0 {
			counts[step]--
			tp++
		}
	}
	if len(actual) > 0 {
		precision, recall = float64(tp)/float64(len(actual)), float64(tp)/float64(len(expected))
	}
	if tp > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return precision, recall, f1, tp == len(expected)
}
