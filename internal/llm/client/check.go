package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
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
	// Why is the error of the last try.
	Why string
}

// mostNext is the longest time between two tries during an outage.
const mostNext = 30 * time.Second

// verify waits for the outcome of a check that is not older than the failure. The error is
// the end of the context, or that of an outage that lasted too long.
func (m *monitor) verify(ctx context.Context, req *llm.Request, e *llm.Error) error {
	if !m.answered.Load() && e.Fatal {
		return e // nothing has ever listened there
	}
	for range 2 {
		m.mu.Lock()
		fresh, before := m.state == working, m.outages
		m.doubt(req, e, true)
		m.mu.Unlock()
		if err := m.settled(ctx, checking); err != nil {
			return err
		}
		if fresh || m.count() != before {
			break
		}
	}
	return nil
}

// doubt begins a check unless one is under way. whole says that a plain request has to be
// answered, and not only the list of models. The caller holds mu.
func (m *monitor) doubt(req *llm.Request, why *llm.Error, whole bool) {
	if m.state != working {
		return
	}
	m.state, m.done = checking, make(chan struct{})
	go m.check(req, why, whole, m.goods)
}

// check asks the endpoint until it answers, or until an outage has lasted too long. A
// good reply to any request ends it too.
func (m *monitor) check(req *llm.Request, why *llm.Error, whole bool, before int) {
	var end *llm.Error
	began, missed := time.Now(), 0
	for end == nil {
		out := missed >= checks
		next := m.nextTry(missed, why, m.c.cfg.Outage-time.Since(began))
		if out {
			m.notify(Notice{Since: time.Since(began), Next: next, Why: why.Message})
		}
		if sleep(m.ctx, next) != nil {
			break
		}
		var e *llm.Error
		if e, end = m.try(req, whole || out, out, before); e == nil {
			break
		}
		why, missed = e, missed+1
		if missed >= checks && m.c.nowhere() {
			end = e // nothing has ever listened at any replica
		}
		if missed == checks {
			m.mu.Lock()
			m.state = max(m.state, down)
			m.mu.Unlock()
		}
		if missed >= checks && end == nil && time.Since(began) >= m.c.cfg.Outage && !m.c.others(m.at) {
			end = m.tooLong(why)
		}
	}
	if end == nil && missed >= checks {
		m.notify(Notice{Over: true, Since: time.Since(began)})
	}
	if end != nil && m.c.others(m.at) {
		m.notify(Notice{Since: time.Since(began), Why: end.Message + "; it is not used any more"})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if end == nil {
		end = m.end // of another model's reply meanwhile
	}
	if m.state, m.end = working, end; end != nil {
		m.state = ended
	} else {
		m.at.aside.Store(false)
	}
	if m.failures = 0; missed > 0 {
		m.outages++
	}
	close(m.done)
}

// nextTry is the wait before the next try: short until the outage is certain, then
// growing, and not before the time that the server named.
func (m *monitor) nextTry(missed int, why *llm.Error, left time.Duration) time.Duration {
	d := 250 * time.Millisecond
	if missed >= checks {
		d = min(time.Second<<min(missed-checks, 10), mostNext)
	}
	if why.RetryAfter <= m.c.cfg.Outage {
		d = max(d, why.RetryAfter)
	}
	if left <= 0 && m.c.others(m.at) {
		return d
	}
	return min(d, max(left, time.Millisecond))
}

// try asks the endpoint once. e is nil where it answers; end is why no request is to be
// sent any more. out says that it has been down.
func (m *monitor) try(req *llm.Request, whole, out bool, before int) (e, end *llm.Error) {
	var res *llm.Response
	if m.is(func() bool { return m.goods == before }) {
		res, e = m.probe(req, whole)
		if e != nil && (out || !e.Fatal || e.Status == 0) {
			return e, lost(e)
		}
		if whole && e == nil {
			m.mu.Lock()
			m.plain = true
			m.mu.Unlock()
		}
	}
	if !out {
		return nil, nil
	}
	if res != nil {
		m.mu.Lock()
		end = m.otherModel(res.Model)
		m.mu.Unlock()
	}
	if end == nil {
		m.readWindow(req.Model)
	}
	return nil, end
}

// probe asks whether the endpoint can be reached, and, where that is to be known,
// whether it answers a plain request. An error that is not troubled and not fatal
// counts as an answer.
func (m *monitor) probe(req *llm.Request, whole bool) (*llm.Response, *llm.Error) {
	c := m.c
	if side := m.at.side(m.ctx, c.endpoint.Timeout, http.MethodGet, m.at.base+"/models", nil); side.Err != nil {
		return nil, side.Err
	}
	if !whole {
		return nil, nil
	}
	m.mu.Lock()
	limit := max(10*time.Second, 10*m.slowest)
	if m.slowest == 0 {
		limit = time.Minute
	}
	m.mu.Unlock()
	plain := llm.Request{
		Model: req.Model, Messages: []llm.Message{{Role: "user", Content: "Say yes."}},
		Transport: llm.PromptOnly, MaxTokens: 1, Extra: req.Extra,
	}
	p, err := plain.Prepare(c.cfg.Kind, c.cfg.PromptVersion)
	if err != nil {
		return nil, asError(err)
	}
	_, res, e := c.exchange(m.ctx, m.at, p, min(limit, c.endpoint.Timeout))
	if e == nil || e.Fatal || troubled(e) {
		return res, e
	}
	return nil, nil
}

// readWindow passes on the context of an endpoint that is back, where it lists it.
func (m *monitor) readWindow(model string) {
	if m.c.cfg.Window == nil {
		return
	}
	list, err := m.c.models(m.ctx, m.at)
	if err != nil {
		return // it does not list them: nothing is known, and nothing was before
	}
	for _, l := range list {
		if n := max(l.MaxModelLen, l.Meta.NCtx); n > 0 && (l.ID == model || len(list) == 1) {
			m.c.cfg.Window(n)
		}
	}
}

func (m *monitor) notify(n Notice) {
	if m.c.cfg.Notice != nil {
		n.Endpoint, n.Why = m.at.base, m.at.redacted(n.Why)
		m.c.cfg.Notice(n)
	}
}

// otherModel recognises another model's reply after the endpoint went away. The caller
// holds mu.
func (m *monitor) otherModel(name string) *llm.Error {
	if !m.on() || !m.broken || name == "" || len(m.models) == 0 || slices.Contains(m.models, name) {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindModel, Fatal: true,
		Message: fmt.Sprintf("the endpoint went away and came back with the model %q; before it was %q",
			llm.OneLine(name), llm.OneLine(m.models[0])),
		Hint: "start the same model again and resume the run, or begin a new run",
	}
}

// lost recognises a server that is back without its model.
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

func (m *monitor) tooLong(why *llm.Error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindOutage, Status: why.Status, Fatal: true,
		Message: fmt.Sprintf("no answer for %s: %s", m.c.cfg.Outage, why.Message),
		Hint:    "no judgement was charged for it; --outage says how long to wait",
	}
}
