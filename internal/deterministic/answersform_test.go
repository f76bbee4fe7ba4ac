package deterministic

import (
	"strings"
	"testing"
)

// TestAnswersOfForm: the whole answers of the scorers that check arguments by definitions.
func TestAnswersOfForm(t *testing.T) {
	const valid, check, layers = "parameter_validation", "schema_check", "three_layer"
	const sparc = `{"preset":"sparc_static"}`
	tool := func(s string) string { return `[{"name":"f","parameters":` + s + `}]` }
	arg := func(v string) string { return `{"name":"f","arguments":` + v + `}` }
	const two = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["x","y"]}},"required":["a"],"additionalProperties":false}`
	const date = `{"properties":{"a":{"type":"string","format":"date"}}}`
	const kinds = `{"properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array"}}}`
	const c1, c2 = `{"call":{"name":"f","arguments":{"a":1}}}`, `{"call":{"name":"f","arguments":{"a":2}}}`
	with := func(call, more string) string { return strings.TrimSuffix(call, "}") + `,` + more + `}` }
	checkAnswers(t, []rule{
		{"valid", valid, "", arg(`{"a":1,"b":"x"}`), "", tool(two),
			`{"score":1.0,"checks":2,"checks_passed":2,"reason":"all 2 checks passed"}`},
		{"nothing to check", valid, "", arg(`{}`), "", tool(`{}`),
			`{"score":1.0,"checks":0,"checks_passed":0,"reason":"all 0 checks passed"}`},
		{"three problems", valid, "", arg(`{"b":"z","c":1}`), "", tool(two),
			`{"score":0.0,"checks":3,"checks_passed":0,"reason":"missing required parameter 'a';` +
				` parameter 'b' is z, must be one of ['x', 'y']; unexpected parameter 'c'"}`},
		{"two calls", valid, "", `[` + arg(`{"a":"1"}`) + `,{"name":"g"}]`, "", tool(two),
			`{"score":0.25,"checks":2,"checks_passed":1,"reason":"parameter 'a' is a string, must be integer;` +
				` function 'g' is not defined"}`},
		{"undeclared of two calls", valid, "", `[` + arg(`{"z":1}`) + `,` + arg(`{"y":1}`) + `]`, "",
			tool(`{"properties":{"a":{}}}`),
			`{"score":1.0,"checks":2,"checks_passed":2,"reason":"all 2 checks passed; not declared,` +
				` and allowed by the open schema: {y, z}"}`},
		{"no call", valid, "", `"Hello"`, "", tool(two), `{"score":0.0,"reason":"no call that can be read"}`},
		{"a constant", valid, "", arg(`{"a":"it's","b":[1]}`), "",
			tool(`{"properties":{"a":{"const":"x"},"b":{"const":[2]}}}`),
			`{"score":0.0,"checks":2,"checks_passed":0,"reason":"parameter 'a' is it's, must be x;` +
				` parameter 'b' is [1], must be [2]"}`},
		{"compat, no tools", valid, `{"compat":"futureagi"}`, arg(`{}`), "", `[]`,
			`{"score":0.0,"reason":"no tool definitions"}`},
		{"compat, no single call", valid, `{"compat":"futureagi"}`, `[` + arg(`{}`) + `]`, "", tool(two),
			`{"score":0.0,"reason":"no single call that can be read"}`},

		{"schema", check, "", arg(`{"a":1}`), "", tool(two),
			`{"score":1.0,"schema_ok":true,"errors":[],"reason":"the arguments satisfy the schema"}`},
		{"two violations", check, "", arg(`{"a":"1","b":"z"}`), "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/a","keyword":"type","message":"is a string,` +
				` must be integer"},{"path":"/b","keyword":"enum","message":"is \"z\", must be one of [\"x\",` +
				`\"y\"]"}],"reason":"the arguments do not satisfy the schema: /a is a string,` +
				` must be integer (and 1 more)"}`},
		{"a violation of the whole", check, "", arg(`{}`), "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"","keyword":"required","message":"lacks \"a\""}],` +
				`"reason":"the arguments do not satisfy the schema: lacks \"a\""}`},
		{"no such tool", check, "", `"g()"`, "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"","keyword":"name",` +
				`"message":"no tool is called \"g\""}],` +
				`"reason":"the arguments do not satisfy the schema: no tool is called \"g\""}`},
		{"no single call", check, "", `"f(a=1), f(a=1)"`, "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"","keyword":"call",` +
				`"message":"is not a single call that can be read"}],` +
				`"reason":"the arguments do not satisfy the schema: is not a single call that can be read"}`},
		{"arguments that cannot be read", check, "", arg(`"{"`), "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"","keyword":"arguments",` +
				`"message":"cannot be read as an object"}],` +
				`"reason":"the arguments do not satisfy the schema: cannot be read as an object"}`},
		{"no parameters", check, "", arg(`{"a":1}`), "", `[{"name":"f"}]`,
			`{"score":1.0,"schema_ok":true,"errors":[],"reason":"the arguments satisfy the schema"}`},
		{"a format", check, "", arg(`{"a":"soon"}`), "", tool(date),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/a","keyword":"format","message":"is \"soon\",` +
				` which is no date"}],"reason":"the arguments do not satisfy the schema: /a is \"soon\",` +
				` which is no date"}`},
		{"a format that does not count", check, `{"assert_format":false}`, arg(`{"a":"soon"}`), "", tool(date),
			`{"score":1.0,"schema_ok":true,"errors":[],"reason":"the arguments satisfy the schema"}`},

		{"sparc", check, sparc, arg(`{"a":1}`), "", tool(two),
			`{"score":1.0,"schema_ok":true,"errors":[],"failed":[],"corrected_arguments":null,` +
				`"reason":"no static check failed"}`},
		{"sparc, no such function", check, sparc, `"g()"`, "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[],"failed":["non_existent_function"],` +
				`"corrected_arguments":null,"reason":"failed: non_existent_function"}`},
		{"sparc, no call", check, sparc, `[]`, "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[],"failed":["non_existent_function"],` +
				`"corrected_arguments":null,"reason":"failed: non_existent_function"}`},
		{"sparc, no tools", check, sparc, arg(`{}`), "", `[]`,
			`{"score":0.0,"schema_ok":false,"errors":[],"failed":["non_existent_function"],` +
				`"corrected_arguments":null,"reason":"failed: non_existent_function"}`},
		{"sparc, unknown and missing", check, sparc, arg(`{"b":"x","c":1,"d":2}`), "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"","keyword":"additionalProperties",` +
				`"message":"may not have \"c\", \"d\""},{"path":"","keyword":"required","message":"lacks \"a\""}],` +
				`"failed":["json_schema_validation","missing_required_parameter","non_existent_parameter"],` +
				`"corrected_arguments":{"b":"x"},"reason":"failed: json_schema_validation,` +
				` missing_required_parameter, non_existent_parameter: may not have \"c\", \"d\""}`},
		{"sparc, not allowed", check, sparc, arg(`{"a":1,"b":"z"}`), "", tool(two),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"enum","message":"is \"z\",` +
				` must be one of [\"x\",\"y\"]"}],"failed":["allowed_values_violation"],"corrected_arguments":null,` +
				`"reason":"failed: allowed_values_violation: /b is \"z\", must be one of [\"x\",\"y\"]"}`},
		{"sparc, another rule", check, sparc, arg(`{"a":"x"}`), "", tool(`{"properties":{"a":{"minLength":2}}}`),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/a","keyword":"minLength","message":"has length 1,` +
				` breaks minLength 2"}],"failed":["json_schema_validation"],"corrected_arguments":null,` +
				`"reason":"failed: json_schema_validation: /a has length 1, breaks minLength 2"}`},
		{"sparc, formats do not count", check, sparc, arg(`{"a":"soon"}`), "", tool(date),
			`{"score":1.0,"schema_ok":true,"errors":[],"failed":[],"corrected_arguments":null,` +
				`"reason":"no static check failed"}`},
		{"sparc, formats count", check, `{"preset":"sparc_static","assert_format":true}`, arg(`{"a":"soon"}`), "",
			tool(date),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/a","keyword":"format","message":"is \"soon\",` +
				` which is no date"}],"failed":["json_schema_validation"],"corrected_arguments":null,` +
				`"reason":"failed: json_schema_validation: /a is \"soon\", which is no date"}`},
		{"sparc, repaired", check, sparc, arg(`{"s":1,"i":"7","n":"1.5","b":"no","l":"x"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is a string,` +
				` must be boolean"},{"path":"/i","keyword":"type","message":"is a string, must be integer"},` +
				`{"path":"/l","keyword":"type","message":"is a string, must be array"},{"path":"/n","keyword":"type",` +
				`"message":"is a string, must be number"},{"path":"/s","keyword":"type","message":"is an integer,` +
				` must be string"}],"failed":["incorrect_parameter_type"],"corrected_arguments":{"s":"1","i":7,` +
				`"n":1.5,"b":false,"l":["x"]},"reason":"failed: incorrect_parameter_type: /b is a string,` +
				` must be boolean"}`},
		{"sparc, repaired otherwise", check, sparc, arg(`{"s":[true,null],"i":true,"n":false,"b":2,"l":1}`), "",
			tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is an integer,` +
				` must be boolean"},{"path":"/i","keyword":"type","message":"is a boolean, must be integer"},` +
				`{"path":"/l","keyword":"type","message":"is an integer, must be array"},{"path":"/n",` +
				`"keyword":"type","message":"is a boolean, must be number"},{"path":"/s","keyword":"type",` +
				`"message":"is an array, must be string"}],"failed":["incorrect_parameter_type"],` +
				`"corrected_arguments":{"s":"[True, None]","i":1,"n":0.0,"b":true,"l":[1]},` +
				`"reason":"failed: incorrect_parameter_type: /b is an integer, must be boolean"}`},
		{"sparc, more repairs", check, sparc, arg(`{"i":" -7.0 ","b":" ON "}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is a string,` +
				` must be boolean"},{"path":"/i","keyword":"type","message":"is a string, must be integer"}],` +
				`"failed":["incorrect_parameter_type"],"corrected_arguments":{"i":-7,"b":true},` +
				`"reason":"failed: incorrect_parameter_type: /b is a string, must be boolean"}`},
		{"sparc, a fraction is no integer", check, sparc, arg(`{"i":"7.5"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/i","keyword":"type","message":"is a string,` +
				` must be integer"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /i is a string, must be integer"}`},
		{"sparc, a boolean from zero", check, sparc, arg(`{"b":0,"i":"1_000"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is an integer,` +
				` must be boolean"},{"path":"/i","keyword":"type","message":"is a string, must be integer"}],` +
				`"failed":["incorrect_parameter_type"],"corrected_arguments":{"b":false,"i":1000},` +
				`"reason":"failed: incorrect_parameter_type: /b is an integer, must be boolean"}`},
		{"sparc, infinity", check, sparc, arg(`{"n":"inf"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/n","keyword":"type","message":"is a string,` +
				` must be number"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /n is a string, must be number"}`},
		{"sparc, an object is no list", check, sparc, arg(`{"l":{}}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/l","keyword":"type","message":"is an object,` +
				` must be array"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /l is an object, must be array"}`},
		{"sparc, null is no list", check, sparc, arg(`{"l":null}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/l","keyword":"type","message":"is null,` +
				` must be array"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /l is null, must be array"}`},
		{"sparc, a word is no boolean", check, sparc, arg(`{"b":"maybe"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is a string,` +
				` must be boolean"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /b is a string, must be boolean"}`},
		{"sparc, one of two repaired", check, sparc, arg(`{"b":"maybe","i":"1"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is a string,` +
				` must be boolean"},{"path":"/i","keyword":"type","message":"is a string, must be integer"}],` +
				`"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /b is a string, must be boolean"}`},
		{"sparc, an inner type", check, sparc, arg(`{"o":{"x":"1"}}`), "",
			tool(`{"properties":{"o":{"properties":{"x":{"type":"integer"}}}}}`),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/o/x","keyword":"type","message":"is a string,` +
				` must be integer"}],"failed":["incorrect_parameter_type"],"corrected_arguments":null,` +
				`"reason":"failed: incorrect_parameter_type: /o/x is a string, must be integer"}`},

		{"all three", layers, "", with(c1, `"final_state":{"x":1}`), with(c1, `"state":{"x":1}`), tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":true,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution passed"}`},
		{"another state", layers, "", with(c1, `"final_state":{"x":1,"y":1}`), with(c1, `"state":{"x":2}`),
			tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":false,"errors":[],"diff":[{"path":"/x",` +
				`"op":"changed"},{"path":"/y","op":"added"}],"reason":"schema passed, ast passed, execution failed"}`},
		{"an error", layers, "", with(c1, `"exec_error":true`), with(c1, `"state":{"x":2}`), tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":false,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution failed"}`},
		{"a final state only", layers, "", with(c1, `"final_state":{"x":1}`), c2, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":false,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast failed, execution unknown"}`},
		{"none made, one expected", layers, "", `{"call":null}`, c1, tool(two),
			`{"score":null,"schema_ok":false,"ast_ok":false,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema failed, ast failed, execution unknown"}`},
		{"none made and none expected", layers, "", `{"call":null}`, `{"call":null}`, "",
			`{"score":null,"schema_ok":null,"ast_ok":true,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema unknown, ast passed, execution unknown"}`},
		{"one made, none expected", layers, "", c1, `{"call":null}`, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":false,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast failed, execution unknown"}`},
		{"a wrong type", layers, "", `{"call":{"name":"f","arguments":{"a":"1"}}}`, c1, tool(two),
			`{"score":null,"schema_ok":false,"ast_ok":false,"exec_ok":null,"errors":[{"path":"/a",` +
				`"keyword":"type","message":"is a string, must be integer"}],"diff":[],"reason":"schema failed,` +
				` ast failed, execution unknown: /a is a string, must be integer"}`},
		{"a call alone", layers, "", `{"function":{"name":"f","arguments":{"a":1}}}`,
			`{"name":"f","arguments":{"a":1}}`, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution unknown"}`},
		{"two calls made", layers, "", `{"call":[` + arg(`{"a":1}`) + `,` + arg(`{"a":1}`) + `]}`, c1, tool(two),
			`{"score":null,"schema_ok":false,"ast_ok":false,"exec_ok":null,"errors":[{"path":"","keyword":"call",` +
				`"message":"is not a single call that can be read"}],"diff":[],"reason":"schema failed, ast failed,` +
				` execution unknown: is not a single call that can be read"}`},
		{"stripped", layers, `{"strip_whitespace":true}`, `{"call":{"name":"f","arguments":{"a":1,"b":"x"}}}`,
			`{"call":{"name":"f","arguments":{"a":1,"b":" x"}}}`, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution unknown"}`},
		{"stringified in three layers", layers, `{"stringify":true}`, c1,
			`{"call":{"name":"f","arguments":{"a":"1"}}}`, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution unknown"}`},
		{"as JSON", layers, `{"ast_mode":"json"}`, c1, `{"call":{"name":"f","arguments":{"a":1.0}}}`, tool(two),
			`{"score":null,"schema_ok":true,"ast_ok":false,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast failed, execution unknown"}`},
		{"a format that does not count in three layers", layers, `{"assert_format":false}`, arg(`{"a":"soon"}`),
			arg(`{"a":"soon"}`), tool(date),
			`{"score":null,"schema_ok":true,"ast_ok":true,"exec_ok":null,"errors":[],"diff":[],` +
				`"reason":"schema passed, ast passed, execution unknown"}`},
		{"a format that counts in three layers", layers, "", arg(`{"a":"soon"}`), arg(`{"a":"soon"}`), tool(date),
			`{"score":null,"schema_ok":false,"ast_ok":false,"exec_ok":null,"errors":[{"path":"/a",` +
				`"keyword":"format","message":"is \"soon\", which is no date"}],"diff":[],"reason":"schema failed,` +
				` ast failed, execution unknown: /a is \"soon\", which is no date"}`},
	})
	var words []rule
	for given, repaired := range map[string]string{
		"True": "true", "1": "true", "yes": "true", "on": "true", " FALSE ": "false", "0": "false", "no": "false", "off": "false",
	} {
		words = append(words, rule{"sparc, " + given, check, sparc, arg(`{"b":"` + given + `"}`), "", tool(kinds),
			`{"score":0.0,"schema_ok":false,"errors":[{"path":"/b","keyword":"type","message":"is a string,` +
				` must be boolean"}],"failed":["incorrect_parameter_type"],"corrected_arguments":{"b":` + repaired + `},` +
				`"reason":"failed: incorrect_parameter_type: /b is a string, must be boolean"}`})
	}
	checkAnswers(t, words)
}

// TestAnswersOfRuns: the whole answers of the scorers that read states, messages, events or a reply.
func TestAnswersOfRuns(t *testing.T) {
	const exec, recovery, efficiency, calls, verdict = "execution_check", "error_recovery", "tool_efficiency", "tool_calls", "rubric_verdict"
	const tau = `{"preset":"tau_bench"}`
	const intent, overall = `{"metric":"function_intent_alignment"}`, `{"metric":"overall_call_correctness"}`
	call, result, say := agentCalls, toolSays, agentSays
	ev := func(script string) string { return events(t, script).JSON() }
	pay := func(id, amount string) string { return call(id, "pay", `{\"amount\":`+amount+`}`) }
	const failed = "Error: timeout"
	checkAnswers(t, []rule{
		{"the state", exec, "", `{"final_state":{"a":[1]}}`, `{"state":{"a":[1]}}`, "",
			`{"score":1.0,"exec_ok":true,"diff":[],"reason":"the final state is the expected one"}`},
		{"three differences", exec, "", `{"final_state":{"a":1,"c":3}}`, `{"state":{"a":2,"b":2}}`, "",
			`{"score":0.0,"exec_ok":false,"diff":[{"path":"/a","op":"changed"},{"path":"/b","op":"removed"},` +
				`{"path":"/c","op":"added"}],"reason":"the final state differs in 3 places: /a changed"}`},
		{"an error", exec, "", `{"exec_error":true}`, `{"state":{}}`, "",
			`{"score":0.0,"exec_ok":false,"diff":[],"reason":"the execution ended in an error"}`},
		{"tau", exec, tau, `{"final_state":{"a":1,"b":[2]},"responses":["It costs 1,234.5 Dollars","Bye"]}`,
			`{"state":{"b":[2],"a":1},"outputs":["1234.5","dollars","x"]}`, "",
			`{"score":0.0,"reward":0.0,"exec_ok":false,"state_ok":true,"outputs":{"1234.5":true,"dollars":true,` +
				`"x":false},"reason":"state as expected, 2 of 3 outputs said"}`},
		{"tau, another state", exec, tau, `{"final_state":{"a":1}}`, `{"state":{"a":1.0}}`, "",
			`{"score":0.0,"reward":0.0,"exec_ok":false,"state_ok":false,"reason":"state not as expected"}`},
		{"tau, unfinished", exec, tau, `{"final_state":1,"terminated":false}`, `{"state":1,"outputs":[]}`, "",
			`{"score":0.0,"reward":0.0,"exec_ok":false,"state_ok":true,"reason":"state as expected,` +
				` the run did not end by itself"}`},

		{"recovered", recovery, "", talk(pay("1", "1"), result("1", failed), pay("2", "1"), result("2", "ok")), "",
			"",
			`{"score":1.0,"failures":1,"counts":{"recovered":1},"events":[{"call_index":0,"message_index":1,` +
				`"tool":"pay","class":"recovered","retry":"identical","evidence":"Error: timeout",` +
				`"reaction":"pay{\"amount\":1}"}],"tools":["pay"],"reason":"1 failed calls: 1 recovered"}`},
		{"recovered otherwise", recovery, "",
			talk(pay("1", "1"), result("1", failed), pay("2", "2"), result("2", "ok")), "", "",
			`{"score":1.0,"failures":1,"counts":{"recovered":1},"events":[{"call_index":0,"message_index":1,` +
				`"tool":"pay","class":"recovered","retry":"changed","evidence":"Error: timeout",` +
				`"reaction":"pay{\"amount\":2}"}],"tools":["pay"],"reason":"1 failed calls: 1 recovered"}`},
		{"failed twice", recovery, "",
			talk(pay("1", "1"), result("1", failed), pay("2", "1"), result("2", failed), say("I am sorry.")), "",
			"",
			`{"score":0.5,"failures":2,"counts":{"blind_retry":1,"told_user":1},"events":[{"call_index":0,` +
				`"message_index":1,"tool":"pay","class":"blind_retry","retry":"identical",` +
				`"evidence":"Error: timeout","reaction":"pay{\"amount\":1}"},{"call_index":1,"message_index":3,` +
				`"tool":"pay","class":"told_user","retry":null,"evidence":"Error: timeout",` +
				`"reaction":"I am sorry."}],"tools":["pay"],"reason":"2 failed calls: 1 blind_retry 1 told_user"}`},
		{"failed otherwise", recovery, "",
			talk(pay("1", "1"), result("1", failed), pay("2", "2"), result("2", failed), say("All done.")), "", "",
			`{"score":0.25,"failures":2,"counts":{"changed_retry_failed":1,"ignored":1},` +
				`"events":[{"call_index":0,"message_index":1,"tool":"pay","class":"changed_retry_failed",` +
				`"retry":"changed","evidence":"Error: timeout","reaction":"pay{\"amount\":2}"},{"call_index":1,` +
				`"message_index":3,"tool":"pay","class":"ignored","retry":null,"evidence":"Error: timeout",` +
				`"reaction":"All done."}],"tools":["pay"],` +
				`"reason":"2 failed calls: 1 changed_retry_failed 1 ignored"}`},
		{"another tool", recovery, "",
			talk(pay("1", "1"), result("1", failed), call("2", "ship", "{}"), result("2", "ok"), say("Sorry")), "",
			"",
			`{"score":null,"failures":1,"counts":{"other_tool":1},"events":[{"call_index":0,"message_index":1,` +
				`"tool":"pay","class":"other_tool","retry":null,"evidence":"Error: timeout","reaction":"ship"}],` +
				`"tools":["pay","ship"],"reason":"1 failed calls: 1 other_tool"}`},
		{"the log ends", recovery, "", talk(pay("1", "1"), result("1", failed)), "", "",
			`{"score":null,"failures":1,"counts":{"log_ends":1},"events":[{"call_index":0,"message_index":1,` +
				`"tool":"pay","class":"log_ends","retry":null,"evidence":"Error: timeout","reaction":""}],` +
				`"tools":["pay"],"reason":"1 failed calls: 1 log_ends"}`},
		{"the retry has no result", recovery, "", talk(pay("1", "1"), result("1", failed), pay("2", "1")), "", "",
			`{"score":null,"failures":1,"counts":{"log_ends":1},"events":[{"call_index":0,"message_index":1,` +
				`"tool":"pay","class":"log_ends","retry":"identical","evidence":"Error: timeout",` +
				`"reaction":"pay{\"amount\":1}"}],"tools":["pay"],"reason":"1 failed calls: 1 log_ends"}`},
		{"no failure", recovery, "", talk(pay("1", "1"), result("1", "ok")), "", "",
			`{"score":null,"failures":0,"counts":{},"events":[],"tools":["pay"],` +
				`"reason":"no tool result is an error"}`},

		{"no waste", efficiency, "", talk(pay("1", "1"), result("1", "ok"), pay("2", "2"), result("2", "ok")), "",
			"",
			`{"score":1.0,"calls":2,"wasted":[],"by_tool":{"pay":{"calls":2,"wasted":0,"value":1.0}},` +
				`"equivalent_calls":0,"failed_calls":0,"failed_share":0.0,"reason":"0 of 2 calls were wasted"}`},
		{"waste of two tools", efficiency, "",
			talk(pay("1", "1"), result("1", "ok"), pay("2", "1"), call("3", "get_order", "{}"), result("3", "shipped"), say("Hello")),
			"", "",
			`{"score":0.33333333333333337,"calls":3,"wasted":[{"call_index":1,"message_index":2,"tool":"pay",` + `"rule":"repeated_after_success","of":0},{"call_index":2,"message_index":3,"tool":"get_order",` + `"rule":"unused_result","of":null}],"by_tool":{"pay":{"calls":2,"wasted":1,"value":0.5},` + `"get_order":{"calls":1,"wasted":1,"value":0.0}},"equivalent_calls":0,"failed_calls":0,` + `"failed_share":0.0,"reason":"2 of 3 calls were wasted; call 1 of pay: repeated_after_success; call ` + `2 of get_order: unused_result"}`},
		{"a failure between repeats", efficiency, "",
			talk(pay("1", "1"), result("1", failed), pay("2", "1"), result("2", "ok")), "", "",
			`{"score":1.0,"calls":2,"wasted":[],"by_tool":{"pay":{"calls":2,"wasted":0,"value":1.0}},` +
				`"equivalent_calls":0,"failed_calls":1,"failed_share":0.5,"reason":"0 of 2 calls were wasted"}`},
		{"an equivalent", efficiency, `{"equivalents":[{"prefer":"find","over":"pay"}]}`,
			talk(pay("1", "1"), result("1", "ok")), "", `[{"name":"find"},{"name":"pay"}]`,
			`{"score":0.0,"calls":1,"wasted":[{"call_index":0,"message_index":0,"tool":"pay","rule":"equivalent",` +
				`"of":null,"prefer":"find"}],"by_tool":{"pay":{"calls":1,"wasted":1,"value":0.0}},` +
				`"equivalent_calls":1,"failed_calls":0,"failed_share":0.0,"reason":"1 of 1 calls were wasted;` +
				` call 0 of pay: find would have done"}`},
		{"an equivalent that was called", efficiency, `{"equivalents":[{"prefer":"find","over":"pay"}]}`,
			talk(pay("1", "1"), call("2", "find", "{}")), "", `[{"name":"find"},{"name":"pay"}]`,
			`{"score":1.0,"calls":2,"wasted":[],"by_tool":{"pay":{"calls":1,"wasted":0,"value":1.0},` +
				`"find":{"calls":1,"wasted":0,"value":1.0}},"equivalent_calls":0,"failed_calls":0,"failed_share":0.0,` +
				`"reason":"0 of 2 calls were wasted"}`},
		{"an equivalent for some arguments", efficiency,
			`{"equivalents":[{"prefer":"find","over":"pay","if":{"amount":"^1$"}}]}`,
			talk(pay("1", "1"), pay("2", "10"), call("3", "find", "{}")), "", `[{"name":"find"},{"name":"pay"}]`,
			`{"score":0.6666666666666667,"calls":3,"wasted":[{"call_index":0,"message_index":0,"tool":"pay",` +
				`"rule":"equivalent","of":null,"prefer":"find"}],"by_tool":{"pay":{"calls":2,"wasted":1,"value":0.5},` +
				`"find":{"calls":1,"wasted":0,"value":1.0}},"equivalent_calls":1,"failed_calls":0,"failed_share":0.0,` +
				`"reason":"1 of 3 calls were wasted; call 0 of pay: find would have done"}`},
		{"no call", efficiency, "", talk(say("Hello")), "", "", `{"score":null,"reason":"no call was made"}`},

		{"required", calls, `{"required":["a"],"sequence":["a"]}`, ev(`call 1 a; result 1 1`), "", "",
			`{"score":1.0,"passed":true,"missing":[],"violated":[],"sequence_matched":1,` +
				`"reason":"everything required was called, nothing disallowed"}`},
		{"everything is wrong", calls,
			`{"required":["c",{"name":"a","min_count":2}],"disallowed":["x","b"],"sequence":["b","a","b"]}`,
			ev(`call 1 a; result 1 1; call 2 b; result 2 1`), "", "",
			`{"score":0.0,"passed":false,"missing":[0,1],"violated":[1],"sequence_matched":1,` +
				`"reason":"missing: required[0] \"c\"; missing: required[1] {\"name\":\"a\",\"min_count\":2};` +
				` violated: disallowed[1] \"b\" by call 1 (b); not reached: sequence[1] \"a\"; not reached: ` +
				`sequence[2] \"b\""}`},

		{"a verdict", verdict, intent, `{"output":4,"confidence":0.9}`, "", "",
			`{"score":0.75,"important":true,"correct":true,"issue":false,"normalized":0.75,"schema_valid":false,` +
				`"reason":"output is within 3 to 5"}`},
		{"a low verdict", verdict, intent, `{"output":2,"confidence":0.9}`, "", "",
			`{"score":0.25,"important":true,"correct":false,"issue":true,"normalized":0.25,"schema_valid":false,` +
				`"reason":"output is not within 3 to 5"}`},
		{"a verdict off the scale", verdict, intent, `"{\"output\":99,\"confidence\":0.9}"`, "", "",
			`{"score":null,"important":true,"correct":false,"issue":true,"normalized":24.5,"schema_valid":false,` +
				`"reason":"output 99 is not on the scale of 1 to 5; output is not within 3 to 5"}`},
		{"a verdict as text", verdict, overall, `{"output":"0.7","confidence":"0.9"}`, "", "",
			`{"score":null,"important":true,"correct":true,"issue":false,"normalized":null,"schema_valid":false,` +
				`"reason":"output is within 0.7 to 1"}`},
	})
}
