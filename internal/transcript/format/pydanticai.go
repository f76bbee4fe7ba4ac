package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var pydanticAIMessages = format{
	name:   "pydantic-ai",
	mark:   "messages of a kind with parts of a part_kind",
	bare:   pydanticAI,
	detect: within(pydanticAI, messagePaths...),
	read:   (*draft).readWrapped,
}

func pydanticAI(m value.Value) bool {
	kind := m.Field("kind").Text()
	return (kind == "request" || kind == "response") && m.Field("parts").IsList()
}

// pydantic reads a message of pydantic-ai (all_messages_json of 1.x): {kind: request | response, parts}. Each
// part of a request says by its part_kind who speaks. Lost: timestamps, usage and provider details.
func (t *turns) pydantic(m value.Value, at string) {
	if s := m.Field("instructions").Text(); s != "" && len(t.Messages) == 0 {
		t.begin(transcript.System, at+".instructions")
		t.text(value.OfString(s), at)
	}
	for i, p := range m.Field("parts").Elements() {
		t.pydanticPart(p, at+"."+place("parts", i), m.Field("kind").Text() == "response")
	}
}

func (t *turns) pydanticPart(p value.Value, at string, response bool) {
	role := transcript.User
	switch {
	case response:
		role = transcript.Assistant
	case p.Field("part_kind").Text() == "system-prompt":
		role = transcript.System
	}
	if t.open.role != role || !t.open.begun {
		t.begin(role, at)
		t.open.empty = true
	}
	t.part(p, at)
}
