package report

import (
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// VerdictOf is the score's own verdict. A label that comes without one and is
// exactly 0 or 1 decides by its value, but for a recorded answer: 1 may be the lowest
// grade of its scale.
func VerdictOf(s *score.Score) *bool {
	if s.Passed != nil || s.Source != score.Label || s.Value == nil || *s.Value != 0 && *s.Value != 1 ||
		strings.HasPrefix(s.Name, transcript.Recorded) {
		return s.Passed
	}
	p := *s.Value == 1
	return &p
}

// Apply returns a score of the row's instrument with the verdict that the fitted cut gives it.
func (r CalibrationRow) Apply(s score.Score) score.Score {
	if cut := r.Threshold.Best.Value; r.Threshold.Change && cut != nil {
		s = Redecide(s, []Threshold{{Name: s.Name, Low: *cut}})
	}
	return s
}

// Redecider returns a function that reads a score as the report decided it.
func (r *Report) Redecider() func(score.Score) score.Score {
	var bands []Threshold
	for _, text := range r.Run.Thresholds {
		if t, err := ParseThreshold(text); err == nil {
			bands = append(bands, t)
		}
	}
	return Decider(bands, r.Calibration)
}

// Decider returns a function that reads a score with the verdict by the bands, or as a
// calibration says; nil is none.
func Decider(bands []Threshold, c *Applied) func(score.Score) score.Score {
	rows := map[[2]string]CalibrationRow{}
	if c != nil {
		for _, row := range c.Rows {
			rows[[2]string{row.Judge, row.Rubric}] = row
		}
	}
	return func(s score.Score) score.Score {
		row, ok := rows[[2]string{s.Judge, s.Name}]
		if ok && s.Source == score.Judge && s.Metric == "" {
			return row.Apply(s)
		}
		return Redecide(s, bands)
	}
}
