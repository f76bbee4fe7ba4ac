package deterministic

import (
	"strings"
	"testing"
)

func TestSchemaCheckRules(t *testing.T) {
	const name = "schema_check"
	tools := func(s string) string { return `[{"name":"f","parameters":` + s + `}]` }
	prop := func(s string) string { return tools(`{"type":"object","properties":{"a":` + s + `}}`) }
	arg := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `}}` }
	const pass, fail = `{"schema_ok":true,"score":1}`, `{"schema_ok":false,"score":0}`
	checkRules(t, []rule{
		{"5.0 is an integer", name, "", arg("5.0"), "", prop(`{"type":"integer"}`), pass},
		{"a bool is no number", name, "", arg("true"), "", prop(`{"type":"number"}`), fail},
		{"malformed", name, "", `{"name":"f","arguments":"{"}`, "", tools(`{}`), fail},
		{"unreadable", name, "", `"hello"`, "", tools(`{}`), fail},
		{"unknown tool", name, "", `{"name":"g"}`, "", tools(`{}`), fail},
		{"no tools", name, "", `{"name":"g"}`, "", `null`, wantsConfig},
		{"empty tools", name, "", `{"name":"g"}`, "", `[]`, wantsConfig},
		{"no tools, preset", name, `{"preset":"sparc_static"}`, `{"name":"g"}`, "", `null`, `{"score":0,"failed":["non_existent_function"]}`},
		{"wrapped definition", name, "", arg("1"), "", `[{"type":"function","function":{"name":"f","parameters":{"required":["b"]}}}]`, fail},
		{"input_schema", name, "", arg("1"), "", `[{"name":"f","input_schema":{"required":["b"]}}]`, fail},
		{"inputSchema", name, "", arg("1"), "", `[{"name":"f","inputSchema":{"required":["a"]}}]`, pass},
		{"no schema", name, "", arg("1"), "", `[{"name":"f"}]`, pass},
		{"dates are asserted", name, "", arg(`"tomorrow"`), "", prop(`{"format":"date"}`), fail},
		{"dates are ignored", name, `{"assert_format":false}`, arg(`"tomorrow"`), "", prop(`{"format":"date"}`), pass},
		{"open object", name, "", `{"name":"f","arguments":{"b":1}}`, "", prop(`{}`), pass},
		{"unknown type", name, "", arg("1"), "", prop(`{"type":"dict"}`), wantsConfig},
		{"dangling", name, "", arg("1"), "", prop(`{"$ref":"#/$defs/x"}`), wantsConfig},
		{"remote", name, "", arg("1"), "", prop(`{"$ref":"https://example.org/x"}`), wantsConfig},
		{"another tool's schema does not matter", name, "", arg("1"), "", `[{"name":"g","parameters":{"type":"dict"}},{"name":"f","parameters":{}}]`, pass},
		{"pointer", name, "", arg(`[1,"x"]`), "", prop(`{"items":{"type":"integer"}}`), `{"errors":[{"path":"/a/1","keyword":"type","message":"is a string, must be integer"}]}`},
		{"openai text", name, "", `{"function":{"name":"f","arguments":"{\"a\":\"x\"}"}}`, "", prop(`{"type":"integer"}`), fail},
		{"one violation", name, "", arg(`"x"`), "", prop(`{"type":"integer"}`),
			`{"reason":"the arguments do not satisfy the schema: /a is a string, must be integer"}`},
		{"two violations", name, "", arg(`"x"`), "", tools(`{"properties":{"a":{"type":"integer"}},"required":["b"]}`),
			`{"reason_contains":["the arguments do not satisfy the schema: "," (and 1 more)"]}`},
		{"the name of no tool", name, "", `{"name":"g"}`, "", tools(`{}`),
			`{"reason":"the arguments do not satisfy the schema: no tool is called \"g\""}`},
		{"satisfied", name, "", arg("1"), "", tools(`{}`), `{"reason":"the arguments satisfy the schema","errors":[]}`},
		{"bad option", name, `{"assert_format":"yes"}`, arg("1"), "", tools(`{}`), wantsConfig},
		{"bad preset", name, `{"preset":"sparc"}`, arg("1"), "", tools(`{}`), wantsConfig},
	})
}

