package measure

import (
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// VerdictOf returns the score's own verdict. A label that comes without one and is
// exactly 0 or 1 decides by its value, but for a recorded answer, where 1 may be the lowest
// grade of its scale, and for a category, whose value is its place.
func VerdictOf(s *score.Score) *bool {
	if s.Passed != nil || s.Source != score.Label || s.Value == nil || *s.Value != 0 && *s.Value != 1 ||
		s.Category != "" || strings.HasPrefix(s.Name, transcript.Recorded) {
		return s.Passed
	}
	p := *s.Value == 1
	return &p
}

// applyCut returns a score of the row's instrument with the verdict that the fitted cut gives it.
func applyCut(r *report.CalibrationRow, s score.Score) score.Score {
	if cut := r.Threshold.Best.Value; r.Threshold.Change && cut != nil {
		s = report.Redecide(s, []report.Threshold{{Name: s.Name, Low: *cut}})
	}
	return s
}

// Redecider returns a function that reads a score as the report decided it.
func Redecider(r *report.Report) func(score.Score) score.Score {
	var bands []report.Threshold
	for _, text := range r.Run.Thresholds {
		if t, err := report.ParseThreshold(text); err == nil {
			bands = append(bands, t)
		}
	}
	return decider(bands, r.Calibration)
}

// decider returns a function that reads a score with the verdict by the bands, or as a
// calibration says (c may be nil).
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
