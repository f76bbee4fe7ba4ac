package format

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestResultsOfAnyForm: what a result returned and whether its call failed, however that is told.
func TestResultsOfAnyForm(t *testing.T) {
	for _, tt := range [][2]string{
		// What says that a call failed or worked.
		{`"content":"x"`, `x`},
		{`"content":"x","is_error":true`, `failed: x`},
		{`"content":"x","is_error":false`, `worked: x`},
		{`"content":"x","isError":true`, `failed: x`},
		{`"content":"x","isError":"true"`, `failed: x`},
		{`"content":"x","isError":1`, `x`},
		{`"content":"x","status":"error"`, `failed: x`},
		{`"content":"x","state":"output-error"`, `failed: x`},
		{`"content":"x","outcome":"FAILED"`, `failed: x`},
		{`"content":"x","status":"success"`, `worked: x`},
		{`"content":"x","state":"output-available"`, `worked: x`},
		{`"content":"x","outcome":"OUTCOME_OK"`, `worked: x`},
		{`"content":"x","status":"delivered"`, `x`},
		{`"content":"x","status":"failure"`, `failed: x`},
		{`"content":"x","status":"denied"`, `failed: x`},
		{`"content":"x","status":"output-denied"`, `failed: x`},
		{`"content":"x","status":"OUTCOME_FAILED"`, `failed: x`},
		{`"content":"x","is_error":false,"status":"failed"`, `failed: x`},
		{`"content":"x","status":"error","ok":true`, `worked: x`},
		{`"content":"x","status":"success","ok":false`, `failed: x`},
		{`"content":"x","status":"success","error":"lost"`, `failed: x`},
		{`"content":"x","status":"error","error":null`, `failed: x`},
		{`"content":"x","is_error":true,"status":"success"`, `failed: x`},
		{`"content":"x","ok":true`, `worked: x`},
		{`"content":"x","ok":false`, `failed: x`},
		{`"content":"x","success":true`, `worked: x`},
		{`"content":"x","success":false`, `failed: x`},
		{`"content":"x","success":"no"`, `x`},
		{`"content":"x","error":"lost"`, `failed: x`},
		{`"content":"x","errorText":"lost"`, `failed: x`},
		{`"content":"x","exception":{"a":1}`, `failed: x`},
		{`"content":"x","error":""`, `x`},
		{`"content":"x","error":null`, `worked: x`},
		{`"content":"x","error":false`, `worked: x`},
		{`"content":"x","is_error":true,"error":null`, `failed: x`},
		// Where the content is.
		{`"output":"x"`, `x`},
		{`"error":"lost"`, `failed: lost`},
		{`"errorText":"out"`, `failed: out`},
		{`"output":{"type":"error-text","value":"gone"}`, `failed: gone`},
		{`"output":{"type":"execution-denied","reason":"no"}`, `failed: no`},
		{`"output":{"type":"json","value":{"a":1}}`, `{"a":1}`},
		{`"output":{"type":"text","value":"x"}`, `x`},
		{`"output":{"type":"odd","reason":"x"}`, `x`},
		{`"output":{"value":"x"}`, `{"value":"x"}`},
		{`"output":{"type":"odd","a":1}`, `{"type":"odd","a":1}`},
		{`"output":{"type":"content_error","value":"gone"}`, `failed: gone`},
		{`"output":{"type":"text","text":"x"}`, `x`},
		{`"output":{"type":"parcel","size":2}`, `{"type":"parcel","size":2}`},
		{`"output":{"type":"content","value":[{"type":"text","text":"x"}]}`, `x`},
		{`"content":[{"text":"a"},{"text":"b"}]`, "a\nb"},
		{`"content":[{"json":{"a":1}}]`, `{"a":1}`},
		{`"content":[{"json":{"a":1}},{"json":{"a":2}}]`, `[{"json":{"a":1}},{"json":{"a":2}}]`},
		{`"content":[{"text":"a"},{"json":{"a":1}}]`, `[{"text":"a"},{"json":{"a":1}}]`},
		{`"content":[{"text":"a","n":1}]`, `[{"text":"a","n":1}]`},
		{`"content":[{"type":"tool_result","content":"x"}]`, `x`},
		{`"content":[{"type":"tool_result","tool_result":"x"}]`, `x`},
		{`"content":[]`, `[]`},
		{`"content":[1]`, `[1]`},
		{`"content":[{"type":"tool_result","content":"x"},{"type":"tool_result","content":"y"}]`,
			"[tool_result]\n[tool_result]"},
		{`"content":[{"json":{"a":1},"n":1}]`, `[{"json":{"a":1},"n":1}]`},
		{`"is_error":false,"output":{"type":"error-json","value":{"a":1}}`, `failed: {"a":1}`},
		{`"content":{"type":"web_fetch_tool_result_error","error_code":"x"}`,
			`failed: {"type":"web_fetch_tool_result_error","error_code":"x"}`},
		{`"content":{"type":"error","code":7}`, `failed: {"type":"error","code":7}`},
		{`"result":{"api_name":"find","input":{},"output":"x","exception":null}`, `worked: x`},
		{`"result":{"api_name":"find","input":{},"output":null,"exception":"gone"}`, `failed: gone`},
		{`"result":{"api_name":"find","output":"x","exception":"gone"}`, `failed: gone`},
		{`"output":{"api_name":"find","output":"x"}`, `{"api_name":"find","output":"x"}`},
		{`"origin":{"id":"k1","tool_name":"find"},"result":"x"`, `x`},
	} {
		part, want := tt[0], tt[1]
		log := `{"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k1","toolName":"find",` +
			`"input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"find",` + part + `}]}]}`
		lines, list := readText(t, "x.json", log, Options{})
		if len(list) != 1 || len(list[0].Messages) != 3 || list[0].Messages[2].Result != 0 {
			t.Errorf("%s: %v", part, lines)
			continue
		}
		m := list[0].Messages[2]
		if got := map[bool]string{m.IsError: "failed: ", m.Succeeded: "worked: "}[true] + m.Content; got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
}

// TestCallsOfAnyForm: the id, the name and the arguments of a call, and who ran it if the client did not.
func TestCallsOfAnyForm(t *testing.T) {
	for _, tt := range [][2]string{
		{`{"type":"tool_use","id":"k1","name":"find","input":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"tool-call","toolCallId":"k1","toolName":"find","args":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"tool-find","toolCallId":"k1","input":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"tool-call","toolCallId":"k1","toolName":"find","args":{"q":7},"providerExecuted":true}`,
			`k1 find {"q":7} server`},
		{`{"type":"server_tool_use","id":"k1","name":"find","input":{"q":7}}`, `k1 find {"q":7} server`},
		{`{"type":"mcp_tool_use","id":"k1","name":"find","input":{"q":7}}`, `k1 find {"q":7} server`},
		{`{"part_kind":"builtin-tool-call","tool_call_id":"k1","tool_name":"find","args":{"q":7}}`,
			`k1 find {"q":7} server`},
		{`{"type":"web_search_call","id":"k1","status":"completed","action":{"query":"7"}}`,
			`k1 web_search {"action":{"query":"7"}} server`},
		{`{"type":"local_shell_call","id":"i1","call_id":"k1","action":{"command":["ls"]}}`,
			`k1 local_shell {"action":{"command":["ls"]}} client`},
		{`{"type":"computer_call","id":"i1","call_id":"k1","action":{"type":"click"}}`,
			`k1 computer {"action":{"type":"click"}} client`},
		{`{"executableCode":{"language":"PYTHON","code":"1+2"}}`, ` code_execution {"input":"1+2"} server`},
		{`{"functionCall":{"id":"k1","name":"find","args":{"q":7}}}`, `k1 find {"q":7} client`},
		{`{"toolUse":{"toolUseId":"k1","name":"find","input":{"q":7}}}`, `k1 find {"q":7} client`},
		{`{"type":"tool_call","id":"k1","name":"find","arguments":{"q":7},"requestor":"server"}`,
			`k1 find {"q":7} server`},
		{`{"type":"tool_call","id":"k1","plugin_name":"shop","function_name":"find","arguments":{"q":7}}`,
			`k1 shop-find {"q":7} client`},
		{`{"type":"tool_call","request_id":"k1","tool_name":"find","params_as_json":"{\"q\":7}"}`,
			`k1 find {"q":7} client`},
		{`{"type":"tool_call","request_id":"r1","tool_name":"find","arguments":{"q":7}}`, ` find {"q":7} client`},
		{`{"type":"custom_tool_call","call_id":"k1","name":"note","input":"buy"}`,
			`k1 note {"input":"buy"} client`},
		{`{"type":"tool_call","id":"k1","custom":{"name":"note","input":"buy"}}`, `k1 note {"input":"buy"} client`},
		{`{"type":"tool_call","id":"k1","name":"find","arguments":{"q":7},"requestor":"user"}`, `k1 find {"q":7} user`},
		{`{"type":"tool_call","id":"k1","name":"find","arguments":{"q":7},"requestor":"agent"}`, `k1 find {"q":7} client`},
		{`{"type":"tool_call","id":"k1","function":{"name":"find"},"arguments":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"tool_call","id":"k1","function":{"id":"k2","name":"find","arguments":{"q":7}}}`, `k2 find {"q":7}` +
			` client`},
		{`{"type":"tool_call","id":"k1","pluginName":"shop","functionName":"find","arguments":{"q":7}}`,
			`k1 shop-find {"q":7} client`},
		{`{"type":"tool-find","toolCallId":"k1","input":null,"rawInput":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"executable_code","executable_code":{"code":"1+2"}}`, ` code_execution {"input":"1+2"} client`},
		{`{"type":"tool_call","id":"k1","name":"run","language":"go","code":"1+2"}`, `k1 run {} client`},
		{`{"type":"shell_call","call_id":"k1","action":{"commands":["ls"]}}`, `k1 shell {"action":{"commands":["ls"]}}` +
			` client`},
		{`{"type":"apply_patch_call","call_id":"k1","operation":{"type":"create"}}`,
			`k1 apply_patch {"operation":{"type":"create"}} client`},
		{`{"type":"web_search_call","id":"k1","arguments":{"q":7},"status":"completed"}`, `k1 web_search {"q":7} server`},
		{`{"type":"file_search_call","id":"k1","name":null,"error":null,"queries":["7"],"status":"completed",` +
			`"output":null}`,
			`k1 file_search {"queries":["7"]} server`},
		{`{"type":"mcp_call","id":"k1","name":"find","arguments":"{\"q\":7}","server_label":"shop"}`, `k1 find {"q":7}` +
			` server`},
		{`{"type":"server_tool_call","id":"k1","name":"find","args":{"q":7}}`, `k1 find {"q":7} server`},
		{`{"type":"invalid_tool_call","id":"k1","name":"find","args":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"function_call","id":"k1","name":"find","args":{"q":7}}`, `k1 find {"q":7} client`},
		{`{"type":"tool-call","id":"k1","input":{"q":7}}`, `k1  {"q":7} client`},
		{`{"type":"tool-invocation","id":"k1","input":{"q":7}}`, `k1  {"q":7} client`},
		{`{"type":"function_call","id":"k1","query":{"q":7}}`, `k1  {} client`},
		{`{"type":"tool_call","id":"k1","query":{"q":7}}`, `k1  {} client`},
	} {
		part, want := tt[0], tt[1]
		log := `{"messages":[` + user + `,{"role":"assistant","content":[` + part + `]}]}`
		lines, list := readText(t, "x.json", log, Options{})
		if len(list) != 1 || len(list[0].Calls) != 1 {
			t.Errorf("%s: %v", part, lines)
			continue
		}
		c := &list[0].Calls[0]
		got := fmt.Sprintf("%s %s %s %s", c.ID, c.Name, c.Arguments.JSON(), c.Executor)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", part, diff)
		}
	}
}

