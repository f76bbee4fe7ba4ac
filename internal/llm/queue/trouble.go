package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// patience is the time after which a failing call is reported.
	patience = 10 * time.Second
	// standstill is the time without a stored message after which the next stored one is reported;
	// calm is the time without a refusal after which a full store is reported again.
	standstill = 3 * time.Second
	calm       = time.Minute
)

// trouble reports once that the queue does not accept messages, and once that it does again.
type trouble struct {
	note func(string)

	mu     sync.Mutex
	said   bool
	since  time.Time // when it was reported, or when a message was stored after that
	failed time.Time // when the last call failed
}

// refused records the failure of a call that has been failing since the given time.
func (t *trouble) refused(err error, since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	before := t.failed
	t.failed = now
	switch {
	case t.said:
		return
	case full(err) && now.Sub(before) > calm:
		t.note(fmt.Sprintf("the queue's store is full (%s): waiting for room; raise the limits of the server "+
			"(max_file_store) or of its streams, or end other runs", reason(err)))
	case !full(err) && now.Sub(since) > patience:
		t.note("the queue does not answer (" + reason(err) + "): restart a server whose disk was full; trying again")
	default:
		return
	}
	t.said, t.since = true, now
}

// stored records that a message was stored.
func (t *trouble) stored() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.said {
		return
	}
	now := time.Now()
	if still := now.Sub(t.since); still > standstill {
		t.note(fmt.Sprintf("the queue takes messages again after %v; going on", still.Round(time.Second)))
		t.said = false
	}
	t.since = now
	t.said = t.said && now.Sub(t.failed) < calm
}

// full reports whether a message was refused because there is no room for it: in the server's
// store, in the account's, in the stream, or on the disk.
func full(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return false
	}
	switch api.ErrorCode {
	case 10002, 10023, 10028, 10047: // account, server, memory, storage
		return true
	case 10077: // the stream did not store it: its limits, or the disk
		return !stands(err)
	}
	return false
}

// stands reports whether a message was refused because its subject already has one.
func stands(err error) bool {
	return err != nil && strings.Contains(err.Error(), "maximum messages per subject exceeded")
}

// reason returns the server's own words, without those of the library around them.
func reason(err error) string {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Description
	}
	return err.Error()
}

// publish stores a message. It also succeeds if the subject holds the message already.
func (q *Queue) publish(ctx context.Context, subject string, data []byte) error {
	_, err := q.js.Publish(ctx, subject, data, jetstream.WithRetryAttempts(0))
	if stands(err) {
		return nil
	}
	if err == nil {
		q.trouble.stored()
	}
	return err
}

// insist calls f until it succeeds or fails for good, or ctx ends: servers restart, and full stores
// get room.
func (q *Queue) insist(ctx context.Context, f func(context.Context) error) error {
	began := time.Now()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait+time.Millisecond, 2*time.Second) {
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := f(one)
		cancel()
		if err == nil || ctx.Err() != nil || lasting(err) {
			return err
		}
		if errors.Is(err, errAgain) {
			wait = 0
			continue
		}
		q.trouble.refused(err, began)
		pause(ctx, wait)
	}
}

// errAgain says that a call that waited for room should be repeated at once.
var errAgain = errors.New("the queue had no room")

// window limits the number of requests that a run has in a queue whose store was full: to half of
// what filled the store, then slowly more. The rest is room for replies, without which no request
// ever leaves the queue.
type window struct {
	mu   sync.Mutex
	most int // 0 means no limit
	in   int
	ok   int           // answers since the limit was raised
	free chan struct{} // closed when a place may be free; nil if nobody waits
}

// enter waits a limited time for a place, and reports whether it got one.
func (w *window) enter(ctx context.Context) bool {
	over := time.After(time.Second)
	for {
		w.mu.Lock()
		if w.most == 0 || w.in < w.most {
			w.in++
			w.mu.Unlock()
			return true
		}
		if w.free == nil {
			w.free = make(chan struct{})
		}
		free := w.free
		w.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return false
		case <-over:
			return false
		}
	}
}

// bounded reports whether the window has a limit, because the store was full.
func (w *window) bounded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most > 0
}

// refused frees the place of a request that was not stored. If the store was full, it sets the
// limit to half of what is in it.
func (w *window) refused(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leaves()
	if full(err) {
		w.most, w.ok = max(1, w.in/2), 0
	}
}

// answered frees the place of a request that has ended, and raises the limit slowly.
func (w *window) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leaves()
	if w.ok++; w.most > 0 && w.ok >= w.most {
		w.most, w.ok = w.most+1, 0
	}
}

// leaves frees a place. The caller holds mu.
func (w *window) leaves() {
	if w.in--; w.free != nil {
		close(w.free)
		w.free = nil
	}
}
