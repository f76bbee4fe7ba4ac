package judges

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/reply"
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

// TestDetails: a score line keeps what the answer, the checks and the server said, in this order.
func TestDetails(t *testing.T) {
	r := Result{
		Method: TokenWeighted, Transport: JSONSchema, Fingerprint: "f0", Verdict: Pass, Output: new(4.0), NearThreshold: true,
		ConfidenceSource: "token", confidences: []confidence{{"verbalised", 0.9}, {"token", 0.8}},
		Checks: check.Findings{Grounding: "partial", Quotes: 3, GroundedQuotes: 2, CorrectionForm: "patch",
			Effective: value.Pairs("name", "f"), MatchesExpected: new(false), Effect: "better", Constructive: new(0.5)},
		Answer: value.Pairs("why", "w"), Escalate: true, Repairs: 1, ContextTruncated: true,
		Shortened: Shortened{Tools: true, Results: 2, Examples: 3, Messages: true}, Samples: []*float64{new(4.0), nil},
		Sampling: &answer.Consistency{Valid: 1},
		Token:    &reply.TokenWeight{Coverage: 0.5, Variance: 0.25, Entropy: 0.125, PassProbability: 0.75},
		Segments: []Segment{{From: 1, To: 2, Verdict: Fail, Confidence: new(0.5)}},
		Panel:    &PanelDetail{Rule: "majority", Members: []PanelMember{{Judge: "a", Verdict: Pass, Category: "yes"}}},
		Climb: &ClimbDetail{Unresolved: true, Tiers: []ClimbTier{
			{"a", nil, NoVerdict, nil, []Reason{OnError}}, {"b", new(4.0), Pass, new(0.5), []Reason{OnLowConfidence}}}},
	}
	const details = `{"score_method":"token_weighted","transport":"json_schema","fingerprint":"f0","borderline":true,` +
		`"low_confidence":false,"confidence_source":"token","confidences":{"verbalised":0.9,"token":0.8},` +
		`"grounding":"partial","quotes":3,"quotes_grounded":2,"correction_form":"patch","corrected_call":{"name":"f"},` +
		`"correction_matches_expected":false,"correction_effect":"better","constructive_score":0.5,"answer":{"why":"w"},` +
		`"escalate":true,"repairs":1,"context_truncated":true,` +
		`"shortened":{"tools":true,"results_cut":2,"examples_left_out":3,"messages":true},"samples":[4.0,null],` +
		`"sampling":{"valid":1,"failed":0,"tie":false},` +
		`"token":{"coverage":0.5,"variance":0.25,"entropy":0.125,"pass_probability":0.75},` +
		`"segments":[{"from":1,"to":2,"output":null,"verdict":"fail","confidence":0.5,"explanation":"","evidence":""}],` +
		`"panel":{"aggregate":"majority","spread":null,` +
		`"members":[{"judge":"a","output":null,"verdict":"pass","category":"yes"}]},` +
		`"cascade":{"stands":"b","unresolved":true,"tiers":[` +
		`{"judge":"a","output":null,"verdict":"error","confidence":null,"escalated":["error"]},` +
		`{"judge":"b","output":4.0,"verdict":"pass","confidence":0.5,"escalated":["low_confidence"]}]}}`
	if d := cmp.Diff(details, r.Score().Details.JSON()); d != "" {
		t.Error(d)
	}
	failed := Result{Verdict: NoVerdict, ErrorKind: KindTransport, ErrorDetail: "down", Scope: rubrics.ScopeTurn, CallIndex: -1,
		Turn: 2, Output: new(1.0), ConfidenceSource: "token"}
	s := failed.Score()
	const none = `{"score_method":"","transport":"","fingerprint":"","escalate":false,"repairs":0,"context_truncated":false}`
	if d := cmp.Diff(none, s.Details.JSON()); d != "" || s.Error.Message != "down" || s.Value != nil || s.CallIndex != nil ||
		s.Scope != "turn" || s.Turn != 2 {
		t.Errorf("%+v %s", s, d)
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
		{OfCall(1), 0, 6}, {Target{Scope: rubrics.ScopeConversation, Turn: 1}, 0, 6},
	} {
		if from, to := MessagesOf(conv, tt.target); from != tt.from || to != tt.to {
			t.Errorf("%+v: %d to %d, want %d to %d", tt.target, from, to, tt.from, tt.to)
		}
	}
	late := judgetest.NewConversation(t, "c").Say("user", "a").Act("", "f {}").Say("user", "well?").Result(0, "ok").Conv
	if from, to := MessagesOf(late, Target{Scope: rubrics.ScopeResult}); from != 1 || to != 4 {
		t.Errorf("a call and its late result are messages %d to %d", from, to)
	}
	first := judgetest.NewConversation(t, "c").Act("", `f {"x":1}`).Result(0, "ok").Say("assistant", "done").Conv
	if from, to := MessagesOf(first, Target{Scope: rubrics.ScopeResult}); from != 0 || to != 3 {
		t.Errorf("a call at the beginning and its turn's end are messages %d to %d", from, to)
	}
	if !Asks(question(t, "answer: yes/no\nscope: turn\nwhen: args.x = 1"), first, turn(1)) {
		t.Error("a call at the beginning is in no turn")
	}
	first.Calls[0].Result = -1
	if Asks(question(t, "answer: yes/no\nscope: result"), first, Target{Scope: rubrics.ScopeResult}) {
		t.Error("a call without a result is judged with its result")
	}
	for target, want := range map[Target]string{
		{Scope: rubrics.ScopeTurn, Turn: 1, Call: 9}: "", {Scope: rubrics.ScopeConversation, Call: -1}: "", OfCall(0): "",
		OfCall(-1): "judge call -1 of c: the conversation has 1 calls", OfCall(1): "judge call 1 of c: the conversation has 1 calls",
		turn(0): "judge turn 0 of c: the conversation has 2 turns", turn(3): "judge turn 3 of c: the conversation has 2 turns",
	} {
		if err := checkTarget(conv, target); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%+v: %v, want %s", target, err, want)
		}
	}
	keys := RequestKeys(conv, []*rubrics.Rubric{question(t, "answer: yes/no"), question(t, "answer: yes/no\nscope: turn")})
	if d := cmp.Diff([]string{"c#0 together", "c#0 q", "c#turn1 together", "c#turn1 q", "c#turn2 together", "c#turn2 q"}, keys); d != "" {
		t.Error(d)
	}
}

