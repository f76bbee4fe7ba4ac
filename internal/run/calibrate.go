package run

import (
	"io"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/calibration"
)

// CalibrationFile is where a run directory keeps its calibration.
const CalibrationFile = "calibration.json"

// Sheet draws what of a run is to be labelled: conversations at random, and the most
// telling disagreements of the run's report.
func Sheet(dir string, cfg calibration.SheetConfig) ([]calibration.Row, error) {
	in, err := openRun(dir)
	if err != nil {
		return nil, err
	}
	var queue report.Disagreements
	if cfg.Queue >= 0 {
		r, err := report.Build(in, report.Config{})
		if err != nil {
			return nil, err
		}
		queue = r.Disagreements
	}
	return calibration.Sheet(in, queue, cfg)
}

// Calibrate compares the judges of a run with a filled sheet, whose name stands in
// errors. A column with the name of one of the run's rubrics is of that rubric alone.
func Calibrate(dir string, sheet io.Reader, name string, cfg calibration.Config) (*report.Calibration, error) {
	in, err := openRun(dir)
	if err != nil {
		return nil, err
	}
	var rubrics []string
	for _, r := range in.Manifest.Rubrics {
		rubrics = append(rubrics, r.Name)
	}
	rows, err := calibration.ReadSheet(sheet, name, rubrics)
	if err != nil {
		return nil, err
	}
	return calibration.Calibrate(in, rows, cfg)
}
