// Sessions and streams of the Gemini CLI.
// Written by: the Gemini CLI under ~/.gemini/tmp/*/chats, as one object (2025) or as lines with a
// header (2026); gemini --output-format stream-json; Qwen Code until 0.10.
// Read: 0.1 to 0.46. A line whose id came before replaces the earlier one; $rewindTo takes back.
// Lost: messages of type info, warning and error; token counts.

package format

import (
	"maps"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var geminiCLI = format{
	name: "gemini-cli",
	mark: "a sessionId with a projectHash, or a message of type gemini",
	detect: of(func(f value.Value) bool {
		return f.HasAll("sessionId", "projectHash") || f.Field("type").Text() == gemini.name && f.HasAll("toolCalls", "id")
	}),
	read: (*draft).readGeminiCLI,
	parts: func(v value.Value, add func(part)) {
		add(part{conversation: v.Field("sessionId").Text(), text: v.Raw()})
	},
}

var geminiStream = format{
	name: "gemini-stream",
	mark: "lines of type init, tool_use and tool_result with a tool_id",
	detect: of(func(f value.Value) bool {
		switch f.Field("type").Text() {
		case "init":
			return f.HasAll("session_id", "model", "timestamp") && !f.Has("subtype")
		case "tool_use":
			return f.HasAll("tool_id", "tool_name")
		case "tool_result":
			return f.HasAll("tool_id", "status")
		}
		return false
	}),
	read:  (*draft).readGeminiStream,
	parts: wholeFile,
}

func (d *draft) readGeminiCLI(list value.Value) error {
	var messages latest
	for _, line := range list.Elements() {
		if d.ID == "" {
			d.ID = line.Field("sessionId").Text()
			d.Extra = foreign(line, "sessionId", "messages", "projectHash", "$set")
		}
		if back := line.Field("$rewindTo").Text(); back != "" {
			messages.cut(back)
			continue
		}
		for _, m := range append(line.Field("messages").Slice(), line.Field("$set").Field("messages").Slice()...) {
			messages.put(m.Field("id").Text(), m)
		}
		if line.Has("type") {
			messages.put(line.Field("id").Text(), line)
		}
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(value.OfList(messages.list...), "messages", "message", func(m value.Value, at string) error {
		switch kind := m.Field("type").Text(); kind {
		case "user":
			return t.whole(transcript.User, m, at)
		case gemini.name, "model", "assistant", "qwen":
			return t.geminiMessage(m, at)
		default:
			d.drop("message of type " + kind)
		}
		return nil
	})
}

// cut removes the record with an id and everything after it.
func (l *latest) cut(id string) {
	if i, known := l.at[id]; known {
		l.list = l.list[:i]
		maps.DeleteFunc(l.at, func(_ string, at int) bool { return at >= i })
	}
}

func (t *turns) geminiMessage(m value.Value, at string) error {
	t.begin(transcript.Assistant, at)
	for _, thought := range m.Field("thoughts").Elements() {
		text := joinLines(thought.Field("subject").Text(), thought.Field("description").Text())
		t.open.thought = joinLines(t.open.thought, text)
	}
	if content := m.Field("content"); content.Len() > 0 || content.Text() != "" {
		t.text(content, at)
	}
	for i, c := range m.Field("toolCalls").Elements() {
		at := at + "." + place("toolCalls", i)
		call := callItem(c.Field("id").Text(), c.Field("name").Text(), c.Field("args"))
		if content, given := geminiCallResult(c); given {
			failed := geminiFailed(c.Field("status"))
			call = call.With("output", content).With("is_error", value.OfBool(failed))
		}
		t.part(call, at)
	}
	return nil
}

// geminiFailed reports whether a call's status says that it failed or was cancelled.
func geminiFailed(status value.Value) bool {
	return status.Text() == "error" || status.Text() == "cancelled"
}

// geminiCallResult returns the result in the record of a call.
func geminiCallResult(c value.Value) (content value.Value, given bool) {
	result := c.Field("result")
	if inner := result.Head().Field("functionResponse"); inner.Kind() == value.Object {
		content, _ = geminiOutput(inner)
		return content, true
	}
	if shown := c.Field("resultDisplay"); result.IsNull() && shown.Kind() == value.String {
		return shown, true
	}
	return result, !result.IsNull()
}

// readGeminiStream reads the lines of --output-format stream-json, and joins the pieces of an answer.
func (d *draft) readGeminiStream(list value.Value) error {
	return d.eachLine(list, func(t *turns, line value.Value, kind, at string) error {
		id := line.Field("tool_id").Text()
		switch kind {
		case "init":
			d.ID = line.Field("session_id").Text()
			d.Extra = members(line, "model").Object()
		case "message":
			if piece, _ := line.Field("delta").BoolVal(); piece {
				t.agent(at)
				t.chunk(line.Field("content").Text())
				return nil
			}
			return t.message(members(line, "role", "content").Object(), at)
		case "tool_use":
			return t.message(callItem(id, line.Field("tool_name").Text(), line.Field("parameters")), at)
		case "tool_result":
			content, _ := found(line, "output", "error.message")
			return t.message(resultItem(id, content, line.Field("status").Text() == "error"), at)
		case "error":
			d.note("run_error", at, value.Quote(line.Field("message").Text()))
		default:
			d.drop(kind)
		}
		return nil
	})
}
