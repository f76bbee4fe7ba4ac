package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
)

func mergeCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := newCommand("merge SHARD... --out RUN", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		return a.merge(ctx, &f, args)
	})
	f.output.add(cmd, render.Formats()...)
	cmd.Flags().StringVar(&f.out, "out", "", "run directory to write")
	a.addQuiet(cmd)
	return cmd
}

func (a *app) merge(ctx context.Context, f *runFlags, shards []string) (err error) {
	if f.out == "" {
		return usagef("--out names the run directory to write")
	}
	for i := range shards {
		if shards[i], err = filepath.Abs(shards[i]); err != nil {
			return err
		}
	}
	if f.out, err = filepath.Abs(f.out); err != nil {
		return err
	}
	m, err := run.CheckShards(shards)
	if is[*directory.Partial](err) {
		return &codeError{exitIncomplete, err}
	}
	if err != nil {
		return usage(err)
	}
	task, err := a.mergeTask(ctx, f, m, shards[0])
	if err != nil {
		return err
	}
	return a.printRun(f, f.out, a.bar(), func(obs run.Observer) (*run.Outcome, error) {
		return run.Merge(ctx, *task, shards, f.out, obs)
	})
}

// mergeTask returns the task of the run whose shards are merged, from the first shard.
func (a *app) mergeTask(ctx context.Context, f *runFlags, m *directory.Manifest, shard string) (*run.Task, error) {
	_, c, err := saved(shard)
	if err != nil {
		return nil, err
	}
	if _, err := enter(m.Directory, f.out); err != nil {
		return nil, err
	}
	f.noJudge = len(m.Judges) == 0
	task, err := a.task(ctx, c, shard, f.noJudge)
	if err != nil {
		return nil, err
	}
	if err := a.claim(f.out, false); err != nil {
		return nil, err
	}
	for i := range task.Logs { // the merged run gets the shard's copies of pipes
		task.Logs[i].Once = there(filepath.Join(shard, directory.SpoolFile(task.Logs[i].Name)))
	}
	if _, err := directory.Spool(f.out, task.Logs, false); err != nil {
		return nil, err
	}
	return task, instrument.Recall(task.Judges, task.Rubrics, m.Profiles, nil)
}
