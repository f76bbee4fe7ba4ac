package assembly

import (
	"fmt"
	"iter"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
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
	rows := map[[2]string]report.CalibrationRow{}
	for _, r := range c.Rows {
		if !b.manifest.HasJudgement(r.Judge, r.Rubric) {
			continue
		}
		rows[[2]string{r.Judge, r.Rubric}] = r
		r.ConfidenceMapped = r.Confidence.Use
		if r.Threshold.Change {
			r.CutInUse = r.Threshold.Best.Value
		}
		if !out.OfThisRun {
			r.PassRate = nil // the labels are no sample of this run
		}
		out.Rows = append(out.Rows, r)
	}
	if len(rows) == 0 {
		return fmt.Errorf("calibration %s: none of its judges and rubrics is in this run", c.RunID)
	}
	for _, u := range c.Unlabelled {
		if _, ok := b.manifest.Rubric(u.Rubric); ok {
			out.Unlabelled = append(out.Unlabelled, u)
		}
	}
	b.applied = out
	scores := b.scores
	b.scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for s, err := range scores() {
				r, ok := rows[[2]string{s.Judge, s.Name}]
				if ok && err == nil && s.Source == score.Judge && s.Metric == "" {
					s = r.Apply(s)
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	return nil
}
