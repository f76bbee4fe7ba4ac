package deterministic

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// TestWaste: which calls are wasted, by which rule, and which earlier call they repeat.
func TestWaste(t *testing.T) {
	const name = "tool_efficiency"
	call, result, say := agentCalls, toolSays, agentSays
	pay := func(id string) string { return call(id, "pay", "{}") }
	const shipped = `{\"state\":\"shipped\"}`
	wasted := func(at, message int, tool, rule, of string) string {
		return fmt.Sprintf(`{"call_index":%d,"message_index":%d,"tool":%q,"rule":%q,"of":%s}`, at, message, tool, rule, of)
	}
	checkRules(t, []rule{
		{"repeats the first success", name, "", talk(pay("1"), result("1", "fine"), pay("2"), result("2", "fine"), pay("3")),
			"", "", `{"score":0.333333333,"wasted":[` + wasted(1, 2, "pay", "repeated_after_success", "0") + `,` +
				wasted(2, 4, "pay", "repeated_after_success", "0") + `],
				"by_tool":{"pay":{"calls":3,"wasted":2,"value":0.333333333}}}`},
		{"repeats the latest call without a result", name, "", talk(pay("1"), pay("2"), pay("3")), "", "",
			`{"wasted":[` + wasted(1, 1, "pay", "repeated", "0") + `,` + wasted(2, 2, "pay", "repeated", "1") + `]}`},
		{"a repeat is not also an unused result", name, "", talk(call("1", "get_order", "{}"), result("1", shipped),
			call("2", "get_order", "{}"), result("2", shipped), say("Anything else?")), "", "",
			`{"score":0,"wasted":[` + wasted(0, 0, "get_order", "unused_result", "null") + `,` +
				wasted(1, 2, "get_order", "repeated_after_success", "0") + `]}`},
		{"two tools", name, "", talk(pay("1"), call("2", "ship", "{}"), pay("3")), "", "",
			`{"by_tool":{"pay":{"calls":2,"wasted":1,"value":0.5},"ship":{"calls":1,"wasted":0,"value":1}}}`},
		{"a tool of the inventory that is not marked", name, "", talk(call("1", "create_order", "{}"),
			result("1", `{\"id\":4711}`), say("Done.")), "", `[{"name":"create_order"}]`, `{"score":1}`},
		{"a reading tool in capitals", name, "", talk(call("1", "Search", "{}"), result("1", shipped), say("Hm.")), "", "",
			`{"score":0}`},
		{"a reading tool behind a dot", name, "", talk(call("1", "orders.getStatus", "{}"), result("1", shipped), say("Hm.")),
			"", "", `{"score":0}`},
		{"a reading tool behind a slash", name, "", talk(call("1", "orders.v1/get", "{}"), result("1", shipped), say("Hm.")),
			"", "", `{"score":0}`},
		{"an error is no result that is used", name, "", talk(call("1", "get_order", "{}"),
			result("1", "Error: timeout 12345"), say("Anything else?")), "", "", `{"score":1,"failed_calls":1}`},
		{"used by an argument, not by the text after it", name, "", talk(call("1", "get_order", "{}"),
			result("1", `{\"id\":4711}`), call("2", "pay", `{\"id\":\"#4711\"}`), say("Done.")), "", "", `{"score":1}`},
		{"nothing follows that could use it", name, "", talk(call("1", "get_order", "{}"), result("1", shipped)), "", "",
			`{"score":1}`},
		{"a value with a comma", name, "", talk(call("1", "get_city", "{}"), result("1", `{\"city\":\"Rome, Italy\"}`),
			say("It is Rome, Italy.")), "", "", `{"score":1}`},
	})
	const caches = `[{"name":"web_search"},{"name":"cache_lookup"}]`
	equivalents := func(e string) string { return `{"reads":[],"equivalents":[` + e + `]}` }
	when := func(condition string) string {
		return equivalents(`{"prefer":"cache_lookup","over":"web_search","if":` + condition + `}`)
	}
	search := func(args string) string { return talk(call("1", "web_search", args)) }
	checkRules(t, []rule{
		{"a call of a third tool", name, equivalents(`{"prefer":"cache_lookup","over":"web_search"}`),
			talk(call("1", "cache_flush", "{}")), "", caches, `{"score":1}`},
		{"a number matches by its text", name, when(`{"n":"^4"}`), search(`{\"n\":42}`), "", caches, `{"score":0,"equivalent_calls":1}`},
		{"an argument that is not there", name, when(`{"n":"."}`), search(`{}`), "", caches, `{"score":1}`},
		{"a null that is there", name, when(`{"n":"."}`), search(`{\"n\":null}`), "", caches, `{"score":0}`},
		{"prefer is a number", name, equivalents(`{"prefer":5,"over":"a"}`), search(`{}`), "", "", wantsConfig},
		{"over is a number", name, equivalents(`{"prefer":"a","over":5}`), search(`{}`), "", "", wantsConfig},
		{"prefer is empty", name, equivalents(`{"prefer":"","over":"a"}`), search(`{}`), "", "", wantsConfig},
		{"over is missing", name, equivalents(`{"prefer":"a"}`), search(`{}`), "", "", wantsConfig},
		{"a condition that is text", name, when(`"order"`), search(`{}`), "", "", wantsConfig},
		{"a condition without arguments", name, when(`{}`), search(`{}`), "", "", wantsConfig},
	})
	l, err := ForLog([]Config{{Type: name}})
	if err != nil {
		t.Fatal(err)
	}
	got := l.Score(conversation(t, "[]", "[]"))
	if len(got) != 1 || got[0].Status != score.NotApplicable || got[0].Explanation != "no call was made" {
		t.Errorf("%+v", got)
	}
}

