package judges

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// stream yields n conversations with ids c0, c1, …, of which every seventh has no
// calls.
func stream(t testing.TB, n int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for i := range n {
			conv := judgetest.Support(t)
			conv.ID = fmt.Sprint("c", i)
			conv.Messages[0].Content += " Case " + conv.ID // equal prompts share one answer
			item := Item{Conversation: conv, Tag: i}
			if i%7 == 3 {
				item.Targets = []Target{}
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// byContent answers from the request alone, so that order cannot matter.
func byContent(delay func() time.Duration) *judgetest.Script {
	return &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
		if delay != nil {
			time.Sleep(delay())
		}
		n := 0
		for _, c := range r.Key {
			n = (n*31 + int(c)) % 5
		}
		return judgetest.Text(judgetest.Answer(number(float64(n + 1)))), nil
	}}
}

func intentRubrics(t testing.TB) []*rubrics.Rubric {
	return []*rubrics.Rubric{judgetest.Rubric(t, rubrics.Intent), judgetest.Rubric(t, rubrics.Completeness)}
}

func TestRunOrder(t *testing.T) {
	var want []string
	for _, cfg := range []struct {
		concurrency int
		run         RunConfig
	}{
		{1, RunConfig{}},
		{16, RunConfig{}},
		{16, RunConfig{ShuffleSeed: 9}},
		{16, RunConfig{ShuffleSeed: 9, MaxPending: 1}},
		{3, RunConfig{ShuffleSeed: 1, Window: 5, MaxBytes: 1}},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		s := byContent(func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return time.Duration(rng.IntN(200)) * time.Microsecond
		})
		var list []*Judge
		for _, name := range []string{"a", "b"} {
			j, err := New(s, Config{Model: "m", Name: name, Rubrics: intentRubrics(t), Concurrency: cfg.concurrency})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, j)
		}
		var got []string
		var seen []int
		var progress atomic.Int64
		cfg.run.Progress = func(*Result) { progress.Add(1) }
		err := Run(t.Context(), list, stream(t, 40), cfg.run, func(o *Outcome) error {
			seen = append(seen, o.Item.Tag.(int))
			for _, r := range o.Results {
				got = append(got, fmt.Sprintf("%s/%d/%s/%s=%v", r.ConversationID, r.CallIndex, r.Judge, r.Rubric, *r.Output))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(seen) || len(seen) != 40 {
			t.Fatalf("%+v: outcomes %v", cfg, seen)
		}
		if want == nil {
			want = got
			if len(want) != 34*3*2*2 {
				t.Fatalf("%d results", len(want))
			}
			if d := cmp.Diff([]string{"c0/0/a/function_intent_alignment", "c0/0/a/parameter_completeness_consistency", "c0/0/b/function_intent_alignment"},
				[]string{strings.Split(want[0], "=")[0], strings.Split(want[1], "=")[0], strings.Split(want[2], "=")[0]}); d != "" {
				t.Error(d)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%+v: %s", cfg, d)
		}
		if int(progress.Load()) != len(want) {
			t.Errorf("progress told of %d judgements", progress.Load())
		}
	}
}

// With one request in flight the order of requests is rubric by rubric, calls in
// time order, and the shuffle is that of the seed.
func TestRunSchedule(t *testing.T) {
	keys := func(seed uint64) []string {
		s := byContent(nil)
		j, err := New(s, Config{Model: "m", Rubrics: intentRubrics(t), Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), []*Judge{j}, stream(t, 12), RunConfig{ShuffleSeed: seed, Window: 6}, func(*Outcome) error { return nil }); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range s.Requests {
			out = append(out, r.Key)
		}
		return out
	}
	plain := keys(0)
	want := []string{
		"c0#0 function_intent_alignment", "c0#1 function_intent_alignment", "c0#2 function_intent_alignment",
		"c0#0 parameter_completeness_consistency", "c0#1 parameter_completeness_consistency", "c0#2 parameter_completeness_consistency", "c1#0 function_intent_alignment",
	}
	if d := cmp.Diff(want, plain[:7]); d != "" {
		t.Error(d)
	}
	one, again, two := keys(5), keys(5), keys(6)
	if d := cmp.Diff(one, again); d != "" {
		t.Errorf("the same seed gave another order: %s", d)
	}
	if slices.Equal(one, plain) || slices.Equal(one, two) {
		t.Error("nothing is shuffled")
	}
	slices.Sort(one)
	slices.Sort(plain)
	if d := cmp.Diff(plain, one); d != "" {
		t.Errorf("shuffling lost requests: %s", d)
	}
}

func TestRunStopsOnFatal(t *testing.T) {
	s := &judgetest.Script{}
	s.Reply = func(n int, r llm.Request) (*llm.Response, error) {
		if n >= 20 {
			return nil, &llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "key", Fatal: true, Hint: "set the key"}
		}
		return judgetest.Text(judgetest.Answer("4")), nil
	}
	j := intentJudge(t, s, func(c *Config) { c.Concurrency = 1 })
	var ids []string
	err := Run(t.Context(), []*Judge{j}, stream(t, 1000), RunConfig{}, func(o *Outcome) error {
		ids = append(ids, o.Item.Conversation.ID)
		return nil
	})
	var e *llm.Error
	if !errors.As(err, &e) || !e.Fatal || !strings.Contains(err.Error(), "set the key") {
		t.Fatalf("error %v", err)
	}
	if len(s.Requests) != 21 {
		t.Errorf("%d requests, the 21st was refused for good", len(s.Requests))
	}
	if d := cmp.Diff([]string{"c0", "c1", "c2", "c3", "c4", "c5", "c6"}, ids); d != "" {
		t.Errorf("outcomes before the stop: %s", d)
	}
}

func TestRunErrors(t *testing.T) {
	j := intentJudge(t, byContent(nil), nil)
	broken := errors.New("broken")
	err := Run(t.Context(), []*Judge{j}, stream(t, 100), RunConfig{}, func(o *Outcome) error {
		if o.Item.Tag == 5 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("emit's error came back as %v", err)
	}
	err = Run(t.Context(), []*Judge{j}, func(yield func(Item, error) bool) {
		if yield(Item{Conversation: judgetest.Support(t)}, nil) {
			yield(Item{}, broken)
		}
	}, RunConfig{}, func(*Outcome) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("the stream's error came back as %v", err)
	}
	bad := func(yield func(Item, error) bool) {
		yield(Item{Conversation: judgetest.Support(t), Targets: []Target{OfCall(9)}}, nil)
	}
	if err = Run(t.Context(), []*Judge{j}, bad, RunConfig{}, func(*Outcome) error { return nil }); err == nil || !strings.Contains(err.Error(), "call 9") {
		t.Errorf("a call that is not there: %v", err)
	}
	bad = func(yield func(Item, error) bool) {
		if yield(Item{Conversation: judgetest.Support(t)}, nil) {
			yield(Item{}, nil)
		}
	}
	err = Run(t.Context(), []*Judge{j}, bad, RunConfig{}, func(*Outcome) error { return nil })
	if err == nil || err.Error() != "run: item 1 has no conversation" {
		t.Errorf("an item without a conversation: %v", err)
	}
	if err = Run(t.Context(), nil, stream(t, 1), RunConfig{}, nil); err == nil || err.Error() != "run: no judge" {
		t.Errorf("no judge: %v", err)
	}
	if err = Run(t.Context(), []*Judge{j, j}, stream(t, 1), RunConfig{}, nil); err == nil || !strings.Contains(err.Error(), `two judges have the name "m"`) {
		t.Errorf("two judges of one name: %v", err)
	}
	err = Run(t.Context(), []*Judge{j}, stream(t, 100), RunConfig{}, func(*Outcome) error {
		runtime.Goexit()
		return nil
	})
	if err == nil || err.Error() != "run: emit did not return" {
		t.Errorf("an emit that does not return: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err = Run(ctx, []*Judge{j}, stream(t, 100000), RunConfig{}, func(*Outcome) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n > 5000 {
		t.Errorf("canceled after 10 outcomes: %v, %d outcomes", err, n)
	}
}

// TestDefaults: what a run holds if nothing is said.
func TestDefaults(t *testing.T) {
	list := []*Judge{intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Concurrency = 3 }), intentJudge(t, judgetest.Replies(""), func(c *Config) {
		c.Name, c.Concurrency = "other", 5
	})}
	for seed, window := range map[uint64]int{0: 1, 7: 32} {
		r, err := newRunner(list, RunConfig{ShuffleSeed: seed}, nil)
		if err != nil || r.cfg.Window != window || r.cfg.MaxPending != 64*8 || r.cfg.MaxBytes != 64<<20 {
			t.Errorf("%+v, %v", r.cfg, err)
		}
	}
}

// The stream is read as fast as outcomes leave, not faster.
func TestRunBoundsWhatIsPending(t *testing.T) {
	read := 0
	out := 0
	widest := 0
	s := byContent(nil)
	j := intentJudge(t, s, func(c *Config) { c.Concurrency = 4 })
	var mu sync.Mutex
	items := func(yield func(Item, error) bool) {
		for item, err := range stream(t, 400) {
			mu.Lock()
			read++
			widest = max(widest, read-out)
			mu.Unlock()
			if !yield(item, err) {
				return
			}
		}
	}
	err := Run(t.Context(), []*Judge{j}, items, RunConfig{ShuffleSeed: 3, Window: 8, MaxPending: 30}, func(*Outcome) error {
		mu.Lock()
		defer mu.Unlock()
		out++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// 30 judgements are 10 conversations of three calls; 8 are in the window, and
	// those without calls weigh nothing.
	if out != 400 || widest > 60 {
		t.Errorf("%d outcomes, at most %d conversations in memory", out, widest)
	}
}

func TestAllCalls(t *testing.T) {
	conv := judgetest.Support(t)
	conv.Calls[0].Context = true
	conv.Calls[2].Executor = "user"
	if d := cmp.Diff([]int{1}, AllCalls(conv)); d != "" {
		t.Error(d)
	}
}

// Case 13: results computed from a journal are byte-equal and send nothing.
func TestReplay(t *testing.T) {
	server := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		m := llmtest.ChatMessage{Content: "<think>hm</think>" + judgetest.Answer("7"), PromptTokens: 5000}
		if strings.Contains(c.Last(), "not accepted") || c.N%3 != 0 {
			m.Content = "```json\n" + judgetest.Answer("4") + "\n```"
		}
		return llmtest.Chat(m)
	})
	defer server.Close()
	journal, err := journal.Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	pass := func() (lines []string, cached int) {
		client, err := client.New(client.Endpoint{BaseURL: server.URL}, client.Config{PromptVersion: PromptVersion, Journal: journal})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		j := intentJudge(t, client, func(c *Config) { c.Prompt.RunKey = []byte("k") })
		err = Run(t.Context(), []*Judge{j}, stream(t, 10), RunConfig{ShuffleSeed: 4}, func(o *Outcome) error {
			for i := range o.Results {
				r := &o.Results[i]
				cached += r.Cached
				s := r.Score()
				if s.Value == nil {
					return fmt.Errorf("%s: %s", r.ErrorKind, r.ErrorDetail)
				}
				lines = append(lines, fmt.Sprintf("%+v %s %s %v", s.Flags, s.Details.JSON(), s.Correction.JSON(), *s.Value))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return lines, cached
	}
	first, cached := pass()
	requests := len(server.Calls())
	if len(first) != 27 || cached != 0 || requests <= 27 {
		t.Fatalf("%d results, %d cached, %d requests", len(first), cached, requests)
	}
	second, cached := pass()
	if d := cmp.Diff(first, second); d != "" {
		t.Error(d)
	}
	if n := len(server.Calls()); n != requests || cached != requests {
		t.Errorf("the second pass sent %d requests, %d of %d came from the journal", n-requests, cached, requests)
	}
}

// A mixed campaign of faults: every item ends scored or unscored with a kind, and
// nothing is silently wrong.
func TestFaultyAnswers(t *testing.T) {
	faults := []string{"", "no JSON", judgetest.Answer("7"), "<think>never ends", judgetest.Answer("4")[:40], "```json\n" + judgetest.Answer("4") + "\n```", `{"output":4}`, judgetest.Answer("4") + judgetest.Answer("3")}
	s := &judgetest.Script{Reply: func(n int, r llm.Request) (*llm.Response, error) {
		switch n % 11 {
		case 9:
			return nil, &llm.Error{Kind: llm.KindServer, Status: 500, Message: "x"}
		case 10:
			return &llm.Response{Content: judgetest.Answer("4"), FinishReason: "length"}, nil
		case 8:
			return judgetest.Text(judgetest.Answer("4")), nil
		}
		return judgetest.Text(faults[n%11]), nil
	}}
	j := intentJudge(t, s, func(c *Config) { c.Concurrency = 8 })
	counts := map[string]int{}
	err := Run(t.Context(), []*Judge{j}, stream(t, 200), RunConfig{}, func(o *Outcome) error {
		for i := range o.Results {
			r := &o.Results[i]
			switch {
			case r.Output != nil && r.ErrorKind == "" && (*r.Output == 4 || *r.Output == 3):
				counts["scored"]++
			case r.Output == nil && r.ErrorKind != "" && r.ErrorDetail != "" && r.Verdict == NoVerdict:
				counts[r.ErrorKind]++
			default:
				return fmt.Errorf("half a result: %+v", r)
			}
			if s := r.Score(); (s.Value == nil) != (r.ErrorKind != "") {
				return fmt.Errorf("score and result differ: %+v", s)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if counts["scored"] < 100 || counts[KindTransport] == 0 || len(counts) < 3 {
		t.Errorf("outcomes %v", counts)
	}
}

func TestScoreLine(t *testing.T) {
	conv := judgetest.Support(t)
	conv.Calls[1].ID = "t2"
	j := intentJudge(t, judgetest.Replies(judgetest.Answer("3")), nil)
	got, err := j.Call(t.Context(), conv, 1, Facts{Expected: &transcript.ExpectedCall{Name: "cancel_order", Arguments: judgetest.JSON(t, `{"order_id":987}`)}})
	if err != nil {
		t.Fatal(err)
	}
	s := got[0].Score()
	if s.ConversationID != "c1" || *s.CallIndex != 1 || s.CallID != "t2" || s.Tool != "cancel_order" || s.Name != rubrics.Intent || s.Judge != "m" || !*s.Passed || s.Label != Pass || *s.Confidence != 0.9 || s.Error != nil || s.Flags == nil {
		t.Errorf("%+v", s)
	}
	want := `{"score_method":"parsed","transport":"json_schema","fingerprint":"` + strings.Repeat("0", 64) + `","borderline":true,"low_confidence":false,"confidence_source":"verbalised","confidences":{"verbalised":0.9},"grounding":"grounded","quotes":1,"quotes_grounded":1,"correction_form":"none","escalate":true,"repairs":0,"context_truncated":false}`
	if d := cmp.Diff(want, s.Details.JSON()); d != "" {
		t.Error(d)
	}
}
