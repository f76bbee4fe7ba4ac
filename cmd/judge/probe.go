package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/probe"
	"github.com/judgekit/judge/rubrics"
)

// probeFlags are the flags of judge probe.
type probeFlags struct {
	settings
	calls  int
	gold   string
	asJSON bool
}

func probeCommand(a *app) *cobra.Command {
	var f probeFlags
	cmd := newCommand("probe LOG...", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		return a.probe(ctx, &f, args)
	})
	f.addInput(cmd)
	f.addJudges(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.calls, "n", 40, "calls of each kind, right and wrong")
	fl.StringVar(&f.gold, "gold", "", "label or scorer that says which calls are right (default: labels of "+
		"calls, else "+deterministic.ExpectedCallMatch.Name+")")
	fl.BoolVar(&f.asJSON, "json", false, "machine-readable output")
	a.addQuiet(cmd)
	fl.Lookup("rubric").Usage = "built-in rubric or rubric file, repeatable (default: " + rubrics.Overall + ")"
	for _, name := range []string{"no-judge", "sample", "fail-under", "threshold", "coverage-floor"} {
		_ = fl.MarkHidden(name)
	}
	return cmd
}

func (a *app) probe(ctx context.Context, f *probeFlags, args []string) error {
	if f.calls < 1 {
		return usagef("--n must be at least 1")
	}
	c, err := f.load(args)
	if err != nil {
		return err
	}
	if !f.changed("rubric") {
		c.Rubrics = []string{rubrics.Overall}
	}
	c.Panels, c.Cascades = nil, nil // single judges are probed
	task, err := a.task(ctx, c, "", f.noJudge)
	if err != nil {
		return err
	}
	if len(task.Judges) == 0 {
		return usagef("there is no judge to probe; give --model")
	}
	bar := a.bar()
	got, err := run.Probe(ctx, *task, run.ProbeConfig{
		Calls: f.calls, Seed: *f.given.Seed, Gold: f.gold,
		Discover: a.discover,
	}, bar.observer(a))
	bar.finish()
	if err != nil {
		return probeError(err)
	}
	if f.asJSON {
		return writeJSON(a.out, struct {
			Schema string `json:"schema"`
			Seed   int64  `json:"seed"`
			Gold   string `json:"gold,omitempty"`
			*run.ProbeResult
		}{"judge.probe/v1", *f.given.Seed, f.gold, got})
	}
	return writeText(a.out, "probe", got)
}

func probeError(err error) error {
	switch {
	case is[*run.NoGoldError](err), is[*run.TaskError](err), is[*transcript.FormatError](err):
		return usage(err)
	case errors.Is(err, context.Canceled), is[*llm.Error](err):
		return endpointError(err)
	}
	return err
}

// rate shows a rate in percent with its interval.
func rate(r probe.Rate) string {
	if r.Share == nil {
		return "– (nothing to count)"
	}
	share := report.Estimate{Value: r.Share, Low: r.Low, High: r.High}
	return fmt.Sprintf("%s, %d of %d", words.Percent(share, 1), r.K, r.N)
}

// interval shows a mean with its interval, times a factor, in a unit.
func interval(i probe.Interval, times float64, unit string) string {
	switch {
	case i.Mean == nil:
		return "–"
	case i.Low == nil:
		return fmt.Sprintf("%+.3g%s", times**i.Mean, unit)
	}
	return fmt.Sprintf("%+.3g%s [%+.3g, %+.3g]", times**i.Mean, unit, times**i.Low, times**i.High)
}
