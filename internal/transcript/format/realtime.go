// Events of a session of OpenAI's Realtime API.
// Written by: clients and proxies of the Realtime API that log its events, one a line.
// Read: instructions and tools of the session; messages, calls and results as items in their last state;
// transcripts of what was spoken.
// Lost: audio without a transcript, deltas, rate limits.

package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openAIRealtime = format{
	name: "openai-realtime",
	mark: "events of a realtime session",
	detect: anyOf(func(f value.Value) bool {
		return strings.HasPrefix(f.Field("type").Text(), "conversation.item.") && f.HasAny("item", "item_id")
	}),
	read:  (*draft).readRealtime,
	parts: wholeFile,
}

// readRealtime reads the items of a session. The server repeats the items that a client creates.
func (d *draft) readRealtime(list value.Value) error {
	var items latest
	keep := func(item value.Value) {
		id := item.Field("id").Text()
		if item.Field("type").Text() == "function_call_output" {
			id = "result of " + item.Field("call_id").Text()
		}
		items.put(id, transcribedItem(item))
	}
	echoed := slices.ContainsFunc(list.Slice(), func(e value.Value) bool {
		return slices.Contains([]string{"conversation.item.created", "conversation.item.added"}, e.Field("type").Text())
	})
	instructions := ""
	for _, e := range list.Elements() {
		item := e.Field("item")
		switch kind := e.Field("type").Text(); {
		case strings.HasPrefix(kind, "session."):
			instructions = cmp.Or(instructions, e.Field("session").Field("instructions").Text())
			if tools := e.Field("session").Field("tools"); tools.Len() > 0 {
				d.useTools(tools)
			}
			d.ID = cmp.Or(d.ID, e.Field("session").Field("id").Text())
		case kind == "response.done":
			for _, item := range e.Field("response").Field("output").Elements() {
				keep(item)
			}
		case kind == "conversation.item.input_audio_transcription.completed":
			keep(value.Pairs("id", e.Field("item_id"), "type", "message", "role", "user", "content",
				[]value.Value{textOf(e.Field("transcript").Text())}))
		case kind == "conversation.item.create" && echoed && item.Field("type").Text() == "message":
		case item.Kind() == value.Object && (kind == "response.output_item.done" || strings.HasPrefix(kind, "conversation.item.")):
			keep(item)
		}
	}
	d.say(transcript.System, instructions, "session")
	return d.messageList(value.OfList(items.list...), "")
}

// transcribedItem returns an item with its transcripts of speech as texts.
func transcribedItem(item value.Value) value.Value {
	content := item.Field("content")
	if !content.IsList() {
		return item
	}
	return item.With("content", eachOf(content, func(p value.Value) value.Value {
		if text, spoken := p.Field("transcript").Str(); spoken {
			return textOf(text)
		}
		return p
	}))
}