func TestSparcRules(t *testing.T) {
	const name, config = "schema_check", `{"preset":"sparc_static"}`
	prop := func(s string) string {
		return `[{"name":"f","parameters":{"type":"object","properties":{"a":` + s + `,"b":{}},"required":["b"]}}]`
	}
	arg := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `,"b":1}}` }
	rules := []rule{
		{"fine", name, config, arg(`1`), "", prop(`{"type":"integer"}`), `{"failed":[],"corrected_arguments":null,"score":1}`},
		{"no function", name, config, `{"name":"g","arguments":{"zz":1}}`, "", prop(`{}`), `{"failed":["non_existent_function"],"corrected_arguments":null}`},
		{"unknown parameter", name, config, `{"name":"f","arguments":{"z":1,"b":2}}`, "", prop(`{}`), `{"failed":["non_existent_parameter"],"corrected_arguments":{"b":2}}`},
		{"missing", name, config, `{"name":"f","arguments":{}}`, "", prop(`{}`), `{"failed":["missing_required_parameter"],"corrected_arguments":null}`},
		{"enum", name, config, arg(`"q"`), "", prop(`{"enum":["x"]}`), `{"failed":["allowed_values_violation"]}`},
		{"type and enum", name, config, arg(`"5"`), "", prop(`{"type":"integer","enum":[5]}`), `{"failed":["allowed_values_violation","incorrect_parameter_type"],"corrected_arguments":{"a":5,"b":1}}`},
		{"other keyword", name, config, arg(`5`), "", prop(`{"maximum":3}`), `{"failed":["json_schema_validation"]}`},
		{"formats are ignored", name, config, arg(`"x"`), "", prop(`{"format":"date"}`), `{"failed":[]}`},
		{"repair wins over removal", name, config, `{"name":"f","arguments":{"a":"5","b":1,"z":2}}`, "", prop(`{"type":"integer"}`), `{"failed":["incorrect_parameter_type","non_existent_parameter"],"corrected_arguments":{"a":5,"b":1,"z":2}}`},
		{"one left over", name, config, arg(`"5"`), "", `[{"name":"f","parameters":{"properties":{"a":{"type":"integer"},"b":{"type":"object"}}}}]`, `{"failed":["incorrect_parameter_type"],"corrected_arguments":null}`},
		{"element of an array", name, config, arg(`[1,"x"]`), "", prop(`{"type":"array","items":{"type":"integer"}}`), `{"failed":["incorrect_parameter_type"],"corrected_arguments":null}`},
		// json_schema_validation is any other keyword, additionalProperties too.
		{"closed object fails two checks", name, config, `{"name":"f","arguments":{"z":1}}`, "", `[{"name":"f","parameters":{"properties":{},"additionalProperties":false}}]`, `{"failed":["json_schema_validation","non_existent_parameter"],"corrected_arguments":{}}`},
		// The program hands the list of types to its conversion, which knows no lists.
		{"several types repair nothing", name, config, arg(`"5"`), "", prop(`{"type":["integer","null"]}`), `{"failed":["incorrect_parameter_type"],"corrected_arguments":null}`},
		{"type behind allOf", name, config, arg(`5`), "", prop(`{"allOf":[{"type":"string"}]}`), `{"failed":["incorrect_parameter_type"],"corrected_arguments":{"a":"5","b":1}}`},
		{"array to string where string is wanted", name, config, arg(`[1]`), "", prop(`{"items":{"type":"string"}}`), `{"failed":["incorrect_parameter_type"],"corrected_arguments":{"a":"[1]","b":1}}`},
		{"a value twice in an enum", name, config, arg(`3`), "", prop(`{"enum":[1,1.0,2]}`), `{"failed":["allowed_values_violation"]}`},
		{"another rule of that name repairs nothing", name, config, arg(`"x"`), "", prop(`{"pattern":"integer|string"}`),
			`{"failed":["json_schema_validation"],"corrected_arguments":null}`},
		{"a pattern that is a type's name repairs nothing", name, config, arg(`"x"`), "", prop(`{"pattern":"string"}`),
			`{"failed":["json_schema_validation"],"corrected_arguments":null}`},
		{"a list inside is not wrapped", name, config, arg(`[[1],2]`), "", prop(`{"type":"array","items":{"type":"array"}}`),
			`{"failed":["incorrect_parameter_type"],"corrected_arguments":null}`},
		{"a big whole number between blanks", name, config, arg(`" 9007199254740993 "`), "", prop(`{"type":"integer"}`),
			`{"corrected_arguments":{"a":9007199254740993,"b":1}}`},
		{"the reason", name, config, arg(`"x"`), "", prop(`{"type":"object"}`),
			`{"reason":"failed: incorrect_parameter_type: /a is a string, must be object"}`},
		{"no failure", name, config, arg(`1`), "", prop(`{}`), `{"reason":"no static check failed"}`},
		{"draft 7 tuples", name, config, arg(`["x"]`), "", prop(`{"type":"array","items":[{"type":"integer"}]}`), `{"failed":["incorrect_parameter_type"]}`},
	}
	for _, tt := range []struct{ typ, v, want string }{
		{"string", `5`, `"5"`}, {"string", `null`, `"None"`}, {"string", `true`, `"True"`}, {"string", `[1,"a"]`, `"[1, 'a']"`}, {"string", `1.0`, `"1.0"`},
		{"integer", `"42"`, `42`}, {"integer", `"-007"`, `-7`}, {"integer", `"٣"`, `3`}, {"integer", `"5.0"`, `5`}, {"integer", `"1e3"`, `1000`}, {"integer", `true`, `1`}, {"integer", `"5.5"`, ``}, {"integer", `"x"`, ``}, {"integer", `null`, ``}, {"integer", `[1]`, ``},
		{"number", `"1.5"`, `1.5`}, {"number", `" 2 "`, `2`}, {"number", `false`, `0`}, {"number", `"nan"`, ``}, {"number", `"inf"`, ``}, {"number", `"1_0"`, `10`}, {"number", `"0x10"`, ``},
		{"boolean", `" TRUE "`, `true`}, {"boolean", `"yes"`, `true`}, {"boolean", `"off"`, `false`}, {"boolean", `"no"`, `false`}, {"boolean", `"0"`, `false`},
		{"boolean", `"on"`, `true`}, {"boolean", `"1"`, `true`}, {"boolean", `[]`, ``}, {"boolean", `0`, `false`}, {"boolean", `2.5`, `true`}, {"boolean", `"maybe"`, ``}, {"boolean", `null`, ``},
		{"array", `"x"`, `["x"]`}, {"array", `5`, `[5]`}, {"array", `{"k":1}`, ``}, {"array", `null`, ``},
		{"object", `"{}"`, ``}, {"null", `0`, ``},
	} {
		want := "null"
		if tt.want != "" {
			want = `{"a":` + tt.want + `,"b":1}`
		}
		rules = append(rules, rule{tt.typ + " from " + tt.v, name, config, arg(tt.v), "", prop(`{"type":"` + tt.typ + `"}`),
			`{"failed":["incorrect_parameter_type"],"score":0,"corrected_arguments":` + want + `}`})
	}
	checkRules(t, rules)
}

