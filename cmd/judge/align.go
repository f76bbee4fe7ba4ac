package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/align"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/rubrics"
)

// alignFlags are the flags of judge align.
type alignFlags struct {
	labels            []string
	by, rubric, judge string
	with, withURL     string
	loop, sheet       string
	n                 int
	cfg               align.Config
	dryRun            bool
	output
}

func alignCommand(a *app) *cobra.Command {
	var f alignFlags
	cmd := newCommand("align RUN", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		if f.loop != "" || f.sheet != "" {
			return a.alignLoop(ctx, runDirectory(args[0]), &f)
		}
		return a.align(ctx, runDirectory(args[0]), &f)
	})
	fl := cmd.Flags()
	fl.StringArrayVar(&f.labels, "labels", nil, "a filled table of judge calibrate --sheet, repeatable (default: the "+
		"labels from judge view)")
	fl.StringVar(&f.loop, "loop", "", "a run of the same log by the new rubric: write what to label next into --sheet")
	fl.StringVar(&f.sheet, "sheet", "", "with --loop: the table to fill in (CSV)")
	fl.IntVar(&f.n, "n", 50, "with --loop: most calls to label")
	fl.StringVar(&f.by, "by", "", "whose label counts if several people labelled a call (default: the person with most "+
		"labels)")
	fl.StringVar(&f.rubric, "rubric", rubrics.Overall, "the rubric to improve: a name of the run, or a file")
	fl.StringVar(&f.judge, "judge", "", "the judge to improve, if the run has several")
	fl.StringVar(&f.with, "with", "", "model that proposes guidelines (default: the judge's own)")
	fl.StringVar(&f.withURL, "with-base-url", "", "endpoint of that model (default: the judge's)")
	fl.StringVar(&f.cfg.Target, "target", report.YoudenTarget, "what must become better: J or kappa")
	fl.IntVar(&f.cfg.Rounds, "rounds", 3, "most rounds of proposals; a round without a gain is the last")
	fl.IntVar(&f.cfg.Budget, "budget", 0, "most requests, with those that are already answered (default no limit)")
	fl.Float64Var(&f.cfg.Alpha, "alpha", 0.05, "error rate of the intervals")
	fl.BoolVar(&f.dryRun, "dry-run", false, "count requests and estimate tokens without sending any")
	f.output.add(cmd, render.TextFormat, render.JSONFormat, render.MarkdownFormat, render.HTMLFormat)
	a.addQuiet(cmd)
	complete(cmd, "target", report.YoudenTarget, report.KappaTarget)
	return cmd
}

func (a *app) align(ctx context.Context, dir string, f *alignFlags) error {
	switch c := &f.cfg; {
	case c.Target != report.YoudenTarget && c.Target != report.KappaTarget:
		return usagef("--target %q: want J or kappa", c.Target)
	case c.Rounds < 1 || c.Budget < 0 || !(c.Alpha > 0 && c.Alpha < 1):
		return usagef("--rounds must be at least 1, --budget at least 0, and --alpha between 0 and 1")
	}
	bar := a.bar()
	job, kept, err := a.alignJob(ctx, dir, f, bar.observer(a))
	if err != nil {
		return a.alignError(err)
	}
	if f.dryRun {
		return a.alignDry(job, f.format)
	}
	out, made, err := job.Run(ctx, run.Means{Kept: kept, Discover: a.discover, Outage: time.Minute})
	bar.finish()
	if err != nil {
		return a.alignError(err)
	}
	if made {
		a.note("this alignment was made before; nothing is asked. New labels make a new one")
	}
	return render.Alignment(a.outFor(f.format), out, f.format, a.look(&f.output, ""))
}

// alignError gives an error its exit code, and says that nothing is paid twice.
func (a *app) alignError(err error) error {
	const again = "what was answered is saved; the same command goes on"
	switch {
	case errors.Is(err, context.Canceled):
		return &codeError{exitInterrupted, errors.New("interrupted; " + again)}
	case errors.Is(err, align.ErrFew), is[*align.BudgetError](err):
		return usage(err)
	}
	return a.runError(err, nil, "")
}

// alignJob reads the run, its labels and the labelled conversations. It sends nothing. kept is what
// is known about the run's endpoints.
func (a *app) alignJob(ctx context.Context, dir string, f *alignFlags, obs run.Observer) (j *align.Job,
	kept []instrument.Profile, err error) {
	m, c, err := saved(dir)
	if err != nil {
		return nil, nil, err
	}
	of, problems, err := align.ReadLabels(dir, m, f.labels, f.by, f.cfg.Alpha)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range problems {
		a.note(p)
	}
	if strings.ContainsAny(f.rubric, `/\.`) {
		if f.rubric, err = filepath.Abs(f.rubric); err != nil {
			return nil, nil, err
		}
	}
	if of.Dir, err = enter(m.Directory, dir); err != nil {
		return nil, nil, err
	}
	of.Whole = report.IsOverall(f.rubric) || len(m.Rubrics) == 1
	if err := alignConfig(c, m, f); err != nil {
		return nil, nil, err
	}
	task, err := a.task(ctx, c, of.Dir, false)
	if err != nil {
		return nil, nil, err
	}
	f.cfg.Now = time.Now()
	j, unused, err := align.NewJob(ctx, task, of, f.cfg, obs)
	if unused > 0 {
		a.note(fmt.Sprintf("%s: the log has no such item, or the rubric does not ask about it", words.Count(unused,
			"label is not used", "labels are not used")))
	}
	return j, m.Profiles, err
}

// alignDry says what an alignment takes at most.
func (a *app) alignDry(job *align.Job, format render.Format) error {
	e, err := job.Estimate()
	if err != nil {
		return usage(err)
	}
	if format == render.JSONFormat {
		return writeJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%s: at most %d judgements and %d proposals, usually a third of that; a judgement has about %d "+
		"prompt tokens, and up to %d more with guidelines and examples\nthe run's own answers to the %d labelled items are "+
		"used again\n", words.Counted(e.Labels, "label"), e.Judgements, e.Proposals, e.PromptTokens, align.MoreTokens, e.Labels)
	return nil
}
