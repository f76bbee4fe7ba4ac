package report

import (
	"slices"

	"github.com/judgekit/judge/internal/score"
)

// held is a run whose scores are at hand.
type held struct {
	in       Inputs
	manifest *Manifest
	table    *table
	// thresholds are those that the verdicts of the table were decided by again.
	thresholds []Threshold
	// series are those of the table in report order, scale the pass bands in use by the
	// name of their rubric or scorer; arrange fills both.
	series []*series
	scale  map[string]Rubric
}

// arrange puts the series in order and finds the pass bands.
func (h *held) arrange() {
	h.order()
	h.applyThresholds()
}

// order puts the series in report order.
func (h *held) order() {
	for _, sr := range h.table.all {
		h.series = append(h.series, sr)
	}
	before := reportOrder(h.manifest)
	slices.SortFunc(h.series, func(x, y *series) int { return before(x.Instrument, y.Instrument) })
}

// applyThresholds puts re-decided pass bands in the place of the rubrics' own.
func (h *held) applyThresholds() {
	h.scale = map[string]Rubric{}
	for _, s := range h.manifest.Scorers {
		if s.Low != nil || s.High != nil {
			h.scale[s.Name] = Rubric{Name: s.Name, Low: s.Low, High: s.High}
		}
	}
	h.manifest.Rubrics, h.manifest.Scorers = slices.Clone(h.manifest.Rubrics), slices.Clone(h.manifest.Scorers)
	for _, t := range h.thresholds {
		low := t.Low
		for i := range h.manifest.Rubrics {
			if r := &h.manifest.Rubrics[i]; r.Name == t.Name {
				r.Low, r.High = &low, t.High
			}
		}
		for i := range h.manifest.Scorers {
			if s := &h.manifest.Scorers[i]; s.Name == t.Name {
				s.Low, s.High = &low, t.High
			}
		}
		h.scale[t.Name] = Rubric{Name: t.Name, Low: &low, High: t.High}
	}
	for _, r := range h.manifest.Rubrics {
		h.scale[r.Name] = r
	}
}

// header is the run as the document names it.
func (h *held) header() Run {
	m := h.manifest
	r := Run{
		ID: m.RunID, Version: m.Version, Judges: filled(m.Judges), Rubrics: filled(m.Rubrics),
		Scorers: filled(m.Scorers), Inputs: filled(m.Inputs),
	}
	for _, t := range h.thresholds {
		r.Thresholds = append(r.Thresholds, t.String())
	}
	return r
}

// filled makes an empty list of none, so that it prints as [].
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// mainSeries are the series that enter comparisons: all but those for qa and the
// second hearings of a judge.
func (h *held) mainSeries(keep func(*series) bool) []*series {
	var out []*series
	for _, sr := range h.series {
		if sr.Purpose != "qa" && h.manifest.Judge(sr.Judge).RetestOf == "" && keep(sr) {
			out = append(out, sr)
		}
	}
	return out
}

// isJudge reports whether a series is a judge's.
func isJudge(sr *series) bool { return sr.Source == string(score.Judge) }

// isReference reports whether judges are held against the series.
func isReference(sr *series) bool { return sr.Source != string(score.Judge) }

// circular reports whether the judge saw what the reference decides by.
func (h *held) circular(judge, ref *series) bool {
	j, s := h.manifest.Judge(judge.Judge), h.manifest.Scorer(ref.Name)
	return j.SawReference && s.UsesReference || slices.Contains(j.CircularWith, ref.Name) || slices.Contains(j.CircularWith, s.Type)
}

// sharesRules reports whether the judge applies the rules of the reference itself.
func (h *held) sharesRules(judge, ref *series) bool {
	j, s := h.manifest.Judge(judge.Judge), h.manifest.Scorer(ref.Name)
	return slices.ContainsFunc(j.SharesRules, func(name string) bool {
		return name == ref.Title() || name == s.Type && ref.Metric == "" || name == s.Type+"."+ref.Metric
	})
}

// compared reports whether a series enters comparisons of runs: the answers to a
// question asked again speak of the judge.
func (h *held) compared(sr *series) bool { return h.manifest.Judge(sr.Judge).RetestOf == "" }

// atLevel are those of the series that speak of calls, or of conversations.
func atLevel(all []*series, level string) []*series {
	var out []*series
	for _, sr := range all {
		if sr.Level == level {
			out = append(out, sr)
		}
	}
	return out
}
