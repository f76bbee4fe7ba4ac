package judges

import (
	"slices"

	"github.com/judgekit/judge/rubrics"
)

// ExamplesReversed returns a judge that asks the same with the examples of its rubrics
// in reverse order, from the step of the ladder on which this one stands now. It is
// another instrument: it serves to measure how far the order of examples counts.
func (j *Judge) ExamplesReversed() *Judge {
	cfg := j.cfg
	cfg.Transport = j.Transport()
	cfg.Rubrics = make([]*rubrics.Rubric, len(j.cfg.Rubrics))
	out := &Judge{complete: j.complete, transport: cfg.Transport, top: maxAlternatives}
	for i, r := range j.cfg.Rubrics {
		turned := *r
		turned.Examples = slices.Clone(r.Examples)
		slices.Reverse(turned.Examples)
		cfg.Rubrics[i] = &turned
		out.rubrics = append(out.rubrics, newInstrument(&turned, cfg))
	}
	out.cfg = cfg
	return out
}
