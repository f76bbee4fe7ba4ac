package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/score"
)

// CallRelevance asks whether a call was made exactly if one was right.
var CallRelevance = Scorer{
	Name: "call_relevance", Facts: score.Facts{Needs: score.NeedsExpectedCalls},
	rule: func() Rule { return &pairwise{pair: relevancePair, fixed: true, whether: true} },
}

// relevancePair is call_relevance: did the agent call when a call was right, and keep
// from calling when none was? It looks at no name and no argument, so that it
// separates the decision to call from the call. Score 1 or 0; the field "case" is
// relevance (a call is right) or irrelevance (none is).
func relevancePair(p *pairing) (Result, error) {
	made := len(p.actual.calls)
	word, ok, reason := "relevance", made > 0, fmt.Sprintf("a call is right, %d made", made)
	if len(p.expected.calls) == 0 {
		word, ok, reason = "irrelevance", made == 0, fmt.Sprintf("no call is right, %d made", made)
	}
	return yesNo(ok, reason, field("case", word), field("calls_made", made)), nil
}
