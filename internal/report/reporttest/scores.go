package reporttest

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// ScoreOf is a compact way to write scores: pass "p", fail "f", unscored "u",
// not applicable "n", error "e".
func ScoreOf(source score.Source, name, conv string, call int, what byte) score.Score {
	s := score.Score{ConversationID: conv, Name: name, Source: source, Tool: "t"}
	if source == score.Judge {
		s.Judge = "j"
	}
	if call >= 0 {
		s.CallIndex = &call
	} else {
		s.Tool = ""
	}
	switch what {
	case 'p', 'f':
		s.Status, s.Passed = score.Scored, ptr(what == 'p')
		s.Value = ptr(0.0)
		if what == 'p' {
			s.Value = ptr(1.0)
		}
	case 'u':
		s.Status, s.Error = score.Unscored, &score.Failure{Kind: "truncated", Message: "m"}
	case 'n':
		s.Status = score.NotApplicable
	case 'e':
		s.Status, s.Error = score.Error, &score.Failure{Kind: "config", Message: "m"}
	}
	return s
}

// RunOf makes one call in a conversation of its own for each letter.
func RunOf(judge, ref string) []score.Score {
	var out []score.Score
	for i := range judge {
		conv := fmt.Sprintf("c%03d", i)
		out = append(out, ScoreOf(score.Judge, "overall", conv, 0, judge[i]), ScoreOf(score.Deterministic, "exact", conv, 0, ref[i]))
	}
	return out
}

// InputsOf are scores without a manifest.
func InputsOf(scores []score.Score) report.Inputs {
	return report.Inputs{Scores: Each(scores)}
}

// Codes are the codes of warnings.
func Codes(all []report.Warning) []string {
	var out []string
	for _, w := range all {
		out = append(out, w.Code)
	}
	return out
}

// Talk is one conversation: the tools it calls, those of expected calls that are
// missing, and whether function_call_accuracy passes it.
type Talk struct {
	Calls, Missing []string
	Passed         bool
}

// Talks are the scores of such conversations.
func Talks(list ...Talk) []score.Score {
	var out []score.Score
	for i, c := range list {
		id := fmt.Sprintf("c%02d", i)
		missing := make([]value.Value, len(c.Missing))
		for k, name := range c.Missing {
			missing[k] = value.OfString(name)
		}
		out = append(out, score.Score{
			ConversationID: id, Name: "function_call_accuracy", Source: score.Deterministic, Status: score.Scored,
			Value: ptr(map[bool]float64{true: 1, false: 0.5}[c.Passed]), Passed: ptr(c.Passed),
			Details: value.OfObject(value.Member{Key: "missing", Value: value.OfList(missing...)}),
		})
		for k, tool := range c.Calls {
			out = append(out, score.Score{
				ConversationID: id, CallIndex: ptr(k), Tool: tool, Name: "schema_check", Source: score.Deterministic,
				Status: score.Scored, Value: ptr(1.0), Passed: ptr(true),
			})
		}
	}
	return out
}
