package assembly_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/score"
)

var someTalks = []dialogue{
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
	r := buildReport(t, inputsOf(dialogues(someTalks...)), assembly.Config{})
	var got []row
	for _, c := range r.ByToolConversations {
		if len(c.Scores) != 1 || c.Scores[0].Level != report.ConversationLevel || !c.Small {
			t.Errorf("%s: %+v", c.Tool, c)
		}
		got = append(got, row{c.Tool, c.Conversations, c.Scores[0].N, *c.Scores[0].PassRate.Value})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Without a score of calls the missing ones alone would be a biased sample.
	var alone []score.Score
	for _, s := range dialogues(someTalks...) {
		if s.CallIndex == nil {
			alone = append(alone, s)
		}
	}
	r, err := assembly.Build(inputsOf(alone), assembly.Config{})
	if err != nil || r.ByToolConversations != nil {
		t.Errorf("without calls: %+v, %v", r.ByToolConversations, err)
	}
}

func TestConversationScoresOfMostTools(t *testing.T) {
	r, err := assembly.Build(inputsOf(dialogues(
		dialogue{Calls: []string{"a", "b", "c"}, Passed: true}, dialogue{Calls: []string{"a", "b"}, Passed: true}, dialogue{Calls: []string{"a", "c"}, Missing: []string{"d"}, Passed: false},
	)), assembly.Config{MaxTools: 2})
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
