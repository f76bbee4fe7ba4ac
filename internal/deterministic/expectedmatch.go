package deterministic

import (
	"fmt"
	"strconv"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// ExpectedCallMatch is the name of the call-level match with the reference.
const ExpectedCallMatch = "expected_call_match"

// expectedMatch is expected_call_match: for each call, is it one of the expected
// calls with all arguments equal? Calls and expected calls are paired one to one so
// that as many pairs as possible are exact, and among these pairings so that the
// rest is as near as possible (by the pair score of function_call_accuracy). A call
// scores 1 when it is exactly its partner, else 0; the score of the whole is the
// mean. Where no call is right every call scores 0.
type expectedMatch struct{ accuracy }

func newExpectedMatch(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	m := readExpectedMatch(o)
	return &m, o.Err
}

func readExpectedMatch(o *scorer.Settings) expectedMatch {
	m := expectedMatch{readAccuracy(o)}
	m.reuse = false
	return m
}

// callMatch is what was found for one call.
type callMatch struct {
	// expected is the index of the partner, -1 where there is none.
	expected int
	score    float64
	exact    bool
	reason   string
}

// Score implements scorer.Scorer. The field "calls" holds one object for each call.
func (m *expectedMatch) Score(in scorer.Input) (scorer.Result, error) {
	return m.pairForms(in, m.pair)
}

func (m *expectedMatch) pair(actual, expected side) (scorer.Result, error) {
	matches, err := m.matches(actual, expected)
	if err != nil {
		return scorer.Result{}, err
	}
	if len(matches) == 0 {
		return scorer.Result{Reason: "no call was made"}, nil
	}
	exact := 0
	list := make([]value.Value, len(matches))
	for i, found := range matches {
		if found.exact {
			exact++
		}
		list[i] = value.OfObject(found.fields()...)
	}
	score := float64(exact) / float64(len(matches))
	return scorer.Result{
		Score:  &score,
		Reason: fmt.Sprintf("%d of %d calls are expected ones", exact, len(matches)),
		Fields: []value.Member{{Key: "calls", Value: value.OfList(list...)}},
	}, nil
}

// fields are the outputs for one call.
func (c callMatch) fields() []value.Member {
	index := value.Value{}
	if c.expected >= 0 {
		index = value.OfInt(int64(c.expected))
	}
	return []value.Member{
		{Key: "expected_index", Value: index},
		{Key: "pair_score", Value: value.OfFloat(c.score)},
		{Key: "exact", Value: value.OfBool(c.exact)},
	}
}

// matches returns a match for each actual call.
func (m *expectedMatch) matches(actual, expected side) ([]callMatch, error) {
	rows, cols := len(expected.calls), len(actual.calls)
	small := float64(min(rows, cols))
	if small*small*float64(max(rows, cols)) > maxPairs {
		return nil, scorer.Config("actual", "%d calls against %d expected are too many to pair", cols, rows)
	}
	scores, gains := make([]float64, rows*cols), make([]float64, rows*cols)
	// A pair that is exact outweighs all that the others could gain.
	bonus := 2 * (m.nameWeight + m.presenceWeight + m.valueWeight) * (small + 1)
	for i := range expected.calls {
		for j := range actual.calls {
			at := i*cols + j
			found := m.compare(&actual.calls[j], &expected.calls[i])
			scores[at] = m.weigh(found)
			gains[at] = max(scores[at], 0)
			if m.wholly(found, &actual.calls[j], &expected.calls[i]) {
				gains[at] += max(bonus, 1)
			}
		}
	}
	out := make([]callMatch, cols)
	for j := range out {
		out[j] = callMatch{expected: -1, reason: "no expected call is left for it"}
		if rows == 0 {
			out[j].reason = "no call is right here"
		}
	}
	for _, p := range assign(gains, rows, cols) {
		reason := m.explain(&actual.calls[p.actual], &expected.calls[p.expected])
		exact := reason == ""
		if exact {
			reason = "it is the expected call"
		}
		out[p.actual] = callMatch{p.expected, scores[p.expected*cols+p.actual], exact,
			"expected call " + strconv.Itoa(p.expected) + ": " + reason}
	}
	return out, nil
}
