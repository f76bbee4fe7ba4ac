package format

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStreamEventsAreRecognised(t *testing.T) {
	for event, want := range map[string]bool{
		`{"object":"chat.completion.chunk"}`: true, `{"object":"chat.completion"}`: false,
		`{"contentBlockDelta":{}}`: true, `{"contentBlockStart":{}}`: true, `{"contentBlockStop":{}}`: false,
		`{"type":"start-step"}`: true, `{"type":"start"}`: false,
		`{"type":"RUN_STARTED","threadId":"t"}`: false, `{"type":"TOOL_CALL_RESULT","toolCallId":"k"}`: true,
		`{"type":"TOOL_CALL_START","toolCallId":"k"}`:                                true,
		`{"model":"m","created_at":"t","done":false,"message":{"role":"assistant"}}`: true,
		`{"model":"m","created_at":"t","done":false,"message":{"content":"hi"}}`:     false,
		`{"model":"m","created_at":"t","message":{"role":"assistant"}}`:              false,
		`{"model":"m","done":false,"message":{"role":"assistant"}}`:                  false,
		`{"created_at":"t","done":false,"message":{"role":"assistant"}}`:             false,
		`{"type":"response.created","response":{}}`:                                  true,
		`{"type":"response.x","sequence_number":1}`:                                  true,
		`{"type":"response.x","item":{}}`:                                            true,
		`{"type":"response.x","delta":"a"}`:                                          true,
		`{"type":"response.x"}`:                                                      false,
		`{"event_type":"interaction.start","interaction":{}}`:                        true,
		`{"event_type":"interaction.status","interaction_id":"i"}`:                   true,
		`{"event_type":"content.start","index":0}`:                                   true,
		`{"event_type":"step.delta","index":0}`:                                      true,
		`{"event_type":"step.delta"}`:                                                false,
		`{"event_type":"order.created","index":0}`:                                   false,
		`{"type":"message_start","message":{}}`:                                      true,
		`{"type":"message_start"}`:                                                   false,
		`{"type":"content_block_start","content_block":{}}`:                          true,
		`{"type":"content_block_delta","delta":{}}`:                                  true,
		`{"type":"message-start","delta":{}}`:                                        true,
		`{"type":"content-delta","delta":{}}`:                                        true,
		`{"type":"tool-call-start","delta":{}}`:                                      true,
		`{"type":"tool-plan-delta","delta":{}}`:                                      true,
		`{"type":"note","delta":{}}`:                                                 false,
	} {
		if got := isStreamEvent(mustParse(t, event)); got != want {
			t.Errorf("%s: %t", event, got)
		}
	}
	for records, want := range map[string]bool{
		`[{"candidates":[{"content":{}}]},{"candidates":[{"content":{},"finishReason":"STOP"}]}]`: true,
		`[{"candidates":[{"content":{},"finishReason":"STOP"}]},{"candidates":[{"content":{}}]}]`: false,
		`[{"candidates":[{"content":{}}]}]`:                                  false,
		`[{"candidates":[{"content":{}}]},{"candidates":{}}]`:                false,
		`[{"candidates":[{"content":{}}],"contents":[]},{"candidates":[]}]`:  false,
		`[{"candidates":[{"content":{}}]},{"candidates":[],"request":{}}]`:   false,
		`[{"candidates":[{"content":{}}]},{"candidates":[]},{"request":{}}]`: true,
	} {
		if got := areGeminiChunks(mustParse(t, records).Slice()); got != want {
			t.Errorf("%s: %t", records, got)
		}
	}
	for head, want := range map[string]bool{
		"data: {": true, "data:{": true, " \r\n\tdata: {": true, ": ping\n\n: ping\n  data: {": true, ":ping\ndata: " +
			"{": false,
		"data: x": false, "event: a\ndata: x": true, "event: a\nid: 1\n": false, "id: a\ndata: x": false, ": ping": false,
	} {
		if got := isEventStream([]byte(head)); got != want {
			t.Errorf("%q: %t", head, got)
		}
	}
}

