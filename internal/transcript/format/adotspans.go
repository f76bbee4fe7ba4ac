// Messages in the bodies of log records, as the AWS Distro for OpenTelemetry writes them.
// Written by: agents on Bedrock AgentCore (Strands Agents, LangChain), ADOT 0.12 to 0.17, into CloudWatch: one
// record a span, body: {input: {messages}, output: {messages}}, beside the spans or alone; exports that put the
// records under span_events.
// Read: messages in the form of Strands ({content: {content | message}}, Bedrock's parts as JSON) and of
// LangChain's callbacks (generations, ToolMessage); results of tools with the id of their call.
// Lost: states of graphs and the records of chains, which repeat the messages.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// spanBodies returns the bodies of a span's events that contain messages.
func spanBodies(events []value.Value) (bodies []value.Value) {
	for _, e := range events {
		if body := e.Field("body"); body.HasAny("input", "output") {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// adotSpan reads the messages in the bodies of a span's events.
func adotSpan(s *spanRecord) {
	for _, body := range spanBodies(s.events) {
		in, out := body.Field("input").Field("messages"), body.Field("output").Field("messages")
		asked, told := adotContent(in.Head()), adotContent(out.Head())
		call := in.Head().Field("content").Field("id").Text()
		answer, isAnswer := toolAnswer(told.Inside("output"))
		switch {
		case isAnswer:
			args, _ := asked.First("inputs", "input")
			if args.IsNull() {
				args = asked
			}
			s.copyText("gen_ai.tool.call.id", answer.ResultID)
			s.copyText("gen_ai.tool.name", answer.ToolName)
			s.tell("execute_tool", args, told.Inside("output"))
		case in.Len() == 1 && call != "" && in.Head().Field("role").Text() == "tool":
			s.copyText("gen_ai.tool.call.id", call)
			s.tell("execute_tool", asked, plainContent(told))
		case told.Has("generations"):
			generation := told.Field("generations").Head().Head()
			message := generation.Field("message").Inside("kwargs")
			reply := value.Pairs("role", string(transcript.Assistant), "content", generation.Field("text")).
				With("tool_calls", message.Field("tool_calls"))
			s.tell("chat", adotRequest(in, asked), reply)
		case told.HasAny("messages", "outputs") || asked.HasAny("messages", "inputs") || told.Text() == "__end__":
			s.tell("state", value.Value{}, value.Value{})
		default:
			s.tell("chat", adotMessages(in), adotMessages(out))
		}
	}
}

// adotContent returns the content of a message, which may be JSON in a text, and inside an object.
func adotContent(m value.Value) value.Value {
	content := m.Field("content")
	if inner, ok := content.First("content", "message"); ok {
		content = inner
	}
	return content.Decoded()
}

func adotMessages(list value.Value) value.Value {
	if list.Len() == 0 {
		return value.Value{}
	}
	return eachOf(list, func(m value.Value) value.Value {
		content := adotContent(m)
		if !areParts(content, "") {
			inner, _ := m.Field("content").First("content", "message")
			content = inner
			if inner.IsNull() {
				content = m.Field("content")
			}
		}
		role := cmp.Or(m.Field("role").Text(), string(transcript.User))
		return value.Pairs("role", role, "content", content)
	})
}

// adotRequest returns the messages of a model's request: those in the record, or those that
// LangChain's callback received.
func adotRequest(in, asked value.Value) value.Value {
	if list, _ := found(asked, "messages"); list.IsList() {
		if list.Head().IsList() {
			list = list.Head()
		}
		return list
	}
	return adotMessages(in)
}
