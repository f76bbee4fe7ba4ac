package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
)

// calibrateFlags are the flags of judge calibrate.
type calibrateFlags struct {
	sheet, labels, by, out string
	calls, queue           int
	each                   perConversation
	seed                   uint64
	alpha, width           float64
	output
	force    bool
	byRubric bool
}

func calibrateCommand(a *app) *cobra.Command {
	var f calibrateFlags
	cmd := newCommand("calibrate RUN | calibrate RUN --sheet FILE | calibrate RUN --labels FILE", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			if f.sheet != "" && f.labels != "" || f.by != "" && f.sheet+f.labels != "" {
				return usagef("give one of --sheet FILE, --labels FILE and --by NAME")
			}
			dir := runDirectory(args[0])
			if m, err := directory.ReadManifest(dir); err == nil && len(m.Judges) == 0 {
				return usagef("%s has no judge to calibrate: label its calls with\n  judge view %[1]s\nand judge report %[1]s "+
					"has the rate by your labels", dir)
			}
			if f.sheet != "" {
				return a.labelSheet(ctx, dir, &f)
			}
			return a.calibrate(ctx, dir, &f)
		})
	f.add(cmd)
	return cmd
}

func (f *calibrateFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.sheet, "sheet", "", "write the table to fill in (CSV)")
	flags.IntVar(&f.calls, "n", 200, "with --sheet: how many calls to draw at random, about")
	f.each.add(flags, "with --sheet: ")
	flags.IntVar(&f.queue, "queue", 50, "with --sheet: how many disagreements to add, 0 for none")
	flags.BoolVar(&f.force, "force", false, "with --sheet: overwrite the file")
	flags.BoolVar(&f.byRubric, "by-rubric", false,
		"with --sheet: add a column for each rubric")
	flags.StringVar(&f.labels, "labels", "", "the filled table, instead of the labels from judge view")
	flags.StringVar(&f.by, "by", "", "whose label counts if several people labelled a call (default: the person "+
		"with most labels)")
	flags.StringVar(&f.out, "out", "", "where to store the calibration (default "+
		"calibration.json in the run directory)")
	flags.Float64Var(&f.alpha, "alpha", 0.05, "error rate of the intervals")
	flags.Float64Var(&f.width, "width", 0.1, "how narrow the interval of the true pass rate should be")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the random draw and of the split into halves")
	f.output.add(cmd, render.TextFormat, render.JSONFormat)
}

func (a *app) calibrate(ctx context.Context, dir string, f *calibrateFlags) error {
	if !(f.alpha > 0 && f.alpha < 1) || !(f.width > 0 && f.width < 1) {
		return usagef("--alpha and --width must lie between 0 and 1")
	}
	c, err := a.calibration(dir, f)
	if err != nil {
		return usage(err)
	}
	out := cmp.Or(f.out, filepath.Join(dir, run.CalibrationFile))
	var b bytes.Buffer
	if err := report.WriteJSON(&b, c); err != nil {
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		return usage(err)
	}
	if err := render.Calibration(a.outFor(f.format), c, f.format, a.look(&f.output, "")); err != nil {
		return err
	}
	if f.out != "" {
		fmt.Fprintf(a.err, "judge: wrote %s; judge report %s --calibration %s applies it\n", out, dir, out)
		return nil
	}
	return a.applyCalibration(ctx, dir, out)
}

// applyCalibration writes the reports of a run again after its directory got a calibration.
func (a *app) applyCalibration(ctx context.Context, dir, file string) error {
	r, _, err := savedReport(dir, measure.Config{}, &gateFlags{})
	if part, partly := errors.AsType[*directory.Partial](err); partly {
		fmt.Fprintf(a.err, "judge: wrote %s; the reports will be written when the run is complete: %s\n", file,
			part.Problem)
		return nil
	}
	if err == nil {
		err = a.writePages(ctx, dir, r, false, true)
	}
	if err != nil {
		return fmt.Errorf("%s is written, and the reports of %s are not: %w", file, dir, err)
	}
	fmt.Fprintf(a.err, "judge: wrote %s, report.json, report.md and report.html; judge report and judge view use "+
		"the labels from now on\n", file)
	return nil
}

// calibration calibrates with the labels of a sheet, or with those in the run directory.
func (a *app) calibration(dir string, f *calibrateFlags) (c *report.Calibration, err error) {
	cfg := measure.CalibrateConfig{Alpha: f.alpha, Width: f.width, Seed: f.seed}
	if f.labels == "" {
		var problems []string
		c, problems, err = run.CalibrateLabels(dir, f.by, cfg)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no labels: label calls with\n  judge view %s\nor give --sheet FILE to get "+
				"a table to fill in, or --labels FILE with the filled one", dir, dir)
		}
		for _, p := range problems {
			fmt.Fprintf(a.err, "judge: %s\n", p)
		}
		if err == nil && c.Random+c.Queue == 0 {
			err = fmt.Errorf("%s has no label of a call that a judge scored: label some with\n  judge view %s", dir, dir)
		}
		return c, err
	}
	in, err := os.Open(f.labels)
	if err != nil {
		return nil, meant(f.labels, err)
	}
	defer in.Close()
	c, err = run.Calibrate(dir, in, f.labels, cfg)
	if err == nil && c.Random+c.Queue == 0 {
		err = fmt.Errorf("%s: no labelled row is a call that a judge of %s scored; write pass or fail into the column "+
			"label or into that of a rubric", f.labels, dir)
	}
	return c, err
}

// readCalibration reads a stored calibration; for "" it returns nil.
func readCalibration(path string) (*report.Calibration, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, meant(path, err)
	}
	defer f.Close()
	c, err := report.ReadCalibration(f, path)
	return c, usage(err)
}
