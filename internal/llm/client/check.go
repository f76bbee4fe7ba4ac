package client

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// Notice reports an outage of an endpoint, or its end.
type Notice struct {
	Endpoint string // without credentials
	// Over says that the endpoint answers again.
	Over bool
	// Since is the time since its last answer, Next the time until it is tried again.
	Since, Next time.Duration
	// Why is the error of the last try.
	Why string
}

// maxNext limits the time between two tries during an outage.
const maxNext = 30 * time.Second

// verify waits for the outcome of a check that began after the failure. It returns an error if the
// context ends or the outage lasts too long.
func (r *replica) verify(ctx context.Context, req *llm.Request, e *llm.Error) error {
	if !r.answered.Load() && e.Fatal {
		return e // nothing has ever listened there
	}
	for range 2 {
		r.mu.Lock()
		fresh, before := r.state == working, r.outages
		r.doubt(req, e, true)
		r.mu.Unlock()
		if err := r.awaitCheck(ctx, checking); err != nil {
			return err
		}
		if fresh || r.count() != before {
			break
		}
	}
	return nil
}

// doubt starts a check unless one is running. whole says that the check must send a plain request,
// and not only read the list of models. The caller holds mu.
func (r *replica) doubt(req *llm.Request, why *llm.Error, whole bool) {
	if r.state != working {
		return
	}
	r.state, r.done = checking, make(chan struct{})
	go r.check(req, why, whole, r.goods)
}

// check tries the endpoint until it answers, or until an outage has lasted too long. A good reply
// to any request also ends the check.
func (r *replica) check(req *llm.Request, why *llm.Error, whole bool, before int) {
	var end *llm.Error
	began, missed := time.Now(), 0
	for end == nil {
		out := missed >= checks
		next := r.nextTry(missed, why, r.c.cfg.Outage-time.Since(began))
		if out {
			r.notify(Notice{Since: time.Since(began), Next: next, Why: why.Message})
		}
		if sleep(r.ctx, next) != nil {
			break
		}
		var e *llm.Error
		if e, end = r.try(req, whole || out, out, before); e == nil {
			break
		}
		switch late := time.Since(began) >= r.c.cfg.Outage; {
		case e.Kind == llm.KindLocal: // the endpoint was not asked
			if late {
				end = e
			}
		default:
			why, missed = e, missed+1
			end = cmp.Or(end, r.countMiss(missed, why, late))
		}
	}
	if end == nil && missed >= checks {
		r.notify(Notice{Over: true, Since: time.Since(began)})
	}
	if end != nil && r.c.others(r) {
		r.notify(Notice{Since: time.Since(began), Why: end.Message + "; it is not used any more"})
	}
	r.endCheck(end, missed > 0)
}

// countMiss records a try without an answer. It returns nil for another try, or the error with
// which to give up.
func (r *replica) countMiss(n int, why *llm.Error, late bool) *llm.Error {
	if n == checks {
		r.mu.Lock()
		r.state = max(r.state, down)
		r.mu.Unlock()
	}
	switch {
	case n < checks:
		return nil
	case r.c.nowhere():
		return why // nothing has ever listened at any replica
	case late && !r.c.others(r):
		return r.tooLong(why)
	}
	return nil
}

// endCheck ends a check. With an error no more requests are sent; without one the replica works
// again.
func (r *replica) endCheck(end *llm.Error, missed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end == nil {
		end = r.end // another model replied meanwhile
	}
	if r.state, r.end = working, end; end != nil {
		r.state = ended
	} else {
		r.aside.Store(false)
	}
	if r.failures = 0; missed {
		r.outages++
	}
	close(r.done)
}

// nextTry returns the wait before the next try: short until the outage is certain, then growing. It
// is at least what the server asked for, and ends with the Outage.
func (r *replica) nextTry(missed int, why *llm.Error, left time.Duration) time.Duration {
	d := 250 * time.Millisecond
	if missed >= checks {
		d = min(time.Second<<min(missed-checks, 10), maxNext)
	}
	if why.RetryAfter <= r.c.cfg.Outage {
		d = max(d, why.RetryAfter)
	}
	if left <= 0 && r.c.others(r) {
		return d
	}
	return min(d, max(left, time.Millisecond))
}

