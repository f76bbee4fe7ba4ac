package format

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// readText reads a log from a text and returns one line for each conversation and
// problem.
func readText(t testing.TB, file, text string, opts Options) (lines []string, list []*transcript.Conversation) {
	t.Helper()
	r := Open(context.Background(), file, strings.NewReader(text), opts)
	for c, err := range r.All() {
		if err != nil {
			lines = append(lines, "error: "+err.Error())
			continue
		}
		list = append(list, c)
		lines = append(lines, summary(c))
	}
	return lines, list
}

// summary writes what a test wants to see of a conversation on one line.
func summary(c *transcript.Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", c.ID, c.Source)
	for i := range c.Calls {
		call := &c.Calls[i]
		fmt.Fprintf(&b, " %s(%s)@%d", call.Name, call.Arguments.JSON(), call.Message)
		if call.Malformed {
			b.WriteString("!")
		}
		fmt.Fprintf(&b, "->%d:%s", call.Result, call.Pairing)
	}
	for _, n := range c.Notes {
		b.WriteString(" " + n.Kind)
	}
	return b.String()
}

const (
	user  = `{"role":"user","content":"hi"}`
	line1 = `{"id":"a","messages":[` + user + `]}`
	line2 = `{"id":"b","messages":[` + user + `]}`
)

// with returns a native line with the given messages behind a user message.
func with(messages ...string) string {
	return `{"id":"c","messages":[` + strings.Join(append([]string{user}, messages...), ",") + `]}`
}

func assistant(calls ...string) string {
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func fn(id, name, args string) string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, id, name, args)
}

func result(id, content string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, content)
}

func TestFraming(t *testing.T) {
	pretty := "{\n \"id\": \"a\",\n \"messages\": [\n  " + user + "\n ]\n}\n"
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"lines", "x.jsonl", line1 + "\n\n  " + line2 + "\r\n", []string{"a x.jsonl:1", "b x.jsonl:3"}},
		{"no last line feed", "x", line1 + "\n" + line2, []string{"a x:1", "b x:2"}},
		{"byte order mark", "x.jsonl", "\ufeff" + line1, []string{"a x.jsonl:1"}},
		{"one object", "x.json", pretty, []string{"a x.json[0]"}},
		{"objects over lines", "x.json", pretty + pretty, []string{"a x.json[0]", "a#2 x.json[1]"}},
		{"array", "x.json", "[" + line1 + ",\n" + line2 + "]\n", []string{"a x.json[0]", "b x.json[1]"}},
		{"empty array", "x.json", "[]", nil},
		{"nothing", "x.json", " \n", nil},
		{"bare messages", "x.json", "[" + user + "]", []string{"x/1 x.json:1"}},
		{"records with a role", "x.json", `[{"role":"a","messages":[` + user + `]},{"role":"b","messages":[` + user + `]}]`,
			[]string{"x/0 x.json[0]", "x/1 x.json[1]"}},
		{"bare messages over lines", "x.json", "[\n" + user + "\n]", []string{"x/0 x.json[0]"}},
		{"bare messages a line each", "x", "[" + user + "]\n[" + user + "]", []string{"x/1 x:1", "x/2 x:2"}},
		{"ids", "logs/x.jsonl", strings.Repeat(`{"messages":[`+user+"]}\n", 2) + `{"id":7,"messages":[` + user + `]}`,
			[]string{"x/1 logs/x.jsonl:1", "x/2 logs/x.jsonl:2", "7 logs/x.jsonl:3"}},
		{"a bad line", "x.jsonl", line1 + "\n{\"id\":\n" + line2, []string{"a x.jsonl:1",
			"error: x.jsonl:2: json: text ends early at byte 6: unexpected EOF: the record was passed over", "b x.jsonl:3"}},
		{"a bad first line", "x.jsonl", "{\"id\":\n" + line2, []string{
			"error: x.jsonl:1: json: text ends early at byte 6: unexpected EOF: the record was passed over", "b x.jsonl:2"}},
		{"a bad first line of a file without an ending", "x", "{\"id\":1,\n" + line2, []string{
			"error: x:1: json: text ends early at byte 8: unexpected EOF: the record was passed over", "b x:2"}},
		{"text behind a line", "x.jsonl", line1 + " x\n" + line2, []string{
			"error: x.jsonl:1: json: text after the value at byte 55: the record was passed over", "b x.jsonl:2"}},
		{"wrong fields", "x.jsonl", `{"messages":{}}` + "\n" + `{"messages":[1]}` + "\n" + `{"messages":[{}]}` + "\n" + `{"messages":[{"role":1}]}` + "\n" + `{"a":1}` + "\n[1]\n" + with(assistant("5")) + "\n5\n" + line2, []string{
			"error: x.jsonl:1: messages: this must be a list of messages and is an object",
			"error: x.jsonl:2: messages[0]: a message must be an object and is an integer",
			"error: x.jsonl:3: messages[0].role: the message has no role (its keys are (none))",
			"error: x.jsonl:4: messages[0].role: the role must be a text and is an integer",
			"error: x.jsonl:5: messages: the record has no messages: is this a conversation?",
			"error: x.jsonl:6: [0]: a message must be an object and is an integer",
			"error: x.jsonl:7: messages[1].tool_calls[0]: a call must be an object and is an integer",
			"error: x.jsonl:8: a conversation must be an object with messages and is an integer", "b x.jsonl:9"}},
		{"a cut array", "x.json", "[" + line1 + "," + line2[:20], []string{"a x.json[0]",
			"error: x.json[1]: the file ends inside of this record: it is cut short"}},
		{"an array without its end", "x.json", "[" + line1 + ",", []string{"a x.json[0]",
			"error: x.json[1]: the file ends inside of this record: it is cut short"}},
		{"a missing comma", "x.json", "[" + line1 + line2 + "]", []string{"a x.json[0]",
			"error: x.json[1]: between two elements is \"{\", not a comma: the rest was not read"}},
		{"text behind the array", "x.json", "[" + line1 + "] {}", []string{"a x.json[0]",
			"error: x.json[1]: text follows the end of the log and was not read: \"{}\""}},
		{"text behind an object", "x.json", pretty + "done", []string{"a x.json[0]",
			"error: x.json[1]: text follows the end of the log and was not read: \"done\""}},
		{"a bad element", "x.json", "[" + line1 + ",{\"id\":nul}," + line2 + "]", []string{"a x.json[0]",
			"error: x.json[1]: json: unexpected character at byte 6: the record was passed over", "b x.json[2]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{}
			if tt.name == "wrong fields" {
				opts.Format = native.name
			}
			got, _ := readText(t, tt.file, tt.text, opts)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			opts.Parallel = 3
			if got, _ := readText(t, tt.file, tt.text, opts); !cmp.Equal(tt.want, got) {
				t.Errorf("with goroutines: %s", cmp.Diff(tt.want, got))
			}
		})
	}
}

