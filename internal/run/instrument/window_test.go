package instrument

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// long returns a conversation of n calls, each with a question before it and a result behind it,
// that share values with others.
func long(n int) *transcript.Conversation {
	c := &transcript.Conversation{ID: "long"}
	for _, name := range []string{"track", "find", "cancel"} {
		parameters, _ := value.ParseString(`{"type":"object","properties":{"parcel":{"type":"string"},"customer":{"type":"integer"}}}`)
		c.Tools = append(c.Tools, transcript.Tool{Name: name, Description: name + " a parcel", Parameters: parameters})
	}
	for i := range n {
		arguments, _ := value.ParseString(fmt.Sprintf(`{"parcel":"P-%d","customer":%d}`, i, i%97))
		at := len(c.Messages)
		c.Messages = append(c.Messages,
			transcript.Message{Role: transcript.User, Content: fmt.Sprintf("Where is parcel P-%d of customer %d?", i, i%97), HasContent: true},
			transcript.Message{Role: transcript.Assistant, Calls: []int{i}},
			transcript.Message{Role: transcript.ToolRole, Content: fmt.Sprintf(`{"parcel":"P-%d","hub":"hub %d","seen":["gate %d","gate %d"]}`, i, i%31, i, i+1), HasContent: true})
		c.Calls = append(c.Calls, transcript.Call{
			ID: fmt.Sprint(i), Name: c.Tools[i%3].Name, Arguments: arguments, RawArguments: arguments.JSON(), Message: at + 1, Result: at + 2,
		})
	}
	return c
}

type nobody struct{}

func (nobody) Do(context.Context, judges.Request) (*judges.Response, error) {
	return nil, errors.New("nothing is sent")
}

func judgeOf(tb testing.TB, tokens int) []*judges.Judge {
	tb.Helper()
	j, err := judges.New(nobody{}, judges.Config{Model: "m", Prompt: judges.Options{Limit: judges.Limit{Tokens: tokens}}})
	if err != nil {
		tb.Fatal(err)
	}
	return []*judges.Judge{j}
}

// rubricsOf returns a judge of n rubrics.
func rubricsOf(t *testing.T, tokens, n int) []*judges.Judge {
	t.Helper()
	all, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	j, err := judges.New(nobody{}, judges.Config{Model: "m", Rubrics: all[:n], Prompt: judges.Options{Limit: judges.Limit{Tokens: tokens}}})
	if err != nil {
		t.Fatal(err)
	}
	return []*judges.Judge{j}
}

func only(c *transcript.Conversation) func(func(*transcript.Conversation, error) bool) {
	return func(yield func(*transcript.Conversation, error) bool) { yield(c, nil) }
}

