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

// monitor decides when a request may be sent to a server: at most so many at once, none
// while the server refuses every request, and none during an outage. It learns from every
// reply and failure, and asks the server where it is in doubt (check.go):
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
	at       *replica
	ctx      context.Context // of checks, until the client is closed
	stop     context.CancelFunc
	gate     *gate
	answered atomic.Bool // some reply has arrived, whatever its status

	mu    sync.Mutex
	adapt *adaptive // nil for a limit that does not change
	state state
	done  chan struct{} // closed at the end of the check under way
	end   *llm.Error    // why it ended

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

func newMonitor(c *Client, at *replica) *monitor {
	m := &monitor{c: c, at: at, gate: newGate(c.endpoint.Concurrency)}
	m.ctx, m.stop = context.WithCancel(context.Background())
	if !c.endpoint.Fixed && c.cfg.Sender == nil { // a Sender of another kind queues on purpose
		m.adapt = &adaptive{most: m.gate.limit, limit: m.gate.limit, hold: 1, doubt: 1}
	}
	return m
}

func (m *monitor) on() bool { return m.c.cfg.Outage > 0 && m.at.wire != nil }

// is evaluates a condition on the state.
func (m *monitor) is(condition func() bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return condition()
}

// count returns how often the endpoint was found not to answer.
func (m *monitor) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.outages
}

// worked reports whether the endpoint has answered a request well.
func (m *monitor) worked() bool { return m.is(func() bool { return m.plain || m.goods > 0 }) }

// enter waits for a turn; each nil return must be followed by one leave. The error is
// errElsewhere where the server is down and another replica is not.
func (m *monitor) enter(ctx context.Context) error {
	for {
		if err := m.settled(ctx, down); err != nil {
			return err
		}
		if err := sleep(ctx, m.pause()); err != nil {
			return err
		}
		if err := m.gate.enter(ctx); err != nil {
			return err
		}
		if m.open() {
			return nil
		}
		m.leave() // the pause began while this attempt stood in line
	}
}

func (m *monitor) leave() { m.gate.leave() }

// ended notes the end of an attempt for the limit.
func (m *monitor) ended(s *sending, start time.Time, e *llm.Error) {
	refused := e != nil && (e.Kind == llm.KindRateLimited || e.Kind == llm.KindTimeout || e.Status == 503)
	if refused {
		s.refusals++
	}
	if m.adapt == nil || e != nil && !refused || refused && s.refusals > 1 {
		return
	}
	_, waiting, _ := m.gate.counts()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.adapt.ended(start, time.Now(), refused, waiting > 0) {
		m.gate.set(m.adapt.limit)
	}
}

// overloaded reports whether the server refuses requests for its load just now.
func (m *monitor) overloaded() bool {
	return m.is(func() bool { return m.adapt != nil && m.adapt.overloaded(time.Now()) })
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
	return m.is(func() bool { return m.state < down && time.Until(m.until) <= 0 })
}

// limit notes a refusal for the rate that names a wait. It holds back its own request
// only; where nothing else comes any more, it is meant for all.
func (m *monitor) limit(wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limited++
	if _, _, limit := m.gate.counts(); m.limited < max(3, limit/2) {
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
	state, over := m.state, m.done
	m.mu.Unlock()
	if state >= during && state < ended {
		if during == down && m.c.others(m.at) {
			return errElsewhere
		}
		if err := m.await(ctx, over); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.end != nil {
		return m.end
	}
	return nil
}

// await waits for the end of a check, or with several replicas for a while.
func (m *monitor) await(ctx context.Context, over chan struct{}) error {
	var soon <-chan time.Time
	if m.c.several() {
		soon = time.After(time.Second)
	}
	select {
	case <-over:
		return nil
	case <-soon:
		return errElsewhere
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// over reports whether no request is sent to the server any more.
func (m *monitor) over() bool { return m.is(func() bool { return m.state == ended }) }

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
	if m.on() && (m.answered.Load() || m.c.answered.Load()) && (m.failures >= suspicious || e.RetryAfter > m.c.cfg.Outage) {
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
