package instrument

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges"
)

// Guard is a Completer before an endpoint that may come back with a smaller context than
// the prompts were fitted to: what does not fit that is not sent. It is safe for
// concurrent use.
type Guard struct {
	next     judges.Completer
	limit    judges.Limit
	narrowed atomic.Int64 // 0 for none
}

// NewGuard puts a guard before next.
func NewGuard(next judges.Completer, limit judges.Limit) *Guard {
	return &Guard{next: next, limit: limit}
}

// Narrow notes, at any time, that the server now has a context of so many tokens, and
// reports whether that is less than what was known.
func (g *Guard) Narrow(tokens int) bool {
	known := g.limit.Tokens
	if n := int(g.narrowed.Load()); n > 0 {
		known = n
	}
	if tokens <= 0 || known == 0 || tokens >= known {
		return false
	}
	g.narrowed.Store(int64(tokens))
	return true
}

// Do implements judges.Completer. A request that is kept back fails as one that the
// server refused for its length: *llm.Error of kind overflow, after no attempt.
func (g *Guard) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	n := int(g.narrowed.Load())
	if n == 0 || g.limit.Estimate(req.Messages) <= n {
		return g.next.Do(ctx, req)
	}
	return nil, &llm.Error{
		Kind: llm.KindOverflow, Model: req.Model,
		Message: fmt.Sprintf("not sent: the prompt has about %d tokens by estimate, and the server came back with a context of %d", g.limit.Estimate(req.Messages), n),
		Hint:    "give the model its former context and resume the run",
	}
}
