package deterministic

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPresetEdges: rules of the presets that only a second call, a repeated key or another form of
// the same calls shows.
func TestPresetEdges(t *testing.T) {
	const yes, no = `{"passed":true,"score":1}`, `{"passed":false,"score":0}`
	const params = `"evaluation_params":["input_parameters"]`
	runPreset(t, "agentevals", []presetCase{
		{"strict: a call fewer in a message", `{}`, chat(`a f{}`), chat(`a f{} f{}`), no},
		{"subset: arguments that cannot be read", `{"trajectory_match_mode":"subset"}`, chat(`a f{`), chat(`a f{}`), no},
		{"superset: arguments that cannot be read", `{"trajectory_match_mode":"superset"}`, chat(`a f{`), chat(`a f{}`), no},
		{"ignored arguments that cannot be read", `{"tool_args_match_mode":"ignore"}`, chat(`a f{`), chat(`a f{}`), yes},
		{"subset: null is not absent", `{"tool_args_match_mode":"subset"}`, chat(`a f{"x":null}`), chat(`a f{}`), no},
	})
	runPreset(t, "deepeval", []presetCase{
		{"strict mode without a threshold", `{"strict_mode":true,"threshold":0}`, `[{"name":"a"}]`,
			`[{"name":"a"},{"name":"b"}]`, no},
		{"arguments that cannot be read", `{}`, `[{"name":"a","arguments":"{"}]`, `[{"name":"a"}]`, no},
		{"half of one of two parameters", `{` + params + `}`, `[{"name":"a","input_parameters":{"o":{"p":1,"q":2},"z":1}}]`,
			`[{"name":"a","input_parameters":{"o":{"p":1,"q":3},"z":2}}]`, `{"score":0.25}`},
		{"input_parameters before arguments", `{` + params + `}`,
			`[{"name":"a","arguments":{"x":1},"input_parameters":{"x":2}}]`, `[{"name":"a","input_parameters":{"x":2}}]`, yes},
		{"other names are not used up together", `{}`, `[{"name":"a"},{"name":"b"}]`, `[{"name":"a"},{"name":"b"}]`, yes},
		{"other parameters are not used up together", `{}`, `[{"name":"a","input_parameters":{"x":1}},{"name":"a","input_parameters":{"x":2}}]`,
			`[{"name":"a"},{"name":"a"}]`, yes},
		{"JSON text keeps the type", `{}`, `"[{\"name\":\"a\",\"type\":\"MCP\"}]"`, `[{"name":"a","type":"MCP"}]`, yes},
		{"one object keeps the type", `{}`, `{"name":"a","type":"MCP"}`, `[{"name":"a","type":"MCP"}]`, yes},
		{"a message with two calls", `{}`, `{"role":"assistant","tool_calls":[{"name":"a"},{"name":"b"}]}`,
			`[{"name":"a"},{"name":"b"}]`, yes},
		{"Python text without arguments", `{` + params + `}`, `"a()"`, `[{"name":"a"}]`, yes},
		{"Python text with one argument", `{` + params + `}`, `"a(x=1)"`, `[{"name":"a","input_parameters":{"x":1}}]`, yes},
	})
}

