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
	adapt *adaptive // changes the limit; nil if it is fixed
	in    int
	line  []chan struct{}
}

// enter waits for a slot. After each nil return the caller must call leave once.
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
	} else { // a slot was given meanwhile
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

// ended tells the adaptive limit about the end of an attempt: an answer, or a refusal because of
// the server's load.
func (l *limiter) ended(start time.Time, refused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.adapt != nil && l.adapt.ended(start, time.Now(), refused, len(l.line) > 0) {
		l.limit = l.adapt.limit
		l.admit()
	}
}

// overloaded reports whether the server is refusing requests because of its load.
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

// counts returns how many callers have a slot, how many wait, and the limit.
func (l *limiter) counts() (in, waiting, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.in, len(l.line), l.limit
}

// load returns the callers that have a slot or wait, divided by the limit.
func (l *limiter) load() float64 {
	in, waiting, limit := l.counts()
	return float64(in+waiting) / float64(limit)
}

// Workers returns how many callers are needed to keep this many slots busy: some are waiting for
// their next attempt, for instance after a 429 that asks for a minute.
func Workers(slots int) int { return slots + max(64, slots) }
