package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/score"
)

// NameMatch checks whether one call has the expected name.
var NameMatch = Scorer{
	Name: "function_name_match",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.ToolName,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
		},
		Needs: score.NeedsExpectedCalls,
	},
	rule: func() Rule { return &pairwise{pair: namePair, unfit: severalWanted} },
}

// severalWanted returns why function_name_match does not apply to a conversation.
func severalWanted(v *view) string {
	if !v.known || len(v.wanted) == 1 {
		return ""
	}
	return fmt.Sprintf("it compares one call with one, and %d are expected", len(v.wanted))
}

// namePair implements function_name_match: 1 if both sides are one readable call with equal names.
func namePair(p *pairing) (Result, error) {
	if !p.actual.single || !p.expected.single || p.unreadable(p.actual.calls[0]) {
		return yesNo(false, "one side is not a single call that can be read"), nil
	}
	got, want := p.actual.calls[0].Name, p.expected.calls[0].Name
	return yesNo(got == want, fmt.Sprintf("got '%s', expected '%s'", got, want)), nil
}
