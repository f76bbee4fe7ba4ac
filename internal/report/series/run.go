package series

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Run is a run whose scores are at hand.
type Run struct {
	In       report.Inputs
	Manifest *report.Manifest
	Table    *Table
	// Bands are the thresholds that the verdicts of the table were decided by again.
	Bands []report.Threshold
	// Series are those of the table in report order, Scale the pass bands in use by the
	// name of their rubric or scorer; Arrange fills both.
	Series []*Series
	Scale  map[string]report.Rubric
}

// Arrange puts the series in report order and finds the pass bands in use; it comes
// before all else that a run is asked. The manifest's rubrics and scorers then have the
// bands that verdicts were decided by.
func (h *Run) Arrange() {
	h.order()
	h.applyThresholds()
}

// applyThresholds puts re-decided pass bands in the place of the rubrics' own.
func (h *Run) applyThresholds() {
	h.Scale = map[string]report.Rubric{}
	for _, s := range h.Manifest.Scorers {
		if s.Low != nil || s.High != nil {
			h.Scale[s.Name] = report.Rubric{Name: s.Name, Low: s.Low, High: s.High}
		}
	}
	h.Manifest.Rubrics, h.Manifest.Scorers = slices.Clone(h.Manifest.Rubrics), slices.Clone(h.Manifest.Scorers)
	for _, t := range h.Bands {
		low := t.Low
		for i := range h.Manifest.Rubrics {
			if r := &h.Manifest.Rubrics[i]; r.Name == t.Name {
				r.Low, r.High = &low, t.High
			}
		}
		for i := range h.Manifest.Scorers {
			if s := &h.Manifest.Scorers[i]; s.Name == t.Name {
				s.Low, s.High = &low, t.High
			}
		}
		h.Scale[t.Name] = report.Rubric{Name: t.Name, Low: &low, High: t.High}
	}
	for _, r := range h.Manifest.Rubrics {
		h.Scale[r.Name] = r
	}
}

// Main are the series that enter comparisons: all but those for qa and the
// retests of a judge.
func (h *Run) Main(keep func(*Series) bool) []*Series {
	var out []*Series
	for _, sr := range h.Series {
		if sr.Purpose != "qa" && h.Manifest.Judge(sr.Judge).RetestOf == "" && keep(sr) {
			out = append(out, sr)
		}
	}
	return out
}

// IsJudge reports whether a series is a judge's.
func IsJudge(sr *Series) bool { return sr.Source == string(score.Judge) }

// IsReference reports whether judges are held against the series.
func IsReference(sr *Series) bool { return sr.Source != string(score.Judge) }

// Circular reports whether the judge saw what the reference decides by.
func (h *Run) Circular(judge, ref *Series) bool {
	j, s := h.Manifest.Judge(judge.Judge), h.Manifest.Scorer(ref.Name)
	return j.SawReference && s.UsesReference || slices.Contains(j.CircularWith, ref.Name) || slices.Contains(j.CircularWith, s.Type)
}

// SharesRules reports whether the judge applies the rules of the reference itself.
func (h *Run) SharesRules(judge, ref *Series) bool {
	j, s := h.Manifest.Judge(judge.Judge), h.Manifest.Scorer(ref.Name)
	return slices.ContainsFunc(j.SharesRules, func(name string) bool {
		return name == ref.Title() || name == s.Type && ref.Metric == "" || name == s.Type+"."+ref.Metric
	})
}

// Compared reports whether a series enters comparisons of runs: the answers to a
// question asked again speak of the judge.
func (h *Run) Compared(sr *Series) bool { return h.Manifest.Judge(sr.Judge).RetestOf == "" }

// AtLevel are those of the series that speak of calls, or of conversations.
func AtLevel(all []*Series, level string) []*Series {
	var out []*Series
	for _, sr := range all {
		if sr.Level == level {
			out = append(out, sr)
		}
	}
	return out
}
