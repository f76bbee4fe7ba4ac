package format

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
)

// TestRulesOfFormats: each form of a record by which a format is recognised, and records that come close to it.
func TestRulesOfFormats(t *testing.T) {
	for _, tt := range []struct {
		format  string
		yes, no []string
	}{
		{"langfuse-chatml", []string{`{"50d470aa18418652":{"input":{"success":true,"data":1}}}`,
			`{"50d470aa18418652":{"output":{"success":true,"error":1}}}`},
			[]string{`{}`, `{"50d470aa1841865":{"input":{"success":true,"data":1}}}`,
				`{"50d470aa18418652":{"input":{"success":true}}}`, `{"50d470aa18418652":{"input":{"data":1}}}`}},
		{"monocle", []string{`{"spans":[{"attributes":{"monocle_apptrace.version":1}}]}`,
			`{"attributes":{"entity.1.type":1}}`}, []string{`{"attributes":{}}`}},
		{"adk-session", []string{`{"events":[{"author":"a","content":1}]}`, `{"events":[{"author":"a","actions":1}]}`},
			[]string{`{"events":[{"author":"a"}]}`, `{"events":[{"content":1}]}`}},
		{"adk-eval-list", []string{`{"query":1,"expected_tool_use":1}`, `{"data":[{"query":1,"expected_tool_use":1}]}`},
			[]string{`{"query":1}`, `{"expected_tool_use":1}`}},
		{"openai-assistants", []string{`{"thread_id":"t","object":"thread.run"}`, `{"data":[{"thread_id":"t",` +
			`"object":"thread.run"}]}`, `{"messages":[{"thread_id":"t","object":"thread.message"}]}`,
			`{"messages":{"data":[{"thread_id":"t","object":"thread.message"}]}}`, `{"steps":[{"thread_id":"t",` +
				`"object":"thread.run.step"}]}`, `{"steps":{"data":[{"thread_id":"t","object":"thread.run.step"}]}}`,
			`{"run_steps":[{"thread_id":"t","object":"thread.run.step"}]}`, `{"run_steps":{"data":[{"thread_id":"t",` +
				`"object":"thread.run.step"}]}}`, `{"runs":[{"thread_id":"t","object":"thread.run"}]}`,
			`{"runs":{"data":[{"thread_id":"t","object":"thread.run"}]}}`},
			[]string{`{"object":"thread.run"}`, `{"thread_id":"t","object":"run"}`}},
		{"autogen", []string{`{"source":"a","content":1,"type":"TextMessage"}`, `{"messages":[{"source":"a","content":1,` +
			`"type":"ToolCallMessage"}]}`, `{"inner_messages":[{"source":"a","content":1,"type":"ToolCallResultMessage"}]}`},
			[]string{`{"source":"a","content":1,"type":"Other"}`, `{"source":"a","type":"TextMessage"}`, `{"content":1,` +
				`"type":"TextMessage"}`}},
		{"autogen-state", []string{`{"version":1,"type":"TeamState","agent_states":{}}`, `{"version":1,` +
			`"type":"AgentState","llm_context":{}}`}, []string{`{"type":"TeamState","agent_states":{}}`, `{"version":1,` +
			`"type":"Team","agent_states":{}}`, `{"version":1,"type":"TeamState"}`}},
		{"openai-batch-output", []string{`{"custom_id":"c","response":{"body":1}}`, `{"custom_id":"c",` +
			`"result":{"message":1}}`, `{"custom_id":"c","error":{}}`}, []string{`{"response":{"body":1}}`,
			`{"custom_id":"c","error":"x"}`}},
		{"bfcl-result", []string{`{"id":1,"result":1,"input_token_count":1}`, `{"id":1,"result":1,"latency":1}`,
			`{"id":1,"result":1,"inference_log":1}`}, []string{`{"id":1,"result":1}`, `{"id":1,"latency":1}`, `{"result":1,` +
			`"latency":1}`}},
		{"claude-code", []string{`{"type":"summary","leafUuid":"l"}`, `{"type":"file-history-snapshot","snapshot":{}}`,
			`{"type":"user","uuid":"u","message":{"role":"user"}}`, `{"type":"system","sessionId":"s","uuid":"u"}`,
			`{"type":"progress","sessionId":"s","parentUuid":"u"}`,
			`{"type":"queue-operation","sessionId":"s","operation":"o"}`, `{"type":"last-prompt","sessionId":"s",` +
				`"messageId":"m"}`, `{"type":"user","timestamp":"t","message":{"content":"a"}}`, `{"type":"assistant",` +
				`"parent_tool_use_id":null,"message":{"content":"a"}}`,
			`{"type":"attachment","leafUuid":"l"}`, `{"type":"custom-title","leafUuid":"l"}`, `{"type":"permission-mode",` +
				`"leafUuid":"l"}`, `{"type":"mode","leafUuid":"l"}`, `{"type":"ai-title","leafUuid":"l"}`,
			`{"type":"agent-name","leafUuid":"l"}`, `{"type":"pr-link","leafUuid":"l"}`},
			[]string{`{"type":"other","leafUuid":"l"}`, `{"type":"user","leafUuid":"l","systemPayload":1}`, `{"type":"user",` +
				`"uuid":"u","message":{"role":"user","parts":[]}}`, `{"type":"user","sessionId":"s"}`, `{"type":"user",` +
				`"uuid":"u"}`, `{"type":"user","timestamp":5,"message":{"content":"a"}}`,
				`{"type":"user","timestamp":"t","session_id":"s","message":{"content":"a"}}`, `{"type":"user","timestamp":"t",` +
					`"message":{}}`}},
		{"claude-stream", []string{`{"session_id":"s","type":"assistant","message":{},"uuid":"u"}`, `{"session_id":"s",` +
			`"type":"user","message":{},"parent_tool_use_id":null}`, `{"session_id":"s","type":"system","subtype":"init",` +
			`"uuid":"u"}`, `{"session_id":"s","type":"system","subtype":"init","mcp_servers":[]}`,
			`{"session_id":"s","type":"stream_event","event":{}}`, `{"session_id":"s","type":"result","num_turns":1}`,
			`{"session_id":"s","type":"result","total_cost_usd":1}`, `{"messages":[{"direction":"d","message":{"type":"t"}}` +
				`]}`},
			[]string{`{"session_id":"s","sessionId":"s","type":"result","num_turns":1}`, `{"type":"result","num_turns":1}`,
				`{"session_id":"s","type":"result"}`, `{"session_id":"s","type":"user","message":{}}`, `{"session_id":"s",` +
					`"type":"user","message":"m","uuid":"u"}`, `{"session_id":"s","type":"system","uuid":"u"}`,
				`{"session_id":"s","type":"system","subtype":"i"}`, `{"session_id":"s","type":"stream_event"}`,
				`{"session_id":"s","type":"other","uuid":"u"}`, `{"messages":[{"direction":"d","message":{}}]}`,
				`{"messages":[{"message":{"type":"t"}}]}`}},
		{"codex", []string{`{"type":"session_meta","payload":{}}`, `{"type":"response_item","payload":{}}`,
			`{"type":"event_msg","payload":{}}`, `{"type":"turn_context","payload":{}}`, `{"type":"compacted","payload":{}` +
				`}`, `{"id":1,"timestamp":1,"instructions":null}`},
			[]string{`{"type":"session_meta","payload":1}`, `{"type":"other","payload":{}}`, `{"id":1,"timestamp":1,` +
				`"instructions":1,"type":"t"}`, `{"id":1,"timestamp":1}`, `{"timestamp":1,"instructions":1}`, `{"id":1,` +
				`"instructions":1}`}},
		{"codex-exec", []string{`{"type":"item.started","item":{"type":"t"}}`, `{"type":"thread.started"}`, `{"id":"0",` +
			`"msg":{"type":"t"}}`}, []string{`{"type":"item.started","item":{}}`, `{"type":"x","item":{"type":"t"}}`,
			`{"msg":{"type":"t"}}`, `{"id":"0","msg":{}}`}},
		{"copilot-chat", []string{`{"requests":[{"message":{"text":"a"},"requestId":"r"}]}`,
			`{"requests":[{"message":{"text":"a"},"response":[]}]}`}, []string{`{"requests":[{"message":{"text":"a"}}]}`,
			`{"requests":[{"message":{},"requestId":"r"}]}`}},
		{"copilot-cli", []string{`{"type":"session.start","data":{}}`, `{"type":"user.message","prompt":"p"}`,
			`{"type":"assistant.turn_start","data":{}}`, `{"type":"assistant.message","output":"o"}`,
			`{"type":"tool.execution_start","data":{}}`},
			[]string{`{"type":"session.start"}`, `{"type":"other","data":{}}`, `[{"type":"session.start","data":{}},` +
				`{"type":"tool.call"}]`}},
		{"cursor-stream", []string{`{"type":"tool_call","subtype":"s","tool_call":{}}`}, []string{`{"type":"tool_call",` +
			`"tool_call":{}}`, `{"type":"tool_call","subtype":"s","tool_call":1}`, `{"type":"x","subtype":"s","tool_call":{}` +
			`}`}},
		{"cursor", []string{`{"role":"user","message":{"content":[]}}`}, []string{`{"role":"user",` +
			`"message":{"content":"a"}}`, `{"message":{"content":[]}}`, `{"role":"user","type":"t","message":{"content":[]}` +
			`}`, `{"role":"user","content":1,"message":{"content":[]}}`, `{"role":"user","uuid":1,"message":{"content":[]}}`}},
		{"cline-ui-messages", []string{`{"ts":1,"type":"say","say":"s"}`, `{"ts":1,"type":"ask","ask":"a"}`},
			[]string{`{"type":"say","say":"s"}`, `{"ts":1,"type":"say"}`, `{"ts":1,"type":"ask","say":"s"}`, `{"ts":1,` +
				`"say":"s","ask":"a"}`}},
		{"deepeval", []string{`{"tools_called":[],"input":1}`, `{"toolsCalled":[],"turns":1}`, `{"expected_tools":[],` +
			`"input":1}`, `{"expectedTools":[],"input":1}`, `{"turns":[],"scenario":1}`, `{"turns":[],` +
			`"expected_outcome":1}`, `{"turns":[],"expectedOutcome":1}`, `{"turns":[],"chatbot_role":1}`,
			`{"testCases":[{"toolsCalled":[],"input":1}]}`, `{"conversationalTestCases":[1]}`},
			[]string{`{"tools_called":[]}`, `{"input":1}`, `{"turns":1,"scenario":1}`, `{"turns":[]}`, `{"scenario":1}`,
				`{"testCases":[{}]}`, `{"conversationalTestCases":[]}`}},
		{"deepeval-trace", []string{`{"baseSpans":1}`, `{"llmSpans":[],"toolSpans":[]}`}, []string{`{"llmSpans":[]}`,
			`{"toolSpans":[]}`, `{"llmSpans":[],"toolSpans":1}`}},
		{"dotnet-messages", []string{`{"Role":"user","Items":[]}`, `{"Role":{"Label":"user"},"Contents":[]}`,
			`{"Role":"user","Content":1}`, `{"Messages":[{"Role":"user","Content":1}]}`, `{"messages":[{"Role":"user",` +
				`"Content":1}]}`, `{"ChatHistory":[{"Role":"user","Content":1}]}`}, []string{`{"Role":"user"}`, `{"Role":"x",` +
			`"Content":1}`, `{"Content":1}`}},
		{"function-rows", []string{`{"question":1,"function":1}`, `{"query":1,"functions":1}`, `{"input":1,"tools":1}`,
			`{"instruction":1,"available_tools":1}`, `{"prompt":1,"tools":1}`, `{"user_query":1,"tools":1}`,
			`{"utterance":1,"tools":1}`, `{"question":1,"ground_truth":"f()"}`, `{"question":1,"result":"f()"}`,
			`{"id":1,"result":"f()"}`, `{"category":1,"raw":"f()"}`, `{"category":1,"raw":1}`}, []string{`{"question":1}`,
			`{"function":1}`, `{"result":"f()"}`, `{"question":1,"function":1,"messages":1}`, `[1]`, `{"question":1,` +
				`"result":"x"}`}},
		{"gemini-cli", []string{`{"sessionId":1,"projectHash":1}`, `{"type":"gemini","toolCalls":1,"id":1}`},
			[]string{`{"sessionId":1}`, `{"type":"gemini","id":1}`, `{"type":"x","toolCalls":1,"id":1}`}},
		{"gemini-stream", []string{`{"type":"init","session_id":1,"model":1,"timestamp":1}`, `{"type":"tool_use",` +
			`"tool_id":1,"tool_name":1}`, `{"type":"tool_result","tool_id":1,"status":1}`}, []string{`{"type":"init",` +
			`"session_id":1,"model":1,"timestamp":1,"subtype":1}`, `{"type":"init","session_id":1,"model":1}`,
			`{"type":"tool_use","tool_id":1}`, `{"type":"tool_result","status":1}`, `{"type":"x"}`}},
		{"glaive", []string{`{"chat":"USER: a ASSISTANT: b"}`, `{"sample":"USER: a ASSISTANT: b"}`},
			[]string{`{"chat":"USER: a"}`, `{"chat":"ASSISTANT: a"}`}},
		{"goose", []string{`{"working_dir":1,"message_count":1}`, `{"role":"user","created":1,"content":[]}`,
			`{"message":{"role":"user","created":1,"content":[]}}`}, []string{`{"working_dir":1}`, `{"role":"user",` +
			`"content":[]}`, `{"created":1,"content":[]}`, `{"role":"user","created":1,"content":"a"}`}},
		{"grok", []string{`{"type":"system","content":1}`, `{"type":"user","content":1}`, `{"type":"assistant",` +
			`"tool_calls":[]}`, `{"type":"tool_result","content":1}`}, []string{`{"type":"user"}`, `{"type":"x",` +
			`"content":1}`, `{"type":"user","content":1,"role":1}`, `{"type":"user","content":1,"message":1}`,
			`{"type":"user","content":1,"id":1}`, `{"type":"user","content":1,"time":1}`, `{"type":"user","content":1,"ts":1}`,
			`{"type":"user","content":1,"timestamp":1}`, `{"type":"user","content":1,"sid":1}`}},
		{"kimi", []string{`{"message":{"type":1,"payload":1}}`, `{"type":"context.append_message"}`,
			`{"type":"agent.message.appended"}`, `{"type":"metadata","protocol_version":1}`},
			[]string{`{"message":{"type":1}}`, `{"type":"metadata"}`, `{"protocol_version":1}`}},
		{"langchain-messages", []string{`[{"type":"human","content":1}]`, `[{"lc":1,"kwargs":{}}]`,
			`{"messages":[{"type":"ai","data":1}]}`, `{"values":{"messages":[{"type":"system","content":1}]}}`,
			`{"channel_values":{"messages":[{"type":"tool","content":1}]}}`,
			`{"checkpoint":{"channel_values":{"messages":[{"type":"function","content":1}]}}}`,
			`{"output":{"messages":[{"type":"chat","content":1}]}}`, `{"outputs":{"messages":[{"type":"ai","content":1}]}}`,
			`{"result":{"messages":[{"type":"ai","content":1}]}}`, `{"state":{"messages":[{"type":"ai","content":1}]}}`,
			`{"output":[{"type":"ai","content":1}]}`, `{"outputs":[{"type":"ai","content":1}]}`},
			[]string{`[{"type":"human"}]`, `[{"type":"human","content":1,"role":"x"}]`, `[{"type":"x","content":1}]`,
				`[{"lc":1}]`}},
		{"langfuse-observation", []string{`{"trace_id":1,"type":1,"parent_observation_id":null}`, `{"traceId":1,` +
			`"type":"SPAN"}`, `{"observations":[{"traceId":1,"type":"SPAN"}]}`, `{"traces":[{"observations":[{"traceId":1,` +
			`"type":"SPAN"}]}]}`}, []string{`{"trace_id":1,"type":1}`, `{"traceId":1,"type":"span"}`, `{"traceId":1,` +
			`"type":""}`, `{"type":"SPAN"}`}},
		{"langsmith-run", []string{`{"dotted_order":1}`, `{"run_type":1,"trace_id":1}`, `{"post":[],"patch":1}`},
			[]string{`{"run_type":1}`, `{"trace_id":1}`, `{"post":1,"patch":1}`, `{"post":[]}`}},
		{"letta", []string{`{"agent_type":1,"llm_config":1}`, `{"in_context_message_ids":1,"memory_blocks":1}`,
			`{"agents":[{"agent_type":1,"messages":1}]}`}, []string{`{"agent_type":1}`, `{"llm_config":1}`}},
		{"letta-messages", []string{`{"message_type":"user_message","id":1}`, `{"message_type":"user_message","date":1}`,
			`{"message_type":"user_message","otid":1}`}, []string{`{"message_type":"user_message"}`,
			`{"message_type":"other","id":1}`}},
		{"anthropic-managed-agents", []string{`{"type":"agent.message","processed_at":1}`, `{"type":"user.message",` +
			`"processed_at":1}`, `{"type":"session.x","processed_at":1}`, `{"type":"span.x","processed_at":1}`,
			`["beta.sessions.create",{}]`}, []string{`{"type":"agent","processed_at":1}`, `{"type":"agent.message"}`,
			`["beta.sessions.create"]`, `["x",{}]`}},
		{"mlflow-trace", []string{`{"info":1,"data":{"spans":[]}}`}, []string{`{"data":{"spans":[]}}`, `{"info":1,` +
			`"data":{}}`}},
		{"opencode", []string{`{"info":{"role":1},"parts":[]}`, `{"messages":[{"info":{"role":1},"parts":[]}]}`},
			[]string{`{"info":{"role":1}}`, `{"info":{},"parts":[]}`}},
		{"opencode-stream", []string{`{"type":1,"sessionID":1,"part":{}}`, `{"properties":{"part":1}}`},
			[]string{`{"type":1,"part":{}}`, `{"sessionID":1,"part":{}}`, `{"type":1,"sessionID":1,"part":1}`,
				`{"properties":{}}`}},
		{"openhands", []string{`{"action":"a","source":"agent"}`, `{"observation":"o","source":"user"}`, `{"action":"a",` +
			`"source":"environment"}`, `{"action":"a","extras":1}`, `{"action":"a","action_risk":1}`, `{"observation":"o",` +
			`"cause":1}`, `{"action":"a","images_urls":1}`, `{"kind":"AEvent","source":1}`, `{"kind":"AEvent",` +
			`"llm_message":1}`,
			`{"history":[{"action":"a","source":"agent"}]}`, `{"history":[[{"action":"a","source":"agent"}]]}`},
			[]string{`{"action":"a","source":"x"}`, `{"action":{},"source":"agent"}`, `{"source":"agent"}`,
				`{"kind":"AEvent"}`, `{"kind":"A","source":1}`}},
		{"pi-session", []string{`{"type":"session","id":1,"cwd":1}`, `{"type":"message","message":{"role":1}}`,
			`{"type":"message_end","message":{"role":1}}`}, []string{`{"type":"session","id":1}`, `{"type":"message",` +
			`"message":{"role":1,"created":1}}`, `{"type":"message","message":{}}`, `{"type":"x","message":{"role":1}}`,
			`[{"type":"session","id":1,"cwd":1},{}]`}},
		{"promptflow", []string{`{"inputs":{},"outputs":{"llm_output":{}}}`, `{"chat_history":[{"inputs":{},` +
			`"outputs":{"llm_output":{}}}]}`}, []string{`{"inputs":1,"outputs":{"llm_output":{}}}`, `{"inputs":{},` +
			`"outputs":{"llm_output":1}}`}},
		{"qwen-code", []string{`{"sessionId":1,"type":1,"message":{"parts":1}}`, `{"sessionId":1,"type":1,` +
			`"systemPayload":1}`}, []string{`{"sessionId":1,"type":1}`, `{"type":1,"systemPayload":1}`, `{"sessionId":1,` +
			`"systemPayload":1}`}},
		{"openai-realtime", []string{`{"type":"conversation.item.x","item":1}`, `{"type":"conversation.item.x",` +
			`"item_id":1}`}, []string{`{"type":"conversation.item.x"}`, `{"type":"x","item":1}`}},
		{"openai-agents-state", []string{`{"originalInput":1,"generatedItems":1}`, `{"original_input":1,` +
			`"generated_items":1}`, `{"originalInput":1,"modelResponses":1}`, `{"originalInput":1,"model_responses":1}`},
			[]string{`{"originalInput":1}`, `{"generatedItems":1}`}},
		{"swe-agent", []string{`{"trajectory":[{"action":1,"observation":1}],"environment":1}`,
			`{"trajectory":[{"action":1,"observation":1,"response":1,"state":1}]}`, `{"trajectory":[{"action":1,` +
				`"observation":1}],"history":[{"role":1}]}`}, []string{`{"trajectory":[{"action":1,"observation":1}]}`,
			`{"trajectory":[{"action":1}],"environment":1}`, `{"trajectory":[{"action":1,"observation":1,"response":1}]}`}},
		{"tapeagents", []string{`{"metadata":1,"steps":[{"kind":1}]}`}, []string{`{"steps":[{"kind":1}]}`,
			`{"metadata":1,"steps":[{}]}`}},
		{"toolbench", []string{`{"answer_generation":1}`, `{"tree":{"tree":1}}`}, []string{`{"tree":1}`}},
		{"vercel-result", []string{`{"steps":[{"content":[],"finishReason":1}]}`, `{"steps":[{"stepType":1,` +
			`"toolCalls":[]}]}`}, []string{`{"steps":[{"content":[]}]}`, `{"steps":[{"stepType":1}]}`,
			`{"steps":[{"finishReason":1}]}`, `{"steps":[{"toolCalls":[]}]}`}},
		{"bedrock-converse", []string{`{"schemaType":"ModelInvocationLog"}`, `{"toolConfig":1}`,
			`{"output":{"message":{"content":[]}},"stopReason":1}`}, []string{`{"output":{"message":{"content":[]}}}`,
			`{"stopReason":1}`, `{"schemaType":"x"}`}},
		{"cohere", []string{`{"finish_reason":1,"message":{"role":"assistant","content":1}}`, `{"finish_reason":1,` +
			`"message":{"role":"assistant","tool_calls":1}}`, `{"finish_reason":1,"message":{"role":"assistant",` +
			`"tool_plan":1}}`}, []string{`{"finish_reason":1,"message":{"role":"assistant"}}`,
			`{"message":{"role":"assistant","content":1}}`, `{"finish_reason":1,"message":{"role":"x","content":1}}`}},
		{"gemini", []string{`{"contents":[]}`, `{"contents":[{"parts":1}]}`, `{"candidates":[]}`, `[{"parts":[{"text":1}` +
			`]}]`, `[{"parts":[{"functionCall":1}]}]`, `[{"parts":[{"function_call":1}]}]`,
			`[{"parts":[{"functionResponse":1}]}]`, `[{"parts":[{"function_response":1}]}]`, `[{"parts":[{"inlineData":1}]}]`},
			[]string{`{"contents":1}`, `{"contents":[{}]}`, `{"candidates":1}`, `[{"parts":[{"text":1,"type":1}]}]`,
				`[{"parts":[{"text":1,"part_kind":1}]}]`, `[{"parts":[{}]}]`, `[{"parts":{"text":1}}]`}},
		{"gemini-interactions", []string{`{"object":"interaction","outputs":1}`, `{"object":"interaction","steps":1}`,
			`{"id":"v1_a","status":1,"steps":1}`}, []string{`{"object":"interaction"}`, `{"id":"v1_a","steps":1}`,
			`{"id":"a","status":1,"steps":1}`}},
		{"openai-responses-request", []string{`{"input":"a","model":"m"}`, `{"input":[{"type":"message"}]}`,
			`{"input":[{"role":1,"content":1}]}`, `{"input":[{"type":"reasoning"}]}`, `{"input":[{"type":"program"}]}`,
			`{"input":[{"type":"program_output"}]}`, `{"input":[{"type":"mcp_list_tools"}]}`,
			`{"input":[{"type":"additional_tools"}]}`,
			`{"input":[{"type":"item_reference"}]}`, `{"input":[{"type":"x_call"}]}`, `{"input":[{"type":"x_call_output"}` +
				`]}`}, []string{`{"input":"a"}`, `{"input":"a","model":"m","outputs":1}`, `{"input":"a","model":"m",` +
			`"messages":1}`, `{"input":[{"type":"x"}]}`, `{"input":[{"role":1}]}`}},
		{"anthropic-message", []string{`{"type":"message","role":"assistant","content":[],"stop_reason":1}`}, []string{}},
		{"tau-bench-v1", []string{`{"task_id":1,"reward":1,"traj":[]}`, `{"task_id":1,"reward":1,"info":{}}`},
			[]string{`{"task_id":1,"reward":1}`, `{"reward":1,"traj":[]}`, `{"task_id":1,"traj":[]}`, `{"task_id":1,` +
				`"reward":1,"info":1,"traj":1}`}},
		{"tau2-results", []string{`{"info":{},"tasks":[],"simulations":[]}`, `{"info":{"environment_info":1},"tasks":1}`,
			`{"info":{"environment_info":1},"simulations":1}`, `{"info":{"user_info":1,"agent_info":1}}`},
			[]string{`{"info":1,"tasks":[],"simulations":[]}`, `{"info":{},"tasks":[]}`, `{"info":{},"simulations":[]}`,
				`{"info":{"environment_info":1}}`, `{"info":{"user_info":1}}`, `{"info":{"agent_info":1}}`,
				`{"info":{"environment_info":1},"tasks":1,"simulation_index":1}`}},
		{"tau2-simulation", []string{`{"task_id":1,"termination_reason":1,"messages":1}`, `{"task_id":1,` +
			`"termination_reason":1,"ticks":1}`}, []string{`{"task_id":1,"termination_reason":1}`, `{"task_id":1,` +
			`"messages":1}`, `{"termination_reason":1,"messages":1}`}},
		{"braintrust", []string{`{"span_attributes":1,"root_span_id":1,"span_id":1}`}, []string{`{"span_attributes":1,` +
			`"root_span_id":1}`, `{"span_attributes":1,"span_id":1}`, `{"root_span_id":1,"span_id":1}`,
			`{"span_attributes":1,"root_span_id":1,"span_id":1,"_is_merge":1}`}},
		{"span-rows", []string{`{"op_name":"o","trace_id":1}`, `{"trace_id":1,"type":"llm","start_time":1}`,
			`{"trace_id":1,"span_id":1,"span_kind":"llm"}`, `{"trace_id":1,"span_id":1,"meta":{"kind":"tool"}}`,
			`{"event_id":1,"event_type":"tool","session_id":1,"inputs":1}`, `{"properties":{"$ai_trace_id":1},` +
				`"event":"$ai_span"}`, `{"attributes":{"trace_id":1,"span_id":1,"span_kind":"agent"}}`},
			[]string{`{"op_name":"o"}`, `{"trace_id":1,"type":"x","start_time":1}`, `{"trace_id":1,"type":"llm"}`,
				`{"trace_id":1,"span_id":1,"span_kind":"x"}`, `{"event_id":1,"event_type":"tool","session_id":1}`,
				`{"properties":{"$ai_trace_id":1},"event":"x"}`}},
		{"request-response", []string{`{"request":{"prompt":"a"},"response":"b"}`, `{"input":{"messages":[1]},` +
			`"output":{"content":1}}`, `{"inputs":"a","outputs":"b"}`, `{"req":"a","reply":"b"}`,
			`{"kwargs":{"messages":[1]},"completion":"b"}`, `{"prompt":"a","result":"b"}`, `{"query":"a","response":"b"}`,
			`{"request":{"body":{"prompt":"a"}},"response":{"body":{"text":"b"}}}`,
			`{"messages":[1],"response":{"choices":[{"text":"b"}]}}`, `{"messages":[1],` +
				`"response":{"candidates":[{"content":1}]}}`, `{"messages":[1],"response":{"content":1}}`, `{"messages":[1],` +
				`"response":{"output":1}}`, `{"messages":[1],"response":{"message":1}}`},
			[]string{`{"request":{"prompt":"a"}}`, `{"response":"b"}`, `{"messages":[1],"response":"b"}`, `{"messages":[1],` +
				`"response":{"x":1}}`, `{"request":{"prompt":"a"},"response":{"x":1}}`, `{"request":{"x":1},"response":"b"}`}},
		{"openinference-flat", []string{`{"llm.input_messages.0.x":1}`, `{"attributes":{"gen_ai.x":1}}`,
			`{"openinference.span.kind":1}`, `{"ai.operationId":1}`, `{"ai.prompt":1}`, `{"ai.toolCall.x":1}`,
			`{"gcp.vertex.agent.x":1}`, `{"events":[{"body":{"input":1}}]}`, `{"span_events":[{"body":{"output":1}}]}`,
			`{"traceId":1,"spanId":1,"body":{"input":1}}`, `{"trace_id":1,"span_id":1,"body":{"output":1}}`,
			`{"@message":"{\"traceId\":1,\"spanId\":1,\"body\":{\"input\":1}}"}`, `{"message":"{\"trace_id\":1,` +
				`\"gen_ai.x\":1}"}`}, []string{`{"a":1}`, `{"traceId":1,"body":{"input":1}}`, `{"spanId":1,"body":{"input":1}` +
			`}`, `{"traceId":1,"spanId":1,"body":{}}`, `{"message":"{\"gen_ai.x\":1}"}`}},
		{"phoenix-spans", []string{`{"attributes.llm.x":1}`, `{"attributes.openinference.span.kind":1}`,
			`{"context.trace_id":1}`, `{"span_kind":1,"context":1}`, `{"data":[{"span_kind":1,"attributes":1}]}`},
			[]string{`{"span_kind":1}`, `{"context":1}`, `{"attributes.x":1}`}},
		{"jaeger", []string{`{"data":[{"spans":1}]}`}, []string{`{"data":[{}]}`, `{"data":{"spans":1}}`}},
		{"tempo", []string{`{"batches":[]}`, `{"batches":[{"resource":1}]}`, `{"batches":[{"scopeSpans":1}]}`,
			`{"batches":[{"instrumentationLibrarySpans":1}]}`}, []string{`{"batches":1}`, `{"batches":[{}]}`}},
		{"otlp+genai", []string{`{"resourceSpans":["gen_ai.x"]}`, `{"resource_spans":[{"k":"ai.operationId"}]}`,
			`{"resourceSpans":["ai.toolCall.x"]}`, `{"resourceSpans":["gcp.vertex.agent.x"]}`},
			[]string{`{"resourceSpans":["x"]}`, `{"x":["gen_ai.x"]}`}},
		{"otlp-logs", []string{`{"resourceLogs":1}`, `{"resource_logs":1}`}, []string{`{"logs":1}`}},
		{"action-steps", []string{`{"steps":[{"action":1,"observation":1}]}`, `{"trajectory":[{"tool":1,"tool_input":1,` +
			`"observation":1}]}`, `{"intermediate_steps":[[{"tool":1,"tool_input":1},"x"]]}`, `{"history":[{"tool_calls":1,` +
			`"observations":1}]}`, `{"events":[{"action":1,"action_input":1}]}`, `{"trace":[{"task":1},{"action":1,` +
			`"observation":1}]}`,
			`{"task":"a","calls":[{"name":"f","args":{},"result":1}]}`, `{"input":"a","tool_calls":[{"action":{"name":"f",` +
				`"args":{}},"result":1}]}`, `{"goal":"a","tools_used":[{"action":"f","args":{},"result":1}]}`,
			`{"instruction":"a","actions":[{"name":"f","args":{},"result":1}]}`, `{"question":"a","tool_uses":[{"name":"f",` +
				`"args":{},"result":1}]}`,
			`{"agent_thoughts":[{"action":1,"observation":1}]}`, `{"tools":[{"action":1,"observation":1}]}`,
			`{"rounds":[{"steps":[{"action":1,"observation":1}]}]}`, `{"exchanges":[{},{"steps":[{"action":1,` +
				`"observation":1}]}]}`, `{"interactions":[{"steps":[{"action":1,"observation":1}]}]}`,
			`{"episodes":[{"steps":[{"action":1,"observation":1}]}]}`,
			`{"conversation":[{"steps":[{"action":1,"observation":1}]}]}`, `{"dialogue":[{"steps":[{"action":1,` +
				`"observation":1}]}]}`, `{"dialog":[{"steps":[{"action":1,"observation":1}]}]}`,
			`{"messages":[{"steps":[{"action":1,"observation":1}]}]}`},
			[]string{`{"steps":[{"action":1}]}`, `{"steps":[{"tool":1,"tool_input":1}]}`, `{"steps":[{"tool_calls":1}]}`,
				`{"calls":[{"name":"f","args":{},"result":1}]}`, `{"task":"a","calls":[{"name":"f","args":{}}]}`, `{"task":"a",` +
					`"role":"user","calls":[{"name":"f","args":{},"result":1}]}`, `{"task":1,"calls":[{"name":"f","args":{},` +
					`"result":1}]}`}},
	} {
		rule := lookUp(tt.format).detect
		for i, records := range [][]string{tt.yes, tt.no} {
			for _, record := range records {
				if got := rule(probeOf(mustParse(t, record))); (got > no) != (i == 0) {
					t.Errorf("%s of %s: %d", record, tt.format, got)
				}
			}
		}
	}
}

