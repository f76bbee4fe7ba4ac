package deterministic

import (
	"fmt"
	"strconv"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ExpectedCallMatch checks for each call whether it is an expected one.
var ExpectedCallMatch = Scorer{
	Name: "expected_call_match",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.ExpectedCalls,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
		},
		Needs:   score.NeedsExpectedCalls,
		OfCalls: true,
	},
	rule: func() Rule { return new(expectedMatch) },
}

// expectedMatch is expected_call_match: for each call, is it one of the expected
// calls with all arguments equal? Calls and expected calls are paired one to one so
// that as many pairs as possible are exact, and among these pairings so that the
// rest is as near as possible (by the pair score of function_call_accuracy). A call
// scores 1 when it is exactly its partner, else 0; the score of the whole is the
// mean. If no call is right every call scores 0. In a log a call outside the expected
// ones is unknown, not wrong, unless the log says that only those are right: most
// trajectories that reach the right state also read, think and calculate.
type expectedMatch struct {
	family
	weights
}

func (m *expectedMatch) settings() []Setting { return m.readSettings(m.weights.settings()...) }

// Score implements Rule. The field "calls" holds one object for each call.
func (m *expectedMatch) Score(in Input) (Result, error) { return m.scoreCase(in, m.pair) }

// log gives one score for each call.
func (m *expectedMatch) log(v *view) []outcome {
	out := make([]outcome, len(v.made))
	if !v.known || v.listed != "" {
		for i, c := range v.made {
			out[i] = outcome{call: c, why: noReference}
			if v.listed != "" {
				out[i].why = v.listed
			}
		}
		return out
	}
	matches, err := v.matches(*m)
	for i, c := range v.made {
		out[i] = outcome{call: c, err: err}
		switch {
		case err != nil:
		case i < len(matches) && m.outside(v, c, matches[i]):
			out[i].why, out[i].said = outsideReference, true
		case i < len(matches):
			out[i].result = yesNo(matches[i].exact, matches[i].reason, matches[i].fields()...)
		default:
			out[i].result = yesNo(false, "the arguments of a call cannot be read, and compat refuses all calls then")
		}
	}
	return out
}

// outsideReference is the reason for a missing verdict.
const outsideReference = "it is not one of the expected calls, and the log does not say that only those are right"

// outside reports whether nothing is known about a call: no expected call is left for it, or only
// one of another tool.
func (m *expectedMatch) outside(v *view, c *transcript.Call, found callMatch) bool {
	if v.only || m.compat != "" {
		return false
	}
	return found.expected < 0 || !m.inOrder && v.wanted[found.expected].Name != c.Name
}

// callMatch is the result for one call.
type callMatch struct {
	// expected is the index of its partner; -1 if none.
	expected int
	score    float64
	exact    bool
	reason   string
}

func (m *expectedMatch) pair(p *pairing) (Result, error) {
	matches, err := m.matches(p)
	if err != nil {
		return Result{}, err
	}
	if len(matches) == 0 {
		return Result{Reason: "no call was made"}, nil
	}
	exact := 0
	list := make([]value.Value, len(matches))
	for i, found := range matches {
		if found.exact {
			exact++
		}
		list[i] = value.OfObject(found.fields()...)
	}
	reason := fmt.Sprintf("%d of %d calls are expected ones", exact, len(matches))
	return scored(float64(exact)/float64(len(matches)), reason, field("calls", list)), nil
}

// fields returns the outputs for one call.
func (c callMatch) fields() []value.Member {
	return []value.Member{
		optionalIndex("expected_index", c.expected),
		floatField("pair_score", c.score),
		field("exact", c.exact),
	}
}

// matches returns a match for each actual call.
func (m *expectedMatch) matches(p *pairing) ([]callMatch, error) {
	rows, cols := len(p.expected.calls), len(p.actual.calls)
	all, err := p.all()
	if err != nil {
		return nil, err
	}
	scores, gains := make([]float64, len(all)), make([]float64, len(all))
	// An exact pair weighs more than everything that the others could gain.
	bonus := max(2*(m.weights.name+m.presence+m.weights.value)*float64(min(rows, cols)+1), 1)
	for i, expected := range p.expected.calls {
		for j, made := range p.actual.calls {
			at := i*cols + j
			scores[at] = m.weigh(all[at])
			gains[at] = max(scores[at], 0)
			if p.exact(all[at], made, expected) {
				gains[at] += bonus
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
	for _, found := range assign(gains, rows, cols) {
		reason := p.explain(p.actual.calls[found.actual], p.expected.calls[found.expected])
		exact := reason == ""
		if exact {
			reason = "it is the expected call"
		}
		out[found.actual] = callMatch{found.expected, scores[found.expected*cols+found.actual], exact,
			"expected call " + strconv.Itoa(found.expected) + ": " + reason}
	}
	return out, nil
}
