package bfcl

import (
	"errors"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// verdict returns the checker's answer: "valid", the type and the detail of a failure,
// or the text of an error.
func verdict(t *testing.T, c Checker, actual, expected, tools string) string {
	t.Helper()
	parse := func(text string) value.Value {
		v, err := value.ParseString(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	for _, tool := range parse(tools).Elements() {
		c.Tools = append(c.Tools, transcript.Tool{Name: tool.Field("name").Text(), Parameters: tool.Field("parameters")})
	}
	calls, f := c.Read(parse(actual))
	if relevance, ok := c.Relevance(f.Type == "" && len(calls) > 0); ok {
		f = relevance
	} else if f.Type == "" {
		answers, err := ReadAnswers(parse(expected))
		if err == nil {
			f, err = c.Check(calls, answers)
		}
		if err != nil {
			if input := (*InputError)(nil); !errors.As(err, &input) {
				t.Errorf("%v is no *InputError", err)
			}
			return err.Error()
		}
	}
	if f.Type == "" {
		return "valid" + f.Detail
	}
	return f.Type + ": " + f.Detail
}

// TestParameters: the verdict on one argument x, whose type and allowed values are given.
func TestParameters(t *testing.T) {
	const ints, strs, dicts = `{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"string"}}`,
		`{"type":"array","items":{"type":"dict"}}`
	for _, tt := range []struct{ language, typed, argument, allowed, want string }{
		{"python", `{"type":"integer"}`, "5", `[5]`, "valid"},
		{"python", `{"type":"integer"}`, "5", `[6,7]`,
			`value_error:others: parameter "x" is 5, expected one of [6, 7]`},
		{"python", `{"type":"integer"}`, "5.0", `[5]`, `type_error:simple: parameter "x" is 5.0, must be integer`},
		{"python", `{"type":"integer"}`, "True", `[1]`, `type_error:simple: parameter "x" is True, must be integer`},
		{"python", `{"type":"integer"}`, "n", `["n"]`, "valid"},
		{"python", `{"type":"integer"}`, "'N'", `["n"]`,
			`value_error:others: parameter "x" is 'N', expected one of ['n']`},
		{"python", `{"type":"integer"}`, "5", `["",5]`, "valid"},
		{"python", `{"type":"integer"}`, "5", `["n",5]`, "valid"},
		{"python", `{"type":"float"}`, "5", `[5.0]`, "valid"},
		{"python", `{"type":"float"}`, "5", `[5.5]`,
			`value_error:others: parameter "x" is 5.0, expected one of [5.5]`},
		{"python", `{"type":"boolean"}`, "True", `[true]`, "valid"},
		{"python", `{"type":"boolean"}`, "True", `[false]`,
			`value_error:others: parameter "x" is True, expected one of [False]`},
		{"python", `{"type":"boolean"}`, "1", `[true]`, `type_error:simple: parameter "x" is 1, must be boolean`},
		{"python", `{"type":"string"}`, "'New-York, N.Y./a_b*c^d'", `["newyorknyabcd"]`, "valid"},
		{"python", `{"type":"string"}`, `"it's"`, `["IT\"S"]`, "valid"},
		{"python", `{"type":"string"}`, "'Rome'", `["Paris","Oslo"]`,
			`value_error:string: parameter "x" is 'Rome', expected one of ['Paris', 'Oslo']`},
		{"python", `{"type":"string"}`, "None", `["x"]`, `type_error:simple: parameter "x" is None, must be string`},
		{"python", `{"type":"any"}`, "'X'", `["x"]`, "valid"},
		{"python", ints, "[1, 2]", `[[1,2]]`, "valid"},
		{"python", ints, "[2, 1]", `[[1,2]]`,
			`value_error:list/tuple: parameter "x" is [2, 1], expected one of [[1, 2]]`},
		{"python", ints, "[1, 'x']", `[[1,2]]`, `type_error:nested: parameter "x" is [1, 'x'], must be array`},
		{"python", ints, "['a', 1.5]", `[["a"],[1.5]]`,
			`type_error:nested: parameter "x" is ['a', 1.5], must be array`},
		{"python", ints, "[]", `["",[1]]`, "valid"},
		{"python", ints, "[1]", `["ab"]`, `value_error:others: parameter "x" is [1], expected one of ['ab']`},
		{"python", ints, "(1, 2)", `[[1,2]]`, `type_error:simple: parameter "x" is (1, 2), must be array`},
		{"python", ints, "5", `[[1,2]]`, `type_error:simple: parameter "x" is 5, must be array`},
		{"python", strs, "['A b']", `[["ab"]]`, "valid"},
		{"python", strs, "['a', 'b']", `["ab"]`,
			`value_error:others: parameter "x" is ['a', 'b'], expected one of ['ab']`},
		{"python", strs, "['a', 'b']", `["",["a","c"],["A","B"]]`, "valid"},
		{"python", `{"type":"array","items":{"type":"array"}}`, "[['A']]", `[[["a"]]]`,
			`value_error:list/tuple: parameter "x" is [['A']], expected one of [[['a']]]`},
		{"python", `{"type":"tuple","items":{"type":"integer"}}`, "(1, 2)", `[[1,2]]`, "valid"},
		{"python", `{"type":"tuple","items":{"type":"integer"}}`, "(1, 'x')", `[[1,2]]`,
			`type_error:nested: parameter "x" is [1, 'x'], must be tuple`},
		{"python", `{"type":"dict"}`, "{'a': 1, 'b': 'X y'}", `[{"a":[1],"b":["xy"]}]`, "valid"},
		{"python", `{"type":"dict"}`, "{'a': 1}", `[{"a":[1],"b":["",2]}]`, "valid"},
		{"python", `{"type":"dict"}`, "{'a': 1, 'z': 1}", `[{"a":[1]}]`,
			`value_error:dict_key: parameter "x" is {'a': 1, 'z': 1}, expected one of [{'a': [1]}]`},
		{"python", `{"type":"dict"}`, "{'a': 2}", `[{"a":[1]}]`,
			`value_error:dict_value: parameter "x" is {'a': 2}, expected one of [{'a': [1]}]`},
		{"python", `{"type":"dict"}`, "{'a': 2}", `[{"a":[1]},{"a":[2]}]`, "valid"},
		{"python", `{"type":"dict"}`, "{'a': 2}", `[{"a":[2]},{"a":[1]}]`, "valid"},
		{"python", `{"type":"dict"}`, "{}", `[{"a":[1]}]`,
			`value_error:dict_key: parameter "x" is {}, expected one of [{'a': [1]}]`},
		{"python", `{"type":"dict"}`, "{'a': 2}", `[""]`,
			`dict_checker:unclear: parameter "x" is {'a': 2}, expected one of ['']`},
		{"python", `{"type":"dict"}`, "{'a': 2}", `["",{"a":[2]}]`, "valid"},
		{"python", dicts, "[{'a': 1}, {'b': 'X'}]", `[[{"a":[1]},{"b":["x"]}]]`, "valid"},
		{"python", dicts, "[{'a': 1}]", `[[{"a":[1]},{"b":["x"]}]]`,
			`value_error:list_dict_count: parameter "x" is [{'a': 1}], expected one of [[{'a': [1]}, {'b': ['x']}]]`},
		{"python", dicts, "[{'a': 2}, {'a': 1}]", `[[{"a":[1]},{"a":[1]}]]`,
			`value_error:dict_value: parameter "x" is [{'a': 2}, {'a': 1}], expected one of [[{'a': [1]},` +
				` {'a': [1]}]]`},
		{"python", dicts, "[{'a': 2}]", `[[],[{"a":[2]}]]`, "valid"},
		{"python", dicts, "[{'a': 2}]", `[[{"a":[2]}],[]]`, "valid"},
		{"python", dicts, "[{'a': 1}]", `[]`, `type_error:simple: parameter "x" is [{'a': 1}], must be array`},
		{"python", dicts, "[1]", `["",[{"a":[2,""]}]]`,
			`value_error:dict_key: parameter "x" is [1], expected one of ['', [{'a': [2, '']}]]`},
		{"python", dicts, "[]", `["",[{"a":[2]}]]`, "valid"},
		{"python", `{"type":"number"}`, "1", `[1]`,
			`tools: f: parameter "x" has the type "number", which the leaderboard does not know for python`},
		{"python", `{"type":5}`, "1", `[1]`,
			`tools: f: parameter "x" has the type 5, which the leaderboard does not know for python`},
		{"python", `{"type":"tuple","items":{"type":"number"}}`, "(1, 2)", `[[1]]`,
			`tools: f: parameter "x" of type tuple needs items with a known type, has "number"`},
		{"python", `{"type":"array"}`, "[1]", `[[1]]`,
			`tools: f: parameter "x" of type array needs items with a known type, has null`},

		{"java", `{"type":"integer"}`, "5", `[5]`, "valid"},
		{"java", `{"type":"integer"}`, "5.0", `[5]`, `type_error:simple: parameter "x" is '5.0', must be integer`},
		{"java", `{"type":"byte"}`, "-5", `[-5]`, "valid"},
		{"java", `{"type":"short"}`, "5", `[5]`, "valid"},
		{"java", `{"type":"long"}`, "5L", `[5]`, "valid"},
		{"java", `{"type":"long"}`, "5", `[5]`, `type_error:simple: parameter "x" is '5', must be long`},
		{"java", `{"type":"float"}`, "1.5e3f", `[1500.0]`, "valid"},
		{"java", `{"type":"float"}`, "1.5", `[1.5]`, `type_error:simple: parameter "x" is '1.5', must be float`},
		{"java", `{"type":"double"}`, "1.5", `[1.5]`, "valid"},
		{"java", `{"type":"double"}`, "1e999", `["1e999"]`, "valid"},
		{"java", `{"type":"boolean"}`, "true", `[true]`, "valid"},
		{"java", `{"type":"boolean"}`, "True", `[true]`,
			`type_error:simple: parameter "x" is 'True', must be boolean`},
		{"java", `{"type":"char"}`, "'c'", `["\"c\""]`, "valid"},
		{"java", `{"type":"String"}`, "A b", `["ab"]`, "valid"},
		{"java", `{"type":"any"}`, "new Thing", `["newthing"]`, "valid"},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, "new int[]{1, 2}", `[[1,2]]`, "valid"},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, "new int[]{1, , 2}", `[[1,2]]`, "valid"},
		{"java", `{"type":"Array","items":{"type":"String"}}`, `new String[]{"a", b}`, `[["\"a\"","b"]]`, "valid"},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, "[1, 2]", `[[1,2]]`,
			`type_error:simple: parameter "x" is '[1, 2]', must be Array`},
		{"java", `{"type":"Array","items":{"type":"integer"}}`, "new ArrayList<>(Arrays.asList(1))", `[[1]]`,
			`type_error:simple: parameter "x" is 'new ArrayList<>(Arrays.asList(1))', must be Array`},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, "new ArrayList<Integer>(Arrays.asList(1, 2))",
			`[[1,2]]`, "valid"},
		{"java", `{"type":"ArrayList","items":{"type":"String"}}`, `new ArrayList<>(Arrays.asList("a", "b"))`,
			`[["a","b"]]`, "valid"},
		{"java", `{"type":"ArrayList","items":{"type":"char"}}`, `new ArrayList<>(Arrays.asList('a'))`, `[["a"]]`,
			"valid"},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, "new ArrayList<>() {{ add(1); add(2); }}",
			`[[1,2]]`, "valid"},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, "new ArrayList<>()", `[[]]`, "valid"},
		{"java", `{"type":"ArrayList","items":{"type":"integer"}}`, "new int[]{1}", `[[1]]`,
			`type_error:simple: parameter "x" is 'new int[]{1}', must be ArrayList`},
		{"java", `{"type":"ArrayList","items":{"type":"any"}}`, "new ArrayList<>(Arrays.asList(1, ))", `[["1",""]]`,
			"valid"},
		{"java", `{"type":"HashMap"}`,
			`new HashMap<String, Object>() {{ put("a", 1L); put("b", "x"); put("c", true); put("d", 1.5);` +
				` put("e", v); }}`, `[{"a":[1],"b":["X"],"c":[true],"d":[1.5],"e":["v"]}]`, "valid"},
		{"java", `{"type":"HashMap"}`,
			`new HashMap<>() {{ put("a", 1.5f); put("b", 1_0); put("c", 1_0.5); put("d", 1e999) }}`,
			`[{"a":[1.5],"b":[10],"c":[10.5],"d":["1e999"]}]`, "valid"},
		{"java", `{"type":"HashMap"}`, "new HashMap<>()", `[{}]`, "valid"},
		{"java", `{"type":"HashMap"}`, "map", `["map"]`, "valid"},
		{"java", `{"type":"Set"}`, "x", `["x"]`,
			`tools: f: parameter "x" has the type "Set", which the leaderboard does not know for java`},
		{"java", `{"type":"integer"}`, "", `[""]`, `type_error:simple: parameter "x" is '', must be integer`},

		{"javascript", `{"type":"String"}`, "'a b'", `["ab"]`, "valid"},
		{"javascript", `{"type":"String"}`, `"a b"`, `["ab"]`, "valid"},
		{"javascript", `{"type":"String"}`, `a b`, `["ab"]`, "valid"},
		{"javascript", `{"type":"any"}`, `'a'`, `["\"a\""]`, "valid"},
		{"javascript", `{"type":"integer"}`, "-7", `[-7]`, "valid"},
		{"javascript", `{"type":"Bigint"}`, "7n", `[7]`, "valid"},
		{"javascript", `{"type":"float"}`, "7", `[7.0]`, "valid"},
		{"javascript", `{"type":"float"}`, "7.25", `[7.25]`, "valid"},
		{"javascript", `{"type":"Boolean"}`, "false", `[false]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, "[1, 2]", `[[1,2]]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, " [1, 2] ", `[[1,2]]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"String"}}`, "new Array('a', b)", `[["a","b"]]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, "[]", `[[]]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"integer"}}`, "xs", `["xs"]`, "valid"},
		{"javascript", `{"type":"array","items":{"type":"array"}}`, "[[1, 2], ['x', true]]", `[[[1,2],["x",true]]]`,
			"valid"},
		{"javascript", `{"type":"array","items":{"type":"array"}}`, "new Array([1], [2])", `[[[1],[2]]]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{'a': 1, \"b\": 'x', c: 1.5}", `[{"a":[1],"b":["x"],"c":[1.5]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, " {a: [x, y], b: true}", `[{"a":[["x","y"]],"b":[true]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: 1,b: 2}", `[{"a":[1],"b":[2]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: x,: 2}", `[{"a":["x,: 2"]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: 1, : x}", `[{"a":[1],"":["x"]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: 1, b: y, z}", `[{"a":[1],"b":["y, z"]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: 1,  b: 2}", `[{"a":[1],"b":[2]}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{}", `[{}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a}", `[{}]`, "valid"},
		{"javascript", `{"type":"dict"}`, "o", `["o"]`, "valid"},
		{"javascript", `{"type":"dict"}`, "{a: [1] + y, b: [}", `[{"a":["[1] + y"],"b":["["]}]`, "valid"},
	} {
		t.Run(tt.language+" "+tt.typed+" "+tt.argument+" "+tt.allowed, func(t *testing.T) {
			actual := value.OfString("f(x=" + tt.argument + ")").JSON()
			if tt.language != "python" {
				actual = `[{"f":{"x":` + value.OfString(tt.argument).JSON() + `}}]`
			}
			tools := `[{"name":"f","parameters":{"properties":{"x":` + tt.typed + `},"required":["x"]}}]`
			got := verdict(t, Checker{Category: "simple", Language: tt.language}, actual, `[{"f":{"x":`+tt.allowed+`}}]`, tools)
			if got != tt.want {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestCategories: the verdict on an answer by category.
func TestCategories(t *testing.T) {
	const tools = `[{"name":"m.f","parameters":{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}},` +
		`{"name":"g","parameters":{"properties":{"c":{"type":"boolean"}},"required":[]}}]`
	const f, g = `{"m.f":{"a":[1],"b":["x",""]}}`, `{"g":{"c":[true]}}`
	const f2 = `{"m.f":{"a":[1,2]}}`
	for _, tt := range []struct{ category, actual, expected, want string }{
		{"simple", `"m.f(a=1)"`, `[` + f + `]`, "valid"},
		{"simple", `"m.f(a=1, b='X')"`, f, "valid"},
		{"simple", `[{"m.f":{"a":1}}]`, `[` + f + `]`, "valid"},
		{"simple", `null`, `[` + f + `]`, "ast_decoder:decoder_failed: there is no output"},
		{"simple", `"I cannot."`, `[` + f + `]`,
			`ast_decoder:decoder_failed: python call, byte 8: unexpected "cannot"`},
		{"simple", `["m.f(a=1)"]`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `[{"m.f":{"a":1}},{"g":5}]`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `[{"m.f":{},"g":{}}]`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `{"m.f":{"a":1}}`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `{}`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `5`, `[` + f + `]`,
			"ast_decoder:decoder_wrong_output_format: the output is not a list of {name: {arguments}}"},
		{"simple", `[]`, `[` + f + `]`, "simple_function_checker:wrong_count: 0 calls, expected 1"},
		{"simple", `"m.f(a=1), m.f(a=1)"`, `[` + f + `]`, "simple_function_checker:wrong_count: 2 calls, expected 1"},
		{"simple", `"f(a=1)"`, `[` + f + `]`,
			`simple_function_checker:wrong_func_name: function "f", expected "m.f"`},
		{"simple", `"m_f(a=1)"`, `[` + f + `]`,
			`simple_function_checker:wrong_func_name: function "m_f", expected "m.f"`},
		{"simple", `"m.f(b='x')"`, `[` + f + `]`,
			`simple_function_checker:missing_required: required parameter "a" is missing`},
		{"simple", `"m.f(a=1, z=1)"`, `[` + f + `]`,
			`simple_function_checker:unexpected_param: parameter "z" is not expected`},
		{"simple", `"m.f(a=1, b='x')"`, `[{"m.f":{"a":[1]}}]`,
			`simple_function_checker:unexpected_param: parameter "b" is not expected`},
		{"simple", `"m.f(a=1, z=1)"`, `[{"m.f":{"a":[1],"z":[1]}}]`,
			`simple_function_checker:unexpected_param: parameter "z" is not expected`},
		{"simple", `"m.f(a=1)"`, `[{"m.f":{"a":[1],"b":["x"]}}]`,
			`simple_function_checker:missing_optional: parameter "b" is missing and may not be`},
		{"simple", `"m.f(a=1)"`, `[]`, "expected: holds no call; use category irrelevance where no call is right"},
		{"simple", `"m.f(a=1)"`, `"f"`, "expected: must be a list of {name: {parameter: [allowed values]}}"},
		{"simple", `"m.f(a=1)"`, `[[{"x":[1]}]]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "" does not`},
		{"simple", `"m.f(a=1)"`, `[{"m.f":{"a":1}}]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "m.f" does not`},
		{"simple", `"m.f(a=1)"`, `[{"m.f":{"a":[1]},"g":{}}]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "m.f" does not`},
		{"simple", `"m.f(a=1)"`, `[{}]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "" does not`},
		{"multiple", `"g(c=True)"`, `[` + g + `]`, "valid"},
		{"multiple", `"g(c=True), g(c=True)"`, `[` + g + `]`,
			"multiple_function_checker:wrong_count: 2 calls, expected 1"},
		{"multiple", `"g()"`, `[` + g + `]`,
			`simple_function_checker:missing_optional: parameter "c" is missing and may not be`},
		{"multiple", `"[]"`, `[]`, "expected: holds no call; use category irrelevance where no call is right"},
		{"multiple", `"m.f(a=1)"`, `[` + g + `]`,
			`simple_function_checker:wrong_func_name: function "m.f", expected "g"`},
		{"multiple", `"h()"`, `[{"h":{}}]`, `tools: have no definition of "h", which is expected`},
		{"multiple", `"g()"`, `[{"g":[]}]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "g" does not`},
		{"parallel", `"g(c=True), m.f(a=1)"`, `[` + f + `,` + g + `]`, "valid"},
		{"parallel", `"g(c=True), m.f(a=1)"`, `{"m.f":{"a":[1]},"g":{"c":[true]}}`, "valid"},
		{"parallel_multiple", `"m.f(a=1)"`, `[` + f + `,` + g + `]`,
			"parallel_function_checker_no_order:wrong_count: 1 calls, expected 2"},
		{"parallel", `"m.f(a=1), m.f(a=2)"`, `[` + f + `,` + g + `]`,
			`parallel_function_checker_no_order:cannot_find_match: no call matches expected call 1: function ` +
				`"m.f", expected "g"`},
		{"parallel", `"m.f(a=1), m.f(a=2)"`, `[` + f2 + `,` + f + `]`,
			`parallel_function_checker_no_order:cannot_find_match: no call matches expected call 1: parameter ` +
				`"a" is 2, expected one of [1]`},
		{"parallel", `"m.f(a=1), g()"`, `[` + f + `,{"h":{}}]`,
			`parallel_function_checker_no_order:cannot_find_description: no tool has the expected name "h"`},
		{"parallel", `"m.f(a=1), g(c=True)"`, `[` + f + `,{"g2":{"c":[true]}}]`, "valid"},
		{"parallel", `"m.f(a=1), g()"`, `[` + f + `,{"g":5}]`,
			`expected: must hold {name: {parameter: [allowed values]}}, and "g" does not`},
		{"parallel, assigned", `"m.f(a=1), m.f(a=2)"`, `[` + f2 + `,` + f + `]`, "valid"},
		{"parallel, assigned", `"m.f(a=1), m.f(a=3)"`, `[` + f2 + `,` + f + `]`,
			`parallel_function_checker_no_order:cannot_find_match: no call matches expected call 1: parameter ` +
				`"a" is 3, expected one of [1]`},
		{"parallel, assigned", `"m.f(a=1), m.f(a=2), m.f(a=3)"`,
			`[{"m.f":{"a":[1,2]}},{"m.f":{"a":[1,3]}},{"m.f":{"a":[1]}}]`, "valid"},
		{"simple, underscores", `"m_f(a=1)"`, `[` + f + `]`, "valid"},
		{"simple, underscores", `"m.f(a=1)"`, `[` + f + `]`,
			`simple_function_checker:wrong_func_name: function "m.f", expected "m_f"`},
		{"irrelevance", `"m.f(a=1)"`, `null`,
			"irrelevance_error:decoder_success: a call was made where none is right"},
		{"irrelevance", `"[]"`, `null`, "valid"},
		{"irrelevance", `"I cannot."`, `null`, "valid"},
		{"live_relevance", `"m.f(a=1)"`, `null`, "valid"},
		{"live_relevance", `"I cannot."`, `null`,
			"relevance_error:decoder_failed: no call was made although one is right"},
	} {
		t.Run(tt.category+" "+tt.actual+" "+tt.expected, func(t *testing.T) {
			c := Checker{Category: tt.category, Language: "python", Assignment: tt.category == "parallel, assigned",
				DotToUnderscore: tt.category == "simple, underscores"}
			if got := verdict(t, c, tt.actual, tt.expected, tools); got != tt.want {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
	for _, tt := range []struct{ name, category, language, actual, expected, tools, want string }{
		{"required is no list of names", "simple", "python", `"f()"`, `[{"f":{}}]`,
			`[{"name":"f","parameters":{"required":[1]}}]`, "tools: f: required must be a list of names"},
		{"Java, not a text", "simple", "java", `[{"f":{"x":5}}]`, `[{"f":{"x":[5]}}]`,
			`[{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}]`,
			`type_error:java: parameter "x" is 5, must be java source text`},
		{"JavaScript, not a text", "simple", "javascript", `[{"f":{"x":5}}]`, `[{"f":{"x":[5]}}]`,
			`[{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}]`,
			`type_error:js: parameter "x" is 5, must be javascript source text`},
		{"only one tool", "multiple", "python", `"f(x=1)"`, `[{"z":{"x":[1]}}]`,
			`[{"name":"f","parameters":{"properties":{"x":{"type":"integer"}}}}]`, "valid"},
	} {
		c := Checker{Category: tt.category, Language: tt.language, OnlyTool: true}
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, c, tt.actual, tt.expected, tt.tools); got != tt.want {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestReadSource: the arguments that are kept of a text in Java or JavaScript.
func TestReadSource(t *testing.T) {
	for _, tt := range []struct{ language, text, want string }{
		{"java", ` [T.f(x="a b", y=1)] `, `T.f{"x":"a b","y":"1"}`},
		{"java", `f(x="a" + "b");`, `f{"x":"\"a\" + \"b\""}`},
		{"java", `f()`, "f{}"},
		{"java", `f(x)`, `f{"":"x"}`},
		{"java", `f(1 + 2, x=3)`, `f{"x":"3"}`},
		{"java", `f(x='c', y={1})`, `"{1}" is no Java value`},
		{"java", `f(x=new A<B>(1) { int y = 2; })`, `f{"x":"new A<B>(1)"}`},
		{"java", `f(x=aba)`, `f{"x":"aba"}`},
		{"java", `f(x=a == b)`, `f{"x":"a == b"}`},
		{"javascript", `f(x="a" + "b")`, `f{"x":"a\" + \"b"}`},
		{"javascript", `f(x='a', y={a: 1}, z=[1, 2])`, `f{"x":"a","y":"{a: 1}","z":"[1, 2]"}`},
		{"javascript", "f(x=`a${b}`)", "f{\"x\":\"`a${b}`\"}"},
		{"javascript", "f(x=`a${{b: `}`}}`, y=`\\``)", "f{\"x\":\"`a${{b: `}`}}`\",\"y\":\"`\\\\``\"}"},
		{"javascript", "f(x=`a${'}'}`)", "f{\"x\":\"`a${'}'}`\"}"},
		{"javascript", "f(x=`a${'}`)", "a quote is not closed"},
		{"javascript", "f(x=`a${b`)", "a quote is not closed"},
		{"javascript", "f(x=1, , y=2)", `f{"x":"1","y":"2"}`},
		{"java", "f(x=1, , y=2)", "an argument is empty"},
		{"java", "f(x=1, )", "an argument is empty"},
		{"java", "f(x=1, x=2)", `argument "x" is repeated`},
		{"java", "f(x=1) + 2", `text after the call: " + 2"`},
		{"java", "[f(x=1)", "the list of calls is not closed"},
		{"java", "x", "the text is not a call"},
	} {
		t.Run(tt.language+" "+tt.text, func(t *testing.T) {
			call, err := languages[tt.language].readCall(tt.text)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = call.Name + call.Arguments.JSON()
			}
			if got != tt.want {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}
