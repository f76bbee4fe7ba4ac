package deterministic

import (
	"errors"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

func TestEquivalence(t *testing.T) {
	for _, tc := range []struct {
		name, config, actual, expected string
		want                           bool
	}{
		{"key order never counts", `{}`, `{"name":"f","arguments":{"a":1,"b":{"c":1,"d":2}}}`, `{"name":"f","arguments":{"b":{"d":2,"c":1},"a":1}}`, true},
		{"list order always does", `{}`, `"f(a=[1,2])"`, `"f(a=[2,1])"`, false},
		{"name", `{}`, `"f()"`, `"g()"`, false},
		{"name, case", `{}`, `"f()"`, `"F()"`, false},
		{"numbers by value", `{}`, `"f(a=1, b=1e2)"`, `"f(a=1.0, b=100)"`, true},
		{"big integers", `{}`, `"f(a=9007199254740993)"`, `"f(a=9007199254740992.0)"`, false},
		{"negative zero", `{}`, `"f(a=-0.0)"`, `"f(a=0)"`, true},
		{"a bool is no number", `{}`, `"f(a=True)"`, `"f(a=1)"`, false},
		{"a string is no number", `{}`, `"f(a='1')"`, `"f(a=1)"`, false},
		{"null is not absent", `{}`, `"f(a=None)"`, `"f()"`, false},
		{"absent is not null", `{}`, `"f()"`, `"f(a=None)"`, false},
		{"a tuple is a list", `{}`, `"f(a=(1, 2))"`, `{"name":"f","arguments":{"a":[1,2]}}`, true},
		{"blanks count", `{}`, `"f(a=' x')"`, `"f(a='x')"`, false},
		{"blanks stripped", `{"strip_whitespace":true}`, `"f(a=' x\\n', b=[['\\u00a0y']], c={'k': 'z '})"`, `"f(a='x', b=[['y']], c={'k': ' z'})"`, true},
		{"inner blanks stay", `{"strip_whitespace":true}`, `"f(a='x  y')"`, `"f(a='x y')"`, false},
		{"keys stay", `{"strip_whitespace":true}`, `"f(a={'k ': 1})"`, `"f(a={'k': 1})"`, false},
		{"json: equal", `{"mode":"json"}`, `{"name":"f","arguments":{"b":1.50,"a":"x"}}`, `{"name":"f","arguments":{"a":"x","b":1.5}}`, true},
		{"json: 1 and 1.0", `{"mode":"json"}`, `"f(a=1)"`, `"f(a=1.0)"`, false},
		{"json: 0 and -0.0", `{"mode":"json"}`, `"f(a=0)"`, `"f(a=-0.0)"`, false},
		{"json: 0.0 and -0.0", `{"mode":"json"}`, `"f(a=0.0)"`, `"f(a=-0.0)"`, false},
		{"json: 100 and 1e2", `{"mode":"json"}`, `"f(a=100)"`, `"f(a=1e2)"`, false},
		{"json: 100.0 and 1e2", `{"mode":"json"}`, `"f(a=100.0)"`, `"f(a=1e2)"`, true},
		{"json: true and 1", `{"mode":"json"}`, `"f(a=True)"`, `"f(a=1)"`, false},
		{"json: nested lists", `{"mode":"json"}`, `"f(a=[(1, 2)])"`, `"f(a=[[1, 2]])"`, true},
		{"json: list length", `{"mode":"json"}`, `"f(a=[1])"`, `"f(a=[1, 1])"`, false},
		{"json: keys", `{"mode":"json"}`, `"f(a={'k': 1})"`, `"f(a={'j': 1})"`, false},
		{"json: more keys", `{"mode":"json"}`, `"f(a=1, b=2)"`, `"f(a=1)"`, false},
		{"json: null", `{"mode":"json"}`, `"f(a=None)"`, `"f(a=None)"`, true},
		{"no call made", `{}`, `"I am sorry."`, `"f()"`, false},
		{"malformed arguments", `{}`, `{"name":"f","arguments":"{a"}`, `{"name":"f"}`, false},
		{"unreadable call", `{}`, `[{"x":1}]`, `{"name":"f"}`, false},
		{"several by position", `{}`, `"[f(a=1), g()]"`, `"[f(a=1), g()]"`, true},
		{"several in another order", `{}`, `"[g(), f(a=1)]"`, `"[f(a=1), g()]"`, false},
		{"no call expected, none made", `{}`, `[]`, `[]`, true},
	} {
		s, err := newAST(parse(t, tc.config))
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Score(Input{Actual: parse(t, tc.actual), Expected: parse(t, tc.expected)})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		got, _ := res.object().Field("equivalent").BoolVal()
		if got != tc.want || *res.Passed != tc.want || (*res.Score == 1) != tc.want {
			t.Errorf("%s: %s, want %v", tc.name, res.object().JSON(), tc.want)
		}
	}
}

// tools of the tests below: one parameter x of the given type, not required.
func oneTool(typeName string) string {
	return `[{"name":"f","parameters":{"properties":{"x":` + typeName + `},"required":[]}}]`
}

const (
	str      = `{"type":"string"}`
	ints     = `{"type":"array","items":{"type":"integer"}}`
	strs     = `{"type":"array","items":{"type":"string"}}`
	dicts    = `{"type":"array","items":{"type":"dict"}}`
	dict     = `{"type":"dict"}`
	tuple    = `{"type":"tuple","items":{"type":"integer"}}`
	okResult = ""
)

// TestChecker has a line for every rule about one parameter; actual is the text of
// the argument, allowed the list of allowed values.
func TestChecker(t *testing.T) {
	for _, tc := range []struct{ name, typeName, argument, allowed, want string }{
		{"integer", `{"type":"integer"}`, `5`, `[5]`, okResult},
		{"integer: another", `{"type":"integer"}`, `5`, `[6, 7]`, "value_error:others"},
		{"integer: a float is none", `{"type":"integer"}`, `5.0`, `[5]`, "type_error:simple"},
		{"integer: a bool is none", `{"type":"integer"}`, `True`, `[1]`, "type_error:simple"},
		{"integer: a string is none", `{"type":"integer"}`, `'5'`, `[5]`, "type_error:simple"},
		{"float: an int becomes one", `{"type":"float"}`, `5`, `[5.0]`, okResult},
		{"float: allowed as an int is a variable", `{"type":"float"}`, `5`, `[5]`, okResult},
		{"float: big", `{"type":"float"}`, `9007199254740993`, `[9007199254740992.0]`, okResult},
		{"boolean", `{"type":"boolean"}`, `True`, `[true]`, okResult},
		{"boolean: 1 is an int", `{"type":"boolean"}`, `1`, `[true]`, "type_error:simple"},
		{"boolean: equal to 1", `{"type":"boolean"}`, `True`, `["", 1]`, okResult},
		{"string", str, `'Paris'`, `["paris"]`, okResult},
		{"string: normalised", str, `'New-York, N.Y./a_b*c^d'`, `["newyorknyabcd"]`, okResult},
		{"string: quotes", str, `"it's"`, `["IT\"S"]`, okResult},
		{"string: a tab stays", str, `'a\tb'`, `["ab"]`, "value_error:string"},
		{"string: other", str, `'Rome'`, `["Paris", "London"]`, "value_error:string"},
		{"string: sigma", str, `'ΟΔΟΣ'`, `["οδος"]`, okResult},
		{"string: optional only", str, `''`, `[""]`, okResult},
		{"string: a dash normalises to nothing", str, `'-'`, `[""]`, okResult},
		{"any is string", `{"type":"any"}`, `'x'`, `["X"]`, okResult},
		{"any: a number is a variable", `{"type":"any"}`, `5`, `[5]`, okResult},
		{"variable: not normalised", `{"type":"integer"}`, `'X'`, `["x"]`, "value_error:others"},
		{"variable: a string of the wanted kind is not normalised", str, `'a'`, `[5, "A"]`, "value_error:others"},
		{"variable: equal", `{"type":"integer"}`, `'x'`, `["x"]`, okResult},
		{"variable: a value of the wanted kind among variables", `{"type":"integer"}`, `5`, `["n", 5]`, okResult},
		{"variable: bare name", `{"type":"integer"}`, `count`, `["count"]`, okResult},
		{"list", ints, `[1, 2]`, `[[1, 2]]`, okResult},
		{"list: order", ints, `[2, 1]`, `[[1, 2]]`, "value_error:list/tuple"},
		{"list: inner kind", ints, `[1, 'x']`, `[[1, 2]]`, "type_error:nested"},
		{"list: inner float is no int", ints, `[1.0]`, `[[1]]`, "type_error:nested"},
		{"list: inner kind by the allowed list", ints, `['a']`, `[["a"]]`, okResult},
		{"list: inner kind by one and the same allowed list", ints, `['a', 1.5]`, `[["a"], [1.5]]`, "type_error:nested"},
		{"list: a non-list allowed passes the type", ints, `['z']`, `["", [1]]`, "value_error:list/tuple"},
		{"list: empty string is the empty list", ints, `[]`, `["", [1]]`, okResult},
		{"list: strings normalised", strs, `['A b', "c'd"]`, `[["ab", "C\"D"]]`, okResult},
		{"list: deeper strings are not", `{"type":"array","items":{"type":"array"}}`, `[['A']]`, `[[["a"]]]`, "value_error:list/tuple"},
		{"list: a tuple is a wrong type", ints, `(1, 2)`, `[[1, 2]]`, "type_error:simple"},
		{"list: nothing allowed", ints, `[1]`, `[]`, "type_error:simple"},
		{"list: as a variable", ints, `xs`, `["xs"]`, okResult},
		{"list: nested failure where variables are allowed", ints, `[1]`, `[[[1]]]`, "value_error:list/tuple"},
		{"list: True equals 1", ints, `[True]`, `[[true]]`, okResult},
		{"tuple", tuple, `(1, 2)`, `[[1, 2]]`, okResult},
		{"tuple: a list passes as well", tuple, `[1, 2]`, `[[1, 2]]`, okResult},
		{"tuple: inner kind", tuple, `(1, 'x')`, `[[1, 2]]`, "type_error:nested"},
		{"dict", dict, `{'a': 1, 'b': 'X y'}`, `[{"a":[1],"b":["xy"]}]`, okResult},
		{"dict: unexpected key", dict, `{'a': 1, 'z': 1}`, `[{"a":[1]}]`, "value_error:dict_key"},
		{"dict: value", dict, `{'a': 2}`, `[{"a":[1]}]`, "value_error:dict_value"},
		{"dict: missing key", dict, `{}`, `[{"a":[1]}]`, "value_error:dict_key"},
		{"dict: optional key", dict, `{}`, `[{"a":[1,""]}]`, okResult},
		{"dict: a missing key wins over a wrong value", dict, `{'a': 2}`, `[{"a":[1],"b":[1]}]`, "value_error:dict_key"},
		{"dict: the second allowed object", dict, `{'a': 2}`, `[{"a":[1]},{"a":[2]}]`, okResult},
		{"dict: the first allowed object", dict, `{'a': 1}`, `[{"a":[1]},{"a":[2]}]`, okResult},
		{"dict: the error of the last", dict, `{'a': 2}`, `[{"a":[1]},{"b":[2]}]`, "value_error:dict_key"},
		{"dict: only optional", dict, `{'a': 2}`, `[""]`, "dict_checker:unclear"},
		{"dict: as a variable", dict, `d`, `["d"]`, okResult},
		{"dict: from a nested call", dict, `g(a=1)`, `[{"g":[{"a":1}]}]`, okResult},
		{"dicts", dicts, `[{'a': 1}, {'b': 'X'}]`, `[[{"a":[1]},{"b":["x"]}]]`, okResult},
		{"dicts: count", dicts, `[{'a': 1}]`, `[[{"a":[1]},{"b":["x"]}]]`, "value_error:list_dict_count"},
		{"dicts: order", dicts, `[{'b': 'X'}, {'a': 1}]`, `[[{"a":[1]},{"b":["x"]}]]`, "value_error:dict_key"},
		{"dicts: value", dicts, `[{'a': 2}]`, `[[{"a":[1]}]]`, "value_error:dict_value"},
		{"dicts: the first value", dicts, `[{'a': 2}, {'a': 1}]`, `[[{"a":[1]},{"a":[1]}]]`, "value_error:dict_value"},
		{"dicts: the last value", dicts, `[{'a': 1}, {'a': 2}]`, `[[{"a":[1]},{"a":[1]}]]`, "value_error:dict_value"},
		{"dicts: no object", dicts, `[1]`, `["",[{"a":[2,""]}]]`, "value_error:dict_key"},
		{"dicts: second allowed list", dicts, `[{'a': 2}]`, `[[],[{"a":[2]}]]`, okResult},
		{"dicts: empty and optional", dicts, `[]`, `["",[{"a":[2]}]]`, okResult},
		{"dicts: a list of none", dicts, `[1]`, `[[{"a":[2]}]]`, "type_error:nested"},
		{"null", str, `None`, `["x"]`, "type_error:simple"},
		{"null allowed", str, `None`, `[null]`, okResult},
	} {
		checkBFCL(t, tc.name, `{"mode":"bfcl"}`, value.OfString("f(x="+tc.argument+")").JSON(), `[{"f":{"x":`+tc.allowed+`}}]`, oneTool(tc.typeName), tc.want)
	}
}

// checkBFCL wants the given error type, or the whole reason after it; "" for a valid call. An error
// of the configuration is "config", or "config: " and its text.
func checkBFCL(t *testing.T, name, config, actual, expected, tools, want string) {
	t.Helper()
	s, err := newAST(parse(t, config))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	res, err := s.Score(Input{Actual: parse(t, actual), Expected: parse(t, expected), Tools: parse(t, tools)})
	kind, text, whole := strings.Cut(want, ": ")
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Kind != kind || whole && e.Error() != text {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		return
	}
	o := res.object()
	valid, _ := o.Field("valid").BoolVal()
	if o.Field("error_type").Text() != kind || valid != (want == "") || *res.Score == 1 != valid ||
		whole && res.Reason != want {
		t.Errorf("%s: %s, want %q", name, o.JSON(), want)
	}
}

func TestLeaderboard(t *testing.T) {
	const tools = `[{"name":"m.f","parameters":{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}},{"name":"g","parameters":{"properties":{"c":{"type":"boolean"}},"required":[]}}]`
	const wantF, wantG = `{"m.f":{"a":[1],"b":["x",""]}}`, `{"g":{"c":[true]}}`
	config := func(category, more string) string {
		return `{"mode":"bfcl","category":"` + category + `"` + more + `}`
	}
	for _, tc := range []struct{ name, config, actual, expected, want string }{
		{"simple", config("simple", ""), `"m.f(a=1)"`, `[` + wantF + `]`, ""},
		{"simple is the default", `{"mode":"bfcl"}`, `"[m.f(a=1, b='X')]"`, `[` + wantF + `]`, ""},
		{"decoded list", config("simple", ""), `[{"m.f":{"a":1}}]`, `[` + wantF + `]`, ""},
		{"no decode", config("simple", ""), `"I cannot."`, `[` + wantF + `]`, "ast_decoder:decoder_failed"},
		{"nothing", config("simple", ""), `null`, `[` + wantF + `]`, "ast_decoder:decoder_failed"},
		{"wrong format", config("simple", ""), `["m.f(a=1)"]`, `[` + wantF + `]`, "ast_decoder:decoder_wrong_output_format"},
		{"two keys", config("simple", ""), `[{"m.f":{},"g":{}}]`, `[` + wantF + `]`, "ast_decoder:decoder_wrong_output_format"},
		{"no key", config("simple", ""), `[{}]`, `[` + wantF + `]`, "ast_decoder:decoder_wrong_output_format"},
		{"arguments no object", config("simple", ""), `[{"m.f":"x"}]`, `[` + wantF + `]`, "ast_decoder:decoder_wrong_output_format"},
		{"object", config("simple", ""), `{"m.f":{"a":1}}`, `[` + wantF + `]`, "ast_decoder:decoder_wrong_output_format"},
		{"empty list is well formed", config("simple", ""), `[]`, `[` + wantF + `]`, "simple_function_checker:wrong_count"},
		{"two calls", config("simple", ""), `"m.f(a=1), m.f(a=1)"`, `[` + wantF + `]`, "simple_function_checker:wrong_count"},
		{"wrong name", config("simple", ""), `"f(a=1)"`, `[` + wantF + `]`, "simple_function_checker:wrong_func_name"},
		{"underscore for dot", config("simple", ""), `"m_f(a=1)"`, `[` + wantF + `]`, "simple_function_checker:wrong_func_name"},
		{"underscore for dot allowed", config("simple", `,"dot_to_underscore":true`), `"m_f(a=1)"`, `[` + wantF + `]`, ""},
		{"dot where underscore was offered", config("simple", `,"dot_to_underscore":true`), `"m.f(a=1)"`, `[` + wantF + `]`, "simple_function_checker:wrong_func_name"},
		{"missing required", config("simple", ""), `"m.f(b='x')"`, `[` + wantF + `]`, "simple_function_checker:missing_required"},
		{"positional is dropped", config("simple", ""), `"m.f(1)"`, `[` + wantF + `]`, "simple_function_checker:missing_required"},
		{"required comes before unexpected", config("simple", ""), `"m.f(z=1)"`, `[` + wantF + `]`, "simple_function_checker:missing_required"},
		{"unexpected", config("simple", ""), `"m.f(a=1, z=1)"`, `[` + wantF + `]`, "simple_function_checker:unexpected_param"},
		{"a property that is not expected", config("simple", ""), `"m.f(a=1, b='x')"`, `[{"m.f":{"a":[1]}}]`, "simple_function_checker:unexpected_param"},
		{"expected, but no property", config("simple", ""), `"m.f(a=1, z=1)"`, `[{"m.f":{"a":[1],"z":[1]}}]`, "simple_function_checker:unexpected_param"},
		{"in the order given", config("simple", ""), `"m.f(a=2, z=1)"`, `[` + wantF + `]`, "value_error:others"},
		{"missing optional", config("simple", ""), `"m.f(a=1)"`, `[{"m.f":{"a":[1],"b":["x"]}}]`, "simple_function_checker:missing_optional"},
		{"simple uses tool 0", config("simple", ""), `"g(c=True)"`, `[` + wantG + `]`, "simple_function_checker:wrong_func_name"},
		{"multiple uses the tool that is named", config("multiple", ""), `"g(c=True)"`, `[` + wantG + `]`, ""},
		{"multiple: count", config("multiple", ""), `"g(c=True), g(c=True)"`, `[` + wantG + `]`, "multiple_function_checker:wrong_count"},
		{"multiple: the wrong tool", config("multiple", ""), `"m.f(a=1)"`, `[` + wantG + `]`, "simple_function_checker:wrong_func_name"},
		{"multiple: unknown tool", config("multiple", ""), `"h()"`, `[{"h":{}}]`, "config"},
		{"parallel", config("parallel", ""), `"g(c=True), m.f(a=1)"`, `[` + wantF + `,` + wantG + `]`, ""},
		{"parallel_multiple is parallel", config("parallel_multiple", ""), `"m.f(a=1)"`, `[` + wantF + `,` + wantG + `]`, "parallel_function_checker_no_order:wrong_count"},
		{"a longer name", config("live_parallel_x", ""), `"[]"`, `[` + wantF + `]`, "parallel_function_checker_no_order:wrong_count"},
		{"parallel: a malformed reference, count first", config("parallel", ""), `"g(c=True)"`, `[` + wantG + `,{"x":[[],""]}]`, "parallel_function_checker_no_order:wrong_count"},
		{"parallel: a malformed reference, decoding first", config("parallel", ""), `"g(c="`, `[{"x":[[],""]}]`, "ast_decoder:decoder_failed"},
		{"parallel: a malformed reference, no tool has its name", config("parallel", ""), `"g(c=True), g(c=True)"`, `[` + wantG + `,{"x":[[],""]}]`, "parallel_function_checker_no_order:cannot_find_description"},
		{"parallel: what comes before is judged", config("parallel", ""), `"g(c=False), g(c=True)"`, `[{"g":{"c":[1]}},{"x":[[],""]}]`, "parallel_function_checker_no_order:cannot_find_description"},
		{"parallel: a malformed reference of a tool", config("parallel", ""), `"g(c=True)"`, `[{"g":[[],""]}]`, "config"},
		{"parallel: numbered names in one object", config("parallel", ""), `"g(c=True), g(c=False)"`, `{"g_1":{"c":[true]},"g_2":{"c":[false]}}`, ""},
		{"parallel: both empty", config("parallel", ""), `"[]"`, `[]`, ""},
		{"parallel: no match", config("parallel", ""), `"g(c=True), m.f(a=2)"`, `[` + wantF + `,` + wantG + `]`, "parallel_function_checker_no_order:cannot_find_match"},
		{"parallel: one call twice", config("parallel", ""), `"g(c=True), m.f(a=1)"`, `[` + wantG + `,` + wantG + `]`, "parallel_function_checker_no_order:cannot_find_match"},
		{"greedy fails where a matching exists", config("parallel", ""), `"m.f(a=1, b='x'), m.f(a=1)"`, `[{"m.f":{"a":[1],"b":["x",""]}},{"m.f":{"a":[1],"b":["x"]}}]`, "parallel_function_checker_no_order:cannot_find_match"},
		{"assignment finds it", config("parallel", `,"matching":"assignment"`), `"m.f(a=1, b='x'), m.f(a=1)"`, `[{"m.f":{"a":[1],"b":["x",""]}},{"m.f":{"a":[1],"b":["x"]}}]`, ""},
		{"assignment does not invent one", config("parallel", `,"matching":"assignment"`), `"m.f(a=1), m.f(a=1)"`, `[{"m.f":{"a":[1],"b":["x",""]}},{"m.f":{"a":[1],"b":["x"]}}]`, "parallel_function_checker_no_order:cannot_find_match"},
		{"irrelevance: text", config("irrelevance", ""), `"I cannot help."`, `null`, ""},
		{"irrelevance: empty", config("irrelevance", ""), `[]`, `null`, ""},
		{"irrelevance: wrong format", config("irrelevance", ""), `["x"]`, `null`, ""},
		{"irrelevance: a call", config("live_irrelevance", ""), `"f()"`, `null`, "irrelevance_error:decoder_success"},
		{"relevance: a call", config("relevance", ""), `"f()"`, `null`, ""},
		{"relevance: text", config("relevance", ""), `"no"`, `null`, "relevance_error:decoder_failed"},
		{"relevance: empty", config("relevance", ""), `"[]"`, `null`, "relevance_error:decoder_failed"},
		{"expected missing", config("simple", ""), `"f()"`, `null`, "config"},
		{"expected empty", config("simple", ""), `"f()"`, `[]`, "config"},
		{"expected two keys", config("simple", ""), `"f()"`, `[{"f":{},"g":{}}]`, "config"},
		{"allowed no list", config("simple", ""), `"f()"`, `[{"f":{"a":1}}]`, "config"},
	} {
		checkBFCL(t, tc.name, tc.config, tc.actual, tc.expected, tools, tc.want)
	}
	for _, tc := range []struct{ name, tools, want string }{
		{"tools missing", `null`, "config"},
		{"tools empty", `[]`, "config"},
		{"tool without a name", `[{"parameters":{}}]`, "config"},
		{"required no names", `[{"name":"f","parameters":{"required":[1]}}]`, "config"},
		{"unknown type", oneTool(`{"type":"number"}`), "config"},
		{"no type", oneTool(`{}`), "config"},
		{"array without items", oneTool(`{"type":"array"}`), "config"},
		{"array of an unknown type", oneTool(`{"type":"array","items":{"type":"object"}}`), "config"},
		{"tuple without items", oneTool(`{"type":"tuple"}`), "config"},
		{"one tool as an object", `{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}`, ""},
	} {
		checkBFCL(t, tc.name, `{"mode":"bfcl"}`, `"f(x=1)"`, `[{"f":{"x":[1]}}]`, tc.tools, tc.want)
	}
	// The type of a parameter that is not given is never looked at.
	checkBFCL(t, "unknown type not given", `{"mode":"bfcl"}`, `"f()"`, `[{"f":{"x":[""]}}]`, oneTool(`{"type":"number"}`), "")
}

// TestLeaderboardReasons: why a call is not valid, or a case not usable, in words.
func TestLeaderboardReasons(t *testing.T) {
	const tools = `[{"name":"f","parameters":{"properties":{"x":{"type":"integer"},"y":{"type":"number"}}}},` +
		`{"name":"fg","parameters":{"properties":{"x":{"type":"integer"}},"required":["x"]}}]`
	const fx, gx = `{"f":{"x":[1]}}`, `{"fg":{"x":[1]}}`
	for _, tc := range []struct{ name, category, actual, expected, tools, want string }{
		{"no output", "simple", `null`, `[` + fx + `]`, tools, "ast_decoder:decoder_failed: there is no output"},
		{"a list of lists", "simple", `[[{"x":1}]]`, `[` + fx + `]`, tools,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"an object", "parallel", `{}`, `[]`, tools,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"irrelevance", "irrelevance", `"f(x=1)"`, `null`, tools,
			"irrelevance_error:decoder_success: a call was made where none is right"},
		{"relevance", "relevance", `"[]"`, `null`, tools,
			"relevance_error:decoder_failed: no call was made although one is right"},
		{"simple: count", "simple", `"f(x=1), f(x=1)"`, `[` + fx + `]`, tools,
			"simple_function_checker:wrong_count: 2 calls, expected 1"},
		{"multiple: count", "multiple", `"f(x=1), f(x=1)"`, `[` + fx + `]`, tools,
			"multiple_function_checker:wrong_count: 2 calls, expected 1"},
		{"parallel: count", "parallel", `"[]"`, `[` + fx + `,` + gx + `]`, tools,
			"parallel_function_checker_no_order:wrong_count: 0 calls, expected 2"},
		{"parallel: no tool", "parallel", `"f(x=1)"`, `[{"z":{}}]`, tools,
			`parallel_function_checker_no_order:cannot_find_description: no tool has the expected name "z"`},
		{"parallel: a reference without a name", "parallel", `"f(x=1)"`, `[{}]`, tools,
			`parallel_function_checker_no_order:cannot_find_description: no tool has the expected name ""`},
		{"parallel: no match", "parallel", `"f(x=1), fg(x=2)"`, `[` + fx + `,` + gx + `]`, tools,
			"parallel_function_checker_no_order:cannot_find_match: no call matches expected call 1: " +
				`parameter "x" is 2, expected one of [1]`},
		{"parallel: a name that begins with another", "parallel", `"fg(x=1)"`, `[` + gx + `]`, tools, ""},
		{"name", "simple", `"g(x=1)"`, `[` + fx + `]`, tools,
			`simple_function_checker:wrong_func_name: function "g", expected "f"`},
		{"required", "multiple", `"fg()"`, `[` + gx + `]`, tools,
			`simple_function_checker:missing_required: required parameter "x" is missing`},
		{"unexpected", "simple", `"f(x=1, z=1)"`, `[` + fx + `]`, tools,
			`simple_function_checker:unexpected_param: parameter "z" is not expected`},
		{"optional", "simple", `"f()"`, `[` + fx + `]`, tools,
			`simple_function_checker:missing_optional: parameter "x" is missing and may not be`},
		{"type", "simple", `"f(x='a')"`, `[` + fx + `]`, tools, `type_error:simple: parameter "x" is 'a', must be integer`},
		{"value", "simple", `"f(x=2)"`, `[` + fx + `]`, tools,
			`value_error:others: parameter "x" is 2, expected one of [1]`},
		{"no reference", "simple", `"f(x=1)"`, `[]`, tools,
			"config: expected: holds no call; use category irrelevance where no call is right"},
		{"multiple: no reference, no call", "multiple", `"[]"`, `[]`, tools,
			"config: expected: holds no call; use category irrelevance where no call is right"},
		{"a reference that is text", "simple", `"f(x=1)"`, `"f"`, tools,
			"config: expected: must be a list of {name: {parameter: [allowed values]}}"},
		{"a reference in two lists", "simple", `"f(x=1)"`, `[[{"x":[1]}]]`, tools,
			`config: expected: must hold {name: {parameter: [allowed values]}}, and "" does not`},
		{"a value that is in no list", "simple", `"f(x=1)"`, `[{"f":{"y":1,"x":[1]}}]`, tools,
			`config: expected: must hold {name: {parameter: [allowed values]}}, and "f" does not`},
		{"multiple: a reference without values", "multiple", `"f(x=1)"`, `[{"z":[]}]`, tools,
			`config: expected: must hold {name: {parameter: [allowed values]}}, and "z" does not`},
		{"multiple: no tool", "multiple", `"f(x=1)"`, `[{"z":{}}]`, tools,
			`config: tools: have no definition of "z", which is expected`},
		{"the only tool has any name", "multiple", `"f(x=1)"`, `[{"z":{"x":[1]}}]`,
			`{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}`, ""},
		{"required is no list of names", "simple", `"f(x=1)"`, `[` + fx + `]`,
			`[{"name":"f","parameters":{"required":[1]}}]`, "config: tools: f: required must be a list of names"},
		{"unknown type", "simple", `"f(y=1)"`, `[{"f":{"y":[1]}}]`, tools,
			`config: tools: f: parameter "y" has the type "number", which the leaderboard does not know for python`},
		{"unknown items", "simple", `"f(x=[1])"`, `[{"f":{"x":[[1]]}}]`,
			oneTool(`{"type":"tuple","items":{"type":"number"}}`),
			`config: tools: f: parameter "x" of type tuple needs items with a known type, has "number"`},
	} {
		checkBFCL(t, tc.name, `{"mode":"bfcl","category":"`+tc.category+`"}`, tc.actual, tc.expected, tc.tools, tc.want)
	}
	const assignment = `{"mode":"bfcl","category":"parallel","matching":"assignment"}`
	checkBFCL(t, "assignment: one call for two", assignment, `"f(x=1), fg(x=1)"`, `[`+fx+`,`+fx+`]`, tools,
		"parallel_function_checker_no_order:cannot_find_match: no call matches expected call 1: "+
			`function "fg", expected "f"`)
	checkBFCL(t, "assignment: an unknown type behind the first choice", assignment, `"f(x=1), f(y=2)"`,
		`[{"f":{"x":[1,""],"y":[2,""]}},`+fx+`]`, tools,
		`config: tools: f: parameter "y" has the type "number", which the leaderboard does not know for python`)
	const java = `{"mode":"bfcl","language":"java"`
	checkBFCL(t, "no source text", java+`}`, `[{"f":{"x":5}}]`, `[`+fx+`]`, tools,
		`type_error:java: parameter "x" is 5, must be java source text`)
	checkBFCL(t, "not Java", java+`}`, `"f(x=1), f(x=1)"`, `[`+fx+`]`, tools,
		`ast_decoder:decoder_failed: text after the call: ", f(x=1)"`)
	checkBFCL(t, "irrelevance is decided by Python", java+`,"category":"irrelevance"}`, `"f(x=1), f(x=1)"`, `null`, tools,
		"irrelevance_error:decoder_success: a call was made where none is right")
}

func TestLanguages(t *testing.T) {
	for _, tc := range []struct{ language, typeName, argument, allowed, want string }{
		{"java", `{"type":"integer"}`, `5`, `[5]`, ""},
		{"java", `{"type":"integer"}`, `n`, `["n"]`, ""},
		{"java", `{"type":"integer"}`, `5.0`, `[5]`, "type_error:simple"},
		{"java", `{"type":"long"}`, `5L`, `[5]`, ""},
		{"java", `{"type":"float"}`, `1.5e3f`, `[1500.0]`, ""},
		{"java", `{"type":"float"}`, `1.5`, `[1.5]`, "type_error:simple"},
		{"java", `{"type":"double"}`, `1.5`, `[1.5]`, ""},
		{"java", `{"type":"boolean"}`, `true`, `[true]`, ""},
		{"java", `{"type":"char"}`, `'c'`, `["\"c\""]`, ""},
		{"java", `{"type":"any"}`, `New Thing`, `["newthing"]`, ""},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, `new int[]{1, 2}`, `[[1,2]]`, ""},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, `[1, 2]`, `[[1,2]]`, "type_error:simple"},
		{"java", `{"type":"ArrayList","items":{"type":"String"}}`, `new ArrayList<String>(Arrays.asList("a", "b"))`, `[["a","b"]]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, `new ArrayList<>() {{ add(1); add(2); }}`, `[[1,2]]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, `new ArrayList<>()`, `[[]]`, ""},
		{"java", `{"type":"HashMap"}`, `new HashMap<String, Object>() {{ put("a", 1L); put("b", "x"); put("c", true); put("d", 1.5); put("e", v); }}`, `[{"a":[1],"b":["X"],"c":[true],"d":[1.5],"e":["v"]}]`, ""},
		{"java", `{"type":"HashMap"}`, `new HashMap<>()`, `[{}]`, ""},
		{"java", `{"type":"HashMap"}`, `new HashMap<>() {{ put("a", "xy)"); }}`, `[{"a":["\"xy"]}]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, `new int[]{1, 2}`, `[[1,2]]`, "type_error:simple"},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, `new ArrayList<>(Arrays.asList(1))`,
			`[[1]]`, "type_error:simple"},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, `new ArrayList<>() {{ add(1); }}`,
			`[[1]]`, "type_error:simple"},
		{"java", `{"type":"Array","items":{"type":"String"}}`, `new String[]{"a", b, }`, `[["\"a\"","b"]]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"char"}}`, `new ArrayList<>(Arrays.asList('a', 'b'))`,
			`[["a","b"]]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"any"}}`, `new ArrayList<>(Arrays.asList(1, ))`, `[["1",""]]`, ""},
		{"java", `{"type":"Set"}`, `x`, `["x"]`, "config"},
		{"javascript", `{"type":"String"}`, `'a b'`, `["ab"]`, ""},
		{"javascript", `{"type":"String"}`, `a`, `["a"]`, ""},
		{"javascript", `{"type":"integer"}`, `-7`, `[-7]`, ""},
		{"javascript", `{"type":"float"}`, `7`, `[7.0]`, ""},
		{"javascript", `{"type":"Bigint"}`, `7n`, `[7]`, ""},
		{"javascript", `{"type":"Boolean"}`, `false`, `[false]`, ""},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, `[1, 2]`, `[[1,2]]`, ""},
		{"javascript", `{"type":"array","items":{"type":"String"}}`, `new Array('a', b)`, `[["a","b"]]`, ""},
		{"javascript", `{"type":"array","items":{"type":"array"}}`, `[[1, 2], ['x', true]]`, `[[[1,2],["x",true]]]`, ""},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, `[]`, `[[]]`, ""},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, `xs`, `["xs"]`, ""},
		{"javascript", `{"type":"dict"}`, `{'a': 1, 'b': 'x', c: 1.5}`, `[{"a":[1],"b":["x"],"c":[1.5]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{}`, `[{}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: {b: 1}}`, `[{"a":["{b: 1"]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: [x, y], b: 1}`, `[{"a":[["x","y"]],"b":[1]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: 'http://x', "b": "x, y", c: [x]}`, `[{"a":["http://x"],"b":["x, y"],"c":[["x"]]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: 1, : "http://x"}`, `[{"a":[1],"http":["//x"]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a}`, `[{}]`, ""},
		{"javascript", `{"type":"array","items":{"type":"any"}}`, `[+5, 1_0, .5]`, `[["+5","1_0",".5"]]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: +5, b: 1_0, c: .5, d: 5n}`, `[{"a":[5],"b":[10],"c":[0.5],"d":["5n"]}]`, ""},
		{"java", `{"type":"HashMap"}`, `new HashMap<>() {{ put("a", +5); put("a", .5); put("b", 'c'); put("d", "x") }}`, `[{"a":[0.5],"b":["'c'"],"d":["x"]}]`, ""},
		{"java", `{"type":"ArrayList","items":{"type":"String"}}`, `new ArrayList<>(Arrays.asList(é, x, "y"))`, `[["","","y"]]`, ""},
		{"javascript", `{"type":"dict"}`, ` {a: ' 5 ', b: 1_0.5} `, `[{"a":[5],"b":[10.5]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: [1] + y, b: new Array(5)[0]}`,
			`[{"a":["[1] + y"],"b":["new Array(5)[0]"]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: 1,b: 2}`, `[{"a":[1],"b":[2]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: x,: 2}`, `[{"a":["x,: 2"]}]`, ""},
		{"javascript", `{"type":"dict"}`, `{a: 1, : x}`, `[{"a":[1],"":["x"]}]`, ""},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, ` [1, 2] `, `[[1,2]]`, ""},
		{"javascript", `{"type":"array","items":{"type":"array"}}`, `[[1,,2], [3]]`, `[[[1,"",2],[3]]]`, ""},
		{"javascript", `{"type":"any"}`, `x`, `["x"]`, ""},
	} {
		actual := `[{"f":{"x":` + value.OfString(tc.argument).JSON() + `}}]`
		checkBFCL(t, tc.language+" "+tc.argument, `{"mode":"bfcl","language":"`+tc.language+`"}`, actual, `[{"f":{"x":`+tc.allowed+`}}]`, oneTool(tc.typeName), tc.want)
	}
	checkBFCL(t, "java, no text", `{"mode":"bfcl","language":"java"}`, `[{"f":{"x":5}}]`, `[{"f":{"x":[5]}}]`, oneTool(`{"type":"integer"}`), "type_error:java")
	checkBFCL(t, "javascript, no text", `{"mode":"bfcl","language":"javascript"}`, `[{"f":{"x":5}}]`, `[{"f":{"x":[5]}}]`, oneTool(`{"type":"integer"}`), "type_error:js")
}

// TestSourceText: a model's text in Java and JavaScript.
func TestSourceText(t *testing.T) {
	for _, tc := range []struct{ language, typeName, text, allowed, want string }{
		{"java", `{"type":"integer"}`, `f(x=5)`, `[5]`, ""},
		{"java", `{"type":"integer"}`, ` [f(x="5")] `, `[5]`, ""},
		{"java", `{"type":"String"}`, `f(x='a, b)');`, `["ab)"]`, ""},
		{"java", `{"type":"String"}`, `f(x=Mode.IGNORE)`, `["mode.ignore"]`, ""},
		{"java", `{"type":"String"}`, `f(x="a" + "b")`, `["\"a\"+\"b\""]`, ""},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, `f(x=new int[]{1, 2})`, `[[1,2]]`, ""},
		{"java", `{"type":"HashMap"}`, `f(x=new HashMap<String, Object>())`, `[{}]`, ""},
		{"java", `{"type":"HashMap"}`, `f(x=new HashMap<String, Object>() {{ put("a", 1); }})`, `[{}]`, ""},
		{"java", `{"type":"HashMap"}`, `f(x={"a": 1})`, `[{}]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x="a", x="b")`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x="a"), f(x="a")`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x="a",)`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x="a"`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x=(a])`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x="a)`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `I am sorry.`, `["a"]`, "ast_decoder:decoder_failed"},
		{"java", `{"type":"String"}`, `f(x=aba)`, `["aba"]`, ""},
		{"java", `{"type":"String"}`, `f("a")`, `["a",""]`, ""},
		{"java", `{"type":"String"}`, `f(a)`, `["a",""]`, "simple_function_checker:unexpected_param"},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, `[f(x=[3, 1])]`, `[[3,1]]`, ""},
		{"javascript", `{"type":"any"}`, `f(x='a')`, `["a"]`, ""},
		{"javascript", `{"type":"any"}`, `f(x='a',)`, `["a"]`, ""},
		{"javascript", `{"type":"dict"}`, `f(x={"a": '/b', c: 1})`, `[{"a":["/b"],"c":[1]}]`, ""},
		{"javascript", `{"type":"String"}`, "f(x=`a, b`)", "[\"`ab`\"]", ""},
		{"javascript", `{"type":"String"}`, `f(x="it\"s")`, `["it\\\"s"]`, ""},
	} {
		checkBFCL(t, tc.language+" "+tc.text, `{"mode":"bfcl","language":"`+tc.language+`"}`, value.OfString(tc.text).JSON(), `[{"f":{"x":`+tc.allowed+`}}]`, oneTool(tc.typeName), tc.want)
	}
}

func TestConfig(t *testing.T) {
	for _, config := range []string{
		`[]`, `"bfcl"`, `{"mode":"exact"}`, `{"mode":1}`, `{"strip_whitespace":"yes"}`, `{"mode":"bfcl","category":1}`,
		`{"mode":"bfcl","matching":"best"}`, `{"mode":"bfcl","dot_to_underscore":1}`, `{"mode":"bfcl","language":"rust"}`,
	} {
		s, err := newAST(parse(t, config))
		var e *Error
		if !errors.As(err, &e) || e.Kind != configKind || s != nil {
			t.Errorf("%s: %v, want an error of the configuration", config, err)
		}
	}
	s, err := newAST(value.Value{})
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []string{`null`, `"no call"`, `[{"x":1}]`, `{"name":"f","arguments":"{a"}`} {
		if _, err := s.Score(Input{Actual: parse(t, `"f()"`), Expected: parse(t, expected)}); err == nil {
			t.Errorf("expected %s scores, want an error", expected)
		}
	}
}

// FuzzLeaderboard checks that no text, answer or tool panics, and that what greedy
// matching accepts assignment accepts too.
func FuzzLeaderboard(f *testing.F) {
	f.Add(`[f(x=[1,(2,)], y={'a': -1})]`, `[{"f":{"x":[[1]],"y":["",{"a":[1]}]}}]`, `[{"name":"f","parameters":{"properties":{"x":{"type":"array","items":{"type":"integer"}},"y":{"type":"dict"}}}}]`)
	f.Add(`f(x='a'), f(x='b')`, `[{"f":{"x":["a","b"]}},{"f":{"x":["a"]}}]`, `[{"name":"f","parameters":{"properties":{"x":{"type":"string"}}}}]`)
	greedy, err1 := newAST(parse(f, `{"mode":"bfcl","category":"parallel"}`))
	assigned, err2 := newAST(parse(f, `{"mode":"bfcl","category":"parallel","matching":"assignment"}`))
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
	f.Fuzz(func(t *testing.T, text, expected, tools string) {
		e, err1 := value.ParseString(expected)
		d, err2 := value.ParseString(tools)
		if err1 != nil || err2 != nil {
			return
		}
		in := Input{Actual: value.OfString(text), Expected: e, Tools: d}
		first, err1 := greedy.Score(in)
		second, err2 := assigned.Score(in)
		if err1 == nil && err2 == nil && *first.Passed && !*second.Passed {
			t.Fatalf("greedy passes and assignment does not: %s", second.Reason)
		}
	})
}

func BenchmarkLeaderboard(b *testing.B) {
	s, err := newAST(parse(b, `{"mode":"bfcl","category":"parallel"}`))
	if err != nil {
		b.Fatal(err)
	}
	in := Input{
		Actual:   value.OfString(`[f(x='New York', y=[1, 2]), f(x='Rome', y=[3])]`),
		Expected: parse(b, `[{"f":{"x":["rome"],"y":[[3]]}},{"f":{"x":["new york"],"y":[[1,2]]}}]`),
		Tools:    parse(b, `[{"name":"f","parameters":{"properties":{"x":{"type":"string"},"y":{"type":"array","items":{"type":"integer"}}},"required":["x"]}}]`),
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Score(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNormalized(b *testing.B) {
	s, err := newAST(value.Value{})
	if err != nil {
		b.Fatal(err)
	}
	in := Input{
		Actual:   parse(b, `{"name":"book","arguments":{"city":"Rome","days":3,"guests":[{"name":"A"},{"name":"B"}]}}`),
		Expected: parse(b, `{"name":"book","arguments":{"days":3.0,"city":"Rome","guests":[{"name":"A"},{"name":"B"}]}}`),
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Score(in); err != nil {
			b.Fatal(err)
		}
	}
}
