package format

import (
	"strings"
	"testing"
)

// otherLogs are forms of producers whose messages, states or rows were refused or read wrong once.
var otherLogs = []agentLog{
	{"Semantic Kernel in C#", "dotnet-messages", `[{"Role":{"Label":"system"},"Items":[{"$type":"TextContent","Text":"You help."}]},{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"Where is order 7?"}]},{"AuthorName":null,"Role":{"Label":"assistant"},"Items":[{"$type":"FunctionCallContent","Id":"k1","PluginName":"Shop","FunctionName":"find_order","Arguments":{"order_id":7}}],"ModelId":"gpt-4o","Metadata":{"Id":"chatcmpl-1"}},{"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent","CallId":"k1","PluginName":"Shop","FunctionName":"find_order","Result":"lost"}]},{"Role":{"Label":"assistant"},"Items":[{"$type":"TextContent","Text":"It was lost."}]}]`,
		[]string{`x: | s You help. | u Where is order 7? | a  0#k1 Shop-find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"Semantic Kernel in Python", "openai-chat", `{"messages":[{"role":"user","items":[{"content_type":"text","text":"Where is order 7?"}],"content_type":"message"},{"role":"assistant","items":[{"content_type":"function_call","id":"k1","name":"Shop-find_order","plugin_name":"Shop","function_name":"find_order","arguments":"{\"order_id\":7}"}],"content_type":"message"},{"role":"tool","items":[{"content_type":"function_result","id":"k1","name":"Shop-find_order","result":"lost"}],"content_type":"message"},{"role":"assistant","items":[{"content_type":"text","text":"It was lost."}],"content_type":"message"}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 Shop-find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"the Agent Framework", "openai-chat", `[{"role":"user","contents":[{"$type":"text","text":"Where is order 7?"}]},{"role":"assistant","contents":[{"$type":"functionCall","callId":"k1","name":"find_order","arguments":{"order_id":7}}],"messageId":"m1"},{"role":"tool","contents":[{"$type":"functionResult","callId":"k1","result":"lost"}]},{"role":"assistant","contents":[{"$type":"text","text":"It was lost."}]}]`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"what a team of AutoGen says", "autogen", `[{"type":"TextMessage","source":"user","content":"Where is order 7?","models_usage":null,"metadata":{}},{"type":"ToolCallRequestEvent","source":"assistant","content":[{"id":"k1","arguments":"{\"order_id\":7}","name":"find_order"}]},{"type":"ToolCallExecutionEvent","source":"assistant","content":[{"content":"lost","name":"find_order","call_id":"k1","is_error":false}]},{"type":"ToolCallSummaryMessage","source":"assistant","content":"lost"}]`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost -ToolCallSummaryMessage×1`}},
	{"the state of a team of AutoGen", "autogen-state", `{"type":"TeamState","version":"1.0.0","agent_states":{"assistant":{"type":"ChatAgentContainerState","version":"1.0.0","agent_state":{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":[{"content":"Where is order 7?","source":"user","type":"UserMessage"},{"content":[{"id":"k1","arguments":"{\"order_id\":7}","name":"find_order"}],"source":"assistant","type":"AssistantMessage"},{"content":[{"content":"lost","name":"find_order","call_id":"k1","is_error":false}],"type":"FunctionExecutionResultMessage"},{"content":"It was lost.","source":"assistant","type":"AssistantMessage"}]}},"message_buffer":[]},"RoundRobinGroupChatManager":{"type":"RoundRobinManagerState","version":"1.0.0","message_thread":[{"source":"user","models_usage":null,"content":"Where is order 7?","type":"TextMessage"},{"source":"assistant","content":"It was lost.","type":"TextMessage"}],"current_turn":0}}}`,
		[]string{`assistant: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"messages of Dify", "action-steps", `{"data":[{"id":"m1","conversation_id":"k1","inputs":{},"query":"Where is order 7?","answer":"It was lost.","created_at":1,"agent_thoughts":[{"id":"t1","message_id":"m1","position":1,"thought":"","tool":"find_order;refund","tool_input":"{\"find_order\": {\"order_id\":7}, \"refund\": {}}","observation":"{\"find_order\": \"lost\", \"refund\": \"done\"}","created_at":1},{"id":"t2","position":2,"thought":"It was lost.","tool":"","tool_input":"","observation":""}]}],"has_more":false,"limit":20}`,
		[]string{`k1: | u Where is order 7? | a  0# find_order{"order_id":7} 1# refund{} | 0=lost | 1=done | (It was lost.) a  | a It was lost. // call_without_id call_without_id`}},
	{"messages of Flowise", "message-rows", `[{"id":"m1","role":"userMessage","chatflowid":"f","content":"Where is order 7?","chatId":"k","sessionId":"k","createdDate":"2025-01-01"},{"id":"m2","role":"apiMessage","chatflowid":"f","content":"It was lost.","usedTools":"[{\"tool\":\"find_order\",\"toolInput\":{\"order_id\":7},\"toolOutput\":\"lost\"}]","chatId":"k","sessionId":"k","createdDate":"2025-01-01"}]`,
		[]string{`k: | u Where is order 7? | a  0# find_order{"order_id":7} | 0=lost | a It was lost. // call_without_id`}},
	{"events of a server of opencode", "opencode-stream", `{"type":"server.connected","properties":{}}
{"type":"message.updated","properties":{"info":{"id":"u1","sessionID":"s1","role":"user","time":{"created":1}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p0","sessionID":"s1","messageID":"u1","type":"text","text":"Where is order 7?"}}}
{"type":"message.updated","properties":{"info":{"id":"a1","sessionID":"s1","role":"assistant","time":{"created":2}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"s1","messageID":"a1","type":"tool","callID":"k1","tool":"find_order","state":{"status":"pending","input":{}}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","sessionID":"s1","messageID":"a1","type":"tool","callID":"k1","tool":"find_order","state":{"status":"completed","input":{"order_id":7},"output":"lost"}}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"s1","messageID":"a1","type":"text","text":"Do"},"delta":"Do"}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","sessionID":"s1","messageID":"a1","type":"text","text":"It was lost."},"delta":"ne"}}
{"type":"session.idle","properties":{"sessionID":"s1"}}`,
		[]string{`s1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"Haystack", "openai-chat", `[{"role":"user","meta":{},"name":null,"content":[{"text":"Where is order 7?"}]},{"role":"assistant","meta":{},"name":null,"content":[{"tool_call":{"id":"k1","tool_name":"find_order","arguments":{"order_id":7}}}]},{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"lost","error":false,"origin":{"id":"k1","tool_name":"find_order","arguments":{"order_id":7}}}}]},{"role":"assistant","meta":{},"name":null,"content":[{"text":"It was lost."}]}]`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a trajectory of DSPy", "action-steps", `[{"question":"Where is order 7?","trajectory":{"thought_0":"Look.","tool_name_0":"find_order","tool_args_0":{"order_id":7},"observation_0":"lost","thought_1":"done","tool_name_1":"finish","tool_args_1":{},"observation_1":"Completed."},"reasoning":"…","answer":"It was lost."}]`,
		[]string{`x: | u Where is order 7? | (Look.) a  0# find_order{"order_id":7} | 0=lost | (done) a  1# finish{} | 1=Completed. | a It was lost. // call_without_id call_without_id`}},
	{"the memory of smolagents", "action-steps", `{"agent":"ToolCallingAgent","steps":[{"task":"Where is order 7?","task_images":null},{"step_number":1,"timing":{},"model_input_messages":[{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]}],"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":{"order_id":7}}}],"error":null,"model_output_message":{"role":"assistant","content":"","tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},"model_output":"","observations":"lost","observations_images":null,"action_output":null,"is_final_answer":false},{"step_number":2,"tool_calls":[{"id":"c2","type":"function","function":{"name":"final_answer","arguments":{"answer":"It was lost."}}}],"observations":"It was lost.","action_output":"It was lost.","is_final_answer":true}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a  1#c2 final_answer{"answer":"It was lost."} | 1=It was lost.`}},
	{"code of smolagents", "action-steps", `{"agent":"CodeAgent","steps":[{"task":"How tall is the dam?"},{"step_number":1,"tool_calls":[{"id":"c1","type":"function","function":{"name":"python_interpreter","arguments":"h = height(7)"}}],"observations":"88"},{"step_number":2,"tool_calls":[{"id":"c2","type":"function","function":{"name":"python_interpreter","arguments":{"code":"1"}}}],"observations":"1"}]}`,
		[]string{`x: | u How tall is the dam? | a  0#c1 python_interpreter{"code":"h = height(7)"} | 0=88 | a  1#c2 python_interpreter{"code":"1"} | 1=1`}},
	{"Opik", "span-rows", `[{"id":"2","name":"chat_completion_create","type":"llm","trace_id":"t1","parent_span_id":"1","start_time":"2025-01-01T00:00:01Z","input":{"messages":[{"role":"user","content":"Where is order 7?"}],"tools":[]},"output":{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}}]}},{"id":"3","name":"find_order","type":"tool","trace_id":"t1","parent_span_id":"1","start_time":"2025-01-01T00:00:02Z","input":{"order_id":7},"output":{"output":"lost"}},{"id":"4","name":"chat_completion_create","type":"llm","trace_id":"t1","parent_span_id":"1","start_time":"2025-01-01T00:00:03Z","input":{"messages":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}]},"output":{"choices":[{"message":{"role":"assistant","content":"It was lost."}}]}}]`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"Weave", "span-rows", `{"id":"1","op_name":"weave:///e/p/op/agent:abc","trace_id":"t1","parent_id":null,"started_at":"2025-01-01T00:00:00Z","inputs":{"task":"Where is order 7?"},"output":"It was lost."}
{"id":"2","op_name":"weave:///e/p/op/openai.chat.completions.create:abc","trace_id":"t1","parent_id":"1","started_at":"2025-01-01T00:00:01Z","inputs":{"model":"gpt-4o","messages":[{"role":"user","content":"Where is order 7?"}],"tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object","properties":{}}}}]},"output":{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}}]}}
{"id":"3","op_name":"weave:///e/p/op/find_order:abc","trace_id":"t1","parent_id":"1","started_at":"2025-01-01T00:00:02Z","inputs":{"order_id":7},"output":"lost"}
{"id":"4","op_name":"weave:///e/p/op/openai.chat.completions.create:abc","trace_id":"t1","parent_id":"1","started_at":"2025-01-01T00:00:03Z","inputs":{"model":"gpt-4o","messages":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}]},"output":{"choices":[{"index":0,"message":{"role":"assistant","content":"It was lost."}}]}}`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost. -span span×2`}},
	{"Datadog", "span-rows", `{"data":[{"id":"1","type":"span","attributes":{"name":"agent","span_id":"1","trace_id":"t1","parent_id":"undefined","span_kind":"agent","input":{"value":"Where is order 7?"},"output":{"value":"It was lost."}}},{"id":"2","type":"span","attributes":{"name":"OpenAI.createChatCompletion","span_id":"2","trace_id":"t1","parent_id":"1","span_kind":"llm","start_ns":1,"input":{"messages":[{"role":"user","content":"Where is order 7?"}]},"output":{"messages":[{"role":"assistant","content":"","tool_calls":[{"name":"find_order","arguments":{"order_id":7},"tool_id":"k1","type":"function"}]}]}}},{"id":"3","type":"span","attributes":{"name":"find_order","span_id":"3","trace_id":"t1","parent_id":"1","span_kind":"tool","start_ns":2,"input":{"value":"{\"order_id\":7}"},"output":{"value":"lost"}}},{"id":"4","type":"span","attributes":{"name":"OpenAI.createChatCompletion","span_id":"4","trace_id":"t1","parent_id":"1","span_kind":"llm","start_ns":3,"input":{"messages":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":"","tool_calls":[{"name":"find_order","arguments":{"order_id":7},"tool_id":"k1","type":"function"}]},{"role":"tool","content":"lost","tool_id":"k1"}]},"output":{"messages":[{"role":"assistant","content":"It was lost."}]}}}]}`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"PostHog", "span-rows", `{"event":"$ai_generation","distinct_id":"u","timestamp":"2025-01-01T00:00:00Z","properties":{"$ai_trace_id":"t1","$ai_model":"gpt-4o","$ai_input":[{"role":"user","content":"Where is order 7?"}],"$ai_output_choices":[{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}],"$ai_tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object","properties":{"room":{"type":"string"}}}}}]}}
{"event":"$ai_generation","distinct_id":"u","timestamp":"2025-01-01T00:00:01Z","properties":{"$ai_trace_id":"t1","$ai_model":"gpt-4o","$ai_input":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}],"$ai_output_choices":[{"role":"assistant","content":"It was lost."}]}}`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"HoneyHive", "span-rows", `{"event_id":"1","session_id":"s1","event_type":"session","event_name":"run","inputs":{},"outputs":{},"start_time":1}
{"event_id":"2","session_id":"s1","parent_id":"1","event_type":"model","event_name":"openai.chat","config":{"model":"gpt-4o"},"inputs":{"chat_history":[{"role":"user","content":"Where is order 7?"}]},"outputs":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}]},"start_time":2}
{"event_id":"3","session_id":"s1","parent_id":"1","event_type":"tool","event_name":"find_order","inputs":{"order_id":7},"outputs":{"result":"lost"},"start_time":3}
{"event_id":"4","session_id":"s1","parent_id":"1","event_type":"model","event_name":"openai.chat","inputs":{"chat_history":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}]},"outputs":{"role":"assistant","content":"It was lost."},"start_time":4}`,
		[]string{`s1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a tool of Copilot that starts before its message", "copilot-cli", `{"type":"session.start","data":{"sessionId":"s1"}}
{"type":"tool.execution_start","data":{"toolCallId":"k1","toolName":"find_order","arguments":{"order_id":7}}}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"k1","name":"find_order","arguments":{"order_id":7}}]}}
{"type":"tool.execution_complete","data":{"toolCallId":"k1","success":true,"result":{"content":"lost"}}}`,
		[]string{`s1: | a  0#k1 find_order{"order_id":7} | 0=lost`}},
	{"Semantic Kernel before 1.16", "dotnet-messages", `[{"Role":{"Label":"assistant"},"Items":[{"$type":"FunctionCallContent","Id":"k1","PluginName":"Shop","FunctionName":"find","Arguments":{"order_id":7}},{"$type":"FunctionCallContent","Id":"k2","PluginName":"Shop","FunctionName":"now","Arguments":{}}]},{"Role":{"Label":"tool"},"Items":[{"$type":"TextContent","Text":"noon"}],"Metadata":{"ChatCompletionsToolCall.Id":"k2"}},{"Role":{"Label":"tool"},"Items":[{"$type":"TextContent","Text":"lost"},{"$type":"FunctionResultContent","CallId":"k1","PluginName":"Shop","FunctionName":"find","Result":"lost"}],"Metadata":{"ChatCompletionsToolCall.Id":"k1"}}]`,
		[]string{`x: | a  0#k1 Shop-find{"order_id":7} 1#k2 Shop-now{} | 1=noon | 0=lost`}},
	{"a row of Glaive", "glaive", `{"system":"SYSTEM: You are a helpful assistant with access to the following functions. Use them if required - {\"name\": \"find_order\", \"description\": \"Find an order\", \"parameters\": {\"type\": \"object\",\"properties\": {\"order_id\": {\"type\": \"integer\"}}}}","chat":"USER: Where is order 7?\n\n\nASSISTANT: <functioncall> {\"name\": \"find_order\", \"arguments\": '{\"order_id\": 7}'} <|endoftext|>\n\n\nFUNCTION RESPONSE: {\"status\": \"lost\"}\n\n\nASSISTANT: It was lost. <|endoftext|>\n\n\n"}`,
		[]string{`x: | s You are a helpful assistant with access to the following functions. Use them if required - {"name": "find_order", "description": "Find an order", "parameters": {"type": "object","properties": {"order_id": {"type": "integer"}}}} | u Where is order 7? | a  0# find_order{"order_id":7} | 0={"status": "lost"} | a It was lost. // call_without_id paired_by_order`}},
	{"results of BFCL", "bfcl-result", `{"id":"multi_turn_base_0","result":[[["cd(folder='document')"]],[["grep(file_name='a', pattern='b')"]]],"input_token_count":[[1]],"inference_log":[{"state_info":[]},{"begin_of_turn_query":[{"role":"user","content":"Move"}],"step_0":[{"role":"inference_input","content":""},{"role":"assistant","content":["cd(folder='document')"]},{"role":"handler_log","content":"ok"},{"role":"tool","content":"{\"current\": \"document\"}"}]}]}
{"id":"simple_0","result":[{"find_order":"{\"order_id\": 7}"}],"latency":1}
{"id":"multi_turn_1","result":[[["cd(folder='a')"],["done"]],[["ls()"]]],"latency":1}`,
		[]string{`multi_turn_base_0: | u Move | a  0# cd{"folder":"document"} | 0={"current": "document"} // call_without_id paired_by_order`, `simple_0: | a  0# find_order{"order_id":7} // call_without_id unanswered_call`, `multi_turn_1: | a  0# cd{"folder":"a"} | a done | a  1# ls{} // call_without_id call_without_id unanswered_call unanswered_call`}},
	{"steps of ai 4", "vercel-result", `{"text":"It was lost.","steps":[{"stepType":"initial","text":"","toolCalls":[{"type":"tool-call","toolCallId":"k1","toolName":"find_order","args":{"order_id":7}}],"toolResults":[{"type":"tool-result","toolCallId":"k1","toolName":"find_order","args":{"order_id":7},"result":"lost"}]},{"stepType":"tool-result","text":"It was lost.","toolCalls":[],"toolResults":[]}]}`,
		[]string{`x: | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"events that begin with a message", "event-log", `{"created_at":"2026-01-01T00:00:00Z","role":"user","message":"Where is order 7?"}
{"created_at":"2026-01-01T00:00:01Z","type":"function_call","function":{"name":"find_order"},"arguments":{"order_id":7}}
{"created_at":"2026-01-01T00:00:02Z","type":"function_result","name":"find_order","result":"lost"}
{"created_at":"2026-01-01T00:00:03Z","role":"assistant","content":"It was lost."}`,
		[]string{`x: | u Where is order 7? | a  0# find_order{"order_id":7} | 0=lost | a It was lost. // call_without_id paired_by_order`}},
	{"events of calls and returns", "event-log", `{"event":"session_start","session":"s9"}
{"event":"message","from":"customer","body":"Where is order 7?"}
{"event":"call","ref":"x","fn":"find_order","params":{"order_id":7}}
{"event":"return","ref":"x","value":"lost"}
{"event":"message","from":"agent","body":"It was lost."}`,
		[]string{`s9: | u Where is order 7? | a  0# find_order{"order_id":7} | 0=lost | a It was lost. // call_without_id paired_by_order`}},
}

func TestOtherLogs(t *testing.T) { readAgentLogs(t, otherLogs) }

// TestSpansInListsUnderNames: a wrapper may sort its spans into several lists, and a suggestion that reads the agent's
// side alone is none.
func TestSpansInListsUnderNames(t *testing.T) {
	span := func(id, attributes string) string {
		return `{"name":"n","context":{"trace_id":"t1","span_id":"` + id + `"},"attributes":{` + attributes + `}}`
	}
	log := `{"chat":[` + span("1", `"gen_ai.operation.name":"chat","gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",`+
		`\"content\":\"Where?\"}]}]","gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"k1\",`+
		`\"name\":\"find_order\",\"arguments\":{\"order_id\":7}}]}]"`) + `],"tool":[` + span("2", `"gen_ai.operation.name":"execute_tool",`+
		`"gen_ai.tool.call.id":"k1","gen_ai.tool.name":"find_order","gen_ai.tool.call.result":"lost"`) + `]}`
	lines, list := readText(t, "x.json", log, Options{})
	if len(list) != 1 || shown(list[0]) != `t1: | u Where? | a  0#k1 find_order{"order_id":7} | 0=lost` {
		t.Errorf("spans in two lists: %v", lines)
	}
	parts := `{"config":{"participants":[{"component_type":"agent","description":"plans","config":{"name":"a","model_client":{"x":1}}},` +
		`{"component_type":"agent","description":"books","config":{"name":"b","model_client":{"x":1}}}]}}`
	guess, err := GuessLog("x.json", strings.NewReader(parts))
	if err == nil {
		err = guess.Try(t.Context(), "x.json", strings.NewReader(parts))
	}
	if err != nil || guess.Map != nil {
		t.Errorf("parts of a team: %v, %v", guess.Map, err)
	}
}
