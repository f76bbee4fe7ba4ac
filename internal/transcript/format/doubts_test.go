package format

import (
	"strings"
	"testing"
)

// TestSignsOfAMisreading: each sign that a record was misread, with its place, and what looks like one and is none.
func TestSignsOfAMisreading(t *testing.T) {
	for _, tt := range []struct {
		log  string
		kind doubt
		want int
	}{
		{with(assistant(fn("1", "", `"{}"`))), namelessCall, 1},
		{with(assistant(fn("1", "f", `"{\"role\":\"a\",\"content\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"role\":\"a\",\"parts\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"role\":\"a\"}"`))), metadataArguments, 0},
		{with(assistant(fn("1", "f", `"{\"choices\":1,\"model\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"choices\":1,\"usage\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"choices\":1}"`))), metadataArguments, 0},
		{with(assistant(fn("1", "f", `"{\"Finish_Reason\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"totalTokens\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"input_tokens\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"output_tokens\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"prompt_tokens\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"completionTokens\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"usageMetadata\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"stopReason\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"modelVersion\":1}"`))), metadataArguments, 1},
		{with(assistant(fn("1", "f", `"{\"sanitize_inputs_outputs\":1}"`))), metadataArguments, 1},
		{with(result("9", "x")), lonelyResult, 1},
		{`{"id":"c","messages":[]}`, emptyConversation, 1},
		{with(`{"role":"assistant","content":"a","moves":[{"op":"find","with":{"q":7}}]}`), unreadTool, 1},
		{with(`{"role":"assistant","content":"a","moves":[{"op":"find","with":{"q":7}},{"op":"find"}]}`), unreadTool, 0},
		{with(`{"role":"assistant","content":"a","moves":[{"op":"find","with":{"q":7}}]}`, assistant(fn("1", "f", `"{}`+
			`"`))), unreadTool, 0},
		{with(`{"type":"tool_progress","name":"find","args":{"q":7}}`), unreadTool, 1},
		{with(`{"type":"function_note","call_id":"k","result":"x"}`), unreadTool, 1},
		{with(`{"type":"tool_progress","name":"find"}`), unreadTool, 0},
		{with(`{"type":"tool_note","call_id":"k"}`), unreadTool, 0},
		{with(`{"type":"tool_note","result":"x"}`), unreadTool, 0},
		{with(`{"type":"note","name":"find","args":{"q":7}}`), unreadTool, 0},
		{with(assistant(fn("k", "find", `"{}"`)), `{"type":"tool_progress","call_id":"k","name":"find","args":{"q":7}}`),
			unreadTool, 0},
		{with(assistant(fn("k", "find", `"{}"`)), `{"type":"tool_note","call_id":"k","result":"x"}`), unreadTool, 1},
		{with(assistant(fn("k", "find", `"{}"`)), `{"type":"tool_note","call_id":"k","result":"x"}`, result("k", "y")),
			unreadTool, 0},
		{with(assistant(`{"id":"k","name":"find","given":{"q":7}}`)), unreadArguments, 1},
		{with(assistant(`{"id":"k","name":"find","given":7}`)), unreadArguments, 0},
		{with(assistant(`{"id":"k","name":"find","given":{"q":7}}`, `{"id":"l","name":"find","args":{"q":7}}`)),
			unreadArguments, 0},
	} {
		r := Open(t.Context(), "x", strings.NewReader(tt.log), Options{Format: native.name})
		for range r.All() {
		}
		if got := r.seen.doubts.count[tt.kind]; got != tt.want {
			t.Errorf("%s has %d doubts of kind %d, want %d", tt.log, got, tt.kind, tt.want)
		}
	}
	for kind, want := range map[doubt][2]string{
		namelessCall: {"1 call names no tool", "2 calls name no tool"}, metadataArguments: {"1 call has metadata of a " +
			"reply as its arguments", "2 calls have metadata of a reply as their arguments"},
		lonelyResult: {"1 result belongs to no call", "2 results belong to no call"}, emptyConversation: {"1 " +
			"conversation is empty beside others that are not", "2 conversations are empty beside others that are not"},
		unreadTool: {"1 record of a tool was not read", "2 records of tools were not read"}, unreadArguments: {"1 call " +
			"has no arguments, but an object that was not read", "2 calls have no arguments, but objects that were not read"},
	} {
		if got := [2]string{kind.words(1), kind.words(2)}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRecordsInsideOfObjects: the records of an unknown object are found in one of its members, and in no other case.
func TestRecordsInsideOfObjects(t *testing.T) {
	const chat = `{"messages":[{"role":"user","content":"a"}]}`
	const span = `{"trace_id":"t","attributes":{"gen_ai.prompt":"a","gen_ai.completion":"b"}}`
	mixed := assistant(fn("k", "f", `"{}"`)) + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"k",` +
		`"content":"x"}]}`
	for log, want := range map[string]string{
		`{"v":1,"runs":[` + chat + `]}`:                                                "openai-chat [runs]",
		`{"v":1,"runs":[` + chat + `],"more":[` + chat + `]}`:                          " []",
		`{"data":{"runs":[` + chat + `]}}`:                                             "openai-chat [data runs]",
		`{"data":{"runs":[` + chat + `]},"other":{"a":1}}`:                             " []",
		`{"one":` + chat + `}`:                                                         "named-conversations []",
		`{"items":[` + chat + `]}`:                                                     "openai-chat [items]",
		`{"v":1,"conversations":[` + chat + `]}`:                                       "openai-chat [conversations]",
		`{"v":1,"history":[` + chat + `]}`:                                             "openai-chat [history]",
		`{"v":1,"conversations":[{"id":"a","object":"chat.completion","choices":[]}]}`: " []",
		`{"runs":[{"messages":[` + mixed + `]}]}`:                                      " []",
		`{"runs":[{"messages":[` + mixed + `]}],"more":[` + chat + `]}`:                "openai-chat [more]",
		`{"steps":[` + chat + `]}`:                                                     " []",
		`{"a":[` + span + `],"b":[` + span + `]}`:                                      "openinference-flat [*]",
		`{"a":[` + span + `],"b":[` + chat + `]}`:                                      " []",
		`{"x":{"schema_version":"ATIF-v1.1"},"y":{"schema_version":"ATIF-v1.1"}}`:      "atif [*]",
		`{"x":{"schema_version":"ATIF-v1.1"},"y":5}`:                                   "atif [x]",
		`{"x":{"schema_version":"ATIF-v1.1"},"y":{"object":"chat.completion"}}`:        " []",
		`{"input":{"schema_version":"ATIF-v1.1"},"y":{"schema_version":"ATIF-v1.1"}}`:  " []",
		`{"x":{"schema_version":"ATIF-v1.1"}}`:                                         "atif [x]",
	} {
		d, err := Detect([]byte(log))
		if got := d.Format + " [" + strings.Join(d.Inside, " ") + "]"; got != want || err != nil {
			t.Errorf("%s is taken for %s, %v, want %s", log, got, err, want)
		}
	}
	for log, want := range map[string]string{
		`{"session_id":"s","spans":[` + strings.Replace(span, `"trace_id":"t",`, "", 1) + `]}`: "s",
		`{"session_id":"s","spans":[` + span + `]}`:                                            "s",
		`{"trace_id":"z","spans":[` + span + `]}`:                                              "t",
	} {
		if _, list := readText(t, "x.json", log, Options{}); len(list) != 1 || list[0].ID != want {
			t.Errorf("%s: %v", log, list)
		}
	}
	if got, _ := readText(t, "x.jsonl", `{"v":1,"runs":[`+chat+`]}`+"\n"+`{"v":2}`+"\n"+`{"v":3,"runs":`+chat+`}`,
		Options{}); strings.Join(got, "; ") !=
		"x/1 x.jsonl:1; error: x.jsonl:2: messages: the record has no messages: is this a conversation?; x/3 x.jsonl:3" {
		t.Errorf("%q", got)
	}
}

// TestNotesOnTexts: the whole words of notes on calls and results.
func TestNotesOnTexts(t *testing.T) {
	const want = "c: | u hi | a  0#1 f{} 1#2 f{} | 0=Execution of F.invoke was rejected. Explanation: no. // " +
		"result_name_differs refused_call unknown_tool unanswered_call unknown_tool repeated_call\n" +
		"tool g()\n" +
		"note result_name_differs : messages[2]: the result of \"f\" says that it is of \"h\"\n" +
		"note refused_call : messages[1].tool_calls[0]: \"Execution of F.invoke was rejected. Explanation: no.\"\n" +
		"note unknown_tool : messages[1].tool_calls[0]: \"f\" is not in the tool inventory\n" +
		"note unknown_tool : messages[1].tool_calls[1]: \"f\" is not in the tool inventory\n" +
		"note repeated_call : messages[1].tool_calls[1]: f is called again with the same arguments"
	log := `{"id":"c","tools":[{"name":"g"}],"messages":[` + user + `,` + assistant(fn("1", "f", `"{}"`), fn("2", "f",
		`"{}"`)) +
		`,{"role":"tool","tool_call_id":"1","name":"h","content":"Execution of F.invoke was rejected. Explanation: no."}]}`
	if got := inFull(t, log, Options{Format: native.name}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	_, list := readText(t, "x", log, Options{Format: native.name})
	for _, n := range list[0].Notes {
		if n.Kind == "unanswered_call" && n.Detail != "no result of f is in the log" {
			t.Errorf("%s", n.Detail)
		}
	}
}
