package format

import "testing"

// replyLogs are replies, streams and records of frameworks, each in the form of its producer.
var replyLogs = []agentLog{
	{"server-sent events of OpenAI chat", "event-stream", `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"some-model","choices":[{"index":0,"delta":{"role":"assistant","content":"I "},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"look."},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"find_order","arguments":""}}]}}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"order_id\":"}}]}}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"7}"}},{"index":1,"id":"k2","type":"function","function":{"name":"now","arguments":"{}"}}]}}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"another choice"}}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]
`, []string{`chatcmpl-1: | a I look. 0#k1 find_order{"order_id":7} 1#k2 now{} // unanswered_call unanswered_call`}},
	{"a stream of UI messages", "event-stream", `data: {"type":"start","messageId":"m1"}

data: {"type":"start-step"}

data: {"type":"reasoning-start","id":"0"}

data: {"type":"reasoning-delta","id":"0","delta":"Look."}

data: {"type":"text-start","id":"0"}

data: {"type":"text-delta","id":"0","delta":"I "}

data: {"type":"text-delta","id":"0","delta":"look."}

data: {"type":"tool-input-start","toolCallId":"k1","toolName":"find_order"}

data: {"type":"tool-input-delta","toolCallId":"k1","inputTextDelta":"{\"order_"}

data: {"type":"tool-input-available","toolCallId":"k1","toolName":"find_order","input":{"order_id":7}}

data: {"type":"tool-output-available","toolCallId":"k1","output":"loo","preliminary":true}

data: {"type":"tool-output-available","toolCallId":"k1","output":"lost"}

data: {"type":"finish-step"}

data: {"type":"start-step"}

data: {"type":"text-start","id":"0"}

data: {"type":"text-delta","id":"0","delta":"Lost."}

data: {"type":"finish"}

data: {"type":"start","messageId":"m2"}

data: {"type":"tool-input-start","toolCallId":"k2","toolName":"now"}

data: {"type":"tool-input-delta","toolCallId":"k2","inputTextDelta":"{}"}

data: {"type":"tool-output-error","toolCallId":"k2","errorText":"no clock"}

data: [DONE]
`, []string{`m1: | (Look.) a I look. 0#k1 find_order{"order_id":7} | 0=lost | a Lost. | a  1#k2 now{} | 1!=no clock`}},
	{"the states of a UI message", "vercel-ui-messages", `[{"writes":[{"id":"m1","role":"assistant","parts":[]},{"id":"m1","role":"assistant","parts":[{"type":"text","text":"I"}]},
{"id":"m1","role":"assistant","parts":[{"type":"text","text":"I look."},{"type":"tool-now","toolCallId":"k1","state":"input-available","input":{}}]},
{"id":"m1","role":"assistant","parts":[{"type":"text","text":"I look."},{"type":"tool-now","toolCallId":"k1","state":"output-available","input":{},"output":"noon"}]}]}]`,
		[]string{`x: | a I look. 0#k1 now{} | 0=noon -earlier state of a message×3`}},
	{"chunks whose calls have one index", "event-stream", `{"id":"c2","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k1","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}
{"id":"c2","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k2","function":{"name":"f","arguments":"{\"a\":2}"}}]}}]}
{"id":"c3","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Lost."}}]}`,
		[]string{`c2: | a  0#k1 f{"a":1} 1#k2 f{"a":2} // unanswered_call unanswered_call`, `c3: | a Lost.`}},
	{"events of OpenAI Responses", "event-stream", `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}
{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"k1","name":"find_order","arguments":""}}
{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"fc_1","delta":"{\"order_id\":7}"}
{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}}
{"type":"response.completed","sequence_number":4,"response":{"id":"resp_1","object":"response","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"I look."}]},{"type":"function_call","id":"fc_1","call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}],"tools":[{"type":"function","name":"find_order","parameters":{"type":"object"}}]}}`,
		[]string{`resp_1: | a I look. 0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"events of Anthropic, two replies", "event-stream", `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-opus-5","stop_reason":null}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Look."}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look."}}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"find_order","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"order_id\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":": 7}"}}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"now","input":{}}}

event: message_stop
data: {"type":"message_stop"}