// try asks the endpoint once. e is nil if it answers; end says why no more requests may be sent.
// out says that the endpoint was down before.
func (r *replica) try(req *llm.Request, whole, out bool, before int) (e, end *llm.Error) {
	var res *llm.Response
	if r.is(func() bool { return r.goods == before }) {
		res, e = r.probe(req, whole)
		if e != nil && (out || !e.Fatal || e.Status == 0) {
			return e, lost(e)
		}
		if whole && e == nil {
			r.mu.Lock()
			r.plain = true
			r.mu.Unlock()
		}
	}
	if !out {
		return nil, nil
	}
	if res != nil {
		r.mu.Lock()
		end = r.otherModel(res.Model)
		r.mu.Unlock()
	}
	if end == nil {
		r.readWindow(req.Model)
	}
	return nil, end
}

// probe asks whether the endpoint can be reached and, if whole is set, whether it answers a plain
// request. A failure of the request itself (neither troubled nor fatal) counts as an answer.
func (r *replica) probe(req *llm.Request, whole bool) (*llm.Response, *llm.Error) {
	c := r.c
	if side := r.side(r.ctx, c.endpoint.Timeout, http.MethodGet, r.base+"/models", nil); side.Err != nil {
		return nil, side.Err
	}
	if !whole {
		return nil, nil
	}
	r.mu.Lock()
	limit := max(10*time.Second, 10*r.slowest)
	if r.slowest == 0 {
		limit = time.Minute
	}
	r.mu.Unlock()
	plain := llm.Request{
		Model: req.Model, Messages: []llm.Message{{Role: "user", Content: "Say yes."}},
		Transport: llm.PromptOnly, MaxTokens: 1, Extra: req.Extra,
	}
	p, err := plain.Prepare(c.cfg.Kind, c.cfg.PromptVersion)
	if err != nil {
		return nil, asError(err)
	}
	_, res, e := c.exchange(r.ctx, r, p, min(limit, c.endpoint.Timeout))
	if e == nil || e.Fatal || troubled(e) {
		return res, e
	}
	return nil, nil
}

// readWindow reports the context size of an endpoint that came back, if its list of models has it.
func (r *replica) readWindow(model string) {
	if r.c.cfg.Window == nil {
		return
	}
	list, err := r.c.models(r.ctx, r)
	if err != nil {
		return // it has no list of models: nothing is known, as before
	}
	for _, l := range list {
		if n := max(l.MaxModelLen, l.Meta.NCtx); n > 0 && (l.ID == model || len(list) == 1) {
			r.c.cfg.Window(n)
		}
	}
}

func (r *replica) notify(n Notice) {
	if r.c.cfg.Notice != nil {
		n.Endpoint = r.base
		r.c.cfg.Notice(n)
	}
}

// otherModel returns an error if another model replies after the endpoint was away. The caller
// holds mu.
func (r *replica) otherModel(name string) *llm.Error {
	if !r.on() || !r.broken || name == "" || len(r.models) == 0 || slices.Contains(r.models, name) {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindModel, Fatal: true,
		Message: fmt.Sprintf("the endpoint went away and came back with the model %q; before it was %q",
			llm.OneLine(name), llm.OneLine(r.models[0])),
		Hint: "start the same model again and resume the run, or begin a new run",
	}
}

// lost returns an error if the server is back without its model.
func lost(e *llm.Error) *llm.Error {
	if e.Kind != llm.KindNotFound || !strings.Contains(strings.ToLower(e.Message), "model") {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindModel, Status: e.Status, Fatal: true,
		Message: "the endpoint came back without the model: " + e.Message,
		Hint:    "load the model again and resume the run",
	}
}

func (r *replica) tooLong(why *llm.Error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindOutage, Status: why.Status, Fatal: true,
		Message: fmt.Sprintf("no answer for %s: %s", r.c.cfg.Outage, why.Message),
		Hint:    "no judgement was charged for it; --outage says how long to wait",
	}
}
