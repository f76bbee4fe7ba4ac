// Factory's Droid.
//
// Written by: droid, one session a file under ~/.factory/sessions: lines of Anthropic messages below a
// line of type session_start; droid exec --output-format stream-json (droid-stream).
// Read: 0.2x and later (2025 and 2026).
// Lost: lines of other types; the stream's final text, which repeats the last message.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/value"
)

var droid = format{
	name: "droid",
	mark: "a line of type session_start before messages",
	detect: of(func(f value.Value) bool {
		return f.Field("type").Text() == "session_start" && f.HasAll("id", "cwd")
	}),
	read:  (*draft).readPiSession,
	parts: wholeFile,
}

var droidStream = format{
	name: "droid-stream",
	mark: "lines of type message with a session_id and a text, and of tool_call with a toolName",
	detect: of(func(f value.Value) bool {
		switch f.Field("type").Text() {
		case "message":
			return f.HasAll("role", "text", "session_id")
		case "tool_call":
			return f.HasAll("toolName", "parameters")
		}
		return false
	}),
	read:  (*draft).readDroidStream,
	parts: wholeFile,
}

func (d *draft) readDroidStream(list value.Value) error {
	t := turns{draft: d}
	defer t.flush()
	return d.objects(list, "", "line", func(line value.Value, at string) error {
		d.ID = cmp.Or(d.ID, line.Field("session_id").Text())
		id := line.FirstText("toolCallId", "id")
		switch kind := line.Field("type").Text(); kind {
		case "message":
			return t.message(members(line, "role", "text").Object(), at)
		case "tool_call":
			return t.message(callItem(id, line.Field("toolName").Text(), line.Field("parameters")), at)
		case "tool_result":
			failed, _ := line.Field("isError").BoolVal()
			content, _ := line.First("value", "error")
			return t.message(resultItem(id, content, failed), at)
		case "error":
			d.note("run_error", at, value.Quote(line.Field("message").Text()))
		default:
			d.drop(kind)
		}
		return nil
	})
}
