package deterministic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
)

// TestPresetsOfPrograms: calls that cannot be read, names beside arguments, and reasons, in the
// presets of other programs.
func TestPresetsOfPrograms(t *testing.T) {
	const a, b, broken = `{"name":"a","arguments":{"x":1}}`, `{"name":"b","arguments":{"x":1}}`, `{"name":"a","arguments":"{"}`
	const bare = `{"name":"a","arguments":{}}`
	list := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	inv := func(calls ...string) string { return `{"invocations":[` + list(calls...) + `]}` }
	runPreset(t, "adk", []presetCase{
		{"another name", `{}`, inv(b), inv(a), `{"score":0,"reason":"0 of 1 invocations match (EXACT)"}`},
		{"arguments that cannot be read", `{}`, inv(broken), inv(bare), `{"score":0}`},
		{"ignored arguments that cannot be read", `{"ignore_args":true}`, inv(broken), inv(bare), `{"score":1}`},
		{"actual without invocations", `{}`, list(a), inv(a), `{"error":"config"}`},
		{"expected without invocations", `{}`, inv(a), list(a), `{"error":"config"}`},
		{"no pair", `{}`, `{"invocations":[]}`, inv(a),
			`{"reason":"no invocation is on both sides, so there is nothing to score"}`},
	})
	runPreset(t, "ragas_tool_call_accuracy", []presetCase{
		{"nothing made", `{}`, `[]`, list(a), `{"score":0,"reason":"0 calls, expected 1"}`},
		{"nothing expected", `{}`, list(a, a), `[]`, `{"score":0,"reason":"2 calls, expected 0"}`},
		{"neither", `{}`, `[]`, `[]`, `{"score":1,"reason":"no call was made and none expected"}`},
		{"another name", `{}`, list(b), list(a), `{"score":0,"reason":"the sequences of names differ"}`},
		{"no name", `{}`, `[{"x":1}]`, list(a), `{"score":0}`},
		{"arguments that cannot be read", `{}`, list(broken), list(bare), `{"score":0}`},
		{"null is not absent", `{}`, list(bare), list(`{"name":"a","arguments":{"x":null}}`), `{"score":0}`},
		{"one of two right", `{}`, list(a, b), list(a, `{"name":"b","arguments":{"x":2}}`),
			`{"score":0.5,"reason":"same names, arguments right to 50%"}`},
		{"the order of arguments does not count", `{"strict_order":false}`,
			list(`{"name":"a","arguments":{"y":1,"x":2}}`, `{"name":"a","arguments":{"x":1,"y":2}}`),
			list(`{"name":"a","arguments":{"x":1,"y":2}}`, `{"name":"a","arguments":{"x":2,"y":1}}`), `{"score":1}`},
	})
	runPreset(t, "ragas_tool_call_f1", []presetCase{
		{"two unreadable calls are two", `{}`, list(a, `{"x":1}`, `{"x":1}`), list(a),
			`{"score":0.5,"reason":"1 of 3 different calls are expected, 1 of 1 expected ones are made"}`},
	})
	runPreset(t, "azure", []presetCase{
		{"the reason", `{}`, list(a, b), `{"names":["a"]}`, `{"reason":"2 steps, 1 expected (exact_match)"}`},
		{"arguments that cannot be read", `{}`, list(broken), `{"names":["a"],"parameters":{}}`, `{"passed":false,"recall":0}`},
		{"names alone", `{}`, list(broken), `{"names":["a"]}`, `{"passed":true}`},
		{"parameters of a trimmed name", `{}`, list(a), `{"names":[" a "],"parameters":{"a":{"x":1}}}`, `{"passed":true}`},
		{"f1 of two thirds and one", `{}`, list(a, b, b), `{"names":["a","b"]}`,
			`{"precision":0.666666667,"recall":1,"f1":0.8}`},
	})
	runPreset(t, "tau2_actions", []presetCase{
		{"compare_args is no list", `{}`, list(a), `[{"name":"a","compare_args":"x"}]`, `{"error":"config"}`},
		{"an action without a name", `{}`, list(a), `[{"arguments":{}}]`, `{"error":"config"}`},
		{"an action that cannot be read", `{}`, list(a), list(broken), `{"error":"config"}`},
		{"one action, no list", `{}`, list(a), a, `{"error":"config"}`},
		{"a call that cannot be read", `{}`, list(broken), `[{"name":"a","arguments":{},"compare_args":[]}]`,
			`{"action_matches":[false],"missing":["a"]}`},
		{"one of two", `{}`, list(a), list(a, `{"name":"c"}`),
			`{"score":0.5,"missing":["c"],"reason":"1 of 2 expected actions were made"}`},
		{"compared by value", `{}`, list(a), `[{"name":"a","arguments":{"x":2},"compare_args":["x"]}]`, `{"action_matches":[false]}`},
		{"compared and absent from the action", `{}`, list(a), `[{"name":"a","arguments":{},"compare_args":["x"]}]`,
			`{"action_matches":[false]}`},
		{"calls of two sides", `{}`, `{"assistant":[` + b + `],"user":[` + a + `]}`, list(a, b), `{"score":1}`},
	})
}

