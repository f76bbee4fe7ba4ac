package measure_test

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// FuzzBuild: whatever names, flags and texts the scores of a few calls hold, the
// report builds, and reads back.
func FuzzBuild(f *testing.F) {
	f.Add("overall", "j", "exact", "c1", "tool", 0.5, 0.9, uint8(3))
	f.Add("", "\xff", "schema_check", "c\x00", "<b>", -1e300, 2.0, uint8(255))
	f.Fuzz(func(t *testing.T, rubric, judge, scorer, conv, tool string, v, conf float64, bits uint8) {
		pass := bits&1 == 1
		call := int(bits >> 4)
		s := []score.Score{
			{ConversationID: conv, CallIndex: &call, Tool: tool, Name: rubric, Source: score.Judge, Judge: judge, Status: score.Scored, Value: &v, Passed: &pass, Confidence: &conf, Flags: []score.Flag{{Code: tool, Severity: int(bits % 10)}}},
			{ConversationID: conv, CallIndex: &call, Tool: tool, Name: scorer, Source: score.Deterministic, Status: score.Scored, Value: &v, Passed: ptr(!pass)},
			{ConversationID: conv, Name: scorer, Source: score.Label, Status: score.Scored, Value: &v},
			{ConversationID: conv + "2", Name: scorer, Source: score.Label, Status: score.Scored, Value: &conf},
		}
		r, err := measure.Build(report.Inputs{Scores: reporttest.Each(s)}, measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		text := asJSON(t, r)
		if _, err := report.ReadJSON(strings.NewReader(text), "f"); err != nil {
			t.Fatal(err)
		}
	})
}
