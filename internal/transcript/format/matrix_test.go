package format

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

// logCall is a call of a made log. args is JSON: an object, or a text that is no JSON.
type logCall struct{ id, args string }

// madeLog is a conversation that each format is written in: a user's text, one message with
// calls, their results in an order, and an answer.
type madeLog struct {
	user  string
	part  bool // a part of a type that nobody knows beside the user's text
	calls []logCall
	// results are the indexes of the calls that are answered, in the order of the answers.
	results []int
}

func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// asText returns arguments as a JSON text: that of the object, or the text itself.
func asText(args string) string {
	if args[0] == '"' {
		return args
	}
	return jsonText(args)
}

func join[T any](list []T, f func(i int, e T) string) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = f(i, e)
	}
	return strings.Join(out, ",")
}

// member is `"key":"text",` with the id of a call, nothing where it has none.
func member(key, id string) string {
	if id == "" {
		return ""
	}
	return jsonText(key) + ":" + jsonText(id) + ","
}

const answerText = "It was lost."

func (m *madeLog) chatMessages(toolMessage func(c logCall, k int) string, call func(i int, c logCall) string) string {
	content := jsonText(m.user)
	if m.part {
		content = `[{"type":"text","text":` + content + `},{"type":"hologram","x":1}]`
	}
	parts := []string{`{"role":"user","content":` + content + `}`}
	if len(m.calls) > 0 {
		parts = append(parts, `{"role":"assistant","content":null,"tool_calls":[`+join(m.calls, call)+`]}`)
	}
	for _, k := range m.results {
		parts = append(parts, toolMessage(m.calls[k], k))
	}
	parts = append(parts, `{"role":"assistant","content":`+jsonText(answerText)+`}`)
	return strings.Join(parts, ",")
}

func openAIMadeCall(_ int, c logCall) string {
	return "{" + member("id", c.id) + `"type":"function","function":{"name":"find_order","arguments":` + asText(c.args) + `}}`
}

func openAIMadeResult(c logCall, k int) string {
	return fmt.Sprintf(`{"role":"tool",%s"content":"r%d"}`, member("tool_call_id", c.id), k)
}

func (m *madeLog) openAI() string { return m.chatMessages(openAIMadeResult, openAIMadeCall) }

// parts returns the messages in the form of the GenAI conventions.
func (m *madeLog) parts() (input, output string) {
	user := `{"type":"text","content":` + jsonText(m.user) + `}`
	if m.part {
		user += `,{"type":"hologram","x":1}`
	}
	list := []string{`{"role":"user","parts":[` + user + `]}`}
	if len(m.calls) > 0 {
		list = append(list, `{"role":"assistant","parts":[`+join(m.calls, func(_ int, c logCall) string {
			return `{"type":"tool_call",` + member("id", c.id) + `"name":"find_order","arguments":` + c.args + `}`
		})+`]}`)
	}
	for _, k := range m.results {
		list = append(list, fmt.Sprintf(`{"role":"tool","parts":[{"type":"tool_call_response",%s"response":"r%d"}]}`, member("id", m.calls[k].id), k))
	}
	return strings.Join(list, ","), `{"role":"assistant","parts":[{"type":"text","content":` + jsonText(answerText) + `}]}`
}

func attributeText(key, text string) string {
	return `{"key":` + jsonText(key) + `,"value":{"stringValue":` + jsonText(text) + `}}`
}

func spansOf(attributes ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + join(attributes, func(i int, a string) string {
		return fmt.Sprintf(`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b716920333%d","name":"s","startTimeUnixNano":"%d","attributes":[%s]}`, i, 10+i, a)
	}) + `]}]}]}`
}

