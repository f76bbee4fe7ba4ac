package format

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// otlpSpanText returns one span; attrs are pairs of a key and a text.
func otlpSpanText(id, parent, start, status string, attrs ...string) string {
	var list []string
	for i := 0; i+1 < len(attrs); i += 2 {
		list = append(list, attributeText(attrs[i], attrs[i+1]))
	}
	return fmt.Sprintf(`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"%s","parentSpanId":"%s","name":"x","startTimeUnixNano":"%s","status":{%s},"attributes":[%s]}`,
		id, parent, start, status, strings.Join(list, ","))
}

func otlpExport(spans ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

const (
	askMessages  = `[{"role":"user","parts":[{"type":"text","content":"Where?"}]}]`
	callMessages = `[{"role":"assistant","parts":[{"type":"tool_call","id":"k1","name":"find_order","arguments":{"order_id":7}}]}]`
)

func chatSpan(id, start, input, output string, more ...string) string {
	return otlpSpanText(id, "", start, "", append([]string{"gen_ai.operation.name", "chat", "gen_ai.input.messages", input, "gen_ai.output.messages", output}, more...)...)
}

// below returns the span of a model call inside another one; its id and its start are the same number.
func below(parent, id, input, output string) string {
	return otlpSpanText(id, parent, id, "", "gen_ai.operation.name", "chat",
		"gen_ai.input.messages", input, "gen_ai.output.messages", output)
}

func toolSpanText(id, parent, start, status string, more ...string) string {
	return otlpSpanText(id, parent, start, status, append([]string{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find_order"}, more...)...)
}

// dialogue returns the messages of a conversation in short: role:text, with calls and whether a
// result is an error.
func dialogue(c *transcript.Conversation) string {
	var out []string
	for i := range c.Messages {
		m := &c.Messages[i]
		text := string(m.Role) + ":" + m.Content
		for _, k := range m.Calls {
			text += fmt.Sprintf("%s(%s)", c.Calls[k].Name, c.Calls[k].Arguments.JSON())
		}
		if m.IsError {
			text += "!"
		}
		out = append(out, text)
	}
	for _, n := range c.Notes {
		out = append(out, "note:"+n.Kind)
	}
	for _, d := range c.Dropped {
		out = append(out, fmt.Sprintf("left:%s %d", d.Name, d.Count))
	}
	return strings.Join(out, " | ")
}

func TestSpansBecomeOneConversation(t *testing.T) {
	call := `assistant:find_order({"order_id":7})`
	for name, c := range map[string]struct{ log, want string }{
		"the history comes once, whatever the order of the spans": {otlpExport(
			chatSpan("2", "1000", `[{"role":"user","parts":[{"type":"text","content":"Where?"}]},`+callMessages[1:len(callMessages)-1]+
				`,{"role":"tool","parts":[{"type":"tool_call_response","id":"k1","result":"lost"}]}]`, `[{"role":"assistant","parts":[{"type":"text","content":"Lost."}]}]`),
			chatSpan("1", "999", askMessages, callMessages)),
			"user:Where? | " + call + " | tool:lost | assistant:Lost."},
		"a tool's span has the result and the error": {otlpExport(chatSpan("1", "1", askMessages, callMessages),
			toolSpanText("2", "1", "2", `"code":2,"message":"no such order"`, "gen_ai.tool.call.id", "k1", "error.type", "NotFound")),
			"user:Where? | " + call + " | tool:NotFound: no such order!"},
		"a call that no message has": {otlpExport(chatSpan("1", "1", askMessages, `[{"role":"assistant","parts":[{"type":"text","content":"One moment."}]}]`),
			toolSpanText("2", "1", "2", "", "gen_ai.tool.call.arguments", `{"order_id":7}`, "gen_ai.tool.call.result", "lost")),
			"user:Where? | assistant:One moment. | " + call + " | tool:lost"},
		"a tool's span below one of the same tool is the same call": {otlpExport(chatSpan("1", "1", askMessages, callMessages),
			toolSpanText("2", "1", "2", "", "gen_ai.tool.call.id", "k1", "gen_ai.tool.call.result", "lost"),
			otlpSpanText("3", "2", "3", "", "mcp.method.name", "tools/call", "gen_ai.tool.name", "find_order", "gen_ai.tool.call.arguments", `{"order_id":7}`)),
			"user:Where? | " + call + " | tool:lost"},
		"tools' spans without ids are below none": {otlpExport(chatSpan("1", "1", askMessages, `[{"role":"assistant","parts":[{"type":"text","content":"Lost."}]}]`),
			toolSpanText("", "", "2", "", "gen_ai.tool.call.arguments", `{"order_id":7}`, "gen_ai.tool.call.result", "lost"),
			toolSpanText("", "", "3", "", "gen_ai.tool.call.arguments", `{"order_id":8}`, "gen_ai.tool.call.result", "late")),
			"user:Where? | assistant:Lost. | " + call + ` | tool:lost | assistant:find_order({"order_id":8}) | tool:late | ` +
				"note:call_without_id | note:call_without_id | note:paired_by_order | note:paired_by_order"},
		"an agent's input and output that are no text": {`{"name":"a","attributes":{"openinference.span.kind":"AGENT","input.value":{"q":"Where?"},"output.value":["Lost."]}}`,
			`user:{"q":"Where?"} | assistant:Lost. | note:content_not_text`},
		"content was not captured": {otlpExport(otlpSpanText("1", "", "1", "", "gen_ai.operation.name", "chat"), toolSpanText("2", "1", "2", "", "gen_ai.tool.call.id", "k1")),
			" | error: x.json: no tool call was read of 1 conversations: the log names calls without their content"},
		"one model call without content": {otlpExport(chatSpan("1", "1", askMessages, callMessages),
			otlpSpanText("2", "", "2", "", "gen_ai.operation.name", "chat")),
			"user:Where? | " + call + " | note:content_not_captured | note:unanswered_call | left:model call without content 1"},
		"a span around two model calls is an agent's": {otlpExport(
			otlpSpanText("1", "", "1", "", "gen_ai.operation.name", "chat"),
			below("1", "2", askMessages, callMessages), below("1", "3", `[{"role":"tool","parts":[{"type":"tool_call_response",`+
				`"id":"k1","result":"lost"}]}]`, `[{"role":"assistant","parts":[{"type":"text","content":"Lost."}]}]`)),
			"user:Where? | " + call + " | tool:lost | assistant:Lost. | note:separate_history"},
		"a span without content around one model call": {otlpExport(
			otlpSpanText("1", "", "1", "", "gen_ai.operation.name", "chat"),
			below("1", "2", askMessages, callMessages)), "user:Where? | " + call + " | note:unanswered_call"},
		"a model call around its twin": {otlpExport(chatSpan("1", "1", askMessages, callMessages),
			below("1", "2", `[{"role":"user","parts":[{"type":"text","content":"WHERE?"}]}]`, callMessages)),
			"user:Where? | " + call + " | note:unanswered_call"},
		"other spans are counted": {otlpExport(chatSpan("1", "1", askMessages, callMessages), otlpSpanText("2", "", "2", ""), otlpSpanText("3", "", "3", "", "gen_ai.operation.name", "embeddings")),
			"user:Where? | " + call + " | note:unanswered_call | left:span embeddings 1 | left:span of no model or tool call 1"},
		"an agent's span where no model call has content": {otlpExport(otlpSpanText("1", "", "1", "", "gen_ai.operation.name", "invoke_agent", "gen_ai.input.messages", askMessages, "gen_ai.output.messages", callMessages)),
			"user:Where? | " + call + " | note:unanswered_call"},
		"prompts and completions with numbers": {otlpExport(otlpSpanText("1", "", "1", "", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "Where?",
			"gen_ai.completion.0.tool_calls.0.name", "find_order", "gen_ai.completion.0.tool_calls.0.id", "k1", "gen_ai.completion.0.tool_calls.0.arguments", `{"order_id":7}`)),
			"user:Where? | " + call + " | note:unanswered_call"},
		"prompts and completions as texts": {otlpExport(otlpSpanText("1", "", "1", "", "gen_ai.prompt", `[{"role":"user","content":"Where?"}]`, "gen_ai.completion", "Lost.")),
			"user:Where? | assistant:Lost."},
		"messages that are no JSON": {otlpExport(chatSpan("1", "1", "cut off [", callMessages)), call + " | note:messages_not_read | note:unanswered_call"},
		"instructions":              {otlpExport(chatSpan("1", "1", askMessages, callMessages, "gen_ai.system_instructions", `[{"type":"text","content":"Be brief."}]`)), "system:Be brief. | user:Where? | " + call + " | note:unanswered_call"},
	} {
		lines, list := readText(t, "x.json", c.log, Options{})
		got := ""
		if len(list) == 1 {
			got = dialogue(list[0])
		}
		if last := lines[len(lines)-1]; strings.HasPrefix(last, "error") {
			got = " | " + last
		}
		if !strings.HasPrefix(got, c.want) || !strings.HasPrefix(c.want, " | error") && got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestManyMessagesKeepTheirOrder(t *testing.T) {
	var attrs []string
	for i := range 12 {
		attrs = append(attrs, attributeText(fmt.Sprintf("llm.input_messages.%d.message.role", 11-i), "user"),
			attributeText(fmt.Sprintf("llm.input_messages.%d.message.content", 11-i), fmt.Sprint(11-i)))
	}
	_, list := readText(t, "x.json", spansOf(strings.Join(append(attrs, attributeText("openinference.span.kind", "LLM")), ",")), Options{})
	for i, m := range list[0].Messages {
		if m.Content != fmt.Sprint(i) {
			t.Fatalf("message %d says %q", i, m.Content)
		}
	}
}

func TestSpansOfAConversationMayStandApart(t *testing.T) {
	other := strings.ReplaceAll(chatSpan("9", "5", askMessages, callMessages), "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c")
	log := otlpExport(chatSpan("1", "1", askMessages, callMessages)) + "\n" + otlpExport(other) + "\nbroken\n" +
		otlpExport(toolSpanText("2", "1", "2", "", "gen_ai.tool.call.id", "k1", "gen_ai.tool.call.result", "lost"))
	lines, list := readText(t, "x.jsonl", log, Options{})
	if len(list) != 2 || len(lines) != 3 || unpaired(list[0]) != 0 || unpaired(list[1]) != 1 || !strings.Contains(lines[0], "x.jsonl") {
		t.Errorf("%q", lines)
	}
}

// exportedTraces returns a log of spans in protobuf.
func exportedTraces(t testing.TB, text string) []byte {
	t.Helper()
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func exportedLogs(t testing.TB, text string) []byte {
	t.Helper()
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&plog.ProtoMarshaler{}).MarshalLogs(logs)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sized(data []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
}

func zstdPacked(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

func TestProtobufReadsAsJSONDoes(t *testing.T) {
	m := madeCases["reverse order"]
	for _, format := range []string{"otlp+genai", "otlp+openinference", "otlp-logs"} {
		text := madeFormats[format](&m)
		encode := exportedTraces
		if format == "otlp-logs" {
			encode = exportedLogs
		}
		data := encode(t, text)
		_, want := readText(t, "x.json", text, Options{})
		hash, _ := want[0].Hashes()
		for name, file := range map[string][]byte{
			"one export": data, "sizes": append(sized(data), sized(data)...), "sizes and zstd": append(sized(zstdPacked(t, data)), sized(zstdPacked(t, data))...),
			"zstd": zstdPacked(t, data), "JSON and zstd": zstdPacked(t, []byte(text)), "sized JSON": sized([]byte(text)),
		} {
			lines, list := readText(t, "x.binpb", string(file), Options{})
			if len(list) != 1 || list[0].Source.Format != format {
				t.Errorf("%s, %s: %v", format, name, lines)
				continue
			}
			if got, _ := list[0].Hashes(); got != hash {
				t.Errorf("%s, %s: %s", format, name, dialogue(list[0]))
			}
		}
		lines, _ := readText(t, "x.binpb", string(sized(data)[:len(data)/2]), Options{})
		if len(lines) != 1 || !strings.Contains(lines[0], "cut short") {
			t.Errorf("%s cut: %v", format, lines)
		}
	}
}

// TestWire compares what is read of a message with what OpenTelemetry's own library wrote into it.
func TestWire(t *testing.T) {
	text := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},` +
		`"scopeSpans":[{"scope":{"name":"n","version":"1"},"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",` +
		`"spanId":"b7ad6b7169203331","parentSpanId":"b7ad6b7169203332","name":"chat","kind":3,` +
		`"startTimeUnixNano":"18446744073709551615","endTimeUnixNano":"2","status":{"message":"no","code":2},"attributes":[` +
		`{"key":"i","value":{"intValue":"-9223372036854775808"}},{"key":"d","value":{"doubleValue":-0.1}},` +
		`{"key":"t","value":{"boolValue":true}},{"key":"f","value":{"boolValue":false}},{"key":"b","value":{"bytesValue":"AP8="}},` +
		`{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"é\u0000"},{"arrayValue":{"values":[{"intValue":"1"}]}}]}}},` +
		`{"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"0"}}]}}}],` +
		`"events":[{"timeUnixNano":"7","name":"e","attributes":[{"key":"a","value":{"stringValue":""}}]}]}]}]}]}`
	data := exportedTraces(t, text)
	got, err := wireValue("traces", data, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := value.ParseString(text); !value.Equal(got, want) {
		t.Errorf("read %s", got.JSON())
	}
	for i := range data { // damage is an error or another value, never a panic
		_, _ = wireValue("traces", data[:i], 0)
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, _ = wireValue("traces", data, 0)
			data[i] ^= 1 << bit
		}
	}
	deep := []byte(nil)
	for range maxWireDepth + 10 {
		deep = append(binary.AppendUvarint([]byte{0x0a}, uint64(len(deep))), deep...) // a list of one value
		deep = append(binary.AppendUvarint([]byte{0x2a}, uint64(len(deep))), deep...)
	}
	if _, err := wireValue("any", deep, 0); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("deep: %.60v", err)
	}
}

func TestScoresOfTheLogAreLabels(t *testing.T) {
	event := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.evaluation.result","traceId":"0af7651916cd43dd8448eb211c80319c","attributes":[` +
		attributeText("gen_ai.evaluation.name", "grounded") + `,{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":0.25}}]}]}]}]}`
	span := spansOf(attributeText("openinference.span.kind", "EVALUATOR") + "," + attributeText("evaluations.0.evaluation.name", "grounded") + "," +
		`{"key":"evaluations.0.evaluation.score","value":{"doubleValue":0.25}}`)
	fuse := `{"id":"t","observations":[{"id":"o","traceId":"t","type":"GENERATION","input":"hi","output":"ho"}],"scores":[{"id":"s","name":"grounded","value":0.25,"dataType":"NUMERIC"},{"id":"s2","name":"word","value":1,"stringValue":"good","dataType":"CATEGORICAL"}]}`
	smith := `{"id":"r","trace_id":"r","run_type":"llm","inputs":{"messages":[` + user + `]},"feedback_stats":{"grounded":{"n":1,"avg":0.25}}}`
	for name, text := range map[string]string{"event": event, "OpenInference": span, "Langfuse": fuse, "LangSmith": smith} {
		lines, list := readText(t, "x.json", text, Options{})
		if len(list) != 1 || len(list[0].Labels) == 0 || list[0].Labels[0].Name != "grounded" || list[0].Labels[0].Value != 0.25 {
			t.Errorf("%s: %v", name, lines)
		} else if name == "Langfuse" && list[0].Labels[1].Text != "good" {
			t.Errorf("%+v", list[0].Labels)
		}
	}
}

func TestBombsAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("packs and unpacks 300 MB")
	}
	blanks := bytes.Repeat([]byte{' '}, 300<<20)
	var zip bytes.Buffer
	w, err := gzip.NewWriterLevel(&zip, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(blanks); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"gzip": zip.Bytes(), "zstd": zstdPacked(t, blanks)} {
		var last error
		for _, err := range Open(context.Background(), "x", bytes.NewReader(file), Options{Format: native.name}).All() {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "this is no log") {
			t.Errorf("%s: %v", name, last)
		}
	}
}
