package series

import (
	"math"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Reduced is a call-level series as one observation a conversation. Calls without a
// score are left out.
func (h *Run) Reduced(sr *Series, how string) *Series {
	out := &Series{Instrument: sr.Instrument, cells: sr.cells, How: how}
	out.Level = report.ConversationLevel
	out.band = func(v float64) (pass, decided bool) { return h.inBand(sr, v) }
	return out
}

// Calls sum up the calls of one conversation.
type Calls struct {
	// Met counts the calls that the instrument met, Scored those with a value.
	Met, Scored, wanted, passes, verdicts int
	sum                                   float64
	// worst has the lowest value, of equals the first; unscored is the last call
	// that was wanted, or the first one met.
	worst, unscored Observation
}

// Add takes what the instrument says of a call.
func (s *Calls) Add(o Observation) {
	switch {
	case !o.Has(NotApplicable):
		s.wanted++
		s.unscored = o
	case s.Met == 0:
		s.unscored = o
	}
	s.Met++
	if o.Has(HasVerdict) {
		s.verdicts++
		if o.Has(Passed) {
			s.passes++
		}
	}
	if !o.Has(HasValue) {
		return
	}
	if s.Scored == 0 || o.Value < s.worst.Value {
		s.worst = o
	}
	s.Scored++
	s.sum += o.Value
}

// reduceCalls is what the calls of a conversation come to. Where nothing was scored
// the conversation is missing, or not applicable when every call was.
func (sr *Series) reduceCalls(s *Items, conversation Item, calls []Cell) Observation {
	var sums Calls
	for _, cell := range calls {
		sums.Add(Observation{Cell: cell, Item: s.calls[cell.item]})
	}
	switch {
	case sums.Met == 0:
		return Observation{Item: conversation}
	case sums.Scored == 0:
		return sums.unscored
	}
	out := sums.worst
	out.Partial = sums.Scored < sums.wanted
	out.Bits &^= HasVerdict | Passed
	pass, decided := false, sums.verdicts > 0
	switch sr.How {
	case report.ReduceMin:
		pass = sums.passes == sums.verdicts
	case report.ReduceMean:
		out.Value = sums.sum / float64(sums.Scored)
		pass, decided = sr.band(out.Value)
	case report.ReduceShare:
		share := 0.0
		if sums.verdicts > 0 {
			share = float64(sums.passes) / float64(sums.verdicts)
		} else {
			out.Bits &^= HasValue
		}
		out.Value, pass = share, share >= 0.5
	}
	if decided {
		out.Bits |= HasVerdict
		if pass {
			out.Bits |= Passed
		}
	}
	return out
}

// inBand decides a value by the rubric's pass band, where one is known.
func (h *Run) inBand(sr *Series, v float64) (pass, decided bool) {
	r, ok := h.Scale[sr.Name]
	if !ok || sr.Metric != "" || sr.Source == string(score.Label) || r.Low == nil && r.High == nil {
		return false, false
	}
	return (r.Low == nil || v >= *r.Low) && (r.High == nil || v <= *r.High), true
}

// Mean is the mean value of the scored calls, and the share that passes of those with
// a verdict, NaN where there is none.
func (s Calls) Mean() (value, passes float64) {
	return s.sum / float64(s.Scored), NaNIf(s.verdicts == 0, float64(s.passes)/math.Max(1, float64(s.verdicts)))
}

// Least is the lowest value, and 1 where every call with a verdict passes.
func (s Calls) Least() (value, passes float64) {
	passes = 0
	if s.passes == s.verdicts {
		passes = 1
	}
	return s.worst.Value, NaNIf(s.verdicts == 0, passes)
}
