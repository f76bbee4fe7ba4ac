package client

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// state is what is known of an endpoint.
type state int

const (
	working  state = iota
	checking       // it is in doubt, and asked; requests go on
	down           // it is asked until it answers; requests wait
	ended          // no request is sent any more
)

const (
	suspicious = 3                // failures in a row that cause a check
	checks     = 5                // failed checks in a row that are an outage
	stalled    = 30 * time.Second // without any reply, that causes a check
	settledBy  = 20               // good replies that show how slow the endpoint is
	// mostInARow is how many different items may get the same refusal, with no answer
	// between them, before it counts as meant for all.
	mostInARow = 20
	rowWords   = "20 items in a row"
)

// monitor decides when a request may be sent to an endpoint: at most so many at once, so
// many a minute, none while the server refuses every request, and none during an
// outage. It learns from every reply and failure, and asks the endpoint where it is in
// doubt (check.go):
//
//	working → checking   after three failures in a row, or for a request at its last attempt
//	checking → working   the endpoint answers
//	checking → down      it has not answered five times
//	down → working       it answers again, with the same model
//	any → ended          it is another model, or Config.Outage is over
//
// With an Outage of 0 it is always working.
type monitor struct {
	c        *Client
	ctx      context.Context // of checks, until the client is closed
	stop     context.CancelFunc
	slots    chan struct{}
	interval time.Duration // between attempts, 0 for none
	answered atomic.Bool   // some reply has arrived, whatever its status

	mu    sync.Mutex
	state state
	over  chan struct{} // closed at the end of the check under way
	end   *llm.Error    // why it ended

	next    time.Time     // earliest start of the next paced attempt
	limited int           // refusals for the rate since the last other reply
	until   time.Time     // end of a pause that is meant for all
	spread  time.Duration // of the starts after it

	failures int           // since the last reply
	replies  int           // that show the endpoint at work
	goods    int           // those that were answers
	plain    bool          // a plain request was not refused
	slowest  time.Duration // of the good replies
	models   []string      // that good replies named
	broken   bool          // a connection failed since the last good reply
	outages  int           // and moments too short for a notice

	// The items in a row that ended with the same failure.
	rowKind   llm.ErrorKind
	rowStatus int
	row       map[llm.Fingerprint]bool
}

func newMonitor(c *Client) *monitor {
	m := &monitor{c: c, slots: make(chan struct{}, c.endpoint.Concurrency)}
	m.ctx, m.stop = context.WithCancel(context.Background())
	if rate := c.endpoint.RequestsPerMinute; rate > 0 {
		m.interval = time.Duration(float64(time.Minute) / rate)
	}
	return m
}

func (m *monitor) on() bool { return m.c.cfg.Outage > 0 }

// count returns how often the endpoint was found not to answer.
func (m *monitor) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.outages
}

// worked reports whether the endpoint has answered a request well.
func (m *monitor) worked() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.plain || m.goods > 0
}

// enter waits for a turn; each nil return must be followed by one leave.
func (m *monitor) enter(ctx context.Context) error {
	if err := sleep(ctx, m.turn()); err != nil {
		return err
	}
	for {
		if err := m.settled(ctx, down); err != nil {
			return err
		}
		if err := sleep(ctx, m.pause()); err != nil {
			return err
		}
		select {
		case m.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if m.open() {
			return nil
		}
		m.leave() // the pause began while this attempt stood in line
	}
}

func (m *monitor) leave() { <-m.slots }

// turn reserves the next paced start and returns the wait until then.
func (m *monitor) turn() time.Duration {
	if m.interval == 0 {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if m.next.Before(now) {
		m.next = now
	}
	wait := m.next.Sub(now)
	m.next = m.next.Add(m.interval)
	return wait
}

// pause returns the rest of the pause, 0 or less when there is none. Its ends are spread
// a little, so that the waiters do not all return in the same instant.
func (m *monitor) pause() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := time.Until(m.until)
	if left > 0 && m.spread > 0 {
		left += rand.N(m.spread)
	}
	return left
}

// open reports whether an attempt may be made now.
func (m *monitor) open() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state < down && time.Until(m.until) <= 0
}

