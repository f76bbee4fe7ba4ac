package deterministic

import "testing"

// checkAnswers compares whole answers: the result, or the kind of the error and its message.
func checkAnswers(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			r := r
			want := r.want
			r.want = "null"
			out, err := scoreCase([]byte(r.line()))
			if err != nil {
				t.Fatal(err)
			}
			got := parse(t, string(out))
			answer := got.Field("result").JSON()
			if e, failed := got.Get("error"); failed {
				answer = e.Field("kind").Text() + ": " + e.Field("message").Text()
			}
			if answer != want {
				t.Errorf("\ngot  %s\nwant %s", answer, want)
			}
		})
	}
}

// TestAnswersOfCalls: the whole answers of the scorers that compare calls with expected ones.
func TestAnswersOfCalls(t *testing.T) {
	const acc, exact, match, cover = "function_call_accuracy", "function_call_exact_match", "expected_call_match", "function_call_coverage"
	const name, relevance, ast = "function_name_match", "call_relevance", "ast_equivalence"
	const ordered, compat, reuse = `{"order_matters":true}`, `{"compat":"futureagi"}`, `{"matching":"reuse"}`
	const precision = `{"extra_call_penalty":"precision"}`
	checkAnswers(t, []rule{
		// f is right, one of its two parameters is there, with another value: 0.4 + 0.3/2.
		{"one call", acc, "", `"f(a=1)"`, `"f(a=2, b=3)"`, "",
			`{"score":0.55,"name_score":1.0,"params_score":0.5,"values_score":0.0,"not_called":[],` +
				`"reason":"name: 100%, params: 50%, values: 0%"}`},
		{"no parameters", acc, "", `"f()"`, `"f()"`, "",
			`{"score":1.0,"name_score":1.0,"params_score":1.0,"values_score":1.0,"not_called":[],` +
				`"reason":"name: 100%, params: 100%, values: 100%"}`},
		{"none and none", acc, "", `[]`, `[]`, "",
			`{"score":1.0,"matched":0,"expected_count":0,"actual_count":0,"missing":[],"extra":[],` +
				`"not_called":[],"reason":"no call expected, none made"}`},
		{"none expected", acc, "", `"[f(), g()]"`, `[]`, "",
			`{"score":0.0,"matched":0,"expected_count":0,"actual_count":2,"missing":[],"extra":["f","g"],` +
				`"not_called":[],"reason":"no call expected, 2 made"}`},
		{"none made", acc, "", `[]`, `"[f(), g()]"`, "",
			`{"score":0.0,"matched":0,"expected_count":2,"actual_count":0,"missing":["f","g"],"extra":[],` +
				`"not_called":["f","g"],"reason":"no call made, 2 expected"}`},
		{"none made and none expected in compat mode", acc, compat, `[]`, `[]`, "",
			`{"score":0.0,"matched":0,"expected_count":0,"actual_count":0,"missing":[],"extra":[],` +
				`"not_called":[],"reason":"a side is empty or cannot be read"}`},
		{"another number in order", acc, ordered, `"[f()]"`, `"[f(), g()]"`, "",
			`{"score":0.0,"matched":0,"expected_count":2,"actual_count":1,"missing":["f","g"],"extra":["f"],` +
				`"not_called":["g"],"reason":"1 calls made, 2 expected; missing: ['f', 'g']"}`},
		{"two in order", acc, ordered, `"[f(a=1), h()]"`, `"[f(a=2), g()]"`, "",
			`{"score":0.65,"matched":2,"expected_count":2,"actual_count":2,"missing":[],"extra":[],` +
				`"not_called":["g"],"reason":"mean of 2 calls in order"}`},
		{"nothing matches in order", acc, ordered, `[{"x":1},{"y":2}]`, `"[f(a=2), g(b=1)]"`, "",
			`{"score":0.0,"matched":0,"expected_count":2,"actual_count":2,"missing":["f","g"],"extra":[null,` +
				`null],"not_called":["f","g"],"reason":"mean of 2 calls in order; missing: ['f', 'g']"}`},
		{"two of three", acc, "", `"[g(), f(a=1)]"`, `"[f(a=1), g(), h(c=1)]"`, "",
			`{"score":0.6667,"matched":2,"expected_count":3,"actual_count":2,"missing":["h"],"extra":[],` +
				`"not_called":["h"],"reason":"2 of 3 expected calls matched, mean of these 100%; missing: ['h']"}`},
		{"one too many", acc, precision, `"[g(), f(a=1), k(z=1)]"`, `"[f(a=1), g()]"`, "",
			`{"score":0.6667,"matched":2,"expected_count":2,"actual_count":3,"missing":[],"extra":["k"],` +
				`"not_called":[],"reason":"2 of 2 expected calls matched, mean of these 100%"}`},
		{"fewer than expected, with precision", acc, precision, `"[g(), f(a=1)]"`, `"[f(a=1), g(), h(c=1)]"`, "",
			`{"score":0.6667,"matched":2,"expected_count":3,"actual_count":2,"missing":["h"],"extra":[],` +
				`"not_called":["h"],"reason":"2 of 3 expected calls matched, mean of these 100%; missing: ['h']"}`},
		{"nothing matches", acc, "", `[{"x":1},{"y":2}]`, `"[f(a=2), g(b=1)]"`, "",
			`{"score":0.0,"matched":0,"expected_count":2,"actual_count":2,"missing":["f","g"],"extra":[null,` +
				`null],"not_called":["f","g"],"reason":"no expected call was matched; missing: ['f', 'g']"}`},
		{"one call for two", acc, reuse, `"[f(a=1), z(q=1)]"`, `"[f(a=1), f(a=2)]"`, "",
			`{"score":0.85,"matched":2,"expected_count":2,"actual_count":2,"missing":[],"extra":["z"],` +
				`"not_called":[],"reason":"2 of 2 expected calls matched, mean of these 85%"}`},
		{"reuse takes the better of two", acc, reuse, `"[f(a=1, b=1), f(a=1, b=2)]"`, `"[f(a=1, b=2), k(c=1)]"`,
			"",
			`{"score":0.5,"matched":1,"expected_count":2,"actual_count":2,"missing":["k"],"extra":["f"],` +
				`"not_called":["k"],"reason":"1 of 2 expected calls matched, mean of these 100%; missing: ['k']"}`},

		{"exact, none", exact, "", `[]`, `[]`, "", `{"score":1.0,"reason":"no call expected, none made"}`},
		{"exact, another number", exact, "", `"f()"`, `"[f(), g()]"`, "",
			`{"score":0.0,"reason":"1 calls made, 2 expected"}`},
		{"exact, in order", exact, ordered, `"[f(), g()]"`, `"[f(), g()]"`, "",
			`{"score":1.0,"reason":"all 2 calls are the expected ones, in order"}`},
		{"exact, two in another order", exact, ordered, `"[g(), f()]"`, `"[f(), g()]"`, "",
			`{"score":0.0,"reason":"call 0: Function name mismatch: got 'g', expected 'f'"}`},
		{"exact, compat with a list", exact, compat, `[{"name":"f"}]`, `{"name":"f"}`, "",
			`{"score":0.0,"reason":"one side is not a single call that can be read"}`},
		{"exact, compat with an expected list", exact, compat, `{"name":"f"}`, `[{"name":"f"}]`, "",
			`{"score":0.0,"reason":"one side is not a single call that can be read"}`},
		{"exact, one that cannot be read", exact, "", `[{"x":1}]`, `"f()"`, "",
			`{"score":0.0,"reason":"the call cannot be read"}`},

		{"match, none", match, "", `[]`, `"f()"`, "", `{"score":null,"reason":"no call was made"}`},
		{"match, none is right", match, "", `"f()"`, `[]`, "",
			`{"score":0.0,"calls":[{"expected_index":null,"pair_score":0.0,"exact":false}],` +
				`"reason":"0 of 1 calls are expected ones"}`},
		{"match, two of three", match, "", `"[f(a=1), f(a=2), g()]"`, `"[f(a=2), f(a=3)]"`, "",
			`{"score":0.3333333333333333,"calls":[{"expected_index":1,"pair_score":0.7,"exact":false},` +
				`{"expected_index":0,"pair_score":1.0,"exact":true},{"expected_index":null,"pair_score":0.0,` +
				`"exact":false}],"reason":"1 of 3 calls are expected ones"}`},
		{"match, an argument more", match, "", `"f(a=1, b=2)"`, `"f(a=1)"`, "",
			`{"score":0.0,"calls":[{"expected_index":0,"pair_score":1.0,"exact":false}],` +
				`"reason":"0 of 1 calls are expected ones"}`},
		{"match, one that cannot be read", match, "", `[{"x":1},{"name":"f"}]`, `"f()"`, "",
			`{"score":0.5,"calls":[{"expected_index":null,"pair_score":0.0,"exact":false},{"expected_index":0,` +
				`"pair_score":1.0,"exact":true}],"reason":"1 of 2 calls are expected ones"}`},

		{"name", name, "", `"f(a=1)"`, `"f()"`, "", `{"score":1.0,"reason":"got 'f', expected 'f'"}`},
		{"another name", name, "", `"f()"`, `"g()"`, "", `{"score":0.0,"reason":"got 'f', expected 'g'"}`},
		{"two names", name, "", `"[f(), g()]"`, `"f()"`, "",
			`{"score":0.0,"reason":"one side is not a single call that can be read"}`},
		{"two expected names", name, "", `"f()"`, `"[f(), g()]"`, "",
			`{"score":0.0,"reason":"one side is not a single call that can be read"}`},
		{"a name that cannot be read", name, "", `[{"x":1}]`, `"f()"`, "",
			`{"score":0.0,"reason":"one side is not a single call that can be read"}`},

		{"relevance, made", relevance, "", `"[f(), g()]"`, `"h()"`, "",
			`{"score":1.0,"case":"relevance","calls_made":2,"reason":"a call is right, 2 made"}`},
		{"relevance, not made", relevance, "", `[]`, `"h()"`, "",
			`{"score":0.0,"case":"relevance","calls_made":0,"reason":"a call is right, 0 made"}`},
		{"irrelevance, made", relevance, "", `"f()"`, `[]`, "",
			`{"score":0.0,"case":"irrelevance","calls_made":1,"reason":"no call is right, 1 made"}`},
		{"irrelevance, not made", relevance, "", `[]`, `[]`, "",
			`{"score":1.0,"case":"irrelevance","calls_made":0,"reason":"no call is right, 0 made"}`},

		{"coverage, none required", cover, `{"function_calls":[]}`, `["a"]`, "", "",
			`{"score":1.0,"all_required_calls_made":1.0,"required_calls_coverage":1.0,` +
				`"num_required_calls_made":0,"num_required_calls_not_made":0,"num_unrequired_calls":1,` +
				`"num_required_calls_total":0,"not_called":[],"reason":"0 of 0 required calls made"}`},
		{"coverage, one of three", cover, `{"function_calls":["a","b","b"]}`, `["c","a","a"]`, "", "",
			`{"score":0.0,"all_required_calls_made":0.0,"required_calls_coverage":0.3333333333333333,` +
				`"num_required_calls_made":1,"num_required_calls_not_made":2,"num_unrequired_calls":2,` +
				`"num_required_calls_total":3,"not_called":["b"],"reason":"1 of 3 required calls made, missing \"b\",` +
				` \"b\""}`},
		{"coverage, multiset", cover, `{"function_calls":["b","a","b"],"multiplicity":"multiset"}`,
			`["b","b","c","a"]`, "", "",
			`{"score":1.0,"all_required_calls_made":1.0,"required_calls_coverage":1.0,` +
				`"num_required_calls_made":3,"num_required_calls_not_made":0,"num_unrequired_calls":1,` +
				`"num_required_calls_total":3,"not_called":[],"reason":"3 of 3 required calls made"}`},
		{"coverage, in order", cover, `{"function_calls":["a","b"],"mode":"in_order"}`, `["b","a","c"]`, "", "",
			`{"score":0.0,"all_required_calls_made":0.0,"required_calls_coverage":1.0,` +
				`"num_required_calls_made":2,"num_required_calls_not_made":0,"num_unrequired_calls":1,` +
				`"num_required_calls_total":2,"not_called":[],"reason":"2 of 2 required calls made,` +
				` not in the required order"}`},
		{"coverage, the sample of the configuration", cover,
			`{"function_calls":"{{ sample.x }}","sample":{"x":["a"]}}`, `["a"]`, "", "",
			`{"score":1.0,"all_required_calls_made":1.0,"required_calls_coverage":1.0,` +
				`"num_required_calls_made":1,"num_required_calls_not_made":0,"num_unrequired_calls":0,` +
				`"num_required_calls_total":1,"not_called":[],"reason":"1 of 1 required calls made"}`},

		{"equivalent", ast, "", `"f(a=1)"`, `"f(a=1.0)"`, "",
			`{"score":1.0,"passed":true,"equivalent":true,"reason":"the calls are equivalent"}`},
		{"not equivalent", ast, "", `"f(a=1, c=2)"`, `"f(b=1, a=2)"`, "",
			`{"score":0.0,"passed":false,"equivalent":false,"reason":"the arguments of f differ: b is missing;` +
				` a is 1, expected 2; c is not expected"}`},
		{"other numbers of calls", ast, "", `"[f(), g()]"`, `"f()"`, "",
			`{"score":0.0,"passed":false,"equivalent":false,"reason":"2 calls, expected 1"}`},
		{"the second of two", ast, "", `"[f(), g()]"`, `"[f(), h()]"`, "",
			`{"score":0.0,"passed":false,"equivalent":false,"reason":"function \"g\", expected \"h\""}`},
		{"no call that can be read", ast, "", `[{"x":1}]`, `"f()"`, "",
			`{"score":0.0,"passed":false,"equivalent":false,"reason":"the call cannot be read"}`},
		{"stringified", ast, `{"stringify":true}`, `"f(a=' 1.0 ', b=True, c=None, d=2)"`,
			`"f(a=1, b='true', c='null', d='2')"`, "",
			`{"score":1.0,"passed":true,"equivalent":true,"reason":"the calls are equivalent"}`},
		{"stringified, a text that begins with a number", ast, `{"stringify":true}`, `"f(a='1 x')"`, `"f(a=1)"`,
			"",
			`{"score":0.0,"passed":false,"equivalent":false,"reason":"the arguments of f differ: a is '1 x',` +
				` expected 1"}`},
	})
}