func TestLimitPassesOver(t *testing.T) {
	long := `{"id":"long","messages":[{"role":"user","content":"` + strings.Repeat("x", 200_000) + `"}]}`
	for _, text := range []string{long + "\n" + line2, "[" + long + "," + line2 + "]"} {
		got, _ := readText(t, "x", text, Options{MaxConversationBytes: 100_000, Format: native.name})
		if len(got) != 2 || !strings.Contains(got[0], "longer than the limit of 100000 bytes") || !strings.HasPrefix(got[1], "b x") {
			t.Error(got)
		}
	}
	beginning := `{"pad":"` + strings.Repeat("x", 100_000) + `","messages":[` + user + `]}`
	for _, text := range []string{beginning, "[" + beginning + "]"} {
		if got, list := readText(t, "x.json", text, Options{}); len(list) != 1 || list[0].Source.Format != openAIChat.name {
			t.Errorf("a record whose messages come late: %.300q", got)
		}
	}
	got, list := readText(t, "x", long+"\n"+line2, Options{})
	if len(list) != 2 || len(list[0].Messages[0].Content) != 200_000 {
		t.Error(got)
	}
}

func packed(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestContainers(t *testing.T) {
	big := strings.Repeat(line1+"\n", 5000)
	zip := packed(t, big)
	for _, text := range []string{zip, packed(t, zip)} {
		if _, list := readText(t, "x.jsonl.gz", text, Options{}); len(list) != 5000 {
			t.Errorf("%d conversations", len(list))
		}
	}
	got, list := readText(t, "x.jsonl.gz", zip[:len(zip)-30], Options{})
	if last := got[len(got)-1]; !strings.Contains(last, "the gzip data is damaged or cut short") || len(list) == 0 {
		t.Errorf("a cut file: %d conversations, then %s", len(list), last)
	}
	for name, text := range map[string]string{
		"more than 3 times":     packed(t, packed(t, packed(t, zip))),
		"zip header":            "PK\x03\x04....",
		"parquet header":        "PAR1....",
		"UTF-16 text: save it":  "\xff\xfe{\x00",
		"UTF-16 text without":   "[\x00{\x00",
		"zstd data is damaged":  "\x28\xb5\x2f\xfd....",
		"no form that is known": "id,messages\n1,2\n",
		"gzip header":           "\x1f\x8b\x00\x00aaaaaaaaaaaaaaa",
	} {
		got, _ := readText(t, "x", text, Options{})
		if len(got) != 1 || !strings.Contains(got[0], name) || !strings.HasPrefix(got[0], "error: x: ") {
			t.Errorf("%s: %v", name, got)
		}
	}
	got, _ = readText(t, "x", line1, Options{Format: "nothing"})
	if len(got) != 1 || !strings.Contains(got[0], `no such log format: "nothing"`) {
		t.Error(got)
	}
}

func TestInputErrorStops(t *testing.T) {
	boom := errors.New("disk on fire")
	for _, parallel := range []int{0, 2} {
		in := io.MultiReader(strings.NewReader(line1+"\n"+line2[:9]), iotest.ErrReader(boom))
		r := Open(context.Background(), "x.jsonl", in, Options{Parallel: parallel})
		n := 0
		var last error
		for _, err := range r.All() {
			n++
			last = err
		}
		if n != 2 || !errors.Is(last, boom) {
			t.Errorf("%d results, the last %v", n, last)
		}
		if _, err := r.Next(); !errors.Is(err, boom) {
			t.Errorf("after the end: %v", err)
		}
	}
	_, err := Open(context.Background(), "x.jsonl", iotest.ErrReader(boom), Options{}).Next()
	if !errors.Is(err, boom) || err.Error() != "read x.jsonl: disk on fire" {
		t.Errorf("at the beginning: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, "x", strings.NewReader(line1), Options{}).Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

func TestCallsAndResults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"by id, in reverse", with(assistant(fn("1", "f", `"{}"`), fn("2", "g", `"{}"`)), result("2", "b"), result("1", "a")),
			"f({})@1->3:id g({})@1->2:id"},
		{"an id used again", with(assistant(fn("1", "f", `"{}"`)), result("1", "a"), assistant(fn("1", "g", `"{}"`)), result("1", "b")),
			"f({})@1->2:id g({})@3->4:id recurring_id"},
		{"the earliest unanswered", with(assistant(fn("1", "f", `"{\"a\":1}"`)), assistant(fn("1", "f", `"{\"a\":2}"`)), result("1", "b")),
			`f({"a":1})@1->3:id f({"a":2})@2->-1:none recurring_id unanswered_call`},
		{"no ids", with(`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]}`,
			`{"role":"tool","name":"g","content":"b"}`, `{"role":"tool","content":"a"}`),
			"f({})@1->3:order g({})@1->2:order call_without_id call_without_id paired_by_order paired_by_order"},
		{"a result with an id for a call without", with(`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`, result("9", "b")),
			"f({})@1->2:order call_without_id paired_by_order"},
		{"a second result", with(assistant(fn("1", "f", `"{}"`)), result("1", "a"), result("1", "b")), "f({})@1->2:id orphan_result"},
		{"a result before its call", with(result("1", "a"), assistant(fn("1", "f", `"{}"`))), "f({})@2->-1:none orphan_result unanswered_call"},
		{"legacy", with(`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}`, `{"role":"function","name":"f","content":"x"}`),
			`f({"a":1})@1->2:order call_without_id paired_by_order`},
		{"custom tool", with(assistant(`{"id":"1","type":"custom","custom":{"name":"sql","input":"select 1"}}`), result("1", "1")),
			`sql({"input":"select 1"})@1->2:id`},
		{"object arguments", with(assistant(fn("1", "f", `{"a" : 12345678901234567890}`)), result("1", "")), `f({"a":12345678901234567890})@1->2:id`},
		{"bad arguments", with(assistant(fn("1", "f", `"{\"a\":"`), fn("2", "f", `"[1]"`), fn("3", "f", `""`), fn("4", "f", "null"), fn("5", "f", "3")),
			result("1", ""), result("2", ""), result("3", ""), result("4", ""), result("5", "")),
			"f({})@1!->2:id f({})@1!->3:id f({})@1!->4:id f({})@1!->5:id f({})@1!->6:id arguments_not_json arguments_not_object arguments_empty arguments_missing arguments_not_object"},
		{"python literal", with(assistant(fn("1", "f", `"{'a': None, 'b': \"['x']\"}"`)), result("1", "")),
			`f({"a":null,"b":"['x']"})@1->2:id arguments_python_literal list_in_string`},
		{"a list in a text", with(assistant(fn("1", "f", `{"a":"[]","b":"[","c":"[x] y"}`)), result("1", "")),
			`f({"a":"[]","b":"[","c":"[x] y"})@1->2:id list_in_string`},
		{"refused", with(assistant(fn("1", "f", `"{}"`)), result("1", "Execution of F.invoke was rejected. Explanation: no.")), "f({})@1->2:id refused_call"},
		{"declined by the tool itself", with(assistant(fn("1", "f", `"{}"`)), result("1", "Error: payment was declined")), "f({})@1->2:id"},
		{"repeated", with(assistant(fn("1", "f", `"{\"a\":1}"`)), result("1", ""), assistant(fn("2", "f", `"{\"a\": 1.0}"`)), result("2", "")),
			`f({"a":1})@1->2:id f({"a":1.0})@3->4:id repeated_call`},
		{"unknown tool", `{"id":"c","tools":[{"function":{"name":"g"}}],"messages":[` + assistant(fn("1", "f", `"{}"`)) + `,` + result("1", "") + `]}`,
			"f({})@0->1:id unknown_tool"},
		{"call in text", with(`{"role":"assistant","content":"I do\n<tool_call>\n{\"name\":\"f\",\"arguments\":{\"a\":1}}\n</tool_call>"}`), "call_in_text"},
		{"no name", with(assistant(`{"id":"1","function":{"arguments":"{}"}}`), result("1", "")), "({})@1->2:id call_without_name"},
		{"parts", with(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},{"type":"text","text":"b"}]}`), "part_not_text"},
		{"odd bytes", "{\"id\":\"c\",\"id\":\"c\",\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", "repeated_key invalid_utf8"},
		{"empty", `{"id":"c","messages":[]}`, "no_messages"},
		{"a result that names its tool", with(assistant(`{"function":{"name":"f","arguments":"{}"}}`),
			assistant(`{"function":{"name":"g","arguments":"{}"}}`),
			`{"role":"tool","name":"f","content":"x"}`), "f({})@1->3:order g({})@2->-1:none call_without_id call_without_id " +
			"paired_by_order unanswered_call"},
		{"a result beyond the nearest message with calls", with(assistant(`{"function":{"name":"f","arguments":"{}"}}`),
			assistant(`{"function":{"name":"g","arguments":"{}"}}`),
			`{"role":"tool","content":"x"}`, `{"role":"tool","content":"y"}`),
			"f({})@1->-1:none g({})@2->3:order call_without_id call_without_id paired_by_order orphan_result unanswered_call"},
		{"a result with an id whose calls are answered, beside one without an id", with(assistant(fn("1", "f", `"{}"`),
			`{"function":{"name":"f","arguments":"{\"a\":1}"}}`),
			result("1", "a"), result("1", "b")), `f({})@1->2:id f({"a":1}` +
			`)@1->-1:none call_without_id orphan_result unanswered_call`},
		{"a result within reach", with(append(append([]string{assistant(`{"function":{"name":"f","arguments":"{}"}}`)},
			answered(63)...),
			`{"role":"tool","name":"f","content":"x"}`)...), "paired_by_order"},
		{"a result out of reach", with(append(append([]string{assistant(`{"function":{"name":"f","arguments":"{}"}}`)},
			answered(64)...),
			`{"role":"tool","name":"f","content":"x"}`)...), "orphan_result"},
		{"a call at the end of the reach", with(assistant(append(slices.Repeat([]string{`{"function":{"name":"g",` +
			`"arguments":"3"}}`}, 63),
			`{"function":{"name":"f","arguments":"{}"}}`)...), `{"role":"tool","name":"f","content":"x"}`), "paired_by_order"},
		{"a call behind the reach", with(assistant(append(slices.Repeat([]string{`{"function":{"name":"g",` +
			`"arguments":"3"}}`}, 64),
			`{"function":{"name":"f","arguments":"{}"}}`)...), `{"role":"tool","name":"f","content":"x"}`), "orphan_result"},
		{"unknown role", with(`{"role":"critic","content":"x"}`), "unknown_role"},
		{"odd labels", `{"id":"c","messages":[` + user + `],"labels":{"a":null,"b":1e999,"c":true,"d":"good"}}`, "label_not_read label_not_read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, list := readText(t, "x", tt.text, Options{Format: native.name})
			if len(list) != 1 {
				t.Fatal(got)
			}
			if strings.Contains(tt.name, "reach") { // the calls are many
				found := regexp.MustCompile("paired_by_order|orphan_result").FindAllString(got[0], -1)
				got[0] = "c x:1 " + strings.Join(found, " ")
			}
			if diff := cmp.Diff(strings.TrimSpace("c x:1 "+tt.want), got[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// answered returns n messages with a call of g, and its result behind each.
func answered(n int) (list []string) {
	for i := range n {
		list = append(list, assistant(fn(fmt.Sprint(i), "g", `"{}"`)), result(fmt.Sprint(i), "a"))
	}
	return list
}

func TestArgumentsAreKeptTwice(t *testing.T) {
	_, list := readText(t, "x", with(assistant(fn("1", "f", `"{ \"a\" : 1.50 }"`), fn("2", "f", `{ "a" : 90071992547409931 , "a" : 1e999 }`))), Options{Format: native.name})
	c := list[0].Calls
	if got, want := c[0].RawArguments, `{ "a" : 1.50 }`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := c[1].RawArguments, `{ "a" : 90071992547409931 , "a" : 1e999 }`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := c[0].Arguments.JSON() + c[1].Arguments.JSON(); got != `{"a":1.50}{"a":1e999}` {
		t.Error(got)
	}
}

func TestMessages(t *testing.T) {
	_, list := readText(t, "x", `{"id":"c","messages":[{"role":"developer","content":"d"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"},"b"]},`+
		`{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[`+fn("1", "f", `"{}"`)+`],"weight":0},{"role":"tool","tool_call_id":"1","content":" {\"ok\":true}"},`+
		`{"role":"assistant","content":null,"refusal":null},{"role":"tool","content":[{"type":"text","text":"[1]"}]},{"role":"tool","content":[1,2]},{"role":"tool","content":{"a":1}}],`+
		`"labels":[{"name":"h","value":true},{"name":"w","value":"good","call_index":0}],"expected_calls":[],"sample":{"k":1},"state":{"x":1}}`, Options{})
	c := list[0]
	type short struct {
		Role           transcript.Role
		Content        string
		Has            bool
		Reasoning, Out string
		Step, Result   int
		Extra          string
	}
	var got []short
	for _, m := range c.Messages {
		got = append(got, short{m.Role, m.Content, m.HasContent, m.Reasoning, m.Output.JSON(), m.Step, m.Result, m.Extra.JSON()})
	}
	want := []short{
		{transcript.System, "d", true, "", "null", 0, -1, "null"},
		{transcript.User, "a\n[image_url]\nb", true, "", "null", 0, -1, "null"},
		{transcript.Assistant, "", true, "hm", "null", 0, -1, `{"weight":0}`},
		{transcript.ToolRole, ` {"ok":true}`, true, "", `{"ok":true}`, 0, 0, "null"},
		{transcript.Assistant, "", false, "", "null", 1, -1, "null"},
		{transcript.ToolRole, "[1]", true, "", "[1]", 1, -1, "null"},
		{transcript.ToolRole, "[1,2]", true, "", "[1,2]", 1, -1, "null"},
		{transcript.ToolRole, `{"a":1}`, true, "", `{"a":1}`, 1, -1, "null"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]transcript.Label{{Name: "h", CallIndex: -1, Value: 1, Text: ""}, {Name: "w", CallIndex: 0, Value: 0, Text: "good"}}, c.Labels); diff != "" {
		t.Error(diff)
	}
	if c.Expected == nil || len(c.Expected.Calls) != 0 || c.Sample.JSON() != `{"k":1}` || c.Extra.JSON() != `{"state":{"x":1}}` {
		t.Errorf("%+v %s %s", c.Expected, c.Sample.JSON(), c.Extra.JSON())
	}
}

func TestRubricExample(t *testing.T) {
	text := `{"conversation_context":[{"role":"user","content":"Cancel order 7"},` +
		`{"role":"tool","name":"find","parameters":{"id":7},"output":{"status":"open"}},{"role":"assistant","content":"Found."}],` +
		`"tools_inventory":[{"name":"find","description":"Find","parameters":{"id":"integer","tags":"optional[list[string]]"}},{"name":"cancel","parameters":{"id":"integer"}}],` +
		`"tool_call":{"name":"cancel","arguments":{"id":90071992547409931}},"labels":{"human":1}}`
	got, list := readText(t, "x.jsonl", text+"\n"+`{"conversation_context":"User: hi","tools_inventory":[],"tool_call":"{\"name\":\"f\",\"parameters\":{}}"}`+
		"\n"+`{"conversation_context":[],"tools_inventory":[]}`, Options{})
	want := []string{
		`x/1 x.jsonl:1 find({"id":7})@1->2:id cancel({"id":90071992547409931})@4->-1:none`,
		`x/2 x.jsonl:2 f({})@1->-1:none context_is_text`,
		`error: x.jsonl:3: tool_call: the record has no tool_call to judge`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	c := list[0]
	if !c.Calls[0].Context || c.Calls[1].Context || c.Messages[2].Output.JSON() != `{"status":"open"}` {
		t.Errorf("%+v", c.Calls)
	}
	schema := `{"type":"object","properties":{"id":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["id"]}`
	if got := c.Tools[0].Parameters.JSON(); got != schema {
		t.Errorf("got %s, want %s", got, schema)
	}
}

func TestRubricExampleEnvelope(t *testing.T) {
	record := `{"conversation_context":[{"role":"user","content":"Cancel order 7"},{"role":"tool","name":"find","parameters":{"id":7},"output":3}],` +
		`"tools_inventory":[{"name":"cancel","parameters":{"id":"integer","tags":"list[string]"}}],"tool_call":{"name":"cancel","parameters":{"id":7}}}`
	line := func(rest string) string { return `{"user_kwargs":` + record + rest + `}` }
	for _, tc := range []struct {
		name, rest string
		labels     []transcript.Label
	}{
		{"no answer", ``, nil},
		{"answer", `,"output":{"explanation":"x","output":4,"confidence":0.9,"correction":{"output":1}}`, []transcript.Label{{Name: "recorded.output", CallIndex: 1, Value: 4, Text: ""}}},
		{"answer of a rubric", `,"rubric":"intent","output":{"output":4}`, []transcript.Label{{Name: "recorded.intent", CallIndex: 1, Value: 4, Text: ""}}},
		{"number", `,"output":0.25`, []transcript.Label{{Name: "recorded.output", CallIndex: 1, Value: 0.25, Text: ""}}},
		{"by rubric", `,"output":{"a":{"output":1},"b":{"output":2,"confidence":1}}`, []transcript.Label{{Name: "recorded.a", CallIndex: 1, Value: 1, Text: ""}, {Name: "recorded.b", CallIndex: 1, Value: 2, Text: ""}}},
		{"beside a label", `,"labels":{"human":1},"output":2`, []transcript.Label{{Name: "human", CallIndex: -1, Value: 1, Text: ""}, {Name: "recorded.output", CallIndex: 1, Value: 2, Text: ""}}},
		{"what a tool said", `,"output":{"status":"ok","count":3}`, nil},
		{"text", `,"output":"4"`, nil},
	} {
		for _, text := range []string{line(tc.rest), "[" + line(tc.rest) + "]"} {
			got, list := readText(t, "x.jsonl", text, Options{})
			if len(list) != 1 || len(list[0].Calls) != 2 || !list[0].Calls[0].Context || list[0].Calls[1].Place != "user_kwargs.tool_call" ||
				list[0].Tools[0].Parameters.Field("properties").Field("tags").Field("items").JSON() != `{"type":"string"}` {
				t.Fatalf("%s: %v", tc.name, got)
			}
			if diff := cmp.Diff(tc.labels, list[0].Labels); diff != "" {
				t.Errorf("%s: %s", tc.name, diff)
			}
		}
	}
	got, _ := readText(t, "x.jsonl", `{"user_kwargs":{"conversation_context":[],"tools_inventory":[]}}`, Options{})
	if diff := cmp.Diff([]string{"error: x.jsonl:1: tool_call: the record has no tool_call to judge"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestIDs(t *testing.T) {
	var ids IDs
	var got []string
	for _, id := range []string{"a", "a", "a#2", "a", "b", "a#2"} {
		got = append(got, ids.Unique(id))
	}
	if diff := cmp.Diff([]string{"a", "a#2", "a#2#2", "a#3", "b", "a#2#3"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNamesOfLogs: the part of a conversation's id that comes from its file.
func TestNamesOfLogs(t *testing.T) {
	for file, want := range map[string]string{"": "stdin", "-": "stdin", `logs\a.jsonl.gz`: "a", "b/c.json": "c",
		"d.ndjson": "d", "e.json.jsonl": "e.json", "f.jsonl.json": "f", "g.txt": "g.txt"} {
		if got := baseName(file); got != want {
			t.Errorf("%q is named %q, want %q", file, got, want)
		}
	}
}

func TestShorthand(t *testing.T) {
	for in, want := range map[string]string{
		`"list[int] = []"`:                   `optional {"type":"array","items":{"type":"integer"}}`,
		`"list[str] | list[int]"`:            `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"integer"}}]}`,
		`"int | string[]"`:                   `{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]}`,
		`"optional string"`:                  `optional {"type":"string"}`,
		`"Optional  str"`:                    `optional {"type":"string"}`,
		`"some string"`:                      `{"description":"some string"}`,
		`"str, Optional"`:                    `optional {"type":"string"}`,
		`"?"`:                                `optional {"description":"?"}`,
		`"[int]"`:                            `{"description":"[int]"}`,
		`"x[]"`:                              `{"type":"array","items":{"description":"x"}}`,
		`"list[]"`:                           `{"type":"array","items":{"type":"array"}}`,
		`"list<int>"`:                        `{"type":"array","items":{"type":"integer"}}`,
		`"list (int)"`:                       `{"type":"array","items":{"type":"integer"}}`,
		`"list[int"`:                         `{"description":"list[int"}`,
		`"dict[str]"`:                        `{"type":"object"}`,
		`"box[int]"`:                         `{"description":"box[int]"}`,
		`"literal['a', \"b\"]"`:              `{"enum":["a","b"]}`,
		`"union[int, none]"`:                 `optional {"anyOf":[{"type":"integer"},{"type":"null"}]}`,
		`"dict[str, a|b]|list[int]"`:         `{"anyOf":[{"type":"object","additionalProperties":{"enum":["a","b"]}},{"type":"array","items":{"type":"integer"}}]}`,
		`5`:                                  `{}`,
		`{"type":"int","optional":true}`:     `optional {"type":"integer"}`,
		`{"type":"int","optional":false}`:    `{"type":"integer"}`,
		`{"type":"int","required":true}`:     `{"type":"integer"}`,
		`{"type":"str","default":"a"}`:       `optional {"type":"string","default":"a"}`,
		`{"type":"string?","minLength":1}`:   `optional {"type":"string","minLength":1}`,
		`{"type":["int"],"a":1}`:             `{"type":["int"],"a":1}`,
		`"integer"`:                          `{"type":"integer"}`,
		`"str"`:                              `{"type":"string"}`,
		`"list[string]"`:                     `{"type":"array","items":{"type":"string"}}`,
		`"List[List[int]]"`:                  `{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`,
		`"string[]"`:                         `{"type":"array","items":{"type":"string"}}`,
		`"dict"`:                             `{"type":"object"}`,
		`"dict[string, list[float]]"`:        `{"type":"object","additionalProperties":{"type":"array","items":{"type":"number"}}}`,
		`"optional[integer]"`:                `optional {"type":"integer"}`,
		`"string?"`:                          `optional {"type":"string"}`,
		`"string (optional)"`:                `optional {"type":"string"}`,
		`"int = 5"`:                          `optional {"type":"integer"}`,
		`"open|closed"`:                      `{"enum":["open","closed"]}`,
		`"enum[open, closed, 3]"`:            `{"enum":["open","closed",3]}`,
		`"integer|null"`:                     `optional {"anyOf":[{"type":"integer"},{"type":"null"}]}`,
		`["open","closed"]`:                  `{"enum":["open","closed"]}`,
		`"integer|enum[a, b]"`:               `{"anyOf":[{"type":"integer"},{"enum":["a","b"]}]}`,
		`"union[int, union[str, float]]"`:    `{"anyOf":[{"type":"integer"},{"anyOf":[{"type":"string"},{"type":"number"}]}]}`,
		`"union[open, integer]"`:             `{"enum":["open","integer"]}`,
		`"date"`:                             `{"type":"string","format":"date"}`,
		`"the customer's id"`:                `{"description":"the customer's id"}`,
		`{"type":"list[int]","minItems":1}`:  `{"type":"array","items":{"type":"integer"},"minItems":1}`,
		`{"type":"string","required":false}`: `optional {"type":"string"}`,
	} {
		v, err := value.ParseString(in)
		if err != nil {
			t.Fatal(err)
		}
		schema, optional := shorthand(v)
		got := schema.JSON()
		if optional {
			got = "optional " + got
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestWordsOfTypes: each usual word for a type, in any case.
func TestWordsOfTypes(t *testing.T) {
	for want, words := range map[string]string{
		`{"type":"string"}`:                                           "string str text char STRING",
		`{"type":"integer"}`:                                          "integer int long Int",
		`{"type":"number"}`:                                           "number float double decimal",
		`{"type":"boolean"}`:                                          "boolean bool",
		`{"type":"array"}`:                                            "array list tuple set sequence",
		`{"type":"object"}`:                                           "object dict map dictionary mapping",
		`{"type":"null"}`:                                             "null none None",
		`{"type":"string","format":"date"}`:                           "date",
		`{"type":"string","format":"date-time"}`:                      "datetime date-time DateTime",
		`{"type":"string","format":"time"}`:                           "time",
		`{"type":"string","format":"email"}`:                          "email",
		`{"type":"string","format":"uri"}`:                            "uri url",
		`{"type":"string","format":"uuid"}`:                           "uuid",
		`{"type":"array","items":{"type":"integer"}}`:                 "list[int] array[int] set[int] sequence[int] tuple(int) List<int>",
		`{"type":"object","additionalProperties":{"type":"integer"}}`: "dict[str,int] map<str,int> mapping[str,int] object[str,int]",
		`{"enum":["a",1]}`:                                            "enum[a,1] literal['a',1] choice(a,1) oneof<a,1>",
		`{"anyOf":[{"type":"integer"},{"type":"array"}]}`:             "union[int,list] int|list",
	} {
		for _, word := range strings.Fields(words) {
			if schema, optional := shorthand(value.OfString(word)); schema.JSON() != want || optional {
				t.Errorf("%s is %s, optional %t, want %s", word, schema.JSON(), optional, want)
			}
		}
	}
}

func TestExpectedCallsOfAnyForm(t *testing.T) {
	for _, call := range []string{`"f"`, `{"name":"f"}`, `{"tool_name":"f","args":{}}`, `{"type":"function","function":{"name":"f","arguments":"{}"}}`,
		`{"toolCall":1,"request":{"api_name":"f","parameters":{}}}`, `{"f":{}}`} {
		_, list := readText(t, "x", `{"messages":[`+user+`],"expected_calls":[`+call+`]}`, Options{Format: native.name})
		if len(list) != 1 || len(list[0].Expected.Calls) != 1 || list[0].Expected.Calls[0].Name != "f" || list[0].Expected.Calls[0].Arguments.JSON() != "{}" {
			t.Errorf("%s: %v", call, list)
		}
	}
	for _, listed := range []string{"request", "function"} {
		_, list := readText(t, "x", `{"messages":[`+user+`],"expected_calls":[{"`+listed+`":{"a":[1,2]}}]}`, Options{Format: native.name})
		if len(list) != 1 || list[0].Expected.Calls[0].Name != listed || list[0].Expected.Calls[0].Arguments.JSON() != `{"a":1}` {
			t.Errorf("%s: %v", listed, list)
		}
	}
}

// A log that was encoded as JSON twice is a string, or a line of strings each.
func TestJSONInAString(t *testing.T) {
	const one = `{"id":"a","messages":[{"role":"user","content":"Where is order 7?"},` +
		`{"role":"assistant","tool_calls":[{"id":"k","function":{"name":"find_order","arguments":"{\"order_id\":7}"}}]}]}`
	quoted := func(s string) string { return value.OfString(s).JSON() }
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"one":              {quoted("\n " + one), 1},
		"lines":            {quoted(one) + "\n" + quoted(strings.Replace(one, `"a"`, `"b"`, 1)) + "\n", 2},
		"cut short":        {quoted(one)[:90], 0},
		"no JSON inside":   {quoted("{order}"), 0},
		"another value":    {quoted(one) + "\n7\n", 1},
		"a string of text": {quoted("a note"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			calls, failed := 0, false
			for c, err := range Open(t.Context(), "x.json", strings.NewReader(tt.text), Options{}).All() {
				if err != nil {
					failed = true
					continue
				}
				calls += len(c.Calls)
			}
			if calls != tt.want || failed != (name != "one" && name != "lines") {
				t.Errorf("%d calls, failed %t", calls, failed)
			}
		})
	}
}
