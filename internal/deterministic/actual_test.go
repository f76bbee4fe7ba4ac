package deterministic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// callReader is a scorer that reads calls, and how a case writes the actual and the expected
// side for it.
type callReader struct {
	name, scorer, config string
	actual, none, one    string
}

// callReaders returns all of them, whose cases may hold any kind of actual side.
func callReaders() []callReader {
	const none, one = `[]`, `[{"name":"f","arguments":{"x":1}}]`
	plain := func(name, scorer, config string) callReader {
		return callReader{name: name, scorer: scorer, config: config, actual: "%s", none: none, one: one}
	}
	preset := func(name string) callReader { return plain(name, "trajectory_match", `{"preset":"`+name+`"}`) }
	return []callReader{
		plain("coverage", "function_call_coverage", `{"function_calls":["f"]}`),
		plain("coverage of nothing", "function_call_coverage", `{"function_calls":[]}`),
		plain("accuracy", "function_call_accuracy", `{}`),
		plain("exact match", "function_call_exact_match", `{}`),
		plain("name match", "function_name_match", `{}`),
		plain("validation", "parameter_validation", `{}`),
		plain("schema", "schema_check", `{}`),
		plain("sparc", "schema_check", `{"preset":"sparc_static"}`),
		plain("ast", "ast_equivalence", `{}`),
		plain("ast json", "ast_equivalence", `{"mode":"json"}`),
		plain("relevance", "call_relevance", `{}`),
		plain("expected calls", ExpectedCallMatch.Name, `{}`),
		preset("ragas_tool_call_accuracy"), preset("ragas_tool_call_f1"), preset("deepeval"), preset("tau2_actions"),
		{name: "azure", scorer: "trajectory_match", config: `{"preset":"azure"}`, actual: "%s",
			none: `{"names":["g"]}`, one: `{"names":["f"]}`},
		{name: "adk", scorer: "trajectory_match", config: `{"preset":"adk"}`, actual: `{"invocations":[%s]}`,
			none: `{"invocations":[[]]}`, one: `{"invocations":[` + one + `]}`},
		{name: "tau2 sides", scorer: "trajectory_match", config: `{"preset":"tau2_actions"}`,
			actual: `{"user":[],"assistant":%s}`, none: none, one: one},
		{name: "three layers", scorer: "three_layer", config: `{}`, actual: `{"call":%s}`,
			none: `{"call":null}`, one: `{"call":{"name":"f","arguments":{"x":1}}}`},
	}
}

const callReaderTools = `[{"name":"f","parameters":{"type":"object","properties":{"x":{"type":"integer"}}}}]`

