package format

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

func TestALogWhoseCallsAreNotReadIsAnError(t *testing.T) {
	const way = ": the log was read as native (--input-format), and another --input-format may be right"
	for name, c := range map[string]struct{ text, want string }{
		"a key with calls": {`{"messages":[` + user + `,{"role":"assistant","content":"","actions":{"toolCalls":[{"name":"f"}]}}]}`,
			`x.jsonl: no tool call was read of 1 conversations, but x.jsonl:1 holds "toolCalls"` + way},
		"a type": {line1 + "\n" + `{"messages":[` + user + `,{"role":"assistant","content":"","actions":[{ "type" : "tool-call" }]}]}`,
			`x.jsonl: no tool call was read of 2 conversations, but x.jsonl:2 holds "tool-call"` + way},
		"two signs": {`{"messages":[` + user + `,{"role":"assistant","content":"","a":[{"toolUse":{}},{"toolUse":{"a":1}},{"tool_use":{"a":1}}]}]}`,
			`x.jsonl: no tool call was read of 1 conversations, but x.jsonl:1 holds "toolUse"` + way},
		"calls of others":    {`{"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool-call"}],"toolCalls":[{"name":"f"}]}]}`, ""},
		"an empty key":       {`{"messages":[` + user + `,{"role":"assistant","content":"","tool_calls":[ ],"toolUse":null}]}`, ""},
		"a word in the text": {`{"messages":[{"role":"user","content":"what is \"tool_calls\":[{}] and tool_use?"}]}`, ""},
		"a call beside":      {`{"messages":[` + user + `,{"role":"assistant","toolCalls":[{"name":"f"}]}]}` + "\n" + with(assistant(fn("1", "f", `"{}"`))), ""},
	} {
		var last error
		n := 0
		for _, err := range Open(context.Background(), "x.jsonl", strings.NewReader(c.text), Options{Format: native.name}).All() {
			n, last = n+1, err
		}
		var f *transcript.FormatError
		if errors.As(last, &f) != (c.want != "") || c.want != "" && last.Error() != c.want {
			t.Errorf("%s: %d results, the last %v", name, n, last)
		}
	}
}

func TestALogThatTwoFormatsFitSaysSo(t *testing.T) {
	calls := `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}`
	mixed := `{"messages":[` + user + `,` + calls + `,{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}]}`
	lines, list := readText(t, "x.jsonl", mixed+"\n"+line1, Options{})
	if len(list) != 2 || len(list[0].Notes) != 1 || list[0].Notes[0].Kind != "format_ambiguous" || len(list[1].Notes) != 0 ||
		!strings.Contains(list[0].Notes[0].Detail, "2 marks of OpenAI's form (messages[1].tool_calls), 1 of Anthropic's (messages[3].content[0] of type thinking)") {
		t.Errorf("%v %+v", lines, list[0].Notes)
	}
	equal := `{"messages":[{"role":"tool","content":[{"type":"tool_result"}]}]}`
	if lines, _ := readText(t, "x.jsonl", equal, Options{}); len(lines) != 1 || !strings.Contains(lines[0], "--input-format openai-chat or anthropic-messages") {
		t.Error(lines)
	}
}

func TestMixedMessagesLoseNoCall(t *testing.T) {
	mixed := `{"messages":[` + user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"g","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"y"}]}]}`
	for _, format := range []string{openAIChat.name, anthropicMessages.name, native.name} {
		lines, list := readText(t, "x.jsonl", mixed, Options{Format: format})
		if len(list) != 1 || dialogue(list[0]) != `user:hi | assistant:f({}) | tool:x | assistant:g({}) | tool:y` {
			t.Errorf("%s: %v", format, lines)
		}
		sameContent(t, list)
		bare := strings.TrimSuffix(strings.TrimPrefix(mixed, `{"messages":`), "}")
		if lines, list := readText(t, "x.jsonl", bare, Options{Format: format}); len(list) != 1 || len(list[0].Messages) != 5 {
			t.Errorf("%s without its record: %v", format, lines)
		}
	}
}

func TestWhatIsLeftOutIsCounted(t *testing.T) {
	var s Summary
	log := otlpExport(chatSpan("1", "1", askMessages, callMessages), otlpSpanText("2", "", "2", ""))
	if err := s.Read(Open(context.Background(), "x.json", strings.NewReader(log), Options{})); err != nil {
		t.Fatal(err)
	}
	f := s.Files[0]
	if f.Format != "otlp+genai" || f.Evidence == "" || f.Messages != 2 || f.Calls != 1 || f.Results != 0 || f.Unpaired != 1 || len(f.Dropped) != 1 || f.Dropped[0].Count != 1 {
		t.Errorf("%+v", f)
	}
}