func TestExecutionRules(t *testing.T) {
	const name = "execution_check"
	final := func(v string) string { return `{"final_state":` + v + `}` }
	state := func(v string) string { return `{"state":` + v + `}` }
	diff := func(parts ...string) string {
		var list []string
		for i := 0; i < len(parts); i += 2 {
			list = append(list, `{"path":"`+parts[i]+`","op":"`+parts[i+1]+`"}`)
		}
		return `{"exec_ok":false,"score":0,"diff":[` + strings.Join(list, ",") + `]}`
	}
	const same = `{"exec_ok":true,"score":1,"diff":[]}`
	checkRules(t, []rule{
		{"same", name, "", final(`{"b":1,"a":[1.0]}`), state(`{"a":[1],"b":1}`), "", same},
		{"sorted, all kinds", name, "", final(`{"z":1,"a":2,"n":null}`), state(`{"a":1,"m":null}`), "", diff("/a", "changed", "/m", "removed", "/n", "added", "/z", "added")},
		{"lists by index", name, "", final(`[1,2,3]`), state(`[1,3]`), "", diff("/1", "changed", "/2", "added")},
		{"list shorter", name, "", final(`[1]`), state(`[1,3]`), "", diff("/1", "removed")},
		{"bool is no number", name, "", final(`{"a":true}`), state(`{"a":1}`), "", diff("/a", "changed")},
		{"kinds do not recurse", name, "", final(`{"a":{"x":1}}`), state(`{"a":[1]}`), "", diff("/a", "changed")},
		{"escapes", name, "", final(`{"a/b":{"c~d":1}}`), state(`{"a/b":{"c~d":2}}`), "", diff("/a~1b/c~0d", "changed")},
		{"at the top", name, "", final(`1`), state(`2`), "", diff("", "changed")},
		{"no expected state", name, "", final(`1`), `{}`, "", wantsConfig},
		{"execution failed", name, "", `{"exec_error":true}`, state(`1`), "", `{"exec_ok":false,"score":0}`},
		{"bad preset", name, `{"preset":"tau"}`, final(`1`), state(`1`), "", wantsConfig},
	})
	tau := `{"preset":"tau_bench"}`
	checkRules(t, []rule{
		{"key order", name, tau, final(`{"b":1,"a":2}`), state(`{"a":2,"b":1}`), "", `{"reward":1,"score":1}`},
		{"2 is not 2.0", name, tau, final(`{"a":2}`), state(`{"a":2.0}`), "", `{"reward":0}`},
		{"true is not 1", name, tau, final(`{"a":true}`), state(`{"a":1}`), "", `{"reward":0}`},
		{"null is not None", name, tau, final(`{"a":null}`), state(`{"a":"None"}`), "", `{"reward":0}`},
		{"empty containers", name, tau, final(`{"a":[]}`), state(`{"a":{}}`), "", `{"reward":1}`},
		{"list order", name, tau, final(`{"a":[1,2]}`), state(`{"a":[2,1]}`), "", `{"reward":0}`},
		{"outputs", name, tau, `{"final_state":1,"responses":["That is $1,234.50 Sir"]}`, `{"state":1,"outputs":["1234.50","SIR"]}`, "", `{"reward":1,"outputs":{"1234.50":true,"SIR":true}}`},
		{"an output with a comma", name, tau, `{"final_state":1,"responses":["1,234"]}`, `{"state":1,"outputs":["1,234"]}`, "", `{"reward":0,"outputs":{"1,234":false},"reason":"state as expected, 0 of 1 outputs said"}`},
		{"the empty output", name, tau, `{"final_state":1}`, `{"state":1,"outputs":[""]}`, "", `{"reward":1}`},
		{"both are evaluated", name, tau, `{"final_state":2,"responses":["x"]}`, `{"state":1,"outputs":["x"]}`, "", `{"reward":0,"outputs":{"x":true},"reason":"state not as expected, 1 of 1 outputs said"}`},
		{"the run was cut off", name, tau, `{"final_state":1,"terminated":false}`, `{"state":1}`, "", `{"reward":0,"score":0,"state_ok":true}`},
		{"the run ended", name, tau, `{"final_state":1,"terminated":true}`, `{"state":1}`, "", `{"reward":1}`},
		{"the end of a Greek word", name, tau, `{"final_state":1,"responses":["ΟΔΟΣ"]}`, `{"state":1,"outputs":["οδος"]}`, "", `{"reward":1}`},
	})
}