// BenchmarkScan looks at the prompts of one conversation with many calls, with a window and
// without: its time should grow with their number.
func BenchmarkScan(b *testing.B) {
	for _, tokens := range []int{0, 4096, 131_072} {
		for _, n := range []int{1000, 2000, 4000} {
			b.Run(fmt.Sprintf("window=%d/calls=%d", tokens, n), func(b *testing.B) {
				c, list := long(n), judgeOf(b, tokens)
				for b.Loop() {
					if _, err := ScanWindows(b.Context(), only(c), list); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A scan ends with its context in the middle of a conversation.
func TestScanStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("a signal")
	time.AfterFunc(time.Millisecond, func() { cancel(reason) })
	started := false
	_, err := ScanWindows(ctx, func(yield func(*transcript.Conversation, error) bool) {
		c := long(300)
		for started = true; yield(c, nil); {
		}
	}, judgeOf(t, 4096))
	if !started || !errors.Is(err, reason) {
		t.Errorf("%v", err)
	}
}

// TestWindowLines: what is shortened is said with the numbers that decide it.
func TestWindowLines(t *testing.T) {
	k := WindowCheck{Judge: "m", ContextTokens: 4096, AnswerTokens: 512, BytesPerToken: 3.5, Judgements: 9, Shortened: 4, NotSent: 2,
		Rubrics: []shortenedBy{{Tools: 1, Results: 2}, {Examples: 3, Messages: 1, Results: 1}},
		First:   []tooLong{{Place: "l:1", ConversationID: "c", Item: "c:0", Rubric: "r", PromptTokens: 7000}}, LargestTokens: 8000, judge: judgeOf(t, 0)[0]}
	got := strings.Join(k.Lines(), "\n")
	for _, want := range []string{
		"judge m: 4 of 9 judgements are shortened to fit a context of 4096 tokens with 512 for the answer, at 3.50 bytes a token: " +
			"tools as signatures in 1, tool results cut in 3, examples left out in 3, messages left out in 1\n",
		"judge m: 2 of 9 judgements do not fit a context of 4096 tokens with 512 for the answer",
		"judge m: too long: l:1, conversation c, c:0, r: about 7000 tokens\n", "too long: 1 more\n", "to show everything raise the server's context to 16384 tokens",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	parts := WindowCheck{Judge: "m", ContextTokens: 4096, AnswerTokens: 512, BytesPerToken: 3.5, Judgements: 9, Segmented: 3,
		Segments: 8, NotSent: 2, LargestTokens: 8000, judge: k.judge,
		First: []tooLong{{Place: "l:2", ConversationID: "d", Rubric: "r", PromptTokens: 9000}}}
	const room = "fit a context of 4096 tokens with 512 for the answer, at 3.50 bytes a token"
	if d := cmp.Diff([]string{
		"judge m: 3 of 9 judgements do not " + room + " as a whole; each is judged in overlapping segments, 8 in all",
		"judge m: 2 of 9 judgements do not " + room + ", whatever is left out; they are not sent and end as unscored (context)",
		"judge m: too long: l:2, conversation d, r: about 9000 tokens",
		"judge m: too long: 1 more",
		"judge m: to show everything raise the server's context to 16384 tokens, or choose a model with a longer one",
	}, parts.Lines()); d != "" {
		t.Error(d)
	}
	if lines := (&WindowCheck{Judgements: 9, ContextTokens: 4096, judge: k.judge}).Lines(); lines != nil {
		t.Error(lines)
	}
	k = WindowCheck{Judge: "m", Judgements: 9, Shortened: 4, Rubrics: []shortenedBy{{Messages: 4}}, judge: k.judge}
	if lines := k.Lines(); len(lines) != 1 || !strings.HasSuffix(lines[0], "shortened to fit max_record_chars: messages left out in 4") {
		t.Errorf("shortened alone: %q", lines)
	}
}

// TestScanCounts: the first judgements that are too long are named, all are counted, and the longest prompt is kept
// with its place.
func TestScanCounts(t *testing.T) {
	one := func(words int, place int) *transcript.Conversation {
		c := long(1)
		c.Source.File, c.Source.Line = "l.jsonl", place
		c.Messages[0].Content = strings.Repeat("word ", words)
		return c
	}
	for _, tt := range []struct {
		tokens, notSent, named, largest int
		at                              string
	}{
		{4096, 4, maxNamed, 26_000, "l.jsonl:3"}, {0, 0, 0, 26_000, "l.jsonl:2"},
	} {
		checks, err := ScanWindows(t.Context(), func(yield func(*transcript.Conversation, error) bool) {
			for i, words := range []int{10, 20_000, 30, 20_000} {
				if !yield(one(words, i+1), nil) {
					return
				}
			}
		}, rubricsOf(t, tt.tokens, 2))
		if err != nil {
			t.Fatal(err)
		}
		k := checks[0]
		if k.Judgements != 8 || k.NotSent != tt.notSent || len(k.First) != tt.named || k.LargestTokens < tt.largest || k.Size.LargestPlace != tt.at {
			t.Errorf("window %d: %d judgements, %d too long of which %d are named, the longest %d; shown %+v",
				tt.tokens, k.Judgements, k.NotSent, len(k.First), k.LargestTokens, k.Size)
		}
		for i, f := range k.First {
			if want := []string{"l.jsonl:2", "l.jsonl:2", "l.jsonl:4"}[i]; f.Place != want {
				t.Errorf("too long: %s, want %s", f.Place, want)
			}
		}
	}
}

// counted is an endpoint that counts what it is asked.
type counted struct{ n int }

func (c *counted) Do(context.Context, judges.Request) (*judges.Response, error) {
	c.n++
	return &judges.Response{}, nil
}

// TestGuard: what no longer fits the smallest context that a server came back with is not sent, and fails as if the
// server had refused it; each smaller context is told once.
func TestGuard(t *testing.T) {
	var lines []string
	next := &counted{}
	g := &Guard{Judge: "m", Next: next, Limit: judges.Limit{Tokens: 8000, BytesPerToken: 1},
		Log: func(line string) { lines = append(lines, line) }}
	ask := func(tokens int) error { // a message takes eight tokens besides its text
		_, err := g.Do(t.Context(), judges.Request{Messages: []judges.Message{{Content: strings.Repeat("x", tokens-8)}}})
		return err
	}
	for _, tt := range []struct{ tokens, fits int }{
		{0, 20_000}, {-1, 20_000}, {8000, 20_000}, {9000, 20_000}, {2000, 2000}, {3000, 2000}, {2000, 2000}, {1000, 1000},
	} {
		g.Narrow(tt.tokens)
		if err := ask(tt.fits); err != nil {
			t.Errorf("back with %d: %v", tt.tokens, err)
		}
		if tt.fits == 20_000 {
			continue
		}
		e, ok := errors.AsType[*llm.Error](ask(tt.fits + 1))
		if !ok || e.Kind != llm.KindOverflow || e.Attempts != 0 || !strings.Contains(e.Message,
			fmt.Sprintf("about %d tokens by estimate, and the server came back with a context of %d", tt.fits+1, tt.fits)) {
			t.Errorf("back with %d: %+v", tt.tokens, e)
		}
	}
	const rest = " tokens instead of 8000; what does not fit is not sent"
	want := []string{"judge m: the endpoint came back with a context of 2000" + rest,
		"judge m: the endpoint came back with a context of 1000" + rest}
	if !slices.Equal(lines, want) || next.n != 8 {
		t.Errorf("%d requests, log %q", next.n, lines)
	}
}

// TestPromptSizes: sizes add up, and the first of the longest prompts is named.
func TestPromptSizes(t *testing.T) {
	s := PromptSize{Bytes: 10, Tokens: 3, ComputedTokens: 2, Largest: 7, LargestTokens: 2, LargestPlace: "a"}
	s.Add(PromptSize{Bytes: 20, Tokens: 6, ComputedTokens: 4, Largest: 7, LargestTokens: 9, LargestPlace: "b"})
	if want := (PromptSize{30, 9, 6, 7, 2, "a"}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	s.Add(PromptSize{Largest: 8, LargestTokens: 3, LargestPlace: "c"})
	if want := (PromptSize{30, 9, 6, 8, 3, "c"}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// TestUnmeasured: a window is measured if nobody names it and a prompt may be longer than the smallest that its kind
// of server has.
func TestUnmeasured(t *testing.T) {
	for _, tt := range []struct {
		profile *Profile
		own     int // the context that the user gave
		tokens  int
		want    bool
	}{
		{nil, 0, 99_999, false},
		{&Profile{Kind: llm.KindOllama}, 0, 2048, false}, {&Profile{Kind: llm.KindOllama}, 0, 2049, true},
		{&Profile{Kind: llm.KindUnknown}, 0, 4096, false}, {&Profile{Kind: llm.KindUnknown}, 0, 4097, true},
		{&Profile{Kind: llm.KindLMStudio}, 0, 4097, true}, {&Profile{Kind: llm.KindOpenAI}, 0, 99_999, false},
		{&Profile{Kind: llm.KindOllama, ContextTokens: 1}, 0, 2049, false}, {&Profile{Kind: llm.KindOllama}, 1, 2049, false},
		{&Profile{Kind: llm.KindOllama, MeasuredTokens: 1}, 0, 2049, false},
		{&Profile{Kind: llm.KindOllama, Source: profileAssumed}, 0, 2049, false},
	} {
		j := Judge{Profile: tt.profile, ContextTokens: tt.own}
		if got := j.Unmeasured(tt.tokens); got != tt.want {
			t.Errorf("%+v, %d given, %d tokens: %v", tt.profile, tt.own, tt.tokens, got)
		}
	}
	j := Judge{Profile: &Profile{ContextTokens: 4000, BytesPerToken: 3}}
	if got := j.Limit(); got != (judges.Limit{Tokens: 4000, BytesPerToken: 3}) {
		t.Errorf("%+v", got)
	}
	j.ContextTokens = 9000
	if got := j.Limit(); got != (judges.Limit{Tokens: 9000, BytesPerToken: 3}) {
		t.Errorf("the user's own: %+v", got)
	}
	for method, want := range map[judges.Method]int{judges.Parsed: 1, judges.TokenWeighted: 1, judges.SelfConsistency: 5} {
		if got := (&Judge{Config: judges.Config{Method: method}}).Requests(); got != want {
			t.Errorf("%s takes %d requests", method, got)
		}
	}
	if got := (&Judge{Config: judges.Config{Method: judges.SelfConsistency, Samples: 3}}).Requests(); got != 3 {
		t.Errorf("three samples take %d requests", got)
	}
	for _, tt := range []struct {
		config judges.Config
		want   bool
	}{
		{judges.Config{}, false}, {judges.Config{Temperature: new(0.0)}, true},
		{judges.Config{Method: judges.SelfConsistency}, true}, {judges.Config{Method: judges.TokenWeighted}, false},
		{judges.Config{Extra: []llm.Field{{Name: "temperature", Value: []byte("1")}}}, true},
		{judges.Config{Extra: []llm.Field{{Name: "top_k", Value: []byte("1")}}}, false},
	} {
		if got := (&Judge{Config: tt.config}).sampled(); got != tt.want {
			t.Errorf("%+v: the user chose the sampling: %v", tt.config, got)
		}
	}
}

// TestWindowCounts: what is left out is counted by rubric, segments by their number, and a shared prompt once.
func TestWindowCounts(t *testing.T) {
	k := WindowCheck{Rubrics: []shortenedBy{{Rubric: "a"}, {Rubric: "b"}}}
	c := &transcript.Conversation{ID: "c"}
	c.Source.File, c.Source.Line = "l", 1
	for _, f := range []judges.Fit{
		{Rubric: "a", Bytes: 10, Tokens: 4, FullTokens: 9, Computed: 3},
		{Rubric: "b", Bytes: 10, Tokens: 4, FullTokens: 20, Computed: 3, Shared: true,
			Shortened: judges.Shortened{Tools: true, Results: 2, Examples: 1, Messages: true}},
		{Rubric: "b", Bytes: 60, Tokens: 30, FullTokens: 30, Segments: 3, Shortened: judges.Shortened{Tools: true}},
		{Rubric: "a", Bytes: 90, Tokens: 50, FullTokens: 50, TooLong: true, Target: judges.OfCall(2)},
	} {
		k.add(c, &f)
	}
	want := WindowCheck{
		Judgements: 4, Shortened: 2, NotSent: 1, Segmented: 1, Segments: 3, LargestTokens: 50,
		Rubrics: []shortenedBy{{Rubric: "a", NotSent: 1},
			{Rubric: "b", Tools: 2, Results: 1, Examples: 1, Messages: 1}},
		First: []tooLong{{Place: "l:1", ConversationID: "c", Call: 2, Item: "call 2", Rubric: "a", PromptTokens: 50}},
		Size:  PromptSize{Bytes: 70, Tokens: 34, ComputedTokens: 3, Largest: 20, LargestTokens: 10, LargestPlace: "l:1"},
	}
	if !reflect.DeepEqual(k, want) {
		t.Errorf("got  %+v\nwant %+v", k, want)
	}
}
