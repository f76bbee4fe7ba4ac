package judges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// TestLongResultIsCut: a result that has no room is cut, which is flagged and does not escalate; what has no room
// even so is not sent, and the reason says what would have room.
func TestLongResultIsCut(t *testing.T) {
	conv := judgetest.Support(t)
	conv.Messages[3].Content, conv.Messages[3].Output = strings.Repeat("found it ", 1000), value.Value{}
	script := judgetest.Replies(judgetest.Answer("5"))
	j := intentJudge(t, script, func(c *Config) { c.Prompt.Limit.Tokens = 4096 })
	got, err := j.Call(t.Context(), conv, 1, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	res := &got[0]
	if res.Shortened.Results != 1 || res.Escalate || res.Verdict != Pass {
		t.Errorf("%s, escalate %v, shortened %+v", res.Verdict, res.Escalate, res.Shortened)
	}
	if d := gocmp.Diff([]Flag{
		{Code: FlagToolsShortened, Severity: 1, Detail: "tools that were not called so far were shown by their signature"},
		{Code: FlagResultsCut, Severity: 1, Detail: "1 tool results were cut in the middle"},
	}, res.Flags); d != "" {
		t.Error(d)
	}
	if req := script.Requests[0]; req.MaxTokens != 1024 || j.Limit().Estimate(req.Messages) > 4096-1024 {
		t.Errorf("%d tokens and %d for the answer", j.Limit().Estimate(req.Messages), req.MaxTokens)
	}
	narrow := intentJudge(t, script, func(c *Config) { c.Prompt.Limit.Tokens = 1000 })
	if got, err = narrow.Call(t.Context(), conv, 1, Facts{}); err != nil {
		t.Fatal(err)
	}
	res = &got[0]
	if res.ErrorKind != KindContext || res.Verdict != NoVerdict || !res.Escalate || len(script.Requests) != 1 ||
		!strings.HasPrefix(res.ErrorDetail, "not sent: the rubric, the call and the last user message take about ") ||
		!strings.Contains(res.ErrorDetail, " tokens, and the context holds 1000 with 500 for the answer; ") {
		t.Errorf("%s: %s (%s) after %d requests", res.Verdict, res.ErrorKind, res.ErrorDetail, len(script.Requests))
	}
}

// TestLargestTokens: no prompt about a target is larger than is foretold from the target's size, whatever is asked
// together.
func TestLargestTokens(t *testing.T) {
	list := judgetest.Rubrics(t)
	seen := *list[0]
	seen.SeesExpected = true
	conv := judgetest.Support(t)
	conv.Expected = &transcript.Expected{Outputs: []string{strings.Repeat("as expected ", 100)}}
	for name, edit := range map[string]func(*Config){
		"one by one":         func(c *Config) { c.Rubrics = list },
		"together":           func(c *Config) { c.Rubrics, c.Prompt.Layout = list, Together },
		"with the reference": func(c *Config) { c.Rubrics = []*rubrics.Rubric{&seen} },
	} {
		script := judgetest.Replies(judgetest.Answer("1"))
		j := intentJudge(t, script, edit)
		largest, targets := 0, 0
		j.Sizes(conv, func(s Size) { largest, targets = max(largest, j.LargestTokens(s)), targets+1 })
		if targets != 3 {
			t.Errorf("%s: the sizes of %d targets", name, targets)
		}
		most := 0
		for call := range conv.Calls {
			if _, err := j.Call(t.Context(), conv, call, Facts{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, req := range script.Requests {
			if req.Messages[len(req.Messages)-2].Content != judgetest.Answer("1") { // it asks for no repair
				most = max(most, j.Limit().Estimate(req.Messages))
			}
		}
		if largest < most || largest > most+30 {
			t.Errorf("%s: at most %d tokens are foretold, %d are sent", name, largest, most)
		}
	}
}

// TestPrefixesAreKnownOnce: the beginning of a prompt is computed for the first conversation only.
func TestPrefixesAreKnownOnce(t *testing.T) {
	var p Prefixes
	for i, want := range []float64{70, 0, 0} {
		if got := p.add(prefix{rubric: 1}, 70); got != want {
			t.Errorf("time %d: %v tokens, want %v", i+1, got, want)
		}
	}
	if got := p.add(prefix{rubric: 2}, 30); got != 30 {
		t.Errorf("another one: %v tokens", got)
	}
}

// TestRefusalsForLength: the window that an endpoint names is told once; a failure of another kind shortens nothing.
func TestRefusalsForLength(t *testing.T) {
	var log []string
	refused := 0
	script := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
		if len(r.Messages[len(r.Messages)-1].Content) > 20_000 {
			refused++
			const said = "maximum context length is 6000 tokens"
			return nil, &llm.Error{Kind: llm.KindOverflow, Attempts: 1, Message: said}
		}
		return judgetest.Text(judgetest.Answer("5")), nil
	}}
	j := intentJudge(t, script, func(c *Config) { c.Log = func(line string) { log = append(log, line) } })
	for i := range 2 {
		conv := longConversation(t, 40)
		conv.ID = fmt.Sprint(i)
		if got, err := j.Call(t.Context(), conv, 39, Facts{}); err != nil || got[0].Verdict != Pass || got[0].Requests != 2 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	const told = "judge m: the endpoint refused a prompt for its length and names a context of 6000 tokens; what it refuses " +
		"is shortened to that and asked again"
	if refused != 2 || len(log) != 1 || log[0] != told {
		t.Errorf("%d refusals, log %q", refused, log)
	}
	log = nil
	for _, e := range []llm.Error{
		{Kind: llm.KindOverflow, Attempts: 1, Message: "too long"},
		{Kind: llm.KindOverflow, Attempts: 0, Message: "maximum context length is 500 tokens"},
		{Kind: llm.KindServer, Attempts: 1, Message: "maximum context length is 500 tokens"},
	} {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, &e }}
		j := intentJudge(t, s, func(c *Config) { c.Log = func(line string) { log = append(log, line) } })
		shortened := e.Kind == llm.KindOverflow && e.Attempts > 0
		if res := judgeOne(t, j); res.Output != nil || (len(s.Requests) > 1) != shortened || log != nil {
			t.Errorf("%s %s: %d requests, log %q", e.Kind, e.Message, len(s.Requests), log)
		}
	}
	broken := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, errors.New("broken") }}
	if res := judgeOne(t, intentJudge(t, broken, nil)); res.ErrorKind != KindTransport || res.Requests != 1 {
		t.Errorf("%s after %d requests", res.ErrorKind, res.Requests)
	}
}

