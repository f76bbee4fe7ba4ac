// Letta.
// Written by: Letta's agent files (*.af), each agent with its messages; lists of messages of its API
// (message_type) are letta-messages.
// Read: agent files of version 1 and 2, the API of 2025 and 2026.
// Lost: memory blocks, sources; the tools of an agent file, which stand apart from its agents.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var lettaAgent = format{
	name: "letta",
	mark: "agents with an agent_type and an llm_config",
	detect: within(func(f value.Value) bool {
		return f.HasAny("agent_type", "in_context_message_ids") && f.HasAny("llm_config", "memory_blocks", "messages")
	}, "agents"),
	read:  (*draft).readLetta,
	parts: casesIn("agents"),
}

var lettaMessages = format{
	name: "letta-messages",
	mark: "messages with a message_type",
	detect: of(func(f value.Value) bool {
		kind := f.Field("message_type").Text()
		return strings.HasSuffix(kind, "_message") && f.HasAny("id", "date", "otid")
	}),
	read:  (*draft).readLettaMessages,
	parts: wholeFile,
}

func (d *draft) readLetta(list value.Value) error {
	v := list.Head()
	d.ID = v.FirstText("name", "id")
	d.Extra = members(v, "agent_type", "description").Object()
	t := turns{draft: d, role: func(string) transcript.Role { return transcript.Assistant }} // approval
	return t.list(v.Field("messages"), "messages")
}

func (d *draft) readLettaMessages(list value.Value) error {
	return d.eachLine(list, func(t *turns, m value.Value, _, at string) error {
		switch kind := m.Field("message_type").Text(); kind {
		case "system_message", "user_message", "assistant_message":
			content := m.Field("content")
			return t.message(value.Pairs("role", strings.TrimSuffix(kind, "_message"), "content", content), at)
		case "reasoning_message":
			return t.message(value.Pairs("type", "reasoning", "text", m.Field("reasoning")), at)
		case "tool_call_message", "approval_request_message":
			t.agent(at)
			if calls := m.Field("tool_calls"); calls.Len() > 0 {
				return t.callList(calls, at+".tool_calls")
			}
			t.callPart(m.Field("tool_call"), at)
		case "tool_return_message":
			content := m.Field("tool_return")
			failed := m.Field("status").Text() == "error"
			return t.message(resultItem(m.Field("tool_call_id").Text(), content, failed), at)
		default:
			d.drop(kind)
		}
		return nil
	})
}
