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

// state is the state of an endpoint.
type state int

const (
	working  state = iota
	checking       // it may be down and is asked; requests go on
	down           // it is asked until it answers; requests wait
	ended          // no more requests are sent
)

const (
	suspicious = 3                // failures in a row that start a check
	checks     = 5                // failed checks in a row that make an outage
	stalled    = 30 * time.Second // time without any reply that starts a check
	settledBy  = 20               // good replies that show how slow the endpoint is
	// maxInARow is the number of different requests in a row, without an answer between them, after
	// which their common refusal is taken to concern all requests.
	maxInARow = 20
	rowWords  = "20 items in a row"
)

// replica sends requests to one server of an endpoint and tracks whether the server works. It
// decides when a request may be sent: a limited number at a time, none while the server refuses
// every request, and none during an outage. It learns from every reply and failure, and asks the
// server if in doubt (check.go):
//
//	working → checking   after three failures in a row, or for a request at its last attempt
//	checking → working   the endpoint answers
//	checking → down      it has not answered five times
//	down → working       it answers again, with the same model
//	any → ended          it is another model, or Config.Outage is over
//
// With an Outage of 0 it is always working.
type replica struct {
	c       *Client
	base    string // without credentials
	sender  llm.Sender
	wire    *wire           // the sender if it is HTTP, else nil
	ctx     context.Context // ends when the client is closed; used by checks
	stop    context.CancelFunc
	limiter limiter

	answered atomic.Bool // some reply has arrived, with any status
	// unreached says that nothing has ever listened there; aside that its requests go to other
	// replicas until it works again.
	unreached, aside atomic.Bool

	mu    sync.Mutex
	state state
	done  chan struct{} // closed when the running check ends
	end   *llm.Error    // why it ended

	limited int           // refusals because of the rate since the last other reply
	until   time.Time     // when the pause that holds back all requests ends
	spread  time.Duration // over this time the starts after the pause are spread

	failures int           // since the last reply
	replies  int           // replies that show the endpoint is working
	goods    int           // replies that were answers
	plain    bool          // a plain request was accepted
	slowest  time.Duration // slowest good reply
	models   []string      // model names in good replies
	broken   bool          // a connection failed since the last good reply
	outages  int           // including moments too short for a notice

	// The latest requests in a row that ended with the same failure.
	rowKind   llm.ErrorKind
	rowStatus int
	row       map[llm.Fingerprint]bool
}

// newReplica returns a replica that sends through s.
func (c *Client) newReplica(base string, s llm.Sender) *replica {
	r := &replica{c: c, base: base, sender: s}
	r.ctx, r.stop = context.WithCancel(context.Background())
	most := c.endpoint.Concurrency
	r.limiter.limit = most
	if r.wire, _ = s.(*wire); r.wire != nil && !c.endpoint.Fixed { // other Senders queue on purpose
		r.limiter.adapt = &adaptive{most: most, limit: most, hold: 1}
	}
	return r
}

// on reports whether the replica watches for outages.
func (r *replica) on() bool { return r.c.cfg.Outage > 0 && r.wire != nil }

// is evaluates a condition under the lock.
func (r *replica) is(condition func() bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return condition()
}

// count returns how often the endpoint was found not to answer.
func (r *replica) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outages
}

// worked reports whether the endpoint has answered a request well.
func (r *replica) worked() bool { return r.is(func() bool { return r.plain || r.goods > 0 }) }

// works reports whether requests are sent to the replica.
func (r *replica) works() bool {
	return !r.aside.Load() && r.is(func() bool { return r.state < down })
}

// enter waits until a request may be sent. After each nil return the caller must call leave once.
// It returns errElsewhere if this server is down and another replica is not.
func (r *replica) enter(ctx context.Context) error {
	for {
		if err := r.awaitCheck(ctx, down); err != nil {
			return err
		}
		if err := sleep(ctx, r.pause()); err != nil {
			return err
		}
		if err := r.limiter.enter(ctx); err != nil {
			return err
		}
		if r.open() {
			return nil
		}
		r.leave() // the pause began while this attempt was waiting
	}
}

func (r *replica) leave() { r.limiter.leave() }

// ended tells the limiter about the end of an attempt. Further refusals of one request may be its
// own fault.
func (r *replica) ended(s *sending, start time.Time, e *llm.Error) {
	refused := e != nil && (e.Kind == llm.KindRateLimited || e.Kind == llm.KindTimeout || e.Kind == llm.KindLocal ||
		e.Status == 503)
	if refused {
		s.refusals++
	}
	if e == nil || s.refusals == 1 && refused {
		r.limiter.ended(start, refused)
	}
}

