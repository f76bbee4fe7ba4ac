package trajectory

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// ragasAccuracy is ToolCallAccuracy of ragas 0.4. Setting: strict_order (true). Both
// sides are lists of calls.
type ragasAccuracy struct {
	strictOrder bool
}

func newRagasAccuracy(s settings) scorer.Scorer {
	return &ragasAccuracy{s.Flag("strict_order", true)}
}

// Score implements scorer.Scorer.
func (r *ragasAccuracy) Score(in scorer.Input) (scorer.Result, error) {
	actual, expected, err := readBoth(in)
	switch {
	case err != nil:
		return scorer.Result{}, err
	case len(actual) == 0 && len(expected) == 0:
		return scored(1, nil, "no call was made and none expected"), nil
	case len(actual) == 0 || len(expected) == 0:
		return scored(0, nil, fmt.Sprintf("%d calls, expected %d", len(actual), len(expected))), nil
	}
	if !r.strictOrder {
		actual, expected = sorted(actual), sorted(expected)
	}
	if !sameNames(actual, expected) {
		return scored(0, nil, "the sequences of names differ"), nil
	}
	sum := 0.0
	for i := range expected {
		sum += argumentShare(&actual[i], &expected[i])
	}
	score := sum / float64(len(expected))
	return scored(score, nil, fmt.Sprintf("same names, arguments right to %s", value.Percent(score))), nil
}

// sorted orders calls by name, then by each argument's name and Python text, the
// arguments by name.
func sorted(calls []scorer.Call) []scorer.Call {
	keys := make([][]string, len(calls))
	order := make([]int, len(calls))
	for i := range calls {
		order[i] = i
		args := calls[i].Arguments
		names := make([]string, 0, args.Len())
		for name := range args.Members() {
			names = append(names, name)
		}
		slices.Sort(names)
		keys[i] = append(keys[i], calls[i].Name)
		for _, name := range names {
			keys[i] = append(keys[i], name, args.Field(name).Python())
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(keys[a], keys[b]) })
	out := make([]scorer.Call, len(calls))
	for i, from := range order {
		out[i] = calls[from]
	}
	return out
}

func sameNames(a, b []scorer.Call) bool {
	return slices.EqualFunc(a, b, func(x, y scorer.Call) bool { return !x.Unreadable && !y.Unreadable && x.Name == y.Name })
}

// argumentShare is the share of expected arguments that are there with the same
// Python text.
func argumentShare(actual, expected *scorer.Call) float64 {
	want := expected.Arguments
	switch {
	case !readable(actual):
		return 0
	case want.Len() == 0 && actual.Arguments.Len() == 0:
		return 1
	case want.Len() == 0:
		return 0
	}
	same := 0
	for name, v := range want.Members() {
		if got, ok := actual.Arguments.Get(name); ok && got.Python() == v.Python() {
			same++
		}
	}
	return float64(same) / float64(want.Len())
}

// ragasF1 is ToolCallF1 of ragas 0.4: both sides as sets of (name, arguments).
type ragasF1 struct{}

func newRagasF1(settings) scorer.Scorer { return ragasF1{} }

// Score implements scorer.Scorer.
func (ragasF1) Score(in scorer.Input) (scorer.Result, error) {
	actual, expected, err := readBoth(in)
	if err != nil {
		return scorer.Result{}, err
	}
	made, wanted := callSet(actual), callSet(expected)
	tp := 0
	for key := range made {
		if wanted[key] {
			tp++
		}
	}
	score := 0.0
	if tp > 0 {
		precision, recall := float64(tp)/float64(len(made)), float64(tp)/float64(len(wanted))
		score = value.Round4(2 * precision * recall / (precision + recall))
	}
	reason := fmt.Sprintf("%d of %d different calls are expected, %d of %d expected ones are made", tp, len(made), tp, len(wanted))
	return scored(score, nil, reason), nil
}

// callSet holds one key for each different call. A call that cannot be read is
// different from every other.
func callSet(calls []scorer.Call) map[string]bool {
	set := make(map[string]bool, len(calls))
	for i := range calls {
		if readable(&calls[i]) {
			set[callKey(&calls[i])] = true
		} else {
			set[fmt.Sprint("unreadable ", i)] = true
		}
	}
	return set
}

func callKey(c *scorer.Call) string {
	return value.OfString(c.Name).JSON() + pythonKey(c.Arguments)
}
