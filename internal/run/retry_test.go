package run

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestRetry: a resumed run asks again for the unscored judgements of the kinds that are
// named, and for no others; the answers stay.
func TestRetry(t *testing.T) {
	var better atomic.Bool
	s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		text := `{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":1,"correction":{}}`
		m := llmtest.ChatMessage{PromptTokens: len(c.Body) / 4}
		switch last := c.Messages[len(c.Messages)-1].Content + c.Messages[max(0, len(c.Messages)-3)].Content; {
		case better.Load():
		case strings.Contains(last, "Cancel order 0") || strings.Contains(last, "Cancel order 1"):
			text = "a fine call, I would say"
		case strings.Contains(last, "Cancel order 2"):
			text, m.FinishReason = `{"explanation":"and so`, "length"
		}
		m.Content = text
		return llmtest.Chat(m)
	})
	defer s.Close()
	dir := t.TempDir()
	type row struct{ Scored, Sent int }
	var got []row
	for i, kinds := range [][]string{nil, nil, {"canary"}, {"invalid_json"}, nil, {"truncated", "invalid_json"}, {"truncated"}} {
		p := shortPlan(t, s.URL, "m", shortLog(4, ""))
		p.Judges[0].Config.Transport, p.Retry = "json_schema", kinds
		before := s.Requests()
		out, err := executeSetup(t.Context(), p, dir, i > 0, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{out.Scored, s.Requests() - before})
		better.Store(true)
	}
	want := []row{{1, 7}, {1, 0}, {1, 0}, {3, 2}, {3, 0}, {4, 1}, {4, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
