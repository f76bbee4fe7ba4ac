package measure

import (
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// VerdictOf returns a score's own verdict. A label without one decides by its value if that is
// exactly 0 or 1. It does not if it is a recorded answer, whose 1 may be the lowest grade, or a
// category, whose value is an index.
func VerdictOf(s *score.Score) *bool {
	if s.Passed != nil || s.Source != score.Label || s.Value == nil || *s.Value != 0 && *s.Value != 1 ||
		s.Category != "" || strings.HasPrefix(s.Name, transcript.Recorded) {
		return s.Passed
	}
	p := *s.Value == 1
	return &p
}

// applyCut returns a score of the row's instrument with the verdict by the fitted threshold.
func applyCut(r *report.CalibrationRow, s score.Score) score.Score {
	if cut := r.Threshold.Best.Value; r.Threshold.Change && cut != nil {
		s = report.Redecide(s, []report.Threshold{{Name: s.Name, Low: *cut}})
	}
	return s
}

// Redecider returns a function that gives a score the verdict that the report gave it.
func Redecider(r *report.Report) func(score.Score) score.Score {
	var bands []report.Threshold
	for _, text := range r.Run.Thresholds {
		if t, err := report.ParseThreshold(text); err == nil {
			bands = append(bands, t)
		}
	}
	return decider(bands, r.Calibration)
}

// decider returns a function that gives a score its verdict by the bands, or by a calibration (c may be nil).
func decider(bands []report.Threshold, c *report.Applied) func(score.Score) score.Score {
	rows := map[[2]string]report.CalibrationRow{}
	if c != nil {
		for _, row := range c.Rows {
			rows[[2]string{row.Judge, row.Rubric}] = row
		}
	}
	return func(s score.Score) score.Score {
		row, ok := rows[[2]string{s.Judge, s.Name}]
		if ok && s.Source == score.Judge && s.Metric == "" {
			return applyCut(&row, s)
		}
		return report.Redecide(s, bands)
	}
}
