// Streams of Claude Code.
// Written by: claude -p --output-format stream-json (lines) and json with --verbose (a list), the Claude Agent SDK, amp
// --stream-json, qwen --output-format stream-json; recordings of the SDK's transport ({messages: [{direction,
// message}]}, which hold the prompts, too; their lines as YAML).
// Read: Claude Code 1.0 to 2.1. What a subagent does is a conversation of its own.
// Lost: the prompt, which the stream does not hold; partial messages; the final result, which repeats the last message.

package format

import "github.com/judgekit/judge/internal/value"

var claudeStream = format{
	name:   "claude-stream",
	mark:   "lines with a type and a session_id",
	detect: of(func(f value.Value) bool { return claudeStreamLine(f) || isClaudeRecording(f) }),
	read:   (*draft).readClaudeCode,
	parts:  claudeParts,
}

// claudeResult recognises the single record that claude -p --output-format json prints without --verbose.
var claudeResult = format{
	name: "claude-result",
	mark: "one result with num_turns",
	detect: func(p *probe) confidence {
		return sureIf(len(p.records) == 1 && p.first.Field("type").Text() == "result" && p.first.HasAll("num_turns", "result"))
	},
	advice: "it holds the last answer alone: run it with --output-format stream-json --verbose",
}

func claudeStreamLine(f value.Value) bool {
	if !f.Has("session_id") || f.Has("sessionId") {
		return false
	}
	switch f.Field("type").Text() {
	case "assistant", "user":
		return f.Field("message").Kind() == value.Object && f.HasAny("uuid", "parent_tool_use_id")
	case "system":
		return f.Has("subtype") && f.HasAny("uuid", "mcp_servers")
	case "stream_event":
		return f.Has("event")
	case "result":
		return f.HasAny("num_turns", "total_cost_usd")
	}
	return false
}

// isClaudeRecording reports whether v holds the messages between the SDK and Claude Code.
func isClaudeRecording(v value.Value) bool {
	first := v.Field("messages").Head()
	return first.Has("direction") && first.Field("message").Has("type")
}
