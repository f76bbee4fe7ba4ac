package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// Notice is news about an endpoint that does not answer.
type Notice struct {
	Endpoint string // base URL without credentials
	// Over says that it answers again.
	Over bool
	// Since is how long it has not answered, Next the time until it is tried again.
	Since, Next time.Duration
	// Why is what the last try met.
	Why string
}

const (
	suspicious = 3                // failures in a row that are worth a check
	checks     = 5                // failed checks in a row that are an outage
	stalled    = 30 * time.Second // without any reply, the same
	mostNext   = 30 * time.Second // between two tries
	settledBy  = 20               // good replies that say how slow the endpoint is
)

// watch knows whether an endpoint works. It asks where that is in doubt, and shuts the
// gate until the endpoint answers again or the time for an outage is over. With an
// Outage of 0 it only listens.
type watch struct {
	c    *Client
	ctx  context.Context // of checks, until the client is closed
	stop context.CancelFunc

	mu      sync.Mutex
	row     int           // failures since the last reply
	replies int           // that show the endpoint at work
	outages int           // and moments too short to be told of
	running chan struct{} // closed at the end of the check under way
	goods   int
	slowest time.Duration // of the good replies
	models  []string      // that good replies named
	broken  bool          // a connection failed since the last good reply
}

// troubled reports whether a failure says something about the endpoint, and not about
// the request.
func troubled(e *llm.Error) bool {
	switch e.Kind {
	case llm.KindTransport, llm.KindTimeout, llm.KindRateLimited:
		return true
	}
	return e.Kind == llm.KindServer && e.Status != http.StatusOK
}

func (w *watch) on() bool { return w.c.cfg.Outage > 0 }

func newWatch(c *Client) *watch {
	w := &watch{c: c}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

// count returns how often the endpoint was found not to answer.
func (w *watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outages
}

// patience is the time for an attempt: the whole timeout, or, when the endpoint has
// shown how fast it is, ten times its slowest reply for all but the last tries.
func (w *watch) patience(timeout time.Duration, hung bool) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.on() || hung || w.goods < settledBy {
		return timeout
	}
	return min(timeout, max(time.Minute, 10*w.slowest))
}

// over checks the endpoint when an attempt hangs and no other has a reply meanwhile.
// The returned function ends that.
func (w *watch) over(req *llm.Request) func() {
	if !w.on() {
		return func() {}
	}
	w.mu.Lock()
	before, after := w.replies, max(stalled, 10*w.slowest)
	known := w.slowest > 0
	w.mu.Unlock()
	timer := time.AfterFunc(after, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.replies == before {
			// A server that was never fast may just be slow: then only a dead one is.
			w.start(req, &llm.Error{Kind: llm.KindTimeout, Message: "no reply for " + after.String()}, known)
		}
	})
	return func() { timer.Stop() }
}

// good notes a good reply. It fails with the reply of another model than before, where
// the server went away in between: such a reply is not to be counted.
func (w *watch) good(res *llm.Response, took time.Duration) *llm.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.otherModel(res.Model); e != nil {
		w.c.gate.open(e)
		return e
	}
	if res.Model != "" && len(w.models) < 16 && !slices.Contains(w.models, res.Model) {
		w.models = append(w.models, res.Model)
	}
	w.row, w.broken = 0, false
	w.replies++
	w.goods++
	w.slowest = max(w.slowest, took)
	return nil
}

func (w *watch) otherModel(name string) *llm.Error {
	if !w.on() || !w.broken || name == "" || len(w.models) == 0 || slices.Contains(w.models, name) {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindModel, Fatal: true,
		Message: fmt.Sprintf("the endpoint went away and came back with the model %q; before it was %q", llm.OneLine(name), llm.OneLine(w.models[0])),
		Hint:    "start the same model again and resume the run, or begin a new run",
	}
}

// failed notes an attempt that failed.
func (w *watch) failed(req *llm.Request, e *llm.Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !troubled(e) {
		w.row = 0
		w.replies++
		return
	}
	w.row++
	w.broken = w.broken || e.Status == 0
	if w.on() && w.c.answered.Load() && (w.row >= suspicious || e.RetryAfter > w.c.cfg.Outage) {
		w.start(req, e, true)
	}
}

// ask waits for what a check finds out. The error is the end of the context or that of
// an outage that lasted too long.
func (w *watch) ask(ctx context.Context, req *llm.Request, e *llm.Error) error {
	if !w.c.answered.Load() && e.Fatal {
		return e // nothing has ever listened there
	}
	for again := false; ; again = true {
		w.mu.Lock()
		earlier, before := w.running != nil, w.outages
		w.start(req, e, true)
		running := w.running
		w.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return canceled(ctx)
		}
		// What a check goes by that was under way may be older than the failure.
		if again || !earlier || w.count() != before {
			return w.c.gate.opened(ctx)
		}
	}
}

// start begins a check unless one is under way. The caller holds mu.
func (w *watch) start(req *llm.Request, why *llm.Error, whole bool) {
	if w.running != nil {
		return
	}
	w.running = make(chan struct{})
	go w.check(req, why, whole, w.replies)
}

