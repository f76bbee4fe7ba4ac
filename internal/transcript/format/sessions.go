package format

import (
	"cmp"
	"github.com/judgekit/judge/internal/transcript"
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// claudeTypes are the types of lines of a Claude Code session.
var claudeTypes = []string{
	"user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "attachment", "progress",
	"last-prompt", "custom-title", "permission-mode", "mode", "ai-title", "agent-name", "pr-link",
}

func claudeLine(f value.Value) bool {
	return slices.Contains(claudeTypes, f.Field("type").Text()) &&
		(f.HasAny("leafUuid", "snapshot") || f.Has("sessionId") && f.HasAny("uuid", "parentUuid", "operation", "messageId"))
}

func claudeParts(v value.Value, add func(part)) {
	if v.Field("message").Kind() != value.Object {
		return // a summary, a snapshot of files and the like
	}
	add(part{conversation: claudeSession(v), text: v.Raw()})
}

// claudeSession is the session of a line, or the subagent's.
func claudeSession(line value.Value) string {
	id := line.Field("sessionId").Text()
	if aside, _ := line.Field("isSidechain").BoolVal(); aside {
		id += "/" + cmp.Or(line.Field("agentId").Text(), "sidechain")
	}
	return id
}

// readClaudeCode reads a session of Claude Code (the lines under its projects folder, as
// versions 1.0 to 2.1 write them; there is no published schema): Anthropic messages, of which
// each content block may be a line of its own, with the uuid of the line before. A
// subagent's lines are a conversation of their own. Lost: snapshots of files, summaries,
// queue operations, and which of several branches the user went on with: all stay in.
func (d *draft) readClaudeCode(list value.Value) error {
	head := list.Head()
	d.ID = claudeSession(head)
	d.Extra = members(head, "cwd", "version", "gitBranch").Object()
	t := turns{draft: d, sameID: true}
	seen := map[string]bool{}
	for i, line := range list.Elements() {
		if uuid := line.Field("uuid").Text(); uuid != "" && seen[uuid] {
			continue // a session that was continued repeats the lines before
		} else if uuid != "" {
			seen[uuid] = true
		}
		message := line.Field("message")
		if err := t.message(message, indexed(i)+".message"); err != nil {
			return err
		}
	}
	t.flush()
	return nil
}

var codexTypes = []string{"session_meta", "response_item", "event_msg", "turn_context", "compacted"}

func codexLine(f value.Value) bool {
	return slices.Contains(codexTypes, f.Field("type").Text()) && f.Field("payload").Kind() == value.Object ||
		f.HasAll("id", "timestamp", "instructions") && !f.Has("type")
}

func wholeFile(v value.Value, add func(part)) { add(part{text: v.Raw()}) }

// readCodex reads a session of the Codex CLI (rollout files of 0.2x to 0.6x, 2025): lines of
// {timestamp, type, payload}, of which those of the type response_item hold items of the
// Responses API; older ones hold the items themselves. Lost: events (they repeat the items),
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
