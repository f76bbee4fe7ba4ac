// Package scoreset owns the scores of a run while they are compared: who scored which
// call or conversation, and what was said, in a few bytes each.
//
// It promises that what is read out of a set does not depend on the order in which it
// was filled; that a score that is missing stays apart from every number; and that a
// score costs one or two bytes beside its item as long as an instrument says no more
// than 65,535 different things, which holds for scales, verdicts and shares. An item
// costs about 20 bytes, a conversation about 30 and its id.
package scoreset

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
)

// Bits say what is known of one score.
type Bits uint16

// The bits of a score. A cell without Met was never scored nor tried.
const (
	Met Bits = 1 << iota
	HasValue
	HasVerdict
	Passed
	Repaired
	Severe // it has a flag of severity 2
	NotApplicable
	Failed // its status is error
	Borderline
	LowConfidence
	Escalated // it was marked for a second look
	Shortened // the judge was shown a shortened record
)

// SecondLook are the marks of an answer that is neither pass nor fail until resolved.
const SecondLook = Escalated | Borderline | LowConfidence | Severe

// confSteps is how finely confidences are kept: in steps of 1/confSteps.
const (
	confSteps = 10_000
	noConf    = math.MaxUint16
)

// Cell is what one instrument says of one item; the zero Cell says nothing.
type Cell struct {
	// Value is 0 unless HasValue is set.
	Value float64
	conf  uint16
	Bits  Bits
}

// NewCell makes a cell. confidence is in [0, 1], or nil; others are taken for none.
func NewCell(value, confidence *float64, bits Bits) Cell {
	c := Cell{conf: noConf, Bits: bits | Met}
	if value != nil {
		c.Value = *value
		c.Bits |= HasValue
	}
	if confidence != nil && *confidence >= 0 && *confidence <= 1 {
		c.conf = uint16(math.Round(*confidence * confSteps))
	}
	return c
}

// Has reports whether a bit is set.
func (c Cell) Has(b Bits) bool { return c.Bits&b != 0 }

// Verdict is 1 for a pass, 0 for a fail and NaN for none.
func (c Cell) Verdict() float64 {
	switch {
	case !c.Has(HasVerdict):
		return math.NaN()
	case c.Has(Passed):
		return 1
	}
	return 0
}

// Confidence is in [0, 1] in steps of 1/10,000, NaN for none.
func (c Cell) Confidence() float64 {
	if c.conf == noConf || !c.Has(Met) {
		return math.NaN()
	}
	return float64(c.conf) / confSteps
}

// compare orders cells of one item: a score with a value stands before one without,
// then the rest decides.
func (c Cell) compare(d Cell) int {
	return cmp.Or(cmp.Compare(d.Bits&HasValue, c.Bits&HasValue), cmp.Compare(c.Value, d.Value),
		cmp.Compare(c.Bits, d.Bits), cmp.Compare(c.conf, d.conf))
}

// Item is a call or, with Call -1, a conversation. The numbers of conversations and
// tools follow the order of their names, once the set is settled.
type Item struct {
	Conversation uint32
	Call         int32
	Tool         uint32
	unit         uint32
}

// Whole reports whether the item is a conversation.
func (i Item) Whole() bool { return i.Call < 0 }

// CallIndex is the number of the call as scores name it, nil for a conversation.
func (i Item) CallIndex() *int {
	if i.Whole() {
		return nil
	}
	call := int(i.Call)
	return &call
}

// InConversation is the conversation of an item that Add gave, as an item.
func (i Item) InConversation() Item {
	return Item{Conversation: i.Conversation, Call: -1, unit: i.Conversation}
}

// SameCall reports whether both are one call or conversation of a settled set.
func (i Item) SameCall(k Item) bool { return i.Conversation == k.Conversation && i.Call == k.Call }

const noUnit = math.MaxUint32

// Set holds the items of a run, or of several that are compared. It is filled first,
// then settled, then read.
type Set struct {
	convs, tools names
	// newest is the last call of each conversation, calls link back from it.
	newest pages[uint32]
	calls  pages[callUnit]
	// Of the conversation that came last: its calls.
	open  uint32
	known map[int32]uint32

	mentions []mention

	convOrder, convRank, toolRank []uint32
	toolNames                     []string
	callOrder                     pages[uint32]
}

type callUnit struct {
	conv, tool, previous uint32
	call                 int32
}

// New makes an empty set.
func New() *Set { return &Set{open: noUnit, known: map[int32]uint32{}} }

