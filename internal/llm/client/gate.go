package client

import (
	"context"
	"slices"
	"sync"
)

// gate lets so many in at once, in the order in which they came; how many may change.
type gate struct {
	mu    sync.Mutex
	limit int
	in    int
	line  []chan struct{}
}

func newGate(limit int) *gate { return &gate{limit: limit} }

// enter waits for a place; each nil return must be followed by one leave.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if g.in < g.limit && len(g.line) == 0 {
		g.in++
		g.mu.Unlock()
		return nil
	}
	place := make(chan struct{})
	g.line = append(g.line, place)
	g.mu.Unlock()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := slices.Index(g.line, place); at >= 0 {
		g.line = slices.Delete(g.line, at, at+1)
	} else { // let in meanwhile
		g.in--
		g.admit()
	}
	return context.Cause(ctx)
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in--
	g.admit()
}

// set changes how many may be in at once.
func (g *gate) set(limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limit = limit
	g.admit()
}

func (g *gate) admit() {
	for g.in < g.limit && len(g.line) > 0 {
		close(g.line[0])
		g.line = g.line[1:]
		g.in++
	}
}

// counts are how many are in, how many wait, and how many may be in.
func (g *gate) counts() (in, waiting, limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in, len(g.line), g.limit
}

// Workers is how many requests should be asked of a client that has so many in flight: some
// wait for their next attempt, as after a 429 that names a minute, and leave no slot idle.
func Workers(slots int) int { return slots + max(64, slots) }
