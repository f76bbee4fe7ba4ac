package format

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/judgekit/judge/internal/realdata"
)

// TestTheSamplesOfTheFormatsAreRead reads every file of the samples beside the checkout, and
// holds the numbers of calls against what their formats' own marks say.
func TestTheSamplesOfTheFormatsAreReadWhole(t *testing.T) {
	want := map[string][3]int{ // conversations, calls, unpaired
		"jaeger/helm.json": {1, 1, 0}, "jaeger/helm_2.json": {1, 0, 0}, "jaeger/helm_3.json": {1, 1, 0}, "jaeger/k8s.json": {1, 0, 0},
		"otlp/tempo_export_with_batches.json":             {1, 1, 0},
		"langsmith/langsmith_js_wrap_openai_default.json": {1, 0, 0}, "langsmith/langsmith_py_wrap_openai_.json": {1, 0, 0},
		"langsmith/langsmith_py_wrap_openai_reasoning.json": {1, 0, 0}, "langsmith/langsmith_py_wrap_openai_stream.json": {1, 0, 0},
		"inspect/2025-05-12T20-27-36-04-00_browser.json": {1, 4, 0}, "inspect/2025-05-12T20-28-26-04-00_security-guide.json": {3, 0, 0},
		"inspect/log_formats.eval": {1, 0, 0}, "inspect/log_formats.json": {1, 0, 0}, "inspect/log_images_tc.json": {1, 0, 0},
		"inspect/log_message_deduplication.eval": {1, 5, 0}, "inspect/log_tool_call_error.json": {1, 0, 11},
		"anthropic-managed-agents/anthropic_managed_builtin_tools.jsonl": {1, 1, 0},
		"anthropic-managed-agents/anthropic_managed_custom_tools.jsonl":  {1, 1, 0},
	}
	dir := realdata.Path(t, "data", "formats")
	for name, n := range want {
		opts := Options{}
		if strings.HasPrefix(name, "inspect/log_tool_call_error") {
			opts.Format = "inspect-json" // results without calls are suspect unless somebody says what the log is
		}
		list, problems := readFile(t, filepath.Join(dir, name), opts)
		got := [3]int{len(list)}
		for _, c := range list {
			got[1], got[2] = got[1]+len(c.Calls), got[2]+unpaired(c)
			if len(c.Messages) == 0 {
				t.Errorf("%s: %s has no message", name, c.ID)
			}
		}
		if got != n || len(problems) > 0 {
			t.Errorf("%s: %v, not %v; %v", name, got, n, problems)
		}
		sameContent(t, list)
	}
	seen := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, "semconv") { // documentation and schemas, no logs
			return err
		}
		seen++
		if strings.Contains(path, "log_tool_call_error") {
			return nil // read above
		}
		if list, problems := readFile(t, path, Options{}); len(list) == 0 || len(problems) > 0 {
			t.Errorf("%s: %d conversations, %v", path, len(list), problems)
		}
		return nil
	})
	if err != nil || seen < 50 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// evalFile returns a zip of entries, compressed by a method.
func evalFile(t testing.TB, method uint16, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for i := 0; i+1 < len(entries); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	evalHeader = `{"version":2,"status":"success","eval":{"task":"shop"}}`
	evalSample = `{"id":"o7","epoch":2,"target":"lost","messages":[{"role":"user","content":"attachment://h"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"w","name":"web_search","arguments":"{}","result":"found"}],"tool_calls":[{"id":"k1","function":"f","arguments":{},"parse_error":"bad"}]},` +
		`{"role":"tool","tool_call_id":"k1","function":"f","content":"","error":{"type":"timeout","message":"no answer"}}],` +
		`"scores":{"match":{"value":"C"},"judge":{"value":{"a":0.5}}},"attachments":{"h":"Where?"},"events":[{"event":"model","tools":[{"name":"f","parameters":{}}]}]}`
)

