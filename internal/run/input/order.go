package input

import (
	"context"
	"iter"
	"sync"

	"github.com/judgekit/judge/internal/transcript"
)

// InOrder calls f for up to parallel conversations at a time and yields the results
// in the order of the conversations. At most twice as many are held at once. An
// error of the sequence ends it.
func InOrder[T any](
	ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], parallel int,
	f func(*transcript.Conversation) T,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		type result struct {
			value T
			err   error
		}
		jobs := make(chan func())
		slots := make(chan chan result, parallel)
		for range parallel {
			// Workers stay, and with them the stacks that validation makes grow.
			workers.Go(func() {
				for job := range jobs {
					job()
				}
			})
		}
		workers.Go(func() {
			defer close(slots)
			defer close(jobs)
			for c, err := range conversations {
				slot := make(chan result, 1)
				select {
				case slots <- slot:
				case <-ctx.Done():
					return
				}
				if err != nil {
					slot <- result{err: err}
					return
				}
				jobs <- func() { slot <- result{value: f(c)} }
			}
		})
		for slot := range slots {
			r := <-slot
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}
