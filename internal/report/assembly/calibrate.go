package assembly

import (
	"fmt"
	"iter"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// applyCalibration returns the inputs with verdicts by the fitted cuts, where these were found
// worth it, and with mapped confidences. It fails where the calibration was made with
// another instrument, or with none of this run's.
func applyCalibration(c *report.Calibration, in report.Inputs) (report.Inputs, *report.Applied, error) {
	if err := c.Check(in.Manifest); err != nil {
		return in, nil, err
	}
	out := &report.Applied{
		RunID: c.RunID, OfThisRun: c.RunID == in.Manifest.RunID, Random: c.Random, Queue: c.Queue, Conversations: c.Conversations, Alpha: c.Alpha,
		Rows: []report.AppliedRow{}, Unlabelled: []report.UnlabelledRubric{},
	}
	rows := map[[2]string]report.CalibrationRow{}
	for _, r := range c.Rows {
		if !in.Manifest.HasJudgement(r.Judge, r.Rubric) {
			continue
		}
		rows[[2]string{r.Judge, r.Rubric}] = r
		row := report.AppliedRow{CalibrationRow: r, ConfidenceMapped: r.Confidence.Use}
		if r.Threshold.Change {
			row.CutInUse = r.Threshold.Best.Value
		}
		if !out.OfThisRun {
			row.PassRate = nil // the labels are no sample of this run
		}
		out.Rows = append(out.Rows, row)
	}
	if len(rows) == 0 {
		return in, nil, fmt.Errorf("calibration %s: none of its judges and rubrics is in this run", c.RunID)
	}
	for _, u := range c.Unlabelled {
		if _, ok := in.Manifest.Rubric(u.Rubric); ok {
			out.Unlabelled = append(out.Unlabelled, u)
		}
	}
	scores := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for s, err := range scores() {
				if err == nil && s.Source == score.Judge {
					if r, ok := rows[[2]string{s.Judge, s.Name}]; ok {
						s = recalibrated(r, s)
					}
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	return in, out, nil
}

// recalibrated is a score of the row's instrument as the calibration reads it. A score
// without the confidence that the map speaks of keeps none: what is mapped and what is
// only claimed must not stand in one column.
func recalibrated(r report.CalibrationRow, s score.Score) score.Score {
	if s.Metric != "" {
		return s
	}
	if r.Confidence.Use {
		p, ok := report.ConfidenceOf(s, r.Confidence.Source)
		s.Confidence = nil
		if ok {
			if chance, ok := r.Confidence.At(p); ok {
				s.Confidence = &chance
			}
		}
	}
	if cut := r.Threshold.Best.Value; r.Threshold.Change && cut != nil {
		s = report.Redecide(s, []report.Threshold{{Name: s.Name, Low: *cut}})
	}
	return s
}
