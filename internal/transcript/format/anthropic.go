// Anthropic's Messages.
// Written by: clients of the Messages API: {system, tools, messages} with content blocks.
// Read: anthropic-sdk-go v1.84 (2026), with server tools and MCP blocks.
// Lost: signatures of thinking; images and documents are kept as parts without their bytes.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var anthropicMessages = format{
	name: "anthropic-messages",
	read: (*draft).readAnthropic,
}

var anthropicReply = format{
	name: "anthropic-message",
	mark: "a message of type message with stop_reason",
	detect: func(p *probe) confidence { // after other records it may be a line of a session
		if c := of(isAnthropicMessage)(p); c != later {
			return c
		}
		return fallback
	},
	read: (*draft).readAnthropicReply,
}

// readAnthropic reads a record with Anthropic messages: {system, tools, messages} and the
// additional keys of native records.
func (d *draft) readAnthropic(v value.Value) error {
	if system := v.Field("system"); !system.IsNull() {
		d.messageOf(transcript.System, system, "system")
		v = v.Without("system")
	}
	return d.readChat(v)
}

func isAnthropicMessage(f value.Value) bool {
	return f.Field("type").Text() == "message" && f.Field("role").Text() == "assistant" &&
		f.Field("content").IsList() && f.Has("stop_reason")
}

// readAnthropicReply reads {type: "message", role: "assistant", content, stop_reason}.
func (d *draft) readAnthropicReply(v value.Value) error {
	if err := d.native(v, "type", "role", "content"); err != nil {
		return err
	}
	return d.oneMessage(members(v, "role", "content").Object(), "")
}