// TestUsualNames: a field is read under each of its usual names.
func TestUsualNames(t *testing.T) {
	const (
		called = ` // unanswered_call`
		others = `{"role":"assistant","content":null,"tool_calls":[{"id":"j","name":"now","arguments":{}},` +
			`{"id":"k","name":"find","arguments":{}}]},`
	)
	for _, tt := range []struct{ keys, messages, want string }{
		{"input args arguments parameters input_parameters inputParameters param_dict tool_input toolInput tool_args " +
			"tool_arguments toolArgs rawInput kwargs code params params_as_json",
			`{"role":"assistant","tool_calls":[{"id":"k","name":"find","KEY":{"q":7}}]}`, `| a  0#k find{"q":7}` + called},
		{"toolName tool_name api_name function_name functionName name function tool api fn",
			`{"role":"assistant","tool_calls":[{"id":"k","KEY":"find","arguments":{"q":7}}]}`, `|` +
				` a  0#k find{"q":7}` + called},
		{"toolCallId tool_call_id toolUseId tool_use_id toolUseID call_id callId source_call_id custom_tool_use_id " +
			"mcp_tool_use_id tool_id id label",
			`{"role":"assistant","tool_calls":[{"KEY":"k","name":"find","arguments":{"q":7}}]}`, `|` +
				` a  0#k find{"q":7}` + called},
		{"function request toolInvocation functionCall function_call toolUse tool_call toolResult functionResponse " +
			"function_response executableCode executable_code codeExecutionResult code_execution_result reasoningContent",
			`{"role":"assistant","tool_calls":[{"KEY":{"id":"k","name":"find","arguments":{"input":"7"}}}]}`,
			`| a  0#k find{"input":"7"}` + called},
		{"toolCallId tool_call_id toolUseId tool_use_id toolUseID call_id callId source_call_id custom_tool_use_id " +
			"mcp_tool_use_id tool_id",
			others + `{"role":"tool","KEY":"k","content":"x"}`, `| a  0#j now{} 1#k find{} | 1=x` + called},
		{"content output response result outputs results value text tool_output toolOutput tool_response tool_result " +
			"returns " +
			"ret observation message body contents items blocks",
			others + `{"role":"tool","tool_call_id":"k","KEY":"x"}`, `| a  0#j now{} 1#k find{} | 1=x` + called},
		{"errorText error exception",
			others + `{"role":"tool","tool_call_id":"k","KEY":"x"}`, `| a  0#j now{} 1#k find{} | 1!=x` + called},
		{"output response result outputs results tool_output toolOutput tool_response tool_result returns ret observation",
			`{"role":"assistant","tool_calls":[{"id":"k","name":"find","arguments":{},"KEY":"x"}]}`, `| a  0#k find{} | 0=x`},
		{"errorText exception",
			`{"role":"assistant","tool_calls":[{"id":"k","name":"find","arguments":{},"KEY":"x"}]}`, `| a  0#k find{} | 0!=x`},
		{"content parts text value message body contents items blocks", `{"role":"user","KEY":"hi"}`, `| u hi`},
		{"role from author speaker sender", `{"KEY":"ai","content":"hi"}`, `| a hi`},
		{"part_kind type $type content_type block_type",
			`{"role":"assistant","content":[{"KEY":"tool-call","toolCallId":"k","toolName":"find","args":{"q":7}}]}`,
			`| a  0#k find{"q":7}` + called},
		{"reasoning_content tool_plan reasoning thought thinking", `{"role":"assistant","content":"hi","KEY":"so"}`, `|` +
			` (so) a hi`},
		{"tool_calls toolCalls invalid_tool_calls toolInvocations apis tool_uses tools_called toolsCalled function_calls " +
			"function_call usedTools calls actions action tool_call toolCall call tools tools_used invocations " +
			"tool_invocations steps",
			`{"role":"assistant","content":null,"KEY":[{"id":"k","name":"find","arguments":{"q":7}}]}`,
			`| a  0#k find{"q":7}` + called},
	} {
		for _, key := range strings.Fields(tt.keys) {
			log := `{"messages":[` + strings.ReplaceAll(tt.messages, "KEY", key) + `]}`
			lines, list := readText(t, "x", log, Options{Format: native.name})
			if len(list) != 1 {
				t.Errorf("%s: %v", log, lines)
			} else if got := shown(list[0]); got != "x/1: "+tt.want {
				t.Errorf("%s\nreads as %s\nwant     x/1: %s", log, got, tt.want)
			}
		}
	}
}

