package format

import (
	"strings"
	"testing"
)

// TestTurnsOfFrameworks: forms of messages that only some frameworks write, each as the whole log of one conversation.
func TestTurnsOfFrameworks(t *testing.T) {
	const call = `{"role":"assistant","tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]}`
	for _, tt := range []struct{ name, messages, want string }{
		{"tools that were used before the answer", `{"role":"assistant","content":"Lost.","usedTools":[{"tool":"find",` +
			`"toolInput":{"q":7},"toolOutput":"x"}]}`, `c: | a  0# find{"q":7} | 0=x | a Lost. // call_without_id`},
		{"used tools as a text", `{"role":"assistant","content":"Lost.","usedTools":"[{\"tool\":\"find\",` +
			`\"toolInput\":{\"q\":7},\"toolOutput\":\"x\"}]"}`, `c: | a  0# find{"q":7} | 0=x | a Lost. // call_without_id`},
		{"used tools that are none", `{"role":"assistant","usedTools":[5]}`,
			`error: x.json:1: messages[0].usedTools[0]: a call must be an object and is an integer`},
		{"results by the ids of their calls", call + `,{"role":"user","content":[],` +
			`"tool_results":{"k":{"content":[{"type":"text","text":"x"}],"isError":true}}}`, `c: | a  0#k find{} | 0!=x`},
		{"results in a list", call + `,{"role":"user","tool_results":[{"request_id":"k","result_value":"x",` +
			`"is_error":true},{"request_id":"z"}]}`, `c: | a  0#k find{} | 0!=x`},
		{"tools of a server in a channel", `{"role":"assistant","content":"a",` +
			`"channels":{"anthropic-server-tools":[{"text":"{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"search\",` +
			`\"input\":{}}"}]}}`, `c: | a a 0#s search{}
message 0 {"channels":{"anthropic-server-tools":[{"text":"{\"type\":\"server_tool_use\",\"id\":\"s\",` +
			`\"name\":\"search\",\"input\":{}}"}]}}
call 0 by server`},
		{"calls that only the provider's copy has", `{"role":"assistant","content":"",` +
			`"additional_kwargs":{"tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]}}`, `c: |` +
			` a  0#k find{} // unanswered_call
message 0 {"additional_kwargs":{"tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]}}`},
		{"calls beside the provider's copy", `{"role":"assistant","content":"","tool_calls":[{"id":"j","name":"find",` +
			`"args":{}}],"additional_kwargs":{"tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]}}`,
			`c: | a  0#j find{} // unanswered_call
message 0 {"additional_kwargs":{"tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]}}`},
		{"calls that parts and the list hold", `{"role":"assistant","content":[{"type":"tool_use","id":"k","name":"find",` +
			`"input":{}},{"type":"tool_use","id":"j","name":"now","input":{},"partial_json":"{"}],"tool_calls":[{"id":"k",` +
			`"name":"find","args":{}},{"id":"j","name":"now","args":{}}]}`, `c: | a  0#k find{} 1#j now{}` +
			` // unanswered_call unanswered_call`},
		{"calls by their ids", `{"role":"assistant","content":"","tool_calls":{"k":{"method":"tools/call",` +
			`"params":{"name":"find","arguments":{"q":7}}}}}`, `c: | a  0#k find{"q":7} // unanswered_call`},
		{"a single call", `{"role":"assistant","content":"","function_call":{"name":"find","arguments":"{}"},` +
			`"tool_calls":"","toolCalls":null}`, `c: | a  0# find{} // call_without_id unanswered_call`},
		{"a list of calls that is a number", `{"role":"assistant","content":"","tool_calls":5}`,
			`error: x.json:1: messages[0].tool_calls: this must be a list of calls and is an integer`},
		{"an action in words", `{"role":"agent","thought":"hm","action":"I look."},{"role":"environment"},` +
			`{"role":"environment","content":"x"}`, `c: | (hm) a Action: I look. |` +
			` -1=x // orphan_result call_in_text -empty result×1
message 0 {"action":"I look."}
note orphan_result : messages[2]: the result belongs to no call: "x"
note call_in_text : messages[0].content: this looks like a call and cannot be read: "Action: I look."`},
		{"the definition of a tool", `{"role":"tool","content":"{\"type\":\"function\",\"function\":{\"name\":\"find\"}}` +
			`"},{"role":"tool","content":{"function":{"name":"now"}}},{"role":"tool","tool_call_id":"k",` +
			`"content":{"function":{"name":"no"}}}`, `c: | -1={"function":{"name":"no"}} // orphan_result
tool find()
tool now()
note orphan_result : messages[2]: the result belongs to no call: "{\"function\":{\"name\":\"no\"}}"`},
		{"a call and its result as a message", `{"role":"tool","name":"find","tool_input":{"q":7},"output":"x"}`, `c: |` +
			` a  0# find{"q":7} | 0=x // call_without_id`},
		{"items of other types", `{"type":"image_item","x":1},{"type":"mcp_list_tools","tools":[{"name":"find"}]},` +
			`{"role":"user","content":"a"}`, `c: | u a // unknown_item
extra {"other_items":[{"type":"image_item","x":1}]}
tool find()
note unknown_item : messages[0]: an item of type "image_item" is kept aside`},
		{"an item without a type", `{"x":1,"y":2}`,
			`error: x.json:1: messages[0].role: the message has no role (its keys are "x", "y")`},
		{"reasoning before a message and before a call", `{"type":"reasoning","text":"r1"},{"role":"assistant",` +
			`"content":"a"},{"type":"reasoning","summary":[]},{"type":"reasoning","text":"r2"},{"type":"reasoning",` +
			`"text":"r3"},{"type":"function_call","call_id":"k","name":"find","arguments":"{}"},{"type":"reasoning",` +
			`"text":"r4"},{"type":"output_text","text":"b"}`, `c: | (r1) a a | (r2
r3) a  0#k find{} | (r4) a b // unanswered_call`},
		{"calls after results", `{"type":"function_call","call_id":"k","name":"find","arguments":"{}"},` +
			`{"type":"function_call","call_id":"l","name":"now","arguments":"{}"},{"type":"function_call_output",` +
			`"call_id":"k","output":"x"},{"type":"function_call","call_id":"m","name":"run","arguments":"{}"}`, `c: |` +
			` a  0#k find{} 1#l now{} | 0=x | a  2#m run{} // unanswered_call unanswered_call`},
		{"steps in one message", `{"role":"assistant","content":[{"type":"step-start"},{"type":"text","text":"a"},` +
			`{"type":"tool-call","toolCallId":"k","toolName":"find","args":{}},{"type":"tool-result","toolCallId":"k",` +
			`"result":"x"},{"type":"step-start"},{"type":"text","text":"b"},{"type":"thinking","thinking":"t"},` +
			`{"type":"cachePoint"},{"type":"data-weather"},{"type":"refusal","refusal":"no"},{"type":"file"},` +
			`{"cachePoint":{}}]}`, `c: | a a 0#k find{} | 0=x | (t) a b
no
[file] // part_not_text -cachePoint×2 -data-weather×1
note part_not_text : messages[0].content[10]: a part of type "file" is kept as [file]`},
		{"a text after a result", `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k","toolName":"find",` +
			`"args":{},"output":"x"},{"type":"text","text":"b"}]}`, `c: | a  0#k find{} | 0=x | a b`},
		{"a call after a separate result", `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k",` +
			`"toolName":"find","args":{}},{"type":"tool-result","toolCallId":"k","result":"x"},{"type":"tool-call",` +
			`"toolCallId":"l","toolName":"now","args":{}}]}`, `c: | a  0#k find{} | 0=x | a  1#l now{} // unanswered_call`},
		{"calls with their results", `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k",` +
			`"toolName":"find","args":{},"output":"x"},{"type":"tool-call","toolCallId":"l","toolName":"now","args":{},` +
			`"output":null,"state":"input-available"},{"type":"tool-call","toolCallId":"m","toolName":"run","args":{},` +
			`"output":null,"state":"output-available"}]}`, `c: | a  0#k find{} 1#l now{} 2#m run{} | 0=x |` +
			` 2= // unanswered_call`},
		{"calls in the parts of LLaMA-Factory", `{"role":"assistant","content":[{"type":"tool_call",` +
			`"value":"[{\"name\":\"find\",\"arguments\":{\"q\":7}}]"},{"type":"text","value":"a"}]}`, `c: |` +
			` a a 0# find{"q":7} // call_without_id unanswered_call`},
		{"a result part with an id of its own", call + `,{"role":"tool","content":[{"type":"tool_result","id":"k",` +
			`"content":"x"}]}`, `c: | a  0#k find{} | 0=x`},
		{"an output with an id of its own", call + `,{"type":"function_call_output","id":"k","output":"x"}`, `c: |` +
			` a  0#k find{} | 0=x // paired_by_order
note paired_by_order : messages[1]: the result names no call of the log and was given to find at messages[0].tool_calls[0]`},
		{"content that is an object", `{"role":"user","content":{"a":1}},{"role":"user","content":5},{"role":"user",` +
			`"content":{"parts":["b"]}},{"role":"user","content":null,"refusal":"no"}`, `c: | u {"a":1} | u 5 | u b |` +
			` u no // content_not_text content_not_text
note content_not_text : messages[0]: the content is an object, not a text
note content_not_text : messages[1]: the content is an integer, not a text`},
		{"results before a user's text", call + `,{"role":"user","content":[{"type":"text","text":"b"},` +
			`{"type":"tool_result","tool_use_id":"k","content":"x"}]}`, `c: | a  0#k find{} | 0=x | u b`},
		{"a call of the user", `{"role":"user","content":"a","tool_calls":[{"id":"k","function":{"name":"find",` +
			`"arguments":"{}"}}]}`, `c: | u a 0#k find{} // unanswered_call
call 0 by user`},
		{"a call of the system", `{"role":"system","content":"a","tool_calls":[{"id":"k","function":{"name":"find",` +
			`"arguments":"{}"}}]}`, `c: | s a | a  0#k find{} // unanswered_call`},
		{"a result with a call", call + `,{"role":"tool","tool_call_id":"k","content":"x","tool_calls":[{"id":"l",` +
			`"function":{"name":"now","arguments":"{}"}}]}`, `c: | a  0#k find{} | 0=x | a  1#l now{} // unanswered_call`},
		{"words that are no calls", `{"role":"function_call","content":"{\"name\":\"find\",\"arguments\":{}}"},` +
			`{"role":"tool_call","value":"broken"}`, `c: | a  0# find{} |` +
			` a broken // unknown_role call_without_id unanswered_call
note unknown_role : messages[1]: the message of the role "tool_call" holds no call that can be read`},
		{"names beside plain messages", `{"role":"tool","tool_call_id":"k","name":5,"content":"x"},{"role":"user",` +
			`"name":"Ann","content":"a"},{"role":"developer","content":"b"},{"role":"assistant","content":5}`, `c: | -1=x |` +
			` u a | s b | a 5 // content_not_text orphan_result
message 1 {"name":"Ann"}
note content_not_text : messages[3]: the content is an integer, not a text
note orphan_result : messages[0]: the result belongs to no call: "x"`},
		{"calls that are nearly plain", `{"role":"assistant","content":null,"tool_calls":[{"id":"k","type":"custom",` +
			`"function":{"name":"find","arguments":"{}"}},{"id":5,"function":{"name":"find","arguments":"{\"a\":1}"}},` +
			`{"id":"l","function":{"name":5,"arguments":"{}"}},{"id":"m","function":{"name":"find","arguments":null}},` +
			`{"id":"n","function":{"name":"now","arguments":"{}","x":1}}]}`, `c: | a  0#k find{"input":"{}"} 1#5 find{"a":1}` +
			` 2#l 5{} 3#m find{} 4#n now{}` +
			` // arguments_missing unanswered_call unanswered_call unanswered_call unanswered_call unanswered_call
note arguments_missing : messages[0].tool_calls[3]: find: the arguments are null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inFull(t, `{"id":"c","messages":[`+tt.messages+`]}`, Options{Format: native.name}); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestSpansOfProducers: the attributes of producers that have their own.
func TestSpansOfProducers(t *testing.T) {
	flat := func(id, name, attrs string) string {
		return `{"context":{"trace_id":"0xt","span_id":"0x` + id + `"},"name":"` + name + `","start_time":"` + id + `",` +
			`"attributes":{` + attrs + `}}`
	}
	for _, tt := range []struct {
		name  string
		spans []string
		want  string
	}{
		{"the Vercel AI SDK", []string{flat("1", "ai.generateText", `"ai.operationId":"ai.generateText",`+
			`"ai.prompt":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where?\"}]}","ai.telemetry.metadata.chatId":"s"`),
			flat("2", "ai.generateText.doGenerate", `"ai.operationId":"ai.generateText.doGenerate",`+
				`"ai.prompt.messages":"[{\"role\":\"user\",\"content\":\"Where?\"}]","ai.prompt.tools":["{\"name\":\"find\",`+
				`\"parameters\":{}}"],"ai.response.text":"I look.","ai.response.reasoning":"hm",`+
				`"ai.response.toolCalls":"[{\"toolCallId\":\"k\",\"toolName\":\"find\",\"args\":{\"q\":7}}]"`),
			flat("3", "ai.toolCall find", `"ai.toolCall.name":"find","ai.toolCall.id":"k","ai.toolCall.args":"{\"q\":7}",`+
				`"ai.toolCall.result":"\"x\""`), flat("4", "ai.embed", `"ai.operationId":"ai.embed","ai.prompt":"p"`),
			flat("5", "ai.rerank", `"ai.operationId":"ai.rerank","ai.prompt":"p"`)}, `s: | u Where? |` +
			` (hm) a I look. 0#k find{"q":7} | 0=x -span embeddings×2
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
tool find()
message 1 {"trace_id":"t","span_id":"2"}`},
		{"the Vercel AI SDK, an object and older names", []string{flat("1", "ai.generateObject.doGenerate",
			`"ai.operationId":"ai.generateObject.doGenerate","ai.prompt.messages":"[{\"role\":\"user\",`+
				`\"content\":\"Where?\"}]","ai.result.object":"{\"a\":1}","ai.telemetry.metadata.threadId":"s"`),
			flat("2", "ai.toolCall", `"operation.name":"ai.toolCall x","ai.toolCall.name":"now","ai.toolCall.id":"l",`+
				`"ai.toolCall.input":"{}","ai.toolCall.output":"noon"`),
			flat("3", "ai.streamText.doStream", `"ai.operationId":"ai.streamText.doStream",`+
				`"ai.prompt.messages":"[{\"role\":\"user\",\"content\":\"And?\"}]","ai.result.text":"Lost.",`+
				`"ai.result.toolCalls":"[]"`)}, `s: | u Where? | a {"a":1} | a  0#l now{} | 0=noon | u And? |` +
			` a Lost. // separate_history
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}
message 5 {"trace_id":"t","span_id":"3"}
note separate_history : span 3: the messages do not continue those of an earlier request: only what is new in them was added`},
		{"an object of the Vercel AI SDK alone", []string{flat("1", "ai.generateObject.doGenerate",
			`"ai.operationId":"ai.generateObject.doGenerate","ai.prompt.messages":"[{\"role\":\"user\",`+
				`\"content\":\"Where?\"}]","ai.response.object":"{\"a\":1}","ai.telemetry.metadata.conversationId":"s"`)}, `s: |` +
			` u Where? | a {"a":1}
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"Google ADK", []string{flat("1", "call_llm", `"gcp.vertex.agent.llm_request":"{\"contents\":[{\"role\":\"user\",`+
			`\"parts\":[{\"text\":\"Where?\"}]}]}","gcp.vertex.agent.llm_response":"{\"content\":{\"role\":\"model\",`+
			`\"parts\":[{\"function_call\":{\"id\":\"k\",\"name\":\"find\",\"args\":{\"q\":7}}}]}}",`+
			`"gcp.vertex.agent.session_id":"s"`),
			flat("2", "execute_tool find", `"gen_ai.tool.name":"find","gen_ai.tool.call.id":"k",`+
				`"gcp.vertex.agent.tool_call_args":"{\"q\":7}","gcp.vertex.agent.tool_response":"{\"r\":1}"`), flat("3",
				"execute_tool", `"gen_ai.tool.name":"(merged tools)","gcp.vertex.agent.tool_response":"{}"`)}, `s: | u Where? |` +
			` a  0#k find{"q":7} | 0={"r":1} -span event×1
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"any-agent", []string{flat("1", "m", `"gen_ai.operation.name":"call_llm",`+
			`"gen_ai.input.messages":"[{\"role\":\"user\",\"content\":\"Where?\"}]",`+
			`"gen_ai.output":"[{\"tool.name\":\"find\",\"tool.args\":\"{\\\"q\\\":7}\"}]"`), flat("2", "t",
			`"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"find","gen_ai.tool.args":"{\"q\":7}",`+
				`"gen_ai.output":"x"`),
			flat("3", "m", `"gen_ai.operation.name":"call_llm","gen_ai.output":"Lost."`)}, `t: | u Where? |` +
			` a  0#2 find{"q":7} | 0=x | a Lost. // separate_history
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 3 {"trace_id":"t","span_id":"3"}
note separate_history : span 3: the messages do not continue those of an earlier request: only what is new in them was added`},
		{"any-agent, an answer at once", []string{flat("1", "m", `"gen_ai.operation.name":"call_llm",`+
			`"gen_ai.input.messages":"[{\"role\":\"user\",\"content\":\"Where?\"}]","gen_ai.output":"Lost."`)}, `t: |` +
			` u Where? | a Lost.
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"LangSmith over OpenTelemetry", []string{flat("1", "m", `"langsmith.span.kind":"llm",`+
			`"gen_ai.prompt":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where?\"}]}",`+
			`"gen_ai.completion":"{\"generations\":[[{\"text\":\"I look.\"}]]}","langsmith.metadata.thread_id":"s"`),
			flat("2", "find", `"langsmith.span.kind":"tool","gen_ai.prompt":"{\"input\":{\"q\":7}}",`+
				`"gen_ai.completion":"{\"output\":{\"content\":\"x\",\"tool_call_id\":\"k\"}}"`),
			flat("3", "c", `"langsmith.span.kind":"chain","gen_ai.prompt":"{}","gen_ai.completion":"{\"a\":1}"`), flat("4",
				"c", `"langsmith.span.kind":"llm","gen_ai.completion":"{}"`)}, `s: | u Where? | a I look. | a  0#k find{"q":7}` +
			` | 0=x // content_not_captured -model call without content×1
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}
note content_not_captured : 1 model or tool call of the log without content: content capture was off when they were recorded`},
		{"OpenAI Agents", []string{`{"scope":{"name":"openinference.instrumentation.openai_agents"},` + flat("1",
			"response", `"openinference.span.kind":"LLM","llm.input_messages.0.message.role":"user",`+
				`"llm.input_messages.0.message.content":"Where?","llm.output_messages.0.message.role":"assistant",`+
				`"llm.output_messages.0.message.tool_calls.0.tool_call.id":"k",`+
				`"llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"find"`)[1:],
			`{"scope":{"name":"openinference.instrumentation.openai_agents"},` + flat("2", "handoff to b",
				`"openinference.span.kind":"TOOL"`)[1:]}, `t: | u Where? | a  0#k find{} // unanswered_call -span handoff×1
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}`},
		{"smolagents", []string{`{"scope":{"name":"openinference.instrumentation.smolagents"},` + flat("1", "m",
			`"openinference.span.kind":"LLM","llm.input_messages.0.message.role":"user",`+
				`"llm.input_messages.0.message.content":"Where?","llm.input_messages.1.message.role":"tool-call",`+
				`"llm.input_messages.1.message.content":"calls","llm.input_messages.2.message.role":"tool-response",`+
				`"llm.input_messages.2.message.content":" x ","llm.output_messages.0.message.role":"assistant",`+
				`"llm.output_messages.0.message.content":"code</code>","llm.n":5`)[1:]}, `t: | u Where? | u x | a code
extra {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"1"}`},
		{"an error, a parent and times of JavaScript", []string{`{"traceId":"t","spanContext":{"traceId":"t",` +
			`"spanId":"2"},"parentSpanContext":{"spanId":"1"},"name":"find","startTime":[2,5],"status":{"code":"2",` +
			`"message":"gone"},"attributes":{"openinference.span.kind":"TOOL","tool.name":"find","input.value":"{\"q\":7}"}}`,
			`{"traceId":"t","spanId":"1","name":"m","startTime":[1,900000000],"session_id":"s",` +
				`"attributes":{"gen_ai.prompt":"Where?","gen_ai.completion":"I look."}}`, `{"traceId":"t","spanId":"3",` +
				`"parentSpanId":"1","name":"now","startTimeUnixNano":"3000000000","status_code":"ERROR",` +
				`"attributes":{"openinference.span.kind":"TOOL","tool.name":"now","input.value":"{}"}}`,
			`{"traceId":"t","spanId":"4","parent_span_id":"1","name":"run","startTimeUnixNano":"4000000000",` +
				`"status":{"status_code":"StatusCode.ERROR","description":"late"},` +
				`"attributes":{"openinference.span.kind":"TOOL","tool.name":"run","input.value":"{}"}}`,
			`{"traceId":"t","spanId":"5","name":"go","start_time":"5000000000","status":{"code":"STATUS_CODE_ERROR"},` +
				`"status_message":"odd","attributes":{"openinference.span.kind":"TOOL","tool.name":"go","input.value":"{}"}}`},
			`s: | u Where? | a I look. | a  0#2 find{"q":7} | 0!=gone | a  1#3 now{} | 1!=error | a  2#4 run{} | 2!=late |` +
				` a  3#5 go{} | 3!=odd
extra {"gen_ai_conversation_id":"s","trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}
message 4 {"trace_id":"t","span_id":"3"}
message 6 {"trace_id":"t","span_id":"4"}
message 8 {"trace_id":"t","span_id":"5"}`},
		{"records of a log service", []string{`{"traceId":"t","spanId":"1","timeUnixNano":"1",` +
			`"body":{"input":{"messages":[{"role":"user","content":"Where?"}]},"output":{"messages":[{"role":"assistant",` +
			`"content":{"message":"Lost."}}]}}}`,
			`{"traceId":"t","spanId":"2","observedTimeUnixNano":"2","body":{"input":{"messages":[{"role":"tool",` +
				`"content":{"content":"{\"q\":7}","id":"k"}}]},"output":{"messages":[{"content":{"message":"[{\"text\":\"x\"}` +
				`]"}}]}},"attributes":{"gen_ai.tool.name":"find","event.name":"e"}}`}, `t: | u Where? | a Lost. |` +
			` a  0#k find{"q":7} | 0=x
extra {"trace_id":"t","span_id":"1"}
message 1 {"trace_id":"t","span_id":"1"}
message 2 {"trace_id":"t","span_id":"2"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inFull(t, strings.Join(tt.spans, "\n"), Options{Format: openInferenceFlat.name}); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestUIEventsAreJoined: the streams of the Vercel AI SDK and of AG-UI.
func TestUIEventsAreJoined(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"texts without a start", `[{"type":"start-step"},{"type":"text-delta","id":"a","delta":"1"},` +
			`{"type":"text-delta","id":"b","text":"2"},{"type":"text-delta","id":"a","delta":"3"},{"type":"reasoning-delta",` +
			`"id":"a","delta":"4"},{"type":"text-start","id":"a"},{"type":"text-delta","id":"a","delta":"5"},` +
			`{"type":"text-end","id":"a"}]`, `{"content":[{"type":"text","text":"13"},{"type":"text","text":"2"},` +
			`{"type":"reasoning","text":"4"},{"type":"text","text":"5"}]}`},
		{"calls and results", `[{"type":"start-step"},{"type":"tool-call","toolCallId":"k","toolName":"find",` +
			`"input":{"q":7}},{"type":"tool-result","toolCallId":"k","output":"x"},{"type":"tool-call","toolCallId":"l",` +
			`"toolName":"now","input":{},"providerExecuted":true},{"type":"tool-error","toolCallId":"l","error":"gone"},
			{"type":"tool-input-error","toolCallId":"m","toolName":"run","input":"bad"},{"type":"tool-output-error",` +
			`"toolCallId":"m","errorText":"no"},{"type":"tool-output-available","toolCallId":"k","output":"early",` +
			`"preliminary":true}]`, `{"content":[{"type":"tool_use","id":"k","name":"find","input":{"q":7}},` +
			`{"type":"tool_result","tool_use_id":"k","content":"x","is_error":false},{"type":"server_tool_use","id":"l",` +
			`"name":"now","input":{}},{"type":"tool_result","tool_use_id":"l","content":"gone","is_error":true},` +
			`{"type":"tool_use","id":"m","name":"run","input":"bad"},{"type":"tool_result","tool_use_id":"m",` +
			`"content":"no","is_error":true}]}`},
		{"arguments in pieces", `[{"type":"tool-input-start","toolCallId":"k","toolName":"find"},` +
			`{"type":"tool-input-delta","toolCallId":"k","inputTextDelta":"{\"q\":"},{"type":"tool-input-delta",` +
			`"toolCallId":"k","inputTextDelta":"7}"}]`, `{"content":[{"type":"tool_use","id":"k","name":"find",` +
			`"input":"{\"q\":7}"}]}`},
		{"AG-UI", `[{"type":"TOOL_CALL_START","toolCallId":"k","toolCallName":"find"},{"type":"RUN_STARTED",` +
			`"threadId":"t"},{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"},{"type":"TEXT_MESSAGE_CHUNK",` +
			`"messageId":"m","delta":"b"},{"type":"THINKING_TEXT_MESSAGE_CONTENT","messageId":"r","delta":"c"},` +
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"d"},
			{"type":"REASONING_MESSAGE_CHUNK","messageId":"r","delta":"e"},{"type":"TOOL_CALL_ARGS","toolCallId":"k",` +
			`"delta":"{}"},{"type":"TOOL_CALL_RESULT","toolCallId":"k","content":"x"},{"type":"RUN_FINISHED"}]`,
			`{"content":[{"type":"tool_use","id":"k","name":"find","input":"{}"},{"type":"text","text":"ab"},` +
				`{"type":"reasoning","text":"cde"},{"type":"tool_result","tool_use_id":"k","content":"x","is_error":false}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := joined(mustParse(t, tt.events)).JSON(); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
