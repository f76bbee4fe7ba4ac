package transcript

import (
	"context"
	"io"
	"sync"
)

// batchSize is how many bytes of records one goroutine decodes at a time, window
// how many bytes may be on their way (one record more where it is larger).
const (
	batchSize = 64 << 10
	window    = 1 << 20
)

// pool decodes records in several goroutines and hands them back in their order.
type pool struct {
	ctx    context.Context
	cancel context.CancelFunc
	order  chan *batch
	// spare holds the buffers of batches that are done.
	spare   chan []byte
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
	p := &pool{ctx: ctx, cancel: cancel, order: make(chan *batch, 4*n+64), spare: make(chan []byte, 2*n)}
	p.cond = sync.NewCond(&p.mu)
	work := make(chan *batch)
	for range n {
		d := *r.decode
		go func() {
			for b := range work {
				b.decode(&d)
			}
		}()
	}
	go func() {
		defer close(p.order)
		defer close(work)
		p.produce(ctx, r, work)
	}()
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
		b := p.fill(r)
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
func (p *pool) fill(r *Reader) *batch {
	b := &batch{ready: make(chan struct{})}
	select {
	case b.buf = <-p.spare:
	default:
		b.buf = make([]byte, 0, batchSize*5/4)
	}
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

// release gives back the room and the buffer of a batch that was handed on.
func (p *pool) release(b *batch) {
	p.mu.Lock()
	p.used -= len(b.buf)
	p.mu.Unlock()
	p.cond.Broadcast()
	if cap(b.buf) <= 2*batchSize {
		select {
		case p.spare <- b.buf[:0]:
		default:
		}
	}
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
			p.release(b)
			p.current = nil
			if b.err != nil {
				p.close()
				return outcome{}, b.err
			}
		}
		if err := p.wait(); err != nil {
			return outcome{}, err
		}
	}
}

// wait takes the next batch that is ready.
func (p *pool) wait() error {
	select {
	case b, ok := <-p.order:
		if !ok {
			return p.end()
		}
		select {
		case <-b.ready:
			p.current, p.at = b, 0
			return nil
		case <-p.ctx.Done():
			return p.end()
		}
	case <-p.ctx.Done():
		return p.end()
	}
}

func (p *pool) end() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return io.EOF
}

// close tells the goroutines to stop. It does not wait: one of them may be inside
// a read that takes its time.
func (p *pool) close() {
	p.cancel()
	p.wake()
}
