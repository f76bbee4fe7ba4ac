// Spans of any-agent.
// Written by: mozilla.ai's any-agent 1.x for all of its frameworks: {spans, final_output}.
// Read: gen_ai.input.messages of the first request, gen_ai.output of the others; tools' gen_ai.tool.args.
// Lost: costs.

package format

import "github.com/judgekit/judge/internal/value"

// anyAgentSpan reads the output of a model or a tool: a text, or calls as {tool.name, tool.args}.
func anyAgentSpan(s *spanRecord) {
	output, given := s.attrs.Get("gen_ai.output")
	switch operation := s.attrs.Field("gen_ai.operation.name").Text(); {
	case !given:
	case operation == "execute_tool":
		s.tell(operation, s.attrs.Field("gen_ai.tool.args"), output)
	case operation == "call_llm":
		asked, message := s.attrs.Field("gen_ai.input.messages"), value.Pairs("role", "assistant").With("content", output)
		if calls := output.Decoded(); calls.Head().Has("tool.name") {
			message = value.Pairs("role", "assistant").With("tool_calls", eachOf(calls, func(c value.Value) value.Value {
				return callOf(c.Field("tool.name").Text(), c.Field("tool.args"))
			}))
		}
		s.attrs = s.attrs.Without("gen_ai.input.messages") // else the reply beside it is not read
		s.tell("chat", asked.Decoded(), message)
	}
}
