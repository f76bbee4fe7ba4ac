package format

import (
	"context"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// The maximum bytes and records that one goroutine decodes at a time.
const (
	batchBytes   = 64 << 10
	batchRecords = 1024
)

// pool decodes records in several goroutines and returns them in order. About three batches per
// goroutine are in progress at a time.
type pool struct {
	ctx    context.Context
	cancel context.CancelFunc
	// order holds the batches in log order.
	order   chan *batch
	current *batch
}

// batch holds consecutive records with their results, which are complete when ready is closed.
type batch struct {
	items  []container.Record
	shared value.Value
	out    []outcome
	// err is the error after the last record.
	err   error
	ready chan struct{}
}

func newPool(r *Reader, n int) *pool {
	ctx, cancel := context.WithCancel(r.ctx)
	p := &pool{ctx: ctx, cancel: cancel, order: make(chan *batch, 2*n), current: &batch{}}
	idle := make(chan *decoder, n)
	for range n {
		d := r.decoder
		idle <- &d
	}
	go func() {
		defer close(p.order)
		defer r.free()
		for more := true; more; {
			b := r.batch()
			select {
			case p.order <- b:
			case <-ctx.Done():
				return
			}
			go b.decode(<-idle, idle)
			more = b.err == nil
		}
	}()
	return p
}

// batch reads one batch.
func (r *Reader) batch() *batch {
	b := &batch{ready: make(chan struct{})}
	for size := 0; size < batchBytes && len(b.items) < batchRecords && b.err == nil; {
		var it container.Record
		if it, b.err = r.record(); b.err == nil {
			size += len(it.Text)
			b.items = append(b.items, it)
		}
	}
	b.shared = r.records.Shared
	return b
}

func (b *batch) decode(d *decoder, idle chan<- *decoder) {
	d.shared = b.shared
	for _, it := range b.items {
		b.out = append(b.out, d.decode(it))
	}
	idle <- d
	close(b.ready)
}

// next returns the next record's outcome in the log's order.
func (p *pool) next() (outcome, error) {
	for len(p.current.out) == 0 {
		if err := p.current.err; err != nil {
			p.cancel()
			return outcome{}, err
		}
		select {
		case b, more := <-p.order:
			if !more { // the context ended before the log
				return outcome{}, p.ctx.Err()
			}
			<-b.ready
			p.current = b
		case <-p.ctx.Done():
			return outcome{}, p.ctx.Err()
		}
	}
	out := p.current.out[0]
	p.current.out = p.current.out[1:]
	return out, nil
}
