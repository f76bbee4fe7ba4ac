// The stream of UI messages of the Vercel AI SDK, and the states that its messages go through.
// Written by: toUIMessageStreamResponse of ai 5 to 7 (data: {"type":"tool-input-available", …}), and clients
// that log the parts of streamText's fullStream or every state of a UIMessage; servers of the AG-UI protocol.
// Read: texts, reasoning, calls and results in their order; of a message's states the last one.
// Lost: steps, metadata, files, sources and data parts; preliminary results.

package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// uiTypes are types of events that only this stream has; uiPieces are types that other streams may have too.
var (
	uiTypes = []string{"start-step", "finish-step", "text-start", "reasoning-start", "tool-input-start", "tool-input-available",
		"tool-output-available"}
	uiPieces = []string{"start", "finish", "text-delta", "text-end", "reasoning-delta", "reasoning-end", "tool-input-delta",
		"tool-input-error", "tool-output-error", "tool-call", "tool-result", "tool-error"}
)

// isUIEvent reports whether v is an event of a stream of UI messages.
func isUIEvent(v value.Value) bool {
	kind := v.Field("type").Text()
	return slices.Contains(uiTypes, kind) || slices.Contains(uiPieces, kind) && v.HasAny("id", "toolCallId", "messageId")
}

// streamKey returns a key that the events of one reply share. The ids of UI events are those of their parts.
func streamKey(v value.Value) string {
	if isUIEvent(v) || v.Field("type").Text() == "finish" {
		return ""
	}
	return v.Field("id").Text()
}

// ui adds an event of a stream of UI messages.
func (s *stream) ui(v value.Value, kind string) {
	id := v.Field("toolCallId").Text()
	switch kind {
	case "text-start", "reasoning-start":
		begun := value.Pairs("type", strings.TrimSuffix(kind, "-start"))
		s.parts = append(s.parts, streamedPart{whole: begun, index: v.Field("id").Text(), text: &strings.Builder{}})
	case "text-delta", "reasoning-delta":
		piece, _ := v.First("delta", "text")
		s.uiText(strings.TrimSuffix(kind, "-delta"), v.Field("id").Text(), piece.Text())
	case "tool-input-start", "tool-input-available", "tool-input-error", "tool-call":
		c := s.call(id, id)
		c.name = v.Field("toolName").Text()
		c.input = v.Field("input")
		c.arguments.Reset()
		if by, _ := v.Field("providerExecuted").BoolVal(); by {
			c.kind = "server_tool_use"
		}
	case "tool-input-delta":
		s.call(id, id).add(value.Value{}, v.Field("inputTextDelta"))
	case "tool-output-available", "tool-output-error", "tool-result", "tool-error":
		if early, _ := v.Field("preliminary").BoolVal(); !early {
			output, _ := v.First("output", "errorText", "error")
			s.parts = append(s.parts, streamedPart{whole: resultItem(id, output, strings.HasSuffix(kind, "-error"))})
		}
	}
}

// uiText adds a piece to the text or the reasoning with an id.
func (s *stream) uiText(kind, id, piece string) {
	for _, p := range slices.Backward(s.parts) {
		if p.text != nil && p.index == id && p.whole.Field("type").Text() == kind {
			p.text.WriteString(piece)
			return
		}
	}
	s.ui(value.Pairs("type", kind+"-start", "id", id), kind+"-start")
	s.uiText(kind, id, piece)
}

// agUI converts an event of the AG-UI protocol to one of UI messages; other events are returned unchanged.
func agUI(v value.Value) value.Value {
	id := v.Field("toolCallId").Text()
	message, delta := v.Field("messageId").Text(), v.Field("delta").Text()
	switch v.Field("type").Text() {
	case "RUN_STARTED":
		return value.Pairs("type", "start", "messageId", v.Field("threadId"))
	case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK":
		return value.Pairs("type", "text-delta", "id", message, "delta", delta)
	case "THINKING_TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK":
		return value.Pairs("type", "reasoning-delta", "id", message, "delta", delta)
	case "TOOL_CALL_START":
		return value.Pairs("type", "tool-input-start", "toolCallId", id, "toolName", v.Field("toolCallName"))
	case "TOOL_CALL_ARGS":
		return value.Pairs("type", "tool-input-delta", "toolCallId", id, "inputTextDelta", delta)
	case "TOOL_CALL_RESULT":
		return value.Pairs("type", "tool-output-available", "toolCallId", id, "output", v.Field("content"))
	}
	return v
}

// states reads a list of UI messages that may contain each state of a message.
func (t *turns) states(list value.Value, name string) error {
	var held value.Value
	heldAt := ""
	next := func(m value.Value, at string) error {
		before, beforeAt := held, heldAt
		held, heldAt = m, at
		id := before.Field("id").Text()
		switch {
		case before.IsNull():
			return nil
		case id != "" && m.Field("id").Text() == id && m.Field("parts").Len() >= before.Field("parts").Len():
			t.drop("earlier state of a message")
			return nil
		}
		return t.message(before, beforeAt)
	}
	err := t.objects(list, name, "message", next)
	if err == nil {
		err = next(value.Value{}, "")
	}
	t.flush()
	return err
}