// TestNothingFits: a judgement that has no room is told so, with what to set on the server; it is foretold as one prompt
// that is not sent, and nothing more is foretold to somebody who has heard enough.
func TestNothingFits(t *testing.T) {
	list, err := rubrics.Load(strings.NewReader("{name: as_expected, question: q?, answer: yes/no, sees: expected}"), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, conv := list[0], judgetest.Support(t)
	conv.Expected = &transcript.Expected{Outputs: []string{strings.Repeat("as expected ", 300)}}
	wide := intentJudge(t, judgetest.Replies(""), asks(r))
	req, err := wide.Request("as_expected", conv, OfCall(1))
	if err != nil {
		t.Fatal(err)
	}
	need := wide.Limit().Estimate(req.Messages)
	script := judgetest.Replies("")
	narrow := intentJudge(t, script, func(c *Config) {
		asks(r)(c)
		c.Prompt.Limit.Tokens, c.Kind = 1000, llm.KindVLLM
	})
	got, err := narrow.Call(t.Context(), conv, 1, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var tokens int
	const format = "not sent: the rubric, the call and the last user message take about %d tokens, and the context holds " +
		"1000 with 500 for the answer; start vLLM with --max-model-len 4096"
	_, err = fmt.Sscanf(got[0].ErrorDetail, format, &tokens)
	if err != nil || got[0].ErrorDetail != fmt.Sprintf(format, tokens) || tokens < need-200 || tokens > need || len(script.Requests) > 0 {
		t.Errorf("%s (%v), the whole takes %d tokens, %d requests", got[0].ErrorDetail, err, need, len(script.Requests))
	}
	for _, j := range []*Judge{narrow, wide, togetherJudge(t, script, nil)} {
		fits := 0
		j.Fits(conv, &Prefixes{}, func(f *Fit) bool {
			if f.TooLong != (j == narrow) || f.Segments != 0 {
				t.Errorf("%+v", f)
			}
			fits++
			return false
		})
		if fits != 1 {
			t.Errorf("%d prompts are foretold to somebody who asked for one", fits)
		}
	}
}

// TestLeftOut: what a prompt leaves out is recorded, and flagged in words that do not escalate.
func TestLeftOut(t *testing.T) {
	in := newInstrument(judgetest.Rubric(t, rubrics.Intent), Config{})
	var r Result
	in.noteLeftOut(&r, &window.Shown{Shortened: Shortened{Tools: true, Results: 2, Messages: true}}, 1)
	if d := gocmp.Diff([]Flag{
		{Code: "tools_shortened", Severity: 1, Detail: "tools that were not called so far were shown by their signature"},
		{Code: "tool_results_cut", Severity: 1, Detail: "2 tool results were cut in the middle"},
		{Code: "examples_left_out", Severity: 1, Detail: "2 examples of the rubric were left out"},
		{Code: "context_truncated", Severity: 1, Detail: "the judge saw a shortened history"},
	}, r.Flags); d != "" || r.Shortened.Examples != 2 || !r.ContextTruncated {
		t.Errorf("%+v %s", r.Shortened, d)
	}
	r = Result{}
	if in.noteLeftOut(&r, &window.Shown{}, 3); r.Flags != nil || r.Shortened != (Shortened{}) || r.ContextTruncated {
		t.Errorf("nothing is left out: %+v", r)
	}
}

// TestSettingsThatDepend: the room for an answer is at most half the window, and examples that are chosen for each
// call need a layout that shows them.
func TestSettingsThatDepend(t *testing.T) {
	for window, want := range map[int]int{0: 1024, 1000: 500, 2048: 1024, 4096: 1024} {
		cfg := Config{Model: "m", Prompt: Options{Limit: Limit{Tokens: window}}}.withDefaults()
		if cfg.MaxTokens != want || cfg.Prompt.Limit.Answer != want || cfg.Name != "m" || cfg.Concurrency != 8 {
			t.Errorf("a window of %d: %d tokens for the answer, %+v", window, cfg.MaxTokens, cfg)
		}
	}
	r := *judgetest.Rubric(t, rubrics.Intent)
	r.Retrieve = 1
	for layout, want := range map[prompt.Layout]bool{
		"": true, prompt.RubricFirst: true, prompt.NamedRubrics: false, Together: false,
	} {
		cfg := Config{Model: "m", Rubrics: []*rubrics.Rubric{&r}, Prompt: Options{Layout: layout}}
		_, err := New(judgetest.Replies(""), cfg)
		if (err == nil) != want {
			t.Errorf("one example for each call, layout %q: %v", layout, err)
		}
	}
	if name := intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Name = "strict" }).Name(); name != "strict" {
		t.Error(name)
	}
}

