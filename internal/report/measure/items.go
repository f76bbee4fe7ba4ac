package measure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// item is a call, with or without its result, or, with call -1, a turn or a conversation. The numbers of conversations and
// tools follow the order of their names, once the items are renumbered.
type item struct {
	conversation uint32
	call         int32
	tool         uint32
	number       uint32 // among the items of its level
	turn         int32  // from 1; 0 if it is no turn
	hindsight    bool   // it is a call with its result, or a turn
	runs         runs
	mixed        bool // it is a call of two tools
}

// runs say which of two compared runs have something.
type runs uint8

const (
	runA runs = 1 << iota
	runB
)

// callIndex returns the number of the call as scores name it, nil for a conversation.
func (i item) callIndex() *int {
	if i.call < 0 {
		return nil
	}
	call := int(i.call)
	return &call
}

// items numbers the conversations, tools and calls of a run, or of two that are
// compared. It is filled first, then renumbered, then read.
type items struct {
	conversations, tools names
	about                []conversation
	calls                []item
	// results and turns are apart from calls: nothing compares them.
	results, turns parts
	known          map[callKey]uint32 // the calls that do not follow the first of theirs
	// mentions are tools that conversations have to do with beside those of their calls.
	mentions []mention
	// Once renumbered, the calls of a conversation are in calls from firsts on, and all its tools
	// in toolsOf from starts on.
	toolsOf        []uint32
	firsts, starts []int
}

type callKey struct {
	conversation uint32
	index        int32
}

type mention struct{ conversation, tool uint32 }

// conversation holds what is known of one beside its id: the first place in a log that scores
// name, the runs that have it, and the number that call 0 has where its calls came in order.
type conversation struct {
	place string
	zero  int
	runs  runs
}

func newItems() *items { return &items{known: map[callKey]uint32{}} }

// add finds or makes an item of a run. A call that is named with several tools keeps the
// one whose name comes first, any name before none; its conversation involves all.
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

// parts are the items of one level that are neither calls nor conversations.
type parts struct {
	list  []item
	known map[callKey]uint32
}

// part finds or makes the item of a level for a call or a turn.
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

// renumber returns the new numbers by the old ones, by conversation and place in it.
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

// callNumber finds or makes the number of a call. The calls of a conversation mostly come
// one after the other, and need no place in a map then.
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

// mention notes that a conversation has to do with a tool which it need not call, as one
// whose call is missing.
func (s *items) mention(conversation, tool uint32) {
	m := mention{conversation, tool}
	// The instruments of one conversation mention the same one after the other.
	if !slices.Contains(s.mentions[max(0, len(s.mentions)-8):], m) {
		s.mentions = append(s.mentions, m)
	}
}

// renumber ends the filling: it numbers conversations and tools by their names and calls
// by conversation and index. It returns by level the new numbers by the old ones.
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

// groupByConversation finds the calls of each conversation, and its tools, each once.
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

// eachTool visits the tool of a call, or in order those that a conversation has to do with.
func (s *items) eachTool(i item, visit func(tool uint32)) {
	if i.call >= 0 {
		visit(i.tool)
		return
	}
	for _, tool := range s.toolsOf[s.starts[i.conversation]:s.starts[i.conversation+1]] {
		visit(tool)
	}
}

// callsOf returns the calls of a conversation in order; they must not be changed.
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

// at returns the item of a level with a number.
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

// placeOf returns where in the logs an item is, "" if no score says.
func (s *items) placeOf(i item) string { return value.Excerpt(s.about[i.conversation].place, maxPlace) }

// maxPlace bounds a place in a report, in characters.
const maxPlace = 500

// names numbers strings in the order of their first appearance, then in their own.
type names struct {
	list []string
	at   map[string]uint32
	last uint32
}

// number finds or makes the number of a name. A score's strings share the memory of its
// line, so that what is kept is copied.
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

// renumber sorts the names and gives the new numbers by the old ones.
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
