package prompt

import (
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestNearest: an example is near a target by what is judged in it: its last call, or the last words of
// the user before the end of its last turn, or of all.
func TestNearest(t *testing.T) {
	refundLast := judgetest.NewConversation(t, "a").Say(transcript.User, "about the lamp").Act("", "ship {}").Result(0, "").
		Say(transcript.User, "and the bicycle").Act("", "refund {}").Conv
	shipLast := judgetest.NewConversation(t, "b").Say(transcript.User, "about the bicycle").Act("", "refund {}").Result(0, "").
		Say(transcript.User, "and the lamp").Act("", "ship {}").Conv
	asked := judgetest.NewConversation(t, "c").Say(transcript.User, "my bicycle").Act("", "refund {}").Result(0, "").
		Say(transcript.User, "now my lamp").Act("", "ship {}").Conv
	r := *judgetest.Rubric(t, rubrics.Overall)
	r.Retrieve = 1
	r.Examples = []rubrics.Example{
		{Log: refundLast, Task: "1", Answer: judgetest.JSON(t, judgetest.Answer("1"))}, {Log: shipLast, Task: "2", Answer: judgetest.JSON(t, judgetest.Answer("1"))},
	}
	for _, tt := range []struct {
		scope  rubrics.Scope
		target Target
		want   *transcript.Conversation
	}{
		{rubrics.ScopeCall, OfCall(0), refundLast}, {rubrics.ScopeCall, OfCall(1), shipLast},
		{rubrics.ScopeTurn, Target{Scope: rubrics.ScopeTurn, Turn: 1}, refundLast},
		{rubrics.ScopeTurn, Target{Scope: rubrics.ScopeTurn, Turn: 2}, shipLast},
		{rubrics.ScopeConversation, Target{Scope: rubrics.ScopeConversation}, shipLast},
	} {
		r.Scope = tt.scope
		if got := NewPool(&r).Nearest(asked, tt.target).Examples; len(got) != 1 || got[0].Log != tt.want {
			t.Errorf("%+v: the nearest of %d is %s, want %s", tt.target, len(got), got[0].Log.ID, tt.want.ID)
		}
	}
}
