package reply

import (
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

// Case 12: a server that cuts prompts with HTTP 200.
func TestContextAlarm(t *testing.T) {
	n := func(i int) *int { return &i }
	tests := []struct {
		prompt, completion *int
		bytes              int
		finish             string
		alarm              bool
	}{
		{n(2000), n(50), 8000, "stop", false},
		{n(999), n(50), 8000, "stop", true},
		{n(1000), n(50), 8000, "stop", false},
		{n(4096), n(50), 9000, "stop", true},
		{n(4000), n(96), 9000, "length", true},
		{n(4000), n(96), 9000, "stop", false},
		{nil, n(96), 9000, "stop", false},
		{n(0), n(0), 9000, "", false},
	}
	for i, tc := range tests {
		got := ContextAlarm(&llm.Response{Usage: llm.Usage{Prompt: tc.prompt, Completion: tc.completion}, FinishReason: tc.finish}, tc.bytes)
		if (got != "") != tc.alarm {
			t.Errorf("case %d: alarm %q", i, got)
		}
	}
}
