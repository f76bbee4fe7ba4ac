// Spans of BeeAI.
// Written by: openinference-instrumentation-beeai for TypeScript (beeai-framework 0.1), a span for each event
// of an agent, and for Python (beeai-framework 0.1.3x and later), a span for each run.
// Read: of TypeScript the updates of the ReAct agent, which hold a call with its result or the answer, and the
// starts of model calls; of Python the runs of models and tools.
// Lost: chunks of streamed replies (the next request and the update repeat them); tools that a TypeScript
// program runs without an agent.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// beeaiSpan reads an event of an agent, or a run.
func beeaiSpan(s *spanRecord) {
	const result = ".message.contents.0.message.tool_call_id"
	for key, id := range s.attrs.Members() { // the part has the id of the call, not the message
		if message, found := strings.CutSuffix(key, result); found {
			s.copyText(message+".message.tool_call_id", id.Text())
			s.attrs = s.attrs.Without(key)
		}
	}
	if s.attrs.Field("openinference.span.kind").Text() == "TOOL" && s.attrs.Has("metadata.class_name") {
		if args, wrapped := s.attrs.Field("input.value").Decoded().Get("input"); wrapped {
			s.attrs = s.attrs.With("input.value", args)
		}
	}
	event := strings.TrimRight(s.name, "-0123456789")
	switch {
	case !s.attrs.HasAll("openinference.span.kind", "traceId") && !strings.HasSuffix(event, ".chat.success"):
		return
	case strings.HasPrefix(event, "agent.") && strings.HasSuffix(event, ".update"):
		s.beeaiUpdate()
	case !strings.HasSuffix(event, ".chat.start"):
		s.tell("event", value.Value{}, value.Value{})
	}
}

// beeaiUpdate reads what an agent did in one completed iteration.
func (s *spanRecord) beeaiUpdate() {
	output, done := s.attrs.Get("output.value")
	name, args := s.attrs.Field("tool.name").Text(), s.attrs.Field("tool.parameters").Decoded()
	switch {
	case !done:
		s.tell("event", value.Value{}, value.Value{})
	case name != "" && args.Kind() == value.Object:
		s.tell("execute_tool", args, output)
	default:
		s.tell("chat", value.Value{}, value.Pairs("role", string(transcript.Assistant), "content", output))
	}
}