// TestReadingTools: without a configuration a tool only reads if the inventory or the first word of its name says so.
func TestReadingTools(t *testing.T) {
	for name, want := range map[string]bool{
		"get": true, "find_order": true, "listOrders": true, "search2": true, "lookup": true, "look_up": true, "read": true,
		"fetch": true, "query": true, "show": true, "view": true, "check": true, "describe": true, "retrieve": true,
		"count": true, "browse": true, "orders.getOne": true, "a/b.find": true, "Get": true,
		"getter": false, "pay": false, "pay_get": false, "get.pay": false, "": false, "_get": false,
	} {
		if got := (&efficiency{}).readsOnly(nil, name); got != want {
			t.Errorf("%q only reads: %v", name, got)
		}
	}
	hint := func(hint string) *transcript.Tool {
		return &transcript.Tool{Raw: mustParse(t, `{"annotations":{"readOnlyHint":`+hint+`}}`)}
	}
	for _, tt := range []struct {
		reads []string
		tool  *transcript.Tool
		name  string
		want  bool
	}{
		{nil, hint("true"), "pay", true}, {nil, hint("false"), "pay", false}, {nil, hint("false"), "get", true},
		{[]string{"pay"}, nil, "pay", true}, {[]string{"pay"}, hint("true"), "get", false}, {[]string{}, nil, "get", false},
	} {
		if got := (&efficiency{reads: tt.reads}).readsOnly(tt.tool, tt.name); got != tt.want {
			t.Errorf("%v %s only reads: %v", tt.reads, tt.name, got)
		}
	}
}

// TestExactReasons: of several calls the reason names the first expected one that was not made.
func TestExactReasons(t *testing.T) {
	const name = "function_call_exact_match"
	reason := func(text string) string { return `{"score":0,"reason":"` + text + `"}` }
	checkRules(t, []rule{
		{"another value", name, "", `"[f(a=1), g()]"`, `"[g(), f(a=2)]"`, "",
			reason(`expected call 1 (f): Value mismatch for 'a': got 1, expected 2`)},
		{"not made", name, "", `"[g(), f()]"`, `"[g(), h()]"`, "", reason(`expected call 1 (h) was not made`)},
		{"one for two", name, "", `"[f(a=1), g()]"`, `"[f(a=1), f(a=1)]"`, "", reason(`the calls cannot be matched one to one`)},
		{"in order", name, `{"order_matters":true}`, `"[f(), f(a=1)]"`, `"[f(), f(a=2)]"`, "",
			reason(`call 1: Value mismatch for 'a': got 1, expected 2`)},
		{"two things at once", name, "", `"g(b=1, c=1)"`, `"f(a=1, b=2)"`, "",
			reason(`Function name mismatch: got 'g', expected 'f'; Parameter mismatch: missing: {a}, extra: {c}; ` +
				`Value mismatch for 'b': got 1, expected 2`)},
		{"equal", name, "", `"f(a=1)"`, `"f(a=1)"`, "", `{"score":1,"reason":"the call is the expected one"}`},
		{"all equal", name, "", `"[g(), f()]"`, `"[f(), g()]"`, "", `{"score":1,"reason":"all 2 calls are the expected ones"}`},
	})
}

