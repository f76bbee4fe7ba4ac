package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// manifest describes the run before it starts.
func (e *execution) manifest(hashes []string) *directory.Manifest {
	p := e.plan
	id, parts := p.identify(hashes)
	m := &directory.Manifest{
		Schema: directory.Schema, Status: directory.Running, Started: time.Now().UTC().Truncate(time.Second),
		Commit: p.Commit, Go: p.Go, Parts: parts, Config: p.Config, Directory: p.Directory,
		CoverageFloor: defaultCoverageFloor, Shard: p.Shard.String(),
		Profiles: p.profiles(),
		Manifest: report.Manifest{
			RunID: id, Version: p.Version, Gold: p.Report.Gold, RandomLabels: p.RandomLabels,
			Rubrics: p.scales(), Judges: p.Team().Instruments(), Scorers: e.scorers(),
		},
	}
	if p.CoverageFloor != nil {
		m.CoverageFloor = *p.CoverageFloor
	}
	for i, l := range p.Logs {
		if i < len(hashes) && l.Bytes != nil {
			m.Logs = append(m.Logs, directory.LogBytes{Path: l.Name, SHA: hashes[i], Bytes: *l.Bytes})
		}
	}
	return m
}

// scorers returns the run's scorers as a report knows them.
func (e *execution) scorers() (out []report.Scorer) {
	p, ran := e.plan, deterministic.ExecutionCheck
	for _, s := range e.grader.scorers.Scorers() {
		if s.Key != ran.Name || p.Execution == nil {
			out = append(out, p.scorer(s.Key, s.Type))
		}
	}
	if p.Execution != nil {
		out = append(out, report.Scorer{Name: ran.Name, Type: ran.Name, Facts: ran.Facts})
	}
	return out
}

// scorer returns a scorer of a type as a report knows it.
func (p *Plan) scorer(name, kind string) report.Scorer {
	row, _ := deterministic.Find(kind)
	s := report.Scorer{Name: name, Type: kind, DisplayName: p.DisplayNames[name], Facts: row.Facts}
	for _, t := range p.thresholds {
		if t.Name == name {
			s.Low, s.High = new(t.Low), t.High
		}
	}
	return s
}

// finish saves what there is, and builds the report when the run finished.
func (e *execution) finish(ctx context.Context, runErr error) (*Outcome, error) {
	m := e.out.Manifest
	e.describe(m)
	m.Judgements = e.out.Judgements
	switch {
	case runErr == nil && (m.Judgements.Coverage() < m.CoverageFloor || len(m.Stopped) > 0):
		m.Status = directory.Incomplete
	case runErr == nil:
		m.Status = directory.Complete
	default:
		m.Status = directory.Interrupted
		// A full disk may refuse this too; the run can be resumed all the same.
		if err := e.save(); err != nil && expected(runErr) {
			e.obs.note("%v", err)
		}
		return e.out, runErr
	}
	if err := m.Write(e.dir); err != nil {
		return e.out, err
	}
	cfg := e.plan.Report
	if e.plan.Against != "" {
		c, err := directory.Against(e.dir, e.plan.Against, cfg)
		if err != nil {
			return nil, fmt.Errorf("against %s: %w", e.plan.Against, err)
		}
		cfg.Comparisons = append(cfg.Comparisons, c)
	}
	r, decision, err := directory.Report(e.dir, cfg, e.plan.Gates)
	if err != nil {
		return nil, err
	}
	e.out.Report, e.out.Gates = r, decision
	return e.out, directory.WriteReports(ctx, e.dir, r, e.unchanged(ctx))
}

// expected reports whether an error is the end of the context, or says that an endpoint
// cannot answer at all.
func expected(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ok && e.Fatal
}

// unchanged is the conversations once more. It reports logs that are not what they were
// when the run began; those that were edited are not read again.
func (e *execution) unchanged(ctx context.Context) iter.Seq2[*transcript.Conversation, error] {
	grew, changed := input.Since(e.source.Logs, e.source.Hashes)
	for _, name := range grew {
		e.obs.note("%s grew since the run began: what it held then is judged; judge the rest by a new run", name)
	}
	for _, name := range changed {
		e.obs.note("%s changed since it was read: what it held when the run began is judged; "+
			"put it back as it was before this run is resumed", name)
	}
	if len(changed) == 0 {
		return e.source.Again().Conversations(ctx, &input.Reading{})
	}
	return func(yield func(*transcript.Conversation, error) bool) {
		yield(nil, &input.ChangedError{Name: changed[0]})
	}
}

// describe fills in what is known after the logs were read.
func (e *execution) describe(m *directory.Manifest) {
	ended := time.Now().UTC().Truncate(time.Second)
	m.Ended = &ended
	r := e.out.Reading
	m.Inputs = r.Inputs
	m.Counts.Conversations, m.Counts.Calls = r.Conversations, r.Calls
	m.Counts.Notes, m.Counts.Costs = r.NoteCounts(), e.costs.report()
	m.Metrics, m.ByParameter = e.grader.figures(), e.grader.parameters()
	m.Unreadable, m.Problems, m.NotePlaces = r.Unreadable, r.Problems, r.NotePlaces
	e.work.Resumes = m.Work.Resumes
	m.Work = e.work
}