// TestAnswersOfPresets: the whole answers of trajectory_match.
func TestAnswersOfPresets(t *testing.T) {
	const name = "trajectory_match"
	preset := func(preset, more string) string { return `{"preset":"` + preset + `"` + more + `}` }
	const unordered, subset, superset = `,"trajectory_match_mode":"unordered"`, `,"trajectory_match_mode":"subset"`, `,"trajectory_match_mode":"superset"`
	overrides := func(o string) string {
		return preset("agentevals", superset+`,"tool_args_match_overrides":`+o)
	}
	user, f1, f2 := `{"role":"user","content":"x"}`, agentCalls("1", "f", `{\"a\":1}`), agentCalls("1", "f", `{\"a\":2}`)
	f12 := agentCalls("1", "f", `{\"a\":1,\"b\":2}`)
	g := agentCalls("2", "g", `{}`)
	say := agentSays("Hello")
	const params = `,"evaluation_params":["input_parameters"]`
	const output = `,"evaluation_params":["output"]`
	const tau2 = "tau2_actions"
	checkAnswers(t, []rule{
		{"strict", name, preset("agentevals", ""), talk(user, f1), talk(user, f1), "",
			`{"score":1.0,"passed":true,"reason":"strict match"}`},
		{"strict, other numbers", name, preset("agentevals", ""), talk(user), talk(user, f1), "",
			`{"score":0.0,"passed":false,"reason":"no strict match: 1 messages, expected 2"}`},
		{"strict, other roles", name, preset("agentevals", ""), talk(user, f1), talk(f1, user), "",
			`{"score":0.0,"passed":false,"reason":"no strict match: message 0 is by \"user\",` +
				` expected \"assistant\""}`},
		{"strict, calls beside none", name, preset("agentevals", ""), talk(user, f1), talk(user, say), "",
			`{"score":0.0,"passed":false,"reason":"no strict match: message 1 has 1 tool calls, expected 0"}`},
		{"strict, other arguments", name, preset("agentevals", ""), talk(user, f1), talk(user, f2), "",
			`{"score":0.0,"passed":false,"reason":"no strict match: message 1: call of \"f\" is not expected"}`},
		{"unordered", name, preset("agentevals", unordered), talk(g, f1), talk(f1, g), "",
			`{"score":1.0,"passed":true,"reason":"unordered match"}`},
		{"unordered, one is missing", name, preset("agentevals", unordered), talk(g), talk(f1, g), "",
			`{"score":0.0,"passed":false,"reason":"no unordered match: expected call of f is not made"}`},
		{"unordered, one is not expected", name, preset("agentevals", unordered), talk(g, f1), talk(g), "",
			`{"score":0.0,"passed":false,"reason":"no unordered match: call of \"f\" is not expected"}`},
		{"subset", name, preset("agentevals", subset), talk(g), talk(f1, g), "",
			`{"score":1.0,"passed":true,"reason":"subset match"}`},
		{"subset, one is not expected", name, preset("agentevals", subset), talk(f2, g), talk(f1, g), "",
			`{"score":0.0,"passed":false,"reason":"no subset match: call of \"f\" is not expected"}`},
		{"superset", name, preset("agentevals", superset), talk(f1, g), talk(g), "",
			`{"score":1.0,"passed":true,"reason":"superset match"}`},
		{"superset, one is missing", name, preset("agentevals", superset), talk(f1), talk(g), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of g is not made"}`},
		{"messages under a key", name, preset("agentevals", ""), `{"messages":` + talk(user) + `}`,
			`{"messages":` + talk(user) + `}`, "", `{"score":1.0,"passed":true,"reason":"strict match"}`},
		{"ignored arguments", name, overrides(`{"f":"ignore"}`), talk(f1), talk(f2), "",
			`{"score":1.0,"passed":true,"reason":"superset match"}`},
		{"a subset of the arguments", name, overrides(`{"f":"subset"}`), talk(f1), talk(f12), "",
			`{"score":1.0,"passed":true,"reason":"superset match"}`},
		{"no subset of the arguments", name, overrides(`{"f":"subset"}`), talk(f12), talk(f1), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of f is not made"}`},
		{"a superset of the arguments", name, overrides(`{"f":"superset"}`), talk(f12), talk(f1), "",
			`{"score":1.0,"passed":true,"reason":"superset match"}`},
		{"no superset of the arguments", name, overrides(`{"f":"superset"}`), talk(f1), talk(f12), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of f is not made"}`},
		{"exact arguments", name, overrides(`{"f":"exact"}`), talk(f1), talk(f12), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of f is not made"}`},
		{"a key path", name, overrides(`{"f":["a"]}`), talk(f1), talk(f12), "",
			`{"score":1.0,"passed":true,"reason":"superset match"}`},
		{"another value at a key path", name, overrides(`{"f":["b","a"]}`), talk(f1), talk(f2), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of f is not made"}`},
		{"an override of another tool", name, overrides(`{"g":"ignore"}`), talk(f1), talk(f2), "",
			`{"score":0.0,"passed":false,"reason":"no superset match: expected call of f is not made"}`},

		{"adk", name, preset("adk", ""), `{"invocations":[["f()"],["g()"],["h()"]]}`,
			`{"invocations":[["f()"],["f()"]]}`, "",
			`{"score":0.5,"passed":false,"per_invocation":[1.0,0.0],"reason":"1 of 2 invocations match (EXACT)"}`},
		{"adk, a threshold", name, preset("adk", `,"threshold":0.5,"match_type":"IN_ORDER"`),
			`{"invocations":[["f()"],["g()"]]}`, `{"invocations":[["f()"],["f()"]]}`, "",
			`{"score":0.5,"passed":true,"per_invocation":[1.0,0.0],"reason":"1 of 2 invocations match (IN_ORDER)"}`},
		{"adk, names only", name, preset("adk", `,"ignore_args":true`), `{"invocations":[["f(a=1)"]]}`,
			`{"invocations":[["f()"]]}`, "",
			`{"score":1.0,"passed":true,"per_invocation":[1.0],"reason":"1 of 1 invocations match (EXACT)"}`},
		{"adk, no pair", name, preset("adk", ""), `{"invocations":[]}`, `{"invocations":[["f()"]]}`, "",
			`{"score":null,"passed":null,"per_invocation":[],"reason":"no invocation is on both sides,` +
				` so there is nothing to score"}`},

		{"ragas", name, preset("ragas_tool_call_accuracy", ""), `"[f(a=1, b=2), g()]"`, `"[f(a=1, b=3), g()]"`, "",
			`{"score":0.75,"reason":"same names, arguments right to 75%"}`},
		{"ragas, none", name, preset("ragas_tool_call_accuracy", ""), `[]`, `[]`, "",
			`{"score":1.0,"reason":"no call was made and none expected"}`},
		{"ragas, none made", name, preset("ragas_tool_call_accuracy", ""), `[]`, `"f()"`, "",
			`{"score":0.0,"reason":"0 calls, expected 1"}`},
		{"ragas, none expected", name, preset("ragas_tool_call_accuracy", ""), `"f()"`, `[]`, "",
			`{"score":0.0,"reason":"1 calls, expected 0"}`},
		{"ragas, another order", name, preset("ragas_tool_call_accuracy", ""), `"[g(), f()]"`, `"[f(), g()]"`, "",
			`{"score":0.0,"reason":"the sequences of names differ"}`},
		{"ragas, another order that is free", name, preset("ragas_tool_call_accuracy", `,"strict_order":false`),
			`"[g(), f(b=2), f(b=1)]"`, `"[f(b=1), f(b=2), g()]"`, "",
			`{"score":1.0,"reason":"same names, arguments right to 100%"}`},
		{"ragas, arguments beside none", name, preset("ragas_tool_call_accuracy", ""), `"f(a=1)"`, `"f()"`, "",
			`{"score":0.0,"reason":"same names, arguments right to 0%"}`},
		{"ragas F1", name, preset("ragas_tool_call_f1", ""), `"[f(a=1), f(a=True), g(), h()]"`,
			`"[f(a=1), g(), k()]"`, "",
			`{"score":0.6667,"reason":"2 of 3 different calls are expected, 2 of 3 expected ones are made"}`},
		{"ragas F1, none", name, preset("ragas_tool_call_f1", ""), `[]`, `[]`, "",
			`{"score":0.0,"reason":"0 of 0 different calls are expected, 0 of 0 expected ones are made"}`},
		{"ragas F1, none expected", name, preset("ragas_tool_call_f1", ""), `"f()"`, `[]`, "",
			`{"score":0.0,"reason":"0 of 1 different calls are expected, 0 of 0 expected ones are made"}`},
		{"ragas F1, calls that cannot be read", name, preset("ragas_tool_call_f1", ""), `[{"x":1},{"x":1},"f()"]`,
			`"f()"`, "",
			`{"score":0.5,"reason":"1 of 3 different calls are expected, 1 of 1 expected ones are made"}`},

		{"deepeval", name, preset("deepeval", ""), `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"c"}]`, "",
			`{"score":0.5,"passed":true,"reason":"2 tools called, 2 expected"}`},
		{"deepeval, one of three", name, preset("deepeval", ""), `[{"name":"a"}]`,
			`[{"name":"a"},{"name":"b"},{"name":"c"}]`, "",
			`{"score":0.3333333333333333,"passed":false,"reason":"1 tools called, 3 expected"}`},
		{"deepeval, none", name, preset("deepeval", ""), `[]`, `[]`, "",
			`{"score":1.0,"passed":true,"reason":"0 tools called, 0 expected"}`},
		{"deepeval, none expected", name, preset("deepeval", ""), `[{"name":"a"}]`, `[]`, "",
			`{"score":0.0,"passed":false,"reason":"1 tools called, 0 expected"}`},
		{"deepeval, exact", name, preset("deepeval", `,"should_exact_match":true`), `[{"name":"a"},{"name":"b"}]`,
			`[{"name":"a"},{"name":"b"}]`, "", `{"score":1.0,"passed":true,"reason":"2 tools called, 2 expected"}`},
		{"deepeval, exact, other parameters", name, preset("deepeval", params+`,"should_exact_match":true`),
			`[{"name":"a","input_parameters":{"x":1,"y":1}}]`, `[{"name":"a","input_parameters":{"x":1,"y":2}}]`,
			"", `{"score":0.0,"passed":false,"reason":"1 tools called, 1 expected"}`},
		{"deepeval, in order", name, preset("deepeval", `,"should_consider_ordering":true`),
			`[{"name":"c"},{"name":"a"},{"name":"b"}]`, `[{"name":"a"},{"name":"b"},{"name":"c"}]`, "",
			`{"score":0.6666666666666666,"passed":true,"reason":"3 tools called, 3 expected"}`},
		{"deepeval, strict", name, preset("deepeval", `,"strict_mode":true`), `[{"name":"a"}]`,
			`[{"name":"a"},{"name":"b"}]`, "",
			`{"score":0.0,"passed":false,"reason":"1 tools called, 2 expected"}`},
		{"deepeval, strict and right", name, preset("deepeval", `,"strict_mode":true`), `[{"name":"a"}]`,
			`[{"name":"a"}]`, "", `{"score":1.0,"passed":true,"reason":"1 tools called, 1 expected"}`},
		{"deepeval, parameters", name, preset("deepeval", params),
			`[{"name":"a","input_parameters":{"x":1,"y":{"p":1,"q":2}}}]`,
			`[{"name":"a","input_parameters":{"x":1,"y":{"p":1,"q":3},"z":1}}]`, "",
			`{"score":0.5,"passed":true,"reason":"1 tools called, 1 expected"}`},
		{"deepeval, outputs", name, preset("deepeval", output),
			`[{"name":"a","output":1},{"name":"b","output":2}]`,
			`[{"name":"a","output":true},{"name":"b","output":3}]`, "",
			`{"score":0.5,"passed":true,"reason":"2 tools called, 2 expected"}`},
		{"deepeval, another type", name, preset("deepeval", ""), `[{"name":"a","type":"MCP"}]`, `[{"name":"a"}]`, "",
			`{"score":0.0,"passed":false,"reason":"1 tools called, 1 expected"}`},
		{"deepeval, equal calls are used up together", name, preset("deepeval", ""), `[{"name":"a"},{"name":"a"}]`,
			`[{"name":"a"},{"name":"a"}]`, "", `{"score":0.5,"passed":true,"reason":"2 tools called, 2 expected"}`},

		{"azure", name, preset("azure", ""), `"[f(), g()]"`, `{"names":["f","g"]}`, "",
			`{"score":1.0,"passed":true,"precision":1.0,"recall":1.0,"f1":1.0,"reason":"2 steps,` +
				` 2 expected (exact_match)"}`},
		{"azure, another order", name, preset("azure", ""), `"[g(), f()]"`, `{"names":["f","g"]}`, "",
			`{"score":0.0,"passed":false,"precision":1.0,"recall":1.0,"f1":1.0,"reason":"2 steps,` +
				` 2 expected (exact_match)"}`},
		{"azure, any order", name, preset("azure", `,"matching_mode":"any_order_match"`), `"[g(), h(), f()]"`,
			`{"names":[" f ","g"]}`, "",
			`{"score":1.0,"passed":true,"precision":0.6666666666666666,"recall":1.0,"f1":0.8,"reason":"3 steps,` +
				` 2 expected (any_order_match)"}`},
		{"azure, in order", name, preset("azure", `,"matching_mode":"in_order_match"`), `"[f(), h(), g(), g()]"`,
			`{"names":["f","g","k"]}`, "",
			`{"score":0.0,"passed":false,"precision":0.5,"recall":0.6666666666666666,"f1":0.5714285714285715,` +
				`"reason":"4 steps, 3 expected (in_order_match)"}`},
		{"azure, arguments", name, preset("azure", ""), `"[f(a=1), g(b=2)]"`,
			`{"names":["f","g"],"parameters":{"f":{"a":true}}}`, "",
			`{"score":0.0,"passed":false,"precision":0.5,"recall":0.5,"f1":0.5,"reason":"2 steps,` +
				` 2 expected (exact_match)"}`},
		{"azure, none made", name, preset("azure", ""), `[]`, `{"names":["f"]}`, "",
			`{"score":0.0,"passed":false,"precision":0.0,"recall":0.0,"f1":0.0,"reason":"0 steps,` +
				` 1 expected (exact_match)"}`},
		{"azure, a call that cannot be read", name, preset("azure", ""), `[{"name":"f","arguments":"{"}]`,
			`{"names":["f"],"parameters":{}}`, "",
			`{"score":0.0,"passed":false,"precision":0.0,"recall":0.0,"f1":0.0,"reason":"1 steps,` +
				` 1 expected (exact_match)"}`},

		{"tau2", name, preset(tau2, ""), `"[f(a=1, b=2), g()]"`,
			`[{"name":"f","arguments":{"a":1,"b":3},"compare_args":["a"]},{"name":"g","arguments":{"c":1},` +
				`"requestor":"user"},{"name":"h"}]`, "",
			`{"score":0.6666666666666666,"passed":false,"action_matches":[true,true,false],"missing":["h"],` +
				`"reason":"2 of 3 expected actions were made"}`},
		{"tau2, an argument that only one side has", name, preset(tau2, ""), `"f(a=1)"`,
			`[{"name":"f","arguments":{"b":1},"compare_args":["a"]},{"name":"f","arguments":{"a":1,"b":1},` +
				`"compare_args":["b"]}]`, "",
			`{"score":0.0,"passed":false,"action_matches":[false,false],"missing":["f","f"],` +
				`"reason":"0 of 2 expected actions were made"}`},
		{"tau2, no arguments count", name, preset(tau2, ""), `"f(a=1)"`,
			`[{"name":"f","arguments":{"a":2},"compare_args":[]}]`, "",
			`{"score":1.0,"passed":true,"action_matches":[true],"missing":[],` +
				`"reason":"1 of 1 expected actions were made"}`},
		{"tau2, an argument too many", name, preset(tau2, ""), `"f(a=1, b=2)"`,
			`[{"name":"f","arguments":{"a":1}}]`, "",
			`{"score":0.0,"passed":false,"action_matches":[false],"missing":["f"],` +
				`"reason":"0 of 1 expected actions were made"}`},
		{"tau2, the user's calls", name, preset(tau2, ""), `{"assistant":"f()","user":"g()"}`,
			`[{"name":"g","requestor":"user"},{"name":"f"}]`, "",
			`{"score":1.0,"passed":true,"action_matches":[true,true],"missing":[],` +
				`"reason":"2 of 2 expected actions were made"}`},
		{"tau2, nothing expected", name, preset(tau2, ""), `"f()"`, `[]`, "",
			`{"score":1.0,"passed":true,"action_matches":[],"missing":[],` +
				`"reason":"0 of 0 expected actions were made"}`},
	})
}
