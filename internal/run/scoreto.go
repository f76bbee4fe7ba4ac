package run

import (
	"bufio"
	"context"
	"io"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
)

// unkept makes an execution that writes no directory.
func unkept(ctx context.Context, plan *Plan, obs Observer) (*execution, error) {
	grader, err := plan.grader(obs.note)
	if err != nil {
		return nil, err
	}
	e := newExecution(plan, grader, obs)
	e.found = &finding{reading: e.out.Reading}
	e.source, err = plan.source(ctx, nil, obs.Unreadable)
	return e, err
}

func (e *execution) scoreUnkept(ctx context.Context) error {
	if err := e.writeAll(ctx, e.grader.grade(ctx, e.source.Conversations(ctx, e.out.Reading))); err != nil {
		return err
	}
	return e.found.err()
}

// ScoreTo writes the score stream of a plan's deterministic half to w as it is
// made. The stream's run id is empty: nothing identifies a run that is not kept.
func ScoreTo(ctx context.Context, plan Plan, w io.Writer, obs Observer) (*input.Reading, error) {
	e, err := unkept(ctx, &plan, obs)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	out, err := score.NewWriter(buffered, "")
	if err != nil {
		return nil, err
	}
	e.emit = func(s *score.Score) error { return out.Write(*s) }
	if err := e.scoreUnkept(ctx); err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return e.out.Reading, buffered.Flush()
}

// ScoreReport builds the report of a plan's deterministic half while the logs are
// read, and keeps nothing else: memory does not grow with the logs, no file is
// written, and the logs are read once (twice for a sample). The run has no id and its
// inputs no hash. Gates that compare with another run need a directory of this one
// and fail here.
func ScoreReport(ctx context.Context, plan Plan, obs Observer) (*Outcome, error) {
	e, err := unkept(ctx, &plan, obs)
	if err != nil {
		return nil, err
	}
	e.out.Manifest = e.manifest(nil)
	m := e.out.Manifest
	m.RunID, m.Parts = "", nil
	b := assembly.NewBuilder(&m.Manifest, plan.Report)
	e.emit = func(s *score.Score) error {
		b.Add(s)
		return nil
	}
	if err := e.scoreUnkept(ctx); err != nil {
		return e.out, err
	}
	e.describe(m)
	m.Status = directory.Complete
	r, err := b.Finish()
	if err != nil {
		return nil, err
	}
	e.out.Gates = gate.Decide(plan.Gates, r, nil)
	r.Gates = e.out.Gates.Results
	e.out.Report = r
	return e.out, nil
}