// limit notes a refusal for the rate that names a wait. It holds back its own request
// only; where nothing else comes any more, it is meant for all.
func (m *monitor) limit(wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limited++
	if m.limited < max(3, cap(m.slots)/2) {
		return
	}
	if until := time.Now().Add(wait); until.After(m.until) {
		m.until, m.spread = until, min(wait/10, time.Second)
	}
}

// settled waits for the end of the check under way, where the state is the given one or
// worse. The error is that of the context, or why no request is sent any more.
func (m *monitor) settled(ctx context.Context, during state) error {
	m.mu.Lock()
	state, over := m.state, m.over
	m.mu.Unlock()
	if state >= during && state < ended {
		select {
		case <-over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.end != nil {
		return m.end
	}
	return nil
}

// patience is the time for an attempt: the whole timeout, or, when the endpoint has
// shown how fast it is, ten times its slowest reply for all but the last tries.
func (m *monitor) patience(hung bool) time.Duration {
	timeout := m.c.endpoint.Timeout
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on() || hung || m.goods < settledBy {
		return timeout
	}
	return min(timeout, max(time.Minute, 10*m.slowest))
}

// watchStall checks the endpoint when an attempt hangs and no other has a reply
// meanwhile. The returned function ends that.
func (m *monitor) watchStall(req *llm.Request) func() {
	if !m.on() {
		return func() {}
	}
	m.mu.Lock()
	before, after := m.replies, max(stalled, 10*m.slowest)
	known := m.slowest > 0
	m.mu.Unlock()
	timer := time.AfterFunc(after, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.replies == before {
			// A server that was never fast may just be slow: then only a dead one is down.
			m.doubt(req, &llm.Error{Kind: llm.KindTimeout, Message: "no reply for " + after.String()}, known)
		}
	})
	return func() { timer.Stop() }
}

// succeeded notes a good reply. It fails with the reply of another model than before, where
// the server went away in between: such a reply is not to be counted.
func (m *monitor) succeeded(res *llm.Response, took time.Duration) *llm.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.otherModel(res.Model); e != nil {
		m.state, m.end = ended, e
		return e
	}
	if res.Model != "" && len(m.models) < 16 && !slices.Contains(m.models, res.Model) {
		m.models = append(m.models, res.Model)
	}
	m.failures, m.limited, m.broken, m.row = 0, 0, false, nil
	m.replies++
	m.goods++
	m.slowest = max(m.slowest, took)
	return nil
}

// failed notes an attempt that failed.
func (m *monitor) failed(req *llm.Request, e *llm.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !troubled(e) {
		m.failures, m.limited = 0, 0
		m.replies++
		return
	}
	m.failures++
	m.broken = m.broken || e.Status == 0
	if m.on() && m.answered.Load() && (m.failures >= suspicious || e.RetryAfter > m.c.cfg.Outage) {
		m.doubt(req, e, true)
	}
}

// repeated notes the failure of an item and reports whether too many in a row had it.
func (m *monitor) repeated(e *llm.Error, item llm.Fingerprint) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.row == nil || m.rowKind != e.Kind || m.rowStatus != e.Status {
		m.rowKind, m.rowStatus, m.row = e.Kind, e.Status, map[llm.Fingerprint]bool{}
	}
	m.row[item] = true
	return len(m.row) >= mostInARow
}

// troubled reports whether a failure says something about the endpoint, and not about
// the request.
func troubled(e *llm.Error) bool {
	switch e.Kind {
	case llm.KindTransport, llm.KindTimeout, llm.KindRateLimited:
		return true
	}
	return e.Kind == llm.KindServer && e.Status != 200
}
