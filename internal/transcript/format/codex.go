package format

import (
	"slices"

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

// readCodex reads a session of the Codex CLI (rollout files of 0.2x to 0.6x, 2025): lines of
// {timestamp, type, payload}. Lines of type response_item hold items of the Responses API;
// lines of older versions are the items themselves. Lost: events (they repeat the items),
// contexts of turns, and what a compaction replaced.
func (d *draft) readCodex(list value.Value) error {
	var items []value.Value
	sessions := 0
	for _, line := range list.Elements() {
		payload := line.Field("payload")
		switch kind := line.Field("type").Text(); {
		case kind == "session_meta" || line.HasAll("id", "instructions") && !line.Has("type"):
			if sessions++; sessions > 1 {
				return wrong("", "the file holds more than one session: give each a file of its own")
			}
			d.codexMeta(line)
		case kind == "response_item" && payload.Field("type").Text() != "ghost_snapshot":
			items = append(items, payload)
		case payload.IsNull() && line.Has("type"):
			items = append(items, line)
		default:
			d.drop(kind)
		}
	}
	return d.messageList(value.OfList(items...), "")
}

func (d *draft) codexMeta(line value.Value) {
	meta := line
	if p := line.Field("payload"); !p.IsNull() {
		meta = p
	}
	d.ID = meta.Field("id").Text()
	d.Extra = members(meta, "cwd", "cli_version", "originator", "source", "git").Object()
	d.useTools(meta.Field("dynamic_tools"))
	text := meta.FirstText("instructions") + meta.Field("base_instructions").Field("text").Text()
	d.say(transcript.System, text, "session_meta.instructions")
}
