package format

import (
	"fmt"
	"strings"
	"testing"
)

// inFull returns all that was read of a log: of each conversation its messages and what is kept beside them, with the
// details of its notes, and the errors.
func inFull(t *testing.T, log string, opts Options) string {
	t.Helper()
	lines, list := readText(t, "x.json", log, opts)
	var b strings.Builder
	for _, c := range list {
		b.WriteString(shown(c) + "\n")
		say := func(what, text string) {
			if text != "" && text != "null" {
				b.WriteString(what + " " + text + "\n")
			}
		}
		say("extra", c.Extra.JSON())
		say("sample", c.Sample.JSON())
		for i := range c.Tools {
			say("tool", c.Tools[i].Signature())
		}
		for _, l := range c.Labels {
			say("label", fmt.Sprintf("%s %v%s of %d", l.Name, l.Value, l.Text, l.CallIndex))
		}
		if c.Expected != nil {
			say("expected", fmt.Sprint(c.Expected.Outputs, c.Expected.Only))
			for _, e := range c.Expected.Calls {
				say("expected", e.Name+e.Arguments.JSON()+e.Requestor)
			}
		}
		for i := range c.Messages {
			say(fmt.Sprintf("message %d", i), c.Messages[i].Extra.JSON())
		}
		for i := range c.Calls {
			if by := c.Calls[i].Executor; by != "client" {
				say(fmt.Sprintf("call %d", i), "by "+by)
			}
		}
		for _, n := range c.Notes {
			if n.Kind != "unanswered_call" && n.Kind != "call_without_id" {
				say("note", n.Kind+" "+strings.TrimPrefix(n.Place, c.Source.String())+": "+n.Detail)
			}
		}
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "error: ") {
			b.WriteString(l + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// besideLogs are records with all that their formats read, and records that are wrong inside.
var besideLogs = []struct{ format, log, want string }{
	{"adk-session", `{"id":"s1","appName":"shop","events":[{"author":"user","content":{"role":"user",` +
		`"parts":[{"text":"Where?"}]}},
{"author":"clerk","partial":true,"content":{"parts":[{"text":"I"}]}},{"author":"clerk","content":null},
{"author":"clerk","actions":{"a":1},"content":{"role":"model","parts":[{"functionCall":{"id":"k","name":"find",` +
		`"args":{"q":7}}}]}},
{"author":"clerk","content":{"role":"user","parts":[{"functionResponse":{"id":"k","name":"find","response":{"r":1}}` +
		`}]}}]}`, `s1: | u Where? | a  0#k find{"q":7} | 0={"r":1} -event without a complete content×2
extra {"appName":"shop"}
message 1 {"actions":{"a":1}}`},
	{"adk-session", `{"id":"s1","events":[{"author":"user","content":{"parts":[{"text":"a"}]}},5]}`,
		`error: x.json:1: events[1]: an event must be an object and is an integer`},
	{"adk-session", `{"id":"s1","events":[{"author":"user","content":{"parts":[{"text":"a"}]},"role":5}]}`,
		`error: x.json:1: events[0].role: the role must be a text and is an integer`},
	{"adk-evalset", `{"eval_set_id":"x","eval_cases":[{"eval_id":"e1","creation":1,` +
		`"conversation":[{"user_content":{"parts":[{"text":"Where?"}]},
"intermediate_data":{"tool_uses":[{"id":"k","name":"find","args":{"q":7}}],"tool_responses":[{"id":"k",` +
		`"name":"find","response":{"r":1}}],
"invocation_events":[{"author":"clerk","content":{"parts":[{"text":"I look."}]}}]},` +
		`"final_response":{"parts":[{"text":"Lost."}]}}]}]}`, `e1: | u Where? | a I look. | a  0#k find{"q":7} | 0={"r":1}` +
		` | a Lost.
extra {"creation":1}`},
	{"adk-evalset", `{"evalCases":[{"evalId":"e1","conversation":[{"userContent":{"parts":[{"text":"Where?"}]},
"intermediateData":{"toolUses":[{"id":"k","name":"find","args":{"q":7}}],"toolResponses":[{"id":"k","name":"find",` +
		`"response":{"r":1}}],
"invocationEvents":[{"author":"clerk","content":{"parts":[{"text":"I look."}]}}]},` +
		`"finalResponse":{"parts":[{"text":"Lost."}]}}]}]}`, `e1: | u Where? | a I look. | a  0#k find{"q":7} | 0={"r":1}` +
		` | a Lost.`},
	{"adk-evalset", `{"eval_cases":[{"eval_id":"e1"}]}`,
		`error: x.json[0]: conversation: the case has no conversation (its keys are "eval_id")`},
	{"adk-evalset", `{"eval_cases":[{"eval_id":"e1","conversation":[5]}]}`,
		`error: x.json[0]: conversation[0]: a turn must be an object and is an integer`},
	{"adk-evalset", `{"eval_cases":[{"eval_id":"e1","conversation":[{"user_content":"a",` +
		`"intermediate_data":{"tool_uses":[5]}}]}]}`,
		`error: x.json[0]: conversation[0].intermediate_data.tool_uses[0]: a call must be an object and is an integer`},
	{"adk-evalset", `{"eval_cases":[{"eval_id":"e1","conversation":[{"user_content":"a",` +
		`"intermediate_data":{"invocation_events":[{"role":5}]}}]}]}`,
		`error: x.json[0]: conversation[0].intermediate_data.invocation_events[0].role: the role must be a text and is an integer`},
	{"adk-eval-list", `[{"name":"n","data":[{"query":"a","expected_tool_use":[{"tool_name":"f","tool_input":{},` +
		`"mock_tool_output":"x"}],"reference":"b",
"expected_intermediate_agent_responses":[{"text":"hm"}]}],"initial_session":{"s":1}}]`, `n: | u a | a  0# f{} |` +
		` 0=x | a hm | a b // call_without_id
extra {"initial_session":{"s":1}}`},
	{"adk-eval-list", `[{"query":"a","expected_tool_use":[5],"reference":"b"}]`,
		`error: x.json[0]: [0].expected_tool_use[0]: a call must be an object and is an integer`},
	{"openai-assistants", `{"data":[{"id":"m2","object":"thread.message","thread_id":"t1","created_at":2,` +
		`"role":"assistant","content":[{"type":"text","text":{"value":"Lost."}}]},
{"id":"st","object":"thread.run.step","thread_id":"t1","created_at":1,"step_details":{"tool_calls":[{"id":"k",` +
		`"type":"function","function":{"name":"find","arguments":"{}","output":"x"}},
{"id":"c","type":"code_interpreter","code_interpreter":{"input":"1","outputs":[{"type":"logs","logs":"1"}]}},` +
		`{"id":"s","type":"file_search","file_search":{"ranking":1,"results":[{"file":"f"}]}}]}},
{"id":"m1","object":"thread.message","thread_id":"t1","created_at":1,"role":"user","content":[{"type":"text",` +
		`"text":{"value":"Where?"}},{"type":"image_file"}]},
{"id":"r1","object":"thread.run","thread_id":"t1","created_at":1,"instructions":"Be brief.",` +
		`"tools":[{"type":"function","function":{"name":"find","parameters":{}}}],"last_error":{"code":"x"},
"required_action":{"submit_tool_outputs":{"tool_calls":[{"id":"k","type":"function","function":{"name":"find",` +
		`"arguments":"{}"}},{"id":"w","type":"function","function":{"name":"wait","arguments":"{}"}}]}}},
{"id":"r2","object":"thread.run","thread_id":"t1","created_at":1,"instructions":"Be long.",` +
		`"tools":[{"type":"function","function":{"name":"other","parameters":{}}}]}]}`, `t1: | s Be long. | u Where?
[image_file] | a  0#k find{} 1#c code_interpreter{"input":"1"} 2#s file_search{"ranking":1} | 0=x | 1=1 |` +
		` 2=[{"file":"f"}] | a Lost. | a  3#w wait{} // run_error part_not_text unknown_tool unanswered_call unknown_tool
tool other()
call 1 by server
call 2 by server
note run_error : [1]: "{\"code\":\"x\"}"
note part_not_text : [2].content[1]: a part of type "image_file" is kept as [image_file]
note unknown_tool : [3]: "find" is not in the tool inventory
note unknown_tool : required_action: "wait" is not in the tool inventory`},
	{"openai-assistants", `[{"id":"a","object":"thread.message","thread_id":"t1","created_at":1,"role":"user",` +
		`"content":[{"type":"text","text":{"value":"a"}}]},
{"id":"b","object":"thread.message","thread_id":"t1","created_at":1,"role":"assistant","content":[{"type":"text",` +
		`"text":{"value":"b"}}]},
{"id":"a","object":"thread.message","thread_id":"t1","created_at":1,"role":"user","content":[{"type":"text",` +
		`"text":{"value":"A"}}]}]`, `t1: | u A | a b`},
	{"openai-assistants", `[{"id":"a","object":"thread.message","thread_id":"t1","created_at":1,"role":"",` +
		`"content":[]}]`, `error: x.json[0]: [0].role: the message has no role (its keys are "role", "content")`},
	{"atif", `{"schema_version":"ATIF-v1.9","trajectory_id":"t","agent":{"name":"a",` +
		`"tool_definitions":[{"name":"find","parameters":{}}]},"steps":[{"step_id":1,"source":"user","message":"a"},
{"step_id":2,"source":"agent","is_copied_context":true,"message":"b"},{"step_id":3,"source":"agent","message":"b",` +
		`"metrics":{"m":1},"observation":{"results":[{"source_call_id":"k","content":"x","extra":{"e":1}}]},
"tool_calls":[{"tool_call_id":"k","function_name":"find","arguments":{}}]}],` +
		`"subagent_trajectories":[{"session_id":"sub","agent":{},"steps":[{"source":"user","message":"c"}]}]}`, `t: |` +
		` u a | a b 0#k find{} | 0=x // newer_version -copied step×1
extra {"trajectory_id":"t","agent":{"name":"a","tool_definitions":[{"name":"find","parameters":{}}]}}
tool find()
message 1 {"metrics":{"m":1}}
message 2 {"extra":{"e":1}}
note newer_version : schema_version: "ATIF-v1.9" is newer than ATIF-v1.8, the newest that is known
sub: | u c // newer_version
extra {"session_id":"sub","agent":{}}
note newer_version : schema_version: "ATIF-v1.9" is newer than ATIF-v1.8, the newest that is known`},
	{"atif", `{"schema_version":"ATIF-v2.0","steps":[]}`,
		`error: x.json[0]: schema_version: "ATIF-v2.0" cannot be read: ATIF-v1 can`},
	{"atif", `{"schema_version":"ATIF-v1.x","steps":[]}`,
		`error: x.json[0]: schema_version: "ATIF-v1.x" cannot be read: ATIF-v1 can`},
	{"atif", `{"schema_version":"ATIF-v1.8","session_id":"s","steps":[{"source":"user","message":"a"},5]}`,
		`error: x.json[0]: steps[1]: a step must be an object and is an integer`},
	{"atif", `{"schema_version":"ATIF-v1.8","steps":[{"source":5,"message":"a"}]}`,
		`error: x.json[0]: steps[0].role: the role must be a text and is an integer`},
	{"autogen", `[{"source":"user","type":"TextMessage","content":"Where?"},{"source":"clerk","type":"ThoughtEvent",` +
		`"content":"hm"},{"source":"clerk","type":"ToolCallRequestEvent","content":[{"id":"k","name":"find",` +
		`"arguments":"{}"}]},
{"source":"clerk","type":"ToolCallExecutionEvent","content":[{"call_id":"k","name":"find","content":"x",` +
		`"is_error":true}]},{"source":"clerk","type":"ToolCallSummaryMessage","content":"x"},{"source":"clerk",` +
		`"type":"Other","content":"x"},
{"source":"clerk","type":"MultiModalMessage","content":["Lost."]},{"source":"user","type":"HandoffMessage",` +
		`"content":"h"},{"source":"clerk","type":"StopMessage","content":"TERMINATE"}]`, `x/0: | u Where? |` +
		` (hm) a  0#k find{} | 0!=x | a Lost. | u h | a TERMINATE -Other×1 -ToolCallSummaryMessage×1`},
	{"autogen-state", `{"type":"TeamState","version":"1",` +
		`"agent_states":{"clerk":{"agent_state":{"type":"AssistantAgentState",` +
		`"llm_context":{"messages":[{"type":"SystemMessage","content":"Be brief."},{"type":"UserMessage","source":"user",` +
		`"content":"Where?"},
{"type":"AssistantMessage","source":"clerk","thought":"hm","content":[{"id":"k","name":"find","arguments":"{}"}]},` +
		`{"type":"FunctionExecutionResultMessage","content":[{"call_id":"k","content":"x","is_error":false}]},` +
		`{"type":"AssistantMessage","source":"clerk","content":"Lost."}]}}},
"manager":{"agent_state":{"message_thread":[{"type":"TextMessage"}]}}}}`, `clerk: | s Be brief. | u Where? |` +
		` (hm) a  0#k find{} | 0=x | a Lost.`},
	{"autogen-state", `{"type":"AssistantAgentState","version":"1","llm_context":{"messages":[{"type":"UserMessage",` +
		`"source":"user","content":"Where?"}]}}`, `x/0: | u Where?`},
	{"bfcl-result", `{"id":"b1","latency":1,"note":"n","result":[["find(q=7)"],"Lost."],` +
		`"inference_log":[{"begin_of_turn_query":[{"role":"user","content":"Where?"}],"step_0":[{"role":"assistant",` +
		`"content":["find(q=7)"]},{"role":"tool","content":"x"},{"role":"state_log","content":"y"}],
"step_1":[{"role":"assistant","content":"Lost."}]},{"x":1}]}`, `b1: | u Where? | a  0# find{"q":7} | 0=x |` +
		` a Lost. // call_without_id paired_by_order
extra {"note":"n"}
note paired_by_order : inference_log[0].step_0: the result names no call of the log and was given to find at inference_log[0].step_0[0]`},
	{"bfcl-result", `{"id":"b1","input_token_count":1,"output_token_count":2,"result":[[["find(q=7)"],["Lost."]],` +
		`[["now()"]]]}`, `b1: | a  0# find{"q":7} | a Lost. | a  1# now{}` +
		` // call_without_id call_without_id unanswered_call unanswered_call`},
	{"bfcl-result", `{"id":"b1","inference_log":"x","result":"find(q=7)"}`, `b1: | a  0# find{"q":7}` +
		` // call_without_id unanswered_call`},
	{"bfcl-result", `{"id":"b1","inference_log":[{"begin_of_turn_query":[5]}],"result":""}`,
		`error: x.json:1: inference_log[0][0]: a message must be an object and is an integer`},
	{"bfcl-result", `{"id":"b1","latency":1,"result":[["a","b"]]}`, `b1: | a a | a b`},
	{"camel", `{"user":"Where?","assistant":"Lost.","tool_calls":[{"id":"k","tool_name":"find","args":{"q":7},` +
		`"result":"x"}]}
{"user":"b","assistant":"c","tool_calls":[]}`, `x/0: | u Where? | a  0#k find{"q":7} | 0=x | a Lost. | u b | a c`},
	{"camel", `{"user":"Where?","assistant":"Lost.","tool_calls":[5]}`,
		`error: x.json[0]: [0].tool_calls[0]: a call must be an object and is an integer`},
	{"claude-code", `{"type":"user","sessionId":"s1","uuid":"u1","cwd":"/w","version":"2","gitBranch":"main",` +
		`"message":{"role":"user","content":"Where?"}}
{"type":"assistant","sessionId":"s1","uuid":"u2","isSidechain":true,"agentId":"a7","message":{"role":"assistant",` +
		`"content":"aside"}}
{"type":"assistant","sessionId":"s1","uuid":"u3","isSidechain":true,"message":{"role":"assistant","content":"other"}}
{"type":"assistant","sessionId":"s1","uuid":"u4","message":{"content":[{"type":"text","text":"Lost."}]}}
{"type":"summary","leafUuid":"u4","summary":"s"}
{"type":"tool_use","sessionId":"s1","uuid":"u5","id":"x","timestamp":"t","tool_use_id":"k","name":"Read",` +
		`"input":{"p":1}}`, `s1: | u Where? | a Lost. 0#k Read{"p":1} // unanswered_call
extra {"cwd":"/w","version":"2","gitBranch":"main"}
s1/a7: | a aside
s1/sidechain: | a other`},
	{"claude-code", `{"type":"user","sessionId":"s1","uuid":"u1","message":{"role":5,"content":"Where?"}}`,
		`error: x.json[0]: [0].message.role: the role must be a text and is an integer`},
	{"codex", `{"type":"session_meta","payload":{"id":"s1","cwd":"/w","cli_version":"1","originator":"o",` +
		`"source":"cli","git":{"b":1},"model":"m","instructions":"Be brief.","base_instructions":{"text":" And kind."},` +
		`"dynamic_tools":[{"name":"find","parameters":{}}]}}
{"type":"turn_context","payload":{"a":1}}
{"type":"response_item","payload":{"type":"ghost_snapshot"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Where?"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"Where?"}}
{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"k","command":["ls"],"exit_code":0,` +
		`"formatted_output":"x"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text",` +
		`"text":"Lost."}]}}`, `s1: | s Be brief. And kind. | u Where? | a  0#k exec_command{"command":["ls"]} | 0=x |` +
		` a Lost. // unknown_tool -event_msg×1 -response_item×1 -turn_context×1
extra {"cwd":"/w","cli_version":"1","originator":"o","source":"cli","git":{"b":1}}
tool find()
note unknown_tool : [1]: "exec_command" is not in the tool inventory`},
	{"codex", `{"id":"s1","timestamp":"t","instructions":null}
{"type":"message","role":"user","content":"Where?"}
{"type":"event_msg","payload":{"type":"agent_message","message":"I look."}}
{"type":"function_call","call_id":"k","name":"shell","arguments":"{}"}
{"id":"s1","timestamp":"t","instructions":null}
{"type":"message","role":"user","content":"Where?"}
{"type":"function_call","call_id":"k","name":"shell","arguments":"{}"}
{"type":"function_call_output","call_id":"k","output":"x"}`, `s1: | u Where? | a  0#k shell{} | 0=x -event_msg×1`},
	{"codex", `{"type":"session_meta","payload":{"id":"s1"}}
{"type":"session_meta","payload":{"id":"s2"}}`,
		`error: x.json[0]: the file holds more than one session: give each a file of its own`},
	{"codex", `{"type":"session_meta","payload":{"id":"s1"}}
{"type":"session_meta","payload":{}}`,
		`error: x.json[0]: the file holds more than one session: give each a file of its own`},
	{"codex", `{"type":"response_item","payload":{"type":"message","role":5}}`,
		`error: x.json[0]: [0].role: the role must be a text and is an integer`},
	{"codex-exec", `{"type":"thread.started","thread_id":"t1"}
{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","status":"in_progress"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"x",` +
		`"exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"i2","type":"mcp_tool_call","server":"s","tool":"find","arguments":{"q":7},` +
		`"status":"failed","error":{"message":"gone"}}}
{"type":"item.completed","item":{"id":"i3","type":"file_change","changes":[{"path":"a"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"i4","type":"web_search","query":"q"}}
{"type":"item.completed","item":{"id":"i5","type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"id":"i6","type":"agent_message","text":"Lost."}}
{"type":"item.completed","item":{"id":"i7","type":"error","message":"odd"}}
{"type":"item.completed","item":{"id":"i8","type":"todo_list","items":[]}}
{"type":"turn.completed","usage":{}}
{"type":"turn.failed","error":{"message":"broke"}}
{"type":"error","message":"late"}`, `t1: | a  0#i1 command_execution{"command":"ls"} | 0=x | a  1#i2 find{"q":7} |` +
		` 1!=gone | a  2#i3 file_change{"changes":[{"path":"a"}]} | 2=completed | a  3#i4 web_search{"query":"q"} |` +
		` (hm) a Lost. // run_error run_error run_error unanswered_call -todo_list×1 -turn.completed×1
note run_error : "odd"
note run_error : [11]: "broke"
note run_error : [12]: "late"`},
	{"codex-exec", `{"id":"0","msg":{"type":"user_message","message":"Where?"}}
{"id":"0","msg":{"type":"agent_reasoning","text":"hm"}}
{"id":"0","msg":{"type":"mcp_tool_call_begin","call_id":"k","invocation":{"server":"s","tool":"find",` +
		`"arguments":{"q":7}}}}
{"id":"0","msg":{"type":"mcp_tool_call_end","call_id":"k","invocation":{"server":"s","tool":"find",` +
		`"arguments":{"q":7}},"result":{"Err":"gone"}}}
{"id":"0","msg":{"type":"patch_apply_end","call_id":"p","success":false,"stdout":"no"}}
{"id":"0","msg":{"type":"exec_command_end","call_id":"e","command":["ls"],"cwd":"/","exit_code":1,` +
		`"formatted_output":"bad"}}
{"id":"0","msg":{"type":"token_count"}}`, `x/0: | u Where? | (hm) a  0#k find{"q":7} | 0!=gone |` +
		` a  1#p patch_apply{} | 1!=no | a  2#e exec_command{"command":["ls"],"cwd":"/"} |` +
		` 2!=bad // arguments_missing -token_count×1
note arguments_missing : [3]: patch_apply: the arguments are null`},
	{"copilot-chat", `{"sessionId":"s1","requesterUsername":"u","requests":[{"requestId":"r",` +
		`"message":{"text":"Where?"},"result":{"metadata":{"toolCallRounds":[{"response":"I look.",` +
		`"toolCalls":[{"id":"k","name":"find","arguments":"{}"}]},{"response":"Lost.","toolCalls":[]}],
"toolCallResults":{"k":{"content":[{"value":"x"},{"text":"y"}]}}}}},
{"message":{"text":"And?"},"response":[{"value":"I "},{"kind":"markdownContent","content":{"value":"look."}},` +
		`{"kind":"thinking","value":"hm"},{"kind":"progress"},{"kind":"toolInvocationSerialized","toolCallId":"j",` +
		`"toolId":"now","resultDetails":{"input":"{}","output":[{"value":"noon"}]}},
{"kind":"toolInvocationSerialized","toolCallId":"l","toolId":"run","toolSpecificData":{"kind":"terminal",` +
		`"language":"sh","command":"ls"}}]}]}`, `s1: | u Where? | a I look. 0#k find{} | 0=x
y | a Lost. | u And? | (hm) a I look. 1#j now{} 2#l run{"command":"ls"} | 1=noon // unanswered_call -progress×1
extra {"requesterUsername":"u"}`},
	{"copilot-chat", `{"requests":[{"requestId":"r","message":{"text":"Where?"}},5]}`,
		`error: x.json:1: requests[1]: a request must be an object and is an integer`},
	{"copilot-cli", `{"type":"session.start","data":{"sessionId":"s1","copilotVersion":"1","version":2,` +
		`"context":{"c":1}}}
{"type":"system.message","data":{"content":"Be brief."}}
{"type":"user.message","data":{"content":"Where?"}}
{"type":"tool.execution_start","data":{"toolCallId":"e","toolName":"early","arguments":{"a":1}}}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"e","name":"early",` +
		`"arguments":{"a":1}}]}}
{"type":"assistant.message","data":{"content":"I look.","reasoningText":"hm","toolRequests":[{"toolCallId":"k",` +
		`"name":"find","arguments":{"q":7}}]}}
{"type":"tool.execution_start","data":{"toolCallId":"k","toolName":"find","arguments":{"q":7}}}
{"type":"tool.execution_complete","data":{"toolCallId":"k","success":false,"error":{"message":"gone"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"e","success":true,"result":{"content":"ok"}}}
{"type":"session.error","data":{"message":"broke"}}
{"type":"assistant.turn_end","data":{}}`, `s1: | s Be brief. | u Where? | a  0#e early{"a":1} |` +
		` (hm) a I look. 1#k find{"q":7} | 1!=gone | 0=ok // run_error -assistant.turn_end×1
extra {"copilotVersion":"1","version":2,"context":{"c":1}}
note run_error : [9]: "broke"`},
	{"cursor-stream", `{"type":"system","session_id":"s1","cwd":"/w","model":"m","apiKeySource":"x"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Where?"}]}}
{"type":"assistant","timestamp_ms":1,"message":{"role":"assistant","content":[{"type":"text","text":"I "}]}}
{"type":"assistant","timestamp_ms":2,"message":{"role":"assistant","content":[{"type":"text","text":"look."}]}}
{"type":"assistant","model_call_id":"m","timestamp_ms":2,"message":{"role":"assistant","content":[{"type":"text",` +
		`"text":"I look."}]}}
{"type":"tool_call","subtype":"started","call_id":"k","tool_call":{"readToolCall":{"args":{"p":1}}}}
{"type":"tool_call","subtype":"completed","call_id":"k","tool_call":{"readToolCall":{"args":{"p":1},` +
		`"result":{"success":{"content":"x"}}}}}
{"type":"tool_call","subtype":"completed","call_id":"l","tool_call":{"tool":5,` +
		`"mcpToolCall":{"args":{"toolName":"find","args":{"q":7}},"result":{"rejected":{"reason":"no"}}}}}
{"type":"tool_call","subtype":"completed","call_id":"m","tool_call":{"function":{"name":"now","arguments":"{}",` +
		`"result":{"other":1}}}}
{"type":"tool_call","subtype":"completed","call_id":"n","tool_call":{"x":{"args":{}}}}
{"type":"assistant","timestamp_ms":3,"message":{"role":"assistant","content":[{"type":"text","text":"Lost."}]}}
{"type":"result","result":"I look.Lost."}`, `s1: | u Where? | a I look. 0#k readToolCall{"p":1} | 0={"content":"x"}` +
		` | a  1#l find{"q":7} | 1!={"rejected":{"reason":"no"}} | a  2#m now{} | 2={"other":1} | a  3#n {} |` +
		` a Lost. // arguments_missing call_without_name unanswered_call -assistant×1 -result×1
extra {"cwd":"/w","model":"m"}
note arguments_missing : [9]: : the arguments are null
note call_without_name : [9]: the call names no tool`},
	{"cursor-stream", `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look."}]}}
{"type":"tool_call","subtype":"completed","tool_call":{"shellToolCall":{"args":{"c":1},` +
		`"result":{"failure":{"code":1}}}}}`, `x/0: | a I look. 0# shellToolCall{"c":1} | 0!={"failure":{"code":1}}` +
		` // call_without_id paired_by_order
note paired_by_order : [1]: the result names no call of the log and was given to shellToolCall at [1]`},
	{"deepeval", `{"testCases":[{"name":"n1","input":"Where?","actualOutput":"Lost.","toolsCalled":[{"name":"find",` +
		`"inputParameters":{"q":7},"output":"x"}],"expectedTools":[{"name":"find"}],"success":true,` +
		`"metricsData":[{"name":"right","score":0.5},{"score":1},{"name":"none","score":null}],"tags":["t"]}],
"conversationalTestCases":[{"name":"n2","scenario":"s","turns":[{"role":"user","content":"Where?"},` +
		`{"role":"assistant","content":"Lost.","tools_called":[{"name":"find","input_parameters":{"q":7},"output":"x"}]}]}` +
		`]}`, `n1: | u Where? | a  0# find{"q":7} | 0=x | a Lost. // call_without_id
extra {"tags":["t"]}
label success 1 of -1
label right 0.5 of -1
expected [] false
expected find{}
n2: | u Where? | a  0# find{"q":7} | 0=x | a Lost. // call_without_id
extra {"scenario":"s"}`},
	{"deepeval", `{"id":"n1","input":"Where?","actual_output":"Lost.","tools_called":[],` +
		`"expected_tools":[{"name":"find","input_parameters":{"q":7}}],"success":false,"metrics_data":[{"name":"right",` +
		`"score":1}],"context":["c"]}`, `n1: | u Where? | a Lost.
extra {"log_id":"n1","context":["c"]}
label success 0 of -1
label right 1 of -1
expected [] false
expected find{"q":7}`},
	{"deepeval", `{"testCases":[{"input":"Where?","tools_called":[]},{"name":"x"}]}`, `x/0: | u Where?
error: x.json[1]: this is no test case (its keys are "name")`},
	{"deepeval", `{"input":"Where?","expected_tools":[5]}`,
		`error: x.json[0]: expected_tools[0].name: an expected call must be an object with the name of a tool`},
	{"deepeval", `{"input":"Where?","tools_called":[5]}`,
		`error: x.json[0]: tools_called[0]: a call must be an object and is an integer`},
	{"deepeval", `{"input":[5],"tools_called":[]}`,
		`error: x.json[0]: input[0]: a message must be an object and is an integer`},
	{"deepeval", `{"turns":[{"role":"user","content":"a"},5],"chatbot_role":"clerk"}`,
		`error: x.json[0]: turns[1]: a turn must be an object and is an integer`},
	{"function-rows", `{"id":"r1","query":"Where?","tools":[{"name":"find","parameters":{"q":{"type":"int"}}}],` +
		`"answers":[{"name":"find","arguments":{"q":7}}],"level":2}`, `r1: | u Where? | a  0# find{"q":7}` +
		` // answers_are_calls call_without_id unanswered_call
extra {"level":2}
tool find(q)
note answers_are_calls : answers: the data set's answer is read as the agent's calls: there is no reference left`},
	{"function-rows", `{"sample_id":"r1","question":"Where?","functions":[{"name":"find"}],` +
		`"ground_truth":[{"find":{"q":[7]}}],"result":"[find(q=8)]"}`, `r1: | u Where? | a  0# find{"q":8}` +
		` // call_without_id unanswered_call
tool find()
expected [] false
expected find{"q":7}`},
	{"function-rows", `{"uuid":"r1","input":"Where?","output":[{"name":"find","label":"$v1","arguments":{"q":7}},` +
		`{"name":"var_result","arguments":{"r":"$v1"}}],"available_tools":[]}`, `r1: | u Where? | a  0#$v1 find{"q":7}` +
		` // answers_are_calls unanswered_call
extra {"var_result":{"r":"$v1"}}
note answers_are_calls : output: the data set's answer is read as the agent's calls: there is no reference left`},
	{"function-rows", `{"id":"r1","question":[[{"role":"user","content":"a"}],[{"role":"user","content":"b"}]],` +
		`"function":[],"result":[[["f(x=1)"]],[["g()"],["done"]]]}`, `r1: | u a | a  0# f{"x":1} | u b | a  1# g{} |` +
		` a done // call_without_id call_without_id unanswered_call unanswered_call`},
	{"function-rows", `{"id":"r1","question":"a","function":[]}`,
		`error: x.json:1: the row asks a question and holds nobody's answer: give the file of the model's answers too`},
	{"function-rows", `{"id":"r1","question":"a","function":[],"result":"x","ground_truth":"it depends"}`, `r1: |` +
		` u a | a x
extra {"ground_truth":"it depends"}`},
	{"function-rows", `{"id":"r1","question":"a","function":[],"result":"x","ground_truth":[{"name":"f","arguments":{}` +
		`}]}`, `r1: | u a | a x
expected [] false
expected f{}`},
	{"function-rows", `{"id":"r1","question":"a","function":[],"result":"x","expected_calls":{"f":5}}`,
		`error: x.json:1: expected_calls[0].name: an expected call must be an object with the name of a tool`},
	{"function-rows", `{"id":"r1","question":[5],"function":[],"result":"x"}`,
		`error: x.json:1: question[0]: a message must be an object and is an integer`},
	{"gemini-cli", `{"sessionId":"s1","projectHash":"h","startTime":"t","messages":[{"id":"m1","type":"user",` +
		`"content":"Where?"},{"id":"m2","type":"gemini","content":"","thoughts":[{"subject":"a","description":"b"},` +
		`{"subject":"c"}],
"toolCalls":[{"id":"k","name":"find","args":{"q":7},"status":"error",` +
		`"result":[{"functionResponse":{"response":{"error":"gone"}}}]},{"id":"l","name":"now","args":{},` +
		`"status":"cancelled","resultDisplay":"stopped"},
{"id":"m","name":"run","args":{},"status":"success","result":"ok"},{"id":"n","name":"wait","args":{}}]},{"id":"m3",` +
		`"type":"info","content":"i"},{"id":"m4","type":"model","content":[{"text":"Lost."}]}]}`, `s1: | u Where? | (a
b
c) a  0#k find{"q":7} 1#l now{} 2#m run{} 3#n wait{} | 0!=gone | 1!=stopped | 2=ok |` +
		` a Lost. // unanswered_call -message of type info×1
extra {"startTime":"t"}`},
	{"gemini-cli", `{"sessionId":"s1","projectHash":"h","kind":"main"}
{"id":"m1","type":"user","content":"Where?"}
{"id":"m2","type":"gemini","content":"old","toolCalls":[]}
{"id":"m3","type":"gemini","content":"gone","toolCalls":[]}
{"$rewindTo":"m3"}
{"$rewindTo":"m9"}
{"id":"m2","type":"gemini","content":"new","toolCalls":[]}
{"$set":{"messages":[{"id":"m4","type":"assistant","content":"last"}]}}`, `s1: | u Where? | a new | a last
extra {"kind":"main"}`},
	{"gemini-cli", `{"sessionId":"s1","projectHash":"h","messages":[{"id":"m1","type":"user","content":"a"},5]}`,
		`error: x.json[0]: messages[1]: a message must be an object and is an integer`},
	{"gemini-stream", `{"type":"init","session_id":"s1","model":"m","timestamp":"t"}
{"type":"message","role":"user","content":"Where?"}
{"type":"message","role":"assistant","content":"I ","delta":true}
{"type":"message","role":"assistant","content":"look.","delta":true}
{"type":"tool_use","tool_id":"k","tool_name":"find","parameters":{"q":7}}
{"type":"tool_result","tool_id":"k","status":"error","error":{"message":"gone"}}
{"type":"error","message":"odd"}
{"type":"result","stats":{}}`, `s1: | u Where? | a I look. 0#k find{"q":7} | 0!=gone // run_error -result×1
extra {"model":"m"}
note run_error : [6]: "odd"`},
	{"glaive", `{"id":"g1","system":"SYSTEM: You may {call: {\"name\":\"find\",\"parameters\":{\"type\":\"object\",` +
		`\"properties\":{\"q\":{\"type\":\"integer\"}}}} and {\"x\":1} or {\"name\":\"now\"}","topic":"t",
"chat":"USER: Where?\n\n\nASSISTANT: I look. <functioncall> {\"name\": \"find\", \"arguments\": '{\"q\": 7}'} <|` +
		`endoftext|>\n\n\nFUNCTION RESPONSE: lost\n\n\nASSISTANT: <functioncall> broken\n\n\nASSISTANT: Lost. <|endoftext|` +
		`>"}`, `x/0: | s You may {call: {"name":"find","parameters":{"type":"object","properties":{"q":{"type":"integer"}}` +
		`}} and {"x":1} or {"name":"now"} | u Where? | a I look. 0# find{"q":7} | 0=lost | a  broken |` +
		` a Lost. // text_call_not_read call_without_id paired_by_order
extra {"topic":"t"}
tool find(q)
tool now()
note text_call_not_read : chat.turn[4]: " broken"
note paired_by_order : chat.turn[3]: the result names no call of the log and was given to find at chat.turn[2]`},
	{"glaive", `{"sample":"USER: a\nASSISTANT: "}`, `x/1: | u a | a`},
	{"goose", `{"id":"g1","working_dir":"/w","name":"n","description":"d","message_count":2,"conversation":[{"id":"a",` +
		`"role":"user","created":1,"content":[{"type":"text","text":"Where?"}]},
{"id":"b","role":"assistant","created":2,"content":[{"type":"thinking","thinking":"hm"},{"type":"text",` +
		`"text":"I look."},{"type":"toolRequest","id":"k","toolCall":{"status":"success","value":{"name":"find",` +
		`"arguments":{"q":7}}}},{"type":"frontendToolRequest","id":"l","toolCall":{"value":{"name":"now","arguments":{}}}}]},
{"id":"c","role":"user","created":3,"content":[{"type":"toolResponse","id":"k","toolResult":{"status":"success",` +
		`"value":{"content":[{"type":"text","text":"x"}],"isError":true}}},{"type":"toolResponse","id":"l",` +
		`"toolResult":{"status":"error","error":"gone"}},{"type":"image"}]},
{"role":"critic","content":[]},{"role":"assistant","created":4,"content":[{"type":"text","text":"a"}]},` +
		`{"role":"assistant","created":5,"content":[{"type":"text","text":"b"}]}]}`, `g1: | u Where? |` +
		` (hm) a I look. 0#k find{"q":7} 1#l now{} | 0!=x | 1!=gone | a a | a b -image×1 -line without a message×1
extra {"working_dir":"/w","name":"n","description":"d"}`},
	{"goose", `[{"role":"user","created":1,"content":[{"type":"toolResponse","id":"k"}]},5]`,
		`error: x.json[0]: [1]: a message must be an object and is an integer`},
	{"grok", `{"type":"user","content":"Where?"}
{"type":"reasoning","summary":[{"text":"hm"}]}
{"type":"assistant","content":"","tool_calls":[{"id":"k","name":"find","arguments":"{}"}]}
{"type":"tool_result","tool_call_id":"k","content":"x"}
{"type":"server","kind":{"tool_type":"web_search","id":"w","action":{"query":"q"}}}
{"type":"assistant","content":"Lost."}`, `x: | u Where? | (hm) a  0#k find{} | 0=x |` +
		` a  1#w web_search{"action":{"query":"q"}} | a Lost.
call 1 by server`},
	{"inspect-json", `{"version":2,"eval":{"task":"shop"},"samples":[{"id":"a","epoch":2,"input":"Where?",` +
		`"target":"t","messages":[{"role":"user","content":"attachment://h"},{"role":"assistant",` +
		`"content":[{"type":"tool_use","id":"s","name":"search","arguments":"{}"}],"tool_calls":[{"id":"k",` +
		`"function":"find","arguments":{"q":7},"type":"function"}]},
{"role":"tool","tool_call_id":"k","content":"","error":{"type":"timeout","message":"late"}},{"role":"tool",` +
		`"tool_call_id":"z","content":"y","error":{"type":"t"}}],"events":[{"event":"model","tools":[{"name":"find",` +
		`"parameters":{}}]},{"event":"model","tools":[{"name":"now","parameters":{}}]},{"event":"score"}],
"attachments":{"h":"Where is it?"},"scores":{"right":{"value":"C"},"kind":{"value":"I"},"parts":{"value":{"a":0.5,` +
		`"b":"C"}}},"metadata":{"m":1},"error":{"message":"broke"}},
{"id":"b","input":[{"role":"user","content":"attachment://1"},{"role":"user","content":"attachment://2"},` +
		`{"role":"user","content":"attachment://-1"}],"output":{"choices":[{"message":{"role":"assistant","content":"A"}}` +
		`]},"attachments":["x","y"],"error":{"code":5}},{"id":"c","input":"Q"},
{"id":"d","messages":[5]},5,"s"]}`, `a/epoch-2: | u Where is it? | a  0#s search{} 1#k find{"q":7} |` +
		` 1!=timeout: late | -1!=y // run_error orphan_result
extra {"metadata":{"m":1},"error":{"message":"broke"}}
sample {"task_id":"a","trial":2,"task":"shop","target":"t"}
tool find()
tool now()
label right 1 of -1
label kind 0 of -1
label parts.a 0.5 of -1
label parts.b 1 of -1
message 2 {"error":{"type":"timeout","message":"late"}}
message 3 {"error":{"type":"t"}}
call 0 by server
note run_error : error: "broke"
note orphan_result : messages[3]: the result belongs to no call: "y"
b: | u y | u attachment://2 | u attachment://-1 | a A // run_error attachment_missing attachment_missing
extra {"error":{"code":5}}
sample {"task_id":"b","trial":null,"task":"shop","target":null}
note run_error : error: "{\"code\":5}"
note attachment_missing : attachments: the text of "attachment://2" is not in the sample, or too long
note attachment_missing : attachments: the text of "attachment://-1" is not in the sample, or too long
c: | u Q
sample {"task_id":"c","trial":null,"task":"shop","target":null}
error: x.json[3]: messages[0]: a message must be an object and is an integer
error: x.json[4]: a sample must be an object and is an integer
error: x.json[5]: s`},
	{"kimi", `{"type":"metadata","protocol_version":"1"}
{"message":{"type":"TurnBegin","payload":{"user_input":"Where?"}}}
{"message":{"type":"StepBegin","payload":{}}}
{"message":{"type":"ContentPart","payload":{"type":"think","think":"hm"}}}
{"message":{"type":"ContentPart","payload":{"type":"text","text":"I "}}}
{"message":{"type":"ContentPart","payload":{"type":"text","text":"look."}}}
{"message":{"type":"ToolCall","payload":{"id":"k","function":{"name":"find","arguments":"{\"q\":"}}}}
{"message":{"type":"ToolCallPart","payload":{"arguments_part":"7}"}}}
{"message":{"type":"ToolResult","payload":{"tool_call_id":"k","return_value":{"is_error":true,"message":"gone"}}}}
{"message":{"type":"SteerInput","payload":{"user_input":"And?"}}}
{"message":{"type":"StatusUpdate","payload":{}}}
{"message":{"type":"ToolCall","payload":{"id":"l","function":{"name":"now","arguments":"{}"}}}}`, `x/0: |` +
		` u Where? | (hm) a I look. 0#k find{"q":7} | 0!=gone | u And? | a  1#l now{} // unanswered_call -StatusUpdate×1`},
	{"kimi", `{"type":"context.append_message","message":{"role":"user","content":"Where?"}}
{"type":"context.append_loop_event","event":{"type":"step.begin"}}
{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"I look."}}}
{"type":"context.append_loop_event","event":{"type":"tool.call","toolCallId":"k","name":"find","args":{"q":7}}}
{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"k","result":{"output":"x",` +
		`"isError":false}}}
{"type":"agent.message.appended","message":{"message":{"role":"assistant","content":"Lost."}}}
{"type":"other"}`, `x/0: | u Where? | a I look. 0#k find{"q":7} | 0=x | a Lost. -other×1`},
	{"kimi", `{"type":"context.append_message","message":{"role":5}}`,
		`error: x.json[0]: [0].role: the role must be a text and is an integer`},
	{"kimi-context", `{"role":"_system_prompt","content":"Be brief."}
{"role":"user","content":"Where?"}
{"role":"_usage","n":1}`, `x/0: | s Be brief. | u Where? -_usage×1`},
	{"langfuse-observation", `{"id":"s1","createdAt":"t","traces":[{"id":"t1","name":"n","timestamp":"1",` +
		`"observations":[{"id":"o1","type":"GENERATION","traceId":"t1","startTime":"1","input":[{"role":"user",` +
		`"content":"Where?"}],"output":{"role":"assistant","content":"Lost."},"toolDefinitions":"[{\"name\":\"find\",` +
		`\"parameters\":{}}]","modelParameters":{"m":1}},
{"id":"o2","type":"TOOL","traceId":"t1","parentObservationId":"o1","startTime":"2","name":"running tool: find",` +
		`"level":"ERROR","statusMessage":"gone","input":{"q":7}},{"id":"o3","type":"EVENT","traceId":"t1","startTime":"3"}],
"scores":[{"id":"x","name":"right","value":0.5,"dataType":"NUMERIC","traceId":"t1"},{"id":"y","name":"kind",` +
		`"value":1,"stringValue":"good","dataType":"CATEGORICAL"},{"id":"w","name":"word","stringValue":"fine",` +
		`"dataType":"TEXT"},{"id":"z","name":"bool","value":1,"stringValue":"True","dataType":"BOOLEAN"}]}]}`, `s1: |` +
		` u Where? | a Lost. | a  0#o2 find{"q":7} | 0!=gone -span event×1
extra {"gen_ai_conversation_id":"s1","trace_id":"t1"}
tool find()
label right 0.5 of -1
label kind 0good of -1
label word 0fine of -1
label bool 1 of -1
message 1 {"trace_id":"t1","span_id":"o1"}
message 2 {"trace_id":"t1","span_id":"o2"}`},
	{"langfuse-observation", `[{"id":"o1","trace_id":"t1","session_id":"s1","parent_observation_id":null,` +
		`"type":"GENERATION","start_time":"2","input":"Where?","output":null,"tool_calls":["{\"id\":\"k\",` +
		`\"name\":\"find\",\"arguments\":\"{}\"}"],"tool_definitions":[{"name":"find","parameters":{}}]},
{"id":"o2","trace_id":"t1","parent_observation_id":"o1","type":"SPAN","start_time":"3","name":"find",` +
		`"level":"ERROR","status_message":"late","input":{"q":7},"output":"x","metadata":{"scope":{"name":"s"},` +
		`"attributes":{"gen_ai.tool.name":"find","gen_ai.tool.call.id":"k","gen_ai.prompt":"p","session.id":"no"}}},
{"id":"o3","trace_id":"t1","parent_observation_id":"","type":"GENERATION","start_time":"4",` +
		`"metadata":"{\"attributes\":{\"gen_ai.prompt\":\"A?\",\"gen_ai.completion\":\"B.\",` +
		`\"model_request_parameters\":\"{\\\"function_tools\\\":[{\\\"name\\\":\\\"now\\\"}]}\"}}"}]`, `s1: | u Where? |` +
		` a  0#k find{} | 0!=x | u A? | a B. // separate_history
extra {"gen_ai_conversation_id":"s1","trace_id":"t1","span_id":"o1"}
tool find()
tool now()
message 1 {"trace_id":"t1","span_id":"o1"}
message 4 {"trace_id":"t1","span_id":"o3"}
note separate_history : span o3: the messages do not continue those of an earlier request: only what is new in them was added`},
	{"langfuse-observation", `{"trace":{"id":"t1","sessionId":"s1","input":"Where?","output":"Lost."},` +
		`"observations":[{"id":"o1","traceId":"t1","type":"SPAN","startTime":"1"}],"scores":[{"name":"right","value":1,` +
		`"data_type":"NUMERIC"}]}`, `s1: | u Where? | a Lost.
extra {"gen_ai_conversation_id":"s1","trace_id":"t1"}
label right 1 of -1
message 1 {"trace_id":"t1","span_id":"t1"}`},
	{"langsmith-run", `{"id":"r1","trace_id":"t1","run_type":"llm","name":"m","start_time":"1",` +
		`"inputs":{"messages":[{"role":"user","content":"Where?"}]},"outputs":{"generations":[[{"text":"",` +
		`"message":{"kwargs":{"content":"I look.","tool_calls":[{"id":"k","name":"find","args":{"q":7}}]},"lc":1,` +
		`"id":["AIMessage"]}}]]},"extra":{"metadata":{"thread_id":"th"},"invocation_params":{"tools":[{"name":"find",` +
		`"parameters":{}}]}},"feedback_stats":{"right":{"avg":0.5,"n":1}},
"child_runs":[{"id":"r2","run_type":"tool","name":"find","start_time":"2","parent_run_id":"r1",` +
		`"inputs":{"input":"{\"q\":7}"},"outputs":{"output":{"content":"x","tool_call_id":"k","type":"tool"}}},{"id":"r3",` +
		`"run_type":"chain","start_time":"3","inputs":{},"outputs":{}}]}`, `th: | u Where? | a I look. 0#k find{"q":7} | 0=x
extra {"gen_ai_conversation_id":"th","trace_id":"t1","span_id":"r1"}
tool find()
label right 0.5 of -1
message 1 {"trace_id":"t1","span_id":"r1"}`},
	{"langsmith-run", `[{"id":"r1","dotted_order":"1Zr1","run_type":"chain","inputs":{},"outputs":{}},` +
		`{"trace_id":"r1","dotted_order":"1Zr1.2Zr2","run_type":"llm","error":"broke",` +
		`"inputs":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where?\"}]}","outputs":{"text":"Lost."}},
{"trace_id":"r1","id":"r3","dotted_order":"1Zr1.3Zr3","run_type":"tool","name":"find","error":"gone",` +
		`"inputs":{"q":7},"outputs":{}}]`, `r1: | u Where? | a Lost. | a  0#r3 find{"q":7} | 0!=gone
extra {"trace_id":"r1","span_id":"r1"}
message 1 {"trace_id":"r1","span_id":"r2"}
message 2 {"trace_id":"r1","span_id":"r3"}`},
	{"letta", `{"agents":[{"name":"n","agent_type":"memgpt","description":"d","llm_config":{},` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"Where?"}]},{"role":"approval","content":"ok",` +
		`"tool_calls":[{"id":"k","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k",` +
		`"content":"x"}]}],"tools":[]}`, `n: | u Where? | a ok 0#k find{} | 0=x
