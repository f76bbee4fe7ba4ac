package format

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
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