func TestInspectFiles(t *testing.T) {
	wantText := `user:Where? | assistant:web_search({})f({}) | tool:found | tool:timeout: no answer!`
	check := func(name, file string, n int) {
		t.Helper()
		lines, list := readText(t, "x.eval", file, Options{})
		if len(list) != n {
			t.Fatalf("%s: %v", name, lines)
		}
		for _, c := range list {
			c.Notes = nil
			if got := dialogue(c); got != wantText {
				t.Errorf("%s: %s", name, got)
			}
			if c.Calls[0].Executor != "server" || !c.Calls[1].Malformed || c.Calls[1].Problem != "bad" {
				t.Errorf("%s: %+v", name, c.Calls)
			}
			if got := fmt.Sprint(c.Labels); got != "[{match -1 1 } {judge.a -1 0.5 }]" || len(c.Tools) != 1 || c.ID != "o7/epoch-2" {
				t.Errorf("%s: %s, labels %s, %d tools", name, c.ID, got, len(c.Tools))
			}
		}
	}
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		check(fmt.Sprint("method ", method), evalFile(t, method, "header.json", evalHeader, "samples/o7_epoch_2.json", evalSample), 1)
	}
	check("a run that died", evalFile(t, zip.Deflate, "_journal/start.json", evalHeader, "samples/o7_epoch_2.json", evalSample), 1)
	var sample map[string]json.RawMessage
	if err := json.Unmarshal([]byte(evalSample), &sample); err != nil {
		t.Fatal(err)
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(sample["messages"], &messages); err != nil {
		t.Fatal(err)
	}
	messages[0] = json.RawMessage(`{"role":"user","content":"attachment://1"}`)
	chunks := []string{"header.json", evalHeader, "samples/o7_epoch_2/messages/10.json", "[" + string(messages[2]) + "]",
		"samples/o7_epoch_2/messages/2.json", "[" + string(messages[0]) + "," + string(messages[1]) + "]",
		"samples/o7_epoch_2/sample.json", `{"id":"o7","epoch":2,"scores":` + string(sample["scores"]) + `}`,
		"samples/o7_epoch_2/events/0.json", string(sample["events"]), "samples/o7_epoch_2/attachments/0.json", `["x","Where?"]`}
	check("chunks", evalFile(t, zstd.ZipMethodWinZip, chunks...), 1)
}

func TestInspectFilesThatAreBroken(t *testing.T) {
	good := evalFile(t, zip.Deflate, "header.json", evalHeader, "samples/a.json", "{broken", "samples/b.json", evalSample)
	lines, list := readText(t, "x.eval", good, Options{})
	if len(list) != 1 || len(lines) != 2 || !strings.Contains(lines[0], "samples/a.json") || !strings.Contains(lines[0], "passed over") {
		t.Errorf("a broken sample: %v", lines)
	}
	bomb := evalFile(t, zip.Deflate, "header.json", evalHeader, "samples/a.json", `{"id":"`+strings.Repeat("a", 2<<20)+`"}`, "samples/b.json", evalSample)
	lines, list = readText(t, "x.eval", bomb, Options{MaxConversationBytes: 1 << 20})
	if len(list) != 1 || len(lines) != 2 || !strings.Contains(lines[0], "longer than the limit") {
		t.Errorf("a sample over the limit: %v", lines)
	}
	for name, c := range map[string][2]string{
		"no central directory": {good[:len(good)-30], "the zip header cannot be read"},
		"another zip":          {evalFile(t, zip.Deflate, "a.txt", "x"), "no Inspect .eval log"},
		"another header":       {evalFile(t, zip.Deflate, "header.json", "{}"), "it is no Inspect log"},
	} {
		if lines, _ := readText(t, "x.eval", c[0], Options{}); len(lines) != 1 || !strings.Contains(lines[0], c[1]) {
			t.Errorf("%s: %v", name, lines)
		}
	}
}

func TestMCPMessages(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"a":1}}}`
	for name, c := range map[string]struct{ log, want string }{
		"a tool that failed":      {call + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`, `assistant:f({"a":1}) | tool:no!`},
		"a protocol that failed":  {call + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool"}}`, `assistant:f({"a":1}) | tool:{"code":-32602,"message":"unknown tool"}!`},
		"more input is asked for": {call + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"resultType":"inputRequired","requestState":"s"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"f","arguments":{"a":1},"requestState":"s"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ok"}],"resultType":"complete"}}`, `assistant:f({"a":1}) | tool:ok | left:request of input 1`},
		"the server asks too":     {call + "\n" + `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}`, `assistant:f({"a":1}) | tool:ok | left:response of no tool 1 | left:sampling/createMessage 1`},
		"a result of no request": {`{"jsonrpc":"2.0","id":9,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":9,"result":{"tools":[]}}` + "\n" + call + "\n" +
			`{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"?"}]}}`, `assistant:f({"a":1}) | tool:? | note:paired_by_order`},
		"a list of messages": {"[" + call + `,{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`, `assistant:f({"a":1}) | tool:[]`},
		"tools in pages": {`{"jsonrpc":"2.0","id":0,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"f","inputSchema":{"type":"object"}}],"nextCursor":"c"}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"g"}]}}` + "\n" + call, `assistant:f({"a":1}) | note:unanswered_call`},
	} {
		lines, list := readText(t, "x.json", c.log, Options{})
		if len(list) != 1 {
			t.Errorf("%s: %v", name, lines)
			continue
		}
		if got := dialogue(list[0]); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if name == "tools in pages" && len(list[0].Tools) != 2 {
			t.Errorf("%d tools", len(list[0].Tools))
		}
	}
}

