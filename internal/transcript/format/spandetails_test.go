package format

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// span returns the text of an OTLP span of the trace t; attrs are pairs of a key and an AnyValue or a text.
func spanOf(id, parent, name string, more string, attrs ...string) string {
	var list []string
	for i := 0; i+1 < len(attrs); i += 2 {
		v := attrs[i+1]
		if !strings.HasPrefix(v, `{"`) || !strings.Contains(v, `alue":`) {
			v = `{"stringValue":` + jsonText(v) + `}`
		}
		list = append(list, `{"key":`+jsonText(attrs[i])+`,"value":`+v+`}`)
	}
	return `{"traceId":"t","spanId":"` + id + `","parentSpanId":"` + parent + `","name":"` + name + `",` +
		`"startTimeUnixNano":"` + id +
		`"` + more + `,"attributes":[` + strings.Join(list, ",") + `]}`
}

// TestDetailsOfSpans: what attributes, events and states of spans say about a conversation.
func TestDetailsOfSpans(t *testing.T) {
	const (
		chat, ran = "gen_ai.operation.name", "execute_tool"
		in, out   = "gen_ai.input.messages", "gen_ai.output.messages"
		asks      = `[{"role":"user","parts":[{"type":"text","content":"Where?"}]}]`
		says      = `[{"role":"assistant","parts":[{"type":"text","content":"Lost."}]}]`
		calls     = `[{"role":"assistant","parts":[{"type":"tool_call","id":"k","name":"find","arguments":{"q":7}}]}]`
		twice     = `[{"role":"assistant","parts":[{"type":"tool_call","name":"find","arguments":{"q":7}},` +
			`{"type":"tool_call","name":"find","arguments":{"q":8}}]}]`
	)
	asked := spanOf("1", "", "m", "", chat, "chat", in, asks, out, calls)
	tool := func(id, more string, attrs ...string) string {
		return spanOf(id, "1", "execute_tool find", more, append([]string{chat, ran}, attrs...)...)
	}
	event := func(name string, attrs ...string) string {
		s := spanOf("1", "", name, "", attrs...)
		return s[strings.Index(s, `"name"`):strings.Index(s, `,"startTime`)] + `,` + s[strings.Index(s, `"attributes"`):]
	}
	events := func(list ...string) string { return `,"events":[{` + strings.Join(list, ",{") + `]` }
	for _, tt := range []struct {
		name  string
		spans []string
		want  string
	}{
		{"ids of a conversation and a session", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, says,
			"session.id", "s", "gen_ai.response.id", "r"),
			spanOf("2", "", "m", "", chat, "chat", in, says, "gen_ai.conversation.id", "c")}, `s: | u Where? | a Lost.
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1","response_id":"r"}
c: | a Lost.
extra {"gen_ai_conversation_id":"c","trace_id":"t","span_id":"2"}`},
		{"a session in a later span", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, says), spanOf("2",
			"1", "m", "", chat, "embeddings", "session.id", "s")}, `s: | u Where? | a Lost. -span embeddings×1
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"output without a role, and a single message", []string{spanOf("1", "", "m", "", chat, "chat", in,
			`{"role":"user","content":"Where?"}`, out, `[{"parts":[{"type":"text","content":"Lost."}]}]`)}, `t: | u Where? |` +
			` a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a message that is none", []string{spanOf("1", "", "m", "", chat, "chat", in, `[{"role":5}]`, out,
			`["Lost."]`)}, `t: // message_not_read message_not_read content_not_captured no_messages -model call without content×1
extra {"trace_id":"t","span_id":"1"}
note message_not_read : span 1: gen_ai.input.messages[0]: the role must be a text and is an integer
note message_not_read : span 1: gen_ai.output.messages[0]: the message has no role (its keys are (none))
note content_not_captured : 1 model or tool call of the log without content: content capture was off when they were recorded
note no_messages : the conversation holds no message
error: x.json: no tool call was read of 1 conversations: the log names calls without their content,` +
			` because content capture was off (for OpenTelemetry set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true and record again)`},
		{"instructions as a text", []string{spanOf("1", "", "m", "", chat, "chat", "gen_ai.system_instructions", "Be "+
			"brief.", in, asks, out, says)}, `t: | s Be brief. | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"1"}`},
		{"instructions as JSON of a text", []string{spanOf("1", "", "m", "", chat, "chat", "gen_ai.system_instructions",
			`"Be brief."`, in, asks, out, says)}, `t: | s Be brief. | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"1"}`},
		{"tools of the request", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, calls,
			"gen_ai.tool.definitions", `[{"type":"function","name":"find","parameters":{"type":"object","properties":{"q":{}`+
				`}}}]`)}, `t: | u Where? | a  0#k find{"q":7} // unanswered_call
extra {"trace_id":"t","span_id":"1"}
tool find(q)
message 1 {"trace_id":"t","span_id":"1"}`},
		{"tools of OpenInference", []string{spanOf("1", "", "m", "", "openinference.span.kind", "LLM",
			"llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "Where?",
			"llm.tools.0.tool.json_schema", `{"type":"function","function":{"name":"find","parameters":{"type":"object",`+
				`"properties":{"q":{}}}}}`)}, `t: | u Where?
extra {"trace_id":"t","span_id":"1"}
tool find(q)`},
		{"tools of OpenLLMetry", []string{spanOf("1", "", "m", "", "gen_ai.prompt.0.role", "user",
			"gen_ai.prompt.0.content", "Where?", "llm.request.functions.0.name", "find",
			"llm.request.functions.0.parameters", `{"type":"object","properties":{"q":{}}}`)}, `t: | u Where?
extra {"trace_id":"t","span_id":"1"}
tool find(q)`},
		{"an agent's tools", []string{spanOf("1", "", "a", "", chat, "invoke_agent", "gen_ai.tool.definitions",
			`[{"name":"find"}]`), spanOf("2", "1", "m", "", chat, "chat", in, asks, out, says)}, `t: | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
tool find()
message 1 {"trace_id":"t","span_id":"2"}`},
		{"calls in the content of a prompt", []string{spanOf("1", "", "m", "", "gen_ai.prompt.0.role", "user",
			"gen_ai.prompt.0.content", `[{"type":"text","text":"Where?"}]`, "gen_ai.prompt.1.role", "tool",
			"gen_ai.prompt.1.content", `[{"id":"k","function":{"name":"find","arguments":"{}"}}]`,
			"gen_ai.completion.0.content", "Lost.")}, `t: | u Where? | a  0#k find{} | a Lost. // unanswered_call
extra {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"1"}`},
		{"texts of OpenInference in parts", []string{spanOf("1", "", "m", "", "openinference.span.kind", "LLM",
			"llm.input_messages.0.message.contents.0.message_content.type", "text",
			"llm.input_messages.0.message.contents.0.message_content.text", "Where?",
			"llm.output_messages.0.message.contents.0.message_content.type", "tool_use",
			"llm.output_messages.0.message.contents.0.message_content.id", "k",
			"llm.output_messages.0.message.contents.0.message_content.name", "find",
			"llm.output_messages.0.message.contents.0.message_content.input", "{}")}, `t: | u Where? | a  0#k find{}` +
			` // unanswered_call
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a completion with messages", []string{spanOf("1", "", "m", "", "gen_ai.prompt", "Where?", "gen_ai.completion",
			`[{"role":"assistant","content":"Lost."}]`)}, `t: | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"events of messages", []string{spanOf("1", "", "m", events(event("gen_ai.system.message", "content", "Be "+
			"brief."), event("gen_ai.user.message", "content", "Where?"),
			event("gen_ai.assistant.message", "tool_calls", `[{"id":"k","type":"function","function":{"name":"find",`+
				`"arguments":"{}"}}]`, "content", ""),
			event("gen_ai.tool.message", "id", "k", "name", "find", "content", `[1]`), event("gen_ai.choice", "message",
				`{"role":"assistant","content":"Lost."}`), event("other", "content", "no")))}, `t: | s Be brief. | u Where? |` +
			` a  0#k find{} | 0=[1] | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 4 {"trace_id":"t","span_id":"1"}`},
		{"an event with parts", []string{spanOf("1", "", "m", events(event("gen_ai.user.message", "content",
			`[{"type":"text","text":"Where?"}]`), event("gen_ai.tool.message", "tool_call_id", "z", "content",
			`[{"type":"text","text":"x"}]`),
			event("gen_ai.choice", "gen_ai.event.content", `{"message":{"content":"Lost."}}`), event("gen_ai.choice",
				"tool_calls", "text", "message", "plain")))}, `t: | u Where? | -1=[{"type":"text","text":"x"}] | a Lost. |` +
			` a plain // orphan_result
extra {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"1"}
message 3 {"trace_id":"t","span_id":"1"}
note orphan_result : span 1: gen_ai.tool.message events[1][0]: the result belongs to no call: "[{\"type\":\"text\",` +
			`\"text\":\"x\"}]"`},
		{"messages in an event's attributes", []string{spanOf("1", "", "m",
			events(event("gen_ai.client.inference.operation.details", in, asks, out, says)))}, `t: | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"input and output values with messages", []string{spanOf("1", "", "m", "", "openinference.span.kind", "LLM",
			"input.value", `{"messages":[[{"role":"user","content":"Where?"}]]}`, "output.value",
			`{"choices":[{"message":{"role":"assistant","content":"Lost."}}]}`)}, `t: | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a request with a message that is none", []string{spanOf("1", "", "m", "", "openinference.span.kind", "LLM",
			"input.value", `{"messages":[{"role":"user","content":"Where?"},"x"]}`, "output.value", `{"role":"assistant",`+
				`"content":"Lost."}`)}, `t: | u Where? | a Lost. // message_not_read -message that cannot be read×1
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
note message_not_read : span 1: input[1]: a message must be an object and is a string`},
		{"values under inputs", []string{spanOf("1", "", "m", "", "traceloop.span.kind", "llm", "traceloop.entity.input",
			`{"inputs":{"messages":[{"role":"user","content":"Where?"}]}}`, "traceloop.entity.output", `{"role":"assistant",`+
				`"content":"Lost."}`)}, `t: | u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"values that are texts", []string{spanOf("1", "", "m", "", "openinference.span.kind", "LLM", "input.value",
			"Where?", "output.value", "Lost.")}, `t: | u Where? | a Lost. // content_not_captured -model call without content×1
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
note content_not_captured : 1 model or tool call of the log without content: content capture was off when they were recorded
error: x.json: no tool call was read of 1 conversations: the log names calls without their content,` +
			` because content capture was off (for OpenTelemetry set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true and record again)`},
		{"the root's values, and tools", []string{spanOf("1", "", "a", "", "openinference.span.kind", "CHAIN",
			"input.value", "Where?", "output.value", "Lost."),
			spanOf("2", "1", "find", "", "openinference.span.kind", "TOOL", "tool.name", "find", "input.value", `{"q":7}`,
				"output.value", "x")}, `t: | u Where? | a  0#2 find{"q":7} | 0=x | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"2"}
message 3 {"trace_id":"t","span_id":"1"}`},
		{"a root with an output alone", []string{spanOf("1", "", "a", "", "openinference.span.kind", "CHAIN",
			"output.value", "Lost.")}, `t: | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 0 {"trace_id":"t","span_id":"1"}`},
		{"several calls without content", []string{asked, spanOf("2", "", "m", "", chat, "chat"), spanOf("3", "", "m",
			"", chat, "text_completion"), tool("4", "", "gen_ai.tool.call.id", "z")}, `t: | u Where? | a  0#k find{"q":7}` +
			` // content_not_captured unanswered_call -model call without content×2 -tool call without content×1
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
note content_not_captured : 3 model or tool calls of the log without content: content capture was off when they were recorded`},
		{"a result", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k", "gen_ai.tool.call.result", "x")}, `t: |` +
			` u Where? | a  0#k find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a result in the form of a message", []string{asked, tool("2", "", "gen_ai.tool.call.arguments", `{"q":7}`,
			"gen_ai.tool.call.result", `{"content":"x","tool_call_id":"k","name":"find","status":"error"}`)}, `t: |` +
			` u Where? | a  0#k find{"q":7} | 0!=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a result in the form of LangChain", []string{asked, tool("2", "", "gen_ai.tool.call.result", `{"lc":1,`+
			`"kwargs":{"content":"x","tool_call_id":"k"}}`)}, `t: | u Where? | a  0#k find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a result in the form of Gemini", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k",
			"gen_ai.tool.call.result", `{"id":"z","name":"find","response":{"r":1}}`)}, `t: | u Where? | a  0#k find{"q":7}` +
			` | 0={"r":1}
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a reply of a server", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k", "gen_ai.tool.call.result",
			`{"content":[{"type":"text","text":"x"}],"isError":true,"structuredContent":{},"_meta":{}}`)}, `t: | u Where? |` +
			` a  0#k find{"q":7} | 0!=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"an object with content and more", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k",
			"gen_ai.tool.call.result", `{"content":[{"type":"text","text":"x"}],"more":1}`)}, `t: | u Where? |` +
			` a  0#k find{"q":7} | 0={"content":[{"type":"text","text":"x"}],"more":1}
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a state of error", []string{asked, tool("2", `,"status":{"code":"STATUS_CODE_ERROR"}`, "gen_ai.tool.call.id",
			"k")}, `t: | u Where? | a  0#k find{"q":7} | 0!=error
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"an error with its text", []string{asked, tool("2", `,"status":{"code":2,"message":"gone"}`,
			"gen_ai.tool.call.id", "k", "error.type", "gone")}, `t: | u Where? | a  0#k find{"q":7} | 0!=gone
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"an error with a result", []string{asked, tool("2", `,"status":{"code":2,"message":"gone"}`,
			"gen_ai.tool.call.id", "k", "gen_ai.tool.call.result", "x")}, `t: | u Where? | a  0#k find{"q":7} | 0!=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a tool's status", []string{asked, tool("2", `,"status":{"code":1}`, "gen_ai.tool.call.id", "k",
			"gen_ai.tool.call.result", "x", "tool.status", "error")}, `t: | u Where? | a  0#k find{"q":7} | 0!=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"no result", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k")}, `t: | u Where? | a  0#k find{"q":7}` +
			` // unanswered_call -tool result without content×1
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"arguments and a result in events", []string{tool("2", events(event("gen_ai.tool.message", "content",
			`{"q":7}`), event("gen_ai.choice", "message", `[{"text":"x"}]`)))}, `t: | a  0#2 find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"arguments and a result in messages of events", []string{tool("2", events(event("e", in, `[{"role":"assistant",`+
			`"parts":[{"type":"tool_call","arguments":{"q":7}}]}]`, out, `[{"role":"tool",`+
			`"parts":[{"type":"tool_call_response","response":"x"}]}]`)))}, `t: | a  0#2 find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"a result of a message of events", []string{tool("2", events(event("e", in, `[{"parts":[{"arguments":{"q":7}}]}`+
			`]`), event("e", out, `[{"parts":[{"result":"x"}]}]`)))}, `t: | a  0#2 find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"arguments of a Python function", []string{tool("2", "", "input.value", `{"args":[7],"kwargs":{"r":8}}`,
			"output.value", "x", "tool.parameters", `{"properties":{"q":{},"r":{}}}`)}, `t: | a  0#2 find{"q":7,"r":8} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"more arguments than parameters", []string{tool("2", "", "input.value", `{"args":[7,8],"kwargs":{}}`,
			"output.value", "x", "tool.parameters", `{"q":{}}`)}, `t: | a  0#2 find{"args":[7,8],"kwargs":{}} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"an argument that is a text", []string{spanOf("2", "", "find", "", "openinference.span.kind", "TOOL",
			"input.value", "7", "output.value", "x")}, `t: | a  0#2 find{"input":"7"} | 0=x
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}`},
		{"a text where an object must be", []string{tool("2", "", "gen_ai.tool.call.arguments", "7",
			"gen_ai.tool.call.result", "x")}, `t: | a  0#2 find{} | 0=x // arguments_not_object
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}
note arguments_not_object : span 2: find: the arguments are an integer, not an object: "7"`},
		{"parallel calls without ids", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, twice), tool("3",
			"", "gen_ai.tool.call.arguments", `{"q":8}`, "gen_ai.tool.call.result", "eight"),
			tool("2", "", "gen_ai.tool.call.arguments", `{"q":7}`, "gen_ai.tool.call.result", "seven")}, `t: | u Where? |` +
			` a  0#2 find{"q":7} 1#3 find{"q":8} | 0=seven | 1=eight
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"arguments with defaults", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, twice), tool("2", "",
			"gen_ai.tool.call.arguments", `{"q":8,"deep":true}`, "gen_ai.tool.call.result", "eight")}, `t: | u Where? |` +
			` a  0# find{"q":7} 1#2 find{"q":8} | 1=eight // call_without_id unanswered_call
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"wrapped arguments", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, twice), tool("2", "",
			"gen_ai.tool.call.arguments", `{"request":{"q":8}}`, "gen_ai.tool.call.result", "eight")}, `t: | u Where? |` +
			` a  0# find{"q":7} 1#2 find{"q":8} | 1=eight // call_without_id unanswered_call
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"no arguments", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, twice), tool("2", "",
			"gen_ai.tool.call.arguments", `{}`, "gen_ai.tool.call.result", "first"), tool("3", "",
			"gen_ai.tool.call.result", "second")}, `t: | u Where? | a  0#2 find{"q":7} 1#3 find{"q":8} | 0=first | 1=second
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"other arguments", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, twice), tool("2", "",
			"gen_ai.tool.call.arguments", `{"q":9}`, "gen_ai.tool.call.result", "nine")}, `t: | u Where? | a  0# find{"q":7}` +
			` 1# find{"q":8} | a  2#2 find{"q":9} | 2=nine // call_without_id call_without_id unanswered_call unanswered_call
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}`},
		{"another id", []string{asked, tool("2", "", "gen_ai.tool.call.id", "z", "gen_ai.tool.call.arguments", `{"q":7}`,
			"gen_ai.tool.call.result", "x")}, `t: | u Where? | a  0#k find{"q":7} | a  1#z find{"q":7} |` +
			` 1=x // unanswered_call repeated_call
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}
note repeated_call : span 2: find is called again with the same arguments`},
		{"an id twice", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k", "gen_ai.tool.call.result", "x"),
			tool("3", "", "gen_ai.tool.call.id", "k", "gen_ai.tool.call.result", "y")}, `t: | u Where? | a  0#k find{"q":7}` +
			` | 0=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"a tool below one of another id", []string{spanOf("2", "", "execute_tool find", "", chat, ran,
			"gen_ai.tool.call.id", "k", "gen_ai.tool.call.arguments", `{"q":7}`), spanOf("3", "2", "execute_tool find", "",
			chat, ran, "gen_ai.tool.call.id", "l", "gen_ai.tool.call.arguments", `{"q":8}`)}, `t: | a  0#k find{"q":7} |` +
			` a  1#l find{"q":8} // unanswered_call unanswered_call
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}
message 1 {"trace_id":"t","span_id":"3"}`},
		{"a tool below one of another name", []string{spanOf("2", "", "execute_tool outer", "", chat, ran,
			"gen_ai.tool.call.arguments", `{"q":7}`), spanOf("3", "2", "execute_tool inner", "", chat, ran,
			"gen_ai.tool.call.arguments", `{"q":8}`)}, `t: | a  0#2 outer{"q":7} | a  1#3 inner{"q":8}` +
			` // unanswered_call unanswered_call
extra {"trace_id":"t","span_id":"2"}
message 0 {"trace_id":"t","span_id":"2"}
message 1 {"trace_id":"t","span_id":"3"}`},
		{"an answered call whose span failed", []string{spanOf("1", "", "m", "", chat, "chat", in, asks, out, calls),
			tool("2", "", "gen_ai.tool.call.id", "k", "error.type", "late"),
			spanOf("3", "", "m", "", chat, "chat", in, asks[:len(asks)-1]+","+calls[1:len(calls)-1]+`,{"role":"tool",`+
				`"parts":[{"type":"tool_call_response","id":"k","response":"x"}]}]`, out, says)}, `t: | u Where? |` +
			` a  0#k find{"q":7} | 0!=x | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 3 {"trace_id":"t","span_id":"3"}`},
		{"a call between the messages", []string{asked, tool("2", "", "gen_ai.tool.call.id", "k",
			"gen_ai.tool.call.result", "x"), spanOf("3", "1", "execute_tool now", "", chat, ran,
			"gen_ai.tool.call.arguments", `{}`, "gen_ai.tool.call.result", "noon"),
			spanOf("4", "", "m", "", chat, "chat", in, asks[:len(asks)-1]+","+calls[1:len(calls)-1]+`,{"role":"tool",`+
				`"parts":[{"type":"tool_call_response","id":"k","response":"x"}]}]`, out, says)}, `t: | u Where? |` +
			` a  0#k find{"q":7} | a  1#3 now{} | 1=noon | 0=x | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"3"}
message 5 {"trace_id":"t","span_id":"4"}`},
		{"scores of traces and sessions", []string{asked, spanOf("2", "", "e", "", "evaluations.0.evaluation.name", "a",
			"evaluations.0.evaluation.score", `{"doubleValue":0.5}`, "trace.annotations.0.annotation.name", "b",
			"trace.annotations.0.annotation.label", "good",
			"session.evaluations.0.evaluation.name", "c", "session.evaluations.0.evaluation.score", `{"intValue":"1"}`,
			"annotations.0.annotation.score", `{"intValue":"1"}`, "trace.evaluations.0.evaluation.name", "d")}, `t: |` +
			` u Where? | a  0#k find{"q":7} // label_not_read label_not_read unanswered_call -span of no model or tool call×1
extra {"trace_id":"t","span_id":"1"}
label a 0.5 of -1
label b 0good of -1
label c 1 of -1
message 1 {"trace_id":"t","span_id":"1"}
note label_not_read : span 2: an evaluation without a name or a score
note label_not_read : span 2: an evaluation without a name or a score`},
		{"scores in events", []string{spanOf("1", "", "e", events(event("gen_ai.evaluation.result",
			"gen_ai.evaluation.name", "a", "gen_ai.evaluation.score.label", "good"),
			event("gen_ai.evaluation.result", "gen_ai.evaluation.name", "b", "gen_ai.evaluation.score.value",
				`{"doubleValue":0.5}`, "gen_ai.evaluation.score.label", "bad"), event("other", "gen_ai.evaluation.name",
				"c")))}, `t: // no_messages -span of no model or tool call×1
extra {"trace_id":"t","span_id":"1"}
label a 0good of -1
label b 0.5 of -1
note no_messages : the conversation holds no message`},
		{"values of any kind", []string{spanOf("1", "", "m", "", chat, "chat", "gen_ai.prompt",
			`{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"user"}},`+
				`{"key":"content","value":{"stringValue":"Where?"}}]}}]}}`,
			"gen_ai.completion", `{"arrayValue":{"values":[]}}`)}, `t: | u Where?
extra {"trace_id":"t","span_id":"1"}`},
		{"input messages as a list", []string{spanOf("1", "", "m", "", chat, "chat", in,
			`{"array_value":{"values":[{"kvlist_value":{"values":[{"key":"role","value":{"string_value":"user"}},`+
				`{"key":"content","value":{"string_value":"Where?"}},{"key":"n","value":{"int_value":"5"}},
			{"key":"x","value":{"int_value":"five"}},{"key":"d","value":{"double_value":0.5}},{"key":"b",`+
				`"value":{"bool_value":true}},{"key":"y","value":{"bytes_value":"AA=="}},{"key":"z","value":{"other":1}}]}}]}`+
				`}`)}, `t: | u Where?
extra {"trace_id":"t","span_id":"1"}
message 0 {"n":5,"x":"five","d":0.5,"b":true,"y":"AA=="}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inFull(t, `{"resourceSpans":[{"scopeSpans":[{"spans":[`+strings.Join(tt.spans, ",")+`]}]}]}`,
				Options{}); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestSnakeCaseOfOTLP: exports with their keys in snake case, and the older names of Tempo, are read too.
func TestSnakeCaseOfOTLP(t *testing.T) {
	const span = `{"trace_id":"t","span_id":"1","parent_span_id":"","name":"m","start_time_unix_nano":"1",` +
		`"status":{"code":0},"attributes":[{"key":"gen_ai.prompt","value":{"string_value":"Where?"}},` +
		`{"key":"gen_ai.completion","value":{"string_value":"Lost."}}]}`
	const want = "t: | u Where? | a Lost.\nextra {\"trace_id\":\"t\",\"span_id\":\"1\"}\nmessage 1 " +
		"{\"trace_id\":\"t\",\"span_id\":\"1\"}"
	for _, log := range []string{`{"resource_spans":[{"scope_spans":[{"spans":[` + span + `]}]}]}`,
		`{"batches":[{"resource":{},"instrumentationLibrarySpans":[{"spans":[` + span + `]}]}]}`,
		`{"resourceSpans":[{"scope_spans":[{"spans":[` + span + `]}]}]}`} {
		if got := inFull(t, log, Options{}); got != want {
			t.Errorf("%s\nreads as %s", log, got)
		}
	}
	const record = `{"trace_id":"t","span_id":"1","time_unix_nano":"1","event_name":"gen_ai.user.message",` +
		`"attributes":[],"body":{"kvlist_value":{"values":[{"key":"content","value":{"string_value":"Where?"}}]}}}`
	const other = `{"trace_id":"t","span_id":"1","time_unix_nano":"2","attributes":[{"key":"event.name",` +
		`"value":{"string_value":"gen_ai.choice"}}],"body":{"kvlist_value":{"values":[{"key":"message",` +
		`"value":{"string_value":"Lost."}}]}}}`
	for _, log := range []string{`{"resource_logs":[{"scope_logs":[{"log_records":[` + record + `,` + other + `]}]}` +
		`]}`, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + record + `,` + other + `]}]}]}`} {
		if got := inFull(t, log, Options{}); got != "t: | u Where? | a Lost.\nextra "+
			"{\"trace_id\":\"t\",\"span_id\":\"1\"}\nmessage 1 {\"trace_id\":\"t\",\"span_id\":\"1\"}" {
			t.Errorf("%s\nreads as %s", log, got)
		}
	}
}

func TestKindsOfSpans(t *testing.T) {
	for attrs, want := range map[string]spanKind{
		`{"gen_ai.operation.name":"chat"}`: modelSpan, `{"gen_ai.operation.name":"generate_content"}`: modelSpan,
		`{"gen_ai.operation.name":"text_completion"}`: modelSpan,
		`{"openinference.span.kind":"LLM"}`:           modelSpan, `{"traceloop.span.kind":"llm"}`: modelSpan,
		`{"gen_ai.operation.name":"invoke_agent"}`:    agentSpan,
		`{"gen_ai.operation.name":"invoke_workflow"}`: agentSpan, `{"openinference.span.kind":"AGENT"}`: agentSpan,
		`{"openinference.span.kind":"CHAIN"}`:      agentSpan,
		`{"gen_ai.operation.name":"execute_tool"}`: toolSpan, `{"traceloop.span.kind":"tool"}`: toolSpan,
		`{"gen_ai.tool.name":"f"}`: toolSpan, `{"mcp.method.name":"tools/call"}`: toolSpan,
		`{"mcp.method.name":"tools/list"}`: otherSpan, `{"gen_ai.operation.name":"x","gen_ai.tool.name":"f"}`: otherSpan,
		`{"gen_ai.operation.name":"create_agent","gen_ai.prompt":"a"}`: otherSpan,
		`{"gen_ai.operation.name":"embeddings","gen_ai.prompt":"a"}`:   otherSpan, `{"gen_ai.operation.name":"event",` +
			`"gen_ai.prompt":"a"}`: otherSpan,
		`{"gen_ai.operation.name":"handoff","gen_ai.prompt":"a"}`: otherSpan, `{"gen_ai.operation.name":"state",` +
			`"gen_ai.prompt":"a"}`: otherSpan,
		`{"gen_ai.input.messages":"a"}`: modelSpan, `{"gen_ai.output.messages":"a"}`: modelSpan,
		`{"gen_ai.prompt.0.role":"a"}`: modelSpan, `{"gen_ai.completion":"a"}`: modelSpan,
		`{"llm.input_messages.0.message.role":"a"}`:  modelSpan,
		`{"llm.output_messages.0.message.role":"a"}`: modelSpan, `{"llm.prompts":"a"}`: modelSpan,
		`{"judge.request":"a"}`: modelSpan, `{"judge.reply":"a"}`: modelSpan, `{"judge.scores":[]}`: resultSpan,
		`{"a":"b"}`: otherSpan,
	} {
		s := span{attrs: mustParse(t, attrs)}
		if got := s.kindOf(); got != want {
			t.Errorf("%s is of kind %d, want %d", attrs, got, want)
		}
	}
	for events, want := range map[string]spanKind{
		`[{"name":"gen_ai.user.message"}]`: modelSpan, `[{"name":"gen_ai.choice"}]`: modelSpan, `[{"name":"e",` +
			`"attributes":{"gen_ai.input.messages":"a"}}]`: modelSpan, `[{"name":"gen_ai.evaluation.result"}]`: resultSpan,
		`[{"name":"gen_ai.evaluation.result"},{"name":"e"}]`: otherSpan, `[]`: otherSpan,
	} {
		s := span{v: value.Pairs("events", mustParse(t, events))}
		if got := s.kindOf(); got != want {
			t.Errorf("%s is of kind %d, want %d", events, got, want)
		}
	}
	for _, tt := range []struct {
		a, b string
		want int
	}{{"9", "10", -1}, {"10", "9", 1}, {"10", "11", -1}, {"5", "5", 0}, {"2026-01-01", "2026-01-02T", -1}, {"9",
		"2026-01-01", 1}, {"", "5", -1}} {
		if got := compareTimes(tt.a, tt.b); got != tt.want {
			t.Errorf("%s to %s: %d", tt.a, tt.b, got)
		}
	}
}