event: message_start
data: {"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","content":[]}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Lost."}}
`, []string{`msg_1: | (Look.) a I look. 0#t1 find_order{"order_id":7} 1#t2 now{} | a Lost. // unanswered_call unanswered_call`}},
	{"events of Cohere v2", "event-stream", `{"type":"message-start","id":"co1","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}
{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I look."}}}
{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"find_order_k1","type":"function","function":{"name":"find_order","arguments":""}}}}}
{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"order_id\": 7}"}}}}}
{"type":"tool-call-end","index":0}
{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"One moment."}}}}
{"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"billed_units":{"input_tokens":5}}}}`,
		[]string{`co1: | (I look.) a One moment. 0#find_order_k1 find_order{"order_id":7} // unanswered_call`}},
	{"events of Bedrock", "event-stream", `[{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"I look."}}},{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"k1","name":"find_order"}}}},{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"order_id\":7}"}}}},{"messageStop":{"stopReason":"tool_use"}}]`,
		[]string{`x: | a I look. 0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"reply of Cohere v2", "cohere", `{"id":"co2","finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"I look.","tool_calls":[{"id":"find_order_k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\": 7}"}}],"citations":[]},"usage":{"billed_units":{"input_tokens":12}}}`,
		[]string{`co2: | (I look.) a  0#find_order_k1 find_order{"order_id":7} // unanswered_call`}},
	{"an interaction of Gemini", "gemini-interactions", `{"id":"v1_abc","status":"requires_action","input":"Where is order 7?","outputs":[{"signature":"x","type":"thought"},{"type":"google_search_call","id":"g1","arguments":{"queries":["order 7"]}},{"type":"google_search_result","call_id":"g1","result":[{"title":"none"}]},{"type":"text","text":"I look."},{"name":"find_order","arguments":{"order_id":7},"type":"function_call","id":"k1"}],"role":"model","object":"interaction","model":"gemini-3-flash"}`,
		[]string{`v1_abc: | u Where is order 7? | a  0#g1 google_search{"queries":["order 7"]} | 0=[{"title":"none"}] | a I look. 1#k1 find_order{"order_id":7} // unanswered_call`}},
	{"steps of an interaction of Gemini", "gemini-interactions", `{"id":"v1_def","status":"completed","object":"interaction","steps":[{"type":"user_input","content":[{"type":"text","text":"Where is order 7?"}]},{"type":"function_call","id":"k1","name":"find_order","arguments":{"order_id":7}},{"type":"function_result","call_id":"k1","name":"find_order","result":"lost","is_error":true},{"type":"model_output","content":[{"type":"text","text":"It was lost."}]}]}`,
		[]string{`v1_def: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0!=lost | a It was lost.`}},
	{"replies that are texts", "request-response", `{"request":{"messages":[{"role":"user","content":"Where is order 7?"}]},"response":"[find_order(order_id=7)]"}
{"prompt":"Where is order 7?","response":"It was lost."}`,
		[]string{`x: | u Where is order 7? | a  0# find_order{"order_id":7} // call_without_id unanswered_call`, `x: | u Where is order 7? | a It was lost.`}},
	{"a reply of events that are cut", "http-exchanges", `[{"url":"u","status":200,"request":{"messages":[{"role":"user","content":"Where is order 7?"}]},"response":"data: {\"choices\":[{\"delta\""}]`,
		[]string{`x: | u Where is order 7? // stream_not_read`}},
	{"a HAR file", "http-exchanges", `{"log":{"version":"1.2","creator":{"name":"some-browser"},"entries":[{"request":{"method":"GET","url":"https://host/page"},"response":{"status":200,"content":{"mimeType":"text/html","text":""}}},{"request":{"method":"POST","url":"https://host/v1/chat/completions","postData":{"mimeType":"application/json","text":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where is order 7?\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"parameters\":{\"type\":\"object\"}}}]}"}},"response":{"status":200,"content":{"mimeType":"application/json","encoding":"base64","text":"eyJjaG9pY2VzIjpbeyJtZXNzYWdlIjp7InJvbGUiOiJhc3Npc3RhbnQiLCJjb250ZW50IjpudWxsLCJ0b29sX2NhbGxzIjpbeyJpZCI6ImsxIiwidHlwZSI6ImZ1bmN0aW9uIiwiZnVuY3Rpb24iOnsibmFtZSI6ImZpbmRfb3JkZXIiLCJhcmd1bWVudHMiOiJ7XCJvcmRlcl9pZFwiOjd9In19XX19XX0="}}},{"request":{"method":"POST","url":"https://host/v1/chat/completions","postData":{"mimeType":"application/json","text":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where is order 7?\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"arguments\":\"{\\\"order_id\\\":7}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"k1\",\"content\":\"lost\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"parameters\":{\"type\":\"object\"}}}]}"}},"response":{"status":200,"content":{"mimeType":"text/event-stream","text":"data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"It was \"}}]}\n\ndata: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"lost.\"}}]}\n\ndata: [DONE]\n\n"}}}]}}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a recording of nock", "http-exchanges", `[{"scope":"https://host:443","method":"POST","path":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"Where is order 7?"}],"tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object"}}}]},"status":200,"response":["1f8b08000000000002033d8d410e42210c44af42ba76e3ca84abf80d6900bf44680d948521dc5dfa35265d4ca7d33703fc83938f0dacb90e28b135dce35a0654ce2a005b4b4d90044e063c93c425ada19ef33284393b8f39ff0829e8cff3ac6179bf0ec2bd9397c4a4de5f6b0561f9061205c735c4aa11ac7b2fab44893036380e2e850dec65c29c379d0f8038c4dab9000000"],"rawHeaders":["Content-Encoding","gzip"]},{"scope":"https://host:443","method":"POST","path":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}],"tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object"}}}]},"status":200,"response":{"choices":[{"message":{"role":"assistant","content":"It was lost."}}]}}]`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a cassette of go-vcr as YAML, with marks of a cache that move", "http-exchanges", `---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        body: '{"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Where is order 7?","cache_control":{"type":"ephemeral"}}]}]}'
        url: https://host/v1/messages
        method: POST
      response:
        body: |+
            event: message_start
            data: {"type":"message_start","message":{"id":"m1","role":"assistant","content":[]}}

            data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}

            data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"k1","name":"find_order","input":{}}}

            data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"order_id\": 7}"}}

        status: 200 OK
        code: 200
    - id: 1
      request:
        method: POST
        url: https://host/v1/messages
        body: '{"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]},{"role":"assistant","content":[{"type":"tool_use","id":"k1","name":"find_order","input":{"order_id":7}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"k1","content":"lost"}]}]}'
      response:
        body: '{"type":"message","role":"assistant","content":[{"type":"text","text":"It was lost."}],"stop_reason":"end_turn"}'
        code: 200
