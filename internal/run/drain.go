package run

import (
	"context"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// grace is how long requests in flight may take to finish after a run was stopped.
// Their answers are paid for; written down, they are not asked for again.
const grace = 10 * time.Second

// draining lets requests that are under way finish when the run is stopped, for a
// while, and starts none after that.
type draining struct {
	client *client.Client
	grace  time.Duration
}

// Do implements judges.Completer.
func (d draining) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d.grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-own.Done():
		}
	})()
	return d.client.Do(own, req)
}
