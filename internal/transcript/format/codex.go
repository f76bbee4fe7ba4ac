package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var codex = format{
	name:   "codex",
	mark:   "lines with a type and a payload",
	detect: of(codexLine),
	read:   (*draft).readCodex,
	parts:  wholeFile,
}

var codexTypes = []string{"session_meta", "response_item", "event_msg", "turn_context", "compacted"}

func codexLine(f value.Value) bool {
	return slices.Contains(codexTypes, f.Field("type").Text()) && f.Field("payload").Kind() == value.Object ||
		f.HasAll("id", "timestamp", "instructions") && !f.Has("type")
}

// readCodex reads a session of the Codex CLI (rollout files of 0.2x to 0.154, 2025 and 2026): lines of
// {timestamp, type, payload}. Lines of type response_item are items of the Responses API; lines of older
// versions are the items themselves. Events repeat the items: those with messages are read only if no item is
// a message, those with calls only if no item is a call. A fork begins with its parent's items; if these
// occur a second time, they are skipped. Lost: contexts of turns, and what a compaction replaced.
func (d *draft) readCodex(list value.Value) error {
	var s codexSession
	for _, line := range list.Elements() {
		payload := line.Field("payload")
		switch kind := line.Field("type").Text(); {
		case kind == "session_meta" || line.HasAll("id", "instructions") && !line.Has("type"):
			if err := s.begins(d, line); err != nil {
				return err
			}
		case kind == "response_item" && payload.Field("type").Text() != "ghost_snapshot":
			s.item(payload)
		case payload.IsNull() && line.Has("type"):
			s.item(line)
		case kind == "event_msg":
			s.events = append(s.events, codexEventAt{before: len(s.items), payload: payload})
		default:
			d.drop(kind)
		}
	}
	return d.messageList(value.OfList(s.all(d)...), "")
}

// codexSession collects the items of a rollout file.
type codexSession struct {
	first string // the line that began the session
	items []value.Value
	// repeated counts the items after a later beginning that repeat those of the file.
	repeated int
	// events holds the events, each with the index of the item that it precedes.
	events          []codexEventAt
	messages, calls bool
}

type codexEventAt struct {
	before  int
	payload value.Value
}

// begins reads the description of the session. A fork also has its parent's.
func (s *codexSession) begins(d *draft, line value.Value) error {
	id := line.Inside("payload").Field("id").Text()
	switch {
	case s.first == "":
		d.codexMeta(line)
		s.first = line.Raw()
	case id == "" || !strings.Contains(s.first, id):
		return wrong("", "the file holds more than one session: give each a file of its own")
	}
	s.repeated = 0
	return nil
}

func (s *codexSession) item(v value.Value) {
	if s.repeated < len(s.items) && value.Equal(s.items[s.repeated], v) {
		s.repeated++
		return
	}
	kind := v.Field("type").Text()
	s.calls = s.calls || strings.HasSuffix(kind, "_call") || v.HasAny("function_call", "tool_calls")
	s.messages = s.messages || v.Has("role")
	s.items = append(s.items, v)
	s.repeated = len(s.items)
}

// all returns the items, with what only the events say inserted at its place.
func (s *codexSession) all(d *draft) []value.Value {
	var out latest
	next := 0
	for _, e := range s.events {
		for ; next < e.before; next++ {
			out.put("", s.items[next])
		}
		var item value.Value
		if !s.calls || !s.messages {
			_, _, item = codexItem(e.payload)
		}
		isCall := item.Field("type").Text() == "tool_call"
		if item.IsNull() || isCall && s.calls || !isCall && s.messages {
			d.drop("event_msg")
			continue
		}
		out.put(item.Field("id").Text(), item)
	}
	return append(out.list, s.items[next:]...)
}

func (d *draft) codexMeta(line value.Value) {
	meta := line.Inside("payload")
	d.ID = meta.Field("id").Text()
	d.Extra = members(meta, "cwd", "cli_version", "originator", "source", "git").Object()
	d.useTools(meta.Field("dynamic_tools"))
	text := meta.Field("instructions").Text() + meta.Field("base_instructions").Field("text").Text()
	d.say(transcript.System, text, "session_meta.instructions")
}
