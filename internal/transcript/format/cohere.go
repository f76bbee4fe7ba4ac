// Replies of Cohere.
// Written by: Cohere's Chat API v2 ({message, finish_reason, usage}). Its messages have OpenAI's form
// (chat.go), its streams are in stream.go.
// Read: the API of 2026. The plan of tools is reasoning.
// Lost: citations, documents, usage.

package format

import "github.com/judgekit/judge/internal/value"

var cohereReply = format{
	name: "cohere",
	mark: "a message with a finish_reason",
	detect: of(func(f value.Value) bool {
		m := f.Field("message")
		return f.Has("finish_reason") && m.Field("role").Text() == "assistant" && m.HasAny("content", "tool_calls", "tool_plan")
	}),
	read: (*draft).readCohere,
}

func (d *draft) readCohere(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = foreign(v, "id", "message")
	return d.oneMessage(v.Field("message").With("finish_reason", v.Field("finish_reason")), "message")
}