// TestEventsOfUIMessages: which events are of a stream of UI messages, and the ids of other replies.
func TestEventsOfUIMessages(t *testing.T) {
	for _, kind := range strings.Fields("start-step finish-step text-start reasoning-start tool-input-start " +
		"tool-input-available tool-output-available") {
		if !isUIEvent(mustParse(t, `{"type":"`+kind+`"}`)) {
			t.Errorf("%s is no event of a UI message", kind)
		}
	}
	for _, kind := range strings.Fields("start finish text-delta text-end reasoning-delta reasoning-end " +
		"tool-input-delta tool-input-error tool-output-error tool-call tool-result tool-error") {
		for _, key := range []string{"id", "toolCallId", "messageId"} {
			if event := mustParse(t, `{"type":"`+kind+`","`+key+`":"k"}`); !isUIEvent(event) || streamKey(event) != "" {
				t.Errorf("%s with %s is no event of a UI message", kind, key)
			}
		}
		if isUIEvent(mustParse(t, `{"type":"`+kind+`"}`)) {
			t.Errorf("%s alone is an event of a UI message", kind)
		}
	}
	for event, want := range map[string]string{`{"type":"finish"}`: "", `{"type":"x","id":"k"}`: "k", `{"id":"k"}`: "k"} {
		if got := streamKey(mustParse(t, event)); got != want {
			t.Errorf("%s belongs to the reply %q, want %q", event, got, want)
		}
	}
}

