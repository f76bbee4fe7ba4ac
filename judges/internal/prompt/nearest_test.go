package prompt

import (
	"math"
	"slices"
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

// TestScoreIsBM25: the example's score is that of the published formula, computed by hand.
func TestScoreIsBM25(t *testing.T) {
	p := &Pool{words: []map[string]float64{{"a": 2, "b": 1}, {"b": 1}}, length: []float64{3, 1}, mean: 2, df: map[string]float64{"a": 1, "b": 2}}
	for query, want := range map[string][2]float64{"a": {0.8355747, 0}, "b": {0.1513613, 0.2292042}, "c": {0, 0}} {
		for i := range want {
			if got := p.score(map[string]float64{query: 1}, i); math.Abs(got-want[i]) > 1e-6 {
				t.Errorf("%s in example %d: %.7f, want %.7f", query, i, got, want[i])
			}
		}
	}
}

// TestTurns: a turn begins with the user and ends with the last word or result of the agent before the user's next one;
// what an agent does alone is one turn.
func TestTurns(t *testing.T) {
	roles := map[rune]transcript.Role{'u': transcript.User, 'a': transcript.Assistant, 't': transcript.ToolRole, 's': transcript.System}
	for messages, want := range map[string][]Turn{
		"": nil, "u": nil, "s": nil, "at": {{0, 2}}, "sata": {{1, 4}}, "uata": {{0, 4}}, "uatu": {{0, 3}}, "uut": nil,
		"auatuua": {{1, 4}, {4, 7}}, "uatsu": {{0, 3}}, "uaut": {{0, 2}},
	} {
		conv := &transcript.Conversation{}
		for _, r := range messages {
			conv.Messages = append(conv.Messages, transcript.Message{Role: roles[r]})
		}
		if got := Turns(conv); !slices.Equal(got, want) {
			t.Errorf("%s: turns %v, want %v", messages, got, want)
		}
	}
}
