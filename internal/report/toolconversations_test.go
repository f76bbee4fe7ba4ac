package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

var someTalks = []reporttest.Talk{
	{Calls: []string{"find", "find", "pay"}, Passed: true},
	{Calls: []string{"find"}, Missing: []string{"pay"}, Passed: false},
	{Calls: []string{"find"}, Missing: []string{"post"}, Passed: false},
	{Calls: nil, Passed: true}, // no call, none expected
}

func TestConversationScoresByTool(t *testing.T) {
	type row struct {
		Tool             string
		Conversations, N int
		Rate             float64
	}
	want := []row{{"find", 3, 3, 0.333333}, {"pay", 2, 2, 0.5}, {"post", 1, 1, 0}}
	for name, make := range map[string]func(report.Inputs, report.Config) (*report.Report, error){"summed up": report.Build, "table": report.BuildTable} {
		r, err := make(reporttest.InputsOf(reporttest.Talks(someTalks...)), report.Config{})
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
	for _, s := range reporttest.Talks(someTalks...) {
		if s.CallIndex == nil {
			alone = append(alone, s)
		}
	}
	r, err := report.Build(reporttest.InputsOf(alone), report.Config{})
	if err != nil || r.ByToolConversations != nil {
		t.Errorf("without calls: %+v, %v", r.ByToolConversations, err)
	}
}

func TestConversationScoresOfMostTools(t *testing.T) {
	r, err := report.Build(reporttest.InputsOf(reporttest.Talks(
		reporttest.Talk{Calls: []string{"a", "b", "c"}, Passed: true}, reporttest.Talk{Calls: []string{"a", "b"}, Passed: true}, reporttest.Talk{Calls: []string{"a", "c"}, Missing: []string{"d"}, Passed: false},
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
	var before, after []reporttest.Talk
	for i := range 12 {
		before = append(before, reporttest.Talk{Calls: []string{"find", "pay"}, Passed: true})
		after = append(after, reporttest.Talk{Calls: []string{"find", "cancel"}, Passed: i%2 == 0})
	}
	c := compare(t, reporttest.InputsOf(reporttest.Talks(before...)), reporttest.InputsOf(reporttest.Talks(after...)), report.CompareConfig{})
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