func TestDataOfServerSentEvents(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 9000) + `"}`
	text := "event: a\ndata: {\"n\":1}\nid: 5\n\n \tdata:{\"n\":2}\ndata: [DONE]\n: data: " +
		"{}\ndata: " + long + "\nretry: " +
		strings.Repeat("y", 9000) + "data: {}\ndata: {\"n\":3}"
	in, err := openEventStream(bufio.NewReader(strings.NewReader(text)), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(" {\"n\":1}\n{\"n\":2}\n "+long+"\n {\"n\":3}", string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestEventsAreJoined: the events of a reply, as a list or as their text, become one reply. Replies of another
// form stay as they are.
func TestEventsAreJoined(t *testing.T) {
	chunk := func(delta string) string {
		return `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `}]}`
	}
	gemini := func(parts string) string { return `{"candidates":[{"content":{"parts":[` + parts + `]}}]}` }
	for _, tt := range []struct{ name, events, want string }{
		{"a single chunk is no stream", chunk(`{"content":"a"}`), chunk(`{"content":"a"}`)},
		{"other lists", `[{"type":"text","text":"a"}]`, `[{"type":"text","text":"a"}]`},
		{"a text", `"a: data: {}"`, `"a: data: {}"`},
		{"a text without a readable event", `"data: {"`, `"data: {"`},
		{"a text of events behind comments", jsonText(" : ping\n\n : ping\ndata:" + chunk(`{"content":"a"}`)),
			`{"content":[{"type":"text","text":"a"}]}`},
		{"a text of events", jsonText("event: x\ndata: " + chunk(`{"content":"a"}`) +
			"\n\n{\"choices\":[{\"text\":\"no data\"}]}\ndata: [DONE]"), `{"content":[{"type":"text","text":"a"}]}`},
		{"a list of texts", `["data: {\"choices\":[{\"text\":\"a\"}]}","data: {\"choices\":[{\"text\":\"b\"}]}"]`,
			`{"content":[{"type":"text","text":"ab"}]}`},
		{"reasoning of chat", `[` + chunk(`{"reasoning_content":"a",`+
			`"content":""}`) + `,` + chunk(`{"reasoning":"b"}`) + `,` +
			chunk(`{"content":"c"}`) + `,{"choices":[{"index":1,"delta":{"content":"of another choice"}}]}]`,
			`{"content":[{"type":"reasoning","text":"ab"},{"type":"text","text":"c"}]}`},
		{"a function call of chat", `[` + chunk(`{"function_call":{"name":"f","arguments":"{\"a\""}}`) + `,` +
			chunk(`{"function_call":{"name":"f","arguments":":1}"}}`) + `]`, `{"content":[{"type":"tool_use","id":"",` +
			`"name":"f","input":"{\"a\":1}"}]}`},
		{"calls of chat by their index", `[` + chunk(`{"tool_calls":[{"index":0,"id":"k1","function":{"name":"f",`+
			`"arguments":{"a":1}}}]}`) + `,` +
			chunk(`{"tool_calls":[{"index":1,"function":{"name":"g","arguments":"{"}}]}`) + `,` +
			chunk(`{"tool_calls":[{"index":1,"id":"k2","function":{"name":"h","arguments":"}"}}]}`) + `,` +
			chunk(`{"tool_calls":[{"index":0,"id":"k3","function":{"name":"i"}}]}`) + `]`, `{"content":[{"type":"tool_use",` +
			`"id":"k1","name":"f","input":{"a":1}},{"type":"tool_use","id":"k2","name":"gh","input":"{}"},` +
			`{"type":"tool_use","id":"k3","name":"i","input":""}]}`},
		{"a response of OpenAI", `[{"type":"response.output_item.done","item":{"type":"message"}},
			{"type":"response.completed","response":{"output":[{"type":"reasoning"}]}}]`, `{"output":[{"type":"reasoning"}]}`},
		{"a response of OpenAI that is cut", `[{"type":"response.created","response":{"output":[]}},
			{"type":"response.output_item.done","item":{"type":"message"}}]`, `{"output":[{"type":"message"}]}`},
		{"an interaction of Gemini, complete", `[{"event_type":"interaction.start","interaction":{"outputs":[]}},
			{"event_type":"interaction.complete","interaction":{"outputs":[{"type":"text"}]}}]`,
			`{"outputs":[{"type":"text"}]}`},
		{"an interaction of Gemini of steps, complete", `[{"event_type":"interaction.created","interaction":{"steps":[]}},
			{"event_type":"interaction.completed","interaction":{"steps":[{"type":"model_output"}]}}]`,
			`{"steps":[{"type":"model_output"}]}`},
		{"an interaction of Gemini without what was said", `[{"event_type":"content.delta","index":0,` +
			`"delta":{"type":"text","text":"a"}},
			{"event_type":"interaction.complete","interaction":{"id":"v1"}}]`, `{"content":[{"type":"text","text":"a"}]}`},
		{"another completed object", `[{"type":"response.x","delta":"","response":{"output":[1]}},` +
			`{"type":"item.completed","response":{"output":[1]}}]`, `{"content":[]}`},
		{"pieces of an interaction", `[{"event_type":"content.start","index":0,"content":{"type":"thought"}},
			{"event_type":"content.start","index":1,"content":{"type":"google_search_call","id":"g"}},
			{"event_type":"content.delta","index":1,"delta":{"type":"google_search_call","arguments":{"q":1}}},
			{"event_type":"content.start","index":2,"content":{"type":"google_search_call","id":"h"}},
			{"event_type":"content.delta","index":2,"delta":{"type":"google_search_call","arguments":{"q":2}}},
			{"event_type":"content.start","index":2,"content":{"type":"google_search_result"}},
			{"event_type":"content.delta","index":2,"delta":{"type":"google_search_result","result":[]}},
			{"event_type":"content.delta","index":1,"delta":{"id":"no type"}},
			{"event_type":"content.delta","index":3,"delta":{"type":"function_call","id":"k1","name":"f","arguments":{"a":1}}},
			{"event_type":"content.delta","index":4,"delta":{"type":"text","text":"b"}}]`, `{"content":[{"type":"text",` +
			`"text":"b"},{"type":"google_search_call","id":"g","arguments":{"q":1}},{"type":"google_search_call","id":"h",` +
			`"arguments":{"q":2}},{"type":"google_search_result","result":[]},{"type":"tool_use","id":"k1","name":"f",` +
			`"input":{"a":1}}]}`},
		{"steps of an interaction", `[{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"k1",` +
			`"name":"f","arguments":{}}},
			{"event_type":"step.delta","index":0,"delta":{"arguments":"{\"a\":"}},{"event_type":"step.delta","index":0,` +
			`"delta":{"arguments":"1}"}},
			{"event_type":"step.start","index":1,"step":{"type":"thought"}}]`, `{"content":[{"type":"tool_use","id":"k1",` +
			`"name":"f","input":"{\"a\":1}"}]}`},
		{"Anthropic's", `[{"type":"message_start","message":{"content":[{"type":"server_tool_use","id":"s0",` +
			`"name":"code","input":{}}]}},
			{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}},
			{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}},
			{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s1","name":"search",` +
			`"input":{"q":1}}},
			{"type":"content_block_stop","index":1,"content_block":{"type":"server_tool_use","id":"s2","name":"search",` +
			`"input":{"q":1}}},
			{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1",` +
			`"content":[]}},
			{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"k1","name":"f","input":{}}},
			{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}]`,
			`{"content":[{"type":"reasoning","text":"a"},{"type":"server_tool_use","id":"s0","name":"code","input":{}},` +
				`{"type":"server_tool_use","id":"s1","name":"search","input":{"q":1}},{"type":"web_search_tool_result",` +
				`"tool_use_id":"s1","content":[]},{"type":"tool_use","id":"k1","name":"f","input":"{\"a\":1}"}]}`},
		{"Bedrock's", `[{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"a"}}},
			{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"k1","name":"f"}}}},
			{"contentBlockStart":{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"k2"}}}},
			{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"a\":1}"}}}},
			{"contentBlockDelta":{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"a\":2}"}}}}]`,
			`{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"k1","name":"f","input":"{\"a\":1}"},` +
				`{"type":"tool_use","id":"k2","name":"","input":"{\"a\":2}"}]}`},
		{"Cohere's", `[{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"a"}}},{"type":"content-delta",` +
			`"index":0,"delta":{"message":{"content":{"text":"b"}}}},
			{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"k1","function":{"name":"f",` +
			`"arguments":"{"}}}}},
			{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"}"}}}}},
			{"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":{"id":"k2","function":{"name":"g",` +
			`"arguments":"{}"}}}}}]`, `{"content":[{"type":"reasoning","text":"a"},{"type":"text","text":"b"},` +
			`{"type":"tool_use","id":"k1","name":"f","input":"{}"},{"type":"tool_use","id":"k2","name":"g","input":"{}"}]}`},
		{"Ollama's", `[{"model":"m","created_at":"t","done":false,"message":{"role":"assistant","content":"a",` +
			`"thinking":"b"}},
			{"model":"m","created_at":"t","done":true,"message":{"role":"assistant","content":"c","tool_calls":[{"id":"k1",` +
			`"function":{"name":"f","arguments":{"a":1}}}]}}]`, `{"content":[{"type":"reasoning","text":"b"},` +
			`{"type":"text","text":"ac"},{"type":"tool_call","id":"k1","name":"f","arguments":{"a":1}}]}`},
		{"texts and calls of Gemini", `[` + gemini(`{"text":"a","thought":true},`+
			`{"text":"b"}`) + `,` + gemini(`{"text":"c"},{"functionCall":{"id":"k1","name":"f","args":{"a":1}}}`) + `]`,
			`{"content":[{"type":"text","text":"bc"},{"text":"a","thought":true},{"functionCall":{"id":"k1","name":"f",` +
				`"args":{"a":1}}}]}`},
		{"arguments of Gemini in pieces", `[` + gemini(`{"functionCall":{"id":"k1","name":"f","args":{"a":1},`+
			`"willContinue":true}}`) + `,` +
			gemini(`{"functionCall":{"partialArgs":[{"jsonPath":"$.b","stringValue":"x","willContinue":true}],`+
				`"willContinue":true}}`) + `,` +
			gemini(`{"functionCall":{"partialArgs":[{"jsonPath":"$.b","stringValue":"y"},{"jsonPath":"$['c'][0].d",`+
				`"numberValue":2},{"jsonPath":"$.c[5].d","boolValue":true},
				{"jsonPath":"$.e","nullValue":"NULL_VALUE"},{"jsonPath":"$.a.z","numberValue":3},{"jsonPath":"$.f[-1]",`+
				`"numberValue":4},{"jsonPath":"$.g.0","numberValue":5},
				{"jsonPath":"$.c[0].h","numberValue":6},{"jsonPath":"$.f.0","numberValue":7}],"willContinue":true}`+
				`}`) + `,` + gemini(`{"functionCall":{}}`) + `]`, `{"content":[{"type":"tool_use","id":"k1","name":"f",` +
			`"input":{"a":{"z":3},"b":"xy","c":[{"d":2,"h":6},{"d":true}],"e":null,"f":{"-1":4,"0":7},"g":[5]}}]}`},
		{"arguments of Gemini that begin with a piece", `[` + gemini(`{"functionCall":{"name":"f",`+
			`"partialArgs":[{"jsonPath":"$.a","numberValue":1}]}}`) + `,` +
			gemini(`{"functionCall":{"name":"g","willContinue":true}}`) + `]`, `{"content":[{"type":"tool_use","id":"",` +
			`"name":"f","input":{"a":1}},{"type":"tool_use","id":"","name":"g","input":{}}]}`},
		{"a piece of arguments of Gemini without its call",
			`[` + gemini(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}]}`+
				`}`) + `,` + gemini(`{"inlineData":{}}`) + `,` +
				gemini(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}]}}`) + `]`,
			`{"content":[{"inlineData":{}}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := joined(mustParse(t, tt.events)).JSON(); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
