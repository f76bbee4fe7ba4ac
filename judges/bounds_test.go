package judges

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
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
	if refused != 2 || len(log) != 1 || !strings.Contains(log[0], "names a context of 6000 tokens") {
		t.Errorf("%d refusals, log %q", refused, log)
	}
	broken := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, errors.New("broken") }}
	if res := judgeOne(t, intentJudge(t, broken, nil)); res.ErrorKind != KindTransport || res.Requests != 1 {
		t.Errorf("%s after %d requests", res.ErrorKind, res.Requests)
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
			m.Correction, m.Checks = value.OfString(a), check.Findings{Grounding: "grounded " + a}
			list = append(list, m)
		}
		return list
	}
	for _, tt := range []struct {
		rule    PanelRule
		answers []string
		want    string // output, verdict, confidence, correction, grounding and flags
	}{
		{"", []string{"3", "2", "2"}, "2 pass 1 \"2\" grounded 2 []"},
		{"majority", []string{"5", "5", "2", "2"}, "2 pass 0.5 \"2\" grounded 2 [{panel_tie 1 the judges are split evenly; " +
			"the lower score counts}]"},
		{AnyNegative, []string{"5", "2", "3"}, "5 fail 0.3333 \"5\" grounded 5 []"},
		{AnyNegative, []string{"3", "2"}, "2 pass none \"2\" grounded 2 []"},
		{"", []string{"", "", "", "", "2", "2", "2"}, "none not_applicable none \"\" grounded  []"},
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
		said := fmt.Sprintf("%v %s %v %s %s %v", number(got.Output), got.Verdict, number(got.Confidence),
			got.Correction.JSON(), got.Checks.Grounding, got.Flags)
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
