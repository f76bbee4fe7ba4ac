package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
)

// compareFlags are the flags of judge compare.
type compareFlags struct {
	output
	failOnRegression bool
	byTool           bool
	minEffect        float64
	alpha            float64
	thresholds       []report.Threshold
	primary          string
}

func compareCommand(a *app) *cobra.Command {
	var f compareFlags
	cmd := newCommand("compare RUN_A RUN_B", cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		return a.compare(ctx, runDirectory(args[0]), runDirectory(args[1]), &f)
	})
	flags := cmd.Flags()
	flags.BoolVar(&f.failOnRegression, "fail-on-regression", false,
		"exit 100 if a score got worse by more than noise; with --min-effect only the primary endpoint decides")
	flags.BoolVar(&f.byTool, "by-tool", false,
		"with --fail-on-regression: also if a score got worse on the calls of one tool")
	flags.Float64Var(&f.minEffect, "min-effect", 0,
		"fail only if the whole interval of the primary endpoint's drop lies beyond this (0.02 is two points)")
	flags.Float64Var(&f.alpha, "alpha", 0.05, "error rate of intervals and of tests")
	flags.StringVar(&f.primary, "primary", "",
		"the score that decides: rubric, scorer or label (default the overall rubric)")
	addParsed(cmd, &f.thresholds, "threshold",
		"which scores pass in both runs: rubric=low or rubric=low..high, repeatable", report.ParseThreshold)
	f.output.add(cmd, render.TextFormat, render.JSONFormat, render.MarkdownFormat, render.HTMLFormat)
	return cmd
}

func (a *app) compare(ctx context.Context, dirA, dirB string, f *compareFlags) error {
	switch {
	case !(f.alpha > 0 && f.alpha < 1):
		return usagef("--alpha must lie between 0 and 1")
	case !(f.minEffect >= 0 && f.minEffect < 1):
		return usagef("--min-effect is a share of the pass rate, from 0 to below 1: 0.03 is three points")
	case (f.minEffect > 0 || f.byTool) && !f.failOnRegression:
		return usagef("--min-effect and --by-tool need --fail-on-regression")
	}
	if err := checkNamed(f.thresholds, dirA, dirB); err != nil {
		return usage(err)
	}
	cfg := measure.Config{Alpha: f.alpha, Primary: f.primary, Thresholds: f.thresholds}
	c, partners, err := run.Compare(dirA, dirB, cfg)
	if err != nil {
		return usage(err)
	}
	if err := a.explainChanges(ctx, dirA, dirB, c, partners); err != nil {
		return err
	}
	if err := render.Comparison(a.outFor(f.format), c, f.format, a.look(&f.output, dirB)); err != nil {
		return err
	}
	a.addSummary(func(w io.Writer) error { return render.Comparison(w, c, render.MarkdownFormat, render.Config{}) })
	if !f.failOnRegression {
		return nil
	}
	for _, j := range c.B.Judges {
		if j.Baseline && !j.Asked {
			fmt.Fprintf(a.err, "judge: the scores by %s are those of the built-in baseline, which was not "+
				"asked for by name: they do not show what a model would find\n", j.Name)
		}
	}
	return a.gates(measure.Regressions(c, f.minEffect, f.byTool))
}

// explainChanges adds the calls that changed, as far as the logs of the runs can be read.
func (a *app) explainChanges(ctx context.Context, dirA, dirB string, c *report.Comparison, partners *directory.Partners,
) error {
	var runs [2]run.Recorded
	for i, dir := range []string{dirA, dirB} {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		r, err := a.recorded(abs)
		if err != nil {
			return err
		}
		for k := range r.logs.Logs {
			a.anchor(&r.logs.Logs[k])
		}
		runs[i] = run.Recorded{Dir: abs, Logs: r.logs}
	}
	return run.ExplainChanges(ctx, runs[0], runs[1], c, partners)
}

// earlier checks that a run can be used for a comparison, before anything is paid for.
func earlier(dir, this string) (string, error) {
	if dir == "" {
		return "", nil
	}
	dir = runDirectory(dir)
	if filepath.Clean(dir) == filepath.Clean(this) {
		return "", usagef("--against %s: this is the run itself", dir)
	}
	if _, _, err := directory.Open(dir); err != nil {
		return "", usagef("--against: %w", err)
	}
	return dir, nil
}
