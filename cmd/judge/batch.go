package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/batch"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
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

// add adds the flags that say what to ask and how to write files.
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
