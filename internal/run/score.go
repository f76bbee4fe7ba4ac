package run

import (
	"context"
	"io"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// ScoreTo writes the deterministic scores of a task to w as they are computed. The stream's run id
// is empty, because the run is not kept.
func ScoreTo(ctx context.Context, task Task, w io.Writer, obs Observer) (*input.Reading, error) {
	s, err := task.resolveUnkept(ctx)
	if err != nil {
		return nil, err
	}
	out, err := score.NewWriter(w, "")
	if err != nil {
		return nil, err
	}
	reading := &input.Reading{}
	err = scoreUnkept(ctx, s, newGrader(s), reading, obs, func(s *score.Score) error { return out.Write(*s) })
	if err != nil {
		return nil, err
	}
	return reading, out.Flush()
}

// ScoreReport builds the report of a task's deterministic scores while the logs are read. It keeps
// nothing else: memory does not grow with the logs, it writes no file, and it reads the logs once
// (twice for a sample, or if a gate may name a label). The run has no id and its inputs no hash.
// Gates that compare with another run need a run directory and fail here.
func ScoreReport(ctx context.Context, task Task, obs Observer) (*Outcome, error) {
	s, err := task.resolveUnkept(ctx)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Manifest: newManifest(s, &s.Team), Reading: &input.Reading{}}
	out.Manifest.RunID, out.Manifest.Parts = "", nil
	k := &sinks{in: &Instruments{manifest: out.Manifest, grader: newGrader(s)}, out: out}
	table := measure.NewBuilder(&out.Manifest.Manifest, s.Report)
	err = scoreUnkept(ctx, s, k.in.grader, out.Reading, obs, func(s *score.Score) error {
		table.Add(s)
		return nil
	})
	if err != nil {
		return out, err
	}
	k.describe(&watch{})
	out.Manifest.Status = directory.Complete
	if out.Report, err = table.Finish(); err != nil {
		return nil, err
	}
	out.Gates = measure.DecideGates(s.Gates, out.Report, nil)
	out.Report.Gates = out.Gates.Results
	return out, nil
}

// resolveUnkept resolves a task whose logs should be read only once.
func (t *Task) resolveUnkept(ctx context.Context) (*Spec, error) {
	s, err := t.resolve()
	if err != nil {
		return nil, err
	}
	labels, err := s.gateLabels()
	if err != nil {
		return nil, err
	}
	if s.Sample == 0 && (len(labels) == 0 || s.ReadOnce()) {
		return s, s.checkGates("", nil)
	}
	if s, err = Resolve(ctx, *t, ""); err == nil {
		s.hashes = nil
	}
	return s, err
}

// scoreUnkept passes labels and deterministic scores to emit, in log order.
func scoreUnkept(ctx context.Context, s *Spec, g *grader, reading *input.Reading, obs Observer,
	emit func(*score.Score) error) error {
	found := finding{reading: reading}
	err := addAll(ctx, g.grade(ctx, s.source(obs.Unreadable).Conversations(ctx, reading)), func(m *graded) error {
		s.redecide(m.scores)
		g.tally(m)
		found.add(m.conversation, nil, func(*transcript.Conversation) []score.Score { return m.scores })
		for _, list := range [][]score.Score{labelScores(m.conversation, s.Rubrics), m.scores} {
			for i := range list {
				if err := emit(&list[i]); err != nil {
					return err
				}
			}
		}
		g.scorers.Reuse(m.scores)
		return nil
	})
	if err != nil {
		return err
	}
	return found.err()
}
