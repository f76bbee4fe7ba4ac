package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/rubrics"
)

// probeFlags are the flags of judge probe in addition to those of judge run.
type probeFlags struct {
	runFlags
	bases, budget int
	// again names an earlier probe, weights a run with failing calls.
	again, weights string
}

// plantedFile is the log of a probe, in its run directory.
const plantedFile = "probe.jsonl"

func probeCommand(a *app) *cobra.Command {
	var f probeFlags
	cmd := newCommand("probe [LOG...]", nil, func(ctx context.Context, args []string) error {
		return a.probe(ctx, &f, args)
	})
	f.runFlags.add(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.bases, "bases", 200, "most calls to plant faults in")
	fl.IntVar(&f.budget, "budget", 0, "most requests, spread evenly over the kinds of faults (default no limit)")
	fl.StringVar(&f.again, "again", "", "repeat the probe in this directory, to see whether the judge changed")
	fl.StringVar(&f.weights, "weights", "",
		"weight the kinds of faults as the failing calls of this run have them (default: as agents make them)")
	a.addQuiet(cmd)
	fl.Lookup("rubric").Usage = "built-in rubric or rubric file, repeatable (default: " + rubrics.Overall + ")"
	for _, name := range []string{"no-judge", "shard", "queue", "retest", "gold"} {
		if fl.Lookup(name) != nil {
			_ = fl.MarkHidden(name)
		}
	}
	return cmd
}

// probe plants faults into calls of the logs, and judges the planted log like any other.
func (a *app) probe(ctx context.Context, f *probeFlags, args []string) error {
	f.probe = true
	if f.bases < 1 || f.budget < 0 {
		return usagef("--bases must be at least 1, and --budget must not be negative")
	}
	if (f.resume != "" || f.again != "") && len(args) > 0 {
		return usagef("--resume and --again take the log of the run that they name: give no other")
	}
	if (f.resume != "" || f.again != "") && f.weights != "" {
		return usagef("--resume and --again keep the weights of the run that they name: leave out --weights")
	}
	if err := f.resolvePaths(); err != nil {
		return err
	}
	if f.resume != "" {
		f.orStart = false
		return a.run(ctx, &f.runFlags, nil)
	}
	dir := cmp.Or(f.out, newRunDirectory())
	var c *config.Config
	var lines []byte
	var err error
	if f.again != "" {
		c, lines, err = f.repeated(&dir)
	} else {
		c, lines, err = a.planted(ctx, f, args)
	}
	if err != nil || lines == nil {
		return err
	}
	if err := a.claim(dir, false); err != nil {
		return err
	}
	path := filepath.Join(dir, plantedFile)
	if err := directory.Replace(path, lines); err != nil {
		return usage(err)
	}
	task, err := a.task(ctx, plantedConfig(c, path), "", f.noJudge)
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return a.runTask(ctx, task, dir, &f.runFlags)
}

// planted plants faults into the calls of the logs. If only the plan was requested, it prints the
// plan and returns no lines.
func (a *app) planted(ctx context.Context, f *probeFlags, args []string) (*config.Config, []byte, error) {
	c, err := f.load(args)
	switch {
	case err != nil:
		return nil, nil, err
	case len(c.Logs) == 0:
		return nil, nil, errNoLog
	case !f.changed("rubric"):
		c.Rubrics = []string{rubrics.Overall}
	}
	task, err := a.scoringTask(c, "")
	if err == nil {
		task.Rubrics, err = loadRubrics(c.Rubrics)
	}
	if err != nil {
		return nil, nil, err
	}
	each, budget := requestsForCall(c)*len(task.Rubrics), 0
	if f.budget > 0 {
		budget = max(1, f.budget/each)
	}
	weights, err := a.probeWeights(f.weights)
	if err != nil {
		return nil, nil, usage(err)
	}
	out, err := run.Plant(ctx, *task, planted.Config{Bases: f.bases, Budget: budget, Weights: weights}, each,
		run.Observer{Note: a.note})
	if err != nil {
		return nil, nil, a.runError(err, nil, "")
	}
	plan := &out.Plan
	switch {
	case !f.dryRun:
		a.note(fmt.Sprintf("%d faults planted in %d calls of %d conversations; %d requests", plan.Faults, plan.Bases,
			plan.Conversations, plan.Requests))
		return c, bytes.Join(out.Lines, nil), nil
	case f.output.format == render.JSONFormat:
		return nil, nil, writeJSON(a.out, plan)
	}
	return nil, nil, writeText(a.out, "probe", plan)
}

// probeWeights computes the weights of operators from the failing calls of a run; nil if none is
// named.
func (a *app) probeWeights(named string) (*planted.Weights, error) {
	if named == "" {
		return nil, nil
	}
	w, err := run.WeightsOf(runDirectory(named))
	if err != nil {
		return nil, fmt.Errorf("--weights: %w", err)
	}
	if w.Failures == 0 {
		a.note(fmt.Sprintf("no failing call of %s is like a fault that is planted: kinds are weighted as agents make them",
			named))
		return nil, nil
	}
	note := fmt.Sprintf("kinds of faults are weighted as in %s of %s, and ten as agents make them",
		words.Counted(w.Failures, "failing call"), named)
	if w.Unlike > 0 {
		note += fmt.Sprintf("; %d more failing calls are like none that is planted", w.Unlike)
	}
	a.note(note)
	return w, nil
}
