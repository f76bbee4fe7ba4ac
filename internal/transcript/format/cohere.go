// Replies of Cohere.
//
// Written by: Cohere's Chat API: a reply of v2 ({message, finish_reason, usage}); a reply of v1 ({text,
// tool_calls, chat_history}). Messages of v2 have OpenAI's form (chat.go), streams are in stream.go.
// Read: the API of 2026. The plan of tools is reasoning.
// Lost: citations, documents, usage.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var cohereReply = format{
	name: "cohere",
	mark: "a message with a finish_reason",
	detect: of(func(f value.Value) bool {
		m := f.Field("message")
		return f.Has("finish_reason") && m.Field("role").Text() == "assistant" && m.HasAny("content", "tool_calls", "tool_plan")
	}),
	read: (*draft).readCohere,
}

var cohereChat = format{
	name: "cohere-v1",
	mark: "a chat_history whose roles are USER and CHATBOT",
	detect: of(func(f value.Value) bool {
		role := f.Field("chat_history").Head().Field("role").Text()
		return role == "USER" || role == "CHATBOT" || f.HasAll("generation_id", "text", "chat_history")
	}),
	read: (*draft).readCohereChat,
}

func (d *draft) readCohere(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = foreign(v, "id", "message")
	return d.oneMessage(v.Field("message").With("finish_reason", v.Field("finish_reason")), "message")
}

// readCohereChat reads the history, which ends with the reply, or the reply alone.
func (d *draft) readCohereChat(v value.Value) error {
	d.ID = v.FirstText("response_id", "generation_id")
	d.Extra = foreign(v, "response_id", "text", "tool_calls", "chat_history", "message", "tools")
	d.useTools(v.Field("tools"))
	t := turns{draft: d}
	defer t.flush()
	err := d.objects(value.OfList(v.Field("chat_history").Slice()...), "chat_history", "message",
		func(m value.Value, at string) error {
			if results := m.Field("tool_results"); results.IsList() {
				for i, r := range results.Elements() {
					t.part(value.Pairs("type", "tool_result", "name", r.Field("call").Field("name"),
						"content", r.Field("outputs")), at+"."+place("tool_results", i))
				}
				return nil
			}
			return t.message(m, at)
		})
	last := v.Field("chat_history")
	if last.Len() > 0 && last.At(last.Len()-1).Field("role").Text() == "CHATBOT" || err != nil {
		return err
	}
	if asked := v.Field("message"); asked.Kind() == value.String {
		t.begin(transcript.User, "message")
		t.text(asked, "message")
	}
	return t.whole(transcript.Assistant, members(v, "text", "tool_calls").Object(), "")
}
