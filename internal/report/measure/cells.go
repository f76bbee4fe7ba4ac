package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// bits are flags of one score.
type bits uint16

// The bits of a score. A cell without isMet has neither a score nor a failed attempt.
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
	isEscalated // it was marked for review
	isShortened // the judge was shown a shortened record
	isPartial   // some of the reduced calls have no score
	isZero      // it is not applicable, and the benchmark of the log counts it as 0
	isWord      // the answer is a category that neither passes nor fails: its value is not a number
)

// secondLook are the bits of an answer that needs a review before it counts.
const secondLook = isEscalated | isBorderline | isUnsure | isSevere

// Confidences are stored in steps of 1/confidenceSteps.
const (
	confidenceSteps = 10_000
	noConfidence    = math.MaxUint16
)

// cell is the score of one item by one instrument, in 16 bytes. The zero cell means that there is no score.
type cell struct {
	value float64 // 0 unless isScored is set
	// call is the number of the call that decided, plus 1, if calls were reduced; else 0.
	call  uint32
	steps uint16 // of confidence
	bits  bits
}

// newCell returns a cell. A confidence outside [0, 1] counts as none.
func newCell(value, confidence *float64, b bits) cell {
	c := cell{steps: noConfidence, bits: b | isMet}
	if value != nil {
		c.value = *value
		c.bits |= isScored
	}
	if confidence != nil && *confidence >= 0 && *confidence <= 1 {
		c.steps = uint16(math.Round(*confidence * confidenceSteps))
	}
	return c
}

// cellOf returns a cell with a number and a verdict; NaN means missing.
func cellOf(number, verdict float64) cell {
	c := cell{steps: noConfidence, bits: isMet}
	if !math.IsNaN(number) {
		c.value, c.bits = number, c.bits|isScored
	}
	return c.with(!math.IsNaN(verdict), verdict == 1)
}

// has reports whether one of the bits is set.
func (c cell) has(b bits) bool { return c.bits&b != 0 }

// number returns the value; NaN if none, and for a category.
func (c cell) number() float64 { return onlyIf(c.has(isScored) && !c.has(isWord), c.value) }

// verdict returns 1 for a pass, 0 for a fail, and NaN without a verdict.
func (c cell) verdict() float64 { return onlyIf(c.has(isDecided), asNumber(c.has(isPassed))) }

// confidence returns the confidence in [0, 1], in steps of 1/10,000; NaN if none.
func (c cell) confidence() float64 {
	return onlyIf(c.steps != noConfidence && c.has(isMet), float64(c.steps)/confidenceSteps)
}

// compare sorts the cells of one item: those with a value first, then by the other fields.
func (c cell) compare(d cell) int {
	return cmp.Or(cmp.Compare(d.bits&isScored, c.bits&isScored), cmp.Compare(c.value, d.value),
		cmp.Compare(c.bits, d.bits), cmp.Compare(c.steps, d.steps))
}

// cellList holds the cells of one instrument, by the numbers of their items.
type cellList []cell

// put sets the cell of an item. Of several cells for one item it keeps the first in their order;
// existed says that there was one already.
func (c *cellList) put(number uint32, x cell) (existed bool) {
	c.grow(int(number) + 1)
	old := &(*c)[number]
	existed = old.has(isMet)
	if !existed || x.compare(*old) < 0 {
		*old = x
	}
	return existed
}

// grow extends the list to at least n cells.
func (c *cellList) grow(n int) {
	if more := n - len(*c); more > 0 {
		*c = append(*c, make(cellList, more)...)
	}
}

// renumbered returns the list by the final numbers of the items.
func (c cellList) renumbered(numbers []uint32) cellList {
	out := make(cellList, len(numbers))
	for old, x := range c {
		out[numbers[old]] = x
	}
	return out
}

// reading is a cell of a series; without isMet there is no score.
type reading struct {
	cell
	// passing is the share of passing calls among those with a verdict; NaN if none. Only
	// reduced calls have it.
	passing float64
}

// passingCalls returns that share; NaN if the calls have no score.
func (r reading) passingCalls() float64 { return onlyIf(!math.IsNaN(r.number()), r.passing) }

// observation holds one instrument's score of one item.
type observation struct {
	reading
	of item
	// weight is the number of items that a sampled label represents; 0 means one.
	weight float64
}

// Cluster returns the number of the conversation.
func (o observation) Cluster() int { return int(o.of.conversation) }

// deciding returns the call that decided an observation of reduced calls, else its item.
func (s *items) deciding(o observation) item {
	if o.call == 0 {
		return o.of
	}
	return s.calls[o.call-1]
}

