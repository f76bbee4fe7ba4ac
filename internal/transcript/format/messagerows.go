package format

import "github.com/judgekit/judge/internal/value"

var messageRows = format{
	name: "message-rows",
	mark: "a role and a conversation's id in each record",
	detect: func(p *probe) confidence {
		if isEventLog(p) >= general {
			return no // its calls are rows of their own
		}
		return loosely(of(messageRow))(p)
	},
	read:  (*draft).readRows,
	parts: rowParts,
}

// messageRow reports whether a record is one message with the id of its conversation.
func messageRow(f value.Value) bool {
	inner, _ := unwrapMessage(unwrapRow(f))
	_, known := roleOf(roleWord(f, inner))
	return known && f.FirstText(rowKeys...) != "" && (inner.HasAny(contentKeys...) || inner.HasAny(callListKeys...))
}

// unwrapRow extracts a message from a row that contains it as JSON, as in sessions of the OpenAI Agents SDK.
func unwrapRow(v value.Value) value.Value {
	for _, key := range []string{"message_data", "message", "payload", "data"} {
		if inner := v.Field(key).Decoded(); inner.Kind() == value.Object {
			return inner
		}
	}
	return v
}

func rowParts(v value.Value, add func(part)) {
	add(part{conversation: v.FirstText(rowKeys...), text: v.Raw()})
}

// readRows reads a conversation whose messages are separate records, each with the id of the
// conversation: exports of chat tables, and the sessions of the OpenAI Agents SDK (openai-agents
// 0.x, rows of agent_messages with message_data). Other conversations' rows may be between them.
// Lost: nothing; columns besides the message are in its extra keys.
func (d *draft) readRows(list value.Value) error {
	d.ID = list.Head().FirstText(rowKeys...)
	rows := eachOf(list, func(row value.Value) value.Value { return unwrapRow(row).Without(rowKeys...) })
	if tools := list.Head().Field("tools"); tools.IsList() {
		d.useTools(tools)
	}
	return d.messageList(rows, "")
}
