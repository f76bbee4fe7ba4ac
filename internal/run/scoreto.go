package run

import (
	"bufio"
	"context"
	"io"
	"runtime"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/score"
)

// ScoreTo writes the score stream of a plan's deterministic half to w as it is
// made. The stream's run id is empty: nothing identifies a run that is not kept.
func ScoreTo(ctx context.Context, plan Plan, w io.Writer, obs Observer) (*Reading, error) {
	scorers, err := deterministic.ForLog(plan.Scorers)
	if err != nil {
		return nil, &PlanError{err}
	}
	s := &source{logs: plan.Logs, opts: plan.Read, limit: plan.Limit, problem: obs.Unreadable}
	if plan.Sample > 0 {
		if err := s.pick(ctx, plan.Sample, plan.Seed); err != nil {
			return nil, err
		}
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	out, err := score.NewWriter(buffered, "")
	if err != nil {
		return nil, err
	}
	reading := &Reading{}
	e := &execution{scores: out, out: &Outcome{Manifest: &Manifest{}}, observed: newObservations(nil)}
	for m, err := range inOrder(ctx, s.conversations(ctx, reading), runtime.GOMAXPROCS(0), plan.scoreAll(ctx, scorers.Score)) {
		if err != nil {
			return nil, err
		}
		if err := e.write(m, nil); err != nil {
			return nil, err
		}
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return reading, buffered.Flush()
}
