// Spans of the Vercel AI SDK.
// Written by: experimental_telemetry of ai 3.3 to 6: ai.generateText and its kin with
// ai.generateText.doGenerate for each request and ai.toolCall for each call.
// Read: ai.prompt.messages, ai.prompt.tools, ai.response.* (ai.result.* before 4), ai.toolCall.*, and the ids
// of a session under ai.telemetry.metadata.
// Lost: embeddings, usage, metadata of the provider.

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// vercelSpan reads the operation of a span, and its attributes.
func vercelSpan(s *spanRecord) {
	operation, _, _ := strings.Cut(cmp.Or(s.attrs.FirstText("ai.operationId", "operation.name"), s.name), " ")
	if !strings.HasPrefix(operation, "ai.") {
		return
	}
	const meta = "ai.telemetry.metadata."
	s.copyTo("session.id", meta+"sessionId", meta+"threadId", meta+"conversationId", meta+"chatId")
	switch {
	case operation == "ai.toolCall":
		s.copyTo("gen_ai.tool.name", "ai.toolCall.name")
		s.copyTo("gen_ai.tool.call.id", "ai.toolCall.id")
		s.tell("execute_tool", vercelValue(s, "ai.toolCall.args", "ai.toolCall.input"),
			vercelValue(s, "ai.toolCall.result", "ai.toolCall.output"))
	case strings.HasPrefix(operation, "ai.embed"), strings.HasPrefix(operation, "ai.rerank"):
		s.tell("embeddings", value.Value{}, value.Value{})
	case strings.Contains(operation, ".do"):
		var request value.Fields
		request.Set("messages", vercelValue(s, "ai.prompt.messages"))
		if tools := vercelValue(s, "ai.prompt.tools"); tools.Len() > 0 {
			request.Set("tools", eachOf(tools, value.Value.Decoded))
		}
		s.tell("chat", request.Object(), vercelReply(s))
	default: // around the requests
		s.tell("agent", vercelValue(s, "ai.prompt"), vercelReply(s))
	}
}

func vercelValue(s *spanRecord, keys ...string) value.Value {
	v, _ := s.attrs.First(keys...)
	if strings.HasPrefix(v.Text(), `"`) { // a text is JSON too
		if text, err := value.ParseString(v.Text()); err == nil {
			return text
		}
	}
	return v.Decoded()
}

// vercelReply returns the reply to a request as a message; null if none.
func vercelReply(s *spanRecord) value.Value {
	var m value.Fields
	m.Set("content", vercelText(s))
	m.Set("toolCalls", vercelValue(s, "ai.response.toolCalls", "ai.result.toolCalls"))
	m.Text("reasoning", s.attrs.FirstText("ai.response.reasoning"))
	if len(m) == 0 {
		return value.Value{}
	}
	return m.Object().With("role", value.OfString(string(transcript.Assistant)))
}

// vercelText returns the answer to a request: its text, or the requested object.
func vercelText(s *spanRecord) value.Value {
	text := cmp.Or(s.attrs.FirstText("ai.response.text", "ai.result.text"),
		s.attrs.FirstText("ai.response.object", "ai.result.object"))
	if text == "" {
		return value.Value{}
	}
	return value.OfString(text)
}
