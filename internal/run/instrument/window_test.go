package instrument

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
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
