package run

import (
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// factsOf collects what the deterministic side knows about the calls of a
// conversation, for the checks on a judge's answers. No judge sees any of it.
func factsOf(c *transcript.Conversation, scores []score.Score) func(int) judges.Facts {
	facts := map[int]judges.Facts{}
	for i := range scores {
		s := &scores[i]
		if s.CallIndex == nil || s.Status != score.Scored {
			continue
		}
		f := facts[*s.CallIndex]
		switch s.Name {
		case "schema_check":
			if s.Passed != nil && !*s.Passed {
				f.SchemaError = s.Explanation
			}
		case "expected_call_match":
			at, ok := s.Details.Field("expected_index").Int64()
			if ok && c.Expected != nil && int(at) < len(c.Expected.Calls) {
				f.Expected = &c.Expected.Calls[at]
			}
		}
		facts[*s.CallIndex] = f
	}
	return func(call int) judges.Facts { return facts[call] }
}
