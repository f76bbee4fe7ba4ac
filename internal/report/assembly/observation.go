package assembly

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// bits are flags of one score.
type bits uint16

// The bits of a score. A cell without isMet was neither scored nor tried.
const (
	isMet bits = 1 << iota
	isScored
	isDecided // it has a verdict
	isPassed
	isRepaired
	isSevere // it has a flag of severity 2
	isNotApplicable
	isError
	isBorderline
	isUnsure
	isEscalated // it was marked for a second look
	isShortened // the judge was shown a shortened record
)

// secondLook are the marks of an answer that needs a review before it counts.
const secondLook = isEscalated | isBorderline | isUnsure | isSevere

// Confidences are kept in steps of 1/confidenceSteps.
const (
	confidenceSteps = 10_000
	noConfidence    = math.MaxUint16
)

// cell is the score of one item by one instrument, in 16 bytes; the zero cell is none.
type cell struct {
	value float64 // 0 unless isScored is set
	item  uint32  // the number of the call or conversation
	steps uint16  // of confidence
	bits  bits
}

// newCell makes a cell. confidence is in [0, 1], or nil; others count as none.
func newCell(item uint32, value, confidence *float64, b bits) cell {
	c := cell{item: item, steps: noConfidence, bits: b | isMet}
	if value != nil {
		c.value = *value
		c.bits |= isScored
	}
	if confidence != nil && *confidence >= 0 && *confidence <= 1 {
		c.steps = uint16(math.Round(*confidence * confidenceSteps))
	}
	return c
}

// has reports whether one of the bits is set.
func (c cell) has(b bits) bool { return c.bits&b != 0 }

// number is the value, NaN for none.
func (c cell) number() float64 { return nanIf(!c.has(isScored), c.value) }

// verdict is 1 for a pass, 0 for a fail and NaN for none.
func (c cell) verdict() float64 { return nanIf(!c.has(isDecided), measure.One(c.has(isPassed))) }

// confidence is in [0, 1] in steps of 1/10,000, NaN for none.
func (c cell) confidence() float64 {
	return nanIf(c.steps == noConfidence || !c.has(isMet), float64(c.steps)/confidenceSteps)
}

// compare orders cells by item; of one item, a score with a value comes before one
// without, then the rest decides.
func (c cell) compare(d cell) int {
	if c.item != d.item {
		return cmp.Compare(c.item, d.item)
	}
	return cmp.Or(cmp.Compare(d.bits&isScored, c.bits&isScored), cmp.Compare(c.value, d.value),
		cmp.Compare(c.bits, d.bits), cmp.Compare(c.steps, d.steps))
}

// column are cells of one instrument, an item once and in order when it is settled.
type column []cell

// settle gives items their final numbers and puts cells in order. Of several cells for
// one item the first by their order stays; dropped counts the others.
func (c *column) settle(numbers []uint32) (dropped int) {
	all := *c
	for i := range all {
		all[i].item = numbers[all[i].item]
	}
	slices.SortFunc(all, cell.compare)
	*c = slices.CompactFunc(all, func(x, y cell) bool { return x.item == y.item })
	return len(all) - len(*c)
}

// at is the cell of the item with a number, the zero cell for none.
func (c column) at(number uint32) cell {
	i, ok := slices.BinarySearchFunc(c, number, func(x cell, n uint32) int { return cmp.Compare(x.item, n) })
	if !ok {
		return cell{}
	}
	return c[i]
}

// nanIf is NaN where b holds, else v.
func nanIf(b bool, v float64) float64 {
	if b {
		return math.NaN()
	}
	return v
}

// observation is the score of one item by one instrument; it is none where isMet is not
// set.
type observation struct {
	cell
	// of is the call or conversation; of reduced calls, the one that decided.
	of item
	// partial means that only some of the reduced calls have a score.
	partial bool
	// passing is the share of calls that pass, of those with a verdict; NaN for none. Only
	// reduced calls have it.
	passing float64
}

// passingCalls is that share, NaN where the calls have no score.
func (o observation) passingCalls() float64 { return nanIf(!o.has(isScored), o.passing) }

// Cluster is the number of the conversation.
func (o observation) Cluster() int { return int(o.of.conversation) }

// eachItem visits every item of a level that one of the series has, by conversation and
// call, with the observation of each series. The slice is used again for the next.
func (s *items) eachItem(level string, all []*series, visit func(i item, observed []observation)) {
	observed, next := make([]observation, len(all)), make([]int, len(all))
	for {
		number, met := uint32(0), false
		for i, sr := range all {
			if n, ok := sr.itemAt(s, next[i]); ok && (!met || n < number) {
				number, met = n, true
			}
		}
		if !met {
			return
		}
		at := s.at(level, number)
		for i, sr := range all {
			observed[i] = sr.take(s, at, &next[i])
		}
		visit(at, observed)
	}
}

