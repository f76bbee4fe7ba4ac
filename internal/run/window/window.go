// Package window owns what fits a judge: the estimate of a prompt's tokens, the count
// of the items that go beyond a model's context, and the guard that keeps back those
// of them that cannot succeed.
//
// It promises that a decision depends on the prompt's bytes and on the Limit alone,
// whatever else is asked at the same time, and that its memory does not grow with the
// log. It sends nothing.
package window

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges"
)

// BytesPerToken is the rule of thumb for English and JSON, which holds until a server
// has counted.
const BytesPerToken = 3.6

// The ratios that are believed, in bytes per token: what lies outside says that the
// server counts something else than the prompt.
const (
	leastRatio = 1.0
	mostRatio  = 6.0
)

// Limit is what one judge has room for. The zero value has no limit.
type Limit struct {
	// Tokens is the model's context, 0 where it is not known; Answer is what an answer
	// may take of it.
	Tokens, Answer int
	// BytesPerToken turns bytes into tokens; 0 means the rule of thumb.
	BytesPerToken float64
}

// Ratio returns the bytes per token that the limit goes by.
func (l Limit) Ratio() float64 {
	if l.BytesPerToken > 0 {
		return l.BytesPerToken
	}
	return BytesPerToken
}

// Estimate returns about how many tokens a prompt of so many bytes has.
func (l Limit) Estimate(bytes int) int { return int(math.Ceil(float64(bytes) / l.Ratio())) }

// Over reports whether prompt and answer together go beyond the context, by estimate.
func (l Limit) Over(bytes int) bool { return l.Tokens > 0 && l.Estimate(bytes)+l.Answer > l.Tokens }

// Held reports whether the prompt alone goes beyond the context by more than a tenth:
// then it cannot succeed even if the estimate is somewhat wrong.
func (l Limit) Held(bytes int) bool { return l.Tokens > 0 && 10*l.Estimate(bytes) > 11*l.Tokens }

// Corrected returns the limit with the ratio that usage figures say: prompts of so
// many bytes in all counted as so many tokens. ok is false where the figures are not
// believable, or say what the limit says already.
func (l Limit) Corrected(bytes, tokens int64) (_ Limit, ok bool) {
	if bytes <= 0 || tokens <= 0 {
		return l, false
	}
	// Two digits: the ratio stands in messages and in run.json.
	ratio := math.Round(100*float64(bytes)/float64(tokens)) / 100
	if ratio < leastRatio || ratio > mostRatio || ratio == l.Ratio() {
		return l, false
	}
	l.BytesPerToken = ratio
	return l, true
}

// Suspicious reports whether a server's count for a prompt is that of one which was
// cut: it must not correct an estimate.
func (l Limit) Suspicious(bytes, tokens int) bool {
	return tokens < bytes/8 || l.Tokens > 0 && tokens >= l.Tokens-8
}

// PromptBytes is the text of a request's messages, in bytes.
func PromptBytes(messages []llm.Message) int {
	n := 0
	for i := range messages {
		n += len(messages[i].Content)
	}
	return n
}

// Guard is a Completer that does not send what Held says. It is safe for concurrent
// use.
type Guard struct {
	next     judges.Completer
	limit    Limit
	answered func(llm.Request) bool
	held     atomic.Int64
	narrowed atomic.Int64 // a smaller context that was found since, 0 for none
}

// NewGuard puts a guard before next. answered says of a request that its answer is
// there already, so that it costs nothing; nil knows of none.
func NewGuard(next judges.Completer, limit Limit, answered func(llm.Request) bool) *Guard {
	return &Guard{next: next, limit: limit, answered: answered}
}

// Correct replaces the limit. It must not be called while requests are made.
func (g *Guard) Correct(l Limit) { g.limit = l }

// Narrow notes, at any time, that the server now has a smaller context, and reports
// whether it is smaller than what was known.
func (g *Guard) Narrow(tokens int) bool {
	known := g.present().Tokens
	if tokens <= 0 || known == 0 || tokens >= known {
		return false
	}
	g.narrowed.Store(int64(tokens))
	return true
}

func (g *Guard) present() Limit {
	l := g.limit
	if n := int(g.narrowed.Load()); n > 0 && n < l.Tokens {
		l.Tokens = n
	}
	return l
}

// Held returns how many requests were kept back.
func (g *Guard) Held() int { return int(g.held.Load()) }

// Do implements judges.Completer. A request that is kept back fails as one that the
// server refused for its length: *llm.Error of kind overflow, after no attempt.
func (g *Guard) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	size, limit := PromptBytes(req.Messages), g.present()
	if !limit.Held(size) || g.answered != nil && g.answered(req) {
		return g.next.Do(ctx, req)
	}
	g.held.Add(1)
	return nil, &llm.Error{
		Kind: llm.KindOverflow, Model: req.Model,
		Message: fmt.Sprintf("not sent: the prompt has about %d tokens by estimate, and the context holds %d", limit.Estimate(size), limit.Tokens),
		Hint:    "raise the model's context or shorten the record",
	}
}
