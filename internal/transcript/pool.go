package transcript

import (
	"context"
	"io"
)

// The most bytes and records that one goroutine decodes at a time.
const (
	batchBytes   = 64 << 10
	batchRecords = 1024
)

// pool decodes records in several goroutines and returns them in their order. Some
// three batches for each goroutine are on their way at a time.
type pool struct {
	ctx    context.Context
	cancel context.CancelFunc
	// order holds the batches in the order of the log.
	order   chan *batch
	current *batch
}

// batch is some consecutive records with their results.
type batch struct {
	items []item
	out   []outcome
	// err is the error after the last record.
	err   error
	ready chan struct{}
}

func newPool(r *Reader, n int) *pool {
	ctx, cancel := context.WithCancel(r.ctx)
	p := &pool{ctx: ctx, cancel: cancel, order: make(chan *batch, 2*n), current: &batch{}}
	work := make(chan *batch)
	for range n {
		d := r.decode
		go func() {
			for b := range work {
				for _, it := range b.items {
					b.out = append(b.out, d.item(it))
				}
				close(b.ready)
			}
		}()
	}
	go func() {
		defer close(p.order)
		defer close(work)
		defer r.free()
		for {
			b := r.batch()
			if !send(ctx, p.order, b) || !send(ctx, work, b) || b.err != nil {
				return
			}
		}
	}()
	return p
}

// send reports false where ctx ended before.
func send(ctx context.Context, to chan<- *batch, b *batch) bool {
	select {
	case to <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// batch reads one batch.
func (r *Reader) batch() *batch {
	b := &batch{ready: make(chan struct{})}
	for size := 0; size < batchBytes && len(b.items) < batchRecords; {
		it, err := r.record()
		if err != nil {
			b.err = err
			break
		}
		size += len(it.text)
		b.items = append(b.items, it)
	}
	return b
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
			if !more {
				return outcome{}, p.end()
			}
			select {
			case <-b.ready:
				p.current = b
			case <-p.ctx.Done():
				return outcome{}, p.end()
			}
		case <-p.ctx.Done():
			return outcome{}, p.end()
		}
	}
	out := p.current.out[0]
	p.current.out = p.current.out[1:]
	return out, nil
}

func (p *pool) end() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return io.EOF
}
