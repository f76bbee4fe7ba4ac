package report

import (
	"math"

	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/score"
)

// walk visits every item of a level that one of the series met, by conversation and
// call, with what each of them says of it. The slice is used again for the next.
func (t *table) walk(level string, all []*series, visit func(item scoreset.Item, said []observation)) {
	said := make([]observation, len(all))
	if level == CallLevel {
		t.set.EachCall(func(item scoreset.Item) {
			met := false
			for i, sr := range all {
				said[i] = observation{Cell: sr.column.At(item), item: item}
				met = met || said[i].Has(scoreset.Met)
			}
			if met {
				visit(item, said)
			}
		})
		return
	}
	t.set.EachConversation(func(item scoreset.Item, calls []scoreset.Item) {
		met := false
		for i, sr := range all {
			if sr.how == "" {
				said[i] = observation{Cell: sr.column.At(item), item: item}
			} else {
				said[i] = sr.reduceCalls(item, calls)
			}
			met = met || said[i].Has(scoreset.Met)
		}
		if met {
			visit(item, said)
		}
	})
}

// each visits everything that one series says, in order.
func (t *table) each(sr *series, visit func(observation)) {
	one := []*series{sr}
	t.walk(sr.Level, one, func(_ scoreset.Item, said []observation) { visit(said[0]) })
}

// The ways to reduce the calls of a conversation to one score.
const (
	// ReduceMin takes the lowest value; it passes when every call passes.
	ReduceMin = "min"
	// ReduceMean takes the mean value; it passes when the mean is in the pass band.
	ReduceMean = "mean"
	// ReduceShare takes the share of calls that pass; it passes from one half on.
	ReduceShare = "share"
)

var reductions = [3]string{ReduceMin, ReduceMean, ReduceShare}

// reduced is a call-level series as one observation a conversation. Calls without a
// score are left out.
func (h *held) reduced(sr *series, how string) *series {
	out := &series{Instrument: sr.Instrument, column: sr.column, how: how}
	out.Level = ConversationLevel
	out.band = func(v float64) (pass, decided bool) { return h.inBand(sr, v) }
	return out
}

// calls sum up the calls of one conversation.
type callSums struct {
	met, scored, wanted, passes, verdicts int
	sum                                   float64
	// worst has the lowest value, of equals the first; unscored is the last call
	// that was wanted, or the first one met.
	worst, unscored observation
}

func (s *callSums) add(o observation) {
	switch {
	case !o.Has(scoreset.NotApplicable):
		s.wanted++
		s.unscored = o
	case s.met == 0:
		s.unscored = o
	}
	s.met++
	if o.Has(scoreset.HasVerdict) {
		s.verdicts++
		if o.Has(scoreset.Passed) {
			s.passes++
		}
	}
	if !o.Has(scoreset.HasValue) {
		return
	}
	if s.scored == 0 || o.Value < s.worst.Value {
		s.worst = o
	}
	s.scored++
	s.sum += o.Value
}

// reduceCalls is what the calls of a conversation come to. Where nothing was scored
// the conversation is missing, or not applicable when every call was.
func (sr *series) reduceCalls(conversation scoreset.Item, calls []scoreset.Item) observation {
	var sums callSums
	for _, item := range calls {
		if o := (observation{Cell: sr.column.At(item), item: item}); o.Has(scoreset.Met) {
			sums.add(o)
		}
	}
	switch {
	case sums.met == 0:
		return observation{item: conversation}
	case sums.scored == 0:
		return sums.unscored
	}
	out := sums.worst
	out.partial = sums.scored < sums.wanted
	out.Bits &^= scoreset.HasVerdict | scoreset.Passed
	pass, decided := false, sums.verdicts > 0
	switch sr.how {
	case ReduceMin:
		pass = sums.passes == sums.verdicts
	case ReduceMean:
		out.Value = sums.sum / float64(sums.scored)
		pass, decided = sr.band(out.Value)
	case ReduceShare:
		share := 0.0
		if sums.verdicts > 0 {
			share = float64(sums.passes) / float64(sums.verdicts)
		} else {
			out.Bits &^= scoreset.HasValue
		}
		out.Value, pass = share, share >= 0.5
	}
	if decided {
		out.Bits |= scoreset.HasVerdict
		if pass {
			out.Bits |= scoreset.Passed
		}
	}
	return out
}

// inBand decides a value by the rubric's pass band, where one is known.
func (h *held) inBand(sr *series, v float64) (pass, decided bool) {
	r, ok := h.scale[sr.Name]
	if !ok || sr.Metric != "" || sr.Source == string(score.Label) || r.Low == nil && r.High == nil {
		return false, false
	}
	return (r.Low == nil || v >= *r.Low) && (r.High == nil || v <= *r.High), true
}

// missingIf is NaN where b holds.
func missingIf(b bool, v float64) float64 {
	if b {
		return math.NaN()
	}
	return v
}