// itemAt is the number of the item that a cell is of: a call, or a conversation.
func (sr *series) itemAt(s *items, at int) (number uint32, ok bool) {
	if at >= len(sr.cells) {
		return 0, false
	}
	number = sr.cells[at].item
	if sr.how != "" {
		number = s.calls[number].conversation
	}
	return number, true
}

// take is the observation of an item from the cell at next on, and advances next.
func (sr *series) take(s *items, i item, next *int) observation {
	start := *next
	for {
		number, ok := sr.itemAt(s, *next)
		if !ok || number != i.number {
			break
		}
		*next++
	}
	switch {
	case sr.how != "":
		return sr.reduce(s, i, sr.cells[start:*next])
	case start == *next:
		return observation{of: i}
	}
	return observation{cell: sr.cells[start], of: i}
}

// observations are all of one series, in order.
func (s *items) observations(sr *series) []observation {
	out := make([]observation, 0, len(sr.cells))
	if sr.how != "" {
		s.eachItem(sr.Level, []*series{sr}, func(_ item, observed []observation) { out = append(out, observed[0]) })
		return out
	}
	for _, c := range sr.cells {
		out = append(out, observation{cell: c, of: s.at(sr.Level, c.item)})
	}
	return out
}

// pair has the observations of one item by two instruments: a judge and its reference, two judges,
// or the same instrument in two runs.
type pair struct{ judge, ref observation }

// Cluster is the number of the conversation.
func (p pair) Cluster() int { return p.judge.Cluster() }

// scored reports whether both have a value.
func (p pair) scored() bool { return p.judge.has(isScored) && p.ref.has(isScored) }

// verdicts are those of the item, NaN both where one is missing.
func (p pair) verdicts() (judge, ref float64) {
	judge, ref = p.judge.verdict(), p.ref.verdict()
	none := math.IsNaN(judge) || math.IsNaN(ref)
	return nanIf(none, judge), nanIf(none, ref)
}

// pairs are the items of either of two series of the same level.
func (s *items) pairs(judge, ref *series) []pair {
	out := make([]pair, 0, max(len(judge.cells), len(ref.cells)))
	s.eachItem(judge.Level, []*series{judge, ref}, func(_ item, observed []observation) {
		out = append(out, pair{observed[0], observed[1]})
	})
	return out
}

// byTool groups items by the tools that these have to do with.
func (s *items) byTool(all []pair) [][]pair {
	out := make([][]pair, len(s.tools.list))
	for _, x := range all {
		s.eachTool(x.judge.of, func(tool uint32) { out[tool] = append(out[tool], x) })
	}
	return out
}

// reduced is a series of calls as one observation a conversation. Calls without a score
// are left out.
func (t *table) reduced(sr *series, how string) *series {
	out := &series{Instrument: sr.Instrument, cells: sr.cells, how: how}
	out.Level = report.ConversationLevel
	if sr.Metric == "" && sr.Source != string(score.Label) {
		out.band = t.scale[sr.Name]
	}
	return out
}

// reduce is the result of a conversation's calls. Where nothing was scored it is the
// last call that was wanted, or else the first: the conversation is missing, or not
// applicable when every call was.
func (sr *series) reduce(s *items, conversation item, calls []cell) observation {
	unscored := observation{of: conversation}
	var out observation // the call with the lowest value, of equals the first
	sum, scored, wanted, passes, verdicts := 0.0, 0, 0, 0, 0
	for _, c := range calls {
		o := observation{cell: c, of: s.calls[c.item]}
		if !o.has(isNotApplicable) {
			wanted++
		}
		if !o.has(isNotApplicable) || !unscored.has(isMet) {
			unscored = o
		}
		if o.has(isDecided) {
			verdicts++
			passes += int(measure.One(o.has(isPassed)))
		}
		if o.has(isScored) {
			if scored == 0 || o.value < out.value {
				out = o
			}
			scored++
			sum += o.value
		}
	}
	if scored == 0 {
		return unscored
	}
	out.partial, out.passing = scored < wanted, float64(passes)/float64(verdicts)
	pass, decided := false, verdicts > 0
	switch sr.how {
	case report.ReduceMin:
		pass = passes == verdicts
	case report.ReduceMean:
		low, high := sr.band.Low, sr.band.High
		out.value, decided = sum/float64(scored), low != nil || high != nil
		pass = (low == nil || out.value >= *low) && (high == nil || out.value <= *high)
	case report.ReduceShare:
		out.value, pass = out.passing, out.passing >= 0.5
		if !decided {
			out.value = 0
			out.bits &^= isScored
		}
	}
	return out.with(decided, pass)
}

// with is the observation with another verdict, or none.
func (o observation) with(decided, passed bool) observation {
	o.bits &^= isDecided | isPassed
	if decided {
		o.bits |= isDecided
	}
	if decided && passed {
		o.bits |= isPassed
	}
	return o
}