// TestModelOfACall: of a log that names a model for each message, that of the call's message counts.
func TestModelOfACall(t *testing.T) {
	conv := judgetest.Support(t)
	conv.Extra = judgetest.JSON(t, `{"model":"log"}`)
	conv.Messages[conv.Calls[0].Message].Extra = judgetest.JSON(t, `{"model":"first"}`)
	for call, want := range map[int]string{-1: "first", 0: "first", 1: "log"} {
		if got := agentModel(conv, call); got != want {
			t.Errorf("call %d is by %q, want %q", call, got, want)
		}
	}
	conv.Messages[0].Extra = judgetest.JSON(t, `{"model":"of the system"}`)
	conv.Calls[1].Message, conv.Calls[2].Message = -1, len(conv.Messages)
	conv.Extra = judgetest.JSON(t, `{"model":"log","agent_model":"agent"}`)
	for call, want := range map[int]string{-1: "first", 1: "agent", 2: "agent"} {
		if got := agentModel(conv, call); got != want {
			t.Errorf("call %d is by %q, want %q", call, got, want)
		}
	}
	j, own, family := intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Model = "gpt-4o" }), Result{}, Result{CallIndex: -1}
	long := judgetest.JSON(t, `{"model":"`+strings.Repeat("x", 90)+`/gpt-4o"}`)
	j.flagKinship(&own, &Conversation{Extra: long, Calls: make([]transcript.Call, 1)})
	j.flagKinship(&family, &Conversation{Extra: judgetest.JSON(t, `{"model":"gpt-5"}`)})
	if d := gocmp.Diff([]Flag{
		{Code: "self_preference", Severity: 1, Detail: "the agent's model " + strings.Repeat("x", 79) + "… is the judge"},
		{Code: "self_preference", Severity: 1, Detail: "the agent's model gpt-5 is of the family of the judge gpt-4o"},
	}, append(own.Flags, family.Flags...)); d != "" {
		t.Error(d)
	}
	for models, want := range map[[2]string]string{
		{"", ""}: "", {"", "gpt-5"}: "", {"gpt-5", ""}: "", {"a/gpt-5", "GPT-5 "}: "model", {"gpt-5", "gpt-4o"}: "family",
		{"unheard-of", "unknown"}: "", {"gpt-5", "qwen3:8b"}: "",
	} {
		if got := kin(models[0], models[1]); got != want {
			t.Errorf("%q: %q, want %q", models, got, want)
		}
	}
}

