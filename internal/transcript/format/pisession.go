// Sessions of pi and OpenClaw.
// Written by: the pi coding agent (~/.pi/agent/sessions), pi --mode json, OpenClaw and oh-my-pi
// (sessions/*.jsonl): lines of {type: "message", id, parentId, message}.
// Read: versions 1 to 4 of the session file (2024 to 2026). All branches stay in.
// Lost: changes of the model, labels, summaries of what a compaction left out; of a stream the events that
// repeat its messages.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var piSession = format{
	name: "pi-session",
	mark: "lines of type session and message",
	detect: withHeader(func(f value.Value) bool {
		return f.Field("type").Text() == "session" && f.HasAll("id", "cwd")
	}, piMessage),
	read:  (*draft).readPiSession,
	parts: wholeFile,
}

func piMessage(f value.Value) bool {
	kind, message := f.Field("type").Text(), f.Field("message")
	return (kind == "message" || kind == "message_end") && message.Has("role") && !message.Has("created")
}

// readPiSession reads lines with a message each, after a line that describes the session.
func (d *draft) readPiSession(list value.Value) error {
	return d.eachLine(list, func(t *turns, line value.Value, kind, at string) error {
		message := line.Field("message")
		switch {
		case kind == "session" || kind == "session_start":
			d.ID = line.Field("id").Text()
			d.Extra = members(line, "cwd", "version", "title").Object()
		case kind != "message" && kind != "message_end":
			d.drop(kind)
		case message.Field("role").Text() == "toolResult":
			return t.message(message.With("role", value.OfString("tool")), at)
		case message.Field("role").Text() == "bashExecution":
			id := line.Field("id").Text()
			t.begin(transcript.User, at)
			t.part(callItem(id, "bash", members(message, "command").Object()), at)
			t.flush()
			code := message.Field("exitCode").Text()
			return t.message(resultItem(id, message.Field("output"), code != "" && code != "0"), at)
		default:
			return t.message(message, at)
		}
		return nil
	})
}
