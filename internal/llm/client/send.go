package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

const (
	firstBackoff = 500 * time.Millisecond
	// maxBackoff limits the wait between attempts.
	maxBackoff = 30 * time.Second
	// maxRetryAfter limits the wait that a server may ask for, unless the Outage setting is longer.
	maxRetryAfter = time.Minute
	// maxTimeouts limits the total time that attempts of one request may hang, if the endpoint
	// answers other requests.
	maxTimeouts = 10 * time.Minute
)

// sending is a request with the state of its attempts.
type sending struct {
	req      *llm.Prepared
	at       *replica      // the replica of the last attempt
	reply    llm.RawReply  // the reply to the last attempt
	latency  time.Duration // the duration of the last attempt
	attempts int           // all attempts that were sent
	charged  int           // attempts that count against MaxAttempts
	hung     time.Duration // total time of attempts without a reply
	limited  time.Time     // the first refusal because of the rate
	outages  int           // the outages known at the last attempt
	refusals int           // refusals because of the server's load
	moves    int           // uncharged moves to another replica
}

// send makes all attempts and writes the outcome to the journal.
func (c *Client) send(ctx context.Context, req *llm.Prepared) (*llm.Response, error) {
	s := &sending{req: req, at: c.replicas[0], outages: c.outages()}
	for {
		res, e := c.attempt(ctx, s)
		if e == nil {
			// The slot is given back only now: if the process is killed, it loses no more answers
			// than requests may be in flight.
			defer c.leave(s.at)
			return c.done(s, res)
		}
		if e = c.retry(ctx, s, e); e != nil {
			return nil, c.failed(s, e)
		}
	}
}

// done writes an answer to the journal and returns it.
func (c *Client) done(s *sending, res *llm.Response) (*llm.Response, error) {
	res.Attempts, res.Latency, res.Fingerprint = s.attempts, s.latency, s.req.Fingerprint
	if e := c.record(s, res, nil); e != nil {
		return nil, e
	}
	return res, nil
}

// failed writes the failure of a request to the journal, unless a resumed run has to ask again.
func (c *Client) failed(s *sending, e *llm.Error) error {
	e = c.withAdvice(e, s.req.Request, s.attempts)
	switch e.Kind {
	case llm.KindCanceled, llm.KindOutage, llm.KindModel, llm.KindDeferred, llm.KindLocal:
		return e
	}
	if full := c.record(s, nil, e); full != nil {
		return full
	}
	return e
}

// attempt waits for a free slot and sends the request once. If there is an answer, the caller must
// leave the slot.
func (c *Client) attempt(ctx context.Context, s *sending) (res *llm.Response, e *llm.Error) {
	r, err := c.enter(ctx, s.req)
	if err != nil {
		return nil, endOf(ctx, err)
	}
	defer func() {
		if e != nil {
			c.leave(r)
		}
	}()
	s.at = r
	if n := c.outages(); n != s.outages { // attempts before an outage do not count
		s.outages, s.charged, s.hung, s.limited = n, 0, 0, time.Time{}
	}
	s.attempts++
	start := time.Now()
	defer func() { s.latency = time.Since(start) }()
	defer r.watchStall(s.req.Request)()
	own, cancel := c.draining(ctx)
	defer cancel()
	if n := c.cfg.InFlight; n != nil {
		n.Add(1)
		defer n.Add(-1)
	}
	reply, res, e := c.exchange(own, r, s.req, r.patience(s.hung > 0))
	s.reply = reply
	r.ended(s, start, e)
	if e == nil {
		c.pacer.correct(s.req.Request, res.Usage)
		if e = r.succeeded(res, time.Since(start)); e != nil {
			return nil, e
		}
		return res, nil
	}
	if context.Cause(ctx) != nil && (e.Kind == llm.KindTransport || e.Kind == llm.KindTimeout) {
		err := canceled(ctx)
		err.Status = e.Status
		return nil, err
	}
	if e.Kind == llm.KindTimeout {
		s.hung += time.Since(start)
	}
	r.failed(s.req.Request, e)
	return nil, e
}

// endOf returns the error of a wait that ended early: the outage's error or the context's.
func endOf(ctx context.Context, err error) *llm.Error {
	if context.Cause(ctx) != nil {
		return canceled(ctx)
	}
	return asError(err)
}

// draining returns a context in which a started attempt can go on for a while after the caller's
// context has ended.
func (c *Client) draining(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.cfg.Grace <= 0 {
		return context.WithCancel(ctx)
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if sleep(own, c.cfg.Grace) == nil {
			cancel()
		}
	})
	return own, func() { stop(); cancel() }
}

// exchange sends a request to a replica once and reads the reply, within a time limit.
func (c *Client) exchange(ctx context.Context, r *replica, p *llm.Prepared, limit time.Duration) (llm.RawReply,
	*llm.Response, *llm.Error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := r.sender.Send(ctx, p)
	if reply.Status != 0 {
		r.answered.Store(true)
		c.answered.Store(true)
	}
	if err != nil {
		e := asError(err)
		if e.Status == 0 && e.Kind == llm.KindTransport {
			c.reachable(r, e)
		}
		return reply, nil, e
	}
	res, err := llm.ParseReply(reply.Body)
	if err != nil {
		return reply, nil, asError(err)
	}
	return reply, res, nil
}

