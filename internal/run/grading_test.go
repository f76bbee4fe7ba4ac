package run

import (
	"testing"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/rubrics"
)

func TestLabelsBecomeScores(t *testing.T) {
	c := &transcript.Conversation{
		ID: "c", Calls: []transcript.Call{{ID: "t", Name: "f"}},
		Labels: []transcript.Label{{Name: "human", CallIndex: -1, Value: 1}, {Name: "step", CallIndex: 0, Value: 0.5}, {Name: "kind", CallIndex: -1, Text: "ok"}},
	}
	got := labelScores(c, nil)
	if len(got) != 3 || *got[0].Value != 1 || !*got[0].Passed || got[0].CallIndex != nil {
		t.Errorf("%+v", got)
	}
	if *got[1].CallIndex != 0 || got[1].Tool != "f" || *got[1].Passed {
		t.Errorf("%+v", got[1])
	}
	if got[2].Value != nil || got[2].Status != score.NotApplicable || got[2].Label != "ok" {
		t.Errorf("a word became a number: %+v", got[2])
	}
	c.Labels = []transcript.Label{{Name: "recorded.intent", Value: 2}, {Name: "recorded.intent", Value: 3}, {Name: "recorded.output", Value: 1}}
	intent := &rubrics.Rubric{Name: "intent", Output: rubrics.Output{Integer: true, Min: 1, Max: 5, Low: 3, High: 5}}
	for i, s := range labelScores(c, []*rubrics.Rubric{intent}) {
		if i < 2 && (s.Passed == nil || *s.Passed != (i == 1)) || i == 2 && s.Passed != nil {
			t.Errorf("a recorded answer is not decided by its rubric's band: %+v", s)
		}
	}
	for i := range got {
		if err := got[i].Check(); err != nil {
			t.Error(err)
		}
	}
}