// at returns the observation of an item; the item must have the series' level.
func (sr *series) at(i item) observation {
	o := observation{reading: reading{cell: sr.cells[i.number]}, of: i}
	if sr.calls != nil {
		o.passing = sr.passing[i.number]
	}
	return o
}

// eachItem calls visit with every item of a level that one of the series has, by conversation and
// call, and with each series' observation. The slice is reused for the next item.
func (s *items) eachItem(level string, all []*series, visit func(i item, observed []observation)) {
	observed := make([]observation, len(all))
	for number := range s.count(level) {
		i, met := s.at(level, uint32(number)), false
		for k, sr := range all {
			observed[k] = sr.at(i)
			met = met || observed[k].has(isMet)
		}
		if met {
			visit(i, observed)
		}
	}
}

// countItems counts the items that one of the series has.
func (s *items) countItems(level string, all []*series) (n int) {
	s.eachItem(level, all, func(item, []observation) { n++ })
	return n
}

// matrix returns a number for each series and item of a level, NaN if it is missing, and the
// conversation of each item.
func (s *items) matrix(
	level string, all []*series, of func(observation) float64,
) (numbers [][]float64, conversation []int) {
	n := s.countItems(level, all)
	numbers, conversation = make([][]float64, len(all)), make([]int, 0, n)
	for k := range numbers {
		numbers[k] = make([]float64, 0, n)
	}
	s.eachItem(level, all, func(i item, observed []observation) {
		conversation = append(conversation, int(i.conversation))
		for k, o := range observed {
			numbers[k] = append(numbers[k], of(o))
		}
	})
	return numbers, conversation
}

// observations returns all observations of one series, in order.
func (s *items) observations(sr *series) []observation {
	var out []observation
	s.eachItem(sr.Level, []*series{sr}, func(_ item, observed []observation) { out = append(out, observed[0]) })
	return out
}

// pair is one item as two instruments score it: a judge and its reference, two judges, or the same
// instrument in two runs.
type pair struct {
	of         item
	judge, ref reading
	// weight is the number of items that a sampled label represents; 0 means one.
	weight float64
}

// Cluster returns the number of the conversation.
func (p pair) Cluster() int { return int(p.of.conversation) }

// scored reports whether both have a value.
func (p pair) scored() bool { return p.judge.has(isScored) && p.ref.has(isScored) }

// verdicts returns both verdicts of the item; NaN for both if one is missing.
func (p pair) verdicts() (judge, ref float64) {
	judge, ref = p.judge.verdict(), p.ref.verdict()
	both := !math.IsNaN(judge) && !math.IsNaN(ref)
	return onlyIf(both, judge), onlyIf(both, ref)
}

// isTaught reports whether labels of an item's conversation shaped the judge's rubric.
func (s *items) isTaught(judge *series, of item) bool {
	return judge.madeFrom != nil && judge.madeFrom[labels.Mark(s.conversations.list[of.conversation])]
}

// taught counts the labels of a series that cannot measure a judge, because they shaped its rubric.
func (s *items) taught(judge, label *series) (n int) {
	if judge.madeFrom != nil {
		s.eachItem(judge.Level, []*series{label}, func(of item, observed []observation) {
			if observed[0].has(isDecided) && s.isTaught(judge, of) {
				n++
			}
		})
	}
	return n
}

// pairs returns the items of two series of the same level, if either has them. Conversations whose
// labels shaped the rubric are left out: these labels cannot measure it.
func (s *items) pairs(judge, ref *series) []pair {
	both := []*series{judge, ref}
	out := make([]pair, 0, s.countItems(judge.Level, both))
	s.eachItem(judge.Level, both, func(of item, observed []observation) {
		out = append(out, pair{of: of, judge: observed[0].reading, ref: observed[1].reading})
	})
	if ref.Source == string(score.Label) {
		out = slices.DeleteFunc(out, func(p pair) bool { return s.isTaught(judge, p.of) })
	}
	if report.IsPeople(ref.Instrument) {
		weigh(out)
	}
	return out
}

// ofFirst returns how many pairs at the beginning belong to the same conversation.
func ofFirst(all []pair) int {
	n := slices.IndexFunc(all, func(p pair) bool { return p.Cluster() != all[0].Cluster() })
	if n < 0 {
		return len(all)
	}
	return n
}

// weigh sets weights, because people label some calls of each conversation, drawn at random: each
// label represents its share of the conversation's items that the judge scored.
func weigh(all []pair) {
	for len(all) > 0 {
		n := ofFirst(all)
		judged, labels := 0.0, 0.0
		for _, p := range all[:n] {
			if p.judge.has(isScored) {
				judged, labels = judged+1, labels+asNumber(p.ref.has(isScored))
			}
		}
		for i := range all[:n] {
			all[i].weight = judged / max(1, labels)
		}
		all = all[n:]
	}
}