recorded_at: 2026
`, []string{"x: | s Be brief. | u Where is order 7? | a I look. 0#k1 find_order{\"order_id\":7} | 0=lost | a It was lost. // separate_history"}},
	{"a cassette of vcrpy as YAML, one question asked twice", "http-exchanges", `interactions:
- request: &same
    method: POST
    uri: https://host/v1/chat/completions
    body: '{"messages":[{"role":"user","content":"Now?"}]}'
  response:
    status: {code: 200, message: OK}
    parsed_body: {choices: [{message: {role: assistant, content: ~, tool_calls: [{id: k1, type: function, function: {name: now, arguments: '{}'}}]}}]}
- request:
    method: POST
    uri: https://host/v1/chat/completions
    parsed_body: &asked {messages: [{role: user, content: 'Now?'}, {role: assistant, content: ~, tool_calls: [{id: k1, type: function, function: {name: now, arguments: '{}'}}]}, {role: tool, tool_call_id: k1, content: "12"}]}
    again: *asked
  response: {status: {code: 200}, parsed_body: {choices: [{message: {role: assistant, content: Noon.}}]}}

- request:
    method: POST
    uri: https://host/v1/chat/completions
    parsed_body: {messages: [{role: user, content: 'Now?'}, {role: assistant, content: ~, tool_calls: [{id: k2, type: function, function: {name: now, arguments: '{}'}}]}, {role: tool, tool_call_id: k2, content: "12"}]}
  response: {status: {code: 200}, parsed_body: {choices: [{message: {role: assistant, content: Noon}}]}}
version: 1
`, []string{"x: | u Now? | a  0#k1 now{} | 0=12 | a Noon. | a  1#k2 now{} | 1=12 | a Noon // separate_history repeated_call"}},
	{"a recording in which another agent takes over", "http-exchanges", `interactions:
- request: {method: POST, uri: 'https://host/v1/chat/completions', body: '{"messages":[{"role":"system","content":"You route."},{"role":"user","content":"Refund 7"}],"tools":[{"type":"function","function":{"name":"transfer_to_refunds"}}]}'}
  response: {status: {code: 200}, body: {string: '{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"transfer_to_refunds","arguments":"{}"}}]}}]}'}}
- request: {method: POST, uri: 'https://host/v1/chat/completions', body: '{"messages":[{"role":"system","content":"You refund."},{"role":"user","content":"Refund 7"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"transfer_to_refunds","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k1","content":"ok"}]}'}
  response: {status: {code: 200}, body: {string: '{"choices":[{"message":{"role":"assistant","content":"Done."}}]}'}}
