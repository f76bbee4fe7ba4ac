// Spans of Google's Agent Development Kit.
// Written by: google-adk 1.x and 2.x: call_llm, execute_tool, invoke_agent and invocation.
// Read: gcp.vertex.agent.llm_request and llm_response, which hold the request and the reply as they were sent;
// tool_call_args and tool_response; the session's id.
// Lost: the data that an agent was sent as a blob; the spans "(merged tools)", which repeat the results of
// parallel calls.

package format

import (
	"github.com/judgekit/judge/internal/value"
)

const adkAttributes = "gcp.vertex.agent."

// adkSpan reads a model's request and reply, or a tool's result.
func adkSpan(s *spanRecord) {
	if !s.attrs.HasAny(adkAttributes+"llm_request", adkAttributes+"tool_response", adkAttributes+"session_id") {
		return
	}
	s.copyTo("session.id", "gen_ai.conversation.id", adkAttributes+"session_id")
	request := s.attrs.Field(adkAttributes + "llm_request").Decoded()
	switch name := s.attrs.Field("gen_ai.tool.name").Text(); {
	case name == "(merged tools)":
		s.tell("event", value.Value{}, value.Value{})
	case name != "":
		s.tell("execute_tool", s.attrs.Field(adkAttributes+"tool_call_args").Decoded(),
			s.attrs.Field(adkAttributes+"tool_response").Decoded())
	case request.Len() > 0:
		s.tell("chat", request, s.attrs.Field(adkAttributes+"llm_response").Decoded())
	}
}