// inference returns the flattened attributes of OpenInference.
func (m *madeLog) inference(write func(key, text string) string) string {
	var out []string
	n := 0
	add := func(key, text string) {
		out = append(out, write(fmt.Sprintf("llm.input_messages.%d.message.%s", n, key), text))
	}
	add("role", "user")
	add("contents.0.message_content.type", "text")
	add("contents.0.message_content.text", m.user)
	if m.part {
		add("contents.1.message_content.type", "hologram")
	}
	n++
	if len(m.calls) > 0 {
		add("role", "assistant")
		for i, c := range m.calls {
			at := fmt.Sprintf("tool_calls.%d.tool_call.", i)
			if c.id != "" {
				add(at+"id", c.id)
			}
			var text string
			_ = json.Unmarshal([]byte(asText(c.args)), &text)
			add(at+"function.name", "find_order")
			add(at+"function.arguments", text)
		}
		n++
	}
	for _, k := range m.results {
		add("role", "tool")
		add("content", fmt.Sprintf("r%d", k))
		if m.calls[k].id != "" {
			add("tool_call_id", m.calls[k].id)
		}
		n++
	}
	out = append(out, write("llm.output_messages.0.message.role", "assistant"), write("llm.output_messages.0.message.content", answerText),
		write("openinference.span.kind", "LLM"))
	return strings.Join(out, ",")
}