func TestATIF(t *testing.T) {
	root := `{"schema_version":"ATIF-v1.%s","trajectory_id":"t","agent":{"name":"a"},"steps":[{"step_id":1,"source":"user","message":"old","is_copied_context":true},{"step_id":2,"source":"user","message":"new"},{"step_id":3,"source":"agent","message":"m","reasoning_content":"r"}]%s}`
	sub := `,"subagent_trajectories":[{"trajectory_id":"s","agent":{"name":"b"},"steps":[{"step_id":1,"source":"agent","message":"","tool_calls":[{"tool_call_id":"k","function_name":"f","arguments":{}}]}]}]`
	lines, list := readText(t, "x.json", fmt.Sprintf(root, "7", sub), Options{})
	if len(list) != 2 || list[0].ID != "t" || list[1].ID != "s" || dialogue(list[0]) != "user:new | assistant:m | left:copied step 1" || list[0].Messages[1].Reasoning != "r" || len(list[1].Calls) != 1 {
		t.Errorf("%v", lines)
	}
	for version, want := range map[string]string{"9": "newer_version", "x": "cannot be read"} {
		if lines, _ := readText(t, "x.json", fmt.Sprintf(root, version, ""), Options{}); len(lines) != 1 || !strings.Contains(lines[0], want) {
			t.Errorf("version 1.%s: %v", version, lines)
		}
	}
	if lines, _ := readText(t, "x.json", `{"schema_version":"ATIF-v2.0","steps":[]}`, Options{}); len(lines) != 1 || !strings.Contains(lines[0], `"ATIF-v2.0" cannot be read`) {
		t.Error(lines)
	}
}

func TestRunsAndObservations(t *testing.T) {
	lc := `{"lc":1,"type":"constructor","id":["langchain","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"k"}]}}`
	for name, c := range map[string]struct{ log, want string }{
		"LangChain inside of LangSmith, and a tool that failed": {
			`[{"id":"b","trace_id":"a","run_type":"llm","dotted_order":"1Za.2Zb","inputs":{"messages":[[{"lc":1,"type":"constructor","id":["HumanMessage"],"kwargs":{"content":"Where?"}}]]},"outputs":{"generations":[[{"message":` + lc + `}]]},"extra":{"invocation_params":{"tools":[{"type":"function","function":{"name":"f"}}]},"metadata":{"thread_id":"th"}}},` +
				`{"id":"c","trace_id":"a","run_type":"tool","name":"f","dotted_order":"1Za.3Zc","inputs":{"input":"{'a': 1}"},"outputs":null,"error":"ValueError('no')"},` +
				`{"id":"a","trace_id":"a","run_type":"chain","dotted_order":"1Za","inputs":{},"outputs":{}},{"id":"r","trace_id":"a","run_type":"retriever","dotted_order":"1Za.4Zr"}]`,
			`user:Where? | assistant:f({"a":1}) | tool:ValueError('no')! | left:span retriever 1`},
		"a session of Langfuse": {
			`{"id":"s","traces":[{"id":"t1","observations":[{"id":"o1","traceId":"t1","type":"GENERATION","startTime":"1","input":[{"role":"user","content":"Where?"}],"output":{"role":"assistant","content":"There."}}]},` +
				`{"id":"t2","observations":[{"id":"o2","traceId":"t2","type":"GENERATION","startTime":"2","input":[{"role":"user","content":"Where?"},{"role":"assistant","content":"There."},{"role":"user","content":"Sure?"}],"output":{"role":"assistant","content":"Yes."}}]}]}`,
			`user:Where? | assistant:There. | user:Sure? | assistant:Yes.`},
		"a tool of Langfuse that failed": {
			`{"id":"o1","trace_id":"t","parent_observation_id":"","type":"GENERATION","start_time":"1","input":"Where?","output":"","tool_calls":["{\"id\":\"k\",\"name\":\"f\",\"arguments\":\"{}\"}"]}` + "\n" +
				`{"id":"o2","trace_id":"t","parent_observation_id":"o1","type":"TOOL","name":"f","start_time":"2","input":"{}","output":null,"level":"ERROR","status_message":"no"}`,
			`user:Where? | assistant:f({}) | tool:no!`},
	} {
		lines, list := readText(t, "x.json", c.log, Options{})
		if len(list) != 1 {
			t.Errorf("%s: %v", name, lines)
			continue
		}
		if got := dialogue(list[0]); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if strings.HasPrefix(name, "LangChain") && (len(list[0].Tools) != 1 || list[0].ID != "th") {
			t.Errorf("%s with %d tools", list[0].ID, len(list[0].Tools))
		}
	}
}