// TestKindsOfParts: each usual type of a part, and each usual key of a part without a type, says what it is.
func TestKindsOfParts(t *testing.T) {
	for kind, words := range map[partKind]string{
		textPart:    "text input_text output_text user-prompt system-prompt summary_text refusal retry-prompt",
		thoughtPart: "reasoning thinking redacted_thinking reasoningContent thought think",
		callPart: "tool_use tool-call dynamic-tool tool-invocation tool_call toolUse functionCall function_call toolCall " +
			"server_tool_call builtin-tool-call executableCode executable_code custom_tool_call invalid_tool_call " +
			"tool-find mcp_tool_use web_search_call",
		resultPart: "tool_result tool-result tool-error tool-return builtin-tool-return toolResult functionResponse " +
			"function_response tool_call_response server_tool_call_response function_result google_search_result " +
			"url_context_result file_search_result google_maps_result codeExecutionResult code_execution_result " +
			"functionResult tool_call_result web_search_tool_result shell_call_output mcp_call_result",
		toolsPart:   "mcp_list_tools additional_tools tool_search_output",
		stepPart:    "step-start",
		skippedPart: "cachePoint tool-approval-request tool-approval-response data-weather source-url",
		otherPart:   "image_url file call toolfind",
	} {
		for _, word := range strings.Fields(words) {
			if got := typedKind(word, value.OfObject()); got != kind {
				t.Errorf("%s is of kind %d, want %d", word, got, kind)
			}
		}
	}
	for part, want := range map[string]struct {
		kind  partKind
		inner string
	}{
		`"a"`:                             {textPart, `"a"`},
		`{"thought":true,"text":"a"}`:     {thoughtPart, `{"thought":true,"text":"a"}`},
		`{"thought":false,"text":"a"}`:    {textPart, `{"thought":false,"text":"a"}`},
		`{"functionCall":{"name":"f"}}`:   {callPart, `{"name":"f"}`},
		`{"toolCall":"f"}`:                {callPart, `{"toolCall":"f"}`},
		`{"toolCall":null,"text":"a"}`:    {textPart, `{"toolCall":null,"text":"a"}`},
		`{"refusal":"a"}`:                 {otherPart, `{"refusal":"a"}`},
		`{"text":5}`:                      {otherPart, `{"text":5}`},
		`{"type":5,"toolCall":{"a":1}}`:   {callPart, `{"a":1}`},
		`{"type":"file","toolCall":{}}`:   {otherPart, `{"type":"file","toolCall":{}}`},
		`{"data":{"name":"f"},"kind":""}`: {otherPart, `{"data":{"name":"f"},"kind":""}`},
		`{"data":{"name":"f"},"metadata":{"adk_type":"function_call"}}`: {callPart, `{"name":"f"}`},
		`{"data":"f","metadata":{"adk_type":"function_call"}}`: {otherPart, `{"data":"f",` +
			`"metadata":{"adk_type":"function_call"}}`},
		`{"type":"retry-prompt","tool_name":"f"}`: {resultPart, `{"type":"retry-prompt",` +
			`"tool_name":"f"}`},
	} {
		kind, inner := kindOf(mustParse(t, part))
		if kind != want.kind || inner.JSON() != want.inner {
			t.Errorf("%s is of kind %d with %s, want %d with %s", part, kind, inner.JSON(), want.kind, want.inner)
		}
	}
}