// TestExpectedReasons: an exact pair is kept together, though all calls could be paired without it.
func TestExpectedReasons(t *testing.T) {
	const name = "expected_call_match"
	match := func(index, score, exact string) string {
		return `{"expected_index":` + index + `,"pair_score":` + score + `,"exact":` + exact + `}`
	}
	checkRules(t, []rule{
		{"an exact pair before two others", name, "", `"[f(a=1), f()]"`, `"[f(a=1), h(a=1)]"`, "",
			`{"score":0.5,"calls":[` + match("0", "1", "true") + `,` + match("null", "0", "false") + `],
			"reason":"1 of 2 calls are expected ones"}`},
	})
	for _, tt := range []struct{ made, expected, config, want, reason string }{
		{"f(a=1)", "f(a=1)", `{}`, "1 pass", "expected call 0: it is the expected call"},
		{"f(a=1)", "f(a=2)", `{}`, "0 fail", "expected call 0: Value mismatch for 'a': got 1, expected 2"},
		{"f()", "[]", `{}`, "0 fail", "no call is right here"},
		{"g(a=1)", "f(a=1)", `{}`, "not_applicable", outsideReference},
		{"g(z=1)", "f(a=1)", `{}`, "not_applicable", outsideReference},
		{"g(a=1)", "f(a=1)", `{"order_matters":true}`, "0 fail",
			"expected call 0: Function name mismatch: got 'g', expected 'f'"},
		{"g(a=1)", "f(a=1)", `{"compat":"futureagi"}`, "0 fail",
			"expected call 0: Function name mismatch: got 'g', expected 'f'"},
		{"f()", "", `{}`, "not_applicable", "the log holds no expected calls"},
	} {
		l, err := ForLog([]Config{{Type: name, Config: mustParse(t, tt.config)}})
		if err != nil {
			t.Fatal(err)
		}
		got := l.Score(conversation(t, tt.made, tt.expected))
		if diff := cmp.Diff([]string{name + " 0 " + tt.want}, lines(got)); diff != "" || got[0].Explanation != tt.reason {
			t.Errorf("%s, %s %s: %s %q", tt.made, tt.expected, tt.config, diff, got[0].Explanation)
		}
	}
	l, err := ForLog([]Config{{Type: name}})
	if err != nil {
		t.Fatal(err)
	}
	got := l.Score(allowing(t, conversation(t, "f(x=1)", "f(x=1)"), `{"x":[1,2]}`))
	if len(got) != 1 || got[0].Explanation != "the reference lists allowed values; ast_equivalence with mode: bfcl reads them" {
		t.Errorf("%+v", got)
	}
}

// TestLogStateForms: where a log may hold the states, what was said and how a run ended.
func TestLogStateForms(t *testing.T) {
	const tau = `{"preset":"tau_bench"}`
	for _, tt := range []struct{ name, config, extra, raw, want, reason string }{
		{"both in the log", `{}`, `{"final_state":{"a":1},"expected_state":{"a":2}}`, `null`, "0 fail",
			"the final state differs in 1 places: /a changed"},
		{"expected in the reference", `{}`, `{"final_state":{"a":1}}`, `{"state":{"a":1}}`, "1 pass",
			"the final state is the expected one"},
		{"the log's before the reference's", `{}`, `{"final_state":1,"expected_state":1}`, `{"state":2}`, "1 pass", ""},
		{"an error", `{}`, `{"exec_error":true,"expected_state":{}}`, `null`, "0 fail", "the execution ended in an error"},
		{"no error and no state", `{}`, `{"exec_error":false,"expected_state":{}}`, `null`, "error", ""},
		{"no final state", `{}`, `{"expected_state":{}}`, `null`, "not_applicable", noState},
		{"no expected state", `{}`, `{"final_state":{}}`, `null`, "not_applicable", noState},
		{"said by the agent", tau, `{"final_state":1,"expected_state":1}`, `null`, "1 pass",
			"state as expected, 1 of 1 outputs said"},
		{"said by the user only", tau, `{"final_state":1,"expected_state":1,"say":"user"}`, `null`, "0 fail",
			"state as expected, 0 of 1 outputs said"},
		{"cut off", tau, `{"final_state":1,"expected_state":1,"terminated":false}`, `null`, "0 fail",
			"state as expected, 1 of 1 outputs said, the run did not end by itself"},
		{"ended", tau, `{"final_state":1,"expected_state":1,"terminated":true}`, `null`, "1 pass",
			"state as expected, 1 of 1 outputs said"},
	} {
		l, err := ForLog([]Config{{Type: "execution_check", Config: mustParse(t, tt.config)}})
		if err != nil {
			t.Fatal(err)
		}
		c := conversation(t, "f()", "f()")
		c.Extra, c.Expected.Raw = mustParse(t, tt.extra), mustParse(t, tt.raw)
		if tt.config == tau {
			c.Expected.Outputs = []string{"327"}
		}
		role := transcript.Assistant
		if c.Extra.Field("say").Text() == "user" {
			role = transcript.User
		}
		c.Messages = append(c.Messages, transcript.Message{Role: role, Content: "It is 327.", HasContent: true, Result: -1})
		got := l.Score(c)
		if diff := cmp.Diff([]string{"execution_check - " + tt.want}, lines(got)); diff != "" ||
			tt.reason != "" && got[0].Explanation != tt.reason {
			t.Errorf("%s: %s %q", tt.name, diff, got[0].Explanation)
		}
	}
	checkRules(t, []rule{
		{"outputs are no list", "execution_check", tau, `{"final_state":1}`, `{"state":1,"outputs":"x"}`, "", wantsConfig},
		{"outputs count with the preset only", "execution_check", "", `{"final_state":1}`, `{"state":1,"outputs":"x"}`, "",
			`{"exec_ok":true}`},
		{"no outputs", "execution_check", tau, `{"final_state":1}`, `{"state":1}`, "", `{"reward":1,"reason":"state as expected"}`},
		{"one difference", "execution_check", "", `{"final_state":{"a":1}}`, `{"state":{}}`, "",
			`{"reason":"the final state differs in 1 places: /a added"}`},
	})
}