extra {"agent_type":"memgpt","description":"d"}`},
	{"letta", `{"agents":[{"id":"i","in_context_message_ids":[],"memory_blocks":[],"messages":[5]}]}`,
		`error: x.json[0]: messages[0]: a message must be an object and is an integer`},
	{"letta-messages", `[{"id":"1","message_type":"system_message","content":"Be brief."},{"id":"2",` +
		`"message_type":"user_message","content":"Where?"},{"id":"3","message_type":"reasoning_message","reasoning":"hm"}` +
		`,{"id":"4","message_type":"tool_call_message","tool_call":{"name":"find","arguments":"{}","tool_call_id":"k"}},
{"id":"5","message_type":"tool_return_message","tool_call_id":"k","status":"error","tool_return":"gone"},{"id":"6",` +
		`"message_type":"approval_request_message","tool_calls":[{"name":"now","arguments":"{}","tool_call_id":"l"},` +
		`{"name":"run","arguments":"{}","tool_call_id":"m"}]},{"id":"7","message_type":"assistant_message",` +
		`"content":"Lost."},{"id":"8","message_type":"stop_message"}]`, `x/0: | s Be brief. | u Where? |` +
		` (hm) a  0#k find{} | 0!=gone | a  1#l now{} 2#m run{} |` +
		` a Lost. // unanswered_call unanswered_call -stop_message×1`},
	{"letta-messages", `[{"date":"d","message_type":"approval_request_message","tool_calls":[5]}]`,
		`error: x.json[0]: [0].tool_calls[0]: a call must be an object and is an integer`},
	{"anthropic-managed-agents", `["beta.sessions.create",{"id":"s1","agent":{"system":"Be brief.",` +
		`"tools":[{"type":"agent_toolset"},{"name":"find","input_schema":{}}]}}]
["beta.sessions.events",{"type":"user.message","processed_at":"t","content":[{"type":"text","text":"Where?"}]}]
["beta.sessions.events",{"type":"agent.thinking","processed_at":"t","thinking":"hm"}]
["beta.sessions.events",{"type":"agent.tool_use","processed_at":"t","id":"s","name":"bash","input":{"c":1}}]
["beta.sessions.events",{"type":"agent.tool_result","processed_at":"t","tool_use_id":"s","content":[{"type":"text",` +
		`"text":"y"}]}]
["beta.sessions.events",{"type":"agent.mcp_tool_use","processed_at":"t","id":"m","name":"search","input":{}}]
["beta.sessions.events",{"type":"agent.mcp_tool_result","processed_at":"t","mcp_tool_use_id":"m","content":[]}]
["beta.sessions.events",{"type":"agent.custom_tool_use","processed_at":"t","id":"k","name":"find","input":{"q":7}}]
["beta.sessions.events",{"type":"user.custom_tool_result","processed_at":"t","custom_tool_use_id":"k",` +
		`"content":[{"type":"text","text":"x"}],"is_error":true}]
["beta.sessions.events",{"type":"agent.message","processed_at":"t","content":[{"type":"text","text":"Lost."}]}]
["beta.sessions.events",{"type":"session.status_idle","processed_at":"t"}]
["beta.sessions.events",{"type":"user.message","content":"sent"}]`, `s1: | s Be brief. | u Where? |` +
		` (hm) a  0#s bash{"c":1} | 0=y | a  1#m search{} | 1=[] | a  2#k find{"q":7} | 2!=x |` +
		` a Lost. -event session.status_idle×1 -toolset×1
tool find()
message 1 {"processed_at":"t"}
message 8 {"processed_at":"t"}
call 0 by server
call 1 by server`},
	{"mcp-jsonrpc", `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":1,` +
		`"result":{"tools":[{"name":"find","inputSchema":{}}]}},{"jsonrpc":"2.0","id":2,"method":"tools/call",` +
		`"params":{"name":"find","arguments":{"q":7}}},{"jsonrpc":"2.0","method":"notifications/progress"},
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"s":1},` +
		`"isError":false}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"now"}},{"jsonrpc":"2.0","id":3,` +
		`"error":{"code":-32000,"message":"gone"}},
{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":4,` +
		`"error":{"code":1}},{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}},{"jsonrpc":"2.0",` +
		`"id":5,"result":{"resultType":"input_required"}},
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask","requestState":"r","inputResponses":{}}},` +
		`{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","content":[{"type":"text","text":"asked"}]}},` +
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","requestState":"r"}},{"jsonrpc":"2.0",` +
		`"id":9,"result":{"content":[],"isError":true}}]`, `x/0: | a  0#2 find{"q":7} | 0=x | a  1#3 now{} |` +
		` 1!={"code":-32000,"message":"gone"} | -1!={"code":1} | a  2#5 ask{} | 2=asked | a  3#7 ask{} |` +
		` 3!=[] // orphan_result paired_by_order unknown_tool unknown_tool unknown_tool repeated_call -notifications/progress×1 -ping×1 -request of input×1 -response of no tool×1
tool find()
message 1 {"structured_content":{"s":1}}
message 3 {"jsonrpc_error":-32000}
message 4 {"jsonrpc_error":1}
note orphan_result : messages[9]: the result belongs to no call: "{\"code\":1}"
note paired_by_order : messages[15]: the result names no call of the log and was given to ask at messages[14]
note unknown_tool : messages[5]: "now" is not in the tool inventory
note unknown_tool : messages[10]: "ask" is not in the tool inventory
note unknown_tool : messages[14]: "ask" is not in the tool inventory
note repeated_call : messages[14]: ask is called again with the same arguments`},
	{"message-rows", `{"session_id":"s1","message_data":"{\"role\":\"user\",\"content\":\"Where?\"}",` +
		`"tools":[{"name":"find","parameters":{}}]}
{"session_id":"s1","message_data":{"role":"assistant","content":"Lost.","mood":1}}`, `s1: | u Where? | a Lost.
tool find()
message 1 {"mood":1}`},
	{"message-rows", `{"thread_id":"s1","role":"user","content":"Where?","at":1}
{"thread_id":"s2","role":"user","content":"b"}
{"thread_id":"s1","role":5,"content":"c"}`, `s2: | u b
error: x.json[0]: [1].role: the role must be a text and is an integer`},
	{"message-lines", `{"role":"user","content":"Where?"}
{"role":5}`, `error: x.json[0]: [1].role: the role must be a text and is an integer`},
	{"api-bank", `{"role":"User","text":"Where?"}
{"role":"API","api_name":"find","param_dict":{"q":7},"result":{"api_name":"find","input":{},"output":"x",` +
		`"exception":null}}
{"role":"AI","text":"Lost."}`, `x: | u Where? | a  0# find{"q":7} | 0=x | a Lost. // call_without_id`},
	{"mlflow-trace", `{"info":{"trace_id":"t1","assessments":[{"assessment_name":"right","feedback":{"value":true}},` +
		`{"name":"want","expectation":{"value":"x"}}]},"data":{"spans":[{"name":"m","span_id":"1",` +
		`"start_time_unix_nano":1,"attributes":{"mlflow.spanType":"\"CHAT_MODEL\"",` +
		`"mlflow.spanInputs":"{\"messages\":[{\"role\":\"user\",\"content\":\"Where?\"}]}",` +
		`"mlflow.spanOutputs":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"I look.\"}}]}",` +
		`"mlflow.chat.tools":"[{\"name\":\"find\",\"parameters\":{}}]"}},
{"name":"find","context":{"span_id":"2"},"parent_id":"1","start_time":2,"status":{"code":"STATUS_CODE_ERROR"},` +
		`"status_message":"gone","attributes":{"mlflow.spanType":"TOOL","mlflow.spanInputs":"{\"q\":7}"}},{"name":"r",` +
		`"span_id":"3","parent_span_id":"1","start_time_unix_nano":3,"status_code":"ERROR",` +
		`"attributes":{"mlflow.spanType":"RETRIEVER"}}]}}`, `t1: | u Where? | a I look. | a  0#2 find{"q":7} |` +
		` 0!=gone -span retriever×1
extra {"trace_id":"t1","info":{"trace_id":"t1","assessments":[{"assessment_name":"right","feedback":{"value":true}}` +
		`,{"name":"want","expectation":{"value":"x"}}]}}
tool find()
label right 1 of -1
label want 0x of -1
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"mlflow-trace", `{"info":{"request_id":"t2"},"data":{"spans":[{"name":"find","span_id":"2","status_code":"ERROR",` +
		`"attributes":{"mlflow.spanType":"TOOL","mlflow.spanInputs":{"q":7}}},{"name":"l","span_id":"3","start_time":"1",` +
		`"attributes":{"mlflow.spanType":"LLM","mlflow.spanInputs":"A?","mlflow.spanOutputs":"B."}}]}}`, `t2: |` +
		` a  0#2 find{"q":7} | 0!=error | u A? | a B.
extra {"trace_id":"t2","span_id":"2","info":{"request_id":"t2"}}
message 0 {"trace_id":"t2","span_id":"2"}
message 3 {"trace_id":"t2","span_id":"3"}`},
	{"named-conversations", `{"a":{"id":"x","system":"Be brief.","messages":[{"role":"user","content":"Where?"}],` +
		`"tools":[{"name":"find","parameters":{}}],"mark":1},"b":[{"role":"user","content":"b"}],` +
		`"c":{"contents":[{"role":"user","parts":[{"text":"c"}]}],"system_prompt":"s"}}`, `a: | s Be brief. | u Where?
extra {"mark":1}
tool find()
b: | u b
c: | s s | u c`},
	{"opencode", `{"info":{"id":"s1","title":"t","directory":"/w","version":"1","share":"x"},` +
		`"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"Where?"}]},{"info":{"role":"assistant",` +
		`"error":{"name":"e"}},"parts":[{"type":"step-start"},{"type":"reasoning","text":"hm"},{"type":"tool",` +
		`"callID":"k","tool":"find","state":{"status":"completed","input":{"q":7},"output":"x"}},
{"type":"tool","callID":"l","tool":"now","state":{"status":"error","input":{},"error":"gone"}},{"type":"tool",` +
		`"callID":"m","tool":"run","state":{"status":"running","input":{}}},{"type":"snapshot"}]}]}`, `s1: | u Where? |` +
		` (hm) a  0#k find{"q":7} 1#l now{} 2#m run{} | 0=x | 1!=gone // run_error unanswered_call -snapshot×1
extra {"title":"t","directory":"/w","version":"1"}
note run_error : messages[1]: "{\"name\":\"e\"}"`},
	{"opencode", `{"info":{"id":"s1"},"messages":[{"info":{"role":"user"},"parts":[]},{"info":{"role":"critic"},` +
		`"parts":[]}]}`, `error: x.json[0]: messages[1].info: the message has no role that is known`},
	{"opencode-stream", `{"type":"step_start","sessionID":"s1","part":{"type":"step-start"}}
{"type":"text","sessionID":"s1","part":{"type":"text","text":"I look."}}
{"type":"tool_use","sessionID":"s1","part":{"type":"tool","callID":"k","tool":"find","state":{"status":"completed",` +
		`"input":{},"output":"x"}}}
{"type":"error","sessionID":"s1","error":{"name":"e"}}`, `s1: | a I look. 0#k find{} | 0=x // run_error
note run_error : [3]: "{\"name\":\"e\"}"`},
	{"opencode-stream", `{"type":"message.part.updated","properties":{"part":{"id":"p1","messageID":"m1",` +
		`"type":"text","text":"I"}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","messageID":"m1","type":"text","text":"I look."}}}
{"type":"message.updated","properties":{"info":{"id":"m1","role":"assistant","sessionID":"s1"}}}
{"type":"message.updated","properties":{"info":{"id":"m2","role":"user"}}}`, `s1: | a I look. | u`},
	{"openhands", `[{"id":1,"source":"agent","action":"system","args":{"content":"Be brief.","tools":[{"name":"run",` +
		`"parameters":{}}]}},{"id":2,"source":"user","action":"message","args":{"content":"Where?"}},{"id":3,` +
		`"source":"agent","action":"run","args":{"command":"ls","thought":"I look.","blocking":true}},{"id":4,` +
		`"source":"agent","observation":"run","cause":3,"content":"x","success":false},
{"id":5,"source":"environment","observation":"state","content":"s"},{"id":6,"source":"agent","action":"recall",` +
		`"args":{}},{"id":7,"source":"agent","action":"read","args":{"path":"a"}},{"source":"agent","observation":"error",` +
		`"message":"gone"},{"id":8,"source":"agent","action":"finish","args":{"final_thought":"Lost."}}]`, `x/0: |` +
		` s Be brief. | u Where? | a I look. 0# run{"command":"ls"} | 0!=x | a  1# read{"path":"a"} | 1!=gone |` +
		` a Lost. // call_without_id call_without_id paired_by_order paired_by_order unknown_tool -observation without an action×1 -recall×1
tool run()
note paired_by_order : history[3]: the result names no call of the log and was given to run at history[2]
note paired_by_order : history[7]: the result names no call of the log and was given to read at history[6]
note unknown_tool : history[6]: "read" is not in the tool inventory`},
	{"openhands", `[{"kind":"SystemPromptEvent","source":"agent","system_prompt":{"text":"Be brief."},` +
		`"tools":[{"name":"find","parameters":{}}]},{"kind":"MessageEvent","source":"user","llm_message":{"role":"user",` +
		`"content":"Where?"}},{"kind":"ActionEvent","source":"agent","tool_name":"find","tool_call_id":"k",` +
		`"action":{"kind":"A","q":7},"thought":[{"text":"I look."}],"reasoning_content":"hm","llm_response_id":"r"},
{"kind":"ActionEvent","source":"agent","tool_name":"now","tool_call_id":"l",` +
		`"tool_call":{"function":{"arguments":"{\"a\":1}"}},"llm_response_id":"r"},{"kind":"ObservationEvent",` +
		`"source":"environment","tool_call_id":"k","observation":{"output":"x","is_error":true}},` +
		`{"kind":"AgentErrorEvent","source":"agent","tool_call_id":"l","error":"gone"},
{"kind":"ActionEvent","source":"agent","tool_name":"run","tool_call_id":"m","action":{}},` +
		`{"kind":"UserRejectObservation","source":"environment","tool_call_id":"m","rejection_reason":"no"},` +
		`{"kind":"ConversationErrorEvent","source":"agent","detail":"broke"},{"kind":"PauseEvent","source":"user"}]`,
		`x/0: | s Be brief. | u Where? | (hm) a I look. 0#k find{"q":7} 1#l now{"a":1} | 0!=x | 1!=gone | a  2#m run{} |` +
			` 2!=no // run_error unknown_tool unknown_tool -PauseEvent×1
tool find()
note run_error : history[8]: "broke"
note unknown_tool : history[3]: "now" is not in the tool inventory
note unknown_tool : history[6]: "run" is not in the tool inventory`},
	{"openhands", `{"instance_id":"i","instruction":"x","history":[{"source":"user","action":"message",` +
		`"args":{"content":"a"}},5],"error":"stopped"}`,
		`error: x.json[0]: history[1]: an event must be an object and is an integer`},
	{"otel-messages", `{"id":"o1","mark":1,"messages":[{"role":"user","parts":[{"type":"text","content":"Where?"}]},` +
		`{"role":"assistant","parts":[{"type":"tool_call","id":"k","name":"find"},{"type":"server_tool_call","id":"s",` +
		`"server_tool_call":{"type":"web_search","query":"q"}},{"type":"server_tool_call","id":"t","name":"code",` +
		`"server_tool_call":{"type":"x","code":"1"}}]},
{"role":"tool","parts":[{"type":"server_tool_call_response","id":"s",` +
		`"server_tool_call_response":{"type":"web_search","found":1}},{"type":"tool_call_response","id":"k",` +
		`"response":"x"}]}]}`, `o1: | u Where? | a  0#k find{} 1#s web_search{"query":"q"} 2#t code{"code":"1"} |` +
		` 1={"found":1} | 0=x
extra {"mark":1}
call 1 by server
call 2 by server`},
	{"otel-messages", `[{"role":"user","parts":[{"type":"text","content":"a"}]},5]`,
		`error: x.json:1: [1]: a message must be an object and is an integer`},
	{"otel-messages", `{"id":{"a":1},"messages":[{"role":"user","parts":[]}]}`,
		`error: x.json:1: id: the id must be a text and is an object`},
	{"phoenix-spans", `{"data":[{"name":"m","span_kind":"LLM","context":{"trace_id":"t1","span_id":"1"},` +
		`"start_time":"1","attributes":{"llm":{"input_messages":[{"message":{"role":"user","content":"Where?"}}],` +
		`"output_messages":[{"message":{"role":"assistant","content":"Lost."}}]}}},{"name":"find","span_kind":"TOOL",` +
		`"context":{"trace_id":"t1","span_id":"2"},"parent_id":"1","start_time":"2",` +
		`"attributes":"{\"input\":{\"value\":\"{}\"},\"output\":{\"value\":\"x\"}}"}]}`, `t1: | u Where? | a Lost. |` +
		` a  0#2 find{} | 0=x
extra {"trace_id":"t1","span_id":"1"}
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"phoenix-spans", `{"context.trace_id":"t1","context.span_id":"1","attributes.openinference.span.kind":"LLM",` +
		`"attributes.llm.input_messages":[{"message":{"role":"user","content":"Where?"}}],` +
		`"attributes.llm.output_messages":[{"message":{"role":"assistant","content":"Lost."}}]}`, `t1: | u Where? | a Lost.
extra {"trace_id":"t1","span_id":"1"}
message 1 {"trace_id":"t1","span_id":"1"}`},
	{"pi-session", `{"type":"session","id":"s1","cwd":"/w","version":3,"title":"t"}
{"type":"message","message":{"role":"user","content":"Where?"}}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"find",` +
		`"arguments":{"q":7}}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"k","toolName":"find","content":[{"type":"text",` +
		`"text":"x"}],"isError":true}}
{"type":"message","id":"b1","message":{"role":"bashExecution","command":"ls","output":"y","exitCode":0}}
{"type":"message","id":"b2","message":{"role":"bashExecution","command":"no","output":"z","exitCode":1}}
{"type":"message_end","message":{"role":"assistant","content":"Lost."}}
{"type":"model_change"}`, `s1: | u Where? | a  0#k find{"q":7} | 0!=x | u  1#b1 bash{"command":"ls"} | 1=y |` +
		` u  2#b2 bash{"command":"no"} | 2!=z | a Lost. -model_change×1
extra {"cwd":"/w","version":3,"title":"t"}
call 1 by user
call 2 by user`},
	{"promptflow", `{"chat_history":[{"inputs":{"question":"Where?"},"outputs":{"llm_output":{"role":"assistant",` +
		`"content":"I look."},"answer":"Lost."}},{"inputs":{"question":"b"},"outputs":{"llm_output":{"role":"assistant",` +
		`"content":"c"},"output":"c"}}],"question":"And?"}`, `x/1: | u Where? | a I look. | a Lost. | u b | a c | u And?`},
	{"promptflow", `[{"inputs":{"query":"a"},"outputs":{"llm_output":{"role":"assistant","content":"b"}}},{"inputs":{}` +
		`,"outputs":{"llm_output":{"role":5}}}]`,
		`error: x.json:1: chat_history[1].outputs.llm_output.role: the role must be a text and is an integer`},
	{"promptfoo", `{"config":{"providers":[{"id":"p","config":{"tools":[{"name":"find","parameters":{}}]}}]},` +
		`"results":{"results":[{"testIdx":1,"promptIdx":2,"provider":{"id":"p"},"vars":{"v":1},` +
		`"prompt":{"raw":"[{\"role\":\"user\",\"content\":\"Where?\"}]"},"response":{"output":"Lost."},"success":true,` +
		`"score":0.5,"namedScores":{"right":1},"error":"odd"},
{"id":"r2","vars":{},"prompt":{"raw":"a"},"response":{"output":[{"type":"function","id":"k",` +
		`"function":{"name":"find","arguments":"{}"}}]},"success":false,"failureReason":1}]}}`, `test-1/prompt-2: |` +
		` u Where? | a Lost. // run_error
extra {"testIdx":1,"promptIdx":2,"provider":{"id":"p"},"error":"odd"}
sample {"v":1}
tool find()
label success 1 of -1
label score 0.5 of -1
label right 1 of -1
note run_error : error: "odd"
r2: | u a | a  0#k find{} // unanswered_call
extra {"failureReason":1}
sample {}
tool find()
label success 0 of -1`},
	{"qwen-code", `{"sessionId":"s1","type":"user","uuid":"u1","cwd":"/w","version":"1","gitBranch":"main",` +
		`"model":"m","message":{"role":"user","parts":[{"text":"Where?"}]}}
{"sessionId":"s1","type":"assistant","uuid":"u2","message":{"role":"model","parts":[{"functionCall":{"id":"k",` +
		`"name":"find","args":{"q":7}}},{"functionCall":{"id":"l","name":"now","args":{}}}]}}
{"sessionId":"s1","type":"tool_result","uuid":"u3","message":{"role":"user","parts":[{"functionResponse":{"id":"k",` +
		`"name":"find","response":{"error":"gone"}}},{"text":"x"}]}}
{"sessionId":"s1","type":"tool_result","uuid":"u4","toolCallResult":{"status":"cancelled"},` +
		`"message":{"role":"user","parts":[{"functionResponse":{"id":"l","name":"now","response":{"r":1}}}]}}
{"sessionId":"s1","type":"system","uuid":"u5","systemPayload":{"a":1}}`, `s1: | u Where? | a  0#k find{"q":7}` +
		` 1#l now{} | 0!=gone | 1!={"r":1}
extra {"cwd":"/w","version":"1","gitBranch":"main","model":"m"}`},
	{"openai-realtime", `{"type":"session.created","session":{"id":"s1","instructions":"Be brief.",` +
		`"tools":[{"type":"function","name":"find","parameters":{}}]}}
{"type":"session.updated","session":{"id":"s2","instructions":"Be long.","tools":[]}}
{"type":"conversation.item.create","item":{"id":"i0","type":"message","role":"user",` +
		`"content":[{"type":"input_text","text":"twice"}]}}
{"type":"conversation.item.created","item":{"id":"i1","type":"message","role":"user",` +
		`"content":[{"type":"input_audio"}]}}
{"type":"conversation.item.input_audio_transcription.completed","item_id":"i1","transcript":"Where?"}
{"type":"response.output_item.done","item":{"id":"i2","type":"function_call","call_id":"k","name":"find",` +
		`"arguments":"{}"}}
{"type":"conversation.item.create","item":{"id":"i2","type":"function_call_output","call_id":"k","output":"x"}}
{"type":"response.done","response":{"output":[{"id":"i3","type":"message","role":"assistant",` +
		`"content":[{"type":"audio","transcript":"Lost."}]}]}}
{"type":"rate_limits.updated"}`, `s1: | s Be brief. | u Where? | a  0#k find{} | 0=x | a Lost.
tool find()`},
	{"openai-realtime", `{"type":"conversation.item.create","item":{"id":"i1","type":"message","role":"user",` +
		`"content":[{"type":"input_text","text":"a"}]}}
{"type":"response.output_item.done","item":{"id":"i2","role":5}}`,
		`error: x.json[0]: [1].role: the role must be a text and is an integer`},
	{"rubric-example", `{"id":"r1","note":"n","user_kwargs":{"conversation_context":[{"role":"user",` +
		`"content":"Where?"},{"role":"tool","name":"find","parameters":{"q":7},"output":["a"],"is_error":true},` +
		`{"role":"tool","name":"now","args":{},"output":null},{"role":"tool","name":"run","parameters":{}},` +
		`{"role":"assistant","content":"hm"}],"tools_inventory":{"find":{"parameters":{"q":"int"}}},
"tool_call":{"id":"k","function":{"name":"find","arguments":{"q":8}}},"rubric":"right","output":{"output":3}}}`,
		`r1: | u Where? | a  0# find{"q":7} | 0!=a | a  1# now{} | 1=null | a  2# run{} | a hm | a  3#k find{"q":8}` +
			` // unknown_tool unknown_tool
extra {"note":"n","rubric":"right","output":{"output":3}}
tool find(q)
label recorded.right 3 of 3
note unknown_tool : user_kwargs.conversation_context[2]: "now" is not in the tool inventory
note unknown_tool : user_kwargs.conversation_context[3]: "run" is not in the tool inventory`},
	{"rubric-example", `{"conversation_context":"just text","tools_inventory":[],"tool_calls":"[{\"name\":\"f\",` +
		`\"kwargs\":{}},{\"function\":\"g\",\"input\":{}}]","output":{"a":{"output":1},"b":{"output":"x"}}}`, `x/1: |` +
		` u just text | a  0# f{} 1# g{} // context_is_text
extra {"output":{"a":{"output":1},"b":{"output":"x"}}}
label recorded.a 1 of 0
note context_is_text : conversation_context: the context is one text and is kept as one user message`},
	{"rubric-example", `{"conversation_context":"[{\"role\":\"user\",\"content\":\"a\"}]","tool_call":{"name":"f",` +
		`"args":{}},"output":2}`, `x/1: | u a | a  0# f{}
extra {"output":2}
label recorded.output 2 of 0`},
	{"rubric-example", `{"conversation_context":null,"tool_call":"broken"}`,
		`error: x.json:1: tool_call: the call is a text and not JSON: json: unexpected character at byte 0`},
	{"rubric-example", `{"conversation_context":[],"tool_call":[]}`,
		`error: x.json:1: tool_call: the record has no tool_call to judge`},
	{"rubric-example", `{"conversation_context":[5],"tool_call":{"name":"f","args":{}}}`,
		`error: x.json:1: conversation_context[0]: a message must be an object and is an integer`},
	{"rubric-example", `{"conversation_context":[],"tool_calls":[5]}`,
		`error: x.json:1: tool_calls[0]: a call must be an object and is an integer`},
	{"rubric-example", `{"user_kwargs":{"conversation_context":[{"role":5}]},"tool_call":{"name":"f","args":{}}}`,
		`error: x.json:1: user_kwargs.conversation_context[0].role: the role must be a text and is an integer`},
	{"openai-agents-state", `{"$schemaVersion":"1.0","currentTurn":2,"originalInput":"Where?",` +
		`"generatedItems":[{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"k","call_id":"k",` +
		`"name":"find","arguments":"{}"}},{"type":"tool_approval_item","rawItem":{"type":"function_call"}},` +
		`{"type":"message","rawItem":{"role":"assistant","content":"Lost."}}]}`, `x/1: | u Where? | a  0#k find{} |` +
		` a Lost. // unanswered_call
extra {"$schemaVersion":"1.0","currentTurn":2}`},
	{"openai-agents-state", `{"schema_version":"1.0","current_turn":2,"original_input":[{"role":"user",` +
		`"content":"Where?"}],"generated_items":[],"model_responses":[{"output":[{"role":"assistant","content":"Lost."}]}` +
		`]}`, `x/1: | u Where? | a Lost.
extra {"schema_version":"1.0","current_turn":2}`},
	{"openai-agents-state", `{"originalInput":[5],"generatedItems":[]}`,
		`error: x.json:1: originalInput[0]: a message must be an object and is an integer`},
	{"openai-agents-state", `{"originalInput":"a","generatedItems":[5]}`,
		`error: x.json:1: generatedItems[0]: an item must be an object and is an integer`},
	{"swe-agent", `{"environment":"e","info":{"i":1},"replay_config":"r","trajectory":[{"action":"ls",` +
		`"observation":"x"}],"history":[{"role":"system","content":"Be brief."},{"role":"user","content":"demo",` +
		`"is_demo":true},{"role":"user","content":"Where?"},{"role":"assistant","content":"c","thought":"I look.",` +
		`"action":"ls"},{"role":"user","content":"y"},{"role":"assistant","content":"d","action":"cat"}]}`, `x/1: |` +
		` s Be brief. | u Where? | a I look. 0# command{"command":"ls"} | 0=y | a d 1# command{"command":"cat"} |` +
		` 1=x // call_without_id call_without_id paired_by_order paired_by_order -message of a demonstration×1
extra {"environment":"e","info":{"i":1}}
note paired_by_order : history[4]: the result names no call of the log and was given to command at history[3]
note paired_by_order : trajectory[0]: the result names no call of the log and was given to command at history[5]`},
	{"swe-agent", `{"environment":"e","trajectory":[{"action":"ls","observation":"x"}],"history":[5]}`,
		`error: x.json:1: history[0]: a message must be an object and is an integer`},
	{"swe-agent", `{"environment":"e","trajectory":[{"action":"ls","observation":"x","thought":"t"}]}`, `x/1: |` +
		` (t) a  0# action{"action":"ls"} | 0=x // call_without_id
extra {"environment":"e"}`},
	{"tapeagents", `{"metadata":{"id":"t1","author":"a"},"context":{"c":1},"steps":[{"kind":"system",` +
		`"content":"Be brief."},{"kind":"question","content":"Where?"},{"kind":"plan_thought","plan":"p"},` +
		`{"kind":"x_thought","reasoning":"r"},{"kind":"find_action","q":7,"metadata":{"m":1}},{"kind":"find_observation",` +
		`"text":"x","error":"gone"},{"kind":"task","content":"And?"},{"kind":"assistant_step","content":"hm"},` +
		`{"kind":"final_answer","text":"Lost."},{"kind":"other"}]}`, `t1: | s Be brief. | u Where? | (p
r) a  0# find{"q":7} | 0!={"text":"x","error":"gone"} | u And? | a hm |` +
		` a Lost. // unknown_item call_without_id paired_by_order
extra {"metadata":{"id":"t1","author":"a"},"context":{"c":1}}
note unknown_item : steps[9]: a step of kind "other" is not read
note paired_by_order : steps[5]: the result names no call of the log and was given to find at steps[4]`},
	{"tapeagents", `{"metadata":{"id":"t1"},"steps":[{"kind":"user","content":"a"},{"kind":"tool_result",` +
		`"tool_call_id":"k","content":"x"},5]}`, `error: x.json:1: steps[2]: a step must be an object and is an integer`},
	{"toolbench", `{"win":true,"tree":{},"answer_generation":{"query":"q","final_answer":"f",` +
		`"finish_type":"give_answer","function":[{"name":"find","parameters":{}}],"train_messages":[[{"role":"user",` +
		`"content":"old"}],[{"role":"user","content":"Where?"}]]}}`, `x/1: | u Where? // chains_left_out
sample {"query":"q","final_answer":"f","finish_type":"give_answer"}
tool find()
label win 1 of -1
note chains_left_out : answer_generation.train_messages: the last chain is read, the ones before are not`},
	{"toolbench", `{"answer_generation":{"train_messages":[]}}`,
		`error: x.json:1: answer_generation.train_messages: there is no chain of messages`},
	{"tooltalk", `{"conversation_id":"t1","name":"n","user":{"u":1},"metadata":{"m":1},"suites_used":["s"],` +
		`"apis_used":["find"],"mark":1,"conversation":[{"index":0,"role":"user","text":"Where?"},{"index":1,` +
		`"role":"assistant","text":"Lost.","apis":[{"request":{"api_name":"find","parameters":{"q":7}},"response":"x",` +
		`"exception":null}]}]}`, `t1: | u Where? | a  0# find{"q":7} | 0=x | a Lost. // call_without_id
extra {"suites_used":["s"],"mark":1}
sample {"name":"n","user":{"u":1},"metadata":{"m":1},"apis_used":["find"]}
message 0 {"index":0}
message 3 {"index":1}`},
	{"vercel-result", `{"text":"Lost.","mark":1,"messages":[{"role":"user","content":"Where?"}],` +
		`"steps":[{"finishReason":"tool-calls","content":[{"type":"tool-call","toolCallId":"k","toolName":"find",` +
		`"input":{}},{"type":"tool-result","toolCallId":"k","toolName":"find","output":"x"}]},{"stepType":"continue",` +
		`"text":"Lost.","toolCalls":[{"type":"tool-call","toolCallId":"l","toolName":"now","args":{}}],` +
		`"toolResults":[{"type":"tool-result","toolCallId":"l","toolName":"now","result":"y"}]}]}`, `x/1: | u Where? |` +
		` a  0#k find{} | 0=x | a Lost. 1#l now{} | 1=y
extra {"mark":1}`},
	{"vercel-result", `{"steps":[{"stepType":"initial","toolCalls":[],"text":"a",` +
		`"request":{"messages":[{"role":"user","content":"b"}]}},5]}`,
		`error: x.json:1: steps[1]: a step must be an object and is an integer`},
	{"vercel-result", `{"messages":[5],"steps":[{"finishReason":"stop","content":[]}]}`,
		`error: x.json:1: messages[0]: a message must be an object and is an integer`},
	{"when2call", `{"uuid":"u","source":"s","source_id":"i","question":"Where?","tools":[{"name":"find",` +
		`"parameters":{}}],"correct_answer":"tool_call","answers":{"tool_call":"[find(q=7)]","direct":"x"},` +
		`"orig_tools":[]}`, `u: | u Where? | a  0# find{"q":7} // answers_are_calls call_without_id unanswered_call
extra {"answers":{"tool_call":"[find(q=7)]","direct":"x"},"orig_tools":[]}
sample {"source":"s","source_id":"i","correct_answer":"tool_call"}
tool find()
note answers_are_calls : answers: the data set's right answer is read as the agent's`},
	{"when2call", `{"id":"u","question":"Where?","correct_answer":"none","answers":{"direct":"x"}}`,
		`error: x.json:1: correct_answer: none of the answers is called "none"`},
	{"when2call", `{"question":[5],"correct_answer":"none","answers":{}}`,
		`error: x.json:1: question[0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","status":"pass","datasource_item":{"query":"Where?",` +
		`"tool_definitions":[{"name":"find","parameters":{}}]},"results":[{"name":"right","passed":true,"score":0.5},` +
		`{"name":"other","passed":null}],"sample":{"output":[{"role":"assistant","content":"Lost."}],` +
		`"error":{"message":"odd"}}}`, `e1: | u Where? | a Lost. // run_error
extra {"object":"eval.run.output_item","status":"pass"}
sample {"query":"Where?","tool_definitions":[{"name":"find","parameters":{}}]}
tool find()
label right 1 of -1
label right.score 0.5 of -1
note run_error : sample.error: "odd"`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","datasource_item":{"tools":[{"name":"find",` +
		`"parameters":{}}],"sample.output_items":"[{\"role\":\"assistant\",\"content\":\"A\"}]"},` +
		`"sample":{"input":[{"role":"user","content":"Where?"}],"output":[]}}`, `e1: | u Where? | a A
extra {"object":"eval.run.output_item"}
sample {"tools":[{"name":"find","parameters":{}}],"sample.output_items":"[{\"role\":\"assistant\",` +
		`\"content\":\"A\"}]"}
tool find()`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","sample":{"input":[5]}}`,
		`error: x.json:1: sample.input[0]: a message must be an object and is an integer`},
	{"langgraph-stream", `{"run_id":"r1","attempt":1}
{"messages":[{"type":"human","id":"h","content":"Where?"}]}
{"agent":{"messages":[{"type":"ai","id":"a","content":"","tool_calls":[{"id":"k","name":"find","args":{"q":7}}]}]}}
[{"type":"AIMessageChunk","id":"b","content":"Lo","tool_call_chunks":[{"index":0,"id":"l","name":"now","args":"{"}` +
		`]},{"langgraph_node":"agent"}]
[{"type":"AIMessageChunk","id":"b","content":[{"type":"text","text":"st."}],"tool_call_chunks":[{"index":0,` +
		`"args":"}"}]},{"langgraph_node":"agent"}]`, `r1: | u Where? | a  0#k find{"q":7} | a Lost. 1#l now{}` +
		` // unanswered_call unanswered_call`},
	{"jaeger", `{"data":[{"traceID":"t1","spans":[{"traceID":"t1","spanID":"1","operationName":"m","startTime":1,` +
		`"tags":[{"key":"gen_ai.operation.name","value":"chat"},{"key":"gen_ai.prompt","value":"Where?"},` +
		`{"key":"gen_ai.completion","value":"I look."}]},{"traceID":"t1","spanID":"2",` +
		`"operationName":"execute_tool find","startTime":2,"references":[{"refType":"FOLLOWS_FROM","spanID":"9"},` +
		`{"refType":"CHILD_OF","spanID":"1"}],
"tags":[{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"otel.status_code","value":"ERROR"},` +
		`{"key":"otel.status_description","value":"gone"}],"logs":[{"fields":[{"key":"event",` +
		`"value":"gen_ai.tool.message"},{"key":"content","value":"{\"q\":7}"}]}]}]}]}`, `t1: | u Where? | a I look. |` +
		` a  0#2 find{"q":7} | 0!=gone
extra {"trace_id":"t1","span_id":"1"}
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"openai-response", `{"object":"response","id":"r1","instructions":"Be brief.","input":"Where?",` +
		`"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Lost."}]}],` +
		`"tools":[{"type":"function","name":"find","parameters":{}}],"model":"m","labels":{"l":1}}`, `r1: | s Be brief. |` +
		` u Where? | a Lost.
