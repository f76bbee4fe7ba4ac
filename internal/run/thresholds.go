package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/spelling"
)

// takeThresholds applies the given thresholds to the instruments: a rubric's threshold replaces its
// own pass band, a scorer's decides its scores as they are computed. So verdicts, bands and
// identity agree for every later reader of the run. The error is a *TaskError.
func (s *Spec) takeThresholds() error {
	given := s.Report.Thresholds
	s.Report.Thresholds = nil
	for i, t := range given {
		// If a name occurs twice, the last one counts: a flag comes after the configuration.
		if slices.ContainsFunc(given[i+1:], func(later report.Threshold) bool { return later.Name == t.Name }) {
			continue
		}
		s.thresholds = append(s.thresholds, t)
		known := slices.Contains(s.scorers.Names(), t.Name) || t.Name == deterministic.ExecutionCheck.Name
		if known {
			if err := t.OnScale("scorer", 0, 1); err != nil {
				return &TaskError{err}
			}
		}
		for i, r := range s.Rubrics {
			if r.Name != t.Name {
				continue
			}
			// What a judge is sent does not change: it never sees the band.
			decided := *r
			o := &decided.Output
			if o.Categories != nil {
				return &TaskError{fmt.Errorf("threshold %s: the answers of rubric %s are categories; its pass says "+
					"which of them pass", t, r.Name)}
			}
			o.NoPass = false
			o.Low, o.High = t.Low, o.Max
			if t.High != nil {
				o.High = *t.High
			}
			if err := t.OnScale("rubric", o.Min, o.Max); err != nil {
				return &TaskError{err}
			}
			s.Rubrics[i], known = &decided, true
		}
		if known {
			continue
		}
		names := s.scorers.Names()
		for _, r := range s.Rubrics {
			names = append(names, r.Name)
		}
		// Without a judge, the threshold may be for a rubric that only other runs use.
		near := spelling.Nearest(t.Name, names)
		switch what := "threshold " + t.String() + ": no rubric and no scorer of this run has that name"; {
		case near != "" && !slices.Contains(deterministic.Names(), t.Name):
			return &TaskError{errors.New(what + "; did you mean " + near + "?")}
		case len(s.Judges) > 0:
			s.unknown = append(s.unknown, what)
		}
	}
	return nil
}

// redecide decides the verdicts of deterministic scores by the run's thresholds.
func (s *Spec) redecide(scores []score.Score) {
	for i := range scores {
		if len(s.thresholds) > 0 {
			scores[i] = report.Redecide(scores[i], s.thresholds)
		}
	}
}
