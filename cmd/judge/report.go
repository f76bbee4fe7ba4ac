package main

import (
	"errors"

	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/run/directory"
)

func reportCommand(a *app) *cobra.Command {
	var out output
	var must gateFlags
	var thresholds []string
	var calibrated, gold, against string
	var write bool
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "render a saved run again, also with other thresholds; nothing is sent",
		Long: `render a saved run again, also with other thresholds; nothing is sent.

The gates that the run was started with are decided again, by what the report now
says, and end as judge run does: exit code 100 when one fails, and 4 when fewer
judgements were scored than the coverage floor of the run. Of a run that is unfinished
or damaged the report shows what there is, decides no gate and ends with exit code 4.
--fail-under adds to the gates, --no-gates leaves them out.`,
		Example: `  judge report runs/latest --format markdown
  judge report runs/latest --threshold overall_call_correctness=0.8
  judge report runs/latest --threshold function_intent_alignment=4..5 --json
  judge report runs/latest --against runs/main --format html
  judge report runs/latest --calibration runs/latest/calibration.json --write`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			args[0] = runDirectory(args[0])
			format, err := out.resolve()
			if err != nil {
				return err
			}
			cfg := assembly.Config{Gold: gold}
			if cfg.Thresholds, err = parseThresholds(thresholds); err != nil {
				return err
			}
			if cfg.Calibration, err = readCalibration(calibrated); err != nil {
				return err
			}
			if against, err = earlier(against, args[0]); err != nil {
				return err
			}
			if against != "" {
				c, err := directory.Against(args[0], against, cfg)
				if err != nil {
					return usage(err)
				}
				cfg.Comparisons = append(cfg.Comparisons, c)
			}
			r, decision, err := savedReport(args[0], cfg, &must)
			var part *directory.Partial
			if err != nil && (r == nil || !errors.As(err, &part)) {
				return err
			}
			if write && part == nil {
				if err := directory.WriteReports(args[0], r); err != nil {
					return usage(err)
				}
			}
			if err := a.print(r, format); err != nil {
				return err
			}
			a.stepSummary(r)
			if part != nil {
				return part
			}
			return a.saved(args[0], decision)
		},
	}
	out.add(cmd, render.Formats()...)
	cmd.Flags().StringVar(&gold, "gold", "", "label or scorer to take for the truth in headlines")
	cmd.Flags().StringVar(&against, "against", "",
		"run directory of an earlier run: the report says what changed since")
	cmd.Flags().StringArrayVar(&thresholds, "threshold", nil,
		"decide verdicts by rubric=low or rubric=low..high, repeatable")
	cmd.Flags().StringVar(&calibrated, "calibration", "",
		"apply a calibration.json of judge calibrate: fitted thresholds and confidences, the corrected pass rate")
	cmd.Flags().BoolVar(&write, "write", false,
		"also write report.json, report.md and report.html of the run anew, as they are printed here")
	must.add(cmd)
	return cmd
}
