package client

import (
	"context"
	"net/http"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// mostTimeouts bounds the time that attempts of one request may hang in all, where
// the endpoint answers others.
const mostTimeouts = 10 * time.Minute

// sending is one request on its way, over all its attempts.
type sending struct {
	req      *llm.Prepared
	reply    llm.RawReply  // of the last attempt
	latency  time.Duration // of the last attempt
	attempts int           // all that were sent
	charged  int           // those that count against the bound
	hung     time.Duration // the time of attempts without a reply
	limited  time.Time     // of the first refusal for the rate
	outages  int           // that were known at the last attempt
}

// send performs all attempts and writes the outcome to the journal.
func (c *Client) send(ctx context.Context, req *llm.Prepared) (*llm.Response, error) {
	req.Lowered = c.lowered(req.Request)
	s := &sending{req: req, outages: c.watch.count()}
	for {
		if err := c.gate.enter(ctx); err != nil {
			return nil, c.settle(ctx, err, req.Request, s.attempts)
		}
		s.forgive(c.watch.count())
		res, e := c.attempt(ctx, s)
		c.gate.leave()
		if e == nil {
			return c.done(s, res)
		}
		wait, again, e := c.again(ctx, s, e)
		if !again {
			return nil, c.failed(ctx, s, e)
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, c.settle(ctx, err, req.Request, s.attempts)
		}
	}
}

// forgive takes back what was charged before an outage.
func (s *sending) forgive(outages int) {
	if s.outages != outages {
		s.outages, s.charged, s.hung, s.limited = outages, 0, 0, time.Time{}
	}
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, s *sending) (*llm.Response, *llm.Error) {
	s.attempts++
	start := time.Now()
	defer func() { s.latency = time.Since(start) }()
	defer c.watch.over(s.req.Request)()
	own, cancel := c.draining(ctx)
	defer cancel()
	if n := c.cfg.InFlight; n != nil {
		n.Add(1)
		defer n.Add(-1)
	}
	limit := c.watch.patience(c.endpoint.Timeout, s.hung > 0)
	reply, res, e := c.exchange(ctx, own, s.req, limit)
	s.reply = reply
	switch {
	case e == nil:
		if e = c.watch.good(res, time.Since(start)); e != nil {
			return nil, e
		}
		c.gate.taken()
		return res, nil
	case e.Kind == llm.KindTimeout:
		s.hung += time.Since(start)
	}
	if e.Kind == llm.KindCanceled {
		return nil, e
	}
	if !troubled(e) {
		c.gate.taken()
	}
	c.watch.failed(s.req.Request, e)
	return nil, e
}

// draining is a context for an attempt that was begun: it goes on for a while after
// the caller's has ended.
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

// exchange sends a request once within a time and reads the reply. caller is the
// context whose end means that nobody waits any more.
func (c *Client) exchange(caller, ctx context.Context, p *llm.Prepared, limit time.Duration) (llm.RawReply, *llm.Response, *llm.Error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := c.sender.Send(ctx, p)
	if reply.Status != 0 {
		c.answered.Store(true)
	}
	if err != nil {
		return reply, nil, c.unsent(caller, asError(err))
	}
	res, err := llm.ParseReply(reply.Body)
	if err != nil {
		return reply, nil, asError(err)
	}
	return reply, res, nil
}

// unsent says what a failed attempt means to a caller who may have gone, and on an
// endpoint that may have answered before.
func (c *Client) unsent(caller context.Context, e *llm.Error) *llm.Error {
	if context.Cause(caller) != nil && (e.Kind == llm.KindTransport || e.Kind == llm.KindTimeout) {
		gone := canceled(caller)
		gone.Status = e.Status
		return gone
	}
	if e.Status == 0 && e.Kind == llm.KindTransport {
		if c.answered.Load() {
			e.Retryable, e.Fatal = true, false // it did speak HTTP, and may do so again
		} else if e.Unreached {
			e.Fatal = true
		}
	}
	return e
}

// again decides what follows a failed attempt: another one after a wait, or the error
// with which the request ends. What is the endpoint's trouble is not charged to the
// request; when its attempts are used up, the endpoint is asked whether it works at all.
func (c *Client) again(ctx context.Context, s *sending, e *llm.Error) (time.Duration, bool, *llm.Error) {
	if e.Kind == llm.KindCanceled || e.Kind == llm.KindModel {
		return 0, false, e
	}
	if !e.Retryable {
		return 0, false, c.refused(ctx, s, e)
	}
	wait := c.wait(s, e)
	more := c.charge(s, e)
	last := s.charged >= c.endpoint.MaxAttempts-1 // it is made where the endpoint is known to work
	if more && !last || !c.watch.on() || !troubled(e) {
		return wait, more, e
	}
	if err := c.watch.ask(ctx, s.req.Request, e); err != nil {
		return 0, false, asError(err)
	}
	if more || c.watch.count() != s.outages {
		return wait, true, e // after an outage all is forgiven
	}
	if c.row.add(e, s.req.Fingerprint) {
		e.Fatal, e.Hint = true, "the same for "+rowWords+"; mend the server and resume the run"
	}
	return 0, false, e
}

// wait is what a reply names, else a backoff.
func (c *Client) wait(s *sending, e *llm.Error) time.Duration {
	named := e.RetryAfter
	if e.Status == http.StatusOK {
		named = 0
	}
	if most := max(c.cfg.MaxRetryAfter, c.cfg.Outage); named > most {
		if c.watch.on() {
			named = 0 // an outage, if the endpoint takes nothing else either
		}
		named = min(named, most)
	}
	if named <= 0 {
		return jitter(c.cfg.FirstBackoff, s.charged+1)
	}
	c.gate.refused(named)
	return named + jitter(min(named/10+1, time.Second), 1)
}

// charge counts a failed attempt and reports whether there may be another. A server
// that says "later" does not use up attempts, but for the time of an outage at most.
func (c *Client) charge(s *sending, e *llm.Error) bool {
	if e.Kind == llm.KindRateLimited && c.watch.on() {
		if s.limited.IsZero() {
			s.limited = time.Now()
		}
		return time.Since(s.limited) < c.cfg.Outage
	}
	s.charged++
	return s.charged < c.endpoint.MaxAttempts && (!c.watch.on() || s.hung < mostTimeouts)
}

// refused decides whether a refusal is meant for one item or for all. Before anything
// was answered it is meant for all, unless the endpoint takes a plain request.
func (c *Client) refused(ctx context.Context, s *sending, e *llm.Error) *llm.Error {
	if !e.Fatal || e.Status == 0 || !c.watch.on() {
		return e
	}
	if !c.worked.Load() {
		if p := c.plain(ctx, s.req.Request); p != nil && p.Fatal {
			return e
		}
		c.worked.Store(true)
	}
	if c.row.add(e, s.req.Fingerprint) {
		e.Message += "; the same for " + rowWords
		return e
	}
	e.Fatal, e.Hint = false, "the endpoint refused this item; others are not affected"
	return e
}

// plain sends one plain request where several are refused at once; the rest goes by
// its outcome.
func (c *Client) plain(ctx context.Context, req *llm.Request) *llm.Error {
	c.mu.Lock()
	first := c.plainDone == nil
	if first {
		c.plainDone = make(chan struct{})
	}
	c.mu.Unlock()
	if first {
		_, c.plainErr = c.watch.probe(c.watch.ctx, req, true)
		close(c.plainDone)
	}
	select {
	case <-c.plainDone:
		return c.plainErr
	case <-ctx.Done():
		return canceled(ctx)
	}
}

// done files an answer.
func (c *Client) done(s *sending, res *llm.Response) (*llm.Response, error) {
	res.Attempts, res.Latency, res.Fingerprint, res.Headers = s.attempts, s.latency, s.req.Fingerprint, s.reply.Headers
	res.Dropped = s.req.Lowered.Dropped
	c.worked.Store(true)
	c.row.reset()
	if e := c.record(s, res, nil); e != nil {
		return nil, c.label(e, s.req.Request)
	}
	return res, nil
}

// failed files the failure of a request, unless that is no outcome: then a resumed run
// asks again.
func (c *Client) failed(ctx context.Context, s *sending, e *llm.Error) error {
	e = c.settle(ctx, e, s.req.Request, s.attempts)
	switch e.Kind {
	case llm.KindCanceled, llm.KindOutage, llm.KindModel:
		return e
	}
	if jerr := c.record(s, nil, e); jerr != nil {
		return c.label(jerr, s.req.Request)
	}
	return e
}
