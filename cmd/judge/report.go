package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
)

// reportFlags are the flags of judge report.
type reportFlags struct {
	output
	must                      gateFlags
	otel                      otelFlags
	thresholds                []report.Threshold
	calibrated, gold, against string
	write                     bool
	nameGroups                string
}

// noCalibration, given as a file, ignores the calibration of the run directory.
const noCalibration = "none"

func reportCommand(a *app) *cobra.Command {
	var f reportFlags
	cmd := newCommand("report RUN", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		return a.report(ctx, runDirectory(args[0]), &f)
	})
	f.output.add(cmd, append(render.Formats(), itemsCSV, itemsParquet, labelsCSV, otelFormat)...)
	f.otel.add(cmd)
	cmd.Flags().StringVar(&f.gold, "gold", "", "label or scorer that headlines take as the truth")
	cmd.Flags().StringVar(&f.against, "against", "",
		"directory of an earlier run; the report says what changed since then")
	addParsed(cmd, &f.thresholds, "threshold", "which scores pass: rubric=low or rubric=low..high, repeatable",
		report.ParseThreshold)
	cmd.Flags().StringVar(&f.calibrated, "calibration", "",
		"apply this calibration.json in place of the run's own (fitted thresholds and confidences, the "+
			"corrected pass rate), or none")
	cmd.Flags().BoolVar(&f.write, "write", false,
		"also write this report to report.json, report.md and report.html in the run directory")
	cmd.Flags().StringVar(&f.nameGroups, "name-groups", "", "have this model name the groups of failing calls, in one "+
		"request; the names are kept, and marked as the model's")
	f.must.add(cmd)
	return cmd
}

func (a *app) report(ctx context.Context, dir string, f *reportFlags) error {
	switch f.format {
	case itemsCSV, itemsParquet, labelsCSV, otelFormat:
		return a.writeRecorded(dir, f)
	}
	cfg, err := f.config(dir)
	if err != nil {
		return err
	}
	if f.nameGroups != "" {
		if err := a.nameGroups(ctx, dir, f.nameGroups, cfg); err != nil {
			return err
		}
	}
	r, decision, err := savedReport(dir, cfg, &f.must)
	part, partly := errors.AsType[*directory.Partial](err)
	if err != nil && (r == nil || !partly) {
		return err
	}
	if f.format != render.HTMLFormat {
		if err := render.Report(a.outFor(f.format), r, f.format, a.look(&f.output, dir)); err != nil {
			return err
		}
	}
	a.stepSummary(r, dir)
	if err := a.writePages(ctx, dir, r, f.format == render.HTMLFormat, f.write && !partly); err != nil {
		return err
	}
	if partly {
		return part
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return usage(err)
	}
	return a.verdict(m, decision, dir)
}

// writePages prints the page of a run and writes its reports, as requested. To read the logs again,
// it changes to the directory from which the run was started, and then back.
func (a *app) writePages(ctx context.Context, dir string, r *report.Report, printed, written bool) error {
	if !printed && !written {
		return nil
	}
	was, back, err := a.recordedThere(dir)
	if err != nil {
		return err
	}
	defer back()
	data, err := run.PageData(ctx, was.dir, r, was.manifest.Again(ctx, was.logs))
	if err == nil && printed {
		err = render.Page(a.out, r, data)
	}
	if err == nil && written {
		err = run.WriteReports(was.dir, r, data)
	}
	return usage(err)
}

// checkNamed returns an error if a threshold names nothing of the runs in these directories.
func checkNamed(list []report.Threshold, dirs ...string) error {
	if len(list) == 0 {
		return nil
	}
	var runs []*report.Manifest
	for _, dir := range dirs {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return err
		}
		runs = append(runs, &m.Manifest)
	}
	return report.CheckNamed(list, runs...)
}

// config returns the settings for the report of a run directory.
func (f *reportFlags) config(dir string) (measure.Config, error) {
	cfg := measure.Config{Gold: f.gold, Thresholds: f.thresholds}
	err := checkNamed(f.thresholds, dir)
	if err != nil {
		return cfg, usage(err)
	}
	if cfg.Uncalibrated = f.calibrated == noCalibration; !cfg.Uncalibrated {
		if cfg.Calibration, err = readCalibration(f.calibrated); err != nil {
			return cfg, err
		}
	}
	against, err := earlier(f.against, dir)
	if err != nil || against == "" {
		return cfg, err
	}
	c, err := run.Against(dir, against, cfg)
	cfg.Comparisons = append(cfg.Comparisons, c)
	return cfg, usage(err)
}
