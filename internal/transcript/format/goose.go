// Sessions of goose.
// Written by: goose (sessions/*.jsonl with a header line, until 1.9), goose session export --format json
// ({conversation: [message]}), goose run --output-format json and stream-json.
// Read: 1.0 to 1.51 (2025 and 2026).
// Lost: notifications, confirmations; messages in sessions.db are not read: export the session.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var goose = format{
	name: "goose",
	mark: "messages with parts of type toolRequest and toolResponse",
	detect: of(func(f value.Value) bool {
		m := f.Inside("message")
		return f.HasAll("working_dir", "message_count") || m.Has("role") && m.Has("created") && m.Field("content").IsList()
	}),
	message: gooseMessage,
	read:    (*draft).readGoose,
	parts:   linesOr("conversation", "messages"),
}

func gooseMessage(m value.Value) bool {
	for _, p := range m.Field("content").Elements() {
		switch p.Field("type").Text() {
		case "toolRequest", "toolResponse":
			return true
		}
	}
	return false
}

func (d *draft) readGoose(list value.Value) error {
	head := list.Head()
	if head.HasAny("working_dir", "conversation") {
		d.ID = head.Field("id").Text()
		d.Extra = members(head, "working_dir", "name", "description").Object()
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(flatLines(list, "conversation", "messages"), "", "message", func(line value.Value, at string) error {
		m := line.Inside("message")
		role, known := roleOf(m.Field("role").Text())
		switch {
		case line.Has("working_dir"):
			return nil
		case !known:
			d.drop("line without a message")
			return nil
		}
		id := m.Field("id").Text()
		if !t.gooseContinues(role, id) { // the stream sends a message in pieces
			t.begin(role, at)
			t.open.id = id
		}
		for i, p := range m.Field("content").Elements() {
			t.goosePart(p, at+"."+place("content", i))
		}
		return nil
	})
}

func (t *turns) gooseContinues(role transcript.Role, id string) bool {
	return id != "" && t.open.role == role && t.open.id == id && len(t.open.results) == 0
}

func (t *turns) goosePart(p value.Value, at string) {
	id := p.Field("id").Text()
	switch kind := p.Field("type").Text(); kind {
	case "text":
		t.chunk(p.Field("text").Text())
	case "toolRequest", "frontendToolRequest":
		call := p.Field("toolCall").Inside("value")
		t.part(callItem(id, call.Field("name").Text(), call.Field("arguments")), at)
	case "toolResponse":
		result := p.Field("toolResult")
		failed, _ := result.Field("value").Field("isError").BoolVal()
		content, _ := found(result, "value.content", "value", "error")
		t.part(resultItem(id, content, failed || result.Has("error")), at)
	case "thinking", "redactedThinking":
		t.open.thought = joinLines(t.open.thought, p.Field("thinking").Text())
	default:
		t.drop(kind)
	}
}
