package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// defaultConcurrency is the number of requests in flight at one endpoint.
const defaultConcurrency = 8

// task turns a configuration into what a run is asked to do. dir is the run directory that is
// resumed, "" for none.
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
		// The baseline was not requested, and a resumed run must not look as if
		// somebody had.
		recorded.Judges = nil
	}
	p.Origin.Config = recorded.Value()
	return p, nil
}

// scoringTask makes the part of a task that needs no endpoint, without its Config.
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

// idleRubrics names the rubrics of a configuration that no judge judges by, if a gate may be on
// one.
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

// judge makes one judge out of its configuration: the endpoint is found, the key
// read, the model checked. The configuration is completed, so that a resumed run
// goes to the same place.
func (a *app) judge(ctx context.Context, j *config.Judge, asked bool) (out instrument.Judge, err error) {
	base, err := a.endpoint(j)
	if err != nil {
		return out, err
	}
	out = instrument.Judge{Asked: asked && j.Model == baseline.Model, Config: judgeConfig(j),
		ReasoningGiven: j.Reasoning != nil, ConcurrencyGiven: j.Concurrency > 0, ContextTokens: j.ContextTokens,
		AskAlways: j.AskAlways, Pilot: j.Pilot, Prices: (*instrument.Prices)(j.Prices)}
	out.Endpoint = client.Endpoint{
		Concurrency: cmp.Or(j.Concurrency, defaultConcurrency), Timeout: time.Duration(j.Timeout),
		MaxAttempts: j.MaxAttempts, RequestsPerMinute: float64(j.RequestsPerMinute),
		TokensPerMinute: float64(j.TokensPerMinute), KeyEnv: j.APIKeyEnv, Replicas: j.Replicas,
	}
	if j.Model == baseline.Model && j.BaseURL == "" || base == "" && j.Model == "" {
		return a.baselineJudge(j, out), nil
	}
	if base == "" {
		return out, usagef("model %s: no endpoint is configured; give --base-url, or set "+
			"OPENAI_BASE_URL or OLLAMA_HOST", j.Model)
	}
	j.BaseURL, out.Endpoint.BaseURL = base, base
	if err := a.login(j, &out.Endpoint); err != nil {
		return out, err
	}
	client, err := client.New(out.Endpoint, client.Config{})
	if err != nil {
		return out, usage(err)
	}
	defer client.Close()
	if j.Model == "" {
		if j.Model, err = onlyModel(ctx, client); err != nil {
			return out, err
		}
		out.Config.Model = j.Model
	}
	return out, nil
}

// baselineJudge makes the judge the built-in baseline.
func (a *app) baselineJudge(j *config.Judge, out instrument.Judge) instrument.Judge {
	if !out.Asked {
		a.note("no endpoint configured: using the built-in rule-based baseline, not a language model")
	}
	j.Model = baseline.Model
	out.Baseline, out.Kind = true, llm.KindBaseline
	out.Config.Model, out.Endpoint.BaseURL = baseline.Model, baseline.Model
	return out
}

// onlyModel asks an endpoint for its model if none was named.
func onlyModel(ctx context.Context, client *client.Client) (string, error) {
	names, err := modelNames(ctx, client)
	if err == nil && len(names) != 1 {
		err = &codeError{exitEndpoint, fmt.Errorf("%s serves %d models; choose one with --model: %v",
			client.BaseURL(), len(names), names)}
	}
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// modelNames returns the models of an endpoint.
func modelNames(ctx context.Context, client *client.Client) ([]string, error) {
	models, err := client.Models(ctx)
	if err != nil {
		return nil, endpointError(err)
	}
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].ID
	}
	return names, nil
}

func judgeConfig(j *config.Judge) judges.Config {
	c := judges.Config{
		Model: j.Model, Name: j.Name, Transport: j.Transport, Temperature: j.Temperature,
		MaxTokens: j.MaxTokens, Method: j.ScoreMethod, Samples: j.Samples, CoerceNumbers: j.CoerceNumbers,
		Modes: j.VerdictModes,
		Prompt: judges.Options{ExamplesInSystem: j.Examples == "prompt", MaxExamples: maxExamples(j.Examples),
			MaxRecordBytes: j.MaxRecordChars, Marker: j.Datamarking, Layout: j.Layout},
	}
	if j.Together {
		c.Prompt.Layout = judges.Together
	}
	if j.Seed != nil {
		c.Seed = *j.Seed
	}
	if j.Reasoning != nil {
		c.Reasoning, c.ReasoningTokens = *j.Reasoning > 0, *j.Reasoning
	}
	for key, v := range j.Extra.Members() {
		c.Extra = append(c.Extra, llm.Field{Name: key, Value: json.RawMessage(v.JSON())})
	}
	return c
}