// madeFormats write a conversation in each format.
var madeFormats = map[string]func(m *madeLog) string{
	openAIChat.name: func(m *madeLog) string { return `{"messages":[` + m.openAI() + `]}` },
	openAIResponsesItems.name: func(m *madeLog) string {
		content := `{"type":"input_text","text":` + jsonText(m.user) + `}`
		if m.part {
			content += `,{"type":"hologram","x":1}`
		}
		list := []string{`{"type":"message","role":"user","content":[` + content + `]}`}
		for _, c := range m.calls {
			list = append(list, `{"type":"function_call",`+member("call_id", c.id)+`"name":"find_order","arguments":`+asText(c.args)+`}`)
		}
		for _, k := range m.results {
			list = append(list, fmt.Sprintf(`{"type":"function_call_output",%s"output":"r%d"}`, member("call_id", m.calls[k].id), k))
		}
		return "[" + strings.Join(list, ",") + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + jsonText(answerText) + `}]}]`
	},
	anthropicMessages.name: func(m *madeLog) string {
		content := `{"type":"text","text":` + jsonText(m.user) + `}`
		if m.part {
			content += `,{"type":"hologram","x":1}`
		}
		list := []string{`{"role":"user","content":[` + content + `]}`}
		if len(m.calls) > 0 {
			list = append(list, `{"role":"assistant","content":[`+join(m.calls, func(_ int, c logCall) string {
				return `{"type":"tool_use",` + member("id", c.id) + `"name":"find_order","input":` + c.args + `}`
			})+`]}`)
		}
		if len(m.results) > 0 {
			list = append(list, `{"role":"user","content":[`+join(m.results, func(_, k int) string {
				return fmt.Sprintf(`{"type":"tool_result",%s"content":"r%d"}`, member("tool_use_id", m.calls[k].id), k)
			})+`]}`)
		}
		return `{"system":"Be brief.","messages":[` + strings.Join(list, ",") + `,{"role":"assistant","content":` + jsonText(answerText) + `}]}`
	},
	"otlp+genai": func(m *madeLog) string {
		input, output := m.parts()
		return spansOf(attributeText("gen_ai.operation.name", "chat") + "," + attributeText("gen_ai.input.messages", "["+input+"]") + "," +
			attributeText("gen_ai.output.messages", "["+output+"]"))
	},
	"otlp+openinference": func(m *madeLog) string { return spansOf(m.inference(attributeText)) },
	"openinference-flat": func(m *madeLog) string {
		return `{"name":"llm","attributes":{` + m.inference(func(key, text string) string { return jsonText(key) + ":" + jsonText(text) }) + `}}`
	},
	"otel-messages": func(m *madeLog) string {
		input, output := m.parts()
		return `{"messages":[` + input + "," + output + `]}`
	},
	"otlp-logs": func(m *madeLog) string {
		input, output := m.parts()
		return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.client.inference.operation.details","traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","attributes":[` +
			attributeText("gen_ai.input.messages", "["+input+"]") + "," + attributeText("gen_ai.output.messages", "["+output+"]") + `]}]}]}]}`
	},
	"langsmith-run": func(m *madeLog) string {
		return `{"id":"r2","trace_id":"r1","run_type":"llm","dotted_order":"20261120T1Zr1.20261120T2Zr2","inputs":{"messages":[` +
			strings.TrimSuffix(m.openAI(), `,{"role":"assistant","content":`+jsonText(answerText)+`}`) +
			`]},"outputs":{"choices":[{"message":{"role":"assistant","content":` + jsonText(answerText) + `}}]}}`
	},
	"langfuse-observation": func(m *madeLog) string {
		return `{"id":"o1","trace_id":"t1","parent_observation_id":"","type":"GENERATION","input":` +
			jsonText("["+strings.TrimSuffix(m.openAI(), `,{"role":"assistant","content":`+jsonText(answerText)+`}`)+"]") + `,"output":` +
			jsonText(`{"role":"assistant","content":`+jsonText(answerText)+`}`) + `}`
	},
	"inspect-json": func(m *madeLog) string {
		return `{"version":2,"eval":{"task":"shop"},"samples":[{"id":"s","epoch":1,"messages":[` + m.chatMessages(openAIMadeResult, func(_ int, c logCall) string {
			return "{" + member("id", c.id) + `"function":"find_order","arguments":` + c.args + `,"type":"function"}`
		}) + `]}]}`
	},
	tau2Results.name: func(m *madeLog) string {
		return `{"info":{"environment_info":{}},"tasks":[],"simulations":[{"id":"s1","task_id":"t1","messages":[` + m.chatMessages(func(c logCall, k int) string {
			return fmt.Sprintf(`{"role":"tool",%s"content":"r%d","error":false}`, member("id", c.id), k)
		}, func(_ int, c logCall) string {
			return "{" + member("id", c.id) + `"name":"find_order","arguments":` + c.args + `}`
		}) + `]}]}`
	},
	"atif": func(m *madeLog) string {
		user := jsonText(m.user)
		if m.part {
			user = `[{"type":"text","text":` + user + `},{"type":"hologram","x":1}]`
		}
		steps := `{"step_id":1,"source":"user","message":` + user + `}`
		if len(m.calls) > 0 {
			steps += `,{"step_id":2,"source":"agent","message":"","tool_calls":[` + join(m.calls, func(_ int, c logCall) string {
				return "{" + member("tool_call_id", c.id) + `"function_name":"find_order","arguments":` + c.args + `}`
			}) + `],"observation":{"results":[` + join(m.results, func(_, k int) string {
				return fmt.Sprintf(`{%s"content":"r%d"}`, member("source_call_id", m.calls[k].id), k)
			}) + `]}}`
		}
		return `{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[` + steps + `,{"step_id":3,"source":"agent","message":` + jsonText(answerText) + `}]}`
	},
	"mcp-jsonrpc": func(m *madeLog) string {
		var lines []string
		for i, c := range m.calls {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find_order","arguments":%s}}`, i, c.args))
		}
		for _, k := range m.results {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"r%d"}]}}`, k, k))
		}
		return strings.Join(append(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":`+jsonText(m.user)+`}}`), "\n")
	},
}

const goodArgs = `{"order_id":90071992547409931}`

// madeCases are the cases that every format must get right.
var madeCases = map[string]madeLog{
	"plain":             {user: "Where?", calls: []logCall{{"k1", goodArgs}}, results: []int{0}},
	"no ids":            {user: "Where?", calls: []logCall{{"", goodArgs}, {"", `{"order_id":2}`}}, results: []int{0, 1}},
	"unparsable":        {user: "Where?", calls: []logCall{{"k1", `"{order_id: "`}}, results: []int{0}},
	"no result":         {user: "Where?", calls: []logCall{{"k1", goodArgs}}},
	"reverse order":     {user: "Where?", calls: []logCall{{"k1", goodArgs}, {"k2", `{"order_id":2}`}}, results: []int{1, 0}},
	"unknown part type": {user: "Where?", part: true, calls: []logCall{{"k1", goodArgs}}, results: []int{0}},
}