func TestThreeLayerRules(t *testing.T) {
	const name = "three_layer"
	const tools = `[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}]`
	const dated = `[{"name":"f","parameters":{"properties":{"a":{"type":"string","format":"date"}}}}]`
	actual := func(call, rest string) string { return `{"call":` + call + rest + `}` }
	f := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `}}` }
	expected := func(call, state string) string { return `{"call":` + call + `,"state":` + state + `}` }
	checkRules(t, []rule{
		{"all", name, "", actual(f("1"), `,"final_state":{}`), expected(f("1"), "{}"), tools, `{"schema_ok":true,"ast_ok":true,"exec_ok":true,"score":null}`},
		{"a call that fails its schema never passes the tree", name, "", actual(f(`"1"`), `,"final_state":{}`), expected(f(`"1"`), "{}"), tools, `{"schema_ok":false,"ast_ok":false,"exec_ok":true}`},
		{"no harness", name, "", actual(f("1"), ""), expected(f("2"), "{}"), tools, `{"schema_ok":true,"ast_ok":false,"exec_ok":null}`},
		{"no expected state", name, "", actual(f("1"), `,"final_state":{}`), expected(f("1"), "null"), tools, `{"exec_ok":null}`},
		{"error", name, "", actual(f("1"), `,"exec_error":true`), expected(f("1"), "{}"), tools, `{"exec_ok":false,"diff":[]}`},
		{"no harness, no difference", name, "", actual(f("1"), ""), expected(f("1"), "{}"), tools, `{"exec_ok":null,"diff":[]}`},
		{"error without a state", name, "", actual(f("1"), `,"exec_error":true`), expected(f("1"), "null"), tools, `{"exec_ok":null}`},
		{"negative, kept still", name, "", actual("null", ""), expected("null", "null"), tools, `{"schema_ok":null,"ast_ok":true}`},
		{"negative, called", name, "", actual(f("1"), ""), expected("null", "null"), tools, `{"schema_ok":true,"ast_ok":false}`},
		{"negative, called wrongly", name, "", actual(f(`"x"`), ""), expected("null", "null"), tools, `{"schema_ok":false,"ast_ok":false}`},
		{"nothing called", name, "", actual("null", ""), expected(f("1"), "null"), tools, `{"schema_ok":false,"ast_ok":false}`},
		{"numbers by value", name, "", actual(f("1.0"), ""), expected(f("1"), "null"), tools, `{"ast_ok":true}`},
		{"numbers by text", name, `{"ast_mode":"json"}`, actual(f("1.0"), ""), expected(f("1"), "null"), tools, `{"ast_ok":false}`},
		{"0 and -0.0 by text", name, `{"ast_mode":"json"}`, actual(f("0.0"), ""), expected(f("-0.0"), "null"), tools, `{"ast_ok":false}`},
		{"key order by text", name, `{"ast_mode":"json"}`, actual(`{"name":"f","arguments":{"b":1.50,"a":1}}`, ""), expected(`{"name":"f","arguments":{"a":1,"b":1.5}}`, "null"), tools, `{"ast_ok":true}`},
		{"other tool, same state", name, "", actual(`{"name":"g"}`, `,"final_state":{"x":1}`), expected(f("1"), `{"x":1}`), tools, `{"schema_ok":false,"ast_ok":false,"exec_ok":true}`},
		{"bad mode", name, `{"ast_mode":"bfcl"}`, actual(f("1"), ""), expected(f("1"), "null"), tools, wantsConfig},
		{"bad schema", name, "", actual(f("1"), ""), expected(f("1"), "null"), `[{"name":"f","parameters":{"type":"dict"}}]`, wantsConfig},
		{"no reference", name, "", actual(f("1"), ""), "null", tools, wantsConfig},
		{"two calls expected", name, "", actual(f("1"), ""), expected("["+f("1")+","+f("1")+"]", "null"), tools, wantsConfig},
		{"an empty list is no call", name, "", actual("[]", ""), expected("null", "null"), tools, `{"schema_ok":null,"ast_ok":true}`},
		{"two calls made, none right", name, "", actual("["+f("1")+","+f("1")+"]", ""), expected("null", "null"), tools,
			`{"schema_ok":false,"ast_ok":false}`},
		{"the reason", name, "", actual(f(`"x"`), ""), expected(f("1"), "null"), tools,
			`{"reason":"schema failed, ast failed, execution unknown: /a is a string, must be integer"}`},
		{"formats are asserted", name, "", actual(f(`"x"`), ""), expected(f(`"x"`), "null"), dated, `{"schema_ok":false,"ast_ok":false}`},
		{"formats are ignored", name, `{"assert_format":false}`, actual(f(`"x"`), ""), expected(f(`"x"`), "null"), dated,
			`{"schema_ok":true,"ast_ok":true}`},
		{"two calls made", name, "", actual("["+f("1")+","+f("1")+"]", ""), expected(f("1"), "null"), tools, `{"schema_ok":false,"ast_ok":false}`},
		{"bare calls", name, "", f("1"), f("1"), tools, `{"schema_ok":true,"ast_ok":true,"exec_ok":null}`},
		{"a bare call of OpenAI's form", name, "", `{"type":"function","function":{"name":"f","arguments":"{\"a\":2}"}}`, f("1"), tools, `{"schema_ok":true,"ast_ok":false}`},
		{"a bare call against none", name, "", f("1"), expected("null", "null"), tools, `{"ast_ok":false}`},
		{"nothing made, no key", name, "", `{"final_state":{}}`, expected(f("1"), "{}"), tools, wantsConfig},
		{"none right, no key", name, "", actual(f("1"), ""), `{"state":{}}`, tools, wantsConfig},
		{"no side", name, "", `null`, expected("null", "null"), tools, wantsConfig},
		{"numbers in text", name, `{"stringify":true}`, actual(`{"name":"f","arguments":{"b":"1.0"}}`, ""), expected(`{"name":"f","arguments":{"b":1}}`, "null"), tools, `{"ast_ok":true}`},
		{"numbers in text, json", name, `{"stringify":true,"ast_mode":"json"}`, actual(f("1"), ""), expected(f("1"), "null"), tools, wantsConfig},
	})
}

