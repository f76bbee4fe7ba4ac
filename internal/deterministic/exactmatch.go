package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// exactMatch is function_call_exact_match: are the calls exactly the expected
// ones? Score 1 or 0.
type exactMatch struct{ family }

func newExactMatch(config value.Value) (scorer.Scorer, error) {
	o := readOptions(config)
	return &exactMatch{readFamily(o)}, o.err
}

// maxExactCalls bounds the lists that are matched one to one.
const maxExactCalls = 2000

// Score implements scorer.Scorer.
func (m *exactMatch) Score(in scorer.Input) (scorer.Result, error) {
	expected, err := m.readExpected(in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	actual := m.readActual(in.Actual)
	if m.compat && (!actual.single || !expected.single) {
		return yesNo(false, "a side is no single call that can be read"), nil
	}
	got, want := len(actual.calls), len(expected.calls)
	switch {
	case got == 0 && want == 0:
		return yesNo(true, "no call expected, none made"), nil
	case got != want:
		return yesNo(false, fmt.Sprintf("%d calls made, %d expected", got, want)), nil
	case want == 1:
		ok, reason := m.exact(&actual.calls[0], &expected.calls[0], true)
		if ok {
			reason = "the call is the expected one"
		}
		return yesNo(ok, reason), nil
	case want > maxExactCalls:
		return scorer.Result{}, scorer.Config("actual", "%d calls are too many to match one to one", got)
	case m.inOrder:
		return m.sequence(actual, expected), nil
	}
	_, ok := perfect(want, func(i, j int) bool {
		same, _ := m.exact(&actual.calls[j], &expected.calls[i], false)
		return same
	})
	if ok {
		return yesNo(true, fmt.Sprintf("all %d calls are the expected ones", want)), nil
	}
	return yesNo(false, m.unmatched(actual, expected)), nil
}

func (m *exactMatch) sequence(actual, expected side) scorer.Result {
	for i := range expected.calls {
		if ok, reason := m.exact(&actual.calls[i], &expected.calls[i], true); !ok {
			return yesNo(false, fmt.Sprintf("call %d: %s", i, reason))
		}
	}
	return yesNo(true, fmt.Sprintf("all %d calls are the expected ones, in order", len(expected.calls)))
}

// unmatched names the first expected call that no actual call is, with what sets
// the nearest one apart.
func (m *exactMatch) unmatched(actual, expected side) string {
	for i := range expected.calls {
		met, nearest := false, ""
		for j := range actual.calls {
			ok, reason := m.exact(&actual.calls[j], &expected.calls[i], true)
			if met = ok; ok {
				break
			}
			if nearest == "" && actual.calls[j].Name == expected.calls[i].Name {
				nearest = reason
			}
		}
		if met {
			continue
		}
		if nearest == "" {
			return fmt.Sprintf("expected call %d (%s) was not made", i, expected.calls[i].Name)
		}
		return fmt.Sprintf("expected call %d (%s): %s", i, expected.calls[i].Name, nearest)
	}
	return "the calls cannot be matched one to one"
}

// yesNo is the result of a scorer that only knows 1 and 0.
func yesNo(ok bool, reason string, fields ...value.Member) scorer.Result {
	score := 0.0
	if ok {
		score = 1
	}
	return scorer.Result{Score: &score, Reason: reason, Fields: fields}
}

// nameMatch is function_name_match: 1 when both sides are one readable call with
// equal names.
type nameMatch struct{ family }

func newNameMatch(config value.Value) (scorer.Scorer, error) {
	o := readOptions(config)
	return &nameMatch{readFamily(o)}, o.err
}

// Score implements scorer.Scorer.
func (m *nameMatch) Score(in scorer.Input) (scorer.Result, error) {
	expected, err := m.readExpected(in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	actual := m.readActual(in.Actual)
	if !actual.single || !expected.single || actual.calls[0].Unreadable {
		return yesNo(false, "a side is no single call that can be read"), nil
	}
	got, want := actual.calls[0].Name, expected.calls[0].Name
	return yesNo(got == want, fmt.Sprintf("got '%s', expected '%s'", got, want)), nil
}
