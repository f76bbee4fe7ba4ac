package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// CallRelevance is the name of the scorer for negative cases.
const CallRelevance = "call_relevance"

// relevance is call_relevance: did the agent call where a call was right, and keep
// from calling where none was? It looks at no name and no argument, so that it
// separates the decision to call from the call. Score 1 or 0; the field "case" is
// relevance (a call is right) or irrelevance (none is).
type relevance struct{ family }

func newRelevance(config value.Value) (scorer.Scorer, error) {
	return relevance{}, scorer.ReadSettings(config).Err
}

// Score implements scorer.Scorer.
func (r relevance) Score(in scorer.Input) (scorer.Result, error) { return r.pairForms(in, r.pair) }

func (relevance) pair(actual, expected side) (scorer.Result, error) {
	made := len(actual.calls)
	word, ok, reason := "relevance", made > 0, fmt.Sprintf("a call is right, %d made", made)
	if len(expected.calls) == 0 {
		word, ok, reason = "irrelevance", made == 0, fmt.Sprintf("no call is right, %d made", made)
	}
	return yesNo(ok, reason, value.Member{Key: "case", Value: value.OfString(word)},
		value.Member{Key: "calls_made", Value: value.OfInt(int64(made))}), nil
}