// TestStringify: text and values compare as trimmed text, and as numbers where both
// read as one.
func TestStringify(t *testing.T) {
	const name, on = "ast_equivalence", `{"stringify":true}`
	arg := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `}}` }
	const same, other = `{"equivalent":true}`, `{"equivalent":false}`
	checkRules(t, []rule{
		{"without it", name, "", arg(`"1.0"`), arg("1"), "", other},
		{"a number in text", name, on, arg(`"1.0"`), arg("1"), "", same},
		{"two numbers in text", name, on, arg(`" 1e2 "`), arg(`"100"`), "", same},
		{"digits count", name, on, arg(`"9007199254740993"`), arg("9007199254740992"), "", other},
		{"no JSON number", name, on, arg(`"01"`), arg("1"), "", other},
		{"no JSON number either", name, on, arg(`"+1"`), arg("1"), "", other},
		{"trimmed text", name, on, arg(`" x "`), arg(`"x"`), "", same},
		{"case counts", name, on, arg(`"X"`), arg(`"x"`), "", other},
		{"a bool and its text", name, on, arg(`"true"`), arg("true"), "", same},
		{"a bool is no number", name, on, arg("true"), arg("1"), "", other},
		{"null and its text", name, on, arg(`"null"`), arg("null"), "", same},
		{"inside lists and objects", name, on, arg(`[{"k":"2.50"}]`), arg(`[{"k":2.5}]`), "", same},
		{"keys stay", name, on, arg(`{"1.0":1}`), arg(`{"1":1}`), "", other},
		{"null is not absent", name, on, `{"name":"f"}`, arg("null"), "", other},
		{"with json", name, `{"stringify":true,"mode":"json"}`, arg("1"), arg("1"), "", wantsConfig},
		{"with bfcl", name, `{"stringify":true,"mode":"bfcl"}`, arg("1"), arg("1"), "", wantsConfig},
	})
}

