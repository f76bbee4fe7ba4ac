package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
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
	r := buildReport(t, inputsOf(dialogues(someTalks...)), measure.Config{})
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
	r, err := measure.Build(inputsOf(alone), measure.Config{})
	if err != nil || r.ByToolConversations != nil {
		t.Errorf("without calls: %+v, %v", r.ByToolConversations, err)
	}
}

func TestConversationScoresOfMostTools(t *testing.T) {
	var many []string // one more than have a row, the first ones in two conversations
	for i := range 101 {
		many = append(many, fmt.Sprintf("tool%03d", i))
	}
	r, err := measure.Build(inputsOf(dialogues(
		dialogue{Calls: many, Passed: true}, dialogue{Calls: many[:2], Passed: true}, dialogue{Calls: many[:1], Missing: many[1:2]},
	)), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, c := range r.ByToolConversations {
		got[c.Tool] = c.Scores[0].N
	}
	if len(got) != 100 || got["tool000"] != 3 || got["tool001"] != 3 || got["tool099"] != 1 {
		t.Errorf("%d tools: %v", len(got), got)
	}
}
