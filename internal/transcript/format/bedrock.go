package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var bedrockConverse = format{
	name:    "bedrock-converse",
	message: bedrockMessage,
	mark:    "Bedrock's schemaType or toolConfig",
	detect:  of(isBedrock),
	read:    (*draft).readBedrock,
}

func isBedrock(f value.Value) bool {
	return strings.HasPrefix(f.Field("schemaType").Text(), "ModelInvocationLog") || f.Has("toolConfig") ||
		f.Field("output").Field("message").Field("content").IsList() && f.Has("stopReason")
}

// readBedrock reads requests and replies of Amazon Bedrock's Converse operation ({messages,
// system, toolConfig}, {output: {message}}), and the model invocation log that holds both.
// Read from the API's reference of 2026. Lost: guardrail traces, cache points, metrics.
func (d *draft) readBedrock(v value.Value) error {
	request, reply := v, v
	if in := v.Field("input").Field("inputBodyJson"); in.Kind() == value.Object {
		request, reply = in, v.Field("output").Field("outputBodyJson")
	}
	d.ID = v.FirstText("requestId", "id")
	d.Extra = foreign(v, "messages", "system", "toolConfig", "input", "output", "requestId", "id")
	return d.exchange(request, reply)
}

func bedrockMessage(m value.Value) bool {
	for _, part := range m.Field("content").Elements() {
		if part.Field("type").Text() == "" && part.HasAny("toolUse", "toolResult") {
			return true
		}
	}
	return false
}
