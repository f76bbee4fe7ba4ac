package client

import (
	"context"

	"github.com/judgekit/judge/internal/llm"
)

// flight is one request being sent, with others waiting for the same answer.
type flight struct {
	done chan struct{}
	res  *llm.Response // nil when it failed
	err  *llm.Error
}

// once answers from the journal, joins an identical request in flight, or sends.
func (c *Client) once(ctx context.Context, req *llm.Prepared) (*llm.Response, error) {
	for {
		c.mu.Lock()
		f, busy := c.flights[req.Fingerprint]
		if !busy {
			f = &flight{done: make(chan struct{})}
			c.flights[req.Fingerprint] = f
		}
		c.mu.Unlock()
		if !busy {
			return c.lead(ctx, req, f)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, c.label(canceled(ctx), req.Request)
		}
		switch {
		case f.res != nil:
			shared := *f.res
			shared.Cached = true
			return &shared, nil
		case f.err != nil && f.err.Kind == llm.KindCanceled:
			continue // that caller gave up, this one has not
		case f.err != nil:
			shared := *f.err
			return nil, &shared
		}
	}
}

// lead runs the flight. The journal is asked only here, after registration, so
// that no two requests can both find it empty.
func (c *Client) lead(ctx context.Context, req *llm.Prepared, f *flight) (*llm.Response, error) {
	defer func() {
		c.mu.Lock()
		delete(c.flights, req.Fingerprint)
		c.mu.Unlock()
		close(f.done)
	}()
	if res, ok := c.stored(req.Fingerprint, req.Key); ok {
		f.res = res
		return res, nil
	}
	res, err := c.send(ctx, req)
	if err != nil {
		f.err = asError(err)
		return nil, err
	}
	c.renew(req.Fingerprint, req.Key)
	f.res = res
	return res, nil
}