`, []string{"x: | s You route. | u Refund 7 | a  0#k1 transfer_to_refunds{} | s You refund. | 0=ok | a Done. // separate_history"}},
	{"a recording of the Claude Agent SDK", "claude-stream", `{"metadata":{"cli_version":"2.1"},"messages":[{"direction":"send","message":{"type":"control_request","request":{"subtype":"initialize"}}},{"direction":"send","message":{"type":"user","message":{"role":"user","content":"Now?"},"parent_tool_use_id":null,"session_id":"default"}},{"direction":"recv","message":{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"k1","name":"now","input":{}}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1"}},{"direction":"recv","message":{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"k1","content":"12"}]},"session_id":"s1","uuid":"u2"}},{"direction":"recv","message":{"type":"result","session_id":"s1","num_turns":1}}]}`,
		[]string{`default: | u Now? | a  0#k1 now{} | 0=12`}},
	{"interactions of VCR", "http-exchanges", `{"version":1,"interactions":[{"request":{"method":"POST","uri":"https://host/v1/chat/completions","body":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where is order 7?\"}]}"},"response":{"status":{"code":200,"message":"OK"},"body":{"string":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"arguments\":\"{\\\"order_id\\\":7}\"}}]}}]}"}}},{"request":{"method":"POST","uri":"https://host/v1/chat/completions","body":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where is order 7?\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"arguments\":\"{\\\"order_id\\\":7}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"k1\",\"content\":\"lost\"}]}"},"response":{"status":{"code":500,"message":"Lost"},"body":{"string":"no"}}}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost // run_error`}},
	{"a reply alone", "http-exchanges", `{"status":200,"headers":{"content-type":"application/json"},"body":"{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"tool_use\",\"content\":[{\"type\":\"tool_use\",\"id\":\"k1\",\"name\":\"find_order\",\"input\":{\"order_id\":7}}]}"}`,
		[]string{`x: | a  0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"a reply in the place of one", "http-exchanges", `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find_order","args":{"order_id":7}}}]}}]},{"candidates":[{"content":{"role":"model","parts":[{"text":"I look."}]},"finishReason":"STOP"}]}]}`,
		[]string{`x: | a I look. 0# find_order{"order_id":7} // call_without_id unanswered_call`}},
	{"a stream of LangGraph", "langgraph-stream", `event: metadata
data: {"run_id":"r1","attempt":1}

event: values
data: {"messages":[{"type":"human","id":"m1","content":"Where is order 7?"}]}

event: messages/partial
data: [{"type":"ai","id":"m2","content":[{"type":"tool_use","id":"k1","name":"find_order","partial_json":"{\"ord"}],"tool_calls":[{"name":"find_order","args":{},"id":"k1","type":"tool_call"}]}]

event: messages/partial
data: [{"type":"ai","id":"m2","content":[{"type":"tool_use","id":"k1","name":"find_order","partial_json":"{\"order_id\":7}"}],"tool_calls":[{"name":"find_order","args":{"order_id":7},"id":"k1","type":"tool_call"}]}]

event: updates
data: {"tools":{"messages":[{"type":"tool","id":"m3","tool_call_id":"k1","content":"lost"}]}}

event: messages
data: [{"type":"AIMessageChunk","id":"m4","content":"It was ","tool_call_chunks":[]},{"langgraph_node":"agent"}]

event: messages
data: [{"type":"AIMessageChunk","id":"m4","content":[{"type":"text","text":"lost."}],"tool_call_chunks":[{"name":"now","args":"{","id":"k2","index":0}]},{"langgraph_node":"agent"}]

event: messages
data: [{"type":"AIMessageChunk","id":"m4","content":"","tool_call_chunks":[{"name":null,"args":"}","id":null,"index":0}]},{"langgraph_node":"agent"}]
`, []string{`r1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost. 1#k2 now{} // unanswered_call`}},
	{"a recording of Llama Stack", "http-exchanges", `{"test_id":"test_tools[some-model]","request":{"method":"POST","url":"http://0.0.0.0:11434/v1/chat/completions","headers":{},"body":{"model":"some-model","messages":[{"role":"user","content":"Where is order 7?"}],"stream":true,"tools":[{"type":"function","function":{"name":"find_order","parameters":{"type":"object","properties":{}}}}]},"endpoint":"/v1/chat/completions","model":"some-model"},"response":{"body":[{"__type__":"openai.types.chat.chat_completion_chunk.ChatCompletionChunk","__data__":{"id":"rec-1","choices":[{"delta":{"content":"","tool_calls":[{"index":0,"id":"k1","function":{"arguments":"{\"order_id\":7}","name":"find_order"},"type":"function"}]},"index":0}],"object":"chat.completion.chunk"}},{"__type__":"openai.types.chat.chat_completion_chunk.ChatCompletionChunk","__data__":{"id":"rec-1","choices":[{"delta":{"content":""},"finish_reason":"tool_calls","index":0}],"object":"chat.completion.chunk"}}],"is_streaming":true}}`,
		[]string{`test_tools[some-model]: | u Where is order 7? | a  0#k1 find_order{"order_id":7} // unanswered_call`}},
	{"a recorded stream of Messages", "http-exchanges", `{"test_id":"m","request":{"url":"http://host/v1/messages","method":"POST","payload":{"messages":[{"role":"user","content":"Where is order 7?"}],"stream":true}},"response":{"body":["event: content_block_start","data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"find_order\",\"input\":{}}}","","event: content_block_delta","data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"order_id\\\":7}\"}}",""],"is_streaming":true}}`,
		[]string{`m: | u Where is order 7? | a  0#t1 find_order{"order_id":7} // unanswered_call`}},
	{"state of a run of the OpenAI Agents SDK", "openai-agents-state", `{"$schemaVersion":"1.0","currentTurn":2,"currentAgent":{"name":"shop"},"originalInput":[{"type":"message","role":"user","content":"Where is order 7?"}],"modelResponses":[{"usage":{},"output":[],"responseId":"resp_1"}],"generatedItems":[{"type":"tool_call_item","rawItem":{"type":"function_call","id":"fc_1","callId":"k1","name":"find_order","status":"completed","arguments":"{\"order_id\":7}"},"agent":{"name":"shop"}},{"type":"tool_call_output_item","rawItem":{"type":"function_call_result","name":"find_order","callId":"k1","status":"completed","output":{"type":"text","text":"lost"}},"agent":{"name":"shop"},"output":"lost"},{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"k2","name":"refund","arguments":"{}"},"agent":{"name":"shop"}},{"type":"tool_approval_item","rawItem":{"type":"function_call","callId":"k2","name":"refund","arguments":"{}"},"agent":{"name":"shop"}}],"lastProcessedResponse":null}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a  1#k2 refund{} // unanswered_call`}},
	{"rounds of OWL", "camel", `[{"user":"Instruction: find order 7","assistant":"Solution: It was lost. Next request.","tool_calls":[{"tool_name":"find_order","args":{"order_id":7},"result":{"status":"lost"},"tool_call_id":"k1"},{"tool_name":"now","args":{},"result":"noon","tool_call_id":"k2"}]},{"user":"Instruction: finish","assistant":"TASK_DONE","tool_calls":[]}]`,
		[]string{`x: | u Instruction: find order 7 | a  0#k1 find_order{"order_id":7} 1#k2 now{} | 0={"status":"lost"} | 1=noon | a Solution: It was lost. Next request. | u Instruction: finish | a TASK_DONE`}},
	{"agent file of Letta", "letta", `{"agents":[{"name":"shop","agent_type":"memgpt_agent","system":"You are a shop.","llm_config":{"model":"some-model"},"messages":[{"type":"message","role":"system","content":[{"type":"text","text":"You are a shop."}],"id":"message-0"},{"type":"message","role":"user","content":[{"type":"text","text":"Where is order 7?"}],"id":"message-1"},{"type":"message","role":"assistant","content":[{"type":"text","text":"Look."}],"id":"message-2","tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"type":"message","role":"tool","content":[{"type":"text","text":"{\"status\":\"OK\",\"message\":\"lost\"}"}],"id":"message-3","tool_call_id":"k1","name":"find_order"}],"files_agents":[]}],"groups":[],"blocks":[],"tools":[{"id":"tool-0","name":"find_order"}]}`,
		[]string{`shop: | s You are a shop. | u Where is order 7? | a Look. 0#k1 find_order{"order_id":7} | 0={"status":"OK","message":"lost"}`}},
	{"a thread of the Assistants API, newest first", "openai-assistants", `{"object":"list","data":[{"id":"msg_2","object":"thread.message","created_at":1700000013,"thread_id":"t1","role":"assistant","content":[{"type":"text","text":{"value":"It was lost.","annotations":[]}}]},{"id":"step_1","object":"thread.run.step","created_at":1700000012,"thread_id":"t1","run_id":"r1","type":"tool_calls","step_details":{"type":"tool_calls","tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}","output":"lost"}},{"id":"k2","type":"code_interpreter","code_interpreter":{"input":"1+1","outputs":[{"type":"logs","logs":"2"}]}}]}},{"id":"r1","object":"thread.run","created_at":1700000011,"thread_id":"t1","status":"requires_action","instructions":"Be brief.","tools":[],"required_action":{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}},{"id":"k3","type":"function","function":{"name":"now","arguments":"{}"}}]}}},{"id":"msg_1","object":"thread.message","created_at":1700000011,"thread_id":"t1","role":"user","content":[{"type":"text","text":{"value":"Where is order 7?","annotations":[]}}]}]}`,
		[]string{`t1: | s Be brief. | u Where is order 7? | a  0#k1 find_order{"order_id":7} 1#k2 code_interpreter{"input":"1+1"} | 0=lost | 1=2 | a It was lost. | a  2#k3 now{} // unanswered_call`}},
	{"events of a streamed run of the Assistants API", "openai-assistants", `event: thread.message.created
data: {"id":"m1","object":"thread.message","created_at":1,"thread_id":"t1","role":"assistant","content":[]}

event: thread.message.delta
data: {"id":"m1","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"No"}}]}}

event: thread.message.completed
data: {"id":"m1","object":"thread.message","created_at":1,"thread_id":"t1","role":"assistant","content":[{"type":"text","text":{"value":"Noon."}}]}

event: done
data: [DONE]
`, []string{`t1: | a Noon.`}},
	{"a data row of promptflow", "promptflow", `{"chat_history":[{"inputs":{"question":"Where is order 7?"},"outputs":{"answer":"lost","llm_output":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}}}],"question":"And order 8?"}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | a lost | u And order 8? // unanswered_call`}},
	{"a chat history of promptflow", "promptflow", `[{"inputs":{"question":"Where is order 7?"},"outputs":{"answer":"lost","llm_output":{"role":"assistant","content":null,"function_call":{"name":"find_order","arguments":"{}"}}}},{"inputs":{"question":"Thanks"},"outputs":{"answer":"Bye.","llm_output":{"role":"assistant","content":"Bye."}}}]`,
		[]string{`x: | u Where is order 7? | a  0# find_order{} | a lost | u Thanks | a Bye. // call_without_id unanswered_call`}},
	{"rows of Braintrust", "braintrust", `{"events":[{"id":"1","span_id":"a","root_span_id":"a","span_parents":[],"created":"2026-01-01T00:00:00Z","span_attributes":{"name":"agent","type":"task"},"input":"Where is order 7?","output":"It was lost.","scores":{"Correct":1},"metadata":{}},{"id":"2","span_id":"b","root_span_id":"a","span_parents":["a"],"created":"2026-01-01T00:00:01Z","span_attributes":{"name":"chat","type":"llm"},"input":[{"role":"user","content":"Where is order 7?"}],"output":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}}],"metadata":{"model":"some-model"}},{"id":"3","span_id":"c","root_span_id":"a","span_parents":["a"],"created":"2026-01-01T00:00:02Z","span_attributes":{"name":"find_order","type":"tool"},"input":{"order_id":7},"output":"lost"},{"id":"4","span_id":"d","root_span_id":"a","span_parents":["a"],"created":"2026-01-01T00:00:03Z","span_attributes":{"name":"chat","type":"llm"},"input":[{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"lost"}],"output":[{"index":0,"message":{"role":"assistant","content":"It was lost."}}]}]}`,
		[]string{`a: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"events of AG-UI", "event-stream", `{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"I "}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"look."}
{"type":"TEXT_MESSAGE_END","messageId":"m1"}
{"type":"TOOL_CALL_START","toolCallId":"k1","toolCallName":"find_order","parentMessageId":"m1"}
{"type":"TOOL_CALL_ARGS","toolCallId":"k1","delta":"{\"order_"}
{"type":"TOOL_CALL_ARGS","toolCallId":"k1","delta":"id\":7}"}
{"type":"TOOL_CALL_END","toolCallId":"k1"}
{"type":"TOOL_CALL_RESULT","messageId":"m2","toolCallId":"k1","content":"lost","role":"tool"}
{"type":"TEXT_MESSAGE_START","messageId":"m3","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m3","delta":"It was lost."}
{"type":"TEXT_MESSAGE_END","messageId":"m3"}
{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`,
		[]string{`t1: | a I look. 0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"events of a realtime session", "openai-realtime", `{"type":"session.created","event_id":"e0","session":{"id":"s1","instructions":"Be brief.","tools":[{"type":"function","name":"find_order","parameters":{"type":"object"}}]}}
{"type":"conversation.item.created","event_id":"e1","item":{"id":"i1","type":"message","role":"user","content":[{"type":"input_text","text":"Where is order 7?"}]}}
{"type":"conversation.item.create","event_id":"c1","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Where is order 7?"}]}}
{"type":"response.function_call_arguments.done","event_id":"e2","response_id":"r1","item_id":"i2","output_index":0,"call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}
{"type":"response.output_item.done","event_id":"e3","response_id":"r1","output_index":0,"item":{"id":"i2","type":"function_call","call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}}
{"type":"response.done","event_id":"e4","response":{"id":"r1","status":"completed","output":[{"id":"i2","type":"function_call","call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"}]}}
{"type":"conversation.item.created","event_id":"e5","item":{"id":"i3","type":"function_call_output","call_id":"k1","output":"lost"}}
{"type":"response.done","event_id":"e6","response":{"id":"r2","status":"completed","output":[{"id":"i4","type":"message","role":"assistant","content":[{"type":"audio","transcript":"It was lost."}]}]}}`,
		[]string{`s1: | s Be brief. | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a call of ElevenLabs' agents", "wrapped-messages", `{"conversation_id":"c1","agent_id":"a","status":"done","transcript":[{"role":"user","message":"Where is order 7?","tool_calls":[],"tool_results":[],"time_in_call_secs":1},{"role":"agent","message":null,"tool_calls":[{"type":"webhook","request_id":"k1","tool_name":"find_order","params_as_json":"{\"order_id\":7}","tool_has_been_called":true}],"tool_results":[]},{"role":"agent","message":null,"tool_calls":[],"tool_results":[{"request_id":"k1","tool_name":"find_order","result_value":"lost","is_error":false,"tool_has_been_called":true}]},{"role":"agent","message":"It was lost.","tool_calls":[],"tool_results":[]}]}`,
		[]string{`c1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a call of Vapi", "openai-chat", `{"id":"c1","messages":[{"role":"system","message":"Be brief."},{"role":"user","message":"Where is order 7?","time":1},{"role":"tool_calls","toolCalls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}],"time":2},{"role":"tool_call_result","name":"find_order","toolCallId":"k1","result":"lost","time":3},{"role":"bot","message":"It was lost.","time":4}]}`,
		[]string{`c1: | s Be brief. | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a call of Retell", "event-log", `{"call_id":"c1","transcript":"User: Where is order 7?\nAgent: It was lost.","transcript_with_tool_calls":[{"role":"user","content":"Where is order 7?","words":[]},{"role":"tool_call_invocation","tool_call_id":"k1","name":"find_order","arguments":"{\"order_id\":7}"},{"role":"tool_call_result","tool_call_id":"k1","content":"lost"},{"role":"agent","content":"It was lost.","words":[]}]}`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a session of LiveKit", "wrapped-messages", `{"items":[{"id":"i0","type":"message","role":"system","content":["Be brief."],"interrupted":false},{"id":"i1","type":"message","role":"user","content":["Where is order 7?"],"interrupted":false},{"id":"i2","type":"function_call","call_id":"k1","arguments":"{\"order_id\":7}","name":"find_order"},{"id":"i3","name":"find_order","type":"function_call_output","call_id":"k1","output":"lost","is_error":false},{"id":"i4","type":"message","role":"assistant","content":["It was lost."],"interrupted":false}]}`,
		[]string{`x: | s Be brief. | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"a task of A2A by ADK", "wrapped-messages", `{"id":"t1","contextId":"c1","kind":"task","history":[{"kind":"message","role":"user","messageId":"m1","parts":[{"kind":"text","text":"Where is order 7?"}]},{"kind":"message","role":"agent","messageId":"m2","parts":[{"kind":"data","data":{"id":"k1","name":"find_order","args":{"order_id":7}},"metadata":{"adk_type":"function_call"}}]},{"kind":"message","role":"agent","messageId":"m3","parts":[{"kind":"data","data":{"id":"k1","name":"find_order","response":{"result":"lost"}},"metadata":{"adk_type":"function_response"}}]},{"kind":"message","role":"agent","messageId":"m4","parts":[{"kind":"text","text":"It was lost."}]}]}`,
		[]string{`t1: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0={"result":"lost"} | a It was lost.`}},
	{"an export of claude.ai", "wrapped-messages", `[{"uuid":"c1","name":"x","chat_messages":[{"uuid":"m1","sender":"human","text":"Where is order 7?","content":[{"type":"text","text":"Where is order 7?"}]},{"uuid":"m2","sender":"assistant","text":"It was lost.","content":[{"type":"tool_use","id":"k1","name":"find_order","input":{"order_id":7}},{"type":"tool_result","tool_use_id":"k1","name":"find_order","content":[{"type":"text","text":"lost"}],"is_error":false},{"type":"text","text":"It was lost."}]}]}]`,
		[]string{`x: | u Where is order 7? | a  0#k1 find_order{"order_id":7} | 0=lost | a It was lost.`}},
	{"messages of Letta's API", "letta-messages", `[{"id":"message-1","date":"2026-01-01T00:00:00Z","message_type":"user_message","content":"Where is order 7?"},{"id":"message-2","date":"2026-01-01T00:00:01Z","message_type":"reasoning_message","reasoning":"Look.","source":"reasoner_model"},{"id":"message-2","date":"2026-01-01T00:00:01Z","message_type":"tool_call_message","tool_call":{"name":"find_order","arguments":"{\"order_id\":7}","tool_call_id":"k1"}},{"id":"message-3","date":"2026-01-01T00:00:02Z","message_type":"tool_return_message","tool_return":"no order","status":"error","tool_call_id":"k1"},{"id":"message-4","date":"2026-01-01T00:00:03Z","message_type":"assistant_message","content":"It was lost."},{"message_type":"usage_statistics","total_tokens":9}]`,
		[]string{`x: | u Where is order 7? | (Look.) a  0#k1 find_order{"order_id":7} | 0!=no order | a It was lost. -usage_statistics×1`}},
	{"evaluations of early ADK", "adk-eval-list", `[{"name":"orders","data":[{"query":"hello","expected_tool_use":[],"reference":"Hi."},{"query":"Where is order 7?","expected_tool_use":[{"tool_name":"find_order","tool_input":{"order_id":7},"mock_tool_output":"lost"},{"tool_name":"now","tool_input":{}}],"expected_intermediate_agent_responses":[{"author":"shop","text":"I look."}],"reference":"It was lost."}],"initial_session":{"state":{}}},{"name":"more","data":[{"query":"bye","expected_tool_use":[],"reference":"Bye."}]}]`,
		[]string{`orders: | u hello | a Hi. | u Where is order 7? | a  0# find_order{"order_id":7} 1# now{} | 0=lost | a I look. | a It was lost. // call_without_id call_without_id unanswered_call`,
			`more: | u bye | a Bye.`}},
	{"row of Seal-Tools", "function-rows", `{"id":"dev-1","query":"Where is order 7?","calling":[{"api":"findOrder","parameters":{"order_id":"7"},"responses":["API_call_0"]},{"api":"now","parameters":{},"responses":["API_call_1"]}]}`,
		[]string{`dev-1: | u Where is order 7? | a  0# findOrder{"order_id":"7"} 1# now{} // answers_are_calls call_without_id call_without_id unanswered_call unanswered_call`}},
	{"steps with actions and observations", "action-steps", `{"id":"s1","task":"Where is order 7?","steps":[{"thought":"Look.","action":"find_order","action_input":{"order_id":7},"observation":"lost"},{"thought":"Again.","action":"search(q=\"7\")","observation":"none"},{"action":"click [3]","observation":"clicked"},{"action":{"name":"now","arguments":{}},"observation":"noon"},{"thought":"Done.","action":"","observation":""}],"answer":"It was lost."}`,
		[]string{`s1: | u Where is order 7? | (Look.) a  0# find_order{"order_id":7} | 0=lost | (Again.) a  1# search{"q":"7"} | 1=none | a  2# action{"action":"click [3]"} | 2=clicked | a  3# now{} | 3=noon | (Done.) a  | a It was lost. // call_without_id call_without_id call_without_id call_without_id`}},
	{"conversations of Strands under names", "named-conversations", `{"lost":{"system_prompt":[{"text":"You are a shop."}],"messages":[{"role":"user","content":[{"text":"Where is order 7?"}]},{"role":"assistant","content":[{"text":"I look."},{"toolUse":{"toolUseId":"k1","name":"find_order","input":{"order_id":7}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"k1","status":"error","content":[{"text":"no order"}]}}]}]},"other":{"contents":[{"role":"user","parts":[{"text":"And 8?"}]},{"role":"model","parts":[{"function_call":{"id":"a1","name":"find_order","args":{"order_id":8}}}]}]}}`,
		[]string{`lost: | s You are a shop. | u Where is order 7? | a I look. 0#k1 find_order{"order_id":7} | 0!=no order`, `other: | u And 8? | a  0#a1 find_order{"order_id":8} // unanswered_call`}},
}

// TestReplyLogs: replies that come whole or in pieces, and records of frameworks, come out whole.
func TestReplyLogs(t *testing.T) { readAgentLogs(t, replyLogs) }
