package measure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// item is a call, with or without its result, or, with call -1, a turn or a conversation. After
// renumbering, the numbers of conversations and tools follow the order of their names.
type item struct {
	conversation uint32
	call         int32
	tool         uint32
	number       uint32 // index among the items of its level
	turn         int32  // from 1; 0 if it is not a turn
	hindsight    bool   // it is a call with its result, or a turn
	runs         runs
	mixed        bool // scores name the call with different tools
}

// runs says which of two compared runs have something.
type runs uint8

const (
	runA runs = 1 << iota
	runB
)

// callIndex returns the number of the call as scores name it; nil for a conversation.
func (i item) callIndex() *int {
	if i.call < 0 {
		return nil
	}
	call := int(i.call)
	return &call
}

// items numbers the conversations, tools and calls of a run, or of two compared runs. It is first
// filled, then renumbered, then read.
type items struct {
	conversations, tools names
	about                []conversation
	calls                []item
	// results and turns are kept apart from calls: they are never compared with calls.
	results, turns parts
	known          map[callKey]uint32 // the calls that do not directly follow their conversation's first one
	// mentions lists tools that conversations involve without calling them.
	mentions []mention
	// After renumbering, a conversation's calls are in calls from firsts on, and all its tools in
	// toolsOf from starts on.
	toolsOf        []uint32
	firsts, starts []int
}

type callKey struct {
	conversation uint32
	index        int32
}

type mention struct{ conversation, tool uint32 }

// conversation holds the first place in a log that scores name, the runs with the conversation, and
// the number of call 0 if its calls came in order.
type conversation struct {
	place string
	zero  int
	runs  runs
}

func newItems() *items { return &items{known: map[callKey]uint32{}} }

// add finds or creates an item of a run. If a call is named with several tools, it keeps the first
// by name, and any name before none; its conversation involves all of them.
func (s *items) add(id string, call int32, tool, place string, run runs) item {
	c := s.conversations.number(id)
	if int(c) == len(s.about) {
		s.about = append(s.about, conversation{zero: noCalls})
	}
	about := &s.about[c]
	about.runs |= run
	if place != about.place && place != "" && (about.place == "" || place < about.place) {
		about.place = strings.Clone(place)
	}
	if call < 0 {
		return s.whole(c)
	}
	found := &s.calls[s.callNumber(c, call, tool)]
	found.runs |= run
	if was := s.tools.list[found.tool]; tool != "" && tool != was {
		t := s.tools.number(tool)
		if was != "" {
			found.mixed = true
			s.mention(c, found.tool)
			s.mention(c, t)
		}
		if was == "" || tool < was {
			found.tool = t
		}
	}
	return *found
}

// parts are the items of one level other than calls and conversations.
type parts struct {
	list  []item
	known map[callKey]uint32
}

// part finds or creates the item of a level for a call or a turn.
func (s *items) part(level, id string, index int32, tool, place string, run runs) item {
	c := s.add(id, -1, "", place, run).conversation
	p := s.partsOf(level)
	key := callKey{c, index}
	number, ok := p.known[key]
	if !ok {
		number = uint32(len(p.list))
		if p.known == nil {
			p.known = map[callKey]uint32{}
		}
		p.known[key] = number
		i := item{conversation: c, call: index, tool: s.tools.number(tool), number: number, hindsight: true}
		if level == report.TurnLevel {
			i.call, i.turn = -1, index
		}
		p.list = append(p.list, i)
	}
	p.list[number].runs |= run
	return p.list[number]
}

func (s *items) partsOf(level string) *parts {
	if level == report.TurnLevel {
		return &s.turns
	}
	return &s.results
}

// renumber maps the old numbers to new ones, which follow the conversations and the places in them.
func (p *parts) renumber(conversations, tools []uint32) []uint32 {
	for i := range p.list {
		x := &p.list[i]
		x.conversation, x.tool = conversations[x.conversation], tools[x.tool]
	}
	slices.SortFunc(p.list, func(x, y item) int {
		return cmp.Or(cmp.Compare(x.conversation, y.conversation), cmp.Compare(x.call, y.call),
			cmp.Compare(x.turn, y.turn))
	})
	numbers := make([]uint32, len(p.list))
	for i := range p.list {
		numbers[p.list[i].number], p.list[i].number = uint32(i), uint32(i)
	}
	p.known = nil
	return numbers
}

// whole returns a conversation as an item.
func (s *items) whole(number uint32) item {
	return item{conversation: number, call: -1, number: number, runs: s.about[number].runs}
}

// callNumber finds or creates the number of a call. Usually a conversation's calls come one after
// the other; then they need no map entries.
func (s *items) callNumber(conversation uint32, call int32, tool string) uint32 {
	zero := &s.about[conversation].zero
	if *zero == noCalls {
		*zero = len(s.calls) - int(call)
	}
	at := *zero + int(call)
	if at >= 0 && at < len(s.calls) && s.calls[at].conversation == conversation && s.calls[at].call == call {
		return uint32(at)
	}
	key := callKey{conversation, call}
	number, ok := s.known[key]
	if !ok {
		number = uint32(len(s.calls))
		t := s.tools.number(tool)
		s.calls = append(s.calls, item{conversation: conversation, call: call, tool: t, number: number})
		if int(number) != at {
			s.known[key] = number
		}
	}
	return number
}

const noCalls = math.MinInt

