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

// state says whether an endpoint works.
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
	// mostInARow is the number of different items with the same refusal, and no answer between
	// them, from which on the refusal counts as meant for all.
	mostInARow = 20
	rowWords   = "20 items in a row"
)

// replica sends to one of the servers of an endpoint, and knows whether it works. It decides
// when a request may be sent there: a limited number at once, none while the server refuses
// every request, and none during an outage. It learns from every reply and failure, and asks
// the server if it is in doubt (check.go):
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
	base    string // base URL without credentials
	sender  llm.Sender
	wire    *wire           // the sender if that is HTTP, else nil
	ctx     context.Context // of checks, until the client is closed
	stop    context.CancelFunc
	limiter limiter

	answered atomic.Bool // some reply has arrived, whatever its status
	// unreached says that nothing has ever listened there; aside that its requests go to
	// others until it works again.
	unreached, aside atomic.Bool

	mu    sync.Mutex
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

// newReplica makes a replica that sends by s.
func (c *Client) newReplica(base string, s llm.Sender) *replica {
	r := &replica{c: c, base: base, sender: s}
	r.ctx, r.stop = context.WithCancel(context.Background())
	most := c.endpoint.Concurrency
	r.limiter.limit = most
	if r.wire, _ = s.(*wire); r.wire != nil && !c.endpoint.Fixed { // a Sender of another kind queues on purpose
		r.limiter.adapt = &adaptive{most: most, limit: most, hold: 1}
	}
	return r
}

// on reports whether outages of the server are looked for.
func (r *replica) on() bool { return r.c.cfg.Outage > 0 && r.wire != nil }

// is evaluates a condition on the state.
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

// works reports whether requests go to the replica.
func (r *replica) works() bool {
	return !r.aside.Load() && r.is(func() bool { return r.state < down })
}

// enter waits for a turn; each nil return must be followed by one leave. The error is
// errElsewhere if the server is down and another replica is not.
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
		r.leave() // the pause began while this attempt stood in line
	}
}

func (r *replica) leave() { r.limiter.leave() }

// ended notes the end of an attempt for the limit. Further refusals of one request may be
// its own fault.
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

// pause returns the rest of the pause; 0 or less if there is no pause. Its ends are spread a
// little, so that the waiters do not all return in the same instant.
func (r *replica) pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := time.Until(r.until)
	if left > 0 && r.spread > 0 {
		left += rand.N(r.spread)
	}
	return left
}

// open reports whether an attempt may be made now.
func (r *replica) open() bool {
	return r.is(func() bool { return r.state < down && time.Until(r.until) <= 0 })
}

// limit notes a refusal for the rate that names a wait. The wait holds back its own request; if
// nothing but such refusals comes any more, it holds back all.
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

// awaitCheck waits for the end of the check under way, if the state is the given one or worse. The
// error is the context's, or says why no request is sent any more.
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

// await waits for the end of a check, or with several replicas for a while.
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

// over reports whether no request is sent to the server any more.
func (r *replica) over() bool { return r.is(func() bool { return r.state == ended }) }

// patience returns the time for an attempt: the whole timeout, or, when the endpoint has
// shown how fast it is, ten times its slowest reply for all but the last tries.
func (r *replica) patience(hung bool) time.Duration {
	timeout := r.c.endpoint.Timeout
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on() || hung || r.goods < settledBy {
		return timeout
	}
	return min(timeout, max(time.Minute, 10*r.slowest))
}

// watchStall checks the endpoint when an attempt hangs and no other has a reply
// meanwhile. The returned function ends that.
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
			// A server that was never fast may just be slow: then only a dead one is down.
			r.doubt(req, &llm.Error{Kind: llm.KindTimeout, Message: "no reply for " + after.String()}, known)
		}
	})
	return func() { timer.Stop() }
}

// succeeded notes a good reply. It fails with the reply of another model than before, where
// the server went away in between: such a reply is not to be counted.
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

// failed notes an attempt that failed. One that never left this machine says nothing about
// the server.
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

// setAside sends the requests of a replica to others, until a check finds that it works.
func (r *replica) setAside(req *llm.Request, why *llm.Error) {
	if !r.on() {
		return
	}
	r.aside.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doubt(req, why, true)
}

// repeated notes the failure of an item and reports whether too many in a row had it.
func (r *replica) repeated(e *llm.Error, item llm.Fingerprint) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.row == nil || r.rowKind != e.Kind || r.rowStatus != e.Status {
		r.rowKind, r.rowStatus, r.row = e.Kind, e.Status, map[llm.Fingerprint]bool{}
	}
	r.row[item] = true
	return len(r.row) >= mostInARow
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
