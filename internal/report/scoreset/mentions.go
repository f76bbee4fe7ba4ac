package scoreset

import (
	"cmp"
	"slices"
)

// mention says that a conversation has to do with a tool beside those of its calls.
type mention struct{ conv, tool uint32 }

// Mention notes that a conversation has to do with a tool which it need not call, as
// one whose call is missing. Of a call that is named with several tools, Add mentions
// them all.
func (s *Set) Mention(conversation Item, tool string) {
	t, _ := s.tools.add(tool)
	s.mention(conversation.unit, t)
}

func (s *Set) mention(conv, tool uint32) {
	m := mention{conv, tool}
	// The instruments of one conversation say the same one after the other.
	for i := len(s.mentions) - 1; i >= 0 && i >= len(s.mentions)-8 && s.mentions[i].conv == conv; i-- {
		if s.mentions[i] == m {
			return
		}
	}
	s.mentions = append(s.mentions, m)
}

func (s *Set) settleMentions() {
	for i := range s.mentions {
		m := &s.mentions[i]
		m.conv, m.tool = s.convRank[m.conv], s.toolRank[m.tool]
	}
	slices.SortFunc(s.mentions, compareMentions)
	s.mentions = slices.Compact(s.mentions)
}

func compareMentions(x, y mention) int {
	return cmp.Or(cmp.Compare(x.conv, y.conv), cmp.Compare(x.tool, y.tool))
}

// EachConversationTools visits all conversations with the numbers of the tools that
// they call or that were mentioned of them, ascending; the slice is used again for the
// next.
func (s *Set) EachConversationTools(visit func(conversation Item, tools []uint32)) {
	var tools []uint32
	next := 0
	s.EachConversation(func(conversation Item, calls []Item) {
		tools = tools[:0]
		for _, c := range calls {
			tools = append(tools, c.Tool)
		}
		for ; next < len(s.mentions) && s.mentions[next].conv == conversation.Conversation; next++ {
			tools = append(tools, s.mentions[next].tool)
		}
		slices.Sort(tools)
		tools = slices.Compact(tools)
		visit(conversation, tools)
	})
}