extra {"object":"response","model":"m"}
tool find()
label l 1 of -1`},
	{"openai-response", `{"object":"response","output":[5]}`,
		`error: x.json:1: output[0]: an item must be an object and is an integer`},
	{"openai-response", `{"object":"response","id":[],"output":[]}`,
		`error: x.json:1: id: the id must be a text and is an array`},
	{"openai-responses-request", `{"model":"m","instructions":[{"role":"developer","content":"Be brief."}],` +
		`"input":"Where?","output":"Lost."}`, `x/1: | s Be brief. | u Where? | a Lost.
extra {"model":"m"}`},
	{"openai-responses-items", `[{"type":"message","role":"user","content":"a"},5]`,
		`error: x.json:1: [1]: a message must be an object and is an integer`},
	{"openai-chat-response", `{"object":"chat.completion","id":"c1","model":"m","choices":[{"finish_reason":"stop",` +
		`"message":{"role":"assistant","content":"a"}},{"message":{"role":"assistant","content":"b"}}]}`, `c1: |` +
		` a a -choice×1
extra {"model":"m"}
message 0 {"finish_reason":"stop"}`},
	{"openai-chat-response", `{"object":"chat.completion","choices":[{"message":{"role":5}}]}`,
		`error: x.json:1: choices[0].message.role: the role must be a text and is an integer`},
	{"openai-chat-response", `{"object":"chat.completion","id":{},"choices":[]}`,
		`error: x.json:1: id: the id must be a text and is an object`},
	{"openai-batch-output", `{"custom_id":"c1","response":{"status_code":200,"body":{"object":"chat.completion",` +
		`"id":"x","choices":[{"message":{"role":"assistant","content":"a"}}]}}}
{"custom_id":"c2","response":{"status_code":500,"body":{"error":"e"}}}
{"custom_id":"c3","error":{"code":"x"},"response":null}
{"custom_id":"c4","result":{"message":{"type":"message","role":"assistant","stop_reason":"s",` +
		`"content":[{"type":"text","text":"b"}]}}}
{"custom_id":"c5","response":{"status_code":200,"body":{"odd":1}}}
{"custom_id":"c6","response":{"status_code":200,"body":{"object":"response","output":[5]}}}`, `c1: | a a
c2: // run_error
note run_error : response: the request failed: "{\"status_code\":500,\"body\":{\"error\":\"e\"}}"
c3: // run_error
note run_error : response: the request failed: "{\"code\":\"x\"}"
c4: | a b
extra {"stop_reason":"s"}
error: x.json:5: response.body: the reply has no form that is known: "{\"odd\":1}"
error: x.json:6: output[0]: an item must be an object and is an integer`},
	{"anthropic-message", `{"type":"message","id":"m1","role":"assistant","stop_reason":"s","model":"m",` +
		`"content":[{"type":"text","text":"a"}]}`, `m1: | a a
