package deterministic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// show writes a reading on one line: name(arguments), with ! for malformed, and ?
// for an unreadable call.
func show(calls []*transcript.Call, parsed bool) string {
	if !parsed {
		return "unparsed"
	}
	out := []string{}
	for _, c := range calls {
		switch {
		case c.Name == "" && c.Malformed:
			out = append(out, "?")
		case c.Malformed:
			out = append(out, c.Name+"!"+c.Arguments.JSON())
		default:
			out = append(out, c.Name+c.Arguments.JSON())
		}
	}
	return strings.Join(out, " ")
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", `{"name":"f","arguments":{"a":1}}`, `f{"a":1}`},
		{"openai", `{"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}`, `f{"a":1}`},
		{"gemini", `{"functionCall":{"name":"f","args":{"a":1}}}`, `f{"a":1}`},
		{"legacy", `{"function_call":{"name":"f","arguments":"{}"}}`, `f{}`},
		{"function as a string", `{"function":"f","args":{"a":1}}`, `f{"a":1}`},
		{"name wins over function", `{"name":"g","function":"f"}`, `g{}`},
		{"null name is a name that is no string", `{"name":null,"function":"f"}`, `?`},
		{"no name", `{"arguments":{}}`, `?`},
		{"empty name", `{"name":""}`, `?`},
		{"name not a string", `{"name":5}`, `?`},
		{"parameters", `{"name":"f","parameters":{"a":1}}`, `f{"a":1}`},
		{"input", `{"name":"f","input":{"a":1}}`, `f{"a":1}`},
		{"kwargs", `{"name":"f","kwargs":{"a":1}}`, `f{"a":1}`},
		{"tool_input", `{"tool":"f","tool_input":{"a":1}}`, `f{"a":1}`},
		{"tool_args", `{"tool_name":"f","tool_args":{"a":1}}`, `f{"a":1}`},
		{"input_parameters", `{"name":"f","input_parameters":{"a":1}}`, `f{"a":1}`},
		{"first key counts, whatever its place", `{"name":"f","input":{"b":2},"arguments":{"a":1}}`, `f{"a":1}`},
		{"a null key is present", `{"name":"f","arguments":null,"input":{"b":2}}`, `f{}`},
		{"blank text", `{"name":"f","arguments":" \n"}`, `f{}`},
		{"null text", `{"name":"f","arguments":"null"}`, `f{}`},
		{"list text", `{"name":"f","arguments":"[1]"}`, `f!{}`},
		{"broken text", `{"name":"f","arguments":"{\"a\":"}`, `f!{}`},
		{"NaN is no JSON", `{"name":"f","arguments":"{\"a\":NaN}"}`, `f!{}`},
		{"trailing comma", `{"name":"f","arguments":"{\"a\":1,}"}`, `f!{}`},
		{"number", `{"name":"f","arguments":5}`, `f!{}`},
		{"list", `{"name":"f","arguments":[]}`, `f!{}`},
		{"false", `{"name":"f","arguments":false}`, `f!{}`},
		{"repeated key", `{"name":"f","arguments":"{\"a\":1,\"a\":2}"}`, `f{"a":2}`},
		{"message", `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"name":"g"}]}`, `f{} g{}`},
		{"message without calls", `{"role":"assistant","tool_calls":[]}`, ``},
		{"a message alone", `{"role":"assistant","content":"hello"}`, ``},
		{"blocks alone", `{"type":"message","role":"assistant","content":[{"type":"text"},{"type":"tool_use","name":"f","input":{}}]}`, `f{}`},

		{"a call with a role", `{"role":"assistant","name":"f","arguments":{"a":1}}`, `f{"a":1}`},
		{"a part of text alone", `{"type":"text","text":"f()"}`, `?`},
		{"a legacy call beside no calls", `[{"role":"assistant","tool_calls":[],"function_call":{"name":"f"}}]`, `f{}`},
		{"blocks that repeat the calls", `[{"role":"assistant","content":[{"type":"tool_use","name":"f"}],"tool_calls":[{"name":"f"}]}]`, `f{}`},
		{"list of forms", `[{"name":"f"},{"function":{"name":"g"}},"{\"name\":\"h\"}"]`, `f{} g{} h{}`},
		{"skipped types", `[{"type":"message"},{"type":"reasoning"},{"type":"text","text":"f()"},{"type":"thinking"},{"type":"tool_result"},{"type":"output_text"},{"type":"input_text"},{"type":"function_call_output","name":"x"},{"type":"function_call","name":"f","arguments":"{}"}]`, `f{}`},
		{"messages", `[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f"}}]},{"role":"tool","name":"f","content":"ok"}]`, `f{}`},
		{"blocks", `[{"role":"assistant","content":[{"type":"text","text":"f"},{"type":"tool_use","name":"f","input":{"a":1}},{"type":"tool_call","name":"g","args":{}}]}]`, `f{"a":1} g{}`},
		{"text parts beside calls", `[{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[{"name":"f"}]}]`, `f{}`},
		{"legacy message", `[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}]`, `f{}`},
		{"nameless block", `[{"role":"assistant","content":[{"type":"tool_use","input":{}}]}]`, `?`},
		{"bare block", `[{"type":"tool_use","name":"f","input":{}}]`, `f{}`},
		{"unreadable elements", `[5,null,[],"text",{"x":1},"[]","[{\"name\":\"a\"},{\"name\":\"b\"}]"]`, `? ? ? ? ? ? ?`},
		{"tool_calls of another kind", `[{"tool_calls":{"name":"f"}}]`, `?`},
		{"tool_calls null", `[{"name":"f","tool_calls":null}]`, `f{}`},
		{"empty", `[]`, ``},

		{"text", `"I would call f."`, `unparsed`},
		{"empty text", `""`, `unparsed`},
		{"JSON text", `"{\"name\":\"f\"}"`, `f{}`},
		{"JSON list text", `"[{\"name\":\"f\"},{\"name\":\"g\"}]"`, `f{} g{}`},
		{"JSON in JSON", `"\"{\\\"name\\\":\\\"f\\\"}\""`, `f{}`},
		{"python", `"a.f(1, b=[2, (3,)], c=None)"`, `a.f{"__positional_0":1,"b":[2,[3]],"c":null}`},
		{"python list", `"[f(x=1), g()]"`, `f{"x":1} g{}`},
		{"python in a list", `["f(x=1)","f(), g()"]`, `f{"x":1} ?`},
		{"python in JSON", `"\"f(x=1)\""`, `f{"x":1}`},
		{"broken python", `"f(x=1"`, `unparsed`},
		{"number text", `"5"`, ``},
		{"null text alone", `"null"`, ``},
		{"null alone", `null`, ``},
		{"number alone", `5`, `unparsed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, show(readCalls(parse(t, tt.in)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadOne(t *testing.T) {
	for _, tt := range []struct {
		in string
		ok bool
	}{
		{`{"name":"f"}`, true}, {`[{"name":"f"}]`, true}, {`{"role":"assistant","tool_calls":[{"name":"f"}]}`, true},
		{`{"role":"assistant","content":[{"type":"tool_use","name":"f"}]}`, true},
		{`[]`, false}, {`null`, false}, {`[{"name":"f"},{"name":"g"}]`, false}, {`{"x":1}`, false}, {`"hello"`, false},
	} {
		c := readOne(parse(t, tt.in))
		if (c.Name != "") != tt.ok || c.Malformed == tt.ok || c.Arguments.Kind() != value.Object {
			t.Errorf("%s: %+v", tt.in, c)
		}
	}
}

func TestComplete(t *testing.T) {
	for in, want := range map[string]bool{
		`[]`: true, `{"name":"f"}`: true, `{"name":"f","arguments":"{"}`: false, `[{"x":1}]`: false, `"text"`: false,
	} {
		if _, err := readReference("expected", parse(t, in)); (err == nil) != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestTrace(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"names", `["search"," Search","f()"]`, `search{}  Search{} f(){}`},
		{"open responses", `{"items":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"f"}]},{"type":"function_call","name":"f","status":"incomplete","arguments":"{}"},{"type":"web_search_call"},{"type":"function_call_output","call_id":"1"}]}`, `f{}`},
		{"messages", `{"messages":[{"role":"user","content":"g"},{"role":"assistant","tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g"}}]}]}`, `f{} g{}`},
		{"events", `{"events":[{"type":"turn_start"},{"type":"tool_call","data":{"toolName":"f","arguments":{"a":1}}},{"type":"tool_result","data":{"result":"g"}},{"type":"tool_call","data":{}}]}`, `f{"a":1} ?`},
		{"bare events", `[{"type":"turn_start"},{"type":"tool_call","data":{"toolName":"f"}}]`, `f{}`},
		{"bare items", `[{"type":"function_call","name":"f"},{"type":"function_call_output"},{"type":"message"}]`, `f{}`},
		{"one message", `{"role":"assistant","tool_calls":[{"name":"f"}]}`, `f{}`},
		{"text", `"please search"`, ``},
		{"JSON text", `"[\"f\",\"g\"]"`, `f{} g{}`},
		{"Python text", `"f(x=1)"`, `f{"x":1}`},
		{"names among items", `{"items":["f",{"type":"function_call","name":"g"}]}`, `f{} g{}`},
		{"calls of the type of an event", `[{"type":"tool_call","name":"f"},{"name":"g"}]`, `f{} g{}`},
		{"the form of an event, another type", `[{"type":"tool_done","data":{"toolName":"g"}},{"name":"f"}]`, `? f{}`},
		{"null", `null`, ``},
		{"unreadable", `[{"x":1},"f"]`, `? f{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, show(readTrace(parse(t, tt.in)), true)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"name":"f","arguments":"{\"a\":1}"}`, `[{"role":"assistant","content":[{"type":"tool_use","name":"f"}]}]`,
		`"f(a=1)"`, `{"events":[{"type":"tool_call","data":{"toolName":"f"}}]}`, `{"function":{"function":{"name":1}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := value.ParseString(s)
		if err != nil {
			v = value.OfString(s)
		}
		calls, parsed := readCalls(v)
		if !parsed && len(calls) > 0 {
			t.Fatalf("%q: calls in what did not parse", s)
		}
		for _, c := range append(append(calls, readTrace(v)...), readOne(v)) {
			if c.Arguments.Kind() != value.Object {
				t.Fatalf("%q: arguments are %v", s, c.Arguments.Kind())
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	v := parse(b, `{"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":1,\"city\":\"Berlin\"}"}}`)
	for b.Loop() {
		readCalls(v)
	}
}