func TestReachedState(t *testing.T) {
	const name, tau = "execution_check", `{"preset":"tau_bench"}`
	checkRules(t, []rule{
		{"no state reached", name, "", `{}`, `{"state":{}}`, "", wantsConfig},
		{"null is a state", name, "", `{"final_state":null}`, `{"state":null}`, "", `{"exec_ok":true}`},
		{"an error", name, "", `{"exec_error":true}`, `{"state":{}}`, "", `{"exec_ok":false}`},
		{"ended", name, tau, `{"final_state":{},"terminated":true}`, `{"state":{}}`, "", `{"reward":1}`},
		{"cut off", name, tau, `{"final_state":{},"terminated":false}`, `{"state":{}}`, "", `{"reward":0,"state_ok":true,"reason":"state as expected, the run did not end by itself"}`},
		{"nobody knows", name, tau, `{"final_state":{}}`, `{"state":{}}`, "", `{"reward":1}`},
	})
}

func TestRelevanceRules(t *testing.T) {
	checkRules(t, []rule{
		{"called rightly", "call_relevance", "", `"g()"`, `"f()"`, "", `{"score":1,"case":"relevance"}`},
		{"kept still wrongly", "call_relevance", "", `"hello"`, `"f()"`, "", `{"score":0}`},
		{"kept still rightly", "call_relevance", "", `"hello"`, `[]`, "", `{"score":1,"case":"irrelevance"}`},
		{"called wrongly", "call_relevance", "", `"f()"`, `[]`, "", `{"score":0,"calls_made":1}`},
		{"no reference", "call_relevance", "", `"f()"`, `null`, "", wantsConfig},
	})
}

func TestExpectedMatchRules(t *testing.T) {
	checkRules(t, []rule{
		{"one of two", ExpectedCallMatch.Name, "", `"[g(a=1), f(a=1)]"`, `"[f(a=1), g(a=2)]"`, "", `{"score":0.5,"calls":[{"expected_index":1,"pair_score":0.7,"exact":false},{"expected_index":0,"pair_score":1,"exact":true}]}`},
		{"an exact pair outweighs near ones", ExpectedCallMatch.Name, "", `"[f(a=1), f(a=1, b=2)]"`, `"[f(a=1, b=2), f(c=1)]"`, "", `{"score":0.5,"calls":[{"expected_index":1,"pair_score":0.4,"exact":false},{"expected_index":0,"pair_score":1,"exact":true}]}`},
		{"no call is right", ExpectedCallMatch.Name, "", `"f()"`, `[]`, "", `{"score":0,"calls":[{"expected_index":null,"pair_score":0,"exact":false}]}`},
		{"one too many", ExpectedCallMatch.Name, "", `"[f(), f()]"`, `"f()"`, "", `{"score":0.5}`},
		{"an extra argument", ExpectedCallMatch.Name, "", `"f(a=1, b=2)"`, `"f(a=1)"`, "", `{"score":0,"calls":[{"expected_index":0,"pair_score":1,"exact":false}]}`},
		{"no call made", ExpectedCallMatch.Name, "", `[]`, `"f()"`, "", `{"score":null,"reason":"no call was made"}`},
		{"an expected call without a name", ExpectedCallMatch.Name, "", `"f()"`, `[{"arguments":{"a":1}}]`, "", wantsConfig},
	})
}

