// Messages and states of AutoGen.
// Written by: AutoGen 0.4 and later: what a team says (a list, or one a line: TextMessage, ToolCallRequestEvent …), the
// context of a model (UserMessage, AssistantMessage …), saved states of agents and teams.
// Read: of a state, what each agent's model saw; what agents hand to each other comes once.
// Lost: ToolCallSummaryMessage, which repeats results; usage, thoughts of memory, buffers.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var autoGen = format{
	name: "autogen",
	mark: "messages with a source and AutoGen's types",
	detect: within(func(f value.Value) bool {
		return f.HasAll("source", "content") && autoGenWords[f.Field("type").Text()] != ""
	}, "messages", "inner_messages", "chat_message"),
	read:  (*draft).readAutoGen,
	parts: linesOr("messages"),
}

var autoGenState = format{
	name: "autogen-state",
	mark: "the state of an AutoGen agent or team",
	detect: of(func(f value.Value) bool {
		return f.Has("version") && strings.HasSuffix(f.Field("type").Text(), "State") && f.HasAny("agent_states", "llm_context")
	}),
	read: (*draft).readAutoGen,
	parts: func(v value.Value, add func(part)) {
		states := v.Field("agent_states")
		if states.IsNull() {
			states = value.Pairs("", v)
		}
		for name, state := range states.Members() {
			state = state.Inside("agent_state")
			if list, path := findList(state, "llm_context.messages", "message_thread"); path == "llm_context.messages" {
				add(part{alone: true, text: value.Pairs("id", name, "messages", list).JSON()})
			}
		}
	},
}

// autoGenWords maps a message's type to the role of its writer; "source" means that the source says it.
var autoGenWords = map[string]transcript.Role{
	"TextMessage": "source", "MultiModalMessage": "source", "StopMessage": "source", "HandoffMessage": "source",
	"SystemMessage": transcript.System, "UserMessage": transcript.User, "AssistantMessage": transcript.Assistant,
	"ToolCallRequestEvent": transcript.Assistant, "ToolCallExecutionEvent": transcript.ToolRole, "FunctionExecutionResultMessage": transcript.ToolRole,
	"ToolCallMessage": transcript.Assistant, "ToolCallResultMessage": transcript.ToolRole,
	"ToolCallSummaryMessage": "repeats", "ThoughtEvent": "thought",
}

func (d *draft) readAutoGen(list value.Value) error {
	if head := list.Head(); head.Has("messages") {
		d.ID = head.Field("id").Text()
		list = head.Field("messages")
	}
	return d.eachLine(list, func(t *turns, m value.Value, kind, at string) error {
		role, content := autoGenWords[kind], m.Field("content")
		switch role {
		case "thought":
			return t.message(value.Pairs("type", "reasoning", "text", content), at)
		case transcript.ToolRole:
			for _, r := range content.Elements() {
				failed, _ := r.Field("is_error").BoolVal()
				t.part(resultItem(r.Field("call_id").Text(), r.Field("content"), failed), at)
			}
			return nil
		case "", "repeats":
			d.drop(kind)
			return nil
		case "source":
			role = transcript.Assistant
			if m.Field("source").Text() == "user" {
				role = transcript.User
			}
		}
		if content.Head().HasAll("id", "name", "arguments") {
			return t.message(value.Pairs("role", string(role), "tool_calls", content, "reasoning", m.Field("thought")), at)
		}
		return t.message(value.Pairs("role", string(role), "content", content), at)
	})
}
