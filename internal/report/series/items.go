package series

import (
	"cmp"
	"slices"
	"strings"
)

// Item is a call or, with Call -1, a conversation. The numbers of conversations and
// tools follow the order of their names, once the items are settled.
type Item struct {
	Conversation uint32
	Call         int32
	Tool         uint32
	number       uint32 // among the calls, or among the conversations
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

// whole is the conversation with a number, as an item.
func whole(conversation uint32) Item {
	return Item{Conversation: conversation, Call: -1, number: conversation}
}

// Items numbers the conversations, tools and calls of a run, or of two that are
// compared. It is filled first, then settled, then read.
type Items struct {
	conversations, tools names
	calls                []Item
	known                map[callKey]uint32
	// mentions are the conversations and tools that have to do with each other; once
	// settled, those of a conversation start where starts says.
	mentions []mention
	starts   []int
}

type callKey struct {
	conversation uint32
	index        int32
}

type mention struct{ conversation, tool uint32 }

// NewItems knows of nothing yet.
func NewItems() *Items { return &Items{known: map[callKey]uint32{}} }

// add finds or makes an item. A call that is named with several tools keeps the one
// whose name comes first, any name before none; its conversation has to do with all.
func (s *Items) add(conversation string, call int32, tool string) Item {
	c := s.conversations.number(conversation)
	if call < 0 {
		return whole(c)
	}
	key, t := callKey{c, call}, s.tools.number(tool)
	number, ok := s.known[key]
	if !ok {
		number = uint32(len(s.calls))
		s.known[key] = number
		s.calls = append(s.calls, Item{Conversation: c, Call: call, Tool: t, number: number})
	}
	item := &s.calls[number]
	if was := s.tools.list[item.Tool]; tool != "" && tool != was {
		if was != "" {
			s.mention(c, item.Tool)
			s.mention(c, t)
		}
		if was == "" || tool < was {
			item.Tool = t
		}
	}
	return *item
}

// mentionTool notes that a conversation has to do with a tool which it need not call,
// as one whose call is missing.
func (s *Items) mentionTool(conversation uint32, tool string) {
	s.mention(conversation, s.tools.number(tool))
}

func (s *Items) mention(conversation, tool uint32) {
	m := mention{conversation, tool}
	// The instruments of one conversation say the same one after the other.
	if !slices.Contains(s.mentions[max(0, len(s.mentions)-8):], m) {
		s.mentions = append(s.mentions, m)
	}
}

// settle ends the filling: it numbers conversations and tools by their names and calls
// by conversation and index. calls are the new numbers by the old ones, as
// conversations are.
func (s *Items) settle() (calls, conversations []uint32) {
	s.known = nil
	conversations = s.conversations.settle()
	tools := s.tools.settle()
	for i := range s.calls {
		c := &s.calls[i]
		c.Conversation, c.Tool = conversations[c.Conversation], tools[c.Tool]
	}
	for i, m := range s.mentions {
		s.mentions[i] = mention{conversations[m.conversation], tools[m.tool]}
	}
	slices.SortFunc(s.calls, func(x, y Item) int {
		return cmp.Or(cmp.Compare(x.Conversation, y.Conversation), cmp.Compare(x.Call, y.Call))
	})
	calls = make([]uint32, len(s.calls))
	for i := range s.calls {
		c := &s.calls[i]
		calls[c.number], c.number = uint32(i), uint32(i)
		s.mentions = append(s.mentions, mention{c.Conversation, c.Tool})
	}
	s.settleMentions()
	return calls, conversations
}

func (s *Items) settleMentions() {
	slices.SortFunc(s.mentions, func(x, y mention) int {
		return cmp.Or(cmp.Compare(x.conversation, y.conversation), cmp.Compare(x.tool, y.tool))
	})
	s.mentions = slices.Clip(slices.Compact(s.mentions))
	s.starts = make([]int, s.Conversations()+1)
	for _, m := range s.mentions {
		s.starts[m.conversation+1]++
	}
	for i := range s.Conversations() {
		s.starts[i+1] += s.starts[i]
	}
}

// Conversations is the number of conversations, Calls that of calls.
func (s *Items) Conversations() int { return len(s.conversations.list) }

// Calls is the number of calls.
func (s *Items) Calls() int { return len(s.calls) }

// Conversation is the id of the conversation with a number.
func (s *Items) Conversation(number uint32) string { return s.conversations.list[number] }

// Tools are the names of the tools by their numbers; they must not be changed.
func (s *Items) Tools() []string { return s.tools.list }

// ToolsOf visits the numbers of the tools that a conversation calls or that were
// mentioned of it, ascending.
func (s *Items) ToolsOf(conversation uint32, visit func(tool uint32)) {
	for _, m := range s.mentions[s.starts[conversation]:s.starts[conversation+1]] {
		visit(m.tool)
	}
}

// CallsOf are the calls of a conversation in order; they must not be changed.
func (s *Items) CallsOf(conversation uint32) []Item {
	before := func(c Item, conversation uint32) int { return cmp.Compare(c.Conversation, conversation) }
	from, _ := slices.BinarySearchFunc(s.calls, conversation, before)
	to, _ := slices.BinarySearchFunc(s.calls, conversation+1, before)
	return s.calls[from:to]
}

// names numbers strings in the order of their first appearance, then in their own.
type names struct {
	list []string
	at   map[string]uint32
}

// number finds or makes the number of a name. A score's strings share the memory of
// its line, so that what is kept is copied.
func (n *names) number(name string) uint32 {
	at, ok := n.at[name]
	if ok {
		return at
	}
	if n.at == nil {
		n.at = map[string]uint32{}
	}
	name = strings.Clone(name)
	at = uint32(len(n.list))
	n.at[name] = at
	n.list = append(n.list, name)
	return at
}

// settle sorts the names and gives the new numbers by the old ones.
func (n *names) settle() []uint32 {
	old := n.at
	n.list, n.at = slices.Clip(n.list), nil
	slices.Sort(n.list)
	rank := make([]uint32, len(n.list))
	for i, name := range n.list {
		rank[old[name]] = uint32(i)
	}
	return rank
}
