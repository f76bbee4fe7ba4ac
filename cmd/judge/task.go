package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
)

// task converts a configuration to the task of a run. dir is the run directory to resume, "" for
// none.
func (a *app) task(ctx context.Context, c *config.Config, dir string, noJudge bool) (*run.Task, error) {
	p, err := a.scoringTask(c, dir)
	if err != nil {
		return nil, err
	}
	if p.Origin.Config = c.Value(); noJudge {
		p.Idle = idleRubrics(c)
		return p, nil
	}
	if p.Rubrics, err = loadRubrics(c.Rubrics); err != nil {
		return nil, err
	}
	asked := len(c.Judges) > 0
	if !asked {
		c.Judges = []config.Judge{{}}
	}
	for i := range c.Judges {
		j, err := a.judge(ctx, &c.Judges[i], asked)
		if err != nil {
			return nil, err
		}
		j.Config.Prompt.Redact = redaction(c, &c.Judges[i])
		p.Judges = append(p.Judges, j)
	}
	nameJudges(p.Judges)
	if err := joinJudges(p, c); err != nil {
		return nil, err
	}
	if names := p.WithoutRule(); len(names) > 0 {
		a.note(fmt.Sprintf("%s has no rule for %s: its judgements by this rubric are unscored (no_rule); only "+
			"a model can answer, see --model", baseline.Model, words.Some(names, 10)))
	}
	first := p.Judges
	switch {
	case c.Probe:
		p.Judges = append(p.Judges, instrument.ProbeRetests(first)...)
	case c.Retest != "":
		p.Judges = append(p.Judges, instrument.Retests(first, c.Retest == config.RetestTogether)...)
	}
	recorded := *c
	if !asked && p.Judges[0].Baseline {
		// The baseline was not requested, and a resumed run must not look as if it was.
		recorded.Judges = nil
	}
	p.Origin.Config = recorded.Value()
	return p, nil
}

// scoringTask builds the part of a task that needs no endpoint, without its Config.
func (a *app) scoringTask(c *config.Config, dir string) (*run.Task, error) {
	logs, err := a.openLogs(c.Logs, dir)
	if err != nil {
		return nil, err
	}
	p := &run.Task{
		Inputs: run.Inputs{Logs: logs, Limit: c.Limit, Sample: c.Sample},
		Reporting: run.Reporting{
			Report: measure.Config{Thresholds: c.Thresholds, Gold: c.Gold}, CoverageFloor: c.CoverageFloor,
			RandomLabels: slices.Sorted(maps.Keys(c.Labels)), Gates: gatesOf(c),
		},
	}
	if p.Read, err = logOptions(c); err != nil {
		return nil, err
	}
	if p.Read.Tools, err = readTools(c.Tools, a.note); err != nil {
		return nil, err
	}
	if c.Seed != nil {
		p.Seed = *c.Seed
	}
	for _, s := range c.Scorers {
		if err := addScorer(p, s); err != nil {
			return nil, usage(err)
		}
	}
	if p.Execution, err = a.execution(c); err != nil {
		return nil, err
	}
	p.Version, p.Commit, p.Go = version()
	if p.Directory, err = os.Getwd(); err != nil {
		return nil, err
	}
	_, err = deterministic.ForLog(p.Scorers)
	return p, usage(err)
}

// idleRubrics names the configured rubrics that no judge uses, if a gate may be about one.
func idleRubrics(c *config.Config) (names []string) {
	if list, err := loadRubrics(c.Rubrics); err == nil && len(c.Gates) > 0 {
		for _, r := range list {
			names = append(names, r.Name)
		}
	}
	return names
}

// addScorer adds a configured scorer, its name in reports and its figures.
func addScorer(p *run.Task, s config.Scorer) error {
	p.Scorers = append(p.Scorers, deterministic.Config{Type: s.Type, Key: scorerKey(s), Purpose: s.Purpose,
		Config: s.Config})
	name := cmp.Or(scorerKey(s), strings.ReplaceAll(s.Type, "-", "_"))
	if s.Key != "" && s.DisplayName != "" && s.DisplayName != s.Key {
		if p.DisplayNames == nil {
			p.DisplayNames = map[string]string{}
		}
		p.DisplayNames[name] = s.DisplayName
	}
	list, err := metric.Parse(s.Metrics)
	if err != nil {
		return fmt.Errorf("scorer %s: %w", name, err)
	}
	p.Metrics = append(p.Metrics, run.MetricsOf{Scorer: name, Label: s.Label, Metrics: list})
	return nil
}

func scorerKey(s config.Scorer) string { return cmp.Or(s.Key, s.DisplayName) }