// mention records that a conversation involves a tool although it need not call it, for instance if
// an expected call is missing.
func (s *items) mention(conversation, tool uint32) {
	m := mention{conversation, tool}
	// The instruments of a conversation mention the same tool one after the other.
	if !slices.Contains(s.mentions[max(0, len(s.mentions)-8):], m) {
		s.mentions = append(s.mentions, m)
	}
}

// renumber ends the filling: it sorts conversations and tools by name, and calls by conversation
// and index. It returns, by level, the new numbers by the old ones.
func (s *items) renumber() map[string][]uint32 {
	s.known = nil
	conversations, tools := s.conversations.renumber(), s.tools.renumber()
	about := make([]conversation, len(s.about))
	for old, number := range conversations {
		about[number] = s.about[old]
	}
	s.about = about
	for i := range s.calls {
		c := &s.calls[i]
		c.conversation, c.tool = conversations[c.conversation], tools[c.tool]
	}
	slices.SortFunc(s.calls, func(x, y item) int {
		if x.conversation != y.conversation {
			return cmp.Compare(x.conversation, y.conversation)
		}
		return cmp.Compare(x.call, y.call)
	})
	calls := make([]uint32, len(s.calls))
	for i := range s.calls {
		c := &s.calls[i]
		calls[c.number], c.number = uint32(i), uint32(i)
	}
	for i, m := range s.mentions {
		s.mentions[i] = mention{conversations[m.conversation], tools[m.tool]}
	}
	s.groupByConversation()
	return map[string][]uint32{
		report.CallLevel: calls, report.ConversationLevel: conversations,
		report.ResultLevel: s.results.renumber(conversations, tools),
		report.TurnLevel:   s.turns.renumber(conversations, tools),
	}
}

// groupByConversation finds the calls of each conversation, and each of its tools once.
func (s *items) groupByConversation() {
	slices.SortFunc(s.mentions, func(x, y mention) int { return cmp.Compare(x.conversation, y.conversation) })
	s.toolsOf, s.starts = make([]uint32, 0, len(s.calls)), make([]int, len(s.about)+1)
	s.firsts = make([]int, len(s.about)+1)
	calls, mentions := s.calls, s.mentions
	for i := range s.about {
		from := len(s.toolsOf)
		for ; len(calls) > 0 && calls[0].conversation == uint32(i); calls = calls[1:] {
			s.toolsOf = append(s.toolsOf, calls[0].tool)
		}
		for ; len(mentions) > 0 && mentions[0].conversation == uint32(i); mentions = mentions[1:] {
			s.toolsOf = append(s.toolsOf, mentions[0].tool)
		}
		slices.Sort(s.toolsOf[from:])
		s.toolsOf = s.toolsOf[:from+len(slices.Compact(s.toolsOf[from:]))]
		s.starts[i+1], s.firsts[i+1] = len(s.toolsOf), len(s.calls)-len(calls)
	}
	s.mentions = nil
}

// eachTool visits the tool of a call, or the tools of a conversation in order.
func (s *items) eachTool(i item, visit func(tool uint32)) {
	if i.call >= 0 {
		visit(i.tool)
		return
	}
	for _, tool := range s.toolsOf[s.starts[i.conversation]:s.starts[i.conversation+1]] {
		visit(tool)
	}
}

// callsOf returns the calls of a conversation in order. Do not change the slice.
func (s *items) callsOf(conversation uint32) []item {
	return s.calls[s.firsts[conversation]:s.firsts[conversation+1]]
}

// count returns the number of items of a level.
func (s *items) count(level string) int {
	switch level {
	case report.ConversationLevel:
		return len(s.about)
	case report.ResultLevel, report.TurnLevel:
		return len(s.partsOf(level).list)
	}
	return len(s.calls)
}

// at returns the item of a level with this number.
func (s *items) at(level string, number uint32) item {
	switch level {
	case report.ConversationLevel:
		return s.whole(number)
	case report.ResultLevel, report.TurnLevel:
		return s.partsOf(level).list[number]
	}
	return s.calls[number]
}

// caseOf names an item with its tool, "" for a conversation.
func (s *items) caseOf(i item) report.CaseRef {
	ref := report.CaseRef{ConversationID: s.conversations.list[i.conversation], CallIndex: i.callIndex(),
		Turn: int(i.turn)}
	if i.call >= 0 {
		ref.Tool = s.tools.list[i.tool]
	}
	return ref
}

// placeOf returns the place of an item in the logs; "" if no score names it.
func (s *items) placeOf(i item) string { return value.Excerpt(s.about[i.conversation].place, maxPlace) }

// maxPlace limits a place in a report, in characters.
const maxPlace = 500

// names numbers strings, first in the order of appearance, after sorting in their own order.
type names struct {
	list []string
	at   map[string]uint32
	last uint32
}

// number finds or creates the number of a name. It stores a copy, because a score's strings share
// the memory of its line.
func (n *names) number(name string) uint32 {
	if int(n.last) < len(n.list) && n.list[n.last] == name {
		return n.last
	}
	at, ok := n.at[name]
	if !ok {
		if n.at == nil {
			n.at = map[string]uint32{}
		}
		name = strings.Clone(name)
		at = uint32(len(n.list))
		n.at[name] = at
		n.list = append(n.list, name)
	}
	n.last = at
	return at
}

// renumber sorts the names and returns the new numbers by the old ones.
func (n *names) renumber() []uint32 {
	old := n.at
	n.list, n.at = slices.Clip(n.list), nil
	slices.Sort(n.list)
	rank := make([]uint32, len(n.list))
	for i, name := range n.list {
		rank[old[name]] = uint32(i)
	}
	return rank
}
