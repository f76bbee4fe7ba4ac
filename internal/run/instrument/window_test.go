package instrument

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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
	if lines := (&WindowCheck{Judgements: 9, judge: k.judge}).Lines(); lines != nil {
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