// TestCallsThatMeetACondition: a turn is asked about if one of its own calls meets the condition, a conversation if any
// does.
func TestCallsThatMeetACondition(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say("user", "a").Act("", `f {"x":1}`).Result(0, "ok").
		Say("user", "b").Act("", `f {"x":2}`).Result(1, "ok").Conv
	turn := question(t, "answer: yes/no\nscope: turn\nwhen: args.x = 2")
	early := question(t, "answer: yes/no\nscope: turn\nwhen: args.x = 1")
	for number, want := range map[int]bool{0: true, 1: false, 2: true, 3: true} { // of no turn all calls count
		target := Target{Scope: rubrics.ScopeTurn, Turn: number}
		if got := Asks(turn, conv, target); got != want || Asks(early, conv, target) != (number != 2) {
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
	stored := &judgetest.Script{Reply: func(n int, _ llm.Request) (*llm.Response, error) {
		return &llm.Response{Content: judgetest.Answer("4"), FinishReason: "stop", Cached: true, Latency: time.Second}, nil
	}}
	if res := judgeOne(t, intentJudge(t, stored, nil)); res.Latency != 0 || res.Requests != 1 || res.Cached != 1 {
		t.Errorf("a stored reply: %v for %d requests, %d stored", res.Latency, res.Requests, res.Cached)
	}
}

// TestCombined: the answer of the deciding segment counts for the whole; its flags are those of all segments, each once
// and in their order, and one missing answer leaves the whole without one.
func TestCombined(t *testing.T) {
	part := func(output, verdict string, flags ...string) Result {
		r := Result{Verdict: verdict, Explanation: output, Requests: 2, Cached: 1, Repairs: 1, Latency: time.Second,
			Usage: llm.Usage{Prompt: new(10)}}
		if output != "" {
			x := float64(output[0]-'0') / 4
			r.Output = &x
		}
		for _, code := range flags {
			r.Flags = append(r.Flags, Flag{Code: code, Severity: 1, Detail: "of " + output})
		}
		switch verdict {
		case NotApplicable:
			r.Category = NotApplicable
		case NoVerdict:
			r.ErrorKind, r.ErrorDetail = KindTransport, "down"
		}
		return r
	}
	na := part("", NotApplicable)
	cut := part("4", Pass)
	cut.Shortened.Results = 3
	first, down := na, part("", NoVerdict)
	first.Explanation = "first"
	for _, tt := range []struct {
		combine string
		parts   []Result
		want    string // output, verdict, explanation, shortened results and flags
	}{
		{"all", []Result{part("4", Pass, "a"), part("0", Fail, "b", "a"), part("1", Fail, "c")}, "0 fail 0 0 [a of 4] [b of 0] [c of 1]"},
		{"all", []Result{part("4", Pass), part("2", Borderline), part("3", Pass)}, "0.5 borderline 2 0"},
		{"all", []Result{na, part("3", Pass), na}, "0.75 pass 3 0"},
		{"all", []Result{first, na}, "none not_applicable first 0"},
		{"all", []Result{down, part("4", Pass)}, "none error  0 segment 1 of 2: down"},
		{"any", []Result{part("4", Pass), part("2", Borderline)}, "1 pass 4 0"},
		{"mean", []Result{part("3", Pass), na}, "0.75 pass 3 0"},
		{"mean", []Result{part("1", Fail), part("1", Fail), part("4", Pass)}, "0.5 pass 1 0"},
		{"any", []Result{part("0", Fail), part("2", Borderline), part("1", Fail)}, "0.5 borderline 2 0"},
		{"any", []Result{part("1", Fail), part("0", Fail)}, "0.25 fail 1 0"},
		{"last", []Result{cut, part("1", Fail), na}, "0.25 fail 1 3"},
		{"mean", []Result{part("0", Fail), part("3", Pass), na, part("4", Pass)}, "0.583 pass 3 0"},
		{"mean", []Result{part("4", Pass), part("", NoVerdict), part("0", Fail)}, "none error  0 segment 2 of 3: down"},
	} {
		in := &instrument{rubric: question(t, "answer: 0..1\npass: 0.5\nscope: conversation\nconfidence: no\ncombine: "+tt.combine)}
		var res Result
		in.combine(&res, tt.parts)
		output := "none"
		if res.Output != nil {
			output = fmt.Sprintf("%.3g", *res.Output)
		}
		got := fmt.Sprintf("%s %s %s %d", output, res.Verdict, res.Explanation, res.Shortened.Results)
		if res.ErrorDetail != "" {
			got += " " + res.ErrorDetail
		}
		last := len(res.Flags) - 1
		for _, f := range res.Flags[:last] {
			got += fmt.Sprintf(" [%s %s]", f.Code, f.Detail)
		}
		segmented := Flag{Code: "judged_in_segments", Severity: 1, Detail: fmt.Sprintf("it has no room as a whole and was "+
			"judged in %d overlapping segments (combine: %s)", len(tt.parts), tt.combine)}
		if got != tt.want || res.Flags[last] != segmented {
			t.Errorf("combine: %s:\n got %s\nwant %s\n%v", tt.combine, got, tt.want, res.Flags[last])
		}
		if n := len(tt.parts); res.Requests != 2*n || res.Cached != n || res.Repairs != n ||
			res.Latency != time.Duration(n)*time.Second || *res.Usage.Prompt != 10*n {
			t.Errorf("combine: %s: the cost of %d segments: %+v", tt.combine, n, res)
		}
	}
	odd := part("4", Pass)
	odd.Flags = []Flag{{Code: "canary", Severity: 2}}
	var res Result
	(&instrument{rubric: question(t, "answer: 0..1\npass: 0.5\nscope: conversation\nconfidence: no")}).combine(&res,
		[]Result{part("4", Pass), odd})
	if res.Explanation != "4" || !res.Escalate {
		t.Errorf("a severe flag of a segment does not escalate: %+v", res)
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