// outcome returns the kind of error of a case, or else "scored".
func (r callReader) outcome(t *testing.T, actual, expected string) string {
	side := ""
	switch {
	case actual != "":
		side = `"actual":` + fmt.Sprintf(r.actual, actual) + `,`
	case r.actual != "%s":
		side = `"actual":` + fmt.Sprintf(r.actual, "null") + `,`
	}
	line := fmt.Sprintf(`{"id":"i","scorer":%q,"config":%s,%s"expected":%s,"tools":%s}`,
		r.scorer, r.config, side, expected, callReaderTools)
	out, err := scoreCase([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	v := parse(t, string(out))
	if kind, failed := v.Field("error").Get("kind"); failed {
		if v.Has("result") || !strings.Contains(v.Field("error").Field("message").Text(), "actual") {
			t.Errorf("%s: %s does not name the actual side", line, out)
		}
		return kind.Text()
	}
	return "scored"
}

// TestActual: each scorer that reads calls decides alike on each kind of actual side, whether
// calls are expected or not.
func TestActual(t *testing.T) {
	quote := func(text string) string { return value.OfString(text).JSON() }
	const call = `{"name":"f","arguments":{"x":1}}`
	for _, kind := range []struct{ name, actual, want string }{
		{"missing", ``, configKind},
		{"null", `null`, configKind},
		{"int", `5`, configKind},
		{"float", `1.5`, configKind},
		{"boolean", `true`, configKind},

		{"cut JSON", quote(`{"name":"f","arguments":{"x":`), unreadableKind},
		{"cut JSON list", quote(`[{"name":"f"},{"na`), unreadableKind},
		{"JSON list that is not closed", quote(`[` + call), unreadableKind},
		{"cut JSON list after a whole call", quote(`[` + call + `, {"name":"g","arg`), unreadableKind},
		{"broken JSON", quote(`{"name":"f","arguments":{"x": one two}}`), unreadableKind},
		{"cut JSON in prose", quote(`I call {"name":"f","arguments":{"x":`), unreadableKind},
		{"cut JSON in a JSON text", quote(quote(`{"name":"f","arguments":{"x":`)), unreadableKind},
		{"fenced, cut", quote("```json\n{\"name\":\"f\",\"argu\n```"), unreadableKind},
		{"fence not closed", quote("```json\n{\"name\":\"f\",\"argu"), unreadableKind},
		{"tag", quote(`<tool_call>f with x = 1</tool_call>`), unreadableKind},
		{"Action:", quote("Thought: I need f.\nAction: f with one"), unreadableKind},
		{"Action: with a cut input", quote("Action: f\nAction Input: {\"x\": "), unreadableKind},
		{"a cut function tag", quote(`<function=f>{"x": `), unreadableKind},
		{"name( of a declared tool", quote(`I call f(x=1) now`), unreadableKind},
		{"name( of a declared tool, cut", quote(`f(x=`), unreadableKind},
		{"assigned", quote(`r = g(y=f`), unreadableKind},
		{"Python of an unknown tool, cut", quote(`g(y="R`), unreadableKind},
		{"cut JSON, key tool", quote(`{"tool":"f","args":{"x":`), unreadableKind},
		{"JSON text without a name", quote(`{"name":5,"arguments":{"x":1}}`), unreadableKind},
		{"a message's text", `[{"role":"assistant","content":"<tool_call>f</tool_call>"}]`, unreadableKind},
		{"a text part", `[{"role":"assistant","content":[{"type":"text","text":"I call f(x=1)"}]}]`, unreadableKind},

		{"a message alone", `{"role":"assistant","content":"Action: f"}`, unreadableKind},
		{"a message of the model", `[{"role":"model","content":"Action: f"}]`, unreadableKind},
		{"a message without a role", `[{"type":"message","content":"Action: f"}]`, unreadableKind},
		{"a message alone in a JSON text", quote(`{"role":"assistant","content":"Action: f"}`), unreadableKind},
		{"a cut list after blanks", quote("\n [" + call), unreadableKind},

		{"an answer with no calls", quote(`{"role":"assistant","content":"It is warm.","tool_calls":[]}`), "scored"},
		{"a call after an open bracket", quote(`[see below ` + call), "scored"},
		{"prose", quote(`It is 21 degrees in Rome.`), "scored"},
		{"no text", `""`, "scored"},
		{"name( of another tool", quote(`I would use search(Rome).`), "scored"},
		{"JSON number", `"5"`, "scored"},
		{"JSON text of an answer", quote(`{"action":"Final Answer","action_input":"21 degrees"}`), "scored"},
		{"data", quote(`{"city":"Rome"}`), "scored"},
		{"fenced data", quote("```json\n{\"city\":\"Rome\"}\n```"), "scored"},
		{"call", call, "scored"},
		{"JSON text", quote(call), "scored"},
		{"Python text", `"f(x=1)"`, "scored"},
		{"JSON text with tool", quote(`{"tool":"f","tool_input":{"x":1}}`), "scored"},
		{"Action: with tool", quote(`Action: {"tool":"f","tool_input":{"x":1}}`), "scored"},
		{"fenced JSON", quote("```json\n" + call + "\n```"), "scored"},
		{"tagged JSON", quote("I call it.\n<tool_call>\n" + call + "\n</tool_call>"), "scored"},
		{"a user's text", `[{"role":"user","content":"Action: f"}]`, "scored"},
		{"one unreadable element", `[` + call + `,{"x":1}]`, "scored"},
		{"only an unreadable element", `[{"x":1}]`, "scored"},
		{"no call", `[]`, "scored"},
	} {
		for _, r := range callReaders() {
			for expected, side := range map[string]string{"none": r.none, "one": r.one} {
				if got := r.outcome(t, kind.actual, side); got != r.exception(kind.name, kind.want) {
					t.Errorf("%s, %s, expected %s: %s, want %s", r.name, kind.name, expected, got, kind.want)
				}
			}
		}
	}
}

// TestCallsOfMessage: the calls of a message may be JSON text, and what is in their place and
// cannot be read is a call that matches nothing.
func TestCallsOfMessage(t *testing.T) {
	for calls, want := range map[string]int{
		`null`: 0, `[]`: 0, `""`: 0, `" "`: 0, `"[]"`: 0, `"null"`: 0,
		`"[{\"name\":\"f\"},{\"name\":\"g\"}]"`: 2, `"f(x=1"`: 1, `3`: 1, `{"name":"f"}`: 1,
		`null,"function_call":{"name":"f"}`: 1, `null,"function_call":"f(x=1"`: 1, `null,"function_call":null`: 0,
	} {
		message := `{"role":"assistant","content":"","tool_calls":` + calls + `}`
		for _, actual := range []string{message, `[` + message + `]`} {
			if got, _ := readCalls(parse(t, actual)); len(got) != want {
				t.Errorf("%s: %d calls, want %d", actual, len(got), want)
			}
		}
	}
}

// exception returns what is wanted of a kind of actual side.
func (r callReader) exception(kind, want string) string {
	switch {
	case r.name == "three layers" && (kind == "null" || kind == "missing"):
		return "scored" // "call": null says that none was made
	}
	return want
}

// TestActualOfTau2: a run without a user is one, a run whose agent's calls are missing is not.
func TestActualOfTau2(t *testing.T) {
	r := callReader{scorer: "trajectory_match", config: `{"preset":"tau2_actions"}`, actual: "%s"}
	for actual, want := range map[string]string{
		`{"assistant":[]}`: "scored", `{"assistant":[],"user":null}`: "scored",
		`{"user":[]}`: configKind, `{"assistant":null,"user":[]}`: configKind, `{"assistant":[],"user":5}`: configKind,
	} {
		if got := r.outcome(t, actual, `[]`); got != want {
			t.Errorf("%s: %s, want %s", actual, got, want)
		}
	}
}

// TestActualIsRead: what can be read is scored as the calls that it is.
func TestActualIsRead(t *testing.T) {
	for _, text := range []string{
		`{"name":"f","arguments":{"x":1}}`, `f(x=1)`, `{"action":"f","action_input":{"x":1}}`,
		"```json\n{\"name\":\"f\",\"arguments\":{\"x\":1}}\n```",
		"```\n[{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}}]\n```",
		"```python\nf(x=1)\n```",
		"I look.\n```json\n{\"name\":\"f\",\"arguments\":{\"x\":1}}\n```\nDone.",
		`<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>`,
		`I call {"name":"f","arguments":{"x":1}} now.`,
		"Thought: I need f.\nAction: f\nAction Input: {\"x\": 1}",
		"Action: {\"name\": \"f\", \"arguments\": {\"x\": 1}}",
		`<function=f>{"x": 1}</function>`, "I call it:\nf(x=1)", "```\n[f(x=1)]\n```",
	} {
		for _, r := range callReaders() {
			actual := value.OfString(text).JSON()
			line := func(expected string) string {
				return fmt.Sprintf(`{"id":"i","scorer":%q,"config":%s,"actual":%s,"expected":%s,"tools":%s}`,
					r.scorer, r.config, fmt.Sprintf(r.actual, actual), expected, callReaderTools)
			}
			got, _ := scoreCase([]byte(line(r.one)))
			if v := parse(t, string(got)).Field("result"); v.Field("score").JSON() != "1.0" && v.Field("ast_ok").Text() != "true" &&
				r.name != "coverage of nothing" {
				t.Errorf("%s, %q, expected f: %s", r.name, text, got)
			}
			switch r.scorer {
			case "function_call_accuracy", "function_call_exact_match", "ast_equivalence", "call_relevance", "three_layer":
				got, _ := scoreCase([]byte(line(r.none)))
				if v := parse(t, string(got)).Field("result"); v.Field("score").JSON() != "0.0" && v.Field("ast_ok").Text() != "false" {
					t.Errorf("%s, %q, none expected: %s", r.name, text, got)
				}
			}
		}
	}
}

// TestActualPartlyRead: beside a call that is read, one that cannot be read counts, as in a list.
func TestActualPartlyRead(t *testing.T) {
	for _, text := range []string{
		`<tool_call>{"name":"f","arguments":{"x":1}}</tool_call><tool_call>{"name":"g",</tool_call>`,
		`{"name":"f","arguments":{"x":1}} and {"name":"g","argum`,
	} {
		calls, err := madeCalls(Input{Actual: value.OfString(text)})
		if got := show(calls, true); err != nil || got != `f{"x":1} ?` {
			t.Errorf("%s: %s %v", text, got, err)
		}
	}
}

// TestActualLines reads JSON calls that follow one another, and no call from the prose beside them.
func TestActualLines(t *testing.T) {
	const f, g = `{"name":"f","arguments":{"x":1}}`, `{"name":"g"}`
	for text, want := range map[string]string{
		f + "\n" + f: `f{"x":1} f{"x":1}`, f + "; " + g: `f{"x":1} g{}`, g + "\n" + f + "\n": `g{} f{"x":1}`,
		`{"tool_calls":[` + f + `]}` + "\n" + g: `f{"x":1} g{}`,
		f + " is my call":                       `f{"x":1}`, "[" + f + "] it is": `f{"x":1}`, f + "\n" + f + " now": `f{"x":1} f{"x":1}`,
		f + "\n" + `{"name":"g","argu`:                     `f{"x":1} ?`,
		`{"a":1}` + "\n" + `{"b":2}`:                       ``,
		"```json\n" + f + "\n```\n```json\n" + f + "\n```": `f{"x":1} f{"x":1}`,
	} {
		calls, err := madeCalls(Input{Actual: value.OfString(text)})
		if got := show(calls, true); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	var b strings.Builder
	for i := range maxDifferentCalls + 2 {
		fmt.Fprintf(&b, "{\"name\":\"n%d\"}\n", i)
	}
	if _, err := madeCalls(Input{Actual: value.OfString(b.String())}); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Error(err)
	}
}

// TestLayersNeedTools: without definitions nothing is known of a schema.
func TestLayersNeedTools(t *testing.T) {
	for actual, want := range map[string]string{`{"call":{"name":"f"}}`: configKind, `{"call":null}`: ""} {
		for _, tools := range []string{``, `,"tools":[]`, `,"tools":null`} {
			line := `{"scorer":"three_layer","actual":` + actual + `,"expected":{"call":null}` + tools + `}`
			if got := oneCase(t, line).Field("error").Field("kind").Text(); got != want {
				t.Errorf("%s: %q", line, got)
			}
		}
	}
}

// TestCategories: a misspelt category is not the category simple.
func TestCategories(t *testing.T) {
	for name, want := range map[string]string{
		"smple": "did you mean simple?", "paralel": "did you mean parallel?", "": "known are simple",
		"live_parallel_multiple": "", "exec_simple": "", "java": "", "irrelevance": "", "live_relevance": "", "rest": "",
	} {
		_, err := New("ast_equivalence", mustParse(t, `{"mode":"bfcl","category":"`+name+`"}`))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestActualOfOrigin: scorers that reproduce a program keep its rule.
func TestActualOfOrigin(t *testing.T) {
	for _, r := range []callReader{
		{scorer: "function_call_accuracy", config: `{"compat":"futureagi"}`, one: `"f(x=1)"`},
		{scorer: "function_call_exact_match", config: `{"compat":"futureagi"}`, one: `"f(x=1)"`},
		{scorer: "parameter_validation", config: `{"compat":"futureagi"}`, one: `null`},
		{scorer: "ast_equivalence", config: `{"mode":"bfcl"}`, one: `[{"f":{"x":[1]}}]`},
		{scorer: "ast_equivalence", config: `{"mode":"bfcl","category":"irrelevance"}`, one: `null`},
	} {
		r.actual = "%s"
		for _, actual := range []string{`null`, `5`, `"{\"name\":\"f\",\"argum"`, `"f(x="`, `"Action: f"`} {
			if got := r.outcome(t, actual, r.one); got != "scored" {
				t.Errorf("%s %s of %s: %s", r.scorer, r.config, actual, got)
			}
		}
	}
	reply := callReader{scorer: "rubric_verdict", config: `{"metric":"` + rubrics.Intent + `"}`, actual: "%s"}
	if got := reply.outcome(t, `"{\"name\":\"f\",\"argum"`, `null`); got != judgeReplyKind {
		t.Errorf("rubric_verdict: %s", got)
	}
}

// TestConversationOnlyInText: scorers that read messages cannot say that no call was made
// where the calls may stand in the text.
func TestConversationOnlyInText(t *testing.T) {
	for scorer, config := range map[string]string{
		"trajectory_match": `{"preset":"agentevals","trajectory_match_mode":"superset"}`,
		"error_recovery":   `{}`,
		"tool_efficiency":  `{}`,
	} {
		r := callReader{scorer: scorer, config: config, actual: "%s"}
		for actual, want := range map[string]string{
			`[{"role":"user","content":"hi"},{"role":"assistant","content":"Action: f"}]`:         unreadableKind,
			`{"messages":[{"role":"assistant","content":"f(x=1)"}]}`:                              unreadableKind,
			`[{"role":"user","content":"Action: f"},{"role":"assistant","content":"I did none"}]`: "scored",
			`5`:    configKind,
			`null`: configKind,
		} {
			if got := r.outcome(t, actual, `[]`); got != want {
				t.Errorf("%s of %s: %s, want %s", scorer, actual, got, want)
			}
		}
	}
}

// TestUnreadableCallInLog: a call without a name may be the one that is not allowed.
func TestUnreadableCallInLog(t *testing.T) {
	l, err := ForLog([]Config{{Type: "tool_calls", Config: parse(t, `{"disallowed":["bash"]}`)}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls = append(c.Calls, transcript.Call{Index: 2, Malformed: true, RawArguments: "bash -c ls", Result: -1})
	got := l.Score(c)
	if len(got) != 1 || got[0].Status != score.Unscored || got[0].Value != nil || got[0].Error == nil ||
		got[0].Error.Kind != unreadableKind || !strings.Contains(got[0].Error.Message, "call 2: ") {
		t.Errorf("%+v", got)
	}
	if err := got[0].Check(); err != nil {
		t.Error(err)
	}
}
