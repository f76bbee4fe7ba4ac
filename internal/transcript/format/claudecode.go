package format

import (
	"cmp"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/value"
)

var claudeCode = format{
	name:   "claude-code",
	mark:   "lines with a sessionId and a uuid",
	detect: of(claudeLine),
	read:   (*draft).readClaudeCode,
	parts:  claudeParts,
}

// claudeTypes are the types of lines of a Claude Code session.
var claudeTypes = []string{
	"user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "attachment", "progress",
	"last-prompt", "custom-title", "permission-mode", "mode", "ai-title", "agent-name", "pr-link",
}

func claudeLine(f value.Value) bool {
	kind, message := f.Field("type").Text(), f.Field("message")
	if !slices.Contains(claudeTypes, kind) || f.Has("systemPayload") || message.Has("parts") {
		return false
	}
	return f.HasAny("leafUuid", "snapshot") || f.Has("uuid") && message.Has("role") ||
		f.Has("sessionId") && f.HasAny("uuid", "parentUuid", "operation", "messageId") ||
		message.Has("content") && !f.Has("session_id") &&
			(f.Field("timestamp").Kind() == value.String || f.Has("parent_tool_use_id"))
}

func claudeParts(v value.Value, add func(part)) {
	if isClaudeRecording(v) { // one conversation; the client's lines lack its session
		for _, e := range v.Field("messages").Elements() {
			if line := e.Field("message"); !claudeMessage(line).IsNull() {
				add(part{conversation: line.Field("parent_tool_use_id").Text(), text: line.Raw()})
			}
		}
		return
	}
	if claudeMessage(v).IsNull() {
		return // a summary, a snapshot of files and the like
	}
	add(part{conversation: claudeSession(v), text: v.Raw()})
}

// claudeMessage returns the message of a line. A line may also be a call or a result itself, and a
// message may take its role from the line's type.
func claudeMessage(line value.Value) value.Value {
	m, kind := line.Field("message"), line.Field("type").Text()
	switch {
	case m.Kind() == value.Object && !m.Has("role") && slices.Contains([]string{"user", "assistant"}, kind):
		return m.With("role", value.OfString(kind))
	case m.Kind() == value.Object:
		return m
	case kind == "tool_use" || kind == "tool_result":
		return line.Without("uuid", "id", "timestamp")
	}
	return value.Value{}
}

// claudeSession returns the session of a line, or the subagent's.
func claudeSession(line value.Value) string {
	id := line.FirstText("sessionId", "session_id")
	if aside, _ := line.Field("isSidechain").BoolVal(); aside {
		id += "/" + cmp.Or(line.Field("agentId").Text(), "sidechain")
	} else if parent := line.Field("parent_tool_use_id").Text(); parent != "" {
		id += "/" + parent
	}
	return id
}

// readClaudeCode reads a session of Claude Code: the lines under its projects folder, as versions 1.0 to 2.1
// write them without a published schema. They are Anthropic messages; each content block may be a line of its
// own, with the uuid of the line before. A subagent's lines are a conversation of their own. Lost: snapshots of
// files, summaries and queue operations. If the session has several branches, all are kept.
func (d *draft) readClaudeCode(list value.Value) error {
	head := list.Head()
	d.ID = claudeSession(head)
	d.Extra = members(head, "cwd", "version", "gitBranch").Object()
	t := turns{draft: d, sameID: true}
	defer t.flush()
	broken := brokenOff(list)
	for i, line := range newLines(list) {
		if broken[i] {
			d.drop("reply that broke off")
			continue
		}
		if err := t.message(claudeMessage(line), indexed(i)+".message"); err != nil {
			return err
		}
	}
	return nil
}

// newLines yields the lines that did not occur before with the same uuid and message: a continued
// session repeats lines.
func newLines(list value.Value) iter.Seq2[int, value.Value] {
	return func(yield func(i int, line value.Value) bool) {
		seen := map[string]string{}
		for i, line := range list.Elements() {
			uuid, message := line.Field("uuid").Text(), line.Field("message").Raw()
			if before, again := seen[uuid]; again && uuid != "" && before == message {
				continue
			}
			seen[uuid] = message
			if !yield(i, line) {
				return
			}
		}
	}
}

// brokenOff returns the lines with a call that a later line repeats before its result arrived: the
// reply was interrupted and requested again.
func brokenOff(lines value.Value) map[int]bool {
	waiting, again := map[string]int{}, map[int]bool{}
	for i, line := range newLines(lines) {
		for _, p := range line.Field("message").Field("content").Elements() {
			delete(waiting, p.Field("tool_use_id").Text())
			id := p.Field("id").Text()
			if before, waits := waiting[id]; waits && before != i {
				again[before] = true
			}
			if id != "" {
				waiting[id] = i
			}
		}
	}
	return again
}
