package format

import "testing"

// unseenLogs are forms that showed up in logs of programs after their readers were written.
var unseenLogs = []agentLog{
	{"Claude Code without sessions", "claude-code", `{"loglines":[{"type":"user","timestamp":"2026-01-01T00:00:00Z","message":{"content":"Where is order 7?"}},{"type":"assistant","timestamp":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"find_order","input":{"order_id":7}}]}},{"type":"user","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"lost"}]}}]}`,
		[]string{`x: | u Where is order 7? | a  0#t1 find_order{"order_id":7} | 0=lost`}},
	{"calls as lines of Claude Code", "claude-code", `{"type":"user","sessionId":"s1","message":{"role":"user","content":"Where is order 7?"},"uuid":"u1"}
{"type":"tool_use","sessionId":"s1","name":"find_order","input":{"order_id":7},"uuid":"u2"}
{"type":"tool_result","sessionId":"s1","name":"find_order","output":"lost","uuid":"u3"}`,
		[]string{`s1: | u Where is order 7? | a  0# find_order{"order_id":7} | 0=lost // call_without_id paired_by_order`}},
	{"lines of Qwen Code with one uuid", "qwen-code", `{"uuid":"u1","sessionId":"s1","type":"user","message":{"role":"user","parts":[{"text":"Where is order 7?"}]}}
{"uuid":"u2","sessionId":"s1","type":"assistant","message":{"role":"model","parts":[{"text":"Look.","thought":true}]}}
{"uuid":"u2","sessionId":"s1","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"k1","name":"find_order","args":{"order_id":7}}}]}}
{"uuid":"u2","sessionId":"s1","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"k1","name":"find_order","args":{"order_id":7}}}]}}`,
		[]string{`s1: | u Where is order 7? | (Look.) a  | a  0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"a search of Grok", "grok", `{"type":"user","content":[{"type":"text","text":"Where is order 7?"}]}
{"type":"backend_tool_call","kind":{"tool_type":"web_search","action":{"type":"search","query":"order 7"},"id":"ws1","status":"completed"}}
{"type":"assistant","content":"It was lost."}`,
		[]string{`x: | u Where is order 7? | a  0#ws1 web_search{"action":{"type":"search","query":"order 7"}} | a It was lost.`}},
	{"a request to LiteLLM with its settings", "request-response", `{"messages":[{"role":"user","content":"Where is order 7?"}],"kwargs":{"temperature":0},"response":{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}}]}}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"an evaluation of Azure", "request-response", `{"query":[{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]}],"response":[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"k1","name":"find_order","arguments":{"order_id":7}}]},{"tool_call_id":"k1","role":"tool","content":[{"type":"tool_result","tool_result":{"status":"lost"}}]}],"tool_definitions":[{"name":"find_order","parameters":{"type":"object"}}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0={"status":"lost"}`}},
	{"history of fast-agent", "openai-chat", `{"messages":[{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]},{"role":"assistant","content":[],"tool_calls":{"k1":{"method":"tools/call","params":{"name":"find_order","arguments":{"order_id":7}}}}},{"role":"user","content":[],"tool_results":{"k1":{"content":[{"type":"text","text":"lost"}],"isError":true}}}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0!=lost`}},
	{"steps of SWE-agent without a history in sight", "swe-agent", `{"trajectory":[{"action":"ls","observation":"a.py","response":"Look.","thought":"Look.","state":{}}],"info":{}}`,
		[]string{`x: | (Look.) a  0# action{"action":"ls"} | 0=a.py // call_without_id`}},
	{"spans of DeepEval for TypeScript", "deepeval-trace", `{"uuid":"t1","baseSpans":[],"llmSpans":[{"uuid":"a","type":"llm","startTime":"2026-01-01T00:00:00Z","input":{"args":[{"messages":[{"role":"user","content":"Where is order 7?"}],"tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object","properties":{"order_id":{},"place":{}}}}}]}]},"output":{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7,\"place\":\"x\"}"}}]}}]}}],"toolSpans":[{"uuid":"b","type":"tool","name":"find_order","startTime":"2026-01-01T00:00:01Z","input":{"args":[7,"x"]},"output":"lost"}]}`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7,"place":"x"} | 0=lost`}},
	{"lists of messages under names", "named-conversations", `{"put":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"put","arguments":"{}"}}]}],"take":[{"role":"user","content":"go"}]}`,
		[]string{`put: | u go | a  0#k1 put{} // unanswered_call`, `take: | u go`}},
	{"events of a home-made log with short ids, results in another order", "event-log", `{"v":1,"run":"r-17"}
{"t":1,"ev":"user","msg":"Where?"}
{"t":2,"ev":"tool_call","tool":"find_order","args":{"order_id":7},"cid":"a"}
{"t":3,"ev":"tool_call","tool":"find_order","args":{"order_id":8},"cid":"b"}
{"t":4,"ev":"tool_result","cid":"b","data":{"state":"late"}}
{"t":5,"ev":"tool_result","cid":"a","data":{"state":"lost"}}
{"t":6,"ev":"assistant","msg":"It was lost."}`,
		[]string{`x: | u Where? | a  0#a find_order{"order_id":7} 1#b find_order{"order_id":8} | 1={"state":"late"} | 0={"state":"lost"} | a It was lost. -event ×1`}},
	{"a rollout of Codex with its calls, an answer, and events of both", "codex", `{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{"id":"r1","cwd":"/shop","cli_version":"0.42.0"}}
{"timestamp":"2026-01-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Where?"}]}}
{"timestamp":"2026-01-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}
{"timestamp":"2026-01-01T10:00:03Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c1","command":["ls"],"aggregated_output":"7","exit_code":0}}
{"timestamp":"2026-01-01T10:00:04Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"7"}}
{"timestamp":"2026-01-01T10:00:05Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"There."}]}}
{"timestamp":"2026-01-01T10:00:06Z","type":"event_msg","payload":{"type":"agent_message","message":"There."}}`,
		[]string{`r1: | u Where? | a  0#c1 shell{"command":["ls"]} | 0=7 | a There. -event_msg×2`}},
	{"Glaive with a text before a call, and a call that cannot be read", "glaive", `{"system":"SYSTEM: You may use {} these functions: {\"name\": \"find_order\", \"parameters\": {\"type\": \"object\"}}","chat":"USER: Where is order 7?\n\n\nASSISTANT: I look. <functioncall> {\"name\": \"find_order\", \"arguments\": '{\"order_id\": 7}'} <|endoftext|>\n\n\nFUNCTION RESPONSE: lost\n\n\nASSISTANT: <functioncall> {\"name\": \"refund <|endoftext|>\n\n\nUSER: So?\n\n\nASSISTANT: <functioncall> {\"order_id\": 7} <|endoftext|>\n\n\n"}`,
		[]string{`x: | s You may use {} these functions: {"name": "find_order", "parameters": {"type": "object"}} | u Where is order 7? | a I look. 0# find_order{"order_id":7} | 0=lost | a  {"name": "refund | u So? | a  {"order_id": 7} // text_call_not_read text_call_not_read call_without_id paired_by_order`}},
	{"a call whose id comes after its name", "event-stream", `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"type":"function","function":{"name":"find_order","arguments":""}}]}}]}
{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k1","function":{"arguments":"{\"order_id\":7}"}}]}}]}
{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k2","function":{"name":"now","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		[]string{`x: | a  0#k1 find_order{"order_id":7} 1#k2 now{} // unanswered_call unanswered_call`}},
	{"a reply of Ollama", "event-stream", `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"I ","thinking":"Whe"},"done":false}
{"model":"m","created_at":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":"look.","thinking":"re?","tool_calls":[{"function":{"name":"find_order","arguments":{"order_id":7}}}]},"done":true}`,
		[]string{`x: | (Where?) a I look. 0# find_order{"order_id":7} // call_without_id unanswered_call`}},
	{"chunks of Gemini", "event-stream", `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find_order","willContinue":true}}]}}],"responseId":"r1"}
{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.orders[0].name","stringValue":"a","willContinue":true}],"willContinue":true}}]}}],"responseId":"r1"}
{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.orders[0].name","stringValue":"b"},{"jsonPath":"$.orders[0].id","numberValue":7}]}}]}}],"responseId":"r1"}
{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"now","args":{}}}]},"finishReason":"STOP"}],"responseId":"r1"}
{"candidates":[{"content":{"role":"model","parts":[{"text":"It was lost."}]},"finishReason":"STOP"}],"responseId":"r2"}`,
		[]string{`x: | a  0# find_order{"orders":[{"name":"ab","id":7}]} 1# now{} | a It was lost. // call_without_id call_without_id unanswered_call unanswered_call`}},
	{"steps of a streamed interaction", "event-stream", `{"interaction":{"id":"v1_a","status":"in_progress","object":"interaction"},"event_type":"interaction.created"}
{"index":0,"step":{"id":"k1","type":"function_call","name":"find_order","arguments":{}},"event_type":"step.start"}
{"index":0,"delta":{"arguments":"{\"order_id\":7}","type":"arguments_delta"},"event_type":"step.delta"}
{"index":1,"step":{"id":"g1","type":"google_search_call"},"event_type":"step.start"}
{"index":1,"delta":{"type":"google_search_call","arguments":{"queries":["order 7"]}},"event_type":"step.delta"}
{"interaction":{"id":"v1_a","status":"requires_action","object":"interaction"},"event_type":"interaction.completed"}`,
		[]string{`v1_a: | a  0#k1 find_order{"order_id":7} 1#g1 google_search{"queries":["order 7"]} // unanswered_call`}},
	{"calls that Anthropic's server ran, in order", "event-stream", `{"type":"message_start","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t0","name":"roll","input":{}}]}}
{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"bash_code_execution","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}}
{"type":"content_block_stop","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"bash_code_execution","input":{"command":"ls"}}}
{"type":"content_block_start","index":1,"content_block":{"type":"bash_code_execution_tool_result","tool_use_id":"s1","content":{"stdout":"a"}}}
{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"find_order","input":{}}}`,
		[]string{`m1: | a  0#t0 roll{} 1#s1 bash_code_execution{"command":"ls"} | 1={"stdout":"a"} | a  2#t1 find_order{} // unanswered_call unanswered_call`}},
}

// TestUnseenLogs: each of these was refused or read wrong once.
func TestUnseenLogs(t *testing.T) { readAgentLogs(t, unseenLogs) }
