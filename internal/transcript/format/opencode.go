// Sessions of opencode.
// Written by: opencode export (one object {info, messages: [{info, parts}]}), opencode run --format json (lines
// of {type, sessionID, part}), events of its server.
// Read: 0.3 to 1.18 (2025 and 2026). A part of type tool holds a call and its result.
// Lost: snapshots, patches and costs; the stream does not hold the prompt. The files under storage/ and the
// database opencode.db are not read: export the session.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openCode = format{
	name: "opencode",
	mark: "messages with info and parts",
	detect: within(func(f value.Value) bool {
		return f.Field("info").Has("role") && f.Field("parts").IsList()
	}, "messages"),
	read:  (*draft).readOpenCode,
	parts: linesOr("messages"),
}

var openCodeStream = format{
	name: "opencode-stream",
	mark: "lines with a sessionID and a part",
	detect: of(func(f value.Value) bool {
		return f.HasAll("type", "sessionID") && f.Field("part").Kind() == value.Object || f.Field("properties").Has("part")
	}),
	read:  (*draft).readOpenCodeStream,
	parts: wholeFile,
}

// openCodeEvents returns the messages in a server's events (message.updated, message.part.updated),
// in their last state, as {info, parts}.
func openCodeEvents(list value.Value) value.Value {
	var messages latest
	parts := map[string]*latest{}
	for _, e := range list.Elements() {
		info, part := e.Field("properties").Field("info"), e.Field("properties").Field("part")
		if info.Has("role") {
			messages.put(info.Field("id").Text(), info)
		}
		id := part.Field("messageID").Text()
		if id != "" && parts[id] == nil {
			parts[id] = &latest{}
			if _, known := messages.at[id]; !known {
				messages.put(id, value.Pairs("id", id, "role", "assistant"))
			}
		}
		if id != "" {
			parts[id].put(part.Field("id").Text(), part)
		}
	}
	return eachOf(value.OfList(messages.list...), func(info value.Value) value.Value {
		own := parts[info.Field("id").Text()]
		if own == nil {
			own = &latest{}
		}
		return value.Pairs("info", info, "parts", value.OfList(own.list...))
	})
}

func (d *draft) readOpenCode(list value.Value) error {
	if session := list.Head(); session.Has("messages") {
		d.ID = session.Field("info").Field("id").Text()
		d.Extra = members(session.Field("info"), "title", "directory", "version").Object()
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(flatLines(list, "messages"), "messages", "message", func(m value.Value, at string) error {
		info := m.Field("info")
		role, known := roleOf(info.Field("role").Text())
		if !known {
			return wrong(at+".info", "the message has no role that is known")
		}
		t.begin(role, at)
		for i, p := range m.Field("parts").Elements() {
			t.openCodePart(p, at+"."+place("parts", i))
		}
		if failure := info.Field("error"); !failure.IsNull() {
			d.note("run_error", at, value.Quote(failure.JSON()))
		}
		return nil
	})
}

func (t *turns) openCodePart(p value.Value, at string) {
	switch kind := p.Field("type").Text(); kind {
	case "tool":
		state := p.Field("state")
		call := callItem(p.Field("callID").Text(), p.Field("tool").Text(), state.Field("input"))
		switch state.Field("status").Text() {
		case "completed":
			call = call.With("output", state.Field("output")).With("is_error", value.OfBool(false))
		case "error":
			call = call.With("output", state.Field("error")).With("is_error", value.OfBool(true))
		}
		t.part(call, at)
	case "text", "reasoning", "step-start", "file":
		t.part(p, at)
	default:
		t.drop(kind)
	}
}

func (d *draft) readOpenCodeStream(list value.Value) error {
	d.ID = list.Head().Field("sessionID").Text()
	if events := openCodeEvents(list); events.Len() > 0 {
		d.ID = events.Head().Field("info").Field("sessionID").Text()
		return d.readOpenCode(events)
	}
	return d.eachLine(list, func(t *turns, line value.Value, kind, at string) error {
		if kind == "error" {
			d.note("run_error", at, value.Quote(line.Field("error").JSON()))
			return nil
		}
		if !t.open.begun {
			t.begin(transcript.Assistant, at)
			t.open.empty = true
		}
		t.openCodePart(line.Field("part"), at)
		return nil
	})
}
