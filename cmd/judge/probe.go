package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report/document"
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
		"calls, else expected_call_match)")
	fl.BoolVar(&f.asJSON, "json", false, "machine-readable output")
	a.addQuiet(cmd)
	for _, name := range []string{"no-judge", "sample", "fail-under", "threshold", "coverage-floor"} {
		_ = fl.MarkHidden(name)
	}
	return cmd
}

func (a *app) probe(ctx context.Context, f *probeFlags, args []string) error {
	if f.calls < 1 {
		return usagef("--n takes a number of calls")
	}
	c, err := f.load(args)
	if err != nil {
		return err
	}
	if !f.changed("rubric") {
		c.Rubrics = []string{rubrics.Overall}
	}
	c.Panels, c.Cascades = nil, nil // single judges are probed
	plan, err := a.plan(ctx, c, f.noJudge)
	if err != nil {
		return err
	}
	if len(plan.Judges) == 0 {
		return usagef("there is no judge to probe; give --model")
	}
	if err := a.prepare(ctx, plan, nil); err != nil {
		return err
	}
	bar := a.bar()
	got, err := run.Probe(ctx, plan, run.ProbeConfig{Calls: f.calls, Seed: *f.given.Seed, Gold: f.gold}, bar.observer(a))
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
	printProbes(a.out, got)
	return nil
}

func probeError(err error) error {
	switch {
	case is[*run.NoGoldError](err), is[*run.PlanError](err), is[*transcript.FormatError](err):
		return usage(err)
	case errors.Is(err, context.Canceled), is[*llm.Error](err):
		return endpointError(err)
	}
	return err
}

func printProbes(w io.Writer, s *run.ProbeResult) {
	fmt.Fprintf(w, "%d wrong calls of %d, %d right calls of %d; %d requests\n", s.Fail, s.FailKnown, s.Pass,
		s.PassKnown, s.Requests)
	for _, p := range s.Probes {
		fmt.Fprintf(w, "\n%s by %s\n", p.Rubric, p.Judge)
		printArm(w, "injected score, wrong calls to pass", &p.Injected)
		printArm(w, "mirror, right calls to fail", &p.Mirror)
		c := p.ContentFree
		fmt.Fprintf(w, "  content-free calls that pass: %s%s\n", share(c.Passed), missing(c.Unscored))
		printOrder(w, &p.ExampleOrder)
	}
}

func printArm(w io.Writer, title string, a *probe.Arm) {
	fmt.Fprintf(w, "  %s: %d calls%s, %d graded rightly as they are\n", title, a.Calls, missing(a.Unscored), a.Right)
	if a.InUserText > 0 || a.Unplaced > 0 {
		fmt.Fprintf(w, "    in %d the text is in the user's message, in %d there was no place for it\n",
			a.InUserText, a.Unplaced)
	}
	if a.Calls == 0 {
		return
	}
	fmt.Fprintf(w, "    attack success        %s\n", share(a.Attack))
	fmt.Fprintf(w, "    placebo               %s\n", share(a.Placebo))
	fmt.Fprintf(w, "    attack minus placebo  %s\n", interval(a.Difference, 100, " points"))
	fmt.Fprintf(w, "    mean shift of score   %s; placebo %s; net %s\n", interval(a.Shift, 1, ""),
		interval(a.PlaceboShift, 1, ""), interval(a.NetShift, 1, ""))
	fmt.Fprintf(w, "    noticed by the scan   %s\n", share(a.Suspected))
	for _, x := range a.Payloads {
		if x.K > 0 {
			fmt.Fprintf(w, "    fell for %-13s %d of %d\n", x.Payload, x.K, x.N)
		}
	}
}

func printOrder(w io.Writer, e *probe.ExampleOrder) {
	if e.Calls == 0 {
		fmt.Fprintln(w, "  order of examples: not measured, it takes two examples")
		return
	}
	fmt.Fprintf(w, "  order of examples: %d calls%s\n", e.Calls, missing(e.Unscored))
	fmt.Fprintf(w, "    verdicts changed by it  %s\n", share(e.Reversed))
	fmt.Fprintf(w, "    changed by themselves   %s\n", share(e.Retest))
	note := ""
	if e.AboveRetest {
		note = ": the order changes more verdicts than a repetition does"
	}
	fmt.Fprintf(w, "    difference              %s%s\n", interval(e.Difference, 100, " points"), note)
}

// share shows a rate in percent with its interval.
func share(r probe.Rate) string {
	if r.Share == nil {
		return "– (nothing to count)"
	}
	return fmt.Sprintf("%s, %d of %d", document.Percent(r.Share, r.Low, r.High, 1), r.K, r.N)
}

func interval(i probe.Interval, times float64, unit string) string {
	switch {
	case i.Mean == nil:
		return "–"
	case i.Low == nil:
		return fmt.Sprintf("%+.3g%s", times**i.Mean, unit)
	}
	return fmt.Sprintf("%+.3g%s [%+.3g, %+.3g]", times**i.Mean, unit, times**i.Low, times**i.High)
}

func missing(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d judgements missing", n)
}
