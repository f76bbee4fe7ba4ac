package format

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
)

// specExample is what an example of the specification must yield.
type specExample struct {
	calls, results, tools, labels int
}

// specExamples are the examples whose yield is not one call with its result.
var specExamples = map[string]specExample{
	openAIResponse.name:    {1, 0, 1, 0}, // a response stands alone: its call has no result yet
	"openinference-flat":   {1, 0, 1, 0},
	"langsmith-run":        {1, 0, 0, 0},
	"langfuse-observation": {1, 0, 0, 0},
	"openai-batch-output":  {0, 0, 0, 0},
	"otlp-logs":            {0, 0, 0, 1},
	openAIChat.name:        {1, 1, 1, 0},
	anthropicMessages.name: {1, 1, 1, 0},
	"atif":                 {1, 1, 1, 0},
	"inspect-json":         {1, 1, 0, 1},
	tau2Results.name:       {1, 1, 0, 1},
}

func TestTheExamplesOfTheFormatsAreRead(t *testing.T) {
	text, err := os.ReadFile(realdata.Path(t, "spec", "log-formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)<!-- detect: (\\S+) -->\n```jsonl?\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 15 {
		t.Fatalf("only %d examples were found", len(examples))
	}
	for _, e := range examples {
		d, err := Detect([]byte(e[2]))
		if err != nil || d.Format != e[1] || !d.Readable || d.Evidence == "" {
			t.Errorf("%s was taken for %+v, %v", e[1], d, err)
			continue
		}
		want, listed := specExamples[e[1]]
		if !listed {
			want = specExample{calls: 1, results: 1}
		}
		lines, list := readText(t, "x.json", e[2], Options{})
		if len(list) != 1 {
			t.Errorf("%s reads as %v", e[1], lines)
			continue
		}
		c := list[0]
		got := specExample{calls: len(c.Calls), tools: len(c.Tools), labels: len(c.Labels)}
		for i := range c.Calls {
			if c.Calls[i].Result >= 0 {
				got.results++
			}
			if c.Calls[i].Name != "find_order" || c.Calls[i].Malformed {
				t.Errorf("%s: %+v", e[1], c.Calls[i])
			}
		}
		if got != want || want.calls == want.results && want.labels == 0 && len(c.Notes) > 0 {
			t.Errorf("%s yields %+v, not %+v: %v", e[1], got, want, lines)
		}
		sameContent(t, list)
	}
}

func TestTheSamplesOfTheFormatsAreNamed(t *testing.T) {
	want := map[string]string{
		"jaeger": "jaeger", "langsmith": "langsmith-run", "adk-evalset": "adk-evalset", "tapeagents": "tapeagents", "toolbench": "toolbench",
		"inspect": "inspect-json", "anthropic-managed-agents": "anthropic-managed-agents", "openai-chat": "http-exchanges", "gemini": "http-exchanges",
	}
	seen := 0
	for dir, format := range want {
		files, _ := filepath.Glob(filepath.Join(realdata.Path(t, "data", "formats", dir), "*.json*"))
		for _, file := range files {
			head, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if d, err := Detect(head[:min(len(head), 64<<10)]); d.Format != format || err != nil {
				t.Errorf("%s was taken for %q, %v", filepath.Join(dir, filepath.Base(file)), d.Format, err)
			}
		}
	}
	if seen < 20 {
		t.Fatalf("only %d samples were found", seen)
	}
}

func TestRealLogsAreDetectedByTheirBeginning(t *testing.T) {
	for dir, format := range map[string]string{"tau/trajectories": tauBench.name, "tau2/runs": tau2Results.name} {
		files, _ := filepath.Glob(filepath.Join(realdata.Path(t, "data", dir), "*.json.gz"))
		for _, file := range files {
			packed, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			head, err := io.ReadAll(io.LimitReader(in, 64<<10))
			if err != nil {
				t.Fatal(err)
			}
			// Wherever the beginning is cut, it says the same or nothing.
			for _, size := range []int{len(head), 3 * len(head) / 4, len(head) / 2, len(head) / 3, 20000, 9001} {
				if d, err := Detect(head[:min(size, len(head))]); d.Format != format && (d.Format != "" || size == len(head)) || err != nil {
					t.Errorf("%s cut at %d was taken for %q, %v", filepath.Base(file), size, d.Format, err)
				}
			}
		}
	}
}

func TestDetectionTellsChatFormsApart(t *testing.T) {
	for text, want := range map[string]string{
		`{"messages":[{"role":"user","content":"a"}]}`:                      openAIChat.name,
		`{"messages":[{"role":"user","content":"a"}],"labels":{}}`:          native.name,
		`{"messages":[{"role":"user","content":"a"}],"system":"s"}`:         "anthropic-messages",
		`{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}`: "anthropic-messages",
		`{"messages":[{"role":"tool","content":[{"type":"tool_result"}]}]}`: "?",
		`{"messages":[{"role":"user","parts":[]}]}`:                         "otel-messages",
		`[{"role":"user","parts":[]}]`:                                      "otel-messages",
		`[{"role":"user","content":"a"}]`:                                   openAIChat.name,
		`{"type":"session.status_idle","processed_at":"2026-01-01"}`:        "anthropic-managed-agents",
		`{"type":"order.created","processed_at":"2026-01-01"}`:              "",
		`[{"messages":[]}]`: openAIChat.name,
		`{"conversation_context":[],"tools_inventory":[],"tool_call":{}}`:                                                     rubricExample.name,
		`{"name":"r","jsonschema":{},"examples":[]}`:                                                                          "rubric",
		`{"task_id":1,"reward":1.0,"info":{"task":{"x":"` + strings.Repeat("y", 100):                                          tauBench.name,
		`{"timestamp":"x","info":{"environment_info":{"policy":"p"}},"tasks":[{"id":"` + strings.Repeat("y", 9):               tau2Results.name,
		`{"conversations":[{"from":"human","value":"x"}]}`:                                                                    "sharegpt",
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"k"}]}]}`: "vercel-model-messages",
		`{"messages":[{"role":"user","parts":[{"type":"text","text":"a"}]}]}`:                                                 "vercel-ui-messages",
		`[{"role":"assistant","parts":[{"type":"tool-find","input":{}}]}]`:                                                    "vercel-ui-messages",
		`{"messages":[{"role":"assistant","content":"","toolInvocations":[]}]}`:                                               "vercel-ui-messages",
		`{"messages":[{"role":"user","content":[{"toolResult":{}}]}],"system":[{"text":"s"}]}`:                                "bedrock-converse",
		`{"schemaType":"ModelInvocationLog","input":{}}`:                                                                      "bedrock-converse",
		`{"messages":[{"type":"human","content":"a"}]}`:                                                                       "langchain-messages",
		`[{"type":"ai","data":{"content":""}}]`:                                                                               "langchain-messages",
		`{"messages":[{"lc":1,"type":"constructor","id":[],"kwargs":{}}]}`:                                                    "langchain-messages",
		`[{"id":"o","traceId":"t","type":"GENERATION","input":[]}]`:                                                           "langfuse-observation",
		`{"id":"t","observations":[{"traceId":"t","type":"SPAN"}]}`:                                                           "langfuse-observation",
		`{"user_kwargs":{"conversation_context":[]}}`:                                                                         rubricExample.name,
		`{"user_kwargs":{"x":1}}`:                                                                                             "",
		`[1,2]`:                                                                                                               "", `"text"`: "", `{}`: "", ``: "", `nonsense`: "",
	} {
		d, err := Detect([]byte(text))
		got := d.Format
		if err != nil {
			got = "?"
		}
		if got != want {
			t.Errorf("%s was taken for %q, not %q", text, got, want)
		}
	}
}

// TestEvidenceOfChats: what is said of how the form of a chat was recognised.
func TestEvidenceOfChats(t *testing.T) {
	chat := func(messages, more string) string { return `{"messages":[` + messages + `]` + more + `}` }
	for text, want := range map[string]string{
		chat(user, ""):                                                     "messages with a role and no calls",
		chat(user, `,"labels":{}`):                                         "messages with keys of the native format",
		chat(user, `,"sample":{}`):                                         "messages with keys of the native format",
		chat(user, `,"system":"s"`):                                        "a top-level system",
		chat(user, `,"tools":[{"function":{}}]`):                           "tools[0].function",
		chat(user, `,"tools":[{"function":5},{"input_schema":{}}]`):        "tools[1].input_schema",
		chat(user, `,"system":"s","tools":[{"input_schema":{}}]`):          "a top-level system and 1 more marks",
		chat(user+`,{"role":"tool","content":"x"}`, ""):                    "messages[1] of role tool",
		chat(`{"role":"developer","content":"x"}`, ""):                     "messages[0] of role developer",
		chat(`{"role":"function","content":"x"}`, ""):                      "messages[0] of role function",
		chat(`{"role":"assistant","function_call":{}}`, ""):                "messages[0].function_call",
		chat(`{"role":"assistant","function_call":5,"tool_calls":[]}`, ""): "messages[0].tool_calls",
		chat(`{"role":"assistant","content":[{"type":"tool_use"}]}`, ""):   "messages[0].content[0] of type tool_use",
		chat(`{"role":"assistant","content":[{"type":"text"},{"type":"thinking"},{"type":"redacted_thinking"},`+
			`{"type":"server_tool_use"}]}`, ""): "messages[0].content[1] of type thinking and 2 more marks",
	} {
		if d, err := Detect([]byte(text)); d.Evidence != want || err != nil {
			t.Errorf("%s is recognised by %q, %v, want %q", text, d.Evidence, err, want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c`))
	f.Add([]byte(`[{"role":"user"},`))
	f.Fuzz(func(t *testing.T, head []byte) {
		d, _ := Detect(head)
		format, known := d.Format, d.Readable
		if known && !slices.Contains(Formats(), format) {
			t.Fatalf("%q is no readable format", format)
		}
	})
}

