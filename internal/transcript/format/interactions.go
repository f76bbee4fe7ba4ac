// Gemini Interactions.
// Written by: Google's Interactions API: {object: "interaction", input, outputs} or, in its later form, steps.
// Streams are in stream.go.
// Read: v1beta of 2026. Searches, code and MCP tools that Google ran are calls of the server.
// Lost: signatures, usage; an interaction that continues another one holds only what is new.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var geminiInteraction = format{
	name: "gemini-interactions",
	mark: "object interaction with outputs or steps",
	detect: of(func(f value.Value) bool {
		return f.HasAny("outputs", "steps") && (f.Field("object").Text() == "interaction" ||
			strings.HasPrefix(f.Field("id").Text(), "v1_") && f.Has("status"))
	}),
	read: (*draft).readInteraction,
}

func (d *draft) readInteraction(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = foreign(v, "id", "input", "outputs", "steps", "tools", "object", "role", "system_instruction")
	if steps := v.Field("steps"); steps.IsList() {
		return d.messageList(steps, "steps")
	}
	return d.exchange(v, members(v, "outputs").Object())
}