// observations returns all observations of one series, in order. People's labels get weights, because people
// label some calls of each conversation: if there are two labels for ten calls, each represents five.
func (b *Builder) observations(sr *series) []observation {
	out := b.items.observations(sr)
	if b.cfg.Labels == nil || !report.IsPeople(sr.Instrument) {
		return out
	}
	rubric, _ := report.PeopleRubric(sr.Name)
	scored := dropped(b.series, func(of *series) bool {
		named := rubric == "" || of.Name == rubric || isReference(of)
		return of.Source != string(b.cfg.Labels.source) || of.Level != sr.Level || !named
	})
	items, labels := make([]float64, len(b.about)), make([]float64, len(b.about))
	b.eachItem(sr.Level, scored, func(of item, observed []observation) {
		items[of.conversation] += asNumber(slices.ContainsFunc(observed, func(o observation) bool { return o.has(isScored) }))
	})
	for _, o := range out {
		labels[o.Cluster()] += asNumber(o.has(isScored))
	}
	for i, o := range out {
		out[i].weight = items[o.Cluster()] / max(1, labels[o.Cluster()])
	}
	return out
}

// byTool groups items by the tools that they involve.
func (s *items) byTool(all []pair) [][]pair {
	out := make([][]pair, len(s.tools.list))
	for _, x := range all {
		s.eachTool(x.of, func(tool uint32) { out[tool] = append(out[tool], x) })
	}
	return out
}

// reduced returns a series of calls as one observation per conversation.
func (t *table) reduced(sr *series, how string) *series {
	out := &series{
		Instrument: sr.Instrument, calls: sr, madeFrom: sr.madeFrom,
		cells: make(cellList, len(t.about)), passing: make([]float64, len(t.about)),
	}
	out.Level = report.ConversationLevel
	for number := range out.cells {
		out.cells[number], out.passing[number] = t.reduce(sr, how, t.callsOf(uint32(number)))
	}
	return out
}

// reduce combines the scores of a conversation's calls, and returns the share of them that passes. It ignores
// calls without a score. If no call has a score, it returns the last call that should have one, or else the
// first: the conversation counts as missing, or as not applicable if every call was.
func (t *table) reduce(sr *series, how string, calls []item) (out cell, passing float64) {
	var unscored cell // out is the call with the lowest value, of equal ones the first
	sum, scored, wanted, passes, verdicts := 0.0, 0, 0, 0, 0
	for _, call := range calls {
		c := sr.cells[call.number]
		if !c.has(isMet) {
			continue
		}
		c.call = call.number + 1
		if !c.has(isNotApplicable) {
			wanted++
		}
		if !c.has(isNotApplicable) || !unscored.has(isMet) {
			unscored = c
		}
		if c.has(isDecided) {
			verdicts++
			passes += int(asNumber(c.has(isPassed)))
		}
		if c.has(isScored) && !c.has(isWord) {
			if scored == 0 || c.value < out.value {
				out = c
			}
			scored++
			sum += c.value
		}
	}
	if scored == 0 {
		return unscored, 0
	}
	if scored < wanted {
		out.bits |= isPartial
	}
	passing = float64(passes) / float64(verdicts)
	pass, decided := false, verdicts > 0
	switch how {
	case report.ReduceMin:
		pass = passes == verdicts
	case report.ReduceMean:
		out.value = sum / float64(scored)
		pass, decided = t.meanPasses(sr, out.value)
	case report.ReduceShare:
		out.value, pass = passing, passing >= 0.5
		if !decided {
			out.value = 0
			out.bits &^= isScored
		}
	}
	return out.with(decided, pass), passing
}

// meanPasses decides a mean by the pass band of the rubric or scorer, if there is one.
func (t *table) meanPasses(sr *series, mean float64) (pass, decided bool) {
	var band report.Rubric
	if sr.Metric == "" && sr.Source != string(score.Label) {
		band = t.scale[sr.Name]
	}
	pass = (band.Low == nil || mean >= *band.Low) && (band.High == nil || mean <= *band.High)
	return pass, band.Low != nil || band.High != nil
}

// with returns the cell with another verdict, or with none.
func (c cell) with(decided, passed bool) cell {
	c.bits &^= isDecided | isPassed
	if decided {
		c.bits |= isDecided
	}
	if decided && passed {
		c.bits |= isPassed
	}
	return c
}