// TestLateRefusals: refusals of the transport that was left already demote no further.
func TestLateRefusals(t *testing.T) {
	j := intentJudge(t, judgetest.Replies(""), nil)
	for i := range 9 {
		j.refusal(llm.JSONSchema, fmt.Sprint("item ", i), "response_format is not supported")
	}
	if got := j.standing(); got != llm.Tools {
		t.Errorf("transport %s", got)
	}
	// Of endless different refusals the first 64 count.
	for others, want := range map[int]Transport{63: llm.Tools, 64: llm.JSONSchema} {
		var log []string
		j := intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Log = func(line string) { log = append(log, line) } })
		for i := range others {
			j.refusal(llm.JSONSchema, "one", strings.Repeat("schema ", i+1))
		}
		for _, item := range []string{"one", "two", "three"} {
			j.refusal(llm.JSONSchema, item, "response_format "+strings.Repeat("x", 300))
		}
		if got := j.standing(); got != want {
			t.Errorf("after %d other refusals: transport %s, want %s", others, got, want)
		}
		line := "judge m: the endpoint refused json_schema on 3 items; going on with tools (response_format " +
			strings.Repeat("x", 183) + "…)"
		if want == llm.Tools && (len(log) != 1 || log[0] != line) {
			t.Errorf("log %q", log)
		}
	}
}

// TestPanelsCarry: a panel flags a tie, has its member's correction and checks, is sure of nothing that does not
// apply, and is as strict as its strictest member where a high score fails.
func TestPanelsCarry(t *testing.T) {
	r := *judgetest.Rubric(t, rubrics.Intent)
	r.Output.Low, r.Output.High = 2, 3
	members := func(answers ...string) (list []Result) {
		for i, a := range answers {
			m := answered(string(rune('a'+i)), a)
			switch a {
			case "":
				m.Verdict, m.Category = NotApplicable, NotApplicable
			case "2", "3":
				m.Verdict = Pass
			default:
				m.Verdict = Fail
			}
			m.ConversationID, m.CallIndex, m.CallID, m.Tool, m.Turn = "c", 2, "t2", "f", 3
			m.Transport, m.Fingerprint = Tools, "of "+m.Judge
			m.Correction, m.Checks = value.OfString(a), check.Findings{Grounding: "grounded " + a}
			list = append(list, m)
		}
		return list
	}
	for _, tt := range []struct {
		rule    PanelRule
		answers []string
		want    string // output, verdict, confidence, correction, grounding, who says it, and flags
	}{
		{"", []string{"3", "2", "2"}, "2 pass 1 \"2\" grounded 2 of b []"},
		{"majority", []string{"5", "5", "2", "2"}, "2 pass 0.5 \"2\" grounded 2 of c [{panel_tie 1 the judges are split evenly; " +
			"the lower score counts}]"},
		{AnyNegative, []string{"5", "2", "3"}, "5 fail 0.3333 \"5\" grounded 5 of a []"},
		{AnyNegative, []string{"3", "2"}, "2 pass none \"2\" grounded 2 of b []"},
		{"", []string{"", "2", "", "", "", "2", "2"}, "none not_applicable none \"\" grounded  of a []"},
		{"", []string{"", "", "2", "2"}, "2 pass none \"2\" grounded 2 of c []"},
	} {
		got, err := joined(Panel{Rule: tt.rule}, &r, members(tt.answers...))
		if err != nil {
			t.Fatal(err)
		}
		number := func(x *float64) any {
			if x == nil {
				return "none"
			}
			return math.Round(*x*1e4) / 1e4
		}
		said := fmt.Sprintf("%v %s %v %s %s %s %v", number(got.Output), got.Verdict, number(got.Confidence),
			got.Correction.JSON(), got.Checks.Grounding, got.Fingerprint, got.Flags)
		if at := got.CallIndex == 2 && got.CallID == "t2" && got.Tool == "f" && got.Turn == 3; !at || got.Transport != Tools ||
			got.ConversationID != "c" || got.RubricSHA != r.SHA || got.Rubric != r.Name {
			t.Errorf("the panel's result is about something else: %+v", got)
		}
		if said != tt.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tt.rule, tt.answers, said, tt.want)
		}
	}
}

