package run

import (
	"context"
	"slices"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// Check finds what is wrong with a plan before anything is sent: scorers, thresholds,
// settings of judges, panels and their weights, earlier runs to reuse, and logs in no form
// that can be read. With resume, dir holds the run that is taken up again, whose judges
// were asked in the way of the kept profiles: it must be the run of this plan. The error is
// a *PlanError, a *transcript.FormatError or a *directory.Error.
func Check(ctx context.Context, plan *Plan, dir string, resume bool, kept []instrument.Profile) error {
	own := *plan
	own.Logs, own.Judges = slices.Clone(plan.Logs), slices.Clone(plan.Judges)
	e, err := newExecution(&own, Observer{})
	if err != nil {
		return err
	}
	list, err := own.silent()
	if err != nil {
		return err
	}
	if _, err := judges.Asked(list, own.Team().RunConfig()); err != nil {
		return &PlanError{err}
	}
	if err := own.checkWeights(); err != nil {
		return err
	}
	for _, earlier := range own.Reuse {
		if _, err := directory.ReadManifest(earlier); err != nil {
			return reuseError(err)
		}
	}
	if resume {
		if err := e.checkResumed(dir, kept); err != nil {
			return err
		}
	}
	return own.checkLogs(ctx)
}

// checkResumed makes sure that dir holds the run of the plan.
func (e *execution) checkResumed(dir string, kept []instrument.Profile) error {
	p := e.plan
	if err := instrument.Recall(p.Judges, p.Rubrics, kept, nil); err != nil {
		return err
	}
	if err := p.takeWeights(); err != nil {
		return err
	}
	directory.Bound(dir, p.Logs)
	hashes, err := input.Hash(p.Logs)
	if err != nil {
		return err
	}
	_, err = directory.Prepare(dir, e.manifest(hashes), true)
	return err
}

// checkLogs reads each log up to its first call: whether the form of a log is right is
// known from there on. Standard input cannot be read twice.
func (p *Plan) checkLogs(ctx context.Context) error {
	if p.ReadOnce() {
		return nil
	}
	for i := range p.Logs {
		s := &input.Source{Logs: p.Logs[i : i+1], Options: p.Read}
		for c, err := range s.Conversations(ctx, &input.Reading{}) {
			if err != nil {
				return err
			}
			if len(c.Calls) > 0 {
				break
			}
		}
	}
	return nil
}