// TestWrongReferencesAndLabels: what a reference or a label cannot be is told.
func TestWrongReferencesAndLabels(t *testing.T) {
	const before = `{"id":"c","messages":[` + user + `],`
	for members, want := range map[string]string{
		`"expected_calls":5`: `error: x.json:1: expected_calls: this must be a list of calls and is an integer`,
		`"expected_calls":[{"name":"f","arguments":"x"}` +
			`]`: `error: x.json:1: expected_calls[0].arguments: the arguments are no JSON: json: unexpected character at byte 0`,
		`"expected_calls":[{"name":"f","args":[1]}` +
			`]`: `error: x.json:1: expected_calls[0].args: the arguments must be an object and are an array`,
		`"expected_calls":[{}` +
			`]`: `error: x.json:1: expected_calls[0].name: an expected call must be an object with the name of a tool`,
		`"expected_calls":{"f":{"a":[1]},"g":{"b":["",2]}}`: "c: | u hi\nexpected [] false\nexpected " +
			"f{\"a\":1}\nexpected g{}",
		`"expected_calls":{}`: `error: x.json:1: expected_calls: this must be a list of calls and is an object`,
		`"expected_calls":{"name":"f"}`: "c: | u hi\nexpected [] false\nexpected " +
			"f{}",
		`"expected_calls":[{"f":{"a":[{"b":[1,2]}],"c":[[{"d":[3]}]],"e":[]}}]`: "c: | u hi\nexpected [] false\nexpected " +
			"f{\"a\":{\"b\":1},\"c\":[{\"d\":3}]}",
		`"only_expected_calls":true,"expected_calls":[]`: "c: | u hi\nexpected [] true",
		`"only_expected_calls":false`:                    "c: | u hi",
		`"only_expected_calls":null`:                     "c: | u hi",
		`"only_expected_calls":"yes"`:                    `error: x.json:1: only_expected_calls: this must be true or false and is a string`,
		`"functions":[{"name":"f"}]`:                     "c: | u hi\ntool f()",
		`"tools":[{"name":"g"}],"functions":[{"name":"f"}]`: "c: | u hi\nextra " +
			"{\"functions\":[{\"name\":\"f\"}]}\ntool g()",
		`"labels":5`: "c: | u hi // label_not_read\nnote label_not_read : labels: the labels must be an " +
			"object or a list and are an integer",
		`"labels":[{"value":1}]`: "c: | u hi // label_not_read\nnote label_not_read : labels[0]: the label has no name",
		`"labels":[{"name":"l","value":1,"call_index":-1},{"name":"l","value":1,"call_index":0.5},{"name":"l","value":1,` +
			`"call_index":1073741825}]`: "c: | u hi // label_not_read label_not_read label_not_read\nnote label_not_read : " +
			"labels[0].call_index: the call index must be a whole number from 0 and is \"-1\"\nnote label_not_read : " +
			"labels[1].call_index: the call index must be a whole number from 0 and is \"0.5\"\nnote label_not_read : " +
			"labels[2].call_index: the call index must be a whole number from 0 and is \"1073741825\"",
		`"labels":[{"name":"l","value":true,"call_index":1073741824},{"name":"m","value":"x","call_index":0}` +
			`]`: "c: | u hi\nlabel l 1 of 1073741824\nlabel m 0x of 0",
		`"labels":{"a":"","b":[1]}`: "c: | u hi // label_not_read label_not_read\nnote label_not_read : labels.a: the " +
			"label must be a finite number, a bool or a word and is \"\\\"\\\"\"\nnote label_not_read : labels.b: the label " +
			"must be a finite number, a bool or a word and is \"[1]\"",
		`"id":true`: `error: x.json:1: id: the id must be a text and is a boolean`,
	} {
		if got := inFull(t, before+members+"}", Options{Format: native.name}); got != want {
			t.Errorf("%s reads as\n%s\nwant\n%s", members, got, want)
		}
	}
	given := Options{Format: native.name, Tools: []transcript.Tool{{Name: "f"}}}
	call := `{"id":"c","messages":[` + assistant(fn("1", "g", `"{}"`)) + `,` + result("1", "x") + `]`
	if got := inFull(t, call+`}`, given); got != "c: | a  0#1 g{} | 0=x // unknown_tool\ntool f()\nnote unknown_tool "+
		": messages[0].tool_calls[0]: \"g\" is not in the tool inventory" {
		t.Errorf("with tools that are given: %s", got)
	}
	if got := inFull(t, call+`,"tools":[{"name":"g"}]}`, given); got != "c: | a  0#1 g{} | 0=x\ntool g()" {
		t.Errorf("with tools of its own: %s", got)
	}
}