// TestRolesOfWords: each usual word for who wrote a message, in any case and as a class's name.
func TestRolesOfWords(t *testing.T) {
	for role, words := range map[transcript.Role]string{
		transcript.System: "system developer instructions SystemMessage",
		transcript.User:   "user_input user human customer client question Human HumanMessage UserMessage",
		transcript.Assistant: "model_output chatbot assistant ai gpt model agent bot chatgpt apimessage answer " +
			"aimessagechunk " +
			"function_call tool_call tool_calls tool_call_invocation AIMessage",
		transcript.ToolRole: "tool function observation api environment function_response tool_response tool_result " +
			"ipython " +
			"tool_call_result ToolMessage",
		"": "critic message userx",
	} {
		for _, word := range strings.Fields(words) {
			if got, known := roleOf(word); got != role || known != (role != "") {
				t.Errorf("%s is %q, %t", word, got, known)
			}
		}
	}
	for message, want := range map[string]string{
		`{"content":{"role":"model","parts":[]}}`:                      "model",
		`{"role":"user","content":{"role":"model"}}`:                   "user",
		`{"lc":1,"id":["langchain","schema","AIMessage"],"kwargs":{}}`: "AIMessage",
		`{"lc":1,"id":[],"kwargs":{}}`:                                 "",
		`{"lc":1,"id":"AIMessage","kwargs":{}}`:                        "",
		`{"id":["AIMessage"],"kwargs":{}}`:                             "",
		`{"type":"human","data":{"content":"a"}}`:                      "human",
		`{"message":{"type":"human","text":"a"}}`:                      "human",
		`{"type":"tool_result"}`:                                       "",
		`{"type":"note"}`:                                              "",
	} {
		outer := mustParse(t, message)
		inner, _ := unwrapMessage(outer)
		if got := roleWord(outer, inner); got != want {
			t.Errorf("%s is of %q, want %q", message, got, want)
		}
	}
	for message, want := range map[string]string{
		`{"content":"a","data":{}}`: "", `{"kwargs":{},"data":{}}`: "kwargs", `{"data":{},"message":{}}`: "data",
		`{"message":{}}`: "message", `{"message":"a"}`: "", `{}`: "",
	} {
		if _, inner := unwrapMessage(mustParse(t, message)); inner != want {
			t.Errorf("%s is unwrapped from %q, want %q", message, inner, want)
		}
	}
}