// TestRecoveryEvents: of each failure the score shows the call, the error, the reaction and the
// class, and the reason counts the classes.
func TestRecoveryEvents(t *testing.T) {
	call, result, say := agentCalls, toolSays, agentSays
	const name = "error_recovery"
	event := func(call, message, tool, class, retry, evidence, reaction string) string {
		return `{"call_index":` + call + `,"message_index":` + message + `,"tool":"` + tool + `","class":"` + class +
			`","retry":` + retry + `,"evidence":"` + evidence + `","reaction":"` + reaction + `"}`
	}
	checkRules(t, []rule{
		{"recovered and ignored", name, "", talk(call("1", "g", "{}"), result("1", "Error: x"), call("2", "g", "{}"),
			result("2", "fine"), call("3", "f", "{}"), result("3", "Error: y"), say("All is well.")), "", "",
			`{"score":0.5,"failures":2,"tools":["f","g"],"counts":{"recovered":1,"ignored":1},
			"reason":"2 failed calls: 1 recovered 1 ignored","events":[` +
				event("0", "1", "g", "recovered", `"identical"`, "Error: x", "g{}") + `,` +
				event("2", "5", "f", "ignored", "null", "Error: y", "All is well.") + `]}`},
		{"changed and failed again", name, "", talk(call("1", "f", "{}"), result("1", "Error: x"),
			call("2", "f", `{\"a\":1}`), result("2", "Error: y"), say("Sorry.")), "", "",
			`{"score":0.75,"counts":{"changed_retry_failed":1,"told_user":1}}`},
		{"a retry without a result", name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), call("2", "f", "{}")), "", "",
			`{"score":null,"counts":{"log_ends":1},"reason":"1 failed calls: 1 log_ends"}`},
		{"arguments that could not be read the first time", name, "", talk(call("1", "f", "{"), result("1", "Error: x"),
			call("2", "f", "{}"), result("2", "Error: y"), say("I am sorry.")), "", "",
			`{"counts":{"changed_retry_failed":1,"told_user":1}}`},
		{"what the user says is no admission", name, "", talk(call("1", "f", "{}"), result("1", "Error: x"),
			`{"role":"user","content":"Is there an error?"}`, say("Your order is placed.")), "", "", `{"counts":{"ignored":1}}`},
		{"another tool at once", name, "", talk(call("1", "f", "{}"), result("1", "Error: x"), call("2", "g", "{}"),
			result("2", "fine"), say("Sorry.")), "", "", `{"score":null,"counts":{"other_tool":1}}`},
		{"no error", name, "", talk(call("1", "f", "{}"), result("1", "fine")), "", "",
			`{"score":null,"tools":["f"],"reason":"no tool result is an error"}`},
	})
}

// TestLogTau2Reference: an action without a name is an error, and without τ²'s requestors the
// preset is no default.
func TestLogTau2Reference(t *testing.T) {
	l, err := ForLog([]Config{{Type: "trajectory_match", Config: mustParse(t, `{"preset":"tau2_actions"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	c := conversation(t, "f()", "f(), g()")
	c.Expected.Calls[0].Name = ""
	got := l.Score(c)
	if len(got) != 1 || got[0].Error == nil || got[0].Error.Message != "expected[0]: has no name" {
		t.Errorf("%+v", got)
	}
	defaults, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	for requestor, want := range map[string]int{"": 0, "assistant": 1} {
		c := conversation(t, "f()", "f()")
		c.Expected.Calls[0].Requestor = requestor
		found := 0
		for _, s := range defaults.Score(c) {
			if s.Name == "trajectory_match" {
				found++
			}
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("requestor %q: %s", requestor, diff)
		}
	}
	c = &transcript.Conversation{ID: "c", Expected: &transcript.Expected{}}
	if got := l.Score(c); lines(got)[0] != "trajectory_match - not_applicable" || got[0].Explanation != noReference {
		t.Errorf("%+v", got)
	}
}
