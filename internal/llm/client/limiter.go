package client

import (
	"context"
	"slices"
	"sync"
	"time"
)

// limiter admits at most limit callers at a time, first come, first served.
type limiter struct {
	mu    sync.Mutex
	limit int
	adapt *adaptive // what changes the limit, nil for none
	in    int
	line  []chan struct{}
}

// enter waits for a place; each nil return must be followed by one leave.
func (l *limiter) enter(ctx context.Context) error {
	l.mu.Lock()
	if l.in < l.limit && len(l.line) == 0 {
		l.in++
		l.mu.Unlock()
		return nil
	}
	place := make(chan struct{})
	l.line = append(l.line, place)
	l.mu.Unlock()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.line, place); at >= 0 {
		l.line = slices.Delete(l.line, at, at+1)
	} else { // let in meanwhile
		l.in--
		l.admit()
	}
	return context.Cause(ctx)
}

func (l *limiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in--
	l.admit()
}

// ended notes the end of an attempt, for the limit: an answer, or a refusal for the
// server's load.
func (l *limiter) ended(start time.Time, refused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.adapt != nil && l.adapt.ended(start, time.Now(), refused, len(l.line) > 0) {
		l.limit = l.adapt.limit
		l.admit()
	}
}

// overloaded reports whether the server refuses requests for its load just now.
func (l *limiter) overloaded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.adapt != nil && l.adapt.overloaded(time.Now())
}

func (l *limiter) admit() {
	for l.in < l.limit && len(l.line) > 0 {
		close(l.line[0])
		l.line = l.line[1:]
		l.in++
	}
}

// counts returns how many callers are in, how many wait, and how many may be in.
func (l *limiter) counts() (in, waiting, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.in, len(l.line), l.limit
}

// load returns the callers that are in or wait, divided by the limit.
func (l *limiter) load() float64 {
	in, waiting, limit := l.counts()
	return float64(in+waiting) / float64(limit)
}

// Workers returns how many callers keep a client with that many slots busy: some wait for their
// next attempt, as after a 429 that names a minute.
func Workers(slots int) int { return slots + max(64, slots) }
