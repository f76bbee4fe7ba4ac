package series

import (
	"github.com/judgekit/judge/internal/report"
)

// Header is the run as the document names it.
func (h *Run) Header() report.Run {
	m := h.Manifest
	r := report.Run{
		ID: m.RunID, Version: m.Version, Judges: filled(m.Judges), Rubrics: filled(m.Rubrics),
		Scorers: filled(m.Scorers), Inputs: filled(m.Inputs),
	}
	for _, t := range h.Bands {
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