// pause returns how long requests still have to wait; 0 or less if there is no pause. Each caller
// gets a slightly different time, so that they do not all return at the same instant.
func (r *replica) pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := time.Until(r.until)
	if left > 0 && r.spread > 0 {
		left += rand.N(r.spread)
	}
	return left
}

// open reports whether an attempt may start now.
func (r *replica) open() bool {
	return r.is(func() bool { return r.state < down && time.Until(r.until) <= 0 })
}

// limit records a refusal because of the rate, which names a wait. The wait holds back the refused
// request; if only such refusals arrive, it holds back all requests.
func (r *replica) limit(wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limited++
	if _, _, limit := r.limiter.counts(); r.limited < max(3, limit/2) {
		return
	}
	if until := time.Now().Add(wait); until.After(r.until) {
		r.until, r.spread = until, min(wait/10, time.Second)
	}
}

// awaitCheck waits until the running check ends, if the state is the given one or worse. It returns
// the context's error, or the reason why no more requests are sent.
func (r *replica) awaitCheck(ctx context.Context, during state) error {
	r.mu.Lock()
	state, over := r.state, r.done
	r.mu.Unlock()
	if state >= during && state < ended {
		if during == down && r.c.others(r) {
			return errElsewhere
		}
		if err := r.await(ctx, over); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		return r.end
	}
	return nil
}

// await waits for the end of a check; with several replicas it waits for a limited time.
func (r *replica) await(ctx context.Context, over chan struct{}) error {
	var soon <-chan time.Time
	if r.c.several() {
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

// over reports whether no more requests are sent to the server.
func (r *replica) over() bool { return r.is(func() bool { return r.state == ended }) }

// patience returns the time limit of an attempt: the whole timeout, or, if the endpoint has shown
// how fast it is, ten times its slowest reply, but at least a minute. hung says that an attempt of
// the request has timed out before: then it gets the whole timeout.
func (r *replica) patience(hung bool) time.Duration {
	timeout := r.c.endpoint.Timeout
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on() || hung || r.goods < settledBy {
		return timeout
	}
	return min(timeout, max(time.Minute, 10*r.slowest))
}

// watchStall starts a check if an attempt hangs while no other attempt gets a reply. The returned
// function stops watching.
func (r *replica) watchStall(req *llm.Request) func() {
	if !r.on() {
		return func() {}
	}
	r.mu.Lock()
	before, after := r.replies, max(stalled, 10*r.slowest)
	known := r.slowest > 0
	r.mu.Unlock()
	timer := time.AfterFunc(after, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.replies == before {
			// A server that was never fast may just be slow: then only a dead one counts as down.
			r.doubt(req, &llm.Error{Kind: llm.KindTimeout, Message: "no reply for " + after.String()}, known)
		}
	})
	return func() { timer.Stop() }
}

// succeeded records a good reply. It fails if the server was away and now replies as another model:
// such a reply must not count.
func (r *replica) succeeded(res *llm.Response, took time.Duration) *llm.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.otherModel(res.Model); e != nil {
		r.state, r.end = ended, e
		return e
	}
	if res.Model != "" && len(r.models) < 16 && !slices.Contains(r.models, res.Model) {
		r.models = append(r.models, res.Model)
	}
	r.failures, r.limited, r.broken, r.row = 0, 0, false, nil
	r.replies++
	r.goods++
	r.slowest = max(r.slowest, took)
	return nil
}

// failed records a failed attempt. A failure on this machine says nothing about the server.
func (r *replica) failed(req *llm.Request, e *llm.Error) {
	if e.Kind == llm.KindLocal {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !troubled(e) {
		r.failures, r.limited = 0, 0
		r.replies++
		return
	}
	r.failures++
	r.broken = r.broken || e.Status == 0
	away := r.failures >= suspicious || e.RetryAfter > r.c.cfg.Outage
	if away && r.on() && (r.answered.Load() || r.c.answered.Load()) {
		r.doubt(req, e, true)
	}
}

// setAside sends the replica's requests to other replicas, until a check finds that it works.
func (r *replica) setAside(req *llm.Request, why *llm.Error) {
	if !r.on() {
		return
	}
	r.aside.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doubt(req, why, true)
}

// countRepeat records the failure of a request and reports whether too many in a row had the same one.
func (r *replica) countRepeat(e *llm.Error, item llm.Fingerprint) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.row == nil || r.rowKind != e.Kind || r.rowStatus != e.Status {
		r.rowKind, r.rowStatus, r.row = e.Kind, e.Status, map[llm.Fingerprint]bool{}
	}
	r.row[item] = true
	return len(r.row) >= maxInARow
}

// troubled reports whether a failure is about the endpoint rather than the request.
func troubled(e *llm.Error) bool {
	switch e.Kind {
	case llm.KindTransport, llm.KindTimeout, llm.KindRateLimited:
		return true
	}
	return e.Kind == llm.KindServer && e.Status != 200
}
