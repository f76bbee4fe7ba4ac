package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// scoreFlags are the flags of judge score.
type scoreFlags struct {
	settings
	cases string
	out   string
	output
	scores bool
}

func scoreCommand(a *app) *cobra.Command {
	var f scoreFlags
	cmd := newCommand("score LOG... | score --cases FILE", nil, func(ctx context.Context, args []string) error {
		if f.cases != "" {
			if len(args) > 0 {
				return usagef("--cases and logs cannot be combined")
			}
			return a.scoreCases(f.cases)
		}
		return a.score(ctx, &f, args)
	})
	f.addInput(cmd)
	f.noJudge = true
	f.output.add(cmd, render.Formats()...)
	cmd.Flags().StringVar(&f.cases, "cases", "", "file of ready-made cases, - for standard input")
	cmd.Flags().StringVar(&f.out, "out", "", "also write this run directory")
	cmd.Flags().BoolVar(&f.scores, "scores", false, "print the score stream (JSONL) instead of a report")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "no notes")
	return cmd
}

func (a *app) scoreCases(path string) error {
	in := a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return meant(path, err)
		}
		defer f.Close()
		in = f
	}
	out := bufio.NewWriterSize(value.VisibleJSONWriter(a.out), 1<<16)
	unreadable, err := deterministic.ScoreCases(in, out, runtime.GOMAXPROCS(0))
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if err != nil {
		return err
	}
	if unreadable > 0 {
		return usagef("%s: %d lines are not cases; the results give their numbers", path, unreadable)
	}
	return nil
}

func (a *app) score(ctx context.Context, f *scoreFlags, args []string) error {
	c, err := f.load(args)
	if err != nil {
		return err
	}
	if len(c.Logs) == 0 {
		return errNoLog
	}
	task, err := a.scoringTask(c, "")
	if err != nil {
		return err
	}
	task.Idle = idleRubrics(c)
	c.Judges, c.Rubrics = nil, nil
	task.Config = c.Value()
	if f.scores {
		return a.scoreStream(ctx, task, f)
	}
	return a.scoreReport(ctx, task, f)
}

func (a *app) scoreReport(ctx context.Context, task *run.Task, f *scoreFlags) error {
	dir, kept := f.out, f.out != ""
	compares := slices.ContainsFunc(task.Gates, func(g measure.Gate) bool { return g.MaxDrop != nil })
	again := f.output.format == render.JUnitFormat && len(task.Gates) > 0 // JUnit has cases by call
	if !kept && (compares || again || task.Sample > 0) {
		var err error
		if dir, err = os.MkdirTemp("", "judge-score-"); err != nil {
			return err
		}
		a.atEnd(func() { _ = os.RemoveAll(dir) })
	}
	whole := kept || compares || again
	out, err := a.scored(ctx, task, dir, whole)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		return a.runError(err, out, dir)
	}
	look := a.look(&f.output, dir)
	if !kept {
		look.Run = ""
	}
	if !whole {
		look.Scores = nil
	}
	if err := render.Report(a.outFor(f.output.format), out.Report, f.output.format, look); err != nil {
		return err
	}
	a.noteEmpty(out.Reading)
	switch n := out.Reading.Unreadable; {
	case kept:
		a.closing(out, dir)
	case n > shownProblems:
		a.note(fmt.Sprintf("%d records of the logs could not be read; judge logs inspect --oddities names all", n))
	}
	return a.gates(out.Gates)
}

// scored scores the logs. whole says that a run directory is written as well.
func (a *app) scored(ctx context.Context, task *run.Task, dir string, whole bool) (*run.Outcome, error) {
	if dir != "" {
		if _, err := directory.Spool(dir, task.Logs, false); err != nil {
			return nil, err
		}
	}
	obs := a.scoreObserver()
	if !whole {
		return run.ScoreReport(ctx, *task, obs)
	}
	spec, err := run.Resolve(ctx, *task, dir)
	if err != nil {
		return nil, err
	}
	in, err := run.Prepare(ctx, spec, dir, run.Means{}, obs)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return run.Execute(ctx, spec, in, obs)
}

func (a *app) scoreObserver() run.Observer { return run.Observer{Unreadable: a.firstFew(a.note)} }

// scoreStream writes the scores as they are computed and keeps nothing.
func (a *app) scoreStream(ctx context.Context, task *run.Task, f *scoreFlags) error {
	reading, err := run.ScoreTo(ctx, *task, value.VisibleJSONWriter(a.out), a.scoreObserver())
	if err != nil {
		return a.runError(err, nil, "")
	}
	a.noteEmpty(reading)
	if n := reading.Notes[transcript.ReferenceConflict]; n > 0 {
		a.note(words.ReferenceConflicts(n))
	}
	if n := reading.Notes[transcript.CallInText]; n > 0 {
		a.note(words.CallsInText(n))
	}
	if reading.Unreadable > 0 {
		return usagef("%s of the logs could not be read; all others were scored", words.Counted(reading.Unreadable, "record"))
	}
	return nil
}
