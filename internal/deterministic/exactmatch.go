package deterministic

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// exactMatch is function_call_exact_match: are the calls exactly the expected
// ones? Score 1 or 0.
type exactMatch struct{ family }

func newExactMatch(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	return &exactMatch{readFamily(o)}, o.Err
}

// maxExactCalls bounds the lists that are matched one to one.
const maxExactCalls = 2000

// Score implements scorer.Scorer.
func (m *exactMatch) Score(in scorer.Input) (scorer.Result, error) {
	return m.pairForms(in, m.pair)
}

func (m *exactMatch) pair(actual, expected side) (scorer.Result, error) {
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
		reason := m.explain(&actual.calls[0], &expected.calls[0])
		if reason == "" {
			return yesNo(true, "the call is the expected one"), nil
		}
		return yesNo(false, reason), nil
	case want > maxExactCalls:
		return scorer.Result{}, scorer.Config("actual", "%d calls are too many to match one to one", got)
	case m.inOrder:
		return m.sequence(actual, expected), nil
	}
	if _, ok := perfect(want, func(i, j int) bool { return m.exact(&actual.calls[j], &expected.calls[i]) }); ok {
		return yesNo(true, fmt.Sprintf("all %d calls are the expected ones", want)), nil
	}
	return yesNo(false, m.unmatched(actual, expected)), nil
}

func (m *exactMatch) sequence(actual, expected side) scorer.Result {
	for i := range expected.calls {
		if reason := m.explain(&actual.calls[i], &expected.calls[i]); reason != "" {
			return yesNo(false, fmt.Sprintf("call %d: %s", i, reason))
		}
	}
	return yesNo(true, fmt.Sprintf("all %d calls are the expected ones, in order", len(expected.calls)))
}

// unmatched names the first expected call that no actual call is, with what sets
// the nearest one apart.
func (m *exactMatch) unmatched(actual, expected side) string {
	for i := range expected.calls {
		want := &expected.calls[i]
		if slices.ContainsFunc(actual.calls, func(c scorer.Call) bool { return m.exact(&c, want) }) {
			continue
		}
		nearest := slices.IndexFunc(actual.calls, func(c scorer.Call) bool { return c.Name == want.Name })
		if nearest < 0 {
			return fmt.Sprintf("expected call %d (%s) was not made", i, want.Name)
		}
		return fmt.Sprintf("expected call %d (%s): %s", i, want.Name, m.explain(&actual.calls[nearest], want))
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
	o := scorer.ReadSettings(config)
	return &nameMatch{readFamily(o)}, o.Err
}

// Score implements scorer.Scorer.
func (m *nameMatch) Score(in scorer.Input) (scorer.Result, error) { return m.pairForms(in, m.pair) }

func (m *nameMatch) pair(actual, expected side) (scorer.Result, error) {
	if !actual.single || !expected.single || actual.calls[0].Unreadable {
		return yesNo(false, "a side is no single call that can be read"), nil
	}
	got, want := actual.calls[0].Name, expected.calls[0].Name
	return yesNo(got == want, fmt.Sprintf("got '%s', expected '%s'", got, want)), nil
}
