package window

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		limit      Limit
		bytes      int
		over, held bool
	}{
		{Limit{}, 1 << 40, false, false},
		{Limit{Tokens: 1000, Answer: 100, BytesPerToken: 4}, 3600, false, false},
		{Limit{Tokens: 1000, Answer: 100, BytesPerToken: 4}, 3601, true, false},
		{Limit{Tokens: 1000, Answer: 100, BytesPerToken: 4}, 4400, true, false},
		{Limit{Tokens: 1000, Answer: 100, BytesPerToken: 4}, 4401, true, true},
		{Limit{Tokens: 1000, Answer: 900}, 360, false, false},
		{Limit{Tokens: 1000, Answer: 900}, 361, true, false},
	} {
		if over, held := tt.limit.Over(tt.bytes), tt.limit.Held(tt.bytes); over != tt.over || held != tt.held {
			t.Errorf("%+v of %d bytes: over %v, held %v", tt.limit, tt.bytes, over, held)
		}
	}
}

// What is held does not fit, and a longer prompt fits no better.
func TestLimitIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		l := Limit{Tokens: 1 + rng.IntN(200_000), Answer: rng.IntN(6000), BytesPerToken: rng.Float64() * 6}
		n := rng.IntN(1 << 20)
		if l.Held(n) && !l.Over(n) || l.Held(n) && !l.Held(n+1) || l.Over(n) && !l.Over(n+1) {
			t.Fatalf("%+v at %d bytes", l, n)
		}
	}
}

func TestCorrected(t *testing.T) {
	for _, tt := range []struct {
		bytes, tokens int64
		want          float64
		ok            bool
	}{
		{10_000, 2500, 4, true}, {10_000, 3001, 3.33, true}, {3_600_000, 1_000_000, 0, false},
		{0, 10, 0, false}, {10, 0, 0, false}, {1000, 10, 0, false}, {1000, 2000, 0, false},
	} {
		got, ok := Limit{Tokens: 5000}.Corrected(tt.bytes, tt.tokens)
		if ok != tt.ok || got.BytesPerToken != tt.want || got.Tokens != 5000 {
			t.Errorf("%d bytes in %d tokens: %+v, %v", tt.bytes, tt.tokens, got, ok)
		}
	}
}

type answering int

func (a *answering) Do(context.Context, llm.Request) (*llm.Response, error) {
	*a++
	return &llm.Response{}, nil
}

// The guard keeps back what cannot fit, as an error that a judge takes for an
// overflow, and lets through what is answered already.
func TestGuard(t *testing.T) {
	var sent answering
	long := llm.Request{Model: "m", Messages: []llm.Message{{Content: strings.Repeat("x", 3000)}, {Content: strings.Repeat("x", 1401)}}}
	short := llm.Request{Model: "m", Messages: []llm.Message{{Content: strings.Repeat("x", 4400)}}}
	known := false
	g := NewGuard(&sent, Limit{Tokens: 1000, BytesPerToken: 4}, func(llm.Request) bool { return known })
	if _, err := g.Do(t.Context(), short); err != nil || sent != 1 || g.Held() != 0 {
		t.Errorf("sent %d, held %d, %v", sent, g.Held(), err)
	}
	_, err := g.Do(t.Context(), long)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverflow || e.Fatal || e.Retryable || sent != 1 || g.Held() != 1 {
		t.Errorf("sent %d, held %d, %v", sent, g.Held(), err)
	}
	known = true
	if _, err := g.Do(t.Context(), long); err != nil || sent != 2 {
		t.Errorf("sent %d, %v", sent, err)
	}
	known = false
	g.Correct(Limit{Tokens: 1000, BytesPerToken: 5})
	if _, err := g.Do(t.Context(), long); err != nil || sent != 3 {
		t.Errorf("sent %d, %v", sent, err)
	}
}

func conversations(t testing.TB, path string) iter.Seq2[*transcript.Conversation, error] {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return transcript.Open(t.Context(), path, f, transcript.Options{}).All()
}

// No record is longer than the bound that saves its rendering, whatever its text.
func TestBoundHoldsEveryRecord(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c, err := range conversations(t, "../../../fixtures/logs/support.jsonl") {
		if err != nil {
			continue
		}
		// Text that takes the most room when it is escaped.
		for i := range c.Calls {
			if i%3 == 0 {
				nasty := strings.Repeat("<\u200b\n", 300)
				c.Calls[i].RawArguments, c.Calls[i].Malformed, c.Calls[i].Arguments = nasty, true, value.OfString(nasty)
			}
		}
		for _, most := range []int{0, 1500} {
			s := newScanner(Judge{Name: "m", Limit: Limit{Tokens: 1}, Prompt: judges.Options{MaxRecordBytes: most}}, list)
			calls := judges.AllCalls(c)
			if len(calls) == 0 {
				continue
			}
			bound, err := s.bound(c, calls)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range calls {
				size, err := s.record(c, call, s.judge.Prompt)
				if err != nil {
					t.Fatal(err)
				}
				if n++; size > bound {
					t.Errorf("%s call %d: %d bytes, bound %d", c.ID, call, size, bound)
				}
			}
		}
	}
	if n < 100 {
		t.Fatalf("only %d records", n)
	}
}

// The scan counts what the prompts themselves say, each item by itself.
func TestScanCountsThePrompts(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const log = "../../../fixtures/logs/support.jsonl"
	for _, tokens := range []int{4000, 5500, 5800, 6200, 100_000} {
		judge := Judge{Name: "m", Kind: llm.KindOllama, Limit: Limit{Tokens: tokens, Answer: 1024}}
		want := Check{Judge: "m", ContextTokens: tokens, AnswerTokens: 1024, BytesPerToken: BytesPerToken}
		for c, err := range conversations(t, log) {
			if err != nil {
				continue
			}
			for _, call := range judges.AllCalls(c) {
				for _, r := range list {
					messages, err := judges.Prompt(r, c, call, judges.Options{})
					if err != nil {
						t.Fatal(err)
					}
					size := PromptBytes(messages)
					want.Judgements++
					if n := judge.Limit.Estimate(size); 2*n >= tokens {
						want.LargestTokens = max(want.LargestTokens, n)
					}
					if !judge.Limit.Over(size) {
						continue
					}
					want.Over++
					if judge.Limit.Held(size) {
						want.Held++
					}
					if len(want.First) < 3 {
						want.First = append(want.First, Item{c.Source.String(), c.ID, call, r.Name, judge.Limit.Estimate(size)})
					}
				}
			}
		}
		readable := func(yield func(*transcript.Conversation, error) bool) {
			for c, err := range conversations(t, log) {
				if err == nil && !yield(c, nil) {
					return
				}
			}
		}
		got, err := Scan(readable, []Judge{{Name: "unknown"}, judge}, list)
		if err != nil || len(got) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		if diff := cmp.Diff(want, got[0], cmpopts.IgnoreUnexported(Check{})); diff != "" {
			t.Errorf("%d tokens: %s", tokens, diff)
		}
		if said := len(got[0].Lines()) > 0; said != (want.Over > 0) {
			t.Errorf("%d tokens: said %q", tokens, got[0].Lines())
		}
	}
}

func TestScanEndsWithTheLog(t *testing.T) {
	broken := errors.New("gone")
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	failing := func(yield func(*transcript.Conversation, error) bool) { yield(nil, broken) }
	if _, err := Scan(failing, []Judge{{Limit: Limit{Tokens: 1}}}, list); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if got, err := Scan(failing, []Judge{{}}, list); got != nil || err != nil {
		t.Errorf("a scan without limits reads the log: %+v, %v", got, err)
	}
}
