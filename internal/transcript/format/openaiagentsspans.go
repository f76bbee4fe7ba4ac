// Spans of the OpenAI Agents SDK.
// Written by: openinference-instrumentation-openai-agents 0.1 to 2.0.
// Read: OpenInference's attributes; a call without arguments has none.
// Lost: the spans of handoffs, which repeat the calls transfer_to_….

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// openAIAgentsSpan drops handoffs, and adds the empty arguments that are not recorded.
func openAIAgentsSpan(s *spanRecord) {
	if !strings.HasSuffix(s.scope, "openai_agents") {
		return
	}
	if strings.HasPrefix(s.name, "handoff to ") && !s.attrs.Has("tool.name") {
		s.tell("handoff", value.Value{}, value.Value{})
	}
	for key := range s.attrs.Members() {
		if call, isName := strings.CutSuffix(key, ".tool_call.function.name"); isName && strings.HasPrefix(key, "llm.") {
			s.copyText(call+".tool_call.function.arguments", "{}")
		}
	}
}