func TestEveryFormatReadsEveryCase(t *testing.T) {
	for format, write := range madeFormats {
		for name, m := range madeCases {
			t.Run(format+"/"+name, func(t *testing.T) {
				d, err := Detect([]byte(write(&m)))
				if d.Format != format || err != nil {
					t.Fatalf("taken for %+v, %v:\n%s", d, err, write(&m))
				}
				lines, list := readText(t, "x.json", write(&m), Options{})
				if len(list) != 1 || len(lines) != 1 {
					t.Fatal(lines)
				}
				checkMade(t, list[0], &m, format == "mcp-jsonrpc")
				sameContent(t, list)
			})
		}
	}
}

// checkMade holds what was read against what was written.
func checkMade(t *testing.T, c *transcript.Conversation, m *madeLog, callsOnly bool) {
	t.Helper()
	if len(c.Calls) != len(m.calls) {
		t.Fatalf("%d calls: %s", len(c.Calls), summary(c))
	}
	answered := map[int]bool{}
	for _, k := range m.results {
		answered[k] = true
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		if (call.Result >= 0) != answered[i] || call.Result >= 0 && c.Messages[call.Result].Content != fmt.Sprintf("r%d", i) {
			t.Errorf("call %d has the wrong result: %s", i, summary(c))
		}
		if broken := m.calls[i].args[0] == '"'; call.Malformed != broken || call.Name != "find_order" {
			t.Errorf("call %d: %+v", i, call)
		} else if broken && !strings.Contains(call.RawArguments, "{order_id: ") {
			t.Errorf("the text of arguments became %q", call.RawArguments)
		} else if m.calls[i].args == goodArgs && call.Arguments.Field("order_id").Text() != "90071992547409931" {
			t.Errorf("the number became %s", call.Arguments.JSON())
		}
	}
	if callsOnly {
		return
	}
	user := 0
	for i := range c.Messages {
		if msg := &c.Messages[i]; msg.Role == transcript.User {
			if user++; !strings.HasPrefix(msg.Content, m.user) || m.part != strings.Contains(msg.Content, "[hologram]") {
				t.Errorf("the user says %q", msg.Content)
			}
		}
	}
	if last := &c.Messages[len(c.Messages)-1]; user != 1 || last.Content != answerText || last.Role != transcript.Assistant {
		t.Errorf("%d messages of the user, the last is %+v", user, last)
	}
}

// A file that breaks off is never taken for a whole one.
func TestACutFileIsSaid(t *testing.T) {
	for format, write := range madeFormats {
		m := madeCases["reverse order"]
		text := write(&m)
		for _, part := range []int{5, 7, 9} {
			cut := text[:len(text)*part/10]
			lines, list := readText(t, "x.jsonl", cut, Options{Format: format})
			said := false
			for _, l := range lines {
				said = said || strings.Contains(l, "error: ") || strings.Contains(l, "problem: ")
			}
			if !said {
				t.Errorf("%s cut at %d/10 reads as %v with %d conversations", format, part, lines, len(list))
			}
		}
	}
}

func TestEveryFormatReadsALongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("20 MB for each format")
	}
	for format, write := range madeFormats {
		if format == "mcp-jsonrpc" {
			continue // it holds no texts of users
		}
		m := madeCases["plain"]
		m.user = strings.Repeat("a", 20<<20)
		_, list := readText(t, "x.json", write(&m), Options{Format: format})
		if len(list) != 1 {
			t.Errorf("%s: %d conversations", format, len(list))
			continue
		}
		checkMade(t, list[0], &m, false)
	}
}
