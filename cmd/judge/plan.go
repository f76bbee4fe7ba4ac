package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
)

// planFlags are the flags of judge plan; Drop and HalfWidth are in points.
type planFlags struct {
	output
	drop, halfWidth, power, alpha float64
}

// defaultPoints is the drop or half-width, in points, to plan for if neither is given.
const defaultPoints = 5

func planCommand(a *app) *cobra.Command {
	var f planFlags
	cmd := newCommand("plan RUN", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		if f.drop == 0 && f.halfWidth == 0 {
			f.drop, f.halfWidth = defaultPoints, defaultPoints
		}
		return a.plan(runDirectory(args[0]), &f)
	})
	flags := cmd.Flags()
	flags.Float64Var(&f.drop, "drop", 0, "the drop that two runs are to show, in points of the agent's pass rate "+
		"(default 5, unless --half-width is given)")
	flags.Float64Var(&f.halfWidth, "half-width", 0, "how exactly labels are to give the pass rate, ± so many points "+
		"(default 5, unless --drop is given)")
	flags.Float64Var(&f.power, "power", 0.8, "the chance to find the drop")
	flags.Float64Var(&f.alpha, "alpha", 0.05, "error rate of intervals and of tests")
	f.output.add(cmd, render.TextFormat, render.JSONFormat, render.MarkdownFormat)
	return cmd
}

func (a *app) plan(dir string, f *planFlags) error {
	for name, points := range map[string]float64{"drop": f.drop, "half-width": f.halfWidth} {
		if points != 0 && !(points >= 0.1 && points < 100) {
			return usagef("--%s is in points and must lie between 0.1 and 100: 5 is five of a hundred", name)
		}
	}
	if !(f.power > 0.5 && f.power < 1) || !(f.alpha > 0 && f.alpha < 1) {
		return usagef("--power must lie between 0.5 and 1, --alpha between 0 and 1")
	}
	p, err := run.Plan(dir, measure.Config{Alpha: f.alpha},
		report.Plan{Drop: f.drop / 100, HalfWidth: f.halfWidth / 100, Power: f.power})
	if err != nil {
		return usage(err)
	}
	if len(p.Judges) == 0 {
		return usagef("%s: no judge passes or fails a call or conversation: there is nothing to plan from", dir)
	}
	return render.Document(a.outFor(f.format), p, func() *words.Document { return words.Plan(p) }, f.format,
		a.look(&f.output, ""))
}