extra {"stop_reason":"s","model":"m"}`},
	{"anthropic-message", `{"type":"message","id":[],"role":"assistant","stop_reason":"s","content":[]}`,
		`error: x.json:1: id: the id must be a text and is an array`},
	{"cohere", `{"id":"c1","finish_reason":"COMPLETE","usage":{"u":1},"message":{"role":"assistant",` +
		`"content":[{"type":"text","text":"a"}]}}`, `c1: | a a
extra {"finish_reason":"COMPLETE","usage":{"u":1}}
message 0 {"finish_reason":"COMPLETE"}`},
	{"bedrock-converse", `{"requestId":"r1","system":[{"text":"Be brief."}],` +
		`"toolConfig":{"tools":[{"toolSpec":{"name":"find","inputSchema":{"json":{"type":"object"}}}}]},"modelId":"m",` +
		`"messages":[{"role":"user","content":[{"text":"Where?"}]}],"output":{"message":{"role":"assistant",` +
		`"content":[{"text":"Lost."}]}},"stopReason":"end_turn"}`, `r1: | s Be brief. | u Where? | a Lost.
extra {"modelId":"m","stopReason":"end_turn"}
tool find()`},
	{"bedrock-converse", `{"schemaType":"ModelInvocationLog","id":"r1",` +
		`"input":{"inputBodyJson":{"messages":[{"role":"user","content":[{"text":"Where?"}]}]}},` +
		`"output":{"outputBodyJson":{"output":{"message":{"role":"assistant","content":[{"text":"Lost."}]}}}}}`, `r1: |` +
		` u Where? | a Lost.
