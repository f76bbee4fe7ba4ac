// Cursor.
//
// Written by: cursor-agent --output-format stream-json (cursor-stream), Cursor's agent-transcripts
// folder (cursor), and exports of its database, bubbles of a composer (cursor-chat).
// Read: 2025 and 2026. A call that started and completed comes once; a result that says neither
// success nor error is kept whole.
// Lost: thinking in pieces; transcripts hold no results.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var cursorStream = format{
	name: "cursor-stream",
	mark: "lines of type tool_call with a subtype",
	detect: func(p *probe) confidence {
		for _, r := range p.records {
			if r.Field("type").Text() == "tool_call" && r.Has("subtype") && r.Field("tool_call").Kind() == value.Object {
				return sure
			}
		}
		return no
	},
	read:  (*draft).readCursorStream,
	parts: wholeFile,
}

var cursorTranscript = format{
	name: "cursor",
	mark: "lines with a role and a message of parts",
	detect: of(func(f value.Value) bool {
		return f.Has("role") && f.Field("message").Field("content").IsList() && !f.HasAny("type", "content", "uuid")
	}),
	read:  (*draft).readLines,
	parts: wholeFile,
}

var cursorChat = format{
	name: "cursor-chat",
	mark: "bubbles with a number as their type",
	detect: of(func(f value.Value) bool {
		first := listAt(f, cursorBubbles...).Head()
		return first.Field("type").IsNumber() && first.HasAny("bubbleId", "text", "toolFormerData")
	}),
	read: (*draft).readCursorChat,
}

var cursorBubbles = []string{"conversation", "bubbles", "messages"}

func (d *draft) readCursorStream(list value.Value) error {
	pieces := false // the answer comes in pieces, and once more as a whole
	for _, line := range list.Elements() {
		pieces = pieces || line.Field("type").Text() == "assistant" && cursorPiece(line)
	}
	t := turns{draft: d}
	defer t.flush()
	started := map[string]bool{}
	return d.objects(list, "", "line", func(line value.Value, at string) error {
		switch kind := line.Field("type").Text(); {
		case kind == "system":
			d.ID = line.Field("session_id").Text()
			d.Extra = members(line, "cwd", "model").Object()
		case kind == "user" || kind == "assistant" && !pieces:
			return t.message(line.Field("message"), at)
		case kind == "assistant" && cursorPiece(line):
			if t.open.role != transcript.Assistant || len(t.open.calls) > 0 {
				t.begin(transcript.Assistant, at)
			}
			for _, p := range line.Field("message").Field("content").Elements() {
				t.chunk(p.Field("text").Text())
			}
		case kind == "tool_call":
			id := line.Field("call_id").Text()
			call, result := cursorCall(id, line.Field("tool_call"))
			if !started[id] || id == "" {
				started[id] = true
				if err := t.message(call, at); err != nil {
					return err
				}
			}
			if line.Field("subtype").Text() == "completed" && !result.IsNull() {
				return t.message(result, at)
			}
		default:
			d.drop(kind)
		}
		return nil
	})
}

// cursorPiece reports whether a line holds a piece of an answer.
func cursorPiece(line value.Value) bool {
	return line.Has("timestamp_ms") && !line.Has("model_call_id")
}

// cursorCall reads {readToolCall: {args, result}}, and calls of MCP servers, which name their tool.
func cursorCall(id string, v value.Value) (call, result value.Value) {
	for key, inner := range v.Members() {
		if inner.Kind() != value.Object || key != "function" && !strings.HasSuffix(key, "ToolCall") {
			continue
		}
		name, arguments := key, inner.Field("args")
		switch {
		case key == "function":
			name = inner.Field("name").Text()
			arguments, _ = inner.First("arguments", "args")
		case arguments.HasAll("args", "toolName"):
			name, arguments = arguments.Field("toolName").Text(), arguments.Field("args")
		}
		content, given := inner.Get("result")
		if !given {
			return callItem(id, name, arguments), value.Value{}
		}
		success, succeeded := content.Get("success")
		if succeeded {
			content = success
		}
		failed := !succeeded && content.HasAny("error", "failure", "rejected")
		return callItem(id, name, arguments), resultItem(id, content, failed)
	}
	return callItem(id, "", value.Value{}), value.Value{}
}

func (d *draft) readCursorChat(v value.Value) error {
	list, at := findList(v, cursorBubbles...)
	d.ID = v.FirstText("composerId", "id")
	d.Extra = foreign(v, at, "composerId", "id")
	t := turns{draft: d}
	defer t.flush()
	return d.objects(list, at, "bubble", func(b value.Value, at string) error {
		if b.Field("type").Text() == "1" {
			return t.whole(transcript.User, b, at)
		}
		if text := b.Field("text").Text(); text != "" || t.open.role != transcript.Assistant {
			t.begin(transcript.Assistant, at)
			t.chunk(text)
		}
		if thinking, _ := found(b, "thinking.text"); thinking.Text() != "" {
			t.open.thought = joinLines(t.open.thought, thinking.Text())
		}
		tool := b.Field("toolFormerData")
		if tool.FirstText("name") == "" {
			return nil
		}
		arguments, _ := tool.First("rawArgs", "params")
		call := callItem(tool.Field("toolCallId").Text(), tool.Field("name").Text(), arguments)
		if output, given := tool.First("result", "error"); given && !output.IsNull() {
			call = call.With("output", output).With("is_error", value.OfBool(tool.Field("status").Text() == "error"))
		}
		t.part(call, at)
		return nil
	})
}