// TestGoldRows: the labels of the replayed outcomes, row by row, and rows that do not fit.
func TestGoldRows(t *testing.T) {
	run := func(task string) string { return `{"task_id":` + task + `,"reward":1,"traj":[` + user + `]}` }
	for name, tt := range map[string]struct{ log, gold, want string }{
		"each row": {run("1") + "," + run("2"), `{"task_id":1,"reward":0.5,` +
			`"state_match":true}` + "\n" + `{"reward":0,"state_match":"x"}`, "x/task-1 reward=1 gold_reward=0.5 " +
			"state_match=1; x/task-2 reward=1 gold_reward=0"},
		"a row of another task": {run("1") + "," + run("2"), `{"task_id":1,"reward":1}` + "\n" + `{"task_id":3,` +
			`"reward":0}`, `x/task-1 reward=1 gold_reward=1; x/task-2 reward=1 gold_mismatch(row 2 of the gold file is of task 3: its labels are left out)`},
		"a row that is missing": {run("1") + "," + run("2"), `{"task_id":1,"reward":1}`,
			`x/task-1 reward=1 gold_reward=1; x/task-2 reward=1 gold_missing(the gold file has no row for this trajectory)`},
		"a row that is broken": {run("1") + "," + run("2"), `{"task_id":` + "\n" + `{"task_id":2,"reward":1}`,
			`x/task-1 reward=1 gold_missing(the gold file has no row for this trajectory: line 1: json: text ends early at byte 11: unexpected EOF); x/task-2 reward=1 gold_reward=1`},
		"a file that cannot be read": {run("1"), "\x1f\x8b", "x/task-1 reward=1 gold_missing(the gold file has no row for this trajectory: the gzip header " +
			"cannot be read (unexpected EOF): the file is damaged, copy it again)"},
		"more rows": {run("1"), `{"task_id":1,"reward":1}` + "\n" + `{"task_id":2,"reward":1}`,
			`x/task-1 reward=1 gold_reward=1; error[1]: the gold file has more rows than the log has trajectories: do they belong together?`},
		"a record that is broken": {run("1") + `,{"task_id":2,"reward":1,"info":{}},` + run("3"), `{"task_id":1,` +
			`"reward":1}` + "\n" + `{"task_id":2,"reward":1}` + "\n" + `{"task_id":3,"reward":0}`,
			`x/task-1 reward=1 gold_reward=1; error[1]: the trajectory has no messages; x/task-3 reward=1 gold_reward=0`},
	} {
		var out []string
		for c, err := range Open(context.Background(), "x.json", strings.NewReader("["+tt.log+"]"),
			Options{Gold: strings.NewReader(tt.gold)}).All() {
			if p, ok := err.(*transcript.Problem); ok {
				out = append(out, fmt.Sprintf("error[%d]: %s", p.Source.Index, p.Message))
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			line := c.ID
			for _, l := range c.Labels {
				line += fmt.Sprintf(" %s=%v", l.Name, l.Value)
			}
			for _, n := range c.Notes {
				if strings.HasPrefix(n.Kind, "gold") {
					line += " " + n.Kind + "(" + n.Detail + ")"
				}
			}
			out = append(out, line)
		}
		if diff := cmp.Diff(tt.want, strings.Join(out, "; ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSummaryCounts: what logs inspect counts of conversations, calls, results and labelled cases.
func TestSummaryCounts(t *testing.T) {
	log := `{"id":"a","tools":[{"name":"f"},{"name":"g"}],"messages":[` + user + `,` + assistant(fn("1", "f", `"{}"`),
		fn("2", "f", `"["`)) + `,` + result("1", "x") + `,{"role":"tool","tool_call_id":"2","content":"no",` +
		`"is_error":true},{"role":"assistant","content":""}],"expected_calls":[{"name":"f"},{"name":"h",` +
		`"requestor":"user"}],"labels":{"l":1,"m":0}}
{"id":"b","tools":[{"name":"f"}],"messages":[` + user + `,{"role":"user","content":"","tool_calls":[` + fn("3",
		"u", `"{}"`) + `]},` + assistant(fn("4", "k", `"{}"`)) + `,` + result("9", "y") + `],"expected_calls":[],` +
		`"labels":{"l":0}}
{"id":"c","messages":[{"role":"assistant","content":null}]}
{"id":"d","messages":[{"role":5}]}
{"id":"e","messages":[` + assistant(fn("1", "f", `"{}"`)) + `,` + result("1", "Execution of F.invoke was rejected. "+
		"Explanation: no.") + `,` + assistant(fn("2", "f", `"{}"`)) + `]}
`
	var s Summary
	if err := s.Read(Open(context.Background(), "x.jsonl", strings.NewReader(log),
		Options{Format: native.name})); err != nil {
		t.Fatal(err)
	}
	s.Notes, s.Files[0].First = nil, nil
	want := Summary{
		Files: []FileSummary{{File: "x.jsonl", Format: "native", Evidence: "--input-format", Conversations: 4,
			Messages: 13, Calls: 6,
			Results: 4, Unpaired: 4, Unreadable: 1}},
		Conversations: 4, Messages: 13, Calls: 6, CallsBy: []transcript.Count{{Name: "client", Count: 5}, {Name: "user",
			Count: 1}},
		Results: 4, Paired: []transcript.Count{{Name: "id", Count: 3}}, ErrorResults: 1, SeveralCalls: 1, WithExpected: 2,
		Negative: 1, Expected: 2, ExpectedOfUser: 1, WithTools: 2, Empty: 2, WithoutContent: 1,
		Tools: []ToolSummary{
			{Name: "f", Calls: 4, Malformed: 1, Refused: 1, Listed: true, Material: Material{Positive: 1, Negative: 1,
				Recovery: 1}},
			{Name: "g", Listed: true}, {Name: "k", Calls: 1, Material: Material{Negative: 1}}, {Name: "u", Calls: 1},
		},
		Labels:     []transcript.Count{{Name: "l", Count: 2}, {Name: "m", Count: 1}},
		Unreadable: 1, Problems: []string{"x.jsonl:4: messages[0].role: the role must be a text and is an integer"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}
