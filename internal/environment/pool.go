package environment

import (
	"context"
	"errors"
	"sync"
)

// Pool runs checks in up to n environments, each used by one check at a time. It
// is safe for concurrent use.
type Pool struct {
	maker *Maker
	slots chan Environment
	mu    sync.Mutex
	all   []Environment
}

// NewPool returns a pool of up to n environments (fewer where the maker's Workers
// says so). Nothing is started before it is needed.
func NewPool(m *Maker, n int) *Pool {
	n = m.Workers(n)
	p := &Pool{maker: m, slots: make(chan Environment, n)}
	for range n {
		env := m.Environment()
		p.all = append(p.all, env)
		p.slots <- env
	}
	return p
}

// Check runs one plan in a free environment, waiting for one where all are used.
func (p *Pool) Check(ctx context.Context, plan Plan) (Outcome, error) {
	select {
	case env := <-p.slots:
		defer func() { p.slots <- env }()
		return Check(ctx, env, plan)
	case <-ctx.Done():
		return Outcome{}, context.Cause(ctx)
	}
}

// Close closes all environments; no check may run any more.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, env := range p.all {
		errs = append(errs, env.Close())
	}
	p.all = nil
	return errors.Join(errs...)
}
