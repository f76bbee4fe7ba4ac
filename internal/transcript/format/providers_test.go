package format

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/realdata"
)

func TestAnthropic(t *testing.T) {
	text := `{"id":"a","system":[{"type":"text","text":"S"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"labels":{"human":1},"messages":[
	{"role":"user","content":"hi"},
	{"role":"assistant","content":[{"type":"thinking","thinking":"T"},{"type":"text","text":"one"},{"type":"tool_use","id":"1","name":"f","input":{ "n" : 90071992547409931 }},{"type":"tool_use","id":"2","name":"f","input":{"n":2}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","is_error":true,"content":"late"},{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"{\"ok\":1}"}]},{"type":"text","text":"go on"}]},
	{"role":"assistant","content":[{"type":"server_tool_use","id":"3","name":"web_search","input":{"q":"x"}},{"type":"web_search_tool_result","tool_use_id":"3","content":[{"type":"web_search_result","title":"t"}]},{"type":"text","text":"done"}]}]}`
	got, list := readText(t, "x.json", text, Options{})
	want := []string{`a x.json[0] f({"n":90071992547409931})@2->4:id f({"n":2})@2->3:id web_search({"q":"x"})@6->7:id part_not_text`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	c := list[0]
	var roles []string
	for _, m := range c.Messages {
		roles = append(roles, string(m.Role)+":"+m.Content)
	}
	wantRoles := []string{"system:S", "user:hi", "assistant:one", "tool:late", `tool:{"ok":1}`, "user:go on", "assistant:", "tool:[web_search_result]", "assistant:done"}
	if diff := cmp.Diff(wantRoles, roles); diff != "" {
		t.Error(diff)
	}
	if c.Messages[2].Reasoning != "T" || !c.Messages[3].IsError || c.Messages[4].Output.JSON() != `{"ok":1}` || c.Calls[2].Executor != "server" || c.Calls[0].RawArguments != `{ "n" : 90071992547409931 }` {
		t.Errorf("%+v", c)
	}
	sameContent(t, list)
}

func TestResponses(t *testing.T) {
	text := `{"id":"r","instructions":"S","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"input":[{"role":"user","content":"hi"},
	{"type":"reasoning","summary":[{"type":"summary_text","text":"T"}]},
	{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"one"}]},
	{"type":"function_call","id":"fc","call_id":"1","name":"f","arguments":"{\"n\": 1.50}"},
	{"type":"function_call","call_id":"2","name":"f","arguments":"{"},
	{"type":"function_call_output","call_id":"2","output":"b"},{"type":"function_call_output","call_id":"1","output":"a"},
	{"type":"custom_tool_call","call_id":"3","name":"sql","input":"select"},{"type":"function_call_output","call_id":null,"name":"sql","output":[{"type":"input_text","text":"1"}]},
	{"type":"mcp_call","id":"m","name":"g","server_label":"s","arguments":"{}","output":"ok","error":null},
	{"type":"web_search_call","id":"w","status":"completed","action":{"query":"q"}},{"type":"strange"}],
	"output":[{"type":"mcp_list_tools","tools":[{"name":"g","input_schema":{}}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"end"}]}]}`
	got, list := readText(t, "x.json", text, Options{})
	want := []string{`r x.json[0] f({"n":1.50})@2->4:id f({})@2!->3:id sql({"input":"select"})@5->6:order g({})@7->8:id web_search({"action":{"query":"q"}})@9->-1:none` +
		` arguments_not_json unknown_item paired_by_order unknown_tool`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	c := list[0]
	if c.Messages[2].Reasoning != "T" || c.Messages[2].Extra.JSON() != `{"phase":"commentary"}` || len(c.Tools) != 2 || c.Extra.JSON() != `{"other_items":[{"type":"strange"}]}` {
		t.Errorf("%+v", c)
	}
	sameContent(t, list)
	for text, want := range map[string]string{
		"5":           "error: x.jsonl:1: a conversation must be an object or a list of items and is an integer",
		`{"input":5}`: "error: x.jsonl:1: input: this must be a list of items and is an integer",
		`{"id":[]}`:   "error: x.jsonl:1: id: the id must be a text and is an array",
	} {
		if got, _ := readText(t, "x.jsonl", text, Options{Format: openAIResponse.name}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestStreamedResponse: the last event of a streamed response has its tools, too.
func TestStreamedResponse(t *testing.T) {
	_, list := readText(t, "x.jsonl", `{"type":"response.created","response":{"id":"r1","output":[]}}`+"\n"+
		`{"type":"response.completed","response":{"id":"r1","object":"response","output":[{"type":"function_call","call_id":"k1",`+
		`"name":"find","arguments":"{}"}],"tools":[{"type":"function","name":"find","parameters":{"type":"object","properties":{"q":{"type":"integer"}}}}]}}`, Options{})
	if len(list) != 1 || len(list[0].Calls) != 1 || len(list[0].Tools) != 1 || list[0].Tools[0].Signature() != "find(q)" {
		t.Errorf("%+v", list)
	}
}

// TestReasoningBelongsToWhatFollows: items of reasoning stand by themselves, ahead of a message or call.
func TestReasoningBelongsToWhatFollows(t *testing.T) {
	thought := func(text string) string {
		return `{"type":"reasoning","summary":[{"type":"summary_text","text":"` + text + `"}]}`
	}
	said := func(text string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}`
	}
	called := `{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"x"}`
	_, list := readText(t, "x.json", `[`+strings.Join([]string{said("a"), thought("A"), thought("B"), said("b"), `{"type":"reasoning","summary":[]}`,
		called, thought("C"), called, thought("D"), said("c"), thought("E")}, ",")+`]`, Options{Format: openAIResponsesItems.name})
	var got []string
	for _, m := range list[0].Messages {
		got = append(got, fmt.Sprintf("%s %q of %q, %d calls", m.Role, m.Content, m.Reasoning, len(m.Calls)))
	}
	want := []string{`assistant "a" of "", 0 calls`, `assistant "b" of "A\nB", 1 calls`, `tool "x" of "", 0 calls`,
		`assistant "" of "C", 1 calls`, `tool "x" of "", 0 calls`, `assistant "c" of "D", 0 calls`, `assistant "" of "E", 0 calls`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRecordedRequests reads the last request of each recorded exchange, which
// repeats the conversation so far, and counts its calls the plain way.
func TestRecordedRequests(t *testing.T) {
	for dir, mark := range map[string]string{"anthropic-messages": "tool_use", "openai-responses": "function_call", "openai-chat": "function"} {
		files, _ := filepath.Glob(filepath.Join(realdata.Path(t, "data", "formats", dir), "*.json"))
		read, calls := 0, 0
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var exchanges []struct{ Request json.RawMessage }
			if err := json.Unmarshal(data, &exchanges); err != nil {
				t.Fatal(err)
			}
			request := string(exchanges[len(exchanges)-1].Request)
			if !strings.HasPrefix(request, "{") {
				continue
			}
			name := filepath.Base(file)
			lines, list := readText(t, name, request, Options{})
			if len(list) != 1 {
				t.Errorf("%s: %v", name, lines)
				continue
			}
			var tree any
			if err := json.Unmarshal([]byte(request), &tree); err != nil {
				t.Fatal(err)
			}
			delete(tree.(map[string]any), "tools")
			delete(tree.(map[string]any), "tool_choice")
			want := countType(tree, mark) + countType(tree, "server_tool_use")
			if got := len(list[0].Calls); got != want {
				t.Errorf("%s (%s): %d calls, not %d", name, list[0].Source.Format, got, want)
			}
			for _, call := range list[0].Calls {
				if call.Result < 0 && call.Executor == "client" || call.Malformed {
					t.Errorf("%s: %+v", name, call)
				}
			}
			sameContent(t, list)
			read, calls = read+1, calls+len(list[0].Calls)
		}
		if read < 5 || calls < 5 {
			t.Errorf("%s: only %d requests with %d calls were read", dir, read, calls)
		}
		t.Logf("%s: %d requests, %d calls", dir, read, calls)
	}
}

func countType(v any, mark string) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n += b2i(v["type"] == mark)
		for _, e := range v {
			n += countType(e, mark)
		}
	case []any:
		for _, e := range v {
			n += countType(e, mark)
		}
	}
	return n
}

func FuzzAnthropic(f *testing.F) {
	f.Add(`{"system":"S","messages":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}]},"y"]}]}`)
	f.Add(`[{"role":"assistant","content":[{"type":"server_tool_use","id":"1"},{"type":"x_tool_result","content":{"type":"e_error"}}]}]`)
	f.Fuzz(func(t *testing.T, text string) { check(t, "x.jsonl", text, Options{Format: anthropicMessages.name}) })
}

func FuzzResponses(f *testing.F) {
	f.Add(`{"instructions":"S","input":"x","output":[{"type":"reasoning","summary":[{"text":"t"}]},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","output":"x"},{"type":"mcp_call","output":"x"}]}`)
	f.Add(`[{"role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"custom_tool_call","input":"x"},{"type":"y"}]`)
	f.Fuzz(func(t *testing.T, text string) { check(t, "x.jsonl", text, Options{Format: openAIResponse.name}) })
}
