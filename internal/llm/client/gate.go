package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxBackoff is the largest ceiling of a wait between attempts.
const maxBackoff = 30 * time.Second

// gate lets attempts through to one endpoint: at most so many at once, so many
// a minute, none while the server takes nothing from anybody, and none during an
// outage.
type gate struct {
	slots    chan struct{}
	interval time.Duration // between attempts, 0 for none

	mu      sync.Mutex
	next    time.Time // earliest start of the next paced attempt
	limited int       // refusals for the rate since the last other reply
	until   time.Time // end of the pause
	spread  time.Duration
	down    chan struct{} // during an outage; closed at its end
	ended   error         // what ended the last outage, where not a reply
}

func newGate(concurrency int, perMinute float64) *gate {
	g := &gate{slots: make(chan struct{}, concurrency)}
	if perMinute > 0 {
		g.interval = time.Duration(float64(time.Minute) / perMinute)
	}
	return g
}

// enter waits for a turn; each nil return must be followed by one leave.
func (g *gate) enter(ctx context.Context) error {
	if err := sleep(ctx, g.turn()); err != nil {
		return err
	}
	for {
		if err := g.opened(ctx); err != nil {
			return err
		}
		if err := sleep(ctx, g.pauseLeft(true)); err != nil {
			return err
		}
		select {
		case g.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if g.pauseLeft(false) <= 0 && !g.shut() {
			return nil
		}
		g.leave() // the pause began while this attempt stood in line
	}
}

func (g *gate) leave() { <-g.slots }

// close begins an outage, open ends it; with an error no attempt is let through again.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.down == nil {
		g.down = make(chan struct{})
	}
}

func (g *gate) open(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = err
	if g.down != nil {
		close(g.down)
		g.down = nil
	}
}

func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.down != nil || g.ended != nil
}

// opened waits for the end of an outage.
func (g *gate) opened(ctx context.Context) error {
	g.mu.Lock()
	down := g.down
	g.mu.Unlock()
	if down != nil {
		select {
		case <-down:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

// turn reserves the next paced start and returns the wait until then.
func (g *gate) turn() time.Duration {
	if g.interval == 0 {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.next.Before(now) {
		g.next = now
	}
	wait := g.next.Sub(now)
	g.next = g.next.Add(g.interval)
	return wait
}

// refused and taken tell the gate what the server makes of the rate; an adaptive
// limiter would learn from the two. A refusal that names a wait holds back its own
// request only; where nothing else comes any more, it is meant for all.
func (g *gate) refused(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limited++
	if g.limited < max(3, cap(g.slots)/2) {
		return
	}
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until, g.spread = until, min(wait/10, time.Second)
	}
}

func (g *gate) taken() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limited = 0
}

// pauseLeft returns the rest of the pause, 0 or less when there is none. With
// jitter the ends are spread a little, so that the waiters do not all return in
// the same instant.
func (g *gate) pauseLeft(jitter bool) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until.IsZero() {
		return 0
	}
	left := time.Until(g.until)
	if left > 0 && jitter && g.spread > 0 {
		left += rand.N(g.spread)
	}
	return left
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// jitter draws the wait after the n-th failure, from 1: uniform in (0, ceiling], the
// ceiling doubling from first to maxBackoff.
func jitter(first time.Duration, n int) time.Duration {
	return 1 + rand.N(min(first<<min(n-1, 16), maxBackoff))
}

// retryAfter reads a Retry-After header, in seconds or as an HTTP date; 0 where there
// is none to obey. What is beyond a year is a year.
func retryAfter(header string, now time.Time) time.Duration {
	const most = 365 * 24 * time.Hour
	header = strings.TrimSpace(header)
	if s, err := strconv.ParseFloat(header, 64); err == nil || s > 0 { // 1e999 is out of range, and absurd
		if !(s > 0) {
			return 0
		}
		if s >= most.Seconds() {
			return most
		}
		return time.Duration(s * float64(time.Second))
	}
	t, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(t.Sub(now), 0), most)
}