// check asks the endpoint until it answers, or until an outage has lasted too long. A
// reply to any request ends it too.
func (w *watch) check(req *llm.Request, why *llm.Error, whole bool, before int) {
	began, out, missed := time.Now(), false, false
	var end *llm.Error
	for n := 1; end == nil; n++ {
		next := w.next(n, why, w.c.cfg.Outage-time.Since(began), out)
		if out {
			w.tell(Notice{Since: time.Since(began), Next: next, Why: why.Message})
		}
		if sleep(w.ctx, next) != nil {
			break
		}
		if w.answeredSince(before) {
			end = w.back(req, nil, out)
			break
		}
		res, e := w.probe(w.ctx, req, whole || out)
		if e == nil || e.Fatal && e.Status != 0 && !out {
			end = w.back(req, res, out)
			break
		}
		missed = true
		if why, end = e, w.lost(e); n == checks {
			out = true
			w.c.gate.close()
		}
		if out && end == nil && time.Since(began) >= w.c.cfg.Outage {
			end = w.tooLong(why)
		}
	}
	w.finish(end, out, missed, time.Since(began))
}

// next is the wait before the n-th try: short until the outage is certain, then
// growing, and not before the time that the server named.
func (w *watch) next(n int, why *llm.Error, left time.Duration, out bool) time.Duration {
	d := 250 * time.Millisecond
	if out {
		d = min(time.Second<<min(n-checks-1, 10), mostNext)
	}
	if named := why.RetryAfter; named <= w.c.cfg.Outage {
		d = max(d, named)
	}
	return min(d, max(left, time.Millisecond))
}

// finish opens the gate again, for good or with the error that ends the run.
func (w *watch) finish(end *llm.Error, out, missed bool, since time.Duration) {
	if end != nil {
		w.c.gate.open(end)
	} else if out {
		w.c.gate.open(nil)
	}
	w.mu.Lock()
	if out || missed {
		w.outages++
	}
	w.row = 0
	running := w.running
	w.running = nil
	w.mu.Unlock()
	if out && end == nil {
		w.tell(Notice{Over: true, Since: since})
	}
	close(running)
}

func (w *watch) tell(n Notice) {
	if w.c.cfg.Notice != nil {
		n.Endpoint = w.c.base
		n.Why = w.c.wire.redact.text(n.Why)
		w.c.cfg.Notice(n)
	}
}

func (w *watch) answeredSince(before int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.replies != before
}

// lost recognises a server that is back without its model.
func (w *watch) lost(e *llm.Error) *llm.Error {
	if e.Kind != llm.KindNotFound || !strings.Contains(strings.ToLower(e.Message), "model") {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindModel, Status: e.Status, Fatal: true, Message: "the endpoint came back without the model: " + e.Message,
		Hint: "load the model again and resume the run",
	}
}

func (w *watch) tooLong(why *llm.Error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindOutage, Status: why.Status, Fatal: true,
		Message: fmt.Sprintf("no answer for %s: %s", w.c.cfg.Outage, why.Message),
		Hint:    "no judgement was charged for it; --outage says how long to wait",
	}
}

// back looks at an endpoint that answers again after an outage: is it the same model,
// and does it still have the window?
func (w *watch) back(req *llm.Request, res *llm.Response, out bool) *llm.Error {
	if !out {
		return nil
	}
	if res != nil {
		w.mu.Lock()
		e := w.otherModel(res.Model)
		w.mu.Unlock()
		if e != nil {
			return e
		}
	}
	if w.c.cfg.Window == nil {
		return nil
	}
	list, err := w.c.Models(w.ctx)
	if err != nil {
		return nil // it does not list them: nothing is known, and nothing was before
	}
	for _, m := range list {
		if n := max(m.MaxModelLen, m.Meta.NCtx); n > 0 && (m.ID == req.Model || len(list) == 1) {
			w.c.cfg.Window(n)
		}
	}
	return nil
}

// probe asks whether the endpoint can be reached, and, where that is to be known,
// whether it answers a plain request. An error that is not troubled and not fatal
// counts as an answer.
func (w *watch) probe(ctx context.Context, req *llm.Request, whole bool) (*llm.Response, *llm.Error) {
	c := w.c
	u, err := c.endpointURL("models")
	if err != nil {
		return nil, asError(err)
	}
	if side := c.Side(ctx, http.MethodGet, u.String(), nil); side.Err != nil {
		return nil, side.Err
	}
	if !whole {
		return nil, nil
	}
	w.mu.Lock()
	limit := max(10*time.Second, 10*w.slowest)
	if w.slowest == 0 {
		limit = time.Minute
	}
	w.mu.Unlock()
	plain := llm.Request{
		Model: req.Model, Messages: []llm.Message{{Role: "user", Content: "Say yes."}}, Transport: llm.PromptOnly, MaxTokens: 1, Extra: req.Extra,
	}
	p, err := plain.Prepare(c.cfg.Kind, c.cfg.PromptVersion)
	if err != nil {
		return nil, asError(err)
	}
	_, res, e := c.exchange(ctx, ctx, p, min(limit, c.endpoint.Timeout))
	if e == nil || e.Fatal || troubled(e) {
		return res, e
	}
	return nil, nil
}
