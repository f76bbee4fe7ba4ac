package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
)

// nameGroups asks a model to name the groups of failing calls of a saved run. To read the logs
// again, it changes to the directory from which the run was started, and then back.
func (a *app) nameGroups(ctx context.Context, dir, model string, cfg measure.Config) error {
	r, _, err := run.Report(dir, cfg, nil)
	if err != nil {
		return usage(err)
	}
	was, back, err := a.recordedThere(dir)
	if err != nil {
		return err
	}
	defer back()
	if model == baseline.Model {
		return usagef("--name-groups %s: it has rules and no words of its own; name a model", model)
	}
	namingConfig(was.config, model)
	task, err := a.task(ctx, was.config, was.dir, false)
	if err != nil {
		return err
	}
	means := run.Means{Discover: a.discover, Outage: time.Minute}
	obs := run.Observer{Note: a.note}
	of := run.Recorded{Dir: was.dir, Logs: was.logs}
	if err = run.NameGroups(ctx, of, was.manifest.RunID, r, task, means, obs); errors.Is(err, run.ErrNoGroups) {
		a.note(err.Error())
		return nil
	}
	return a.runError(err, nil, "")
}

// namingConfig leaves one judge in a run's configuration: the one with the model, or else the first
// one with its model replaced. A run without judges uses the endpoint that judge run would use.
func namingConfig(c *config.Config, model string) {
	judge := config.Judge{Model: model}
	at := slices.IndexFunc(c.Judges, func(j config.Judge) bool { return j.Model == model || j.Name == model })
	if at < 0 && len(c.Judges) > 0 {
		at, c.Judges[0].Model, c.Judges[0].ContextTokens = 0, model, 0
	}
	if at >= 0 {
		judge = c.Judges[at]
	}
	judge.Name = ""
	c.Judges, c.Rubrics = []config.Judge{judge}, nil
	c.Panels, c.Cascades, c.Gates, c.Thresholds, c.Retest = nil, nil, nil, nil, ""
}
