package measure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

func TestConversationChangesByTool(t *testing.T) {
	// In run B the second call of each conversation goes to another tool, whose name
	// comes first: the tool that run A called must not lose its conversations.
	var before, after []dialogue
	for i := range 12 {
		before = append(before, dialogue{Calls: []string{"find", "pay"}, Passed: true})
		after = append(after, dialogue{Calls: []string{"find", "cancel"}, Passed: i%2 == 0})
	}
	c := compare(t, inputsOf(dialogues(before...)), inputsOf(dialogues(after...)), measure.Config{})
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
