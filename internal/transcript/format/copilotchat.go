// Chats of GitHub Copilot in VS Code.
// Written by: VS Code ("Chat: Export Chat…", workspaceStorage/*/chatSessions): {requests: [{message, response,
// result}]}.
// Read: version 3 (2025 and 2026). Calls come from the rounds in result.metadata; where these are missing, from
// the parts of the response, which hold only some arguments.
// Lost: references, edits of files, progress messages.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var copilotChat = format{
	name: "copilot-chat",
	mark: "requests with a message and a response",
	detect: of(func(f value.Value) bool {
		first := f.Field("requests").Head()
		return first.Field("message").Has("text") && first.HasAny("requestId", "response")
	}),
	read: (*draft).readCopilotChat,
}

func (d *draft) readCopilotChat(v value.Value) error {
	d.ID = v.Field("sessionId").Text()
	d.Extra = foreign(v, "sessionId", "requests", "inputState")
	t := turns{draft: d}
	defer t.flush()
	return d.objects(v.Field("requests"), "requests", "request", func(r value.Value, at string) error {
		t.begin(transcript.User, at+".message")
		t.text(r.Field("message").Field("text"), at)
		metadata := r.Field("result").Field("metadata")
		rounds := metadata.Field("toolCallRounds")
		for i, round := range rounds.Elements() {
			t.begin(transcript.Assistant, at+"."+place("toolCallRounds", i))
			t.text(round.Field("response"), at)
			for k, c := range round.Field("toolCalls").Elements() {
				call := callItem(c.Field("id").Text(), c.Field("name").Text(), c.Field("arguments"))
				if result := metadata.Field("toolCallResults").Field(c.Field("id").Text()); !result.IsNull() {
					call = call.With("output", value.OfString(copilotText(result.Field("content"))))
				}
				t.part(call, t.open.at+"."+place("toolCalls", k))
			}
		}
		if rounds.Len() == 0 {
			t.begin(transcript.Assistant, at+".response")
			t.copilotResponse(r.Field("response"), at+".response")
		}
		return nil
	})
}

// copilotText joins the texts in nested lists of parts.
func copilotText(list value.Value) string {
	text := ""
	for _, p := range list.Elements() {
		piece, _ := p.First("value", "text")
		text = joinLines(text, piece.Text())
	}
	return text
}

// copilotResponse reads the parts of a response as shown in the chat.
func (t *turns) copilotResponse(list value.Value, at string) {
	for i, p := range list.Elements() {
		text, _ := found(p, "value", "content.value")
		switch kind := p.Field("kind").Text(); {
		case kind == "toolInvocationSerialized":
			arguments, given := p.Field("resultDetails").Get("input")
			if data := p.Field("toolSpecificData"); !given {
				arguments = data.Without("kind", "language")
			}
			call := callItem(p.Field("toolCallId").Text(), p.Field("toolId").Text(), arguments)
			if output := p.Field("resultDetails").Field("output"); output.IsList() {
				call = call.With("output", value.OfString(copilotText(output)))
			}
			t.part(call, at+indexed(i))
		case kind == "thinking":
			t.open.thought = joinLines(t.open.thought, text.Text())
		case (kind == "" || kind == "markdownContent") && text.Kind() == value.String:
			t.chunk(text.Text())
		default:
			t.drop(kind)
		}
	}
}
