package format

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

// chatLine returns a conversation with a call and its result.
func chatLine(name, arguments, answers string) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":"Where?"},{"role":"assistant","content":null,"tool_calls":`+
		`[{"id":"k","type":"function","function":{"name":%q,"arguments":%q}}]},`+
		`{"role":"tool","tool_call_id":%q,"content":"lost"}]}`+"\n", name, arguments, answers)
}

// TestMetadataOfReplies: arguments that are what a server or a tracer says about a call.
func TestMetadataOfReplies(t *testing.T) {
	for _, key := range strings.Fields("prompt_tokens completionTokens total_tokens InputTokens output_tokens " +
		"usage_metadata usageMetadata finish_reason stopReason model_version sanitize_inputs_outputs") {
		if !isMetadata(mustParse(t, `{"a":1,"`+key+`":1}`)) {
			t.Errorf("%s may be an argument", key)
		}
	}
	for args, want := range map[string]bool{`{"role":"a","content":"b"}`: true, `{"role":"a","parts":[]}`: true,
		`{"role":"a"}`: false, `{"content":"a"}`: false, `{"choices":[],"model":"m"}`: true, `{"choices":[],"usage":{}}`: true,
		`{"choices":[]}`: false, `{"model":"m"}`: false, `{"tokens":1}`: false, `{}`: false} {
		if got := isMetadata(mustParse(t, args)); got != want {
			t.Errorf("%s is metadata: %t", args, got)
		}
	}
}

// TestSuspectInWords: what speaks against a reading, and what to do.
func TestSuspectInWords(t *testing.T) {
	good, nameless := chatLine("find", `{"order":1}`, "k"), chatLine("", `{"order":1}`, "k")
	lonely := chatLine("find", `{"order":1}`, "other")
	mapping, err := ParseMapping(map[string]string{"messages": "$.messages"})
	if err != nil {
		t.Fatal(err)
	}
	const why = "the log was read as openai-chat (messages[1].tool_calls and 1 more marks): "
	const advice = "judge logs inspect shows what was read; --input-format openai-chat reads it in this way all the same"
	for _, tt := range []struct {
		log             string
		opts            Options
		message, advice string
	}{
		{good + strings.Repeat(nameless, 3) + lonely, Options{}, why + "5 calls in 5 conversations, but 3 calls name no tool " +
			"(first at x.jsonl:2: messages[1].tool_calls[0]), 1 result belongs to no call (first at x.jsonl:5: messages[2])", advice},
		{good + strings.Repeat("text\n", 10), Options{}, why + "1 call in 1 conversation, but 10 records cannot be read", advice},
		{strings.Repeat(nameless, 3), Options{Map: mapping}, "the log was read as mapped (--map): 3 calls in 3 conversations, but " +
			"3 calls name no tool (first at x.jsonl:1: messages[1].tool_calls[0])", "judge logs inspect shows what was read; " +
			"correct --map, or add --input-format mapped if the log is right and the agent wrong"},
	} {
		r := Open(context.Background(), "x.jsonl", strings.NewReader(tt.log), tt.opts)
		var last error
		for _, last = range r.All() {
		}
		var format *transcript.FormatError
		if !errors.As(last, &format) || format.Message != tt.message || format.Advice != tt.advice {
			t.Errorf("the error is %+v\nwant %s\n%s", last, tt.message, tt.advice)
		}
	}
	for text, want := range map[string][2]string{
		"nonsense": {`the log has no form that is known: it is neither JSON nor a table with known columns (it begins with "nonsense")`,
			"docs/logs.md shows ten lines of Python that write a log from anything"},
		`{"a":"` + strings.Repeat("b", 80) + `"}`: {`the log has no form that is known (it begins with "{\"a\":\"` +
			strings.Repeat("b", 54) + `")`, "judge logs inspect shows what it holds, --map says where its messages are"},
		`{"name":"r","jsonschema":{},"examples":[]}`: {"the log looks like rubric (jsonschema and examples): this is a rubric, not a log", ""},
	} {
		_, err := Open(context.Background(), "x", strings.NewReader(text), Options{}).Next()
		var format *transcript.FormatError
		if !errors.As(err, &format) || format.Message != want[0] || format.Advice != want[1] {
			t.Errorf("%s: %+v, want %q", text, err, want)
		}
	}
}

