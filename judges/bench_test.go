package judges

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
)

// longConversation has n calls and about 1 KB of text for each.
func longConversation(t testing.TB, n int) *transcript.Conversation {
	b := judgetest.NewConversation(t, "long").
		Tool("get_order", "Shows an order", `{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}`).
		Say(transcript.User, "Please cancel order 987 and look at everything else as well.")
	for i := range n {
		b.Act("Looking at it.", fmt.Sprintf(`get_order {"order_id":%d}`, i)).
			Result(i, fmt.Sprintf(`{"order_id":%d,"lines":%q,"total":12.50}`, i, fmt.Sprintf("%0800d", i)))
	}
	return b.Conv
}

// One prompt for each call of a conversation of 20 calls, under one rubric.
func BenchmarkPrompts(b *testing.B) {
	conv := longConversation(b, 20)
	prompts := 0
	for b.Loop() {
		rec := newRecord(conv, Options{})
		for i := range conv.Calls {
			if rec.view.Show(prompt.OfCall(i), math.Inf(1), prompt.Ending{}).Text == "" {
				b.Fatal("empty")
			}
			prompts++
		}
	}
	b.ReportMetric(float64(prompts)/b.Elapsed().Seconds(), "prompts/s")
}

// The whole judgement without a network: prompt, reply, checks, result, score line.
func BenchmarkJudgement(b *testing.B) {
	conv := longConversation(b, 20)
	resp := judgetest.Text(judgetest.Answer("1"))
	j, err := New(judgetest.Constant{Response: resp}, Config{Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	items := func(yield func(Item, error) bool) {
		for b.Loop() {
			if !yield(Item{Conversation: conv}, nil) {
				return
			}
		}
	}
	if err := Run(b.Context(), []*Judge{j}, items, RunConfig{}, func(o *Outcome) error {
		for i := range o.Results {
			if o.Results[i].Score().Value == nil {
				return errors.New("no value")
			}
		}
		n += len(o.Results)
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "judgements/s")
}
