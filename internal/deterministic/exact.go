package deterministic

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// ExactMatch checks whether the calls are exactly the expected ones.
var ExactMatch = Scorer{
	Name: "function_call_exact_match",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.ExpectedCalls,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
		},
		Needs: score.NeedsExpectedCalls,
	},
	rule: func() Rule { return &pairwise{pair: exactPair, unfit: valuesListed} },
}

// maxExactCalls limits the lists that are matched one to one.
const maxExactCalls = 2000

// exactPair implements function_call_exact_match: are the calls exactly the expected ones? The
// score is 1 or 0.
func exactPair(p *pairing) (Result, error) {
	if p.compat != "" && (!p.actual.single || !p.expected.single) {
		return yesNo(false, "one side is not a single call that can be read"), nil
	}
	made, expected := p.actual.calls, p.expected.calls
	n := len(expected)
	switch {
	case len(made) == 0 && n == 0:
		return yesNo(true, "no call expected, none made"), nil
	case len(made) != n:
		return yesNo(false, fmt.Sprintf("%d calls made, %d expected", len(made), n)), nil
	case n == 1:
		reason := p.explain(made[0], expected[0])
		if reason == "" {
			return yesNo(true, "the call is the expected one"), nil
		}
		return yesNo(false, reason), nil
	case n > maxExactCalls:
		return Result{}, configError("actual", "%d calls are too many to match one to one", n)
	case p.inOrder:
		for i, want := range expected {
			if reason := p.explain(made[i], want); reason != "" {
				return yesNo(false, fmt.Sprintf("call %d: %s", i, reason)), nil
			}
		}
		return yesNo(true, fmt.Sprintf("all %d calls are the expected ones, in order", n)), nil
	}
	if perfect(n, func(i, j int) bool { return p.same(made[j], expected[i]) }) < 0 {
		return yesNo(true, fmt.Sprintf("all %d calls are the expected ones", n)), nil
	}
	return yesNo(false, p.unmatched()), nil
}

func (p *pairing) same(actual, expected *transcript.Call) bool {
	return p.exact(p.compare(actual, expected), actual, expected)
}

// unmatched names the first expected call that was not made, and how the most similar call differs.
func (p *pairing) unmatched() string {
	for i, want := range p.expected.calls {
		if slices.ContainsFunc(p.actual.calls, func(c *transcript.Call) bool { return p.same(c, want) }) {
			continue
		}
		namesake := func(c *transcript.Call) bool { return c.Name == want.Name }
		nearest := slices.IndexFunc(p.actual.calls, namesake)
		if nearest < 0 {
			return fmt.Sprintf("expected call %d (%s) was not made", i, want.Name)
		}
		return fmt.Sprintf("expected call %d (%s): %s", i, want.Name, p.explain(p.actual.calls[nearest], want))
	}
	return "the calls cannot be matched one to one"
}
