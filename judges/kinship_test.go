package judges

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// A panel flags the members that are of the agent's own model or family, and nothing
// of it is shown to them.
func TestSelfPreference(t *testing.T) {
	flagged := func(edit func(*transcript.Conversation)) (panel []Flag, sent string) {
		conv := judgetest.Support(t)
		edit(conv)
		var list []*Judge
		s := judgetest.Replies(judgetest.Answer("5"))
		for _, model := range []string{"openai/gpt-4o-mini", "qwen3:8b", "gpt-5"} {
			list = append(list, intentJudge(t, s, func(c *Config) { c.Model = model }))
		}
		cfg := RunConfig{Panels: []Panel{{Name: "jury", Members: []string{"openai/gpt-4o-mini", "qwen3:8b", "gpt-5"}}}}
		err := Run(t.Context(), list, one(Item{Conversation: conv, Targets: []Target{OfCall(1)}}), cfg, func(o *Outcome) error {
			last := o.Results[len(o.Results)-1]
			panel = last.Flags
			if last.Judge != "jury" || last.Escalate {
				t.Errorf("%+v", last)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Requests[0].Messages {
			sent += m.Content
		}
		return panel, sent
	}
	for name, edit := range map[string]func(*transcript.Conversation){
		"of the log":     func(c *transcript.Conversation) { c.Extra = judgetest.JSON(t, `{"model":"gpt-4o-mini"}`) },
		"of the message": func(c *transcript.Conversation) { c.Messages[4].Extra = judgetest.JSON(t, `{"model":"gpt-4o-mini"}`) },
	} {
		got, sent := flagged(edit)
		want := []Flag{{Code: FlagSelfPreference, Severity: 1, Detail: "openai/gpt-4o-mini, gpt-5: the agent's model gpt-4o-mini is the judge"}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if strings.Contains(sent, "gpt-4o") {
			t.Error("the judge is told the agent's model")
		}
	}
	for name, edit := range map[string]func(*transcript.Conversation){
		"unknown":         func(*transcript.Conversation) {},
		"another maker":   func(c *transcript.Conversation) { c.Extra = judgetest.JSON(t, `{"model":"claude-sonnet-4"}`) },
		"no model's name": func(c *transcript.Conversation) { c.Extra = judgetest.JSON(t, `{"model":{"name":"gpt-4o"}}`) },
	} {
		if got, _ := flagged(edit); slices.ContainsFunc(got, func(f Flag) bool { return f.Code == FlagSelfPreference }) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
