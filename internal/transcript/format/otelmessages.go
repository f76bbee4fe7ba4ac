// Messages of the OpenTelemetry GenAI conventions: {role, parts}.
// Written by: instrumentations since 1.37, in gen_ai.input.messages and gen_ai.output.messages; also as
// {"messages": […]} of their own.
// Read: the JSON schemas of gen-ai-dev, and "result" where old examples write "response".
// Lost: nothing; parts that are not text are named in brackets and kept.

package format

import (
	"github.com/judgekit/judge/internal/value"
)

var otelMessages = format{
	name:    "otel-messages",
	message: func(m value.Value) bool { return m.Has("parts") && !vercelUIMessage(m) },
	read:    (*draft).readOTelMessages,
}

// readOTelMessages reads {messages: [{role, parts}]} or a bare list of such messages.
func (d *draft) readOTelMessages(v value.Value) error {
	if v.IsList() {
		return d.objects(v, "", "message", d.otelMessage)
	}
	if err := d.native(v, "messages"); err != nil {
		return err
	}
	return d.objects(v.Field("messages"), "messages", "message", d.otelMessage)
}

// otelMessage reads one message.
func (d *draft) otelMessage(v value.Value, at string) error {
	if parts := v.Field("parts"); parts.IsList() {
		v = v.With("parts", eachOf(parts, otelPart))
	}
	return d.oneMessage(v, at)
}

// otelPart converts a part to the form that turns reads. Arguments are optional: a call without them has none.
func otelPart(p value.Value) value.Value {
	switch p.Field("type").Text() {
	case "tool_call":
		if p.Field("arguments").IsNull() {
			return p.With("arguments", value.OfObject())
		}
	case "server_tool_call":
		inner := p.Field("server_tool_call")
		if p.Field("name").Text() == "" {
			p = p.With("name", inner.Field("type"))
		}
		return p.Without("server_tool_call").With("arguments", inner.Without("type"))
	case "server_tool_call_response":
		return p.Without("server_tool_call_response").With("response", p.Field("server_tool_call_response").Without("type"))
	}
	return p
}