func TestDetectionLooksBeyondTheFirstRecord(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"header","v":1}` + "\n" + `{"type":"response_item","payload":{"type":"message"}}`:                    "codex",
		`[{"name":"GET /"},{"attributes":{"openinference.span.kind":"LLM"}}]`:                                         "openinference-flat",
		`{"resourceSpans":[]}` + "\n" + `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.x"`: "otlp-other",
		`{"resourceSpans":[]}` + "\n" + `{"resourceSpans":[{"key":"gen_ai.system"}]}`:                                 "otlp+genai",
		`{"session_id":"s","spans":[{"name":"POST"},{"attributes":{"gen_ai.operation.name":"chat"}}]}`:                "openinference-flat",
		`{"train":[{"messages":[{"role":"user","content":"a"}]}],"test":[{"messages":[{"role":"user"}]}]}`:            "", // two lists
		`{"prefs":[{"x":1}],"runs":[{"messages":[{"role":"user","content":"a"}]}]}`:                                   openAIChat.name,
		`{"turns":[{"query":"Where?","tools":[],"answers":[]},{"query":"And?","tools":[],"answers":[]}]}`:             "",
		`{"data":{"id":"d","spans":[{"name":"POST"},{"attributes":{"gen_ai.operation.name":"chat"}}]},"ok":true}`:     "openinference-flat",
		`{"data":{"id":"d","spans":[{"attributes":{"gen_ai.operation.name":"chat"}}]},"log":{"id":3}}`:                "", // log may belong to it
		`{"main":{"schema_version":"ATIF-v1.6","steps":[]},"helper":{"schema_version":"ATIF-v1.6","steps":[]}}`:       "atif",
		`{"input":{"schema_version":"ATIF-v1.6","steps":[]},"output":{"schema_version":"ATIF-v1.6","steps":[]}}`:      "", // parts of one
		// The first record decides, if it has a form that is known.
		`{"role":"user","content":"a"}` + "\n" + `{"type":"function_call","payload":{}}`: "message-lines",
	} {
		if d, err := Detect([]byte(text)); d.Format != want || err != nil {
			t.Errorf("%s was taken for %+v, %v", text, d, err)
		}
	}
}

func TestAnOpenedWrapperGivesItsRecordsTheSession(t *testing.T) {
	span := `{"attributes":{"openinference.span.kind":"TOOL","tool.name":"find","input.value":"{\"q\":1}","output.value":"x"}}`
	line := `{"session_id":"s1","spans":[` + span + `,` + strings.Replace(span, "1", "2", 1) + `]}`
	inside := `{"trace":` + line + `,"ok":true}`
	for name, text := range map[string]string{"x.json": line, "x.jsonl": line + "\n" + strings.ReplaceAll(line, "s1", "s2"),
		"in.json": inside, "in.jsonl": inside + "\n" + strings.ReplaceAll(inside, "s1", "s2")} {
		_, list := readText(t, name, text, Options{})
		if want := strings.Count(text, "session_id"); len(list) != want {
			t.Errorf("%s: %d conversations, not %d", name, len(list), want)
			continue
		}
		for _, c := range list {
			if len(c.Calls) != 2 || !strings.HasPrefix(c.ID, "s") {
				t.Errorf("%s: %s", name, summary(c))
			}
		}
	}
}
