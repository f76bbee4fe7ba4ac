package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// talk is one conversation: the tools it calls, those of expected calls that are
// missing, and whether function_call_accuracy passes it.
type talk struct {
	calls, missing []string
	passed         bool
}

func talks(list ...talk) []score.Score {
	var out []score.Score
	for i, c := range list {
		id := fmt.Sprintf("c%02d", i)
		missing := make([]value.Value, len(c.missing))
		for k, name := range c.missing {
			missing[k] = value.OfString(name)
		}
		out = append(out, score.Score{
			ConversationID: id, Name: "function_call_accuracy", Source: score.Deterministic, Status: score.Scored,
			Value: ptr(map[bool]float64{true: 1, false: 0.5}[c.passed]), Passed: ptr(c.passed),
			Details: value.OfObject(value.Member{Key: "missing", Value: value.OfList(missing...)}),
		})
		for k, tool := range c.calls {
			out = append(out, score.Score{
				ConversationID: id, CallIndex: ptr(k), Tool: tool, Name: "schema_check", Source: score.Deterministic,
				Status: score.Scored, Value: ptr(1.0), Passed: ptr(true),
			})
		}
	}
	return out
}

func inputsOf(scores []score.Score) report.Inputs {
	return report.Inputs{Scores: reporttest.Each(scores)}
}

var someTalks = []talk{
	{[]string{"find", "find", "pay"}, nil, true},
	{[]string{"find"}, []string{"pay"}, false},
	{[]string{"find"}, []string{"post"}, false},
	{nil, nil, true}, // no call, none expected
}

func TestConversationScoresByTool(t *testing.T) {
	type row struct {
		Tool             string
		Conversations, N int
		Rate             float64
	}
	want := []row{{"find", 3, 3, 0.333333}, {"pay", 2, 2, 0.5}, {"post", 1, 1, 0}}
	for name, make := range map[string]func(report.Inputs, report.Config) (*report.Report, error){"summed up": report.Build, "table": report.BuildTable} {
		r, err := make(inputsOf(talks(someTalks...)), report.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got []row
		for _, c := range r.ByToolConversations {
			if len(c.Scores) != 1 || c.Scores[0].Level != report.ConversationLevel || !c.Small {
				t.Errorf("%s: %s: %+v", name, c.Tool, c)
			}
			got = append(got, row{c.Tool, c.Conversations, c.Scores[0].N, *c.Scores[0].PassRate.Value})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// Without a score of calls the missing ones alone would be a biased sample.
	var alone []score.Score
	for _, s := range talks(someTalks...) {
		if s.CallIndex == nil {
			alone = append(alone, s)
		}
	}
	r, err := report.Build(inputsOf(alone), report.Config{})
	if err != nil || r.ByToolConversations != nil {
		t.Errorf("without calls: %+v, %v", r.ByToolConversations, err)
	}
}

func TestConversationScoresOfMostTools(t *testing.T) {
	r, err := report.Build(inputsOf(talks(
		talk{[]string{"a", "b", "c"}, nil, true}, talk{[]string{"a", "b"}, nil, true}, talk{[]string{"a", "c"}, []string{"d"}, false},
	)), report.Config{MaxTools: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, c := range r.ByToolConversations {
		got[c.Tool] = c.Scores[0].N
	}
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConversationChangesByTool(t *testing.T) {
	// In run B the second call of each conversation goes to another tool, whose name
	// comes first: the tool that run A called must not lose its conversations.
	var before, after []talk
	for i := range 12 {
		before = append(before, talk{[]string{"find", "pay"}, nil, true})
		after = append(after, talk{[]string{"find", "cancel"}, nil, i%2 == 0})
	}
	c := compare(t, inputsOf(talks(before...)), inputsOf(talks(after...)), report.CompareConfig{})
	got := map[string]float64{}
	for _, r := range c.ByToolConversations {
		got[r.Tool] = *r.PassRate.Delta.Value
		if r.Name != "function_call_accuracy" || r.PassRate.N != 12 || r.Level != report.ConversationLevel {
			t.Errorf("%+v", r)
		}
	}
	if diff := cmp.Diff(map[string]float64{"cancel": -0.5, "find": -0.5, "pay": -0.5}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, r := range c.Rows {
		if r.Level == report.ConversationLevel && r.Tool != "" {
			t.Errorf("a row by tool of conversations among the corrected ones: %+v", r)
		}
	}
}
