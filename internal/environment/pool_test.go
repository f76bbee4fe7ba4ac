package environment

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// CheckAll runs all plans and returns their outcomes in the same order. The only
// error is that of a context that ended.
func (p *Pool) CheckAll(ctx context.Context, plans []Plan) ([]Outcome, error) {
	out := make([]Outcome, len(plans))
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(cap(p.free))
	for i := range plans {
		if running.Err() != nil {
			break
		}
		g.Go(func() (err error) {
			out[i], err = p.Check(running, plans[i])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}
