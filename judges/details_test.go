package judges

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
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
		{Target{Scope: rubrics.ScopeTurn, Turn: 2}, 4, 6}, {OfCall(-1), 0, 6},
		{turn(0), 0, 6}, {turn(3), 0, 6}, {OfCall(9), 0, 6}, {Target{Scope: rubrics.ScopeConversation, Call: -1}, 0, 6},
	} {
		if from, to := MessagesOf(conv, tt.target); from != tt.from || to != tt.to {
			t.Errorf("%+v: %d to %d, want %d to %d", tt.target, from, to, tt.from, tt.to)
		}
	}
	late := judgetest.NewConversation(t, "c").Say("user", "a").Act("", "f {}").Say("user", "well?").Result(0, "ok").Conv
	if from, to := MessagesOf(late, Target{Scope: rubrics.ScopeResult}); from != 1 || to != 4 {
		t.Errorf("a call and its late result are messages %d to %d", from, to)
	}
	if err := checkTarget(conv, Target{Scope: rubrics.ScopeTurn, Turn: 1, Call: 9}); err != nil {
		t.Error(err)
	}
}

// TestCallsThatMeetACondition: a turn is asked about if one of its own calls meets the condition, a conversation if any
// does.
func TestCallsThatMeetACondition(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say("user", "a").Act("", `f {"x":1}`).Result(0, "ok").
		Say("user", "b").Act("", `f {"x":2}`).Result(1, "ok").Conv
	turn := question(t, "answer: yes/no\nscope: turn\nwhen: args.x = 2")
	for number, want := range map[int]bool{1: false, 2: true} {
		if got := Asks(turn, conv, Target{Scope: rubrics.ScopeTurn, Turn: number}); got != want {
			t.Errorf("turn %d: asked about %v", number, got)
		}
	}
	for x, want := range map[string]bool{"1": true, "2": true, "3": false} {
		whole := question(t, "answer: yes/no\nscope: conversation\nwhen: args.x = "+x)
		if got := Asks(whole, conv, Target{Scope: rubrics.ScopeConversation}); got != want {
			t.Errorf("x = %s: asked about %v", x, got)
		}
	}
}

// TestDetailsOfSamplesAndSegments: what each sample and segment said is kept, and all requests are counted.
func TestDetailsOfSamplesAndSegments(t *testing.T) {
	c := answer.SelfConsistency([]float64{4, stat.Missing(), 5, 4, 1}, 3, 5)
	const samples = `{"valid":4,"failed":1,"majority":4.0,"median":4.0,"variance":3.0,"pass_share":0.75,"tie":false}`
	if d := cmp.Diff(samples, consistency(&c).JSON()); d != "" {
		t.Error(d)
	}
	s := Segment{From: 3, To: 7, Output: new(1.0), Category: "yes", Verdict: Pass, Explanation: "e", Evidence: "v"}
	const segment = `{"from":3,"to":7,"output":1.0,"category":"yes","verdict":"pass","confidence":null,` +
		`"explanation":"e","evidence":"v"}`
	if d := cmp.Diff(segment, s.value().JSON()); d != "" {
		t.Error(d)
	}
	r := Result{Requests: 1, Latency: time.Second, Usage: llm.Usage{Prompt: new(100), Completion: new(10)}}
	r.count([]Result{{Requests: 2, Cached: 1, Repairs: 1, Latency: time.Second, Usage: llm.Usage{Prompt: new(200)}}})
	if r.Requests != 3 || r.Cached != 1 || r.Repairs != 1 || r.Latency != 2*time.Second || *r.Usage.Prompt != 300 {
		t.Errorf("%+v", r)
	}
	n := 0
	slow := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		n++
		resp := judgetest.Text(map[bool]string{true: "no", false: judgetest.Answer("5")}[n == 1])
		resp.Latency = time.Duration(n) * time.Second
		return resp, nil
	}}
	if res := judgeOne(t, intentJudge(t, slow, nil)); res.Latency != 3*time.Second || res.Requests != 2 {
		t.Errorf("%v for %d requests", res.Latency, res.Requests)
	}
}

// TestCanceled: a judgement that is canceled is an error, and no missing answer.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	whole := question(t, "answer: yes/no\nscope: conversation")
	segments := intentJudge(t, judgetest.Replies(""), func(c *Config) {
		asks(whole)(c)
		c.Prompt.Limit.Tokens = 4096
	})
	if got, err := segments.Conversation(ctx, longConversation(t, 40)); !errors.Is(err, context.Canceled) {
		t.Errorf("segments: %v, %v", got, err)
	}
	together := intentJudge(t, judgetest.Replies(""), func(c *Config) {
		c.Rubrics, c.Prompt.Layout = judgetest.Rubrics(t), Together
	})
	if got, err := together.Call(ctx, judgetest.Support(t), 1, Facts{}); !errors.Is(err, context.Canceled) {
		t.Errorf("together: %v, %v", got, err)
	}
}
