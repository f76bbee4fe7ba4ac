package assembly

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
)

// applyCalibration has scores read with verdicts by the fitted cuts, where the calibration
// changes these, and with mapped confidences. It fails where the calibration was made with
// another instrument, or with none of this run's.
func (b *Builder) applyCalibration() error {
	c := b.cfg.Calibration
	if err := c.Check(*b.manifest); err != nil {
		return err
	}
	out := &report.Applied{Calibration: *c, OfThisRun: c.RunID == b.manifest.RunID}
	out.Rows, out.Unlabelled = []report.CalibrationRow{}, []report.UnlabelledRubric{}
	for _, r := range c.Rows {
		if !b.manifest.HasJudgement(r.Judge, r.Rubric) {
			continue
		}
		r.ConfidenceMapped = r.Confidence.Use
		if r.Threshold.Change {
			r.CutInUse = r.Threshold.Best.Value
		}
		if !out.OfThisRun {
			r.PassRate = nil // the labels are no sample of this run
		}
		out.Rows = append(out.Rows, r)
	}
	if len(out.Rows) == 0 {
		return fmt.Errorf("calibration %s: none of its judges and rubrics is in this run", c.RunID)
	}
	for _, u := range c.Unlabelled {
		if _, ok := b.manifest.Rubric(u.Rubric); ok {
			out.Unlabelled = append(out.Unlabelled, u)
		}
	}
	b.applied, b.decide = out, report.Decider(nil, out)
	return nil
}
