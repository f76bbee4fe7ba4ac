package format

import "testing"

// TestFormsThatWereReadWrongInSilence reads shapes whose calls came out without a name or without
// arguments, or twice: each holds one call of find_order with its result, and the tool if it names it.
func TestFormsThatWereReadWrongInSilence(t *testing.T) {
	call := `{\"name\": \"find_order\", \"arguments\": {\"order_id\": 7}}`
	openAI := `"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]`
	definition := `{"type":"function","function":{"name":"find_order","parameters":{"type":"object"}}}`
	for name, tt := range map[string]struct {
		log   string
		tools int
	}{
		"parts of LLaMA-Factory": {`{"messages":[{"role":"user","content":[{"type":"text","value":"Where?"}]},{"role":"assistant",` +
			`"content":[{"type":"reasoning","value":"hm"},{"type":"tool_call","value":"` + call + `"}]},` +
			`{"role":"tool","content":[{"type":"text","value":"lost"}]}]}`, 0},
		"results in parts with a value": {`{"messages":[{"role":"assistant","content":[{"type":"tool_call","value":"` + call + `"}]},` +
			`{"role":"tool","content":[{"type":"tool_result","value":"lost"}]}]}`, 0},
		"a call in its result's message": {`[{"role":"user","content":"Where?"},{"role":"tool","tool_name":"find_order",` +
			`"tool_input":{"order_id":7},"tool_output":"lost"}]`, 0},
		"additional_kwargs": {`[{"role":"user","content":"Where?"},{"role":"assistant","content":"","additional_kwargs":{` + openAI +
			`}},{"role":"tool","tool_call_id":"k1","content":"lost"}]`, 0},
		"definitions as messages": {`{"messages":[{"role":"tool","content":` + definition + `},{"role":"user","content":"Where?"},` +
			`{"role":"assistant","content":null,` + openAI + `},{"role":"tool","tool_call_id":"k1","content":"lost"}]}`, 1},
	} {
		lines, list := readText(t, "x.jsonl", tt.log, Options{})
		if len(list) != 1 || len(list[0].Calls) != 1 || len(list[0].Tools) != tt.tools || unpaired(list[0]) > 0 {
			t.Errorf("%s: %v", name, lines)
			continue
		}
		c := list[0]
		if call := c.Calls[0]; call.Name != "find_order" || call.Arguments.Field("order_id").Text() != "7" ||
			c.Messages[call.Result].Content != "lost" || c.Messages[0].Content == "" && c.Messages[0].Role != "assistant" {
			t.Errorf("%s: %s %+v", name, summary(c), c.Messages)
		}
	}
}