// maxExamples returns how many examples a judge is shown at most: 0 for all, negative for none.
func maxExamples(setting string) int {
	n, err := strconv.Atoi(setting)
	if setting == "none" || err == nil && n == 0 {
		return -1
	}
	return n
}

// nameJudges gives judges of one model different names: by number.
func nameJudges(list []instrument.Judge) {
	seen := map[string]int{}
	for i := range list {
		c := &list[i].Config
		c.Name = cmp.Or(c.Name, c.Model)
		seen[c.Name]++
		if n := seen[c.Name]; n > 1 {
			c.Name = fmt.Sprintf("%s#%d", c.Name, n)
		}
	}
}

// joinJudges adds the panels and cascades of a configuration to a task.
func joinJudges(p *run.Task, c *config.Config) error {
	for i := range c.Panels {
		panel := &c.Panels[i]
		out := judges.Panel{Name: panel.Name, Members: panel.Members, Quorum: panel.Quorum,
			Rule: cmp.Or(panel.Aggregate, "median"), Weights: panel.Weights.ByJudge}
		if panel.Weights.File != "" {
			measured, err := readCalibration(panel.Weights.File)
			if err != nil {
				return usagef("panel %s: weights: %v", panel.Name, err)
			}
			p.Measured = append(p.Measured, run.MeasuredPanel{Panel: panel.Name, File: panel.Weights.File,
				Calibration: measured})
		}
		p.Panels = append(p.Panels, out)
	}
	for i := range c.Cascades {
		x := &c.Cascades[i]
		p.Cascades = append(p.Cascades, instrument.Cascade{Queue: x.QueueFile(),
			Cascade: judges.Cascade{Name: x.Name, Tiers: x.Tiers, EscalateOn: x.EscalateOn}})
	}
	return nil
}

// width returns the number of columns that the report may take.
func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok && a.outTerminal {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return min(w, 140)
		}
	}
	return 0
}

// dryRun says what a run would ask for, and what would not fit.
func (a *app) dryRun(ctx context.Context, task *run.Task, f *runFlags, dir string) error {
	if err := instrument.Recall(task.Judges, task.Rubrics, f.kept, a.profiles); err != nil {
		return endpointError(err)
	}
	task.Prompts = true
	spec, err := run.Resolve(ctx, *task, dir)
	if err == nil {
		err = run.CheckResumed(spec, dir, f.resume != "", f.kept)
	}
	if err != nil {
		return a.runError(err, nil, dir)
	}
	e, err := spec.Estimate(ctx)
	if err != nil {
		return usage(err)
	}
	if f.output.format == render.JSONFormat {
		return writeJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%s, %s, %s, %s: %s\n", words.Counted(e.Conversations, "conversation"),
		words.Counted(e.Calls, "call"), words.Counted(len(task.Rubrics), "rubric"),
		words.Counted(len(task.Judges), "judge"), words.Counted(e.Requests, "request"))
	if e.Alone != nil {
		fmt.Fprintf(a.out, "asked together; by one rubric at a time it would be %s with about %d prompt tokens\n",
			words.Counted(e.Alone.Requests, "request"), e.Alone.Tokens)
	}
	if e.Escalated > 0 {
		fmt.Fprintf(a.out, "cascades may ask for up to %d more\n", e.Escalated)
	}
	fmt.Fprintf(a.out, "about %d prompt tokens in all (%d bytes); the longest prompt has about %d, at %s\n",
		e.Tokens, e.Bytes, e.LargestTokens, e.LargestPlace)
	fmt.Fprintf(a.out, "a server with a prefix cache computes about %d of them (%s)\n", e.ComputedTokens,
		words.Share(float64(e.ComputedTokens)/float64(max(e.Tokens, 1)), 1))
	for i := range e.Windows {
		for _, line := range e.Windows[i].Lines() {
			fmt.Fprintln(a.out, line)
		}
	}
	for i := range task.Judges {
		if j := &task.Judges[i]; j.Config.Method == judges.TokenWeighted && j.Profile == nil {
			fmt.Fprintf(a.out, "judge %s: score_method %s needs log-probabilities; whether the endpoint gives them is "+
				"asked when the run starts, or by judge doctor\n", value.VisibleLine(j.Name()), j.Config.Method)
		}
	}
	if e.Unreadable > 0 {
		fmt.Fprintf(a.out, "%d records of the logs cannot be read; see them with: judge logs inspect\n", e.Unreadable)
	}
	fmt.Fprintln(a.out, "nothing was sent")
	return nil
}
