// Conversations under names.
// Written by: people and test suites that keep several conversations in one object: {case: {messages}, …} or
// {case: [message, …], …}, with the messages of any API (OpenAI, Anthropic, Bedrock, Strands) or Gemini's
// contents.
// Read: each is a conversation whose id is its name.
// Lost: nothing.

package format

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

var namedConversations = format{
	name: "named-conversations",
	mark: "objects with messages under names",
	detect: func(p *probe) confidence {
		lists := true // one list of messages under one key is a record of its own
		for name, v := range p.first.Members() {
			if slices.Contains(nativeKeys, name) || slices.Contains(promptPaths, name) || !namedMessages(v) {
				return no
			}
			lists = lists && v.IsList()
		}
		return min(sureIf(p.first.Len() > 1 || p.first.Len() > 0 && !lists), likely)
	},
	read: func(d *draft, list value.Value) error {
		v := list.Head()
		d.ID = v.Field("id").Text()
		d.Extra = foreign(v, "id", "messages", "contents", "system", "system_prompt", "tools")
		return d.exchange(v, value.Value{})
	},
	parts: func(v value.Value, add func(part)) {
		for name, c := range v.Members() {
			if c.IsList() {
				c = value.Pairs("messages", c)
			}
			add(part{alone: true, text: c.With("id", value.OfString(name)).JSON()})
		}
	},
}

func namedMessages(v value.Value) bool {
	messages, _ := v.First("messages", "contents")
	if v.IsList() {
		messages = v
	}
	return looksLikeMessages(messages)
}
