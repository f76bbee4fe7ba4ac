package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/calibration"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
)

// calibrateFlags are the flags of judge calibrate.
type calibrateFlags struct {
	sheet, labels, out string
	calls, queue       int
	seed               uint64
	alpha, width       float64
	format             string
	asJSON, force      bool
}

var calibrateFormats = []string{"text", "json"}

func calibrateCommand(a *app) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate RUN --sheet FILE | calibrate RUN --labels FILE",
		Short: "find out with some labels of your own what the judge's numbers are worth",
		Long: `find out with some labels of your own what the judge's numbers are worth.

First --sheet writes a table to fill in: all calls of randomly drawn conversations,
and the most telling disagreements between judge and scorers. It does not show what
the judge said. Read each call at its place in the log and write pass or fail into
the column label; leave empty what you cannot decide.

Then --labels reads it back, filled in wholly or partly, and prints

  - which judge agrees best with you on each rubric, and what it misses;
  - the agent's true pass rate: the judge's rate corrected by its errors on your
    labels (PPI++), with an interval that holds, beside the judge's own;
  - whether another threshold or a mapping of the confidence is worth it, fitted on
    one half of the labels and tried on the other;
  - about how many conversations more would make the interval as narrow as --width.

Picked disagreements enter no estimate: only what was drawn at random does.

The result is stored, bound to judge, model, prompt, rubric and thresholds; judge
report --calibration applies it and refuses it for another instrument.`,
		Example: `  judge calibrate runs/last --sheet labels.csv --n 200 --seed 1
  judge calibrate runs/last --labels labels.csv
  judge report runs/last --calibration runs/last/calibration.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if (f.sheet == "") == (f.labels == "") {
				return usagef("give --sheet FILE to get a table to fill in, or --labels FILE with the filled one")
			}
			if f.sheet != "" {
				return a.labelSheet(args[0], &f)
			}
			return a.calibrate(args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.sheet, "sheet", "", "write the table to fill in (CSV)")
	flags.IntVar(&f.calls, "n", 200, "with --sheet: about how many calls are drawn at random, in whole conversations")
	flags.IntVar(&f.queue, "queue", 50, "with --sheet: how many disagreements are added, 0 for none")
	flags.BoolVar(&f.force, "force", false, "with --sheet: overwrite the file")
	flags.StringVar(&f.labels, "labels", "", "the filled table")
	flags.StringVar(&f.out, "out", "", "with --labels: where the calibration is stored (default calibration.json in the run directory)")
	flags.Float64Var(&f.alpha, "alpha", 0.05, "error rate of the intervals")
	flags.Float64Var(&f.width, "width", 0.1, "wanted width of the true pass rate's interval")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the draw, and of the halves")
	flags.StringVar(&f.format, "format", "text", "text or json")
	flags.BoolVar(&f.asJSON, "json", false, "the same as --format json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(calibrateFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) labelSheet(dir string, f *calibrateFlags) error {
	if f.calls < 1 || f.queue < 0 {
		return usagef("--n takes a number of calls from 1 on, --queue one from 0 on")
	}
	if _, err := os.Stat(f.sheet); !errors.Is(err, fs.ErrNotExist) && !f.force {
		return usagef("%s is there already, and may hold labels: choose another name, or overwrite it with --force", f.sheet)
	}
	cfg := calibration.SheetConfig{Calls: f.calls, Queue: f.queue, Seed: f.seed}
	if f.queue == 0 {
		cfg.Queue = -1
	}
	rows, err := run.Sheet(dir, cfg)
	if err != nil {
		return usage(err)
	}
	if len(rows) == 0 {
		return usagef("%s: no judge scored a call: there is nothing to label", dir)
	}
	var b bytes.Buffer
	if err := calibration.WriteSheet(&b, rows, nil); err != nil {
		return err
	}
	if err := os.WriteFile(f.sheet, b.Bytes(), 0o644); err != nil {
		return usage(err)
	}
	random := 0
	for _, r := range rows {
		if r.Sample == calibration.Random {
			random++
		}
	}
	fmt.Fprintf(a.err, "judge: wrote %s: %d calls drawn at random and %d disagreements. write pass or fail into the column label, then:\n  judge calibrate %s --labels %s\n",
		f.sheet, random, len(rows)-random, dir, f.sheet)
	return nil
}

func (a *app) calibrate(dir string, f *calibrateFlags) error {
	if f.asJSON {
		f.format = "json"
	}
	switch {
	case !contains(calibrateFormats, f.format):
		return usagef("--format %s: known are text, json", f.format)
	case !(f.alpha > 0 && f.alpha < 1) || !(f.width > 0 && f.width < 1):
		return usagef("--alpha and --width take a share between 0 and 1")
	}
	in, err := os.Open(f.labels)
	if err != nil {
		return usage(err)
	}
	defer in.Close()
	c, err := run.Calibrate(dir, in, f.labels, calibration.Config{Alpha: f.alpha, Width: f.width, Seed: f.seed})
	if err != nil {
		return usage(err)
	}
	if c.Random+c.Queue == 0 {
		return usagef("%s: no row is labelled that a judge of %s scored; write pass or fail into the column label", f.labels, dir)
	}
	out := f.out
	if out == "" {
		out = filepath.Join(dir, run.CalibrationFile)
	}
	var b bytes.Buffer
	if err := c.WriteJSON(&b); err != nil {
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o644); err != nil {
		return usage(err)
	}
	color := a.outTerminal && a.getenv("NO_COLOR") == ""
	if err := render.Calibration(a.out, c, render.Format(f.format), render.Config{Color: color, Width: a.width()}); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "judge: wrote %s; apply it with: judge report %s --calibration %s\n", out, dir, out)
	return nil
}

// readCalibration reads a stored calibration; "" is none.
func readCalibration(path string) (*report.Calibration, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usage(err)
	}
	defer f.Close()
	c, err := report.ReadCalibration(f, path)
	return c, usage(err)
}