// TestSamplesThatAgree: only samples that were read count, by their verdict or, without a pass, by their category.
func TestSamplesThatAgree(t *testing.T) {
	of := func(number float64, category, kind string) *sampling {
		return &sampling{reading: reply.Reading{Output: &number, Category: category, Kind: kind}}
	}
	number := 4.0
	in := &instrument{rubric: judgetest.Rubric(t, rubrics.Intent)}
	samples := []*sampling{of(4, "", ""), of(5, "", ""), of(1, "", ""), of(4, "", KindInvalidJSON), {}}
	if got := in.agreeing(&Result{Output: &number}, samples); got != 2 {
		t.Errorf("%v of five agree on a pass", got)
	}
	list := &instrument{rubric: question(t, "answer: [low, high]")}
	samples = []*sampling{of(0, "low", ""), of(1, "high", ""), of(1, "high", ""), of(1, "high", KindInvalidJSON)}
	first := 1.0
	if got := list.agreeing(&Result{Output: &first, Category: "high"}, samples); got != 2 {
		t.Errorf("%v of four agree on a category", got)
	}
}

// TestRunHoldsFew: of long conversations only as many are read ahead as there is room for, in the order of the log and
// shuffled; a judge that skips a conversation is not asked about it.
func TestRunHoldsFew(t *testing.T) {
	for name, cfg := range map[string]RunConfig{
		"in order": {MaxBytes: 250 << 10}, "shuffled": {MaxBytes: 250 << 10, ShuffleSeed: 3, Window: 16},
	} {
		var read, emitted, most atomic.Int64
		items := func(yield func(Item, error) bool) {
			for i := range 30 {
				conv := judgetest.Support(t)
				conv.ID = fmt.Sprint(i)
				conv.Messages[0].Content = strings.Repeat("long ", 20<<10)
				read.Add(1)
				skips := func(judge string) bool { return judge == "b" }
				if !yield(Item{Conversation: conv, Targets: []Target{OfCall(1)}, Skips: skips}, nil) {
					return
				}
			}
		}
		script := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
			most.Store(max(most.Load(), read.Load()-emitted.Load()))
			return judgetest.Text(judgetest.Answer("5")), nil
		}}
		a := intentJudge(t, script, func(c *Config) { c.Name = "a" })
		b := intentJudge(t, judgetest.Replies(judgetest.Answer("5")), func(c *Config) { c.Name = "b" })
		cfg.MaxPending = 1000
		err := Run(t.Context(), []*Judge{a, b}, iter.Seq2[Item, error](items), cfg, func(o *Outcome) error {
			emitted.Add(1)
			if len(o.Results) != 1 || cmp.Or(o.Results[0].Judge, "none") != "a" {
				t.Errorf("results %+v", o.Results)
			}
			return nil
		})
		if err != nil || emitted.Load() != 30 || most.Load() > 5 {
			t.Errorf("%s: %d emitted, up to %d held at a time: %v", name, emitted.Load(), most.Load(), err)
		}
	}
	if d := gocmp.Diff(256+5+64+7+64+3+2*64+64, sizeOf(&Conversation{
		Messages: []transcript.Message{{Content: "12345"}}, Calls: []transcript.Call{{RawArguments: "1234567"}},
		Tools: []transcript.Tool{{Description: "123", Parameters: judgetest.JSON(t, `{"a":1,"b":2}`)}},
	})); d != "" {
		t.Errorf("size of a conversation: %s", d)
	}
}

// hanging is an endpoint that does not answer until the request is given up.
type hanging struct{}