// TestCompatEdges: compat reads the first of three keys, and lists whose calls have arguments.
func TestCompatEdges(t *testing.T) {
	const acc, compat = "function_call_accuracy", `{"compat":"futureagi"}`
	checkRules(t, []rule{
		{"the first key of arguments counts", acc, compat, `{"name":"f","arguments":"{\"a\":1}","input":{"a":2}}`,
			`{"name":"f","arguments":{"a":1}}`, "", `{"score":1}`},
		{"a list with arguments", acc, compat, `[{"name":"f","arguments":{"a":1}},{"name":"g"}]`,
			`[{"name":"f","arguments":{"a":1}},{"name":"g"}]`, "", `{"score":1}`},
		{"two lists", acc, compat, `"f(a=[1, [2]])"`, `"f(a=[1, [2]])"`, "", `{"score":1}`},
		{"another element", acc, compat, `"f(a=[1, [2]])"`, `"f(a=[1, [3]])"`, "", `{"score":0.7}`},
		{"a longer list", acc, compat, `"f(a=[1, 2])"`, `"f(a=[1])"`, "", `{"score":0.7}`},
		{"a shorter list", acc, compat, `"f(a=[1])"`, `"f(a=[1, 2])"`, "", `{"score":0.7}`},
		{"two objects", acc, compat, `"f(a={'x': 1, 'y': 2})"`, `"f(a={'y': 2, 'x': 1})"`, "", `{"score":1}`},
		{"another member", acc, compat, `"f(a={'x': 1})"`, `"f(a={'x': 2})"`, "", `{"score":0.7}`},
		{"another key", acc, compat, `"f(a={'x': 1})"`, `"f(a={'y': 1})"`, "", `{"score":0.7}`},
		{"a member more", acc, compat, `"f(a={'x': 1})"`, `"f(a={'x': 1, 'y': 1})"`, "", `{"score":0.7}`},
		{"doubles inside a list", acc, compat, `"f(a=[9007199254740993])"`, `"f(a=[9007199254740992])"`, "", `{"score":1}`},
		{"a number equals no text", acc, compat, `"f(a=1)"`, `"f(a='1')"`, "", `{"score":0.7}`},
		{"a signed number made", acc, compat, `"f(a=-1)"`, `{"name":"f","arguments":{"a":-1}}`, "", `{"score":0.7}`},
		{"a signed number expected", acc, compat, `{"name":"f","arguments":{"a":-1}}`, `"f(a=-1)"`, "", `{"score":0.7}`},
		{"a list in an exact match, one argument more", "function_call_exact_match", "", `"[f(a=1, b=2), g()]"`,
			`"[f(a=1), g()]"`, "", `{"score":0}`},
		{"undeclared arguments fail, also of an open schema", "parameter_validation", compat,
			`{"name":"f","arguments":{"a":1,"z":2}}`, "", `[{"name":"f","parameters":{"properties":{"a":{}}}}]`, `{"score":0.5}`},
	})
	l, err := ForLog([]Config{{Type: acc, Config: mustParse(t, compat)}})
	if err != nil {
		t.Fatal(err)
	}
	got := lines(l.Score(conversation(t, "f(a=1), g()", "f(a=1), g()")))
	if diff := cmp.Diff([]string{acc + " - 1 pass"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLogPairings: scorers with other settings pair the calls of a conversation in their own way.
func TestLogPairings(t *testing.T) {
	free := mustParse(t, `{"ignore_extra_params":true}`)
	l, err := ForLog([]Config{
		{Type: "function_call_accuracy"}, {Type: "function_call_accuracy", Key: "free", Config: free},
		{Type: "function_call_exact_match"}, {Type: "function_call_exact_match", Key: "free exact", Config: free},
		{Type: "function_name_match"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"function_call_accuracy - 0.7 fail", "free - 1 pass",
		"function_call_exact_match - 0 fail", "free exact - 1 pass", "function_name_match - 1 pass"}
	if diff := cmp.Diff(want, lines(l.Score(conversation(t, "f(a=1)", "f()")))); diff != "" {
		t.Error(diff)
	}
	names := l.Score(conversation(t, "f(), g()", "f(), g()"))[4]
	if names.Explanation != "it compares one call with one, and 2 are expected" || names.Value != nil {
		t.Errorf("%+v", names)
	}
}

// TestValidationEdges: rules of JSON Schema that parameter_validation follows.
func TestValidationEdges(t *testing.T) {
	const name, strict, open = "parameter_validation", `{"strict":true}`, `{"properties":{"a":{}}}`
	tool := func(s string) string { return `[{"name":"f","parameters":` + s + `}]` }
	arg := func(v string) string { return `{"name":"f","arguments":` + v + `}` }
	checkRules(t, []rule{
		{"false allows nothing", name, "", arg(`{"a":1}`), "", tool(`{"allOf":[false]}`),
			`{"score":0,"reason_contains":["unexpected parameter 'a'"]}`},
		{"true allows everything", name, "", arg(`{"a":1}`), "", tool(`{"allOf":[true]}`), `{"score":1,"checks":0}`},
		{"a parameter that is false", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":false}}`),
			`{"score":0,"reason_contains":["parameter 'a' may not be there"]}`},
		{"a parameter that is false and absent", name, "", arg(`{}`), "", tool(`{"properties":{"a":false}}`), `{"score":1}`},
		{"a parameter that is true", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":true}}`), `{"score":1}`},
		{"a required number", name, "", arg(`{}`), "", tool(`{"required":[1]}`), `{"score":1,"checks":0}`},
		{"open by unevaluatedProperties", name, "", arg(`{"a":1,"z":2}`), "",
			tool(`{"properties":{"a":{}},"unevaluatedProperties":true}`), `{"score":1,"checks":1}`},
		{"open by additionalProperties", name, "", arg(`{"a":1,"z":2}`), "",
			tool(`{"properties":{"a":{}},"additionalProperties":true}`), `{"score":1,"checks":1}`},
		{"patterns alone leave others open", name, "", arg(`{"x-1":2,"y":1}`), "",
			tool(`{"patternProperties":{"^x-":{}}}`), `{"score":1,"checks":1}`},
		{"what a fitting alternative declares is known", name, strict, arg(`{"a":"x"}`), "",
			tool(`{"anyOf":[{"properties":{"a":{"type":"string"}}}]}`), `{"score":1,"checks":1}`},
		{"the nearest alternative is the second", name, "", arg(`{}`), "",
			tool(`{"anyOf":[{"required":["a","b"]},{"required":["c"]}]}`),
			`{"score":0,"checks":1,"reason_contains":["missing required parameter 'c'"]}`},
		{"the nearest alternative is the first", name, "", arg(`{}`), "",
			tool(`{"anyOf":[{"required":["c"]},{"required":["a","b"]}]}`),
			`{"score":0,"checks":1,"reason_contains":["missing required parameter 'c'"]}`},
		{"a tuple is an array", name, "", `"f(a=(1, 2))"`, "", tool(`{"properties":{"a":{"type":"array"}}}`), `{"score":1}`},
		{"a tuple is no array, strictly", name, `{"strict_type_check":true}`, `"f(a=(1, 2))"`, "",
			tool(`{"properties":{"a":{"type":"array"}}}`), `{"score":0}`},
		{"a type that is no name", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"type":[5]}}}`), `{"score":1}`},
		{"one type of two", name, "", arg(`{"a":true}`), "", tool(`{"properties":{"a":{"type":["string","integer"]}}}`),
			`{"score":0,"checks":1,"checks_passed":0}`},
		{"two calls, one that cannot be read", name, "", `[{"x":1},{"name":"f","arguments":{"a":1}}]`, "",
			tool(`{"properties":{"a":{"type":"integer"}}}`), `{"score":0.5,"checks":1,"checks_passed":1,"reason":"a call cannot be read"}`},
		{"a list that cannot be read", name, "", `[{"x":1}]`, "", tool(open), `{"score":0,"reason":"no call that can be read"}`},
		{"malformed", name, "", arg(`"{"`), "", tool(open), `{"score":0,"reason":"the arguments of 'f' cannot be read as an object"}`},
		{"no alternative", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"anyOf":[]}}}`), `{"score":1}`},
		{"one alternative", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"oneOf":[{"type":"string"}]}}}`),
			`{"score":0,"reason_contains":["fits none of the 1 alternatives"]}`},
	})
}

// TestScoreCasesLineNumbers: an error names the line of the file, also far behind its beginning.
func TestScoreCasesLineNumbers(t *testing.T) {
	in := strings.Repeat(strings.Repeat(" ", 99)+"\n", 6000) + "nope\n"
	var out bytes.Buffer
	bad, err := ScoreCases(strings.NewReader(in), &out, 2)
	if err != nil || bad != 1 || !strings.HasPrefix(out.String(), `{"id":null,"error":{"kind":"line","message":"line 6001: `) {
		t.Errorf("%d %v %s", bad, err, out.String())
	}
}