extra {"schemaType":"ModelInvocationLog"}`},
	{"gemini", `{"id":"g1","contents":[{"role":"user","parts":[{"text":"Where?"}]}],` +
		`"config":{"systemInstruction":"Be brief.","tools":[{"functionDeclarations":[{"name":"find",` +
		`"parametersJsonSchema":{}}]}]},"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"Lost."}]}}` +
		`]},"mark":1}`, `g1: | s Be brief. | u Where? | a Lost.
extra {"mark":1}
tool find()`},
	{"gemini", `[{"role":"user","parts":[{"text":"a"}]},5]`,
		`error: x.json:1: [1]: a message must be an object and is an integer`},
	{"gemini-interactions", `{"object":"interaction","id":"v1_1","status":"completed","model":"m","steps":[5]}`,
		`error: x.json:1: steps[0]: a message must be an object and is an integer`},
	{"http-exchanges", `{"test_id":"h1","url":"https://h/v1","status":200,"request":{"system":"Be brief.",` +
		`"messages":[{"role":"user","content":"Where?"}],"tools":[{"name":"find","input_schema":{}}]},` +
		`"response":{"type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"text",` +
		`"text":"Lost."}]}}
{"url":"https://h/v1","status":500,"request":{"system":"Be brief.","messages":[{"role":"user","content":"Where?"}]}` +
		`,"response":{"choices":[]}}
{"url":"https://h/v1","status":200,"request":{"system":"Be brief.","messages":[{"role":"user","content":"Where?"}]}` +
		`,"response":{"error":{"code":1}}}
{"url":"https://h/v1","status":200,"request":{"system":"Be brief.","messages":[{"role":"user","content":"Where?"}]}` +
		`,"response":" "}
{"url":"https://h/v1","status":200,"request":{"input":[[1,2]]},"response":{}}
{"url":"https://h/v1","status":200,"request":{"input":[1,2]},"response":{}}`, `h1: | s Be brief. | u Where? |` +
		` a Lost. // run_error separate_history run_error
extra {"url":"https://h/v1"}
tool find()
note run_error : status: a request failed with status 500
note separate_history : [1]: the messages do not continue those of an earlier request: only what is new in them was added
note run_error : response: "{\"code\":1}"`},
	{"http-exchanges", `{"url":"https://h/v1","status":404,"request":{"x":1},"response":"no"}`,
		`error: x.json[0]: response: nothing of this exchange can be read: its request holds no messages,` +
			` and a request failed with status 404`},
	{"http-exchanges", `{"url":"https://h/v1","status":200,"request":{"messages":["a"]},"response":{}}`,
		`error: x.json[0]: messages[0]: a message must be an object and is a string`},
	{"request-response", `{"trace_id":"t1","id":"r1","request":{"messages":[{"role":"user","content":"Where?"}]},` +
		`"response":{"choices":[{"message":{"role":"assistant","content":"Lost."}}]},"tools":[{"name":"find",` +
		`"parameters":{}}],"labels":{"l":1},"model":"m"}`, `t1: | u Where? | a Lost.
extra {"trace_id":"t1","model":"m"}
tool find()
label l 1 of -1`},
	{"request-response", `{"request":{"messages":[5]},"response":{"choices":[{"message":{"role":"assistant",` +
		`"content":"Lost."}}]}}`, `error: x.json[0]: messages[0]: a message must be an object and is an integer`},
	{"action-steps", `{"session_id":"a1","mark":1,"tools":[{"name":"find","parameters":{}}],` +
		`"turns":[{"input":"Where?","steps":[{"thought":"hm","action":"find","action_input":{"q":7},"observation":"x"}],` +
		`"output":"Lost."},{"question":"And?","steps":[],"reply":"Bye."}],"system_prompt":"Be brief."}`, `a1: |` +
		` s Be brief. | u Where? | (hm) a  0# find{"q":7} | 0=x | a Lost. | u And? | a Bye. // call_without_id
extra {"session_id":"a1","mark":1,"system_prompt":"Be brief."}
tool find()`},
	{"action-steps", `{"id":"a1","mark":1,"task":"Where?","steps":[{"action":{"name":"find","args":{"q":7}},` +
		`"observation":"x"},{"action":"now(a=1)","observation":"y"},{"action":"look around","observation":"z"},` +
		`{"action":"","observation":"w"}],"bot":"It was lost."}`, `a1: | u Where? | a  0# find{"q":7} | 0=x |` +
		` a  1# now{"a":1} | 1=y | a  2# action{"action":"look around"} | 2=z | a  |` +
		` a It was lost. // call_without_id call_without_id call_without_id
extra {"mark":1}`},
	{"action-steps", `{"task":"a","steps":[{"action":"f","observation":"x"}],"agent":"gpt"}`, `x/0: | u a |` +
		` a  0# action{"action":"f"} | 0=x // call_without_id
extra {"agent":"gpt"}`},
	{"action-steps", `{"input":[5],"steps":[{"action":"f","observation":"x"}]}`,
		`error: x.json[0]: input[0]: a message must be an object and is an integer`},
	{"action-steps", `{"question":"Where?","trajectory":{"thought_0":"hm","tool_name_0":"find","tool_args_0":{"q":7},` +
		`"observation_0":"x","thought_1":"so","tool_name_1":"finish","tool_args_1":{},"observation_1":"done"},` +
		`"answer":"Lost."}`, `x/0: | u Where? | (hm) a  0# find{"q":7} | 0=x | (so) a  1# finish{} | 1=done |` +
		` a Lost. // call_without_id call_without_id`},
	{"action-steps", `{"query":"Where?","agent_thoughts":[{"thought":"hm","tool":"find;now",` +
		`"tool_input":"{\"find\":{\"q\":7},\"now\":{}}","observation":"{\"find\":\"x\"}"},{"thought":"so","tool":"",` +
		`"tool_input":"","observation":""}],"answer":"Lost."}`, `x/0: | u Where? | (hm) a  0# find{"q":7} 1# now{} |` +
		` 0=x | (so) a  | a Lost. // call_without_id call_without_id unanswered_call`},
	{"action-steps", `{"steps":[{"task":"Where?"},{"model_output":"m","tool_calls":[{"id":"j",` +
		`"function":{"name":"now","arguments":{}}},{"id":"k","function":{"name":"python","arguments":"1"}}],` +
		`"observations":"x"}]}`, `x/0: | u Where? | a  0#j now{} 1#k python{} | 1=x // arguments_not_object unanswered_call
note arguments_not_object : steps[1].tool_calls: python: the arguments are an integer, not an object: "1"`},
	{"braintrust", `{"root_span_id":"t1","span_id":"1","span_attributes":{"type":"llm","name":"m"},"created":"1",` +
		`"metadata":{"session_id":"s1","tools":[{"name":"find","parameters":{}}]},"input":[{"role":"user",` +
		`"content":"Where?"}],"output":[{"message":{"role":"assistant","content":"I look."}}],"scores":{"right":0.5}}
{"root_span_id":"t1","span_id":"2","span_parents":["1"],"span_attributes":{"type":"tool","name":"find"},` +
		`"created":"2","input":{"q":7},"error":"gone"}`, `s1: | u Where? | a I look. | a  0#2 find{"q":7} | 0!=gone
extra {"gen_ai_conversation_id":"s1","trace_id":"t1","span_id":"1"}
tool find()
label right 0.5 of -1
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"span-rows", `{"trace_id":"t1","id":"1","type":"llm","start_time":"1","thread_id":"s1",` +
		`"input":{"messages":[{"role":"user","content":"Where?"}]},"output":[{"role":"assistant","content":"Lost."}],` +
		`"feedback_scores":[{"name":"right","value":0.5}]}
{"trace_id":"t1","id":"2","type":"general","start_time":"2","name":"n"}`, `s1: | u Where? | a Lost. -span general×1
extra {"gen_ai_conversation_id":"s1","trace_id":"t1","span_id":"1"}
label right 0.5 of -1
message 1 {"trace_id":"t1","span_id":"1"}`},
	{"span-rows", `{"event":"$ai_generation","uuid":"u","timestamp":"1","properties":{"$ai_trace_id":"t1",` +
		`"$ai_span_id":"1","$ai_session_id":"s1","$ai_input":[{"role":"user","content":"Where?"}],` +
		`"$ai_output_choices":[{"role":"assistant","content":"Lost."}],"$ai_tools":[{"name":"find","parameters":{}}]}}
{"event":"$ai_span","uuid":"u","timestamp":"2","properties":{"$ai_trace_id":"t1","$ai_span_id":"2",` +
		`"$ai_parent_id":"1"}}`, `s1: | u Where? | a Lost. -span span×1
extra {"gen_ai_conversation_id":"s1","trace_id":"t1","span_id":"1"}
tool find()
message 1 {"trace_id":"t1","span_id":"1"}`},
	{"span-rows", `{"id":"1","trace_id":"t1","op_name":"weave:///e/p/op/openai.chat:v1","started_at":"1",` +
		`"inputs":{"messages":[{"role":"user","content":"Where?"}]},"output":{"choices":[{"message":{"role":"assistant",` +
		`"content":"Lost."}}]},"attributes":{}}
{"id":"2","trace_id":"t1","parent_id":"1","op_name":"weave:///e/p/op/find:v1","started_at":"2",` +
		`"attributes":{"weave":{"kind":"tool"}},"inputs":{"q":7},"output":"x","exception":"gone"}`, `t1: | u Where? |` +
		` a Lost. | a  0#2 find{"q":7} | 0!=x
extra {"trace_id":"t1","span_id":"1"}
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"span-rows", `{"attributes":{"trace_id":"t1","span_id":"1","span_kind":"llm","start_ns":1,` +
		`"meta":{"input":{"messages":[{"role":"user","content":"Where?"}]},"output":{"messages":[{"role":"assistant",` +
		`"content":"Lost."}]},"tool_definitions":[{"name":"find","parameters":{}}]}}}
{"trace_id":"t1","span_id":"2","parent_id":"1","name":"find","start_ns":2,"meta":{"span.kind":"tool",` +
		`"input":{"value":"{\"q\":7}"},"output":{"value":"x"}}}`, `t1: | u Where? | a Lost. | a  0#2 find{"q":7} | 0=x
extra {"trace_id":"t1","span_id":"1"}
tool find()
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"span-rows", `{"event_id":"1","event_type":"model","session_id":"s1","event_name":"m","start_time":1,` +
		`"inputs":{"chat_history":[{"role":"user","content":"Where?"}]},"outputs":{"role":"assistant","content":"Lost."},` +
		`"config":{"tools":[{"name":"find","parameters":{}}]}}
{"event_id":"2","event_type":"tool","session_id":"s1","event_name":"find","parent_id":"1","start_time":2,` +
		`"inputs":{"q":7},"outputs":{"r":1}}`, `s1: | u Where? | a Lost. | a  0#2 find{"q":7} | 0={"r":1}
extra {"trace_id":"s1","span_id":"1"}
tool find()
message 1 {"trace_id":"s1","span_id":"1"}
message 2 {"trace_id":"s1","span_id":"2"}`},
	{"wrapped-messages", `{"conversation_id":"w1","mark":1,"system_prompt":"Be brief.","functions":[{"name":"find",` +
		`"parameters":{}}],"history":[{"role":"user","content":"Where?"}],"labels":{"l":1}}`, `w1: | s Be brief. | u Where?
extra {"conversation_id":"w1","mark":1,"system_prompt":"Be brief."}
tool find()
label l 1 of -1`},
	{"wrapped-messages", `{"history":[{"role":"user","content":"a"},5]}`,
		`error: x.json:1: history[1]: a message must be an object and is an integer`},
	{"wrapped-messages", `{"id":[],"history":[{"role":"user","content":"a"}]}`,
		`error: x.json:1: id: the id must be a text and is an array`},
	{"sharegpt", `{"id":"s1","mark":1,"system":"Be brief.","tools":"[{\"name\":\"find\",\"parameters\":{}}]",` +
		`"conversations":[{"from":"human","value":"Where?"},{"from":"function_call","value":"{\"name\":\"find\",` +
		`\"arguments\":{\"q\":7}}"},{"from":"observation","value":"x"},{"from":"function_call","value":"broken"},` +
		`{"from":"gpt","value":"Lost."}]}`, `s1: | s Be brief. | u Where? | a  0# find{"q":7} | 0=x | a broken |` +
		` a Lost. // unknown_role call_without_id paired_by_order
extra {"mark":1,"system":"Be brief."}
tool find()
note unknown_role : conversations[3]: the message of the role "function_call" holds no call that can be read
note paired_by_order : conversations[2]: the result names no call of the log and was given to find at conversations[1].value[0]`},
	{"tau-bench-v1", `[{"task_id":3,"trial":1,"reward":1.0,"mark":1,"info":{"error":"broke",` +
		`"task":{"actions":[{"name":"find","kwargs":{"q":7}}],"outputs":["x",5]}},"traj":[{"role":"user",` +
		`"content":"Where? ###STOP###"}]},{"task_id":4,"reward":0,"info":{"task":{"actions":[]}},` +
		`"traj":[{"role":"assistant","content":"a"}]},
{"task_id":5,"reward":0,"info":{"task":{"actions":[5]}},"traj":[]},{"task_id":6,"reward":0,"info":{}},{"task_id":7,` +
		`"reward":0,"traj":[5]},
{"task_id":8,"reward":null,"traj":[{"role":"assistant","content":null,"tool_calls":[{"id":"k",` +
		`"function":{"name":"transfer_to_human_agents","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k",` +
		`"content":"ok"}]}]`, `x/task-3/trial-1: | u Where? ###STOP### // run_error output_not_text
extra {"mark":1,"info":{"error":"broke","task":{"actions":[{"name":"find","kwargs":{"q":7}}],"outputs":["x",5]}}}
sample {"task_id":3,"trial":1,"terminated":true}
label reward 1 of -1
expected [x 5] false
expected find{"q":7}
note run_error : info.error: "broke"
note output_not_text : info.task.outputs[1]: the expected output is an integer
x/task-4: | a a // expected_no_change
extra {"info":{"task":{"actions":[]}}}
sample {"task_id":4,"trial":null,"terminated":false}
label reward 0 of -1
expected [] false
note expected_no_change : actions: the reference names no call: nothing may change, which calls are right is not known
x/task-8: | a  0#k transfer_to_human_agents{} | 0=ok // label_not_read
sample {"task_id":8,"trial":null,"terminated":true}
note label_not_read : reward: the label must be a finite number, a bool or a word and is "null"
error: x.json[2]: info.task.actions[0].name: an expected call must be an object with the name of a tool
error: x.json[3]: traj: the trajectory has no messages
error: x.json[4]: traj[0]: a message must be an object and is an integer`},
	{"tau2-results", `{"info":{"environment_info":{"policy":"Be brief.","tool_defs":[{"name":"find","parameters":{}}]}` +
		`},"tasks":[{"id":"t1","evaluation_criteria":{"actions":[{"name":"find","arguments":{"q":7},"requestor":"user",` +
		`"compare_args":["q"]}],"communicate_info":["x"]}},{"id":"t2","evaluation_criteria":{"actions":[]}}],
"simulations":[{"id":"s1","task_id":"t1","trial":2,"termination_reason":"agent_error","reward_info":{"reward":0.5,` +
		`"db_check":{"db_match":true}},"mark":1,"messages":[{"role":"user","content":"Where?","tool_calls":[{"id":"u",` +
		`"name":"look","arguments":{}}]},{"role":"tool","id":"u","content":"y","error":true},` +
		`{"tool_messages":[{"role":"tool","id":"z","content":"z"}]}]},
{"id":"s2","task_id":"t2","messages":[]},{"id":"s3","task_id":"t9","messages":[]},{"id":"s4","task_id":"t1",` +
		`"reward_info":{"action_checks":[{"action":{"name":"find","arguments":{"q":8}}},{}],` +
		`"communicate_checks":[{"info":"i"}]},"policy":"Own.","messages":[]},
{"id":"s5","task_id":"t1","reward_info":{"action_checks":[{"action":{"name":"find","arguments":{"q":7},` +
		`"requestor":"user","compare_args":["q"]}}]},"ticks":[{},{}]},{"id":"s6","task_id":"t1","messages":[5]},` +
		`{"id":"s7","task_id":"t1","messages":[{"tool_messages":[5]}]},"odd",5,{"task_id":"t9",` +
		`"reward_info":{"action_checks":[{"action":5}]},"messages":[]}]}`, `s1: | s Be brief. | u Where? 0#u look{} |` +
		` 0!=y | -1=z // run_error orphan_result
extra {"reward_info":{"reward":0.5,"db_check":{"db_match":true}},"mark":1,"task":{"id":"t1",` +
		`"evaluation_criteria":{"actions":[{"name":"find","arguments":{"q":7},"requestor":"user","compare_args":["q"]}],` +
		`"communicate_info":["x"]}}}
sample {"task_id":"t1","trial":2,"termination_reason":"agent_error"}
tool find()
label reward 0.5 of -1
label db_match 1 of -1
expected [x] false
expected find{"q":7}user
call 0 by user
note run_error : termination_reason: agent_error
note orphan_result : messages[2].tool_messages[0]: the result belongs to no call: "z"
s2: | s Be brief. // expected_no_change
extra {"task":{"id":"t2","evaluation_criteria":{"actions":[]}}}
sample {"task_id":"t2","trial":null,"termination_reason":null}
tool find()
expected [] false
note expected_no_change : actions: the reference names no call: nothing may change, which calls are right is not known
s3: | s Be brief. // task_missing
sample {"task_id":"t9","trial":null,"termination_reason":null}
tool find()
note task_missing : task_id: the file has no task "t9": nothing is expected
s4: | s Own. // reference_conflict
extra {"reward_info":{"action_checks":[{"action":{"name":"find","arguments":{"q":8}}},{}],` +
		`"communicate_checks":[{"info":"i"}]},"policy":"Own."}
sample {"task_id":"t1","trial":null,"termination_reason":null}
tool find()
expected [i] false
expected find{"q":8}
note reference_conflict : reward_info.action_checks: the task "t1" of the file has other actions than those by which this simulation was rewarded, which are used
s5: | s Be brief. -tick of a voice call×2
extra {"reward_info":{"action_checks":[{"action":{"name":"find","arguments":{"q":7},"requestor":"user",` +
		`"compare_args":["q"]}}]},"ticks":[{},{}],"task":{"id":"t1","evaluation_criteria":{"actions":[{"name":"find",` +
		`"arguments":{"q":7},"requestor":"user","compare_args":["q"]}],"communicate_info":["x"]}}}
sample {"task_id":"t1","trial":null,"termination_reason":null}
tool find()
expected [x] false
expected find{"q":7}user
error: x.json[5]: messages[0]: a message must be an object and is an integer
error: x.json[6]: messages[0].tool_messages[0]: a message must be an object and is an integer
error: x.json[7]: odd
error: x.json[8]: a simulation must be an object and is an integer
error: x.json[9]: reward_info.action_checks[0].name: an expected call must be an object with the name of a tool`},
	{"tau2-simulation", `{"task_id":"t1","termination_reason":"user_stop","messages":[{"role":"user",` +
		`"content":"Where?"}]}`, `x/task-t1: | u Where?
sample {"task_id":"t1","trial":null,"termination_reason":"user_stop"}`},
	{"bfcl-result", `{"id":"b1","latency":1,"inference_log":[{"step_0":[{"role":"assistant","content":{"role":5}}]}],` +
		`"result":""}`, `error: x.json:1: inference_log[0].step_0.role: the role must be a text and is an integer`},
	{"bfcl-result", `{"id":"b1","latency":1,"inference_log":[{"step_0":[{"role":"assistant","content":["a",` +
		`{"role":5}]}]}],"result":""}`,
		`error: x.json:1: inference_log[0].step_0.role: the role must be a text and is an integer`},
	{"bfcl-result", `{"id":"b1","latency":1,"result":[["a"],[{"role":5}]]}`,
		`error: x.json:1: result[1].role: the role must be a text and is an integer`},
	{"qwen-code", `{"sessionId":"q1","type":"user","message":{"role":"user","parts":[{"text":"Where?"}]}}
{"sessionId":"q1","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"k","name":"find",` +
		`"args":{"q":7}}},{"functionCall":{"id":"l","name":"now","args":{}}}]}}
{"sessionId":"q1","type":"tool_result","toolCallResult":{"status":"success"},"message":{"role":"user",` +
		`"parts":[{"functionResponse":{"id":"k","name":"find","response":{"output":"x"}}},{"text":"t"},` +
		`{"functionResponse":{"id":"l","name":"now","response":{"error":"gone"}}}]}}
{"sessionId":"q1","type":"assistant","message":{"role":5,"parts":[]}}`,
		`error: x.json[0]: [3].role: the role must be a text and is an integer`},
	{"qwen-code", `{"sessionId":"q1","type":"user","message":{"role":"user","parts":[{"text":"Where?"}]}}
{"sessionId":"q1","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"k","name":"find",` +
		`"args":{"q":7}}},{"functionCall":{"id":"l","name":"now","args":{}}}]}}
{"sessionId":"q1","type":"tool_result","toolCallResult":{"status":"success"},"message":{"role":"user",` +
		`"parts":[{"functionResponse":{"id":"k","name":"find","response":{"output":"x"}}},{"text":"t"},` +
		`{"functionResponse":{"id":"l","name":"now","response":{"error":"gone"}}}]}}`,
		`q1: | u Where? | a  0#k find{"q":7} 1#l now{} | 0=x | 1!=gone`},
	{"openai-agents-state", `{"original_input":"Where?","generated_items":[{"type":"message_output_item",` +
		`"raw_item":{"role":5}}]}`,
		`error: x.json:1: generated_items[0].role: the role must be a text and is an integer`},
	{"openai-agents-state", `{"originalInput":"Where?","generatedItems":[{"type":"message_output_item",` +
		`"rawItem":{"role":5}}]}`,
		`error: x.json:1: generatedItems[0].role: the role must be a text and is an integer`},
	{"openai-agents-state", `{"original_input":[5],"generated_items":[]}`,
		`error: x.json:1: original_input[0]: a message must be an object and is an integer`},
	{"request-response", `{"request":{"system":{"content":"a","tool_calls":[5]},"messages":[{"role":"user",` +
		`"content":"a"}]},"response":{"choices":[{"message":{"role":"assistant","content":"b"}}]}}`,
		`error: x.json[0]: system.tool_calls[0]: a call must be an object and is an integer`},
	{"request-response", `{"request":{"system":{"text":"Be brief."},"messages":[{"role":"user","content":"a"}]},` +
		`"response":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}}`, `x/0: |` +
		` s Be brief. | u a | a b`},
	{"request-response", `{"request":{"messages":[{"role":"user","content":"a"}]},"response":{"messages":` +
		`[{"role":"user","content":"a"}]}}`, `x/0: | u a`},
	{"request-response", `{"request":{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]},` +
		`"response":{"messages":[{"role":"user","content":"a"}]}}`, `x/0: | u a | u b | u a`},
	{"codex-exec", `{"id":"0","msg":{"type":"item_completed","item":{"type":"UserMessage","id":"i",` +
		`"content":[{"type":"text","text":"Where?"}]}}}
{"id":"0","msg":{"type":"item_completed","item":"x"}}
{"id":"0","msg":{"type":"item_started","item":{"type":"AgentMessage","id":"j","content":[{"text":"I"}]}}}
{"id":"0","msg":{"type":"item_completed","item":{"type":"AgentMessage","id":"j","content":[{"text":"Lost."}]}}}`,
		`x/0: | u Where? | a Lost. -item_completed×1 -item_started×1`},
	{"codex", `{"type":"session_meta","payload":{"id":"s1"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":"Where?"}}
{"type":"event_msg","payload":{"type":"exec_command_begin","call_id":"k","command":["ls"]}}
{"type":"event_msg","payload":{"type":"exec_command_begin","call_id":"l","command":["df"]}}
{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"k","command":["ls"],"exit_code":0,` +
		`"formatted_output":"x"}}`, `s1: | u Where? | a  0#k exec_command{"command":["ls"]} | 0=x |` +
		` a  1#l exec_command{"command":["df"]} // unanswered_call`},
	{"openhands", `[{"id":0,"source":"user","action":"message","args":{"content":"Where?"}},
{"id":1,"source":"agent","action":"recall","args":{"q":7}},{"id":2,"source":"agent","action":"change_agent_state",` +
		`"args":{"q":7}},{"id":3,"source":"agent","action":"null","args":{"q":7}},
{"id":4,"source":"agent","action":"condensation","args":{"q":7}},{"id":5,"source":"agent",` +
		`"action":"condensation_request","args":{"q":7}},{"id":6,"source":"agent","action":"","args":{"q":7}},
{"id":7,"source":"agent","action":"message","args":{"content":"Lost."}}]`, `x/0: | u Where? | a Lost. -×1` +
		` -change_agent_state×1 -condensation×1 -condensation_request×1 -null×1 -recall×1`},
	{"pydantic-ai", `[{"kind":"request","instructions":"Be brief.","parts":[{"part_kind":"user-prompt",` +
		`"content":"Where?"}]},{"kind":"response","parts":[{"part_kind":"text","content":"Lost."}]},
{"kind":"request","instructions":"Be long.","parts":[{"part_kind":"user-prompt","content":"And?"}]}]`, `x/0: |` +
		` s Be brief. | u Where? | a Lost. | u And?`},
	{"tau2-results", `{"info":{},"tasks":[{"id":"t1","evaluation_criteria":{"actions":[{"name":"find",` +
		`"arguments":{"q":7}}],` +
		`"communicate_info":["x",5]}}],"simulations":[{"id":"s1","task_id":"t1","messages":[{"role":"user",` +
		`"content":"Where?"}]}]}`, `s1: | u Where? // output_not_text
extra {"task":{"id":"t1","evaluation_criteria":{"actions":[{"name":"find","arguments":{"q":7}}],` +
		`"communicate_info":["x",5]}}}
sample {"task_id":"t1","trial":null,"termination_reason":null}
expected [x 5] false
expected find{"q":7}
note output_not_text : communicate_info[1]: the expected output is an integer`},
	{"inspect-json", `{"version":2,"eval":{"task":"t"},"samples":[{"id":"1","epoch":1,"input":"Where?","target":"x",` +
		`"messages":[{"role":"user","content":"Where?"}],"output":{},"scores":{},"store":{},"events":[],"events_data":{},` +
		`"message_pool":[],"call_pool":[],"attachments":{},"model_usage":{},"role_usage":{},"timelines":[],"mark":1,` +
		`"error":{"message":"broke"}}]}`, `1/epoch-1: | u Where? // run_error
extra {"mark":1,"error":{"message":"broke"}}
sample {"task_id":"1","trial":1,"task":"t","target":"x"}
note run_error : error: "broke"`},
	{"inspect-json", `{"version":2,"eval":{"task":"t"},"samples":[{"id":"1","input":"Where?","error":{"code":1},` +
		`"output":{"choices":[{"message":{"role":"assistant","content":"Lost."}}]}},{"id":"2","input":[5]},5]}`,
		`1: | u Where? | a Lost. // run_error
extra {"error":{"code":1}}
sample {"task_id":"1","trial":null,"task":"t","target":null}
note run_error : error: "{\"code\":1}"
error: x.json[1]: input[0]: a message must be an object and is an integer
error: x.json[2]: a sample must be an object and is an integer`},
	{"kimi", `{"type":"metadata","protocol_version":"1"}
{"type":"agent.message.appended","message":{"message":{"role":"user","content":"Where?"}}}
{"type":"context.append_message","message":{"role":"user","content":"Quick."}}
{"type":"context.append_loop_event","event":{"type":"step.begin"}}
{"type":"context.append_loop_event","event":{"type":"tool.call","toolCallId":"k","name":"find","args":{"q":7}}}
{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"k","result":{"output":"gone",` +
		`"isError":true}}}
{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"Lost."}}}
{"type":"other"}`, `x/0: | u Where? | u Quick. | a  0#k find{"q":7} | 0!=gone | a Lost. -other×1`},
	{"kimi", `{"timestamp":1,"message":{"type":"TurnBegin","payload":{"user_input":"Where?"}}}
{"timestamp":2,"message":{"type":"ToolCall","payload":{"id":"k","function":{"name":"find","arguments":"{\"q\""}}}}
{"timestamp":3,"message":{"type":"ToolCallPart","payload":{"arguments_part":":7}"}}}
{"timestamp":4,"message":{"type":"ToolResult","payload":{"tool_call_id":"k","return_value":{"is_error":true,` +
		`"message":"gone"}}}}
{"timestamp":5,"message":{"type":"ToolCall","payload":{"id":"l","function":{"name":"now","arguments":"{}"}}}}`,
		`x/0: | u Where? | a  0#k find{"q":7} | 0!=gone | a  1#l now{} // unanswered_call`},
	{"opencode-stream", `{"type":"message.part.updated","properties":{"part":{"id":"p1","messageID":"m1",` +
		`"type":"text","text":"Lo"}}}
{"type":"message.part.updated","properties":{"part":{"id":"p1","messageID":"m1","type":"text","text":"Lost."}}}
{"type":"message.updated","properties":{"info":{"id":"m2","role":"user","sessionID":"s1"}}}
{"type":"message.part.updated","properties":{"part":{"id":"p2","messageID":"m2","type":"text","text":"And?"}}}`,
		`x/0: | a Lost. | u And?`},
	{"swe-agent", `{"environment":"e","trajectory":[{"action":"f","observation":"x"}],"input":[5]}`,
		`error: x.json:1: input[0]: a message must be an object and is an integer`},
	{"codex-exec", `{"type":"thread.started","thread_id":"t1"}
{"type":"item.completed","item":{"id":"i1","type":"file_change","changes":[],"status":"failed"}}
{"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"ls","aggregated_output":"x",` +
		`"status":"failed"}}`, `t1: | a  0#i1 file_change{"changes":[]} | 0!=failed |` +
		` a  1#i2 command_execution{"command":"ls"} | 1!=x`},
	{"inspect-json", `{"version":2,"eval":{"task":"t"},"samples":[{"id":"1","input":"Where?","events":[{"event":"model",` +
		`"tools":[{"name":"find","parameters":{}}]},{"event":"tool","tools":[{"name":"other","parameters":{}}]},` +
		`{"event":"model","tools":[{"name":"find","parameters":{}},{"name":"now","parameters":{}}]}]}]}`, `1: | u Where?
sample {"task_id":"1","trial":null,"task":"t","target":null}
tool find()
tool now()`},
	{"span-rows", `{"trace_id":"t1","id":"1","type":"llm","start_time":"1","input":{"messages":[{"role":"user",` +
		`"content":"Where?"}]},"output":[{"role":"assistant","content":"I look."}]}
{"trace_id":"t1","id":"2","type":"tool","start_time":"2","name":"find","input":{"input":{"q":7}},` +
		`"output":{"output":{"content":"x","tool_call_id":"k"}}}`, `t1: | u Where? | a I look. | a  0#k find{"q":7} | 0=x
extra {"trace_id":"t1","span_id":"1"}
message 1 {"trace_id":"t1","span_id":"1"}
message 2 {"trace_id":"t1","span_id":"2"}`},
	{"request-response", `{"trace_id":"t1","id":"a","request":{"messages":[{"role":"user","content":"a"}]},` +
		`"response":{"choices":[{"message":{"role":"assistant","content":"b"}}]}}
{"trace_id":"t1","id":"b","request":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},` +
		`{"role":"user","content":"c"}]},"response":{"choices":[{"message":{"role":"assistant","content":"d"}}]}}`,
		`t1: | u a | a b | u c | a d
extra {"trace_id":"t1"}`},
	{"openhands", `[{"id":0,"source":"user","action":"message","args":{"content":"Where?"}},
{"id":1,"source":"agent","action":"run","args":{"command":"ls","thought":"hm","action":"run","keep_prompt":true,` +
		`"is_confirmed":1,"confirmation_state":"c","action_risk":1,"security_risk":1,"hidden":false,"blocking":false,` +
		`"images_urls":[],"image_urls":[]}},
{"id":2,"source":"agent","observation":"run","cause":1,"content":"x"}]`,
		`x/0: | u Where? | a hm 0# run{"command":"ls"} | 0=x // call_without_id paired_by_order
note paired_by_order : history[2]: the result names no call of the log and was given to run at history[1]`},
	{"bedrock-converse", `{"schemaType":"ModelInvocationLog","requestId":"r","input":{"inputBodyJson":{"messages":[5]}}}`,
		`error: x.json:1: messages[0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","datasource_item":{"sample.output_items":[5]}}`,
		`error: x.json:1: datasource_item.sample.output_items[0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","sample":{"output":[5]}}`,
		`error: x.json:1: sample.output[0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e1","datasource_item":{"input":"Where?"},` +
		`"results":[{"name":"right","passed":"","score":[]}],"sample":{"output":[]}}`, `e1: | u Where? // label_not_read` +
		` label_not_read
extra {"object":"eval.run.output_item"}
sample {"input":"Where?"}
note label_not_read : results: the label must be a finite number, a bool or a word and is "\"\""
note label_not_read : results: the label must be a finite number, a bool or a word and is "[]"`},
	{"tau2-results", `{"info":{},"tasks":[],"simulations":[{"termination_reason":"infrastructure_error",` +
		`"reward_info":{"reward":[],"db_check":{"db_match":""}},"messages":[{"role":"user","content":"Where?"}]},` +
		`{"id":"","task_id":"t1","termination_reason":"user_error","messages":[]},` +
		`{"id":"s","termination_reason":"unexpected_error","messages":[]}]}`, `x/0: | u Where? // run_error` +
		` task_missing label_not_read label_not_read
extra {"reward_info":{"reward":[],"db_check":{"db_match":""}}}
sample {"task_id":null,"trial":null,"termination_reason":"infrastructure_error"}
note run_error : termination_reason: infrastructure_error
note task_missing : task_id: the file has no task "": nothing is expected
note label_not_read : reward_info.reward: the label must be a finite number, a bool or a word and is "[]"
note label_not_read : reward_info.db_check.db_match: the label must be a finite number, a bool or a word and is "\"\""
x/task-t1: // run_error task_missing
sample {"task_id":"t1","trial":null,"termination_reason":"user_error"}
note run_error : termination_reason: user_error
note task_missing : task_id: the file has no task "t1": nothing is expected
s: // run_error task_missing
sample {"task_id":null,"trial":null,"termination_reason":"unexpected_error"}
note run_error : termination_reason: unexpected_error
note task_missing : task_id: the file has no task "": nothing is expected`},
	{"gemini-cli", `{"sessionId":"s1","projectHash":"h","messages":[{"id":"m1","type":"user","content":"a",` +
		`"tool_calls":[5]}]}`,
		`error: x.json[0]: messages[0].tool_calls[0]: a call must be an object and is an integer`},
	{"action-steps", `{"steps":[{"action":{"action":"run","q":7},"observation":"x"},{"action":{"type":"go",` +
		`"n":1},"observation":"y"},{"action":{"name":"find","id":"k","q":7},"observation":"z"}]}`,
		`x/0: | a  0# run{"q":7} | 0=x | a  1# go{"n":1} | 1=y | a  2#k find{"id":"k","q":7} | 2=z // call_without_id ` +
			`call_without_id`},
	{"adk-evalset", `{"eval_set_id":"s","eval_cases":[{"eval_id":"e1","conversation":[{"user_content":{"role":"user",` +
		`"parts":[{"text":"a"}],"tool_calls":[5]}}]}]}`,
		`error: x.json[0]: conversation[0].user_content.tool_calls[0]: a call must be an object and is an ` +
			`integer`},
	{"adk-evalset", `{"eval_set_id":"s","eval_cases":[{"eval_id":"e1","conversation":[{"user_content":{"role":"user",` +
		`"parts":[{"text":"a"}]},"intermediate_data":{"tool_uses":[5]}}]}]}`,
		`error: x.json[0]: conversation[0].intermediate_data.tool_uses[0]: a call must be an object and is ` +
			`an integer`},
	{"adk-evalset", `{"eval_set_id":"s","eval_cases":[{"eval_id":"e1","conversation":[{"user_content":{"role":"user",` +
		`"parts":[{"text":"a"}]},"intermediate_data":{"invocation_events":[{"role":5}]}}]}]}`,
		`error: x.json[0]: conversation[0].intermediate_data.invocation_events[0].role: the role must be ` +
			`a text and is an integer`},
	{"adk-evalset", `{"eval_set_id":"s","eval_cases":[{"eval_id":"e1","conversation":[{"user_content":{"role":"user",` +
		`"parts":[{"text":"a"}]},"final_response":{"role":"model","parts":[],"tool_calls":[5]}}]}]}`,
		`error: x.json[0]: conversation[0].final_response.tool_calls[0]: a call must be an object and ` +
			`is an integer`},
	{"amp", `{"id":"T-1","v":1,"messages":[{"role":"user","content":"Where?"},{"role":"assistant","content":[{"type":"tool_use",` +
		`"id":"k","name":"find","input":{"q":7}},{"type":"tool_use","id":"l","name":"run","input":{}}]},{"role":"user",` +
		`"content":[{"type":"tool_result","toolUseID":"k","run":{"status":"error"}},{"type":"tool_result",` +
		`"toolUseID":"l","run":{"status":"rejected-by-user","reason":"no"}}]},{"role":"assistant","text":"Lost."}]}`,
		`T-1: | u Where? | a  0#k find{"q":7} 1#l run{} | 0!=error | 1!=no | a Lost.`},
	{"antigravity", `{"step_index":0,"status":"DONE","type":"USER_INPUT","source":"USER","content":"Where?"}
{"type":"USER_INPUT","source":"USER","content":"<USER_REQUEST> And? </USER_REQUEST> more"}
{"type":"USER_INPUT","source":"USER","content":"<USER_REQUEST>open"}
{"type":"PLANNER_RESPONSE","source":"MODEL","content":"","tool_calls":[5]}`,
		`error: x.json[0]: [3].tool_calls[0]: a call must be an object and is an integer`},
	{"openai-chat", `{"id":"c","messages":[{"role":"assistant","tool_calls":[{"id":"k","name":"f","arguments":"['a',` +
		` None]"},{"id":"l","name":"f","arguments":"None"}]}]}`, `c: | a  0#k f{} 1#l f{} // arguments_not_object ` +
		`arguments_not_object unanswered_call unanswered_call
note arguments_not_object : messages[0].tool_calls[0]: f: the arguments are a Python literal and not a dict: ` +
		`"['a', None]"
note arguments_not_object : messages[0].tool_calls[1]: f: the arguments are a Python literal and not a dict: ` +
		`"None"`},
	{"deepeval", `{"turns":[{"role":"assistant","content":"a","tools_called":[5]}],"chatbot_role":"clerk"}`,
		`error: x.json[0]: turns[0].tools_called[0]: a call must be an object and is an integer`},
	{"deepeval-trace", `{"uuid":"u","llmSpans":[{"uuid":"1","type":"llm","input":[{"role":"assistant","content":"a",` +
		`"tool_calls":[5]},{"role":"user","content":"b"}]}],"toolSpans":[]}`,
		`error: x.json:1: span 1: input[0].tool_calls[0]: a call must be an object and is an integer`},
	{"deepeval-trace", `{"uuid":"u","input":"Where?","llmSpans":[],"toolSpans":[{"uuid":"t","type":"tool",` +
		`"name":"find","input":null,"output":"x","startTime":"1","toolsCalled":[{"inputParameters":{}}]},` +
		`{"uuid":"v","type":"tool","name":"now","input":{},"output":"y","startTime":"2"}],"output":{"role":"assistant",` +
		`"content":"Lost."}}`, `u: | u Where? | a  0#t find{} | 0=x | a  1#v ` +
		`now{} | 1=y | a Lost. // arguments_not_recorded
message 1 {"span_id":"t"}
message 3 {"span_id":"v"}
note arguments_not_recorded : span t: the trace holds no arguments of the call`},
	{"deepeval-trace", `{"uuid":"u","llmSpans":[],"toolSpans":[],"output":{"role":"assistant","tool_calls":[5]}}`,
		`error: x.json:1: output.tool_calls[0]: a call must be an object and is an integer`},
	{"deepeval-trace", `{"uuid":"u","llmSpans":[{"uuid":"1","type":"llm","input":"Where?","output":[{"role":"assistant",` +
		`"content":"I look."},{"name":"find","input":{"q":7}}]},{"uuid":"2","type":"llm","input":"And?","output":[{"role":"model",` +
		`"content":{"type":"text","text":"Lost."}},{"a":1}]}],"toolSpans":[]}`,
		`error: x.json:1: span 2: output[1].role: the message has no role (its keys are "a")`},
	{"deepeval-trace", `{"uuid":"u","llmSpans":[{"uuid":"1","type":"llm","input":"Where?","output":[{"role":"assistant",` +
		`"content":"I look."},{"name":"find","input":{"q":7}}]},{"uuid":"2","type":"llm","input":"And?","output":[{"role":"model",` +
		`"content":{"type":"text","text":"Lost."}}]}],"toolSpans":[]}`,
		`u: | u Where? | a I look. | a  0# find{"q":7} | u And? | a Lost. // call_without_id unanswered_call`},
	{"deepeval-trace", `{"uuid":"u","llmSpans":[{"uuid":"1","type":"llm","input":"a","output":{"role":5}}],` +
		`"toolSpans":[]}`,
		`error: x.json:1: span 1: output.role: the role must be a text and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":[[5]],` +
		`"output":[]}}`,
		`error: x.json:1: sample.input[0][0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":[[{"role":"user",` +
		`"content":"Where?"}],[{"role":"user","content":"And?"}]],"output":[]}}`, `e: | u Where? | u And?
extra {"object":"eval.run.output_item"}
sample {}`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":{"messages":[5]},` +
		`"output":[]}}`,
		`error: x.json:1: sample.input.messages[0]: a message must be an object and is an integer`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":{"a":1},` +
		`"output":[]}}`, `e: | u {"a":1} // content_not_text
extra {"object":"eval.run.output_item"}
sample {}
note content_not_text : sample.input: the content is an object, not a text`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":{"question":"Where?"},` +
		`"output":[]}}`, `e: | u Where?
extra {"object":"eval.run.output_item"}
sample {}`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":[{"type":"text",` +
		`"text":"a"},{"type":"text","text":"b"}],"output":[]}}`, `e: | u a
b
extra {"object":"eval.run.output_item"}
sample {}`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":[{"type":"text",` +
		`"role":"assistant","content":"b"}],"output":[]}}`, `e: | a b
extra {"object":"eval.run.output_item"}
sample {}`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":{"role":"user",` +
		`"content":"Where?"},"output":[]}}`, `e: | u Where?
extra {"object":"eval.run.output_item"}
sample {}`},
	{"openai-evals", `{"object":"eval.run.output_item","id":"e","datasource_item":{},"sample":{"input":{"role":5},` +
		`"output":[]}}`,
		`error: x.json:1: sample.input[0].role: the role must be a text and is an integer`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":["{\"name\":\"f\",\"arguments\":{\"a\":1}}",` +
		`"g(b=2)",{"h":{"c":3}}]}`,
		`r: | u a | a  0# f{"a":1} 1# g{"b":2} 2# h{"c":3} // call_without_id call_without_id call_without_id ` +
			`unanswered_call unanswered_call unanswered_call`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":{"a":1}}`, `r: | u a | a {"a":1} // content_not_text
note content_not_text : result: the content is an object, not a text`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":{"a":{},"b":{}}}`, `r: | u a | a {"a":{},"b":{}} // content_not_text
note content_not_text : result: the content is an object, not a text`},
	{"function-rows", `{"id":"r","question":[["a"],[{"role":5}]],"function":[],"result":[["x"],["y"]]}`,
		`error: x.json:1: question[0][0]: a message must be an object and is a string`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":[["x"],{"role":5}]}`,
		`error: x.json:1: result[1].role: the role must be a text and is an integer`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":"x","output":{"a":1}}`,
		`error: x.json:1: expected_calls[0].name: an expected call must be an object with the name of a tool`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":"x","output":"words"}`, `r: | u a | a x
extra {"output":"words"}`},
	{"function-rows", `{"id":"r","question":"a","function":[],"result":"x","output":"f(a=1)"}`, `r: | u a | a x
expected [] false
expected f{"a":1}`},
	{"function-rows", `{"id":"r","question":"a","function":[],"answers":[{"name":"f","arguments":{}},{"name":"var_result",` +
		`"arguments":{"r":"$1"}}]}`, `r: | u a | a  0# f{} // answers_are_calls call_without_id ` +
		`unanswered_call
extra {"var_result":{"r":"$1"}}
note answers_are_calls : answers: the data set's answer is read as the agent's calls: there is no reference ` +
		`left`},
	{"openai-agents-session", `[{"role":"user","content":"a"},{"type":"mcp_list_tools","tools":[{"name":"find",` +
		`"input_schema":{}},{}]},{"type":"function_call","call_id":"k","name":"find","arguments":"{}"}]`, `x/1: | u a | a  0#k find{} // tool_not_read ` +
		`unanswered_call
tool find()
note tool_not_read : tools[1]: a tool has no name: "{}"`},
	{"anthropic-managed-agents", `{"type":"user.message","processed_at":"t","content":[{"type":"text","text":"a"}],` +
		`"tool_calls":[5]}`,
		`error: x.json[0]: events[0].tool_calls[0]: a call must be an object and is an integer`},
	{"mcp-jsonrpc", `[{"jsonrpc":"2.0","id":1,"method":"initialize"},{"jsonrpc":"2.0","id":1,"result":{"content":[]}},` +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find"}},{"jsonrpc":"2.0","id":2,` +
		`"result":{"content":[{"type":"text","text":"x"}]}},{"jsonrpc":"2.0","id":3,"result":{"a":1}}]`,
		`x/0: | a  0#2 find{} | 0=x -initialize×1 -response of no tool×2`},
	{"openhands", `[{"id":0,"action":"message","args":{"content":"a"}},{"id":1,"action":"run","args":{"command":"ls"}},` +
		`{"id":2,"source":"user","action":"message","args":{"content":"b"}},{"id":3,"action":"message","args":{"content":"c"}}]`,
		`x/0: | u a | a  0# run{"command":"ls"} | u b | a c // call_without_id unanswered_call`},
	{"promptfoo", `{"prompt":{"raw":"Where?"},"testCase":{},"response":{"output":"Lost."},"testIdx":0,"promptIdx":1,` +
		`"success":true}`, `test-0/prompt-1: | u Where? | a Lost.
extra {"testCase":{},"testIdx":0,"promptIdx":1}
label success 1 of -1`},
	{"promptfoo", `{"results":{"results":[{"prompt":{"raw":"[5]"},"testCase":{},"response":{}}]}}`,
		`error: x.json[0]: prompt.raw[0]: a message must be an object and is an integer`},
	{"pydantic-ai", `[{"kind":"request","parts":[{"part_kind":"system-prompt","content":"Be brief."},{"part_kind":"user-prompt",` +
		`"content":"Where?"}]},{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"find","args":"{}",` +
		`"tool_call_id":"k"}]},{"kind":"request","parts":[{"part_kind":"retry-prompt","tool_name":"find",` +
		`"tool_call_id":"k","content":"wrong"},{"part_kind":"retry-prompt","content":"Again."}]}]`,
		`x/1: | s Be brief. | u Where? | a  0#k find{} | 0!=wrong | u Again.`},
	{"rubric-example", `{"id":[],"conversation_context":[],"tools_inventory":[],"tool_call":{"name":"f","arguments":{}}}`,
		`error: x.json:1: id: the id must be a text and is an array`},
	{"rubric-example", `{"conversation_context":[{"role":"tool","name":"f","output":"x"},{"role":"tool","name":"g",` +
		`"parameters":{"a":1}},{"role":"tool","name":"h","output":[1],"is_error":true},{"role":"tool","name":"i",` +
		`"output":null}],"tools_inventory":[{"name":"f","parameters":{"a":{"type":"int","optional":true},` +
		`"b":{"type":"int","optional":false},"c":"optional string","d":{"type":"str","required":false},"e":"int"}}],` +
		`"tool_call":{"name":"f","arguments":{}}}`, `x/1: | a  0# f{} | 0=x | a  1# g{"a":1} | a ` +
		` 2# h{} | 2!=[1] | a  3# i{} | 3=null | a  4# f{} // unknown_tool unknown_tool unknown_tool
tool f(a, b, c, d, e)
note unknown_tool : conversation_context[1]: "g" is not in the tool inventory
note unknown_tool : conversation_context[2]: "h" is not in the tool inventory
note unknown_tool : conversation_context[3]: "i" is not in the tool inventory`},
	{"event-stream", `{"type":"response.completed","response":{"id":"r","output":[5]}}
{"type":"response.created","response":{"id":"s"}}`,
		`error: x.json[0]: [0]: a message must be an object and is an integer`},
	{"openai-chat", `{"id":"c","tools":"none","messages":[{"role":"user","content":"Where?"}]}`, `c: | u Where? // tool_not_read
note tool_not_read : tools: the inventory is a text: "none"`},
	{"openai-chat", `{"id":"c","tools":5,"messages":[{"role":"user","content":"Where?"}]}`, `c: | u Where? // tool_not_read
note tool_not_read : tools: the inventory is an integer`},
	{"openai-chat", `{"id":"c","tools":{"tools":[{"name":"f"}]},"messages":[{"role":"user","content":"Where?"}]}`, `c: | u Where?
tool f()`},
	{"otlp-logs", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"t1","timeUnixNano":"1","eventName":"gen_ai.user.message",` +
		`"body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"Where?"}}]}}},{"traceId":"t1",` +
		`"timeUnixNano":"2","eventName":"gen_ai.choice","body":{"kvlistValue":{"values":[{"key":"message",` +
		`"value":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"Lost."}}]}}}]}}},{"traceId":"t1",` +
		`"timeUnixNano":"3","eventName":"gen_ai.user.message","body":{"kvlistValue":{"values":[{"key":"content",` +
		`"value":{"stringValue":"And?"}}]}}},{"traceId":"t1","timeUnixNano":"4","eventName":"gen_ai.choice",` +
		`"body":{"kvlistValue":{"values":[{"key":"message","value":{"kvlistValue":{"values":[{"key":"content",` +
		`"value":{"stringValue":"Gone."}}]}}}]}}}]}]}]}`, `t1: | u Where? | a Lost. | u And? | a Gone. ` +
		`// separate_history
extra {"trace_id":"t1"}
message 1 {"trace_id":"t1"}
message 3 {"trace_id":"t1"}
note separate_history : spans[2]: the messages do not continue those of an earlier request: only what is ` +
		`new in them was added`},
	{"wrapped-messages", `{"session_id":"s","request":{"tools":[{"name":"find","parameters":{}}]},"dialogue":[{"role":"user",` +
		`"content":"Where?"},{"role":"assistant","content":"Lost."}],"system":"Be brief."}`, `s: | s Be brief. | u Where? | a Lost.
extra {"session_id":"s","request":{"tools":[{"name":"find","parameters":{}}]},"system":"Be brief."}`},
	{"codex-exec", `{"type":"thread.started","thread_id":"t"}
{"type":"error","message":"odd"}
{"type":"item.completed","item":{"id":"e","type":"error","message":"late"}}
{"id":"0","msg":{"type":"item_completed","item":{"type":"AgentMessage","id":"m","content":[{"type":"Text",` +
		`"text":"Lost."}]}}}
{"id":"0","msg":{"type":"error","message":"inner"}}`, `t: | a Lost. // run_error run_error run_error
note run_error : [1]: "odd"
note run_error : "late"
note run_error : "inner"`},
	{"kimi", `{"type":"metadata","protocol_version":"1"}
{"type":"agent.message.appended","message":{"message":{"role":5}}}`,
		`error: x.json[0]: [1].role: the role must be a text and is an integer`},
	{"kimi-context", `{"role":"_system_prompt","content":"Be brief.","tool_calls":[5]}`,
		`error: x.json[0]: [0].tool_calls[0]: a call must be an object and is an integer`},
	{"kimi-context", `{"role":"_usage"}
{"role":"user","content":"a","tool_calls":[5]}`,
		`error: x.json[0]: [1].tool_calls[0]: a call must be an object and is an integer`},
	{"kimi", `{"timestamp":1,"message":{"type":"ToolCall","payload":{"id":"k","function":{"name":"find","arguments":"{}"}}}}
{"timestamp":2,"message":{"type":"StatusUpdate","payload":{}}}`,
		`x/0: | a  0#k find{} // unanswered_call -StatusUpdate×1`},
	{"wrapped-messages", `{"session_id":"s","available_tools":[{"name":"find","parameters":{}}],"inputs":{"tools":[{"name":"now"}]},` +
		`"dialogue":[{"role":"user","content":"Where?"},{"role":"assistant","content":"Lost."}]}`, `s: | u Where? | a Lost.
extra {"session_id":"s","available_tools":[{"name":"find","parameters":{}}],"inputs":{"tools":[{"name":"now"}]}}
tool find()`},
	{"tapeagents", `{"metadata":{"id":"t"},"steps":[{"kind":"user","content":"a","tool_calls":[5]}]}`,
		`error: x.json:1: steps[0].tool_calls[0]: a call must be an object and is an integer`},
	{"tapeagents", `{"metadata":{"id":"t"},"steps":[{"kind":"final_answer","content":"a","tool_calls":[5]}]}`,
		`error: x.json:1: steps[0].tool_calls[0]: a call must be an object and is an integer`},
	{"openai-batch-output", `{"custom_id":"a","error":{"code":"x"},"result":{"type":"expired"}}
{"custom_id":"b","error":null,"response":{"status_code":500,"body":{"error":1}}}
{"custom_id":"c","response":{"body":{"a":1}}}
{"custom_id":"d","result":{"type":"errored"}}`, `a: // run_error
note run_error : response: the request failed: "{\"code\":\"x\"}"
b: // run_error
note run_error : response: the request failed: "{\"status_code\":500,\"body\":{\"error\":1}}"
d: // run_error
note run_error : response: the request failed: "{\"type\":\"errored\"}"
error: x.json:3: response.body: the reply has no form that is known: "{\"a\":1}"`},
	{"codex-exec", `{"id":"0","msg":{"type":"error","item":{"text":"deep"}}}
{"type":"turn.failed","error":{"message":"gone"}}
{"id":"0","msg":{"type":"patch_apply_end","call_id":"k","changes":{},"success":false}}
{"id":"0","msg":{"type":"web_search_end","call_id":"l","query":"q"}}
{"id":"0","msg":{"type":"mcp_tool_call_end","call_id":"m","invocation":{"tool":"find","arguments":{"q":7}},` +
		`"result":{"Err":"lost"}}}
{"id":"0","msg":{"type":"exec_command_end","call_id":"n","command":["ls"],"exit_code":0,"stdout":"x","status":"failed"}}
{"id":"0","msg":{"type":"user_message","message":"a"}}
{"id":"0","msg":{"type":"agent_reasoning","text":"hm"}}`, `x/0: | a  0#k patch_apply{"changes":{}} | 0!= ` +
		`| a  1#l web_search{"query":"q"} 2#m find{"q":7} | 2!=lost | a  3#n exec_command{"command":["ls"]} ` +
		`| 3!=x | u a | (hm) a  // run_error run_error unanswered_call
note run_error : "deep"
note run_error : [1]: "gone"`},
	{"openai-chat", `{"id":"c","id":"d","messages":[{"role":"user","content":"Where?"}]}`, `d: | u Where? // repeated_key
note repeated_key : keys that occur twice in their object: 1; the last value counts`},
	{"openinference-flat", `{"context":{"trace_id":"0xt","span_id":"0x1"},"name":"m","start_time":"1","attributes":{"gen_ai.operation.name":"chat",` +
		`"gen_ai.input.messages":"words","gen_ai.output.messages":"[5,{\"parts\":[{\"type\":\"text\",\"content\":\"Lost.\"}]}]"}}`, `t: | a Lost. // messages_not_read message_not_read ` +
		`-message that cannot be read×1
extra {"trace_id":"t","span_id":"1"}
message 0 {"trace_id":"t","span_id":"1"}
note messages_not_read : span 1: gen_ai.input.messages: this must be a list and is "words"
note message_not_read : span 1: gen_ai.output.messages[0]: the message has no role (its keys are (none))`},
	{"openinference-flat", `{"context":{"trace_id":"0xt","span_id":"0x1"},"name":"m","start_time":"1","attributes":{"gen_ai.operation.name":"chat",` +
		`"gen_ai.system_instructions":"\"Be brief.\"","gen_ai.input.messages":"{\"role\":\"user\",\"parts\":[{\"type\":\"text\",` +
		`\"content\":\"Where?\"}]}"}}
{"context":{"trace_id":"0xt","span_id":"0x2"},"name":"m","start_time":"2","attributes":{"gen_ai.operation.name":"chat",` +
		`"gen_ai.system_instructions":"Be long.","gen_ai.input.messages":[{"role":"user","parts":[{"type":"text",` +
		`"content":"And?"}]}]}}`, `t: | s Be brief. | u Where? | s Be long. | u ` +
		`And? // separate_history
extra {"trace_id":"t","span_id":"1"}
note separate_history : span 2: the messages do not continue those of an earlier request: only what is new ` +
		`in them was added`},
	{"dotnet-messages", `[{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"Where?"}]},{"Role":{"Label":"assistant"},` +
		`"Items":[{"$type":"FunctionCallContent","Id":"k","PluginName":"shop","FunctionName":"find","Arguments":{"Q":7}}]},` +
		`{"Role":{"Label":"tool"},"Content":"x","Items":[{"$type":"TextContent","Text":"x"}],"Metadata":{"ChatCompletionsToolCall.Id":"k"}}]`, `x/1: | u Where? | a  0#k shop-find{"Q":7} | ` +
		`0=x
message 2 {"metadata":{"chatCompletionsToolCall.Id":"k"}}`},
	{"goose", `{"id":"g","working_dir":"/s","message_count":1,"conversation":[{"role":"user","created":1,` +
		`"content":[{"type":"text","text":"Where?"}]},{"role":"assistant","created":2,"content":[{"type":"redactedThinking",` +
		`"data":"x"},{"type":"thinking","thinking":"hm"},{"type":"frontendToolRequest","id":"k","toolCall":{"name":"find",` +
		`"arguments":{"q":7}}},{"type":"image","data":"x"}]},{"role":"user","created":3,"content":[{"type":"toolResponse",` +
		`"id":"k","toolResult":{"status":"error","error":"gone"}}]},{"role":"critic","created":4,"content":[]}]}`, `g: | u Where? | (hm) a  0#k find{"q":7} | 0!=gone ` +
		`-image×1 -line without a message×1
extra {"working_dir":"/s"}`},
	{"goose", `{"working_dir":"/s","message_count":1,"conversation":[5]}`,
		`error: x.json[0]: [0]: a message must be an object and is an integer`},
	{"codex-exec", `{"type":"item.completed","item":{"id":"a","type":"mcp_tool_call","invocation":{"tool":"find",` +
		`"arguments":{"q":7}},"result":{"Ok":{"content":[{"type":"text","text":"x"}]}}}}
{"type":"item.completed","item":{"id":"b","type":"tool_call","name":"now","input":{"z":1},"results":"noon",` +
		`"success":true}}
{"type":"item.completed","item":{"id":"c","type":"web_search","query":"q","status":"in_progress"}}
{"type":"item.completed","item":{"id":"d","type":"reasoning","summary_text":["so","it"]}}
{"type":"item.completed","item":{"id":"e","type":"command_execution","command":"ls","formatted_output":"y",` +
		`"exit_code":0}}
{"type":"item.completed","item":{"id":"f","type":"agent_message","text":"Lost."}}`, `x/0: | a  0#a find{"q":7} | 0=x | a  1#b now{"z":1} ` +
		`| 1=noon | a  2#c web_search{"query":"q"} | (so
it) a  3#e command_execution{"command":"ls"} | 3=y | a Lost. // unanswered_call`},
	{"amp", `{"id":"T-1","v":1,"title":"t","created":5,"agentMode":"smart","messages":[{"role":"user","content":[{"type":"text",` +
		`"text":"Where?"}]},{"role":"assistant","content":[{"type":"tool_use","id":"k","name":"find","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","toolUseID":"k","run":{"status":"done","result":"x"}}]}]}`, `T-1: | u Where? | a  0#k find{} | 0=x
extra {"title":"t","created":5,"agentMode":"smart"}`},
	{"copilot-chat", `{"sessionId":"s","inputState":{},"mark":1,"requests":[{"requestId":"r","message":{"text":"Where?"},` +
		`"response":[{"kind":"thinking","value":"hm"},{"value":"I "},{"kind":"markdownContent","content":{"value":"look."}},` +
		`{"kind":"toolInvocationSerialized","toolCallId":"k","toolId":"find","toolSpecificData":{"kind":"terminal",` +
		`"language":"sh","command":"ls"},"resultDetails":{"output":[{"value":"x"},{"text":"y"}]}},{"kind":"progress"}]},` +
		`{"requestId":"q","message":{"text":"And?"},"result":{"metadata":{"toolCallRounds":[{"response":"So.",` +
		`"toolCalls":[{"id":"a","name":"now","arguments":"{}"},{"id":"b","name":"run","arguments":"{}"}]}],` +
		`"toolCallResults":{"a":{"content":[{"value":"noon"}]}}}}}]}`, `s: | u Where? | (hm) a I look. 0#k find{"command":"ls"} ` +
		`| 0=x
y | u And? | a So. 1#a now{} 2#b run{} | 1=noon // unanswered_call -progress×1
extra {"mark":1}`},
	{"copilot-chat", `{"requests":[{"requestId":"r","message":{"text":"a"}},5]}`,
		`error: x.json:1: requests[1]: a request must be an object and is an integer`},
	{"copilot-cli", `{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1","version":2,"context":{"a":1},` +
		`"x":1}}
{"type":"user.message","data":{"content":"Where?"}}
{"type":"system.message","data":{"content":"Be brief."}}
{"type":"assistant.message","data":{"content":"","reasoningText":"hm","toolRequests":[{"toolCallId":"k","name":"find",` +
		`"arguments":{"q":7}}]}}
{"type":"tool.execution_start","data":{"toolCallId":"k","toolName":"find","arguments":{"q":7}}}
{"type":"tool.execution_complete","data":{"toolCallId":"k","success":false,"error":"gone"}}
{"type":"tool.execution_start","data":{"toolCallId":"l","toolName":"now","arguments":{}}}
{"type":"tool.execution_complete","data":{"toolCallId":"l","success":true,"result":{"content":"noon"}}}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"l","name":"now","arguments":{}}]}}
{"type":"session.error","data":{"message":"odd"}}
{"type":"session.idle","data":{}}`, `s: | u Where? | s Be brief. | (hm) a  0#k find{"q":7} ` +
		`| 0!=gone | a  1#l now{} | 1=noon // run_error -session.idle×1
extra {"copilotVersion":"1","version":2,"context":{"a":1}}
note run_error : [9]: "odd"`},
	{"copilot-cli", `{"type":"user.message","data":{"content":"a"}}
{"type":"assistant.message","data":{"content":"b","toolRequests":[5]}}`,
		`error: x.json[0]: [1].tool_calls[0]: a call must be an object and is an integer`},
	{"letta-messages", `{"message_type":"user_message","id":"1","content":"Where?"}
{"message_type":"reasoning_message","id":"2","reasoning":"hm"}
{"message_type":"approval_request_message","id":"3","tool_call":{"tool_call_id":"k","name":"find","arguments":"{}"}}
{"message_type":"tool_return_message","id":"4","tool_call_id":"k","status":"error","tool_return":"gone"}
{"message_type":"usage_message","id":"5"}
{"message_type":"tool_call_message","id":"6","tool_calls":[5]}`,
		`error: x.json[0]: [5].tool_calls[0]: a call must be an object and is an integer`},
	{"letta", `{"agents":[{"agent_type":"a","llm_config":{},"messages":[5]}]}`,
		`error: x.json[0]: messages[0]: a message must be an object and is an integer`},
	{"autogen", `{"source":"user","type":"TextMessage","content":"Where?"}
{"source":"a","type":"ThoughtEvent","content":"hm"}
{"source":"a","type":"ToolCallRequestEvent","content":[{"id":"k","name":"find","arguments":"{}"}]}
{"source":"a","type":"ToolCallExecutionEvent","content":[{"call_id":"k","content":"gone","is_error":true}]}
{"source":"a","type":"ToolCallSummaryMessage","content":"gone"}
{"source":"a","type":"OddMessage","content":"o"}
{"source":"a","type":"HandoffMessage","content":"I hand over."}`,
		`x/0: | u Where? | (hm) a  0#k find{} | 0!=gone | a I hand over. -OddMessage×1 -ToolCallSummaryMessage×1`},
	{"autogen", `{"source":"a","type":"ToolCallRequestEvent","content":[{"id":"k","name":"find","arguments":"{}"},` +
		`5]}`,
		`error: x.json[0]: [0].tool_calls[1]: a call must be an object and is an integer`},
	{"atif", `{"schema_version":"ATIF-v2.0","steps":[]}
{"schema_version":"ATIF-v1.9","session_id":"s","steps":[{"source":"user","message":"Where?"},{"source":"agent",` +
		`"message":"x","is_copied_context":true}]}
{"schema_version":"ATIF-v1.8","steps":[5]}
{"schema_version":"ATIF-v1.8","steps":[{"source":"agent","message":"a","tool_calls":[5]}]}
{"schema_version":"ATIF-v1.x","steps":[]}`, `s: | u Where? // newer_version -copied step×1
extra {"session_id":"s"}
note newer_version : schema_version: "ATIF-v1.9" is newer than ATIF-v1.8, the newest that is known
error: x.json[0]: schema_version: "ATIF-v2.0" cannot be read: ATIF-v1 can
error: x.json[2]: steps[0]: a step must be an object and is an integer
error: x.json[3]: steps[0].tool_calls[0]: a call must be an object and is an integer
error: x.json[4]: schema_version: "ATIF-v1.x" cannot be read: ATIF-v1 can`},
	{"openai-assistants", `{"id":"m","object":"thread.message","thread_id":"t","created_at":1,"role":"","content":[]}`,
		`error: x.json[0]: [0].role: the message has no role (its keys are "role", "content")`},
	{"opencode", `{"info":{"id":"s"},"messages":[{"info":{"role":"critic"},"parts":[]}]}`,
		`error: x.json[0]: messages[0].info: the message has no role that is known`},
	{"opencode", `{"info":{"id":"s","title":"t","directory":"/d","version":"1","x":1},"messages":[{"info":{"role":"user"},` +
		`"parts":[{"type":"text","text":"Where?"}]},{"info":{"role":"assistant","error":{"name":"odd"}},"parts":[{"type":"step-start"},` +
		`{"type":"reasoning","text":"hm"},{"type":"tool","callID":"k","tool":"find","state":{"status":"error",` +
		`"input":{"q":7},"error":"gone"}},{"type":"tool","callID":"l","tool":"now","state":{"status":"running",` +
		`"input":{}}},{"type":"patch"}]}]}`, `s: | u Where? | (hm) a  0#k find{"q":7} 1#l ` +
		`now{} | 0!=gone // run_error unanswered_call -patch×1
extra {"title":"t","directory":"/d","version":"1"}
note run_error : messages[1]: "{\"name\":\"odd\"}"`},
	{"openai-realtime", `{"type":"conversation.item.created","item":{"id":"i","type":"message","role":5}}`,
		`error: x.json[0]: [0].role: the role must be a text and is an integer`},
	{"action-steps", `{"question":"Where?","trajectory":{"thought_0":"hm","tool_name_0":"find","tool_args_0":{"q":7},` +
		`"observation_0":"x","thought_1":"done","tool_name_1":"now","tool_args_1":{},"observation_1":"noon"},` +
		`"answer":"Lost."}`,
		`x/0: | u Where? | (hm) a  0# find{"q":7} | 0=x | (done) a  1# now{} | 1=noon | a Lost. // call_without_id ` +
			`call_without_id`},
	{"rubric-example", `{"conversation_context":[],"tools_inventory":[],"tool_call":"f("}
{"conversation_context":[],"tools_inventory":[],"tool_call":[]}
{"conversation_context":[],"tools_inventory":[],"tool_call":"{\"name\":\"f\",\"arguments\":{}}","output":{"a":{"output":3},` +
		`"b":{"output":"x"}}}
{"conversation_context":"words","tools_inventory":[],"tool_call":{"function":"f","kwargs":{"a":1}},"output":0.5,` +
		`"rubric":"r"}
{"conversation_context":5,"tools_inventory":[],"tool_call":{"name":"f"}}
{"conversation_context":null,"tools_inventory":[],"tool_calls":[{"id":"k","function":{"name":"f","arguments":"{}"}},` +
		`5]}`, `x/3: | a  0# f{}
extra {"output":{"a":{"output":3},"b":{"output":"x"}}}
label recorded.a 3 of 0
x/4: | u words | a  0# f{"a":1} // context_is_text
extra {"output":0.5,"rubric":"r"}
label recorded.r 0.5 of 0
note context_is_text : conversation_context: the context is one text and is kept as one user message
error: x.json:1: tool_call: the call is a text and not JSON: json: unexpected character at byte 0
error: x.json:2: tool_call: the record has no tool_call to judge
error: x.json:5: conversation_context: this must be a list of messages and is an integer
error: x.json:6: tool_calls[1]: a call must be an object and is an integer`},
	{"native", `{"id":"c","messages":[{"role":"user","content":"Where?"}],"expected_calls":[{"name":"f","arguments":"x"}]}
{"id":"d","messages":[{"role":"user","content":"Where?"}],"expected_calls":[{"name":"f","args":[5]}]}
{"id":"e","messages":[{"role":"user","content":"Where?"}],"expected_calls":5}
{"id":"f","messages":[{"role":"user","content":"Where?"}],"only_expected_calls":"x"}
{"id":"g","messages":[{"role":"user","content":"Where?"}],"labels":5}
{"id":"h","messages":[{"role":"user","content":"Where?"}],"labels":[{"value":1},{"name":"a","value":1,"call_index":-1},` +
		`{"name":"b","value":"w","call_index":0},{"name":"c","value":1,"call_index":1.5}]}
{"id":"i","messages":[{"role":"user","content":"Where?"}],"functions":[{"name":"f"}],"tools":[{"name":"g"}]}
{"id":"j","messages":[{"role":"user","content":"Where?"}],"tools":[{"name":"g"}],"functions":[{"name":"f"}]}`, `g: | u Where? // label_not_read
note label_not_read : labels: the labels must be an object or a list and are an integer
h: | u Where? // label_not_read label_not_read label_not_read
label b 0w of 0
note label_not_read : labels[0]: the label has no name
note label_not_read : labels[1].call_index: the call index must be a whole number from 0 and is "-1"
note label_not_read : labels[3].call_index: the call index must be a whole number from 0 and is "1.5"
i: | u Where?
tool g()
j: | u Where?
extra {"functions":[{"name":"f"}]}
tool g()
error: x.json:1: expected_calls[0].arguments: the arguments are no JSON: json: unexpected character at byte ` +
		`0
error: x.json:2: expected_calls[0].args: the arguments must be an object and are an array
error: x.json:3: expected_calls: this must be a list of calls and is an integer
error: x.json:4: only_expected_calls: this must be true or false and is a string`},
	{"http-exchanges", `{"url":"u","request":{"messages":[{"role":"user","content":"Where?"}]},"status":200,` +
		`"response":"words"}
{"url":"u","request":{"x":1},"status":500,"response":{"a":1}}`, `x/1: | u Where? // stream_not_read
extra {"url":"u"}
note stream_not_read : response: the response is a text and not an event stream: "words"
error: x.json[0]: response: nothing of this exchange can be read: its request holds no messages, and a request ` +
		`failed with status 500`},
}

// TestWhatStandsBesideMessages: the ids, tools, labels, references and other keys of records are kept as their formats
// say, and a wrong element is told with its place.
func TestWhatStandsBesideMessages(t *testing.T) {
	for i, tt := range besideLogs {
		if d, err := Detect([]byte(tt.log)); d.Format != tt.format || err != nil {
			t.Errorf("row %d is taken for %q, %v", i, d.Format, err)
		}
		if got := inFull(t, tt.log, Options{Format: tt.format}); got != tt.want {
			t.Errorf("row %d of %s reads as\n%s\nwant\n%s", i, tt.format, got, tt.want)
		}
	}
}