// TestKeysBesideAMessage: what a message has besides its known keys is kept, without what is empty.
func TestKeysBesideAMessage(t *testing.T) {
	for message, want := range map[string]string{
		`{"role":"user","content":"x","id":"1","name":"Ann","refusal":"no","thinking":"t","tool_calls":[{}],"k":null,` +
			`"e":{},"l":[],` +
			`"tool_call_id":"x","status":"s","n":0,"is_error":true,"reasoning":{"a":1},"m":{"a":1}}`: `{"name":"Ann","n":0,` +
			`"log_is_error":true,"log_reasoning":{"a":1},"m":{"a":1}}`,
		`{"role":"user","output":"x","calls":[{"name":"f","arguments":{}}],` +
			`"steps":[1]}`: `{"output":"x","steps":[1]}`,
		`{"role":"user","tools":[{"name":"f","parameters":{"properties":{}}}` +
			`]}`: `{"tools":[{"name":"f","parameters":{"properties":{}}}]}`,
		`{"role":"user","tools":[{"name":"f","parameters":{"$schema":"x"}}` +
			`]}`: `{"tools":[{"name":"f","parameters":{"$schema":"x"}}]}`,
		`{"role":"user","call":{"name":"f","arguments":{}},"actions":"[{\"name\":\"f\",\"arguments\":{}}]",` +
			`"action":[]}`: `null`,
	} {
		if got := messageExtra(mustParse(t, message), transcript.User).JSON(); got != want {
			t.Errorf("%s\nkeeps %s\nwant  %s", message, got, want)
		}
	}
	const result = `{"role":"tool","name":"f","call_id":"k","function":{},"isError":true,"is_error":true,"output":1,` +
		`"response":1,"result":1,` +
		`"outputs":1,"results":1,"tool_output":1,"tool_response":1,"tool_result":1,"observation":1,"returns":1}`
	if got := messageExtra(mustParse(t, result), transcript.ToolRole).JSON(); got != `{"returns":1}` {
		t.Errorf("a result keeps %s", got)
	}
}