func TestBatchOutput(t *testing.T) {
	log := `{"custom_id":"a","response":{"status_code":429,"body":{"error":{"message":"slow down"}}},"error":null}` + "\n" +
		`{"custom_id":"b","result":{"type":"succeeded","message":{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"k","name":"f","input":{}}]}}}` + "\n" +
		`{"custom_id":"c","response":{"status_code":200,"body":{"what":1}}}`
	lines, list := readText(t, "x.jsonl", log, Options{})
	if len(lines) != 3 || len(list) != 2 || list[0].ID != "a" || list[0].Notes[0].Kind != "run_error" || list[1].ID != "b" || len(list[1].Calls) != 1 || !strings.Contains(lines[2], "no form that is known") {
		t.Error(lines)
	}
}

func TestTau2Directory(t *testing.T) {
	dir := fstest.MapFS{
		"results.json":          {Data: []byte(`{"info":{"environment_info":{}},"tasks":[],"simulation_index":["b",{"id":"a"}]}`)},
		"simulations/a.json":    {Data: []byte(`{"id":"a","messages":[` + user + `]}`)},
		"simulations/b.json":    {Data: []byte(`{"id":"b","messages":[` + user + `]}`)},
		"simulations/c.json":    {Data: []byte("{\n")},
		"simulations/notes.txt": {Data: []byte("x")},
	}
	if !IsTau2Directory(dir) || IsTau2Directory(fstest.MapFS{"results.json": {}}) {
		t.Error("the directory is not recognised")
	}
	in, err := OpenTau2Directory(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for c, err := range Open(context.Background(), "dir", in, Options{}).All() {
		if err != nil {
			lines = append(lines, err.Error())
		} else {
			lines = append(lines, c.ID)
		}
	}
	got := strings.Join(lines, " | ")
	if !strings.HasPrefix(got, "b | a | dir[2]: simulations/c.json cannot be read") || !strings.HasSuffix(got, "the index does not name c.json, which was read") {
		t.Error(got)
	}
}

// A trace of MLflow is read as spans: every model call counts, a tool's span gives its call
// the result and the failure, and assessments are labels.
func TestMLflowTracesAreSpans(t *testing.T) {
	const ask = `{\"role\":\"user\",\"content\":\"Where is order 7?\"}`
	const call = `{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"find_order\",\"arguments\":\"{\\\"order_id\\\":7}\"}}]}`
	text := `{"info":{"trace_id":"tr-1","assessments":[{"assessment_name":"human","feedback":{"value":true}}]},"data":{"spans":[` +
		`{"name":"agent","span_id":"a","attributes":{"mlflow.spanType":"\"AGENT\""}},` +
		`{"name":"chat","span_id":"b","attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"messages\":[` + ask +
		`]}","mlflow.spanOutputs":"{\"choices\":[{\"message\":` + call + `}]}"}},` +
		`{"name":"find_order","span_id":"c","status":{"code":"STATUS_CODE_ERROR"},"attributes":{"mlflow.spanType":"\"TOOL\"",` +
		`"mlflow.spanInputs":"{\"order_id\":7}","mlflow.spanOutputs":"lost"}},` +
		`{"name":"chat","span_id":"d","attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"messages\":[` + ask + `,` + call +
		`,{\"role\":\"tool\",\"tool_call_id\":\"k1\",\"content\":\"lost\"}]}","mlflow.spanOutputs":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"It was lost.\"}}]}"}}]}}`
	lines, list := readText(t, "x.json", text, Options{})
	if len(list) != 1 || list[0].ID != "tr-1" || len(list[0].Messages) != 4 || len(list[0].Calls) != 1 {
		t.Fatalf("%v", lines)
	}
	c := list[0]
	if m := c.Messages[c.Calls[0].Result]; m.Content != "lost" || !m.IsError || c.Messages[3].Content != "It was lost." {
		t.Errorf("%+v", c.Messages)
	}
	if len(c.Labels) != 1 || c.Labels[0].Name != "human" || c.Extra.Field("info").IsNull() || len(c.Dropped) != 0 {
		t.Errorf("labels %+v, extra %s, dropped %v", c.Labels, c.Extra.JSON(), c.Dropped)
	}
}
