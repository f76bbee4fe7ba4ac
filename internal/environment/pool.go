package environment

import "context"

// Pool runs checks in up to n environments, each used by one check at a time. It
// is safe for concurrent use.
type Pool struct{ free chan *environment }

// NewPool returns a pool of up to n environments (fewer if the settings require it). It starts
// nothing before it is needed.
func NewPool(m *Maker, n int) *Pool {
	n = m.workers(n)
	p := &Pool{make(chan *environment, n)}
	for range n {
		p.free <- m.environment()
	}
	return p
}

// Check runs one plan in a free environment, and waits if all are in use.
func (p *Pool) Check(ctx context.Context, plan Plan) (Outcome, error) {
	select {
	case env := <-p.free:
		defer func() { p.free <- env }()
		return execute(ctx, env, plan)
	case <-ctx.Done():
		return Outcome{}, context.Cause(ctx)
	}
}

// Close closes all environments. No check may run afterwards.
func (p *Pool) Close() {
	for range cap(p.free) {
		env := <-p.free
		env.Close()
		p.free <- env
	}
}