func TestSuspectReadings(t *testing.T) {
	good := chatLine("find", `{"order":1}`, "k")
	nameless, lonely := chatLine("", `{"order":1}`, "k"), chatLine("find", `{"order":1}`, "other")
	usage := chatLine("find", `{"prompt_tokens":1,"completion_tokens":2}`, "k")
	declared := strings.Replace(usage, `{"messages"`, `{"tools":[{"type":"function","function":{"name":"find","parameters":`+
		`{"type":"object","properties":{"prompt_tokens":{"type":"integer"}}}}}],"messages"`, 1)
	for _, c := range []struct {
		name, log, want string
	}{
		{"nothing odd", good, ""},
		{"two nameless calls", good + nameless + nameless, ""},
		{"three nameless calls", good + nameless + nameless + nameless, "3 calls name no tool (first at x.jsonl:2: messages[1]"},
		{"three of three hundred", strings.Repeat(good, 297) + nameless + nameless + nameless, ""},
		{"four of three hundred", strings.Repeat(good, 296) + strings.Repeat(nameless, 4), "300 calls in 300 conversations, but 4 calls"},
		{"token usage", usage + usage + usage, "3 calls have metadata of a reply as their arguments"},
		{"a tool that takes token counts", declared + declared + declared, ""},
		{"results without calls", good + lonely + lonely + lonely, "3 results belong to no call"},
		{"texts that look like calls", good + strings.Repeat(`{"messages":[{"role":"assistant","content":"Action: {find: {\"order\": 1}"},`+
			`{"role":"tool","content":"lost"}]}`+"\n", 3), ""},
		{"empty conversations", good + strings.Repeat(`{"messages":[]}`+"\n", 3), "3 conversations are empty beside others"},
		{"nothing but empty conversations", strings.Repeat(`{"messages":[]}`+"\n", 3), ""},
	} {
		for _, opts := range []Options{{}, {Parallel: 2}, {Format: "native"}} {
			r := Open(context.Background(), "x.jsonl", strings.NewReader(c.log), opts)
			var last error
			read := 0
			for _, last = range r.All() {
				read++
			}
			var format *transcript.FormatError
			got := ""
			if errors.As(last, &format) {
				got = format.Message
			}
			want := c.want
			if opts.Format != "" {
				want = "" // somebody said what it is
			}
			if want == "" && last != nil || !strings.Contains(got, want) {
				t.Errorf("%s with %+v: %v, not %q", c.name, opts, last, want)
			}
			if lines := strings.Count(c.log, "\n"); read < lines {
				t.Errorf("%s: %d of %d conversations came out", c.name, read, lines)
			}
		}
	}
}

func TestSpansOfOtherProgramsAreNoConversations(t *testing.T) {
	http := `{"name":"GET /","context":{"trace_id":"t%d"},"attributes":{"gen_ai.x":1,"http.method":"GET"}}` + "\n"
	call := `{"name":"find","context":{"trace_id":"t9"},"attributes":{"openinference.span.kind":"TOOL","tool.name":"find",` +
		`"input.value":"{}","output.value":"x"}}` + "\n"
	only := fmt.Sprintf(http, 1) + fmt.Sprintf(http, 2)
	for log, want := range map[string]int{only: 2, only + call: 1, call + only: 1} {
		var s Summary
		if err := s.Read(Open(context.Background(), "x.jsonl", strings.NewReader(log), Options{})); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, d := range s.Files[0].Dropped {
			if strings.HasPrefix(d.Name, "trace") {
				left = d.Count
			}
		}
		if s.Conversations != want || want == 1 && (left != 2 || s.Calls != 1) {
			t.Errorf("%d conversations, %d calls, %d left out:\n%s", s.Conversations, s.Calls, left, log)
		}
	}
}

// A trace without a model or tool call is left out, before and after a conversation whose content was not
// captured as well.
func TestAsideAroundHidden(t *testing.T) {
	const (
		other  = `{"name":"GET /","context":{"trace_id":"a%","span_id":"1"},"attributes":{"gen_ai.operation.name":"create_agent"}}`
		hidden = `{"name":"chat m","context":{"trace_id":"h","span_id":"2"},"attributes":{"gen_ai.operation.name":"chat"}}`
	)
	before, after := strings.Replace(other, "%", "0", 1), strings.Replace(other, "%", "1", 1)
	for _, log := range []string{before + "\n" + hidden, hidden + "\n" + after, before + "\n" + hidden + "\n" + after} {
		_, list := readText(t, "x.jsonl", log, Options{})
		if len(list) != 1 || list[0].ID != "h" {
			t.Errorf("%d conversations are read of\n%s", len(list), log)
		}
	}
}

// A text that happens to hold a line of a format is suspect; a few broken lines of a log are not.
func TestTextsAreSuspect(t *testing.T) {
	line := `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}` + "\n"
	for _, tt := range []struct {
		log     string
		suspect bool
	}{
		{line + strings.Repeat("some text\n", 12), true},
		{line + strings.Repeat("some text\n", 9), false},
		{strings.Repeat(line, 2) + strings.Repeat("some text\n", 18), false},
		{strings.Repeat(line, 2) + strings.Repeat("some text\n", 19), true},
	} {
		r := Open(context.Background(), "x.log", strings.NewReader(tt.log), Options{})
		for range r.All() {
		}
		if err := r.Suspect(); (err != nil) != tt.suspect || tt.suspect && !strings.Contains(err.Error(), "records cannot be read") {
			t.Errorf("%v: %.200q", err, tt.log)
		}
	}
}

// What cannot be read is named, with what to do.
func TestAdvice(t *testing.T) {
	for _, f := range formats {
		if f.read == nil && f.advice == "" {
			t.Errorf("%s cannot be read, and nothing says what to do", f.name)
		}
		if f.detect != nil && f.mark == "" {
			t.Errorf("nothing says by what %s is recognised", f.name)
		}
	}
	for log, want := range map[string]string{
		`{"50d470aa18418652":{"input":{"success":true,"data":[{"role":"user","content":"Hi"}]}}}`:                                    "export the trace itself",
		`[{"name":"a","context":{"trace_id":"t"},"attributes":{"monocle_apptrace.version":"0.6"},"events":[{"name":"data.input"}]}]`: "record the same run with OpenInference",
		`{"type":"result","subtype":"success","num_turns":3,"result":"Done.","session_id":"s1"}`:                                     "stream-json --verbose",
		`{"trace_id":"t","spans":[{"span_name":"a","attributes":{"entity.1.type":"workflow.langgraph"}}]}`:                           "record the same run with OpenInference",
	} {
		lines, _ := readText(t, "x.json", log, Options{})
		if !strings.Contains(strings.Join(lines, " "), want) {
			t.Errorf("%v: %s", lines, log)
		}
	}
}
