package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// callsIn writes the calls in a text in short: name(arguments), with ! if malformed.
func callsIn(text string, tools []transcript.Tool) string {
	var out []string
	for _, c := range CallsInText(text, tools) {
		mark := ""
		if c.Malformed {
			mark = "!"
		}
		out = append(out, c.Name+"("+c.Arguments.JSON()+")"+mark)
	}
	return strings.Join(out, " ")
}

func TestCallForms(t *testing.T) {
	tools := []transcript.Tool{
		{Name: "f", Parameters: mustParse(t, `{"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`)},
		{Name: "search", Parameters: mustParse(t, `{"properties":{"query":{"type":"string"}}}`)},
		{Name: "now"},
	}
	for _, tt := range []struct{ name, text, want string }{
		{"prose", "I looked (twice) at [your order](x) and <b>it</b> {works}.", ""},
		{"an action that is prose", "Action: please restart the router (now).\nAction: None", ""},
		{"an answer in the form of an action", "Action: Final Answer\nAction Input: 42", ""},
		{"an answer as an object", `{"action": "Final Answer", "action_input": "42"}`, ""},

		{"object", `{"name":"f","arguments":{"a":1}}`, `f({"a":1})`},
		{"object in two braces", `{{"name":"f","arguments":{"a":1}}}`, `f({"a":1})`},
		{"object with parameters", `x {"name": "f", "parameters": {}} y`, `f({})`},
		{"object with function", `{"function":"f","arguments":{"a":1}}`, `f({"a":1})`},
		{"object with tool", `I call {"tool": "f", "tool_input": {"a": 1}} now`, `f({"a":1})`},
		{"object with tool_name", `{"tool_name": "f", "tool_args": {"a": 1}}`, `f({"a":1})`},
		{"object with tool that is cut", `x {"tool": "f", "tool_input": {"a": `, `({})!`},
		{"object with a tool and data", `{"tool": "f", "version": 3}`, ""},
		{"objects of a list", `[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":"{\"b\": 2}"}]`, `f({"a":1}) g({"b":2})`},
		{"Python literal", `{'name': 'f', 'arguments': {'a': None}}`, `f({"a":null})`},
		{"structured chat", "Action:\n```json\n{\"action\": \"search\", \"action_input\": \"shoes\"}\n```", `search({"query":"shoes"})`},
		{"object that is cut", `{"name": "f", "arguments": {"a": `, `({})!`},
		{"object that is cut in a fence", "Sure:\n```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1", `({})!`},
		{"object that is no JSON", `{"name": "f", "arguments": {"a": }}`, `({})!`},
		{"arguments that are a list", `{"name": "f", "arguments": [1]}`, `f({})!`},

		{"tool_call", "<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>", `f({})`},
		{"two", `<tool_call>{"name":"f","arguments":{}}</tool_call><tool_call>{"name":"g","arguments":{}}`, `f({}) g({})`},
		{"tool_call that cannot be read", "<tool_call>{broken</tool_call>", `({})!`},
		{"function", `<function=f>{"a": 1}</function> and <function=g></function>`, `f({"a":1}) g({})`},
		{"function, not closed", "<function=f>{\"a\": 1}\nI wait.", `f({"a":1})`},
		{"function, cut", `<function=f>{"a": `, `f({})!`},
		{"parameters", "<tool_call>\n<function=f>\n<parameter=a>\n7\n</parameter>\n<parameter=b>\n7\n</parameter>\n<parameter=c>1</parameter>\n</function>\n</tool_call>",
			`f({"a":7,"b":"7","c":"1"})`},
		{"not a function", "the <function=\n> tag", ""},

		{"ReAct", "Thought: I look.\nAction: f\nAction Input: {\"a\": 1}", `f({"a":1})`},
		{"ReAct, numbered and bold", "**Action 1:** `f`\n**Action Input 1:** {'a': 1}", `f({"a":1})`},
		{"ReAct, a text", "Action: search\nAction Input: \"red shoes\"", `search({"query":"red shoes"})`},
		{"ReAct, a text for an unknown tool", "Action: find\nAction Input: red shoes", `find({"input":"red shoes"})`},
		{"an action with its object after a colon", "Action: f: {\"a\": 1}\n", `f({"a":1})`},
		{"ReAct, nothing", "Action: now\nAction Input:", `now({})`},
		{"ReAct, without an input", "Action: now", `now({})`},
		{"ReAct, several, results between", "Action: f\nAction Input: {\"a\":1}\nObservation: {\"name\":\"x\",\"arguments\":{}}\nThought: on\nAction: f\nAction Input: {\"a\":2}\nObservation",
			`f({"a":1}) f({"a":2})`},
		{"ReAct, the input is cut", "Action: f\nAction Input: {\"a\": ", `f({})!`},
		{"ReAct of the paper", "Thought 1: hm\nAction 1: Search[High Plains]\nAction 2: Finish[7]", `Search({"input":"High Plains"})`},
		{"Action with an object", "Thought: x\nAction:\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}", `f({"a":1})`},
		{"Action with an object that is none of a call", `Action: {"a": 1}`, `({})!`},
		{"Action with a Python call", "Action: g(1, x=2)", `g({"__positional_0":1,"x":2})`},
		{"Action with a broken Python call", "Action: g(1, x=)", `({})!`},

		{"Python list", `[f(a=1), g(b='x')]`, `f({"a":1}) g({"b":"x"})`},
		{"Python list in a fence", "```python\n[g()]\n```", `g({})`},
		{"Python list with a bare argument", `[see(1)]`, ``},
		{"Python list of a declared tool", `[search("red")]`, `search({"query":"red"})`},
		{"Python line", "I look:\nsearch(query='red')\nand now(x) too", `search({"query":"red"})`},
		{"Python call over lines", "f(\n  a=1,\n  b='(',\n)\ndone", `f({"a":1,"b":"("})`},
		{"Python line of an unknown tool", "print(1)", ``},
		{"Python line that is cut", "search(query='re", `({})!`},
		{"Python line that cannot be read", "search(query=)", `({})!`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, callsIn(tt.text, tools)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzCallsInText: no text panics, and every call is proposed and has an object as arguments
// or is malformed.
func FuzzCallsInText(f *testing.F) {
	for _, text := range []string{
		"Action: f\nAction Input: {\"a\": 1}\nObservation: 2", "**Action 1:**[f(a=1)]", "<tool_call><function=f><parameter=a>1</parameter>",
		`[f(a=1), g()]`, "f(\n1\n)", `{"name":"f","arguments":"{}"}`, `{"action":"f","action_input":7}`, "Action: f[x]", "Action: f(", "```\n[f()]",
		"<function= ><parameter=a>1</parameter>",
	} {
		f.Add(text)
	}
	tools := []transcript.Tool{{Name: "f", Parameters: mustParse(f, `{"properties":{"a":{"type":"integer"}}}`)}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, list := range [][]transcript.Tool{nil, tools} {
			for _, c := range CallsInText(text, list) {
				if !c.Proposed || !c.Malformed && (c.Name == "" || c.Arguments.Kind().String() != "object") {
					t.Errorf("%q: %+v", text, c)
				}
			}
		}
	})
}

// TestCallsInTextBounded: texts that are made to be slow are not.
func TestCallsInTextBounded(t *testing.T) {
	const n = 1 << 20
	tools := []transcript.Tool{{Name: "f"}}
	for _, part := range []string{"f(", "f(\n", "Action:", "\nAction: ", "<function=f>", "<tool_call>", "<tool_call><function=", "{\"name\":\"f\",\"arguments\":", "<", "(", "[f(", "\nf(,"} {
		if got := len(CallsInText(strings.Repeat(part, n/len(part)), tools)); got > maxTextCalls {
			t.Errorf("%q: %d calls", part, got)
		}
	}
}

func mustParse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFindList: an empty list or another value at a path does not hide a list at the next one.
func TestFindList(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1],"b":[2]}`: "a", `{"a":[],"b":[2]}`: "b", `{"a":{"x":1},"b":[2]}`: "b", `{"a":"1","b":{"x":[]},"c":{"d":[3]}}`: "c.d", `{"a":[]}`: "",
	} {
		if list, path := findList(mustParse(t, text), "a", "b", "c.d"); path != want || list.Len() > 0 != (want != "") {
			t.Errorf("%s: %q, %s", text, path, list.JSON())
		}
	}
}

// TestRolesOrNames: the words under a key are roles, some of which may be unusual; many unusual ones are names.
func TestRolesOrNames(t *testing.T) {
	for list, want := range map[string]int{
		`[{"by":"user"},{"by":"assistant"},{"by":"user"}]`: 3, `[{"by":"user"},{"by":"critic"},{"by":"planner"},{"by":"coder"},{"by":"tester"}]`: 1,
		`[{"by":"user"},{"by":"Ann"},{"by":"Bob"},{"by":"Eve"},{"by":"Dan"},{"by":"Joe"}]`: 0, `[{"by":1},{"by":null},{}]`: 0,
	} {
		c := candidate{says: map[transcript.Role]bool{}}
		if c.roles(mustParse(t, list).Slice(), "by"); c.known != want {
			t.Errorf("%s: %d roles, want %d", list, c.known, want)
		}
	}
}

// TestContains: an object has all members of another one, which has some.
func TestContains(t *testing.T) {
	for both, want := range map[[2]string]bool{
		{`{"a":1,"b":2}`, `{"a":1}`}: true, {`{"a":1}`, `{"a":1}`}: true, {`{"a":1}`, `{"a":2}`}: false, {`{"a":1}`, `{"a":1,"b":2}`}: false, {`{"a":1}`, `{}`}: false,
	} {
		if got := contains(mustParse(t, both[0]), mustParse(t, both[1])); got != want {
			t.Errorf("%s in %s: %v", both[1], both[0], got)
		}
	}
}
