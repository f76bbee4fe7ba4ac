package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/batch"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// batchFlags are the flags of judge batch export and judge batch run.
type batchFlags struct {
	runFlags
	limits  batch.Limits
	again   bool
	noProbe bool
	rounds  int
}

// add adds the flags for what is asked and how files are made.
func (f *batchFlags) add(cmd *cobra.Command) {
	f.addInput(cmd)
	f.addJudges(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "run directory (default runs/<time>-<short id>)")
	fl.StringVar(&f.resume, "resume", "", "next round of the run in this directory")
	fl.IntVar(&f.limits.Requests, "max-requests", batch.DefaultRequests, "most requests in a file")
	fl.Int64Var(&f.limits.Bytes, "max-bytes", batch.DefaultBytes, "most bytes in a file")
	fl.BoolVar(&f.noProbe, "no-probe", false,
		"do not ask the endpoint what it supports; a profile of judge doctor is still used")
}

func batchExportCommand(a *app) *cobra.Command {
	var f batchFlags
	cmd := newCommand("export [LOG...]", nil, func(ctx context.Context, args []string) error {
		return a.batchExport(ctx, &f, args)
	})
	f.add(cmd)
	a.addQuiet(cmd)
	cmd.Flags().BoolVar(&f.again, "again", false, "export again even if the last round has no answers yet")
	return cmd
}

// prepareBatch resolves a run and finds out how its requests are made.
func (a *app) prepareBatch(ctx context.Context, f *batchFlags, args []string) (*run.Spec, string, run.Means, error) {
	f.files = true
	task, dir, err := a.asked(ctx, &f.runFlags, args)
	if err != nil {
		return nil, "", run.Means{}, err
	}
	if slices.ContainsFunc(task.Judges, func(j instrument.Judge) bool { return j.Baseline }) {
		return nil, "", run.Means{}, usagef("a batch needs an endpoint and its model: give --base-url and --model")
	}
	if len(task.Judges) == 0 {
		return nil, "", run.Means{}, usagef("a batch needs a judge: leave out --no-judge")
	}
	spec, err := a.resolve(ctx, task, dir, f.resume != "")
	if err != nil {
		return nil, "", run.Means{}, err
	}
	means, err := a.means(ctx, spec, &f.runFlags)
	means.Discover = a.discoverOrAssume
	if f.noProbe {
		means.Discover = func(_ context.Context, list []instrument.Judge, by []*rubrics.Rubric,
			kept []instrument.Profile) error {
			return endpointError(instrument.Assume(list, by, kept, a.profiles))
		}
	}
	return spec, dir, means, err
}

// discoverOrAssume finds out what the endpoints support, and makes assumptions if they cannot be
// reached.
func (a *app) discoverOrAssume(ctx context.Context, list []instrument.Judge, by []*rubrics.Rubric,
	kept []instrument.Profile) error {
	err := a.discover(ctx, list, by, kept)
	e, failed := errors.AsType[*llm.Error](err)
	if !failed || !e.Unreached && e.Kind != llm.KindNotFound {
		return err
	}
	a.note(fmt.Sprintf("%s is not there to be asked (%s): requests are made for an endpoint that takes "+
		"JSON Schemas; --transport says otherwise", e.Endpoint, e.Message))
	return endpointError(instrument.Assume(list, by, kept, a.profiles))
}

func (a *app) batchExport(ctx context.Context, f *batchFlags, args []string) error {
	spec, dir, means, err := a.prepareBatch(ctx, f, args)
	if err != nil {
		return err
	}
	if means.Resume && !f.again {
		if err := run.Outstanding(dir); err != nil {
			return usage(err)
		}
	}
	round, err := a.batchRound(ctx, spec, dir, f, &means)
	if err != nil {
		return err
	}
	if round.Requests == 0 {
		fmt.Fprintf(a.out, "nothing is left to ask: make the report with\n  %s\n", directory.ResumeCommand(dir))
		return nil
	}
	fmt.Fprintf(a.out, "%s in %s:\n", words.Counted(round.Requests, "request"),
		words.Counted(len(round.Files()), "file"))
	for _, name := range round.Files() {
		fmt.Fprintf(a.out, "  %s/%s\n", round.Dir, name)
	}
	fmt.Fprintf(a.out, "%s\nthen  judge batch import %s OUTPUT...\n", roundsAhead(spec), dir)
	return nil
}

// batchRound exports one round. The next round resumes the run.
func (a *app) batchRound(ctx context.Context, spec *run.Spec, dir string, f *batchFlags, means *run.Means,
) (run.Round, error) {
	obs := run.Observer{Note: a.note, Unreadable: func(err error) { a.note(err.Error()) }}
	round, kept, err := run.ExportBatch(ctx, spec, dir, *means, f.limits, obs)
	if err != nil {
		return round, a.runError(err, nil, dir)
	}
	means.Resume, means.Kept = true, kept
	return round, nil
}

