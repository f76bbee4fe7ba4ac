// Streams of LangGraph.
// Written by: LangGraph's server, and clients that keep the events of a run: {run_id, attempt}, then what the
// modes values, updates, messages and debug send.
// Read: langgraph-sdk 0.2. The file is one conversation. A message comes again whenever it has grown, and its
// last form counts; the pieces of the mode messages-tuple are joined.
// Lost: what states and tasks hold beside messages.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/value"
)

var langGraphStream = format{
	name: "langgraph-stream",
	mark: "events of a run of LangGraph, with messages that grow",
	detect: func(p *probe) confidence {
		begins := p.first.HasAll("run_id", "attempt")
		return sureIf(begins && of(func(f value.Value) bool { return langChain(growingMessages(f).Head()) })(p) > no)
	},
	read:  (*draft).readLangGraphStream,
	parts: wholeFile,
}

// growingMessages returns the messages of an event: a list of them, or those of a state or an update.
func growingMessages(e value.Value) value.Value {
	if e.IsList() {
		return e
	}
	if list := listAt(e, "messages", "payload.values.messages", "values.messages"); !list.IsNull() {
		return list
	}
	return listAt(e.At(0), "messages") // {node: {messages}}
}

func (d *draft) readLangGraphStream(events value.Value) error {
	var l latest
	pieces := map[string]*stream{}
	for _, e := range events.Elements() {
		d.ID = cmp.Or(d.ID, e.Field("run_id").Text())
		list := growingMessages(e)
		if list.Len() == 2 && list.At(1).Has("langgraph_node") { // a message or a piece of one, and its origin
			list = value.OfList(list.Head())
		}
		for _, m := range list.Elements() {
			id := m.Field("id").Text()
			l.put(id, m)
			if m.Field("type").Text() == "AIMessageChunk" {
				if pieces[id] == nil {
					pieces[id] = &stream{}
				}
				pieces[id].langChain(m)
			}
		}
	}
	for id, s := range pieces {
		l.put(id, s.reply().With("role", value.OfString("assistant")))
	}
	return d.messageList(value.OfList(l.list...), "messages")
}

// langChain adds a piece of a LangChain message.
func (s *stream) langChain(m value.Value) {
	s.text.WriteString(m.Field("content").Text())
	for _, p := range m.Field("content").Elements() {
		s.text.WriteString(p.Field("text").Text())
	}
	for _, c := range m.Field("tool_call_chunks").Elements() {
		s.call(c.Field("index").Text(), c.Field("id").Text()).add(c.Field("name"), c.Field("args"))
	}
}