// Add finds or makes an item. A call that is named with several tools keeps the one
// whose name comes first, any name before none. It fails where there are more than 4 billion of them.
func (s *Set) Add(conversation string, call int32, tool string) (Item, error) {
	conv, fresh := s.convs.add(conversation)
	if fresh {
		s.newest.add(noUnit)
	}
	if call < 0 {
		return Item{Conversation: conv, Call: -1, unit: conv}, nil
	}
	if conv != s.open {
		s.reopen(conv)
	}
	t, _ := s.tools.add(tool)
	unit, ok := s.known[call]
	switch {
	case !ok && s.calls.n >= noUnit-1 || s.convs.len() >= noUnit-1:
		return Item{}, errors.New("too many calls or conversations for one report")
	case !ok:
		unit = uint32(s.calls.n)
		s.calls.add(callUnit{conv: conv, tool: t, previous: *s.newest.at(conv), call: call})
		*s.newest.at(conv) = unit
		s.known[call] = unit
	default:
		u := s.calls.at(unit)
		if was, is := s.tools.text(u.tool), s.tools.text(t); len(is) > 0 && u.tool != t {
			if len(was) > 0 {
				s.mention(conv, u.tool)
				s.mention(conv, t)
			}
			if len(was) == 0 || bytes.Compare(is, was) < 0 {
				u.tool = t
			}
		}
	}
	return Item{Conversation: conv, Call: call, Tool: t, unit: unit}, nil
}

// reopen makes conv the conversation that came last.
func (s *Set) reopen(conv uint32) {
	s.open = conv
	clear(s.known)
	for u := *s.newest.at(conv); u != noUnit; {
		unit := s.calls.at(u)
		s.known[unit.call] = u
		u = unit.previous
	}
}

// Settle ends the filling: it numbers conversations and tools by their names and puts
// calls in order.
func (s *Set) Settle() {
	s.known = nil
	s.convOrder = s.convs.sorted()
	s.convRank = inverse(s.convOrder)
	toolOrder := s.tools.sorted()
	s.toolRank = inverse(toolOrder)
	for _, t := range toolOrder {
		s.toolNames = append(s.toolNames, string(s.tools.text(t)))
	}
	s.convs.at, s.tools.at = nil, nil
	s.settleMentions()
	var mine []uint32
	for _, conv := range s.convOrder {
		mine = mine[:0]
		for u := *s.newest.at(conv); u != noUnit; u = s.calls.at(u).previous {
			mine = append(mine, u)
		}
		slices.SortFunc(mine, func(x, y uint32) int { return cmp.Compare(s.calls.at(x).call, s.calls.at(y).call) })
		for _, u := range mine {
			s.callOrder.add(u)
		}
	}
}

func inverse(order []uint32) []uint32 {
	rank := make([]uint32, len(order))
	for r, i := range order {
		rank[i] = uint32(r)
	}
	return rank
}

// Conversations is the number of conversations, Calls that of calls.
func (s *Set) Conversations() int { return s.convs.len() }

// Calls is the number of calls.
func (s *Set) Calls() int { return s.calls.n }

// Conversation is the id of the conversation with a number.
func (s *Set) Conversation(number uint32) string {
	return string(s.convs.text(s.convOrder[number]))
}

// Tools are the names of the tools by their numbers; they must not be changed.
func (s *Set) Tools() []string { return s.toolNames }

// EachCall visits all calls, by conversation and index.
func (s *Set) EachCall(visit func(Item)) {
	for i := range s.callOrder.n {
		visit(s.item(*s.callOrder.at(uint32(i))))
	}
}

func (s *Set) item(unit uint32) Item {
	u := s.calls.at(unit)
	return Item{Conversation: s.convRank[u.conv], Call: u.call, Tool: s.toolRank[u.tool], unit: unit}
}

// EachConversation visits all conversations with their calls in order; the slice is
// used again for the next.
func (s *Set) EachConversation(visit func(conversation Item, calls []Item)) {
	next := 0
	var calls []Item
	for rank, conv := range s.convOrder {
		calls = calls[:0]
		for ; next < s.callOrder.n; next++ {
			unit := *s.callOrder.at(uint32(next))
			if s.calls.at(unit).conv != conv {
				break
			}
			calls = append(calls, s.item(unit))
		}
		visit(Item{Conversation: uint32(rank), Call: -1, unit: conv}, calls)
	}
}