// roundsAhead says how many rounds are likely.
func roundsAhead(spec *run.Spec) string {
	tiers := 1
	for i := range spec.Cascades {
		tiers = max(tiers, len(spec.Cascades[i].Tiers))
	}
	text := "one round is enough where every answer fits its rubric"
	if tiers > 1 {
		text = fmt.Sprintf("a cascade of %d tiers takes a round for each", tiers)
	}
	return fmt.Sprintf("%s; answers that do not are repaired in up to %d more", text, judges.DefaultRepairs)
}

func batchImportCommand(a *app) *cobra.Command {
	return newCommand("import RUN OUTPUT...", cobra.MinimumNArgs(2), func(_ context.Context, args []string) error {
		dir := runDirectory(args[0])
		got, err := run.ImportBatch(dir, args[1:])
		if err != nil {
			return usage(err)
		}
		a.imported(got, dir)
		if got.Unreadable > 0 {
			return usagef("%s of the output could not be read", words.Counted(got.Unreadable, "line"))
		}
		return nil
	})
}

// imported prints the result of an import.
func (a *app) imported(got *run.Import, dir string) {
	fmt.Fprintf(a.out, "%s read, %d known before, %d failed; %d of %s without an answer\n",
		words.Counted(got.Answers, "answer"), got.Known, got.Failed, got.Missing,
		words.Counted(got.Requests, "request"))
	for _, line := range got.Problems {
		fmt.Fprintf(a.out, "  %s\n", value.VisibleLine(line))
	}
	if got.Missing > 0 {
		fmt.Fprintf(a.out, "next round:   judge batch export --resume %s\n", dir)
	}
	fmt.Fprintf(a.out, "the rest live, and the report:   %s\n", directory.ResumeCommand(dir))
}

func batchRunCommand(a *app) *cobra.Command {
	var f batchFlags
	cmd := newCommand("run [LOG...]", nil, func(ctx context.Context, args []string) error {
		return a.batchRun(ctx, &f, args)
	})
	f.add(cmd)
	a.addQuiet(cmd)
	f.output.add(cmd, render.Formats()...)
	cmd.Flags().IntVar(&f.rounds, "rounds", 3, "most batches of repairs and failures before the rest is sent live")
	return cmd
}

func (a *app) batchRun(ctx context.Context, f *batchFlags, args []string) error {
	spec, dir, means, err := a.prepareBatch(ctx, f, args)
	if err != nil {
		return err
	}
	a.latest(dir)
	if err := a.batchRounds(ctx, spec, dir, f, &means); err != nil {
		return a.batchError(err, dir)
	}
	means.Resume = true
	return a.execute(ctx, spec, dir, means, &f.runFlags)
}

// batchRounds exports rounds and lets the service answer them until nothing is left to ask.
func (a *app) batchRounds(ctx context.Context, spec *run.Spec, dir string, f *batchFlags, means *run.Means) error {
	b, err := run.NewBatches(spec.Judges, dir, a.note)
	if err != nil {
		return err
	}
	defer b.Close()
	for n := 0; n < max(1, f.rounds); n++ {
		open, err := b.Open()
		if err != nil {
			return err
		}
		if open == 0 {
			round, err := a.batchRound(ctx, spec, dir, f, means)
			if err != nil || round.Requests == 0 {
				return err
			}
			a.note(fmt.Sprintf("%s in %s", words.Counted(round.Requests, "request"),
				words.Counted(len(round.Files()), "batch file")))
			if err := round.Save(); err != nil {
				return err
			}
		}
		got, err := b.Finish(ctx)
		if err != nil {
			return err
		}
		a.note(fmt.Sprintf("%s, %d failed, %d of %s left", words.Counted(got.Answers, "answer"), got.Failed, got.Missing,
			words.Counted(got.Requests, "request")))
		for _, line := range got.Problems {
			a.note(value.VisibleLine(line))
		}
	}
	return nil
}

// batchError gives an unfinished batch its exit code and names the command that continues it.
func (a *app) batchError(err error, dir string) error {
	again := fmt.Errorf("%w\njudge: the batches go on; wait for them with\n  judge batch run --resume %s", err, dir)
	switch e, ok := errors.AsType[*llm.Error](err); {
	case errors.Is(err, context.Canceled), ok && e.Kind == llm.KindCanceled:
		return &codeError{exitInterrupted, again}
	case ok:
		return &codeError{exitEndpoint, again}
	}
	return err
}

func batchCancelCommand(a *app) *cobra.Command {
	var f batchFlags
	cmd := newCommand("cancel RUN", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		f.resume, f.files = args[0], true
		task, dir, err := a.asked(ctx, &f.runFlags, nil)
		if err != nil {
			return err
		}
		b, err := run.NewBatches(task.Judges, dir, a.note)
		if err != nil {
			return err
		}
		defer b.Close()
		stopped, err := b.Cancel(ctx)
		fmt.Fprintf(a.out, "%s asked to stop; what they answered is fetched by\n  judge batch run --resume %s\n",
			words.Counted(stopped, "batch job"), dir)
		return endpointError(err)
	})
	return cmd
}
