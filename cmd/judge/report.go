package main

import (
	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run"
)

func reportCommand(a *app) *cobra.Command {
	var out output
	var thresholds, failUnders []string
	var calibrated, gold string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "render a saved run again, also with other thresholds; nothing is sent",
		Example: `  judge report runs/last --format markdown
  judge report runs/last --threshold overall_call_correctness=0.8
  judge report runs/last --threshold function_intent_alignment=4..5 --json
  judge report runs/last --calibration runs/last/calibration.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := out.resolve()
			if err != nil {
				return err
			}
			cfg := report.Config{Gold: gold}
			if cfg.Thresholds, err = parseThresholds(thresholds); err != nil {
				return err
			}
			if cfg.Calibration, err = readCalibration(calibrated); err != nil {
				return err
			}
			var gates []gate.Gate
			for _, text := range failUnders {
				g, err := failUnder(text)
				if err != nil {
					return err
				}
				gates = append(gates, g.Gate)
			}
			r, decision, err := run.Report(args[0], cfg, gates)
			if err != nil {
				return usage(err)
			}
			if err := a.print(r, format); err != nil {
				return err
			}
			return a.gates(decision)
		},
	}
	out.add(cmd)
	cmd.Flags().StringVar(&gold, "gold", "", "label or scorer to take for the truth in headlines")
	cmd.Flags().StringArrayVar(&thresholds, "threshold", nil, "decide verdicts by rubric=low or rubric=low..high, repeatable")
	cmd.Flags().StringVar(&calibrated, "calibration", "", "apply a calibration.json of judge calibrate: fitted thresholds and confidences, the corrected pass rate")
	cmd.Flags().StringArrayVar(&failUnders, "fail-under", nil, "gate NAME=VALUE: exit 100 when the pass rate is below VALUE for sure, repeatable")
	return cmd
}
