// Sessions of GitHub Copilot.
// Written by: the Copilot CLI (~/.copilot/session-state/*/events.jsonl), copilot --output-format json, the
// Copilot SDK, and VS Code's transcripts of its agent.
// Read: 0.0.3xx to 1.0 (2026): lines of {type, data, id, parentId}.
// Lost: events of turns, hooks, permissions and usage; pieces of messages that come whole too.

package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var copilotCLI = format{
	name: "copilot-cli",
	mark: "lines of a type as session.start or assistant.message with data",
	detect: func(p *probe) confidence {
		if slices.ContainsFunc(p.records, otherToolLine) {
			return no
		}
		return of(copilotLine)(p)
	},
	read:  (*draft).readCopilotCLI,
	parts: wholeFile,
}

func copilotLine(f value.Value) bool {
	switch f.Field("type").Text() {
	case "session.start", "user.message", "assistant.turn_start", "assistant.message", "tool.execution_start":
		return f.Field("data").Kind() == value.Object || f.HasAny("prompt", "output")
	}
	return false
}

// otherToolLine reports whether a line has a type that only other programs write, such as tool.call.
func otherToolLine(f value.Value) bool {
	name, isTool := strings.CutPrefix(f.Field("type").Text(), "tool.")
	return isTool && !strings.HasPrefix(name, "execution") && name != "user_requested"
}

func (d *draft) readCopilotCLI(list value.Value) error {
	requested, started := map[string]bool{}, map[string]bool{}
	return d.eachLine(list, func(t *turns, line value.Value, kind, at string) error {
		data := line.Inside("data")
		id := data.Field("toolCallId").Text()
		content, _ := data.First("content", "prompt", "output")
		switch kind {
		case "session.start":
			d.ID = data.Field("sessionId").Text()
			d.Extra = members(data, "copilotVersion", "version", "context").Object()
		case "system.message", "user.message":
			return t.message(value.Pairs("role", strings.TrimSuffix(kind, ".message"), "content", content), at)
		case "assistant.message":
			var calls []value.Value // a tool may start before the message that asks for it
			for _, r := range data.Field("toolRequests").Elements() {
				id := r.Field("toolCallId").Text()
				if !started[id] {
					calls = append(calls, r)
				}
				requested[id], started[id] = true, false
			}
			if len(calls) < data.Field("toolRequests").Len() && content.Text() == "" {
				return nil
			}
			return t.message(value.Pairs("role", "assistant", "content", content,
				"reasoning", data.Field("reasoningText"), "tool_calls", value.OfList(calls...)), at)
		case "tool.execution_start":
			if !requested[id] {
				started[id] = true
				return t.message(callItem(id, data.Field("toolName").Text(), data.Field("arguments")), at)
			}
		case "tool.execution_complete":
			success, decided := data.Field("success").BoolVal()
			output, _ := found(data, "result.content", "result", "error.message", "error")
			return t.message(resultItem(id, output, decided && !success), at)
		case "session.error":
			d.note("run_error", at, value.Quote(data.Field("message").Text()))
		default:
			d.drop(kind)
		}
		return nil
	})
}
