package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShapesOfSpans: the shapes that exporters give to the same conversation, some of them
// old or rare, are read as that conversation.
func TestShapesOfSpans(t *testing.T) {
	const (
		request = `{"role":"user","content":"Where?"}`
		reply   = `{"role":"assistant","content":null,"tool_calls":[{"id":"k","type":"function","function":{"name":"find","arguments":"{\"n\":7}"}}]}`
	)
	asked := `user:Where? | assistant:find({"n":7})`
	chat := func(attrs ...string) string {
		return otlpExport(otlpSpanText("1", "", "1", "", append([]string{"openinference.span.kind", "LLM",
			"llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "Where?"}, attrs...)...))
	}
	for name, tt := range map[string]struct{ log, id, want string }{
		"OpenInference, a function call in a message": {chat("llm.output_messages.0.message.role", "assistant",
			"llm.output_messages.0.message.function_call_name", "find",
			"llm.output_messages.0.message.function_call_arguments_json", `{"n":7}`),
			"0af7651916cd43dd8448eb211c80319c", asked + " | note:call_without_id | note:unanswered_call"},
		"OpenInference, a message without a role": {chat("llm.output_messages.0.message.content", "There."),
			"0af7651916cd43dd8448eb211c80319c", "user:Where? | assistant:There."},
		"OpenInference, calls that the parts repeat": {chat("llm.output_messages.0.message.role", "assistant",
			"llm.output_messages.0.message.contents.0.message_content.type", "text",
			"llm.output_messages.0.message.contents.0.message_content.text", "One moment.",
			"llm.output_messages.0.message.contents.1.message_content.type", "tool_use",
			"llm.output_messages.0.message.tool_calls.0.tool_call.id", "k",
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "find",
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", `{"n":7}`),
			"0af7651916cd43dd8448eb211c80319c", `user:Where? | assistant:One moment.find({"n":7}) | note:unanswered_call`},
		"LangSmith, a run with the trace's id and no order": {
			`[{"id":"b","trace_id":"t","run_type":"llm","start_time":"1","inputs":{"messages":[` + request + `]},"outputs":{"messages":[` + reply + `]}},` +
				`{"id":"c","trace_id":"t","parent_run_id":"b","run_type":"tool","name":"find","start_time":"2","inputs":{"n":7},"outputs":{"output":"there"}}]`,
			"t", asked + " | tool:there"},
		"LangSmith, an order and no trace's id": {
			`{"id":"t","dotted_order":"1Zt","run_type":"llm","inputs":{"messages":[` + request + `]},"outputs":{"messages":[` + reply + `]}}`,
			"t", asked + " | note:unanswered_call"},
		"LangSmith, runs below a run": {
			`{"id":"t","trace_id":"t","run_type":"chain","start_time":"1","inputs":{},"outputs":{},"child_runs":[` +
				`{"id":"b","run_type":"llm","start_time":"2","inputs":{"messages":[` + request + `]},"outputs":{"messages":[` + reply + `]}},` +
				`{"id":"c","run_type":"tool","name":"find","start_time":"3","inputs":{"n":7},"outputs":{"output":"there"}}]}`,
			"t", asked + " | tool:there"},
		"LangSmith, as it is ingested": {
			`{"post":[{"id":"b","trace_id":"t","run_type":"llm","dotted_order":"1Zb","inputs":{"messages":[` + request + `]},"outputs":{"messages":[` + reply + `]}}],` +
				`"patch":[{"id":"c","trace_id":"t","run_type":"tool","name":"find","dotted_order":"1Zb.2Zc","inputs":{"input":{"n":7}},"outputs":{"output":{"kwargs":{"content":"there","tool_call_id":"k"}}}}]}`,
			"t", asked + " | tool:there"},
		"LangSmith, generations of text": {
			`{"id":"t","trace_id":"t","run_type":"llm","dotted_order":"1Zt","inputs":{"messages":[` + request + `]},"outputs":{"generations":[[{"text":"There."}]]}}`,
			"t", "user:Where? | assistant:There."},
		"LangSmith, no reply": {
			`{"id":"t","trace_id":"t","run_type":"llm","dotted_order":"1Zt","inputs":{"messages":[` + request + `]},"outputs":{}}`,
			"t", "user:Where?"},
		"Langfuse, calls in a column beside a text": {
			`{"id":"o1","trace_id":"t","parent_observation_id":"","type":"GENERATION","start_time":"1","input":"Where?","output":"One moment.","tool_calls":["{\"id\":\"k\",\"name\":\"find\",\"arguments\":\"{\\\"n\\\":7}\"}"]}`,
			"t", `user:Where? | assistant:One moment.find({"n":7}) | note:unanswered_call`},
		"Langfuse, calls in a column and none said": {
			`{"id":"o1","traceId":"t","type":"GENERATION","startTime":"1","input":[` + request + `],"output":null,"toolCalls":[{"id":"k","name":"find","arguments":{"n":7}}]}`,
			"t", asked + " | note:unanswered_call | note:format_ambiguous"},
		"Langfuse, a column that repeats the output": {
			`{"id":"o1","traceId":"t","type":"GENERATION","startTime":"1","input":[` + request + `],"output":` + reply + `,"toolCalls":[{"id":"k","name":"find","arguments":{"n":7}}]}`,
			"t", asked + " | note:unanswered_call | note:format_ambiguous"},
		"Langfuse, a trace of its own": {
			`{"id":"t","sessionId":"s","input":"Where?","output":"There.","observations":[{"id":"o","type":"SPAN","traceId":"t","startTime":"1"}]}`,
			"s", "user:Where? | assistant:There."},
		"Traceloop, the outermost span": {
			otlpExport(otlpSpanText("1", "", "1", "", "traceloop.entity.input", "Where?", "traceloop.entity.output", "There.", "traceloop.span.kind", "workflow")),
			"0af7651916cd43dd8448eb211c80319c", "user:Where? | assistant:There. | left:span workflow 1"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, list := readText(t, "x.json", tt.log, Options{})
			if len(list) != 1 {
				t.Fatalf("%q", lines)
			}
			if d := cmp.Diff(tt.want, dialogue(list[0])); d != "" {
				t.Error(d)
			}
			if list[0].ID != tt.id {
				t.Errorf("the conversation is %s, want %s", list[0].ID, tt.id)
			}
		})
	}
}