func TestRecoveryRules(t *testing.T) {
	call, result, say := agentCalls, toolSays, agentSays
	class := func(class string) string { return `{"failures":1,"counts":{"` + class + `":1}}` }
	checkRules(t, []rule{
		{"no error", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "fine"), say("Done.")), "", "", `{"score":null,"failures":0}`},
		{"blind retry", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: no"), call("2", "f", "{}"), result("2", "Error: no"), say("Sorry, it failed.")), "", "", `{"failures":2,"counts":{"blind_retry":1,"told_user":1},"score":0.5}`},
		{"transient", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: busy"), call("2", "f", "{}"), result("2", "fine")), "", "", class("recovered")},
		{"changed and right", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "ValueError: x"), call("2", "f", `{\"a\":1}`), result("2", "fine")), "", "", `{"score":1,"counts":{"recovered":1}}`},
		{"changed and wrong", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), call("2", "f", `{\"a\":1}`), result("2", "Error: y"), say("All done!")), "", "", `{"score":0.25,"counts":{"changed_retry_failed":1,"ignored":1}}`},
		{"told", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), say("I could not find it.")), "", "", class("told_user")},
		{"ignored", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), say("Your order is cancelled.")), "", "", `{"score":0,"counts":{"ignored":1},"events":[{"call_index":0,"message_index":1,"tool":"f","class":"ignored","retry":null,"evidence":"Error: x","reaction":"Your order is cancelled."}]}`},
		{"other tool", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), call("2", "g", "{}"), result("2", "fine")), "", "", `{"score":null,"counts":{"other_tool":1}}`},
		{"the log ends", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), result("1", "Error: x")), "", "", `{"score":null,"counts":{"log_ends":1}}`},
		{"marked", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), `{"role":"tool","tool_call_id":"1","content":"nope","is_error":true}`, say("Done.")), "", "", class("ignored")},
		{"the reason counts", ErrorRecovery.Name, "", talk(call("1", "f", "{}"), `{"role":"tool","tool_call_id":"1","content":"nope","is_error":true}`, say("Done.")), "", "", `{"reason_contains":["1 ignored"]}`},
		{"without ids", ErrorRecovery.Name, "", talk(`{"role":"assistant","tool_calls":[{"name":"f"},{"name":"g"}]}`, `{"role":"tool","content":"fine"}`, `{"role":"tool","content":"Error: x"}`, say("Done.")), "", "", `{"events":[{"call_index":1,"message_index":2,"tool":"g","class":"ignored","retry":null,"evidence":"Error: x","reaction":"Done."}]}`},
	})
	const caches = `[{"name":"web_search"},{"name":"cache_lookup"}]`
	const cached = `{"reads":[],"equivalents":[{"prefer":"cache_lookup","over":"web_search"}]}`
	const conditioned = `{"reads":[],"equivalents":[{"prefer":"cache_lookup","over":"web_search","if":{"q":"^order"}}]}`
	wasted := func(score, rules string) string { return `{"score":` + score + `,"wasted":[` + rules + `]}` }
	checkRules(t, []rule{
		{"no call", "tool_efficiency", "", talk(say("Hi.")), "", "", `{"score":null}`},
		{"nothing wasted", "tool_efficiency", "", talk(call("1", "get_order", "{}"), result("1", `{\"state\":\"shipped\"}`), say("It is Shipped.")), "", "", `{"score":1,"calls":1,"wasted":[],"failed_calls":0,"failed_share":0,"by_tool":{"get_order":{"calls":1,"wasted":0,"value":1}}}`},
		{"repeated after success", "tool_efficiency", "", talk(call("1", "pay", "{}"), result("1", "fine"), call("2", "pay", "{}"), result("2", "Error: x"), call("3", "pay", "{}")), "", "", wasted("0.33333333", `{"call_index":1,"message_index":2,"tool":"pay","rule":"repeated_after_success","of":0},{"call_index":2,"message_index":4,"tool":"pay","rule":"repeated_after_success","of":0}`)},
		{"repeated without an error between", "tool_efficiency", "", talk(call("1", "pay", "{}"), call("2", "pay", "{}"), result("1", "fine"), result("2", "fine")), "", "", wasted("0.5", `{"call_index":1,"message_index":1,"tool":"pay","rule":"repeated","of":0}`)},
		{"tried again after an error", "tool_efficiency", "", talk(call("1", "pay", "{}"), result("1", "Error: busy"), call("2", "pay", "{}"), result("2", "fine")), "", "", `{"score":1,"wasted":[],"failed_calls":1,"failed_share":0.5}`},
		{"a result that nobody uses", "tool_efficiency", "", talk(call("1", "get_order", "{}"), result("1", `{\"state\":\"shipped\"}`), say("Anything else?")), "", "", wasted("0", `{"call_index":0,"message_index":0,"tool":"get_order","rule":"unused_result","of":null}`)},
		{"a number in an argument", "tool_efficiency", "", talk(call("1", "findOrder", "{}"), result("1", `{\"id\":4711}`), call("2", "pay", `{\"id\":\"#4711\"}`)), "", "", `{"score":1}`},
		{"a number with commas", "tool_efficiency", "", talk(call("1", "get_total", "{}"), result("1", `{\"sum\":1234.5}`), say("That is $1,234.50.")), "", "", `{"score":1}`},
		{"values too short to tell", "tool_efficiency", "", talk(call("1", "get_order", "{}"), result("1", `{\"n\":12,\"s\":\"abc\"}`), say("Anything else?")), "", "", `{"score":1}`},
		{"a tool that writes", "tool_efficiency", "", talk(call("1", "create_order", "{}"), result("1", `{\"id\":4711}`), say("Done.")), "", "", `{"score":1}`},
		{"tools named", "tool_efficiency", `{"reads":["create_order"]}`, talk(call("1", "create_order", "{}"), result("1", `{\"id\":4711}`), say("Done.")), "", "", `{"score":0}`},
		{"a tool marked as reading", "tool_efficiency", "", talk(call("1", "create_order", "{}"), result("1", `{\"id\":4711}`), say("Done.")), "", `[{"name":"create_order","annotations":{"readOnlyHint":true}}]`, `{"score":0}`},
		{"an equivalent never tried", "tool_efficiency", cached, talk(call("1", "web_search", `{\"q\":\"a\"}`), say("Hi.")), "", caches, `{"score":0,"equivalent_calls":1,"wasted":[{"call_index":0,"message_index":0,"tool":"web_search","rule":"equivalent","of":null,"prefer":"cache_lookup"}],"reason":"1 of 1 calls were wasted; call 0 of web_search: cache_lookup would have done"}`},
		{"an equivalent tried later", "tool_efficiency", cached, talk(call("1", "web_search", "{}"), call("2", "cache_lookup", "{}")), "", caches, `{"score":1,"equivalent_calls":0,"wasted":[]}`},
		{"an equivalent that the agent has not", "tool_efficiency", cached, talk(call("1", "web_search", "{}")), "", `[{"name":"web_search"}]`, `{"score":1}`},
		{"a repeat is no equivalent too", "tool_efficiency", cached, talk(call("1", "web_search", "{}"), call("2", "web_search", "{}")), "", caches, `{"score":0,"equivalent_calls":1,"by_tool":{"web_search":{"calls":2,"wasted":2,"value":0}}}`},
		{"an equivalent under a condition", "tool_efficiency", conditioned, talk(call("1", "cache_lookup", "{}"), call("2", "web_search", `{\"q\":\"order 7\"}`)), "", caches, `{"score":0.5,"equivalent_calls":1}`},
		{"a condition that does not hold", "tool_efficiency", conditioned, talk(call("1", "web_search", `{\"q\":\"weather\"}`), call("2", "web_search", "{}")), "", caches, `{"score":1}`},
		{"an equivalent without a name", "tool_efficiency", `{"equivalents":[{"over":"web_search"}]}`, talk(say("Hi.")), "", "", wantsConfig},
		{"an equivalent of itself", "tool_efficiency", `{"equivalents":[{"prefer":"a","over":"a"}]}`, talk(say("Hi.")), "", "", wantsConfig},
		{"an equivalent misspelt", "tool_efficiency", `{"equivalents":[{"prefer":"a","over":"b","iff":{}}]}`, talk(say("Hi.")), "", "", wantsConfig},
		{"a condition that is none", "tool_efficiency", `{"equivalents":[{"prefer":"a","over":"b","if":{"q":"("}}]}`, talk(say("Hi.")), "", "", wantsConfig},
		{"no messages", "tool_efficiency", "", `"hello"`, "", "", wantsConfig},
		{"no message", "error_recovery", "", `[1]`, "", "", wantsConfig},
		{"bad setting", "tool_efficiency", `{"reads":"x"}`, talk(say("x")), "", "", wantsConfig},
	})
}
