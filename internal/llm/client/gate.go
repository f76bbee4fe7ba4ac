package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxBackoff is the largest ceiling of a wait between attempts.
const maxBackoff = 30 * time.Second

// gate lets attempts through to one endpoint: at most so many at once, so many
// a minute, and none while the server has asked for a pause.
type gate struct {
	slots    chan struct{}
	interval time.Duration // between attempts, 0 for none

	mu     sync.Mutex
	next   time.Time // earliest start of the next paced attempt
	until  time.Time // end of the pause
	spread time.Duration
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
		if err := sleep(ctx, g.pauseLeft(true)); err != nil {
			return err
		}
		select {
		case g.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if g.pauseLeft(false) <= 0 {
			return nil
		}
		g.leave() // the pause began while this attempt stood in line
	}
}

func (g *gate) leave() { <-g.slots }

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

// pause holds every attempt back for d. Overlapping pauses do not add up.
func (g *gate) pause(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until, g.spread = until, min(d/10, time.Second)
	}
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

// jitter is a backoff.BackOff: uniform in (0, ceiling], the ceiling doubling
// from first to maxBackoff. The wait is 0 after a reply that named its
// own time, because the gate then holds everybody back.
type jitter struct {
	first time.Duration
	tries int
	named bool
}

var _ backoff.BackOff = (*jitter)(nil)

// NextBackOff returns the wait before the next attempt.
func (j *jitter) NextBackOff() time.Duration {
	ceiling := min(j.first<<min(j.tries, 16), maxBackoff)
	j.tries++
	if j.named {
		return 0
	}
	return 1 + rand.N(ceiling)
}

// Reset starts over with the smallest ceiling.
func (j *jitter) Reset() { j.tries = 0 }

// retryAfter reads a Retry-After header, in seconds or as an HTTP date, and
// caps it. ok is false when there is none to obey.
func retryAfter(header string, now time.Time, limit time.Duration) (d time.Duration, ok bool) {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0, false
	}
	if s, err := strconv.ParseFloat(header, 64); err == nil {
		if !(s >= 0) {
			return 0, false
		}
		if s >= limit.Seconds() {
			return limit, true
		}
		return time.Duration(s * float64(time.Second)), true
	}
	t, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return min(max(t.Sub(now), 0), limit), true
}
