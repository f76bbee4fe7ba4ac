package series

import (
	"math"

	"github.com/judgekit/judge/internal/report"
)

// Walk visits every item of a level that one of the series met, by conversation and
// call, with what each of them says of it. The slice is used again for the next.
func (s *Items) Walk(level string, all []*Series, visit func(item Item, said []Observation)) {
	said, next := make([]Observation, len(all)), make([]int, len(all))
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
		item := whole(number)
		if level == report.CallLevel {
			item = s.calls[number]
		}
		for i, sr := range all {
			said[i] = sr.take(s, item, &next[i])
		}
		visit(item, said)
	}
}

// itemAt is the number of the item that a cell is of: a call, or a conversation.
func (sr *Series) itemAt(s *Items, at int) (number uint32, ok bool) {
	if at >= len(sr.cells) {
		return 0, false
	}
	number = sr.cells[at].item
	if sr.How != "" {
		number = s.calls[number].Conversation
	}
	return number, true
}

// take is what the series says of an item from the cell at next on, which moves behind.
func (sr *Series) take(s *Items, item Item, next *int) Observation {
	start := *next
	for {
		number, ok := sr.itemAt(s, *next)
		if !ok || number != item.number {
			break
		}
		*next++
	}
	switch {
	case sr.How != "":
		return sr.reduceCalls(s, item, sr.cells[start:*next])
	case start == *next:
		return Observation{Item: item}
	}
	return Observation{Cell: sr.cells[start], Item: item}
}

// Said is everything that one series says, in order.
func (s *Items) Said(sr *Series) []Observation {
	out := make([]Observation, 0, len(sr.cells))
	s.Walk(sr.Level, []*Series{sr}, func(_ Item, said []Observation) { out = append(out, said[0]) })
	return out
}

// Len is the number of items that a series met.
func (sr *Series) Len() int { return len(sr.cells) }

// At is what a series of the item's level says of it.
func (sr *Series) At(item Item) Observation {
	return Observation{Cell: sr.cells.at(item.number), Item: item}
}

// Pairing are two instruments that speak of the same level, a judge and its reference,
// or two judges.
type Pairing struct {
	Items      *Items
	Level      string
	Judge, Ref *Series
}

// Pair is what both say of one item.
type Pair struct{ Judge, Ref Observation }

// Cluster is the number of the conversation.
func (p Pair) Cluster() int { return p.Judge.Cluster() }

// Scored reports whether both have a value.
func (p Pair) Scored() bool { return p.Judge.Has(HasValue) && p.Ref.Has(HasValue) }

// Decided are the verdicts of the item, NaN both where one is missing.
func (p Pair) Decided() (judge, ref float64) {
	judge, ref = p.Judge.Verdict(), p.Ref.Verdict()
	none := math.IsNaN(judge) || math.IsNaN(ref)
	return NaNIf(none, judge), NaNIf(none, ref)
}

// Pairs are the items that one of the two met.
func (p Pairing) Pairs() []Pair {
	out := make([]Pair, 0, max(len(p.Judge.cells), len(p.Ref.cells)))
	p.Items.Walk(p.Level, []*Series{p.Judge, p.Ref}, func(_ Item, said []Observation) {
		out = append(out, Pair{said[0], said[1]})
	})
	return out
}

// NaNIf is NaN where b holds.
func NaNIf(b bool, v float64) float64 {
	if b {
		return math.NaN()
	}
	return v
}
