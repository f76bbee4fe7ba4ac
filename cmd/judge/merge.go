package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
)

func mergeCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "merge SHARD... --out RUN",
		Short: "join the shards of a run, made by judge run --shard",
		Long: `join the shards of a run, made by judge run --shard, in a new run directory.

All shards must be there, and each must be finished. The logs are read again, and every
answer comes from the shards' journals: nothing is sent. The files are those of a run
without shards, byte for byte, and the run can be resumed like one.

` + exitHelp,
		Example: `  judge merge runs/shard-* --out runs/whole`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.merge(cmd.Context(), &f, args)
		},
	}
	f.changed = func(string) bool { return false }
	f.output.add(cmd, render.Formats()...)
	cmd.Flags().StringVar(&f.out, "out", "", "run directory to write")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress, no notes")
	return cmd
}

func (a *app) merge(ctx context.Context, f *runFlags, shards []string) error {
	format, err := f.output.resolve()
	if err != nil {
		return err
	}
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
	var partial *directory.Partial
	if errors.As(err, &partial) {
		return &codeError{exitIncomplete, err}
	}
	if err != nil {
		return usage(err)
	}
	plan, stop, err := a.mergePlan(ctx, f, m, shards[0])
	if err != nil {
		return err
	}
	defer stop()
	var bar *progress
	if !f.quiet {
		bar = newProgress(a.progress, a.errTerminal, 0)
	}
	return a.executed(f, f.out, bar, format, func(obs run.Observer) (*run.Outcome, error) {
		return run.Merge(ctx, *plan, shards, f.out, obs)
	})
}

// mergePlan is the plan of the run whose shards are merged, as the first of them says it.
func (a *app) mergePlan(ctx context.Context, f *runFlags, m *directory.Manifest, shard string) (*run.Plan, func(),
	error) {
	c, err := config.Read(filepath.Join(shard, directory.ManifestFile), []byte(m.Config.JSON()))
	if err != nil {
		return nil, nil, usage(err)
	}
	if _, err := enter(m.Directory, f.out); err != nil {
		return nil, nil, err
	}
	f.noJudge = len(m.Judges) == 0
	plan, stop, err := a.plan(ctx, c, f)
	if err != nil {
		return nil, nil, err
	}
	if _, err = directory.Claim(f.out, false); err != nil {
		stop()
		return nil, nil, usage(err)
	}
	if slices.ContainsFunc(plan.Logs, func(l input.Log) bool { return l.Name == "-" }) {
		if err = copyFile(filepath.Join(f.out, stdinFile), filepath.Join(shard, stdinFile)); err == nil {
			err = a.spool(plan, f.out, true)
		}
	}
	if err == nil {
		err = a.checkGates(ctx, plan, f.out, c.Rubrics)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	instrument.Recall(plan.Judges, plan.Rubrics, m.Profiles, nil)
	return plan, stop, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return copyTo(to, in)
}
