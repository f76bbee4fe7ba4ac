package measure_test

import (
	"fmt"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// scoreOf writes a score: pass "p", fail "f", unscored "u",
// not applicable "n", error "e".
func scoreOf(source score.Source, name, conv string, call int, what byte) score.Score {
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
		s.Status, s.Passed = score.Scored, new(what == 'p')
		s.Value = new(0.0)
		if what == 'p' {
			s.Value = new(1.0)
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

// runOf makes one call in a conversation of its own for each letter.
func runOf(judge, ref string) []score.Score {
	var out []score.Score
	for i := range judge {
		conv := fmt.Sprintf("c%03d", i)
		out = append(out, scoreOf(score.Judge, "overall", conv, 0, judge[i]), scoreOf(score.Deterministic, "exact", conv, 0, ref[i]))
	}
	return out
}

func inputsOf(scores []score.Score) report.Inputs { return reporttest.Inputs(scores) }

// codesOf returns the codes of warnings.
func codesOf(all []report.Warning) []string {
	var out []string
	for _, w := range all {
		out = append(out, w.Code)
	}
	return out
}

// dialogue is one conversation: the tools it calls, those of expected calls that are
// missing, and whether function_call_accuracy passes it.
type dialogue struct {
	Calls, Missing []string
	Passed         bool
}

// dialogues returns the scores of such conversations.
func dialogues(list ...dialogue) []score.Score {
	var out []score.Score
	for i, c := range list {
		id := fmt.Sprintf("c%02d", i)
		missing := make([]value.Value, len(c.Missing))
		for k, name := range c.Missing {
			missing[k] = value.OfString(name)
		}
		out = append(out, score.Score{
			ConversationID: id, Name: "function_call_accuracy", Source: score.Deterministic, Status: score.Scored,
			Value: new(map[bool]float64{true: 1, false: 0.5}[c.Passed]), Passed: new(c.Passed),
			Details: value.OfObject(value.Member{Key: "not_called", Value: value.OfList(missing...)}),
		})
		for k, tool := range c.Calls {
			out = append(out, score.Score{
				ConversationID: id, CallIndex: new(k), Tool: tool, Name: "schema_check", Source: score.Deterministic,
				Status: score.Scored, Value: new(1.0), Passed: new(true),
			})
		}
	}
	return out
}

// buildReport returns the report of a run, which must have one.
func buildReport(t testing.TB, in report.Inputs, cfg measure.Config) *report.Report {
	t.Helper()
	r, err := measure.Build(in, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
