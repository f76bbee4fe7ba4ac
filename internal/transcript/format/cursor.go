// Cursor.
// Written by: cursor-agent --output-format stream-json (cursor-stream), and Cursor into its agent-transcripts
// folder (cursor).
// Read: 2025 and 2026. A call that started and completed comes once; a result that says neither success nor
// error is kept whole.
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
	detect: anyOf(func(f value.Value) bool {
		return f.Field("type").Text() == "tool_call" && f.Has("subtype") && f.Field("tool_call").Kind() == value.Object
	}),
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

func (d *draft) readCursorStream(list value.Value) error {
	pieces := false // the answer comes in pieces, and then as a whole
	for _, line := range list.Elements() {
		pieces = pieces || line.Field("type").Text() == "assistant" && cursorPiece(line)
	}
	started := map[string]bool{}
	return d.eachLine(list, func(t *turns, line value.Value, kind, at string) error {
		switch {
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

// cursorPiece reports whether a line contains a piece of an answer.
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
