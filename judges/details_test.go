package judges

import (
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestStoredTokens: a score line has the tokens that the server counted, and none that it did not.
func TestStoredTokens(t *testing.T) {
	for want, usage := range map[string]llm.Usage{
		`{"prompt":7,"completion":5,"reasoning":3}`: {Prompt: new(7), Completion: new(5), Reasoning: new(3)},
		`{"completion":0}`:                          {Completion: new(0)},
		`null`:                                      {},
	} {
		r := Result{Usage: usage}
		if got := r.details().Field("tokens").JSON(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestMessagesOf: a target is its own part of the conversation; one that the conversation does not
// have is all of it.
func TestMessagesOf(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say("user", "a").Act("", "f {}").Result(0, "ok").Say("assistant", "done").
		Say("user", "b").Say("assistant", "bye").Conv
	turn := func(n int) Target { return Target{Scope: rubrics.ScopeTurn, Call: -1, Turn: n} }
	for _, tt := range []struct {
		target   Target
		from, to int
	}{
		{OfCall(0), 1, 2}, {Target{Scope: rubrics.ScopeResult, Call: 0}, 1, 4}, {turn(1), 0, 4}, {turn(2), 4, 6},
		{turn(0), 0, 6}, {turn(3), 0, 6}, {OfCall(9), 0, 6}, {Target{Scope: rubrics.ScopeConversation, Call: -1}, 0, 6},
	} {
		if from, to := MessagesOf(conv, tt.target); from != tt.from || to != tt.to {
			t.Errorf("%+v: %d to %d, want %d to %d", tt.target, from, to, tt.from, tt.to)
		}
	}
}
