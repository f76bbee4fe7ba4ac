package transcript

import (
	"context"
	"io"
	"sync"
)

// batchSize is how many bytes of records one goroutine decodes at a time, window
// how many bytes may be on their way (one record more where it is larger).
const (
	batchSize = 128 << 10
	window    = 8 << 20
)

// pool decodes records in several goroutines and hands them back in their order.
type pool struct {
	cancel  context.CancelFunc
	done    sync.WaitGroup
	order   chan *batch
	current *batch
	at      int
	// room holds the bytes that may still be put on their way.
	mu   sync.Mutex
	cond *sync.Cond
	used int
	shut bool
}

// batch is some records that follow one another, and what became of them.
type batch struct {
	buf   []byte
	items []item
	ends  []int
	out   []outcome
	err   error
	ready chan struct{}
}

func newPool(r *Reader, n int) *pool {
	ctx, cancel := context.WithCancel(r.ctx)
	p := &pool{cancel: cancel, order: make(chan *batch, 4*n+64)}
	p.cond = sync.NewCond(&p.mu)
	work := make(chan *batch)
	for range n {
		d := *r.decode
		p.done.Go(func() {
			for b := range work {
				b.decode(&d)
			}
		})
	}
	p.done.Go(func() {
		defer close(p.order)
		defer close(work)
		p.produce(ctx, r, work)
	})
	context.AfterFunc(ctx, p.wake)
	return p
}

// wake frees a producer that waits for room.
func (p *pool) wake() {
	p.mu.Lock()
	p.shut = true
	p.mu.Unlock()
	p.cond.Broadcast()
}

// produce cuts the log into batches until its end.
func (p *pool) produce(ctx context.Context, r *Reader, work chan<- *batch) {
	for ctx.Err() == nil {
		b := fill(r)
		if !p.reserve(len(b.buf)) {
			return
		}
		select {
		case p.order <- b:
		case <-ctx.Done():
			return
		}
		select {
		case work <- b:
		case <-ctx.Done():
			return
		}
		if b.err != nil {
			return
		}
	}
}

// fill reads one batch.
func fill(r *Reader) *batch {
	b := &batch{ready: make(chan struct{})}
	for len(b.buf) < batchSize && len(b.items) < 1024 {
		it, err := r.next()
		if err != nil {
			b.err = r.endItem(it, err)
			break
		}
		b.buf = append(b.buf, it.data...)
		b.ends = append(b.ends, len(b.buf))
		b.items = append(b.items, it)
	}
	return b
}

// reserve waits for room; false says that the pool was closed.
func (p *pool) reserve(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.used > 0 && p.used+n > window && !p.shut {
		p.cond.Wait()
	}
	p.used += n
	return !p.shut
}

func (p *pool) release(n int) {
	p.mu.Lock()
	p.used -= n
	p.mu.Unlock()
	p.cond.Broadcast()
}

func (b *batch) decode(d *decoder) {
	b.out = make([]outcome, len(b.items))
	start := 0
	for i, it := range b.items {
		it.data = b.buf[start:b.ends[i]]
		start = b.ends[i]
		b.out[i] = d.item(it)
	}
	close(b.ready)
}

// next returns the next record's outcome in the log's order.
func (p *pool) next() (outcome, error) {
	for {
		if b := p.current; b != nil {
			if p.at < len(b.out) {
				out := b.out[p.at]
				b.out[p.at] = outcome{}
				p.at++
				return out, nil
			}
			p.release(len(b.buf))
			p.current = nil
			if b.err != nil {
				p.close()
				return outcome{}, b.err
			}
		}
		b, ok := <-p.order
		if !ok {
			return outcome{}, io.EOF
		}
		<-b.ready
		p.current, p.at = b, 0
	}
}

// close stops the goroutines and waits for them.
func (p *pool) close() {
	p.cancel()
	p.wake()
	p.done.Wait()
}