// Do waits for the end of the context.
func (hanging) Do(ctx context.Context, _ Request) (*Response, error) {
	<-ctx.Done()
	return nil, &llm.Error{Kind: llm.KindCanceled, Message: "given up"}
}

// TestRunIsLeft: a run whose context ends says why, whatever fails at that moment; nobody goes on waiting for room, neither
// then nor if an outcome is handed to somebody who never comes back.
func TestRunIsLeft(t *testing.T) {
	left := errors.New("the user left")
	one := func(s Completer) []*Judge { return []*Judge{intentJudge(t, s, nil)} }
	ctx, cancel := context.WithCancelCause(t.Context())
	err := Run(ctx, one(judgetest.Replies("")), func(yield func(Item, error) bool) {
		cancel(left)
		yield(Item{}, errors.New("the log ends in the middle of a line"))
	}, RunConfig{}, func(*Outcome) error { return nil })
	if err != left {
		t.Errorf("a run that was left: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(left) })
		cfg := RunConfig{MaxPending: 3}
		if err := Run(ctx, one(hanging{}), stream(t, 100), cfg, func(*Outcome) error { return nil }); err != left {
			t.Errorf("a run that waited for room: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		err := Run(t.Context(), one(judgetest.Replies(judgetest.Answer("5"))), stream(t, 100), RunConfig{MaxPending: 3},
			func(*Outcome) error {
				runtime.Goexit()
				return nil
			})
		if err == nil || err.Error() != "run: emit did not return" {
			t.Errorf("an emit that does not return: %v", err)
		}
	})
}

// TestShuffleIsBounded: no conversation waits until more than twice as many were drawn before it as wait at a time.
func TestShuffleIsBounded(t *testing.T) {
	const most = 4
	for seed := range uint64(4) {
		s := byContent(nil)
		j := intentJudge(t, s, func(c *Config) { c.Concurrency = 1 })
		items := func(yield func(Item, error) bool) {
			for item := range stream(t, 150) {
				item.Targets = []Target{OfCall(1)}
				if !yield(item, nil) {
					return
				}
			}
		}
		cfg := RunConfig{ShuffleSeed: seed + 1, Window: most}
		if err := Run(t.Context(), []*Judge{j}, items, cfg, func(*Outcome) error { return nil }); err != nil {
			t.Fatal(err)
		}
		latest, ahead := 0, 0
		for i, req := range s.Requests {
			var n int
			if _, err := fmt.Sscanf(req.Key, "c%d#", &n); err != nil || i < StopAfter && n != i {
				t.Fatalf("request %d is %s: %v", i, req.Key, err)
			}
			latest = max(latest, n)
			ahead = max(ahead, latest-n)
		}
		if ahead > 2*most || ahead < most {
			t.Errorf("seed %d: a conversation is drawn before one that is %d older", seed, ahead)
		}
	}
}

// TestRunEnds: an outcome that cannot be taken ends the run with that error, and a judge that fails everything ends it
// in good order also if nobody is told.
func TestRunEnds(t *testing.T) {
	items := func(yield func(Item, error) bool) {
		for i := range 30 {
			conv := judgetest.Support(t)
			conv.ID = fmt.Sprint(i)
			if !yield(Item{Conversation: conv, Targets: []Target{OfCall(1)}}, nil) {
				return
			}
		}
	}
	full := errors.New("the disk is full")
	j := intentJudge(t, judgetest.Replies(judgetest.Answer("5")), func(c *Config) { c.Concurrency = 1 })
	taken := 0
	err := Run(t.Context(), []*Judge{j}, iter.Seq2[Item, error](items), RunConfig{}, func(*Outcome) error {
		if taken++; taken == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || taken != 2 {
		t.Errorf("%v after %d outcomes", err, taken)
	}
	stopped := 0
	bad := intentJudge(t, judgetest.Replies("no"), func(c *Config) { c.MaxRepairs = -1 })
	err = Run(t.Context(), []*Judge{bad}, iter.Seq2[Item, error](items), RunConfig{}, func(o *Outcome) error {
		if o.Results[0].ErrorKind != KindInvalidJSON {
			stopped++
		}
		return nil
	})
	if err != nil || stopped != 10 {
		t.Errorf("%v, %d of 30 judgements are not asked for", err, stopped)
	}
}
