package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/score"
)

// CallRelevance checks whether a call was made exactly if one was right.
var CallRelevance = Scorer{
	Name: "call_relevance", Facts: score.Facts{Needs: score.NeedsExpectedCalls},
	rule: func() Rule { return &pairwise{pair: relevancePair, fixed: true} },
}

// relevancePair implements call_relevance: did the agent call if a call was right, and not call if
// none was? It ignores names and arguments, so that it separates the decision to call from the
// call. The score is 1 or 0; the field "case" is relevance (a call is right) or irrelevance (none
// is).
func relevancePair(p *pairing) (Result, error) {
	made := len(p.actual.calls)
	word, ok, reason := "relevance", made > 0, fmt.Sprintf("a call is right, %d made", made)
	if len(p.expected.calls) == 0 {
		word, ok, reason = "irrelevance", made == 0, fmt.Sprintf("no call is right, %d made", made)
	}
	return yesNo(ok, reason, field("case", word), field("calls_made", made)), nil
}