// TestTypesOfKeptParts: a part is kept under its native type, one without a type under its kind or first key.
func TestTypesOfKeptParts(t *testing.T) {
	for part, want := range map[string]string{
		`"a"`: `{"type":"text","text":"a"}`, `5`: `5`, `{}`: `{}`, `{"type":"file","a":1}`: `{"type":"file","a":1}`,
		`{"image":{"a":1},"kind":5}`:           `{"type":"5","part":{"image":{"a":1},"kind":5}}`,
		`{"image":{"a":1}}`:                    `{"type":"image","part":{"image":{"a":1}}}`,
		`{"a":1,"part_kind":"file"}`:           `{"type":"file","part":{"a":1,"part_kind":"file"}}`,
		`{"a":1,"kind":"file"}`:                `{"type":"file","part":{"a":1,"kind":"file"}}`,
		`{"kind":"b","part_kind":"c","a":"d"}`: `{"type":"c","part":{"kind":"b","part_kind":"c","a":"d"}}`,
	} {
		if got := typedPart(mustParse(t, part)).JSON(); got != want {
			t.Errorf("%s is kept as %s, want %s", part, got, want)
		}
	}
}

// TestTextsOfThoughts: a part of reasoning has its text under any usual name, or in a list of texts.
func TestTextsOfThoughts(t *testing.T) {
	for part, want := range map[string]string{
		`{"text":"a"}`: "a", `{"thinking":"a"}`: "a", `{"think":"a"}`: "a", `{"content":"a"}`: "a",
		`{"reasoning":"a"}`: "a",
		`{"value":"a"}`:     "a", `{"reasoningText":{"text":"a"}}`: "a", `{"data":"a"}`: "",
		`{"summary":[{"text":"a"},{"text":""},{"text":"b"}],"content":[{"text":"c"}]}`: "a\nb\nc",
	} {
		if got := thoughtText(mustParse(t, part)); got != want {
			t.Errorf("%s says %q, want %q", part, got, want)
		}
	}
	for message, want := range map[string]bool{
		`{"content":[{"type":"tool_result","content":"x"}]}`:              true,
		`{"content":[{"type":"text","text":"x"},{"type":"tool_result"}]}`: true,
		`{"content":[{"type":"text","text":"x"}]}`:                        false,
		`{"content":["x"]}`: false,
		`{"content":[{"type":"tool_result"}],"tool_call_id":"k"}`:                 false,
		`{"content":{"parts":[{"functionResponse":{"name":"f"}}],"role":"user"}}`: true,
		`{"content":{"parts":"x"}}`:                                               false,
		`{"parts":[{"toolResult":{"toolUseId":"k"}}]}`:                            true,
	} {
		if got := hasResultParts(mustParse(t, message)); got != want {
			t.Errorf("%s: %t", message, got)
		}
	}
}
