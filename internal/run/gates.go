package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
)

// CheckGates finds before anything is sent the gates of a plan that no score of the run
// can meet, and baselines that cannot be read. dir is where the run will be. idle
// are rubrics that are known and not asked for, as in a run without judges: gates on
// them are let through, to fail when they find nothing. The logs are read only where a
// name could be that of a label. Its error is a *PlanError with a line for each gate.
func CheckGates(ctx context.Context, p *Plan, dir string, idle []string) error {
	if len(p.Gates) == 0 {
		return nil
	}
	known, err := p.gateNames()
	if err != nil {
		return err
	}
	known.Idle = idle
	known.Baseline = func(against string) (report.Manifest, error) { return baselineManifest(dir, against) }
	if err := p.readLabels(ctx, known, measure.GateLabels(p.Gates, known)); err != nil {
		return err
	}
	if err := measure.CheckGates(p.Gates, known); err != nil {
		return &PlanError{Cause: err}
	}
	return nil
}

// gateNames are the names that gates may use, but for labels.
func (p *Plan) gateNames() (*measure.PlannedScores, error) {
	k := &measure.PlannedScores{Calls: len(p.Judges) > 0}
	if len(p.Judges) > 0 {
		for _, r := range p.Rubrics {
			k.Rubrics = append(k.Rubrics, r.Name)
		}
	}
	for _, j := range p.Team().Instruments() {
		k.Judges = append(k.Judges, j.Name)
	}
	all, err := p.scorers()
	if err != nil {
		return nil, err
	}
	for _, s := range all.Scorers() {
		if s.Purpose == "qa" {
			k.QA = append(k.QA, s.Key)
			continue
		}
		row, err := deterministic.Find(s.Type)
		if err != nil {
			return nil, err
		}
		for _, m := range row.Metrics {
			k.Scorers = append(k.Scorers, s.Key+"."+m.Name)
		}
		if row.Metrics == nil {
			k.Scorers = append(k.Scorers, s.Key)
		}
		k.Calls = k.Calls || row.OfCalls
	}
	if p.Execution != nil {
		k.Scorers = append(k.Scorers, deterministic.ExecutionCheck.Name)
	}
	return k, nil
}

// readLabels looks through the logs for labels of these names, unless standard input is
// one of the logs: it cannot be read twice.
func (p *Plan) readLabels(ctx context.Context, k *measure.PlannedScores, wanted []string) error {
	if len(wanted) == 0 {
		return nil
	}
	if p.ReadOnce() {
		k.AnyLabel = true
		return nil
	}
	seen := map[string]bool{}
	s := &input.Source{Logs: p.Logs, Options: p.Read, Limit: p.Limit}
	for c, err := range s.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return err
		}
		for i := range c.Labels {
			name := c.Labels[i].Name
			if !seen[name] {
				seen[name] = true
				k.Labels = append(k.Labels, name)
			}
			wanted = slices.DeleteFunc(wanted, func(w string) bool { return w == name })
		}
		if len(wanted) == 0 {
			return nil
		}
	}
	return nil
}

// baselineManifest is the manifest of the run that the run in dir is to be compared with.
func baselineManifest(dir, against string) (report.Manifest, error) {
	x, errX := filepath.Abs(dir)
	y, errY := filepath.Abs(against)
	if dir != "" && (errors.Join(errX, errY) == nil && x == y || directory.Same(dir, against)) {
		return report.Manifest{}, fmt.Errorf("%s is this very run: it cannot be its own baseline", against)
	}
	m, _, err := directory.Open(against)
	if err != nil {
		return report.Manifest{}, fmt.Errorf("the baseline run: %w", err)
	}
	return m.Manifest, nil
}