// reachable decides whether a server that gave no reply may give one later. It will not if nothing
// has ever listened there, nor at any other replica.
func (c *Client) reachable(r *replica, e *llm.Error) {
	if !e.Unreached {
		if c.answered.Load() {
			e.Retryable, e.Fatal = true, false
		}
		return
	}
	r.unreached.Store(!r.answered.Load())
	e.Fatal, e.Retryable = c.nowhere(), true
}

// retry waits until the next attempt. If there is none, it returns the error of the request.
// Trouble of the endpoint does not use up the request's attempts; after the last one the endpoint
// is asked whether it works at all.
func (c *Client) retry(ctx context.Context, s *sending, e *llm.Error) *llm.Error {
	switch {
	case e.Kind == llm.KindModel && c.others(s.at):
		return nil
	case e.Kind == llm.KindCanceled || e.Kind == llm.KindModel || e.Kind == llm.KindOutage:
		return e
	case !e.Retryable:
		return c.refused(ctx, s, e)
	}
	r := s.at
	if c.moveElsewhere(s, e) {
		return nil
	}
	wait, more := c.wait(s, e), c.charge(s, e)
	last := s.charged >= c.endpoint.MaxAttempts-1 // this attempt is made only if the endpoint is known to work
	switch {
	case more && !last:
	case r.on() && troubled(e):
		if err := r.verify(ctx, s.req.Request, e); errors.Is(err, errElsewhere) {
			return nil
		} else if err != nil {
			return endOf(ctx, err)
		}
		if more || c.outages() != s.outages {
			break
		}
		if r.countRepeat(e, s.req.Fingerprint) {
			e.Fatal, e.Hint = true, "the same for "+rowWords+"; repair the server and resume the run"
		}
		return e
	case !more:
		return e
	}
	if err := sleep(ctx, wait); err != nil {
		return canceled(ctx)
	}
	return nil
}

// moveElsewhere reports whether the next attempt goes to another replica at once, because this one is
// broken. This does not use up an attempt.
func (c *Client) moveElsewhere(s *sending, e *llm.Error) bool {
	if !c.others(s.at) || e.Status != 0 || e.Kind != llm.KindTransport || s.moves >= 2*len(c.replicas) {
		return false
	}
	s.moves++
	s.at.setAside(s.req.Request, e)
	return true
}

// wait returns the wait that the reply asks for, else a backoff.
func (c *Client) wait(s *sending, e *llm.Error) time.Duration {
	named := e.RetryAfter
	if e.Status == http.StatusOK {
		named = 0
	}
	if most := max(maxRetryAfter, c.cfg.Outage); named > most {
		if named = most; s.at.on() {
			named = 0 // this is an outage if the endpoint refuses everything else as well
		}
	}
	if named <= 0 {
		return jitter(c.cfg.FirstBackoff, s.charged+1)
	}
	s.at.limit(named)
	return named + jitter(min(named/10+1, time.Second), 1)
}

// charge counts a failed attempt and reports whether another may follow. An attempt is free if the
// server said "later" (for as long as an outage may last), or if the attempt never left this
// machine.
func (c *Client) charge(s *sending, e *llm.Error) bool {
	busy := e.Status == http.StatusServiceUnavailable && s.at.limiter.overloaded()
	if (busy || e.Kind == llm.KindRateLimited || e.Kind == llm.KindLocal) && s.at.on() {
		if s.limited.IsZero() {
			s.limited = time.Now()
		}
		return time.Since(s.limited) < c.cfg.Outage
	}
	s.charged++
	return s.charged < c.endpoint.MaxAttempts && (!s.at.on() || s.hung < maxTimeouts)
}

// refused decides whether a refusal concerns one request or all. Before the first answer it
// concerns all, unless the endpoint accepts a plain request.
func (c *Client) refused(ctx context.Context, s *sending, e *llm.Error) *llm.Error {
	r := s.at
	if !e.Fatal || e.Status == 0 || !r.on() {
		return e
	}
	if !r.worked() {
		if err := r.verify(ctx, s.req.Request, e); errors.Is(err, errElsewhere) {
			return nil
		} else if err != nil {
			return endOf(ctx, err)
		}
		if !r.worked() {
			return e
		}
	}
	if r.countRepeat(e, s.req.Fingerprint) {
		e.Message += "; the same for " + rowWords
		return e
	}
	e.Fatal, e.Hint = false, "the endpoint refused this item; others are not affected"
	return e
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

// jitter returns the wait after the n-th failure (from 1): random in (0, ceiling]. The ceiling
// starts at first and doubles up to maxBackoff.
func jitter(first time.Duration, n int) time.Duration {
	return 1 + rand.N(min(first<<min(n-1, 16), maxBackoff))
}
