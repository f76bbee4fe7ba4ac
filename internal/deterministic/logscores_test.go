package deterministic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// everyScorer configures each scorer that reads a log, and each preset.
func everyScorer(t *testing.T) *Log {
	t.Helper()
	var configs []Config
	for _, s := range []struct{ key, scorer, config string }{
		{"coverage", "function_call_coverage", `{"function_calls":["f"]}`}, {"accuracy", "function_call_accuracy", `{}`},
		{"exact", "function_call_exact_match", `{}`}, {"name", "function_name_match", `{}`}, {"ast", "ast_equivalence", `{}`},
		{"bfcl", "ast_equivalence", `{"mode":"bfcl"}`}, {"relevance", "call_relevance", `{}`},
		{"match", "expected_call_match", `{}`}, {"compat", "expected_call_match", `{"compat":"futureagi"}`},
		{"valid", "parameter_validation", `{}`}, {"schema", "schema_check", `{}`},
		{"tools", "tool_calls", `{"disallowed":["g"]}`}, {"efficiency", "tool_efficiency", `{}`},
		{"layers", "three_layer", `{}`}, {"state", "execution_check", `{}`},
		{"verdict", "rubric_verdict", `{"metric":"overall_call_correctness"}`},
		{"strict", "trajectory_match", `{"preset":"agentevals"}`},
		{"subset", "trajectory_match", `{"preset":"agentevals","trajectory_match_mode":"subset"}`},
		{"adk", "trajectory_match", `{"preset":"adk"}`}, {"azure", "trajectory_match", `{"preset":"azure"}`},
		{"ragas", "trajectory_match", `{"preset":"ragas_tool_call_accuracy"}`},
		{"ragas f1", "trajectory_match", `{"preset":"ragas_tool_call_f1"}`},
		{"deepeval", "trajectory_match", `{"preset":"deepeval"}`}, {"tau2", "trajectory_match", `{"preset":"tau2_actions"}`},
	} {
		configs = append(configs, Config{Type: s.scorer, Key: s.key, Config: mustParse(t, s.config)})
	}
	l, err := ForLog(configs)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// explained writes scores on one line each, with why they are what they are.
func explained(scores []score.Score) []string {
	out := lines(scores)
	for i, s := range scores {
		why := s.Explanation
		if s.Error != nil {
			why = s.Error.Kind + ": " + s.Error.Message
		}
		out[i] += ": " + why
	}
	return out
}

// TestLogScores: the scores of every scorer, and the reason of each that does not apply.
func TestLogScores(t *testing.T) {
	const f = `{"name":"f","parameters":{"properties":{"a":{"type":"integer"}},"required":["a"]}}`
	l := everyScorer(t)
	check := func(name string, c *transcript.Conversation, want string) {
		t.Helper()
		got := strings.Join(explained(l.Score(c)), "\n") + "\n"
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("one call for one", conversation(t, "f(a=1)", "f(a=2)", f), `
coverage - 1 pass: 1 of 1 required calls made
accuracy - 0.7 fail: name: 100%, params: 100%, values: 0%
exact - 0 fail: Value mismatch for 'a': got 1, expected 2
name - 1 pass: got 'f', expected 'f'
ast - 0 fail: the 1 calls are not the expected ones
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 1 made
match 0 0 fail: expected call 0: Value mismatch for 'a': got 1, expected 2
compat 0 0 fail: expected call 0: Value mismatch for 'a': got 1, expected 2
valid 0 1 pass: all 1 checks passed
schema 0 1 pass: the arguments satisfy the schema
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers/schema_ok - 1 pass: schema passed, ast failed, execution unknown
layers/ast_ok - 0 fail: schema passed, ast failed, execution unknown
layers/exec_ok - not_applicable: schema passed, ast failed, execution unknown
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "f" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 1 pass: 1 steps, 1 expected (exact_match)
ragas - 0 fail: same names, arguments right to 0%
ragas f1 - 0 fail: 0 of 1 different calls are expected, 0 of 1 expected ones are made
deepeval - 1 pass: 1 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
	check("two calls for one", conversation(t, "f(a='1'), g()", "f(a=1)", f, `{"name":"g"}`), `
coverage - 1 pass: 1 of 1 required calls made
accuracy - 0.7 fail: 1 of 1 expected calls matched, mean of these 70%
exact - 0 fail: 2 calls made, 1 expected
name - 0 fail: one side is not a single call that can be read
ast - 0 fail: 2 calls made, 1 expected
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 2 made
match 0 0 fail: expected call 0: Value mismatch for 'a': got '1', expected 1
match 1 not_applicable: it is not one of the expected calls, and the log does not say that only those are right
compat 0 0 fail: expected call 0: Value mismatch for 'a': got '1', expected 1
compat 1 0 fail: no expected call is left for it
valid 0 0 fail: parameter 'a' is a string, must be integer
valid 1 not_applicable: the parameters of the tool are not known
schema 0 0 fail: the arguments do not satisfy the schema: /a is a string, must be integer
schema 1 not_applicable: the parameters of the tool are not known
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 2 calls were wasted
layers - not_applicable: it compares one whole call with one; 2 were made, 1 are expected
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "f" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 0 fail: 2 steps, 1 expected (exact_match)
ragas - 0 fail: the sequences of names differ
ragas f1 - 0 fail: 0 of 2 different calls are expected, 0 of 1 expected ones are made
deepeval - 1 pass: 2 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
	check("no call for one", conversation(t, "[]", "f(a=1)", f), `
coverage - 0 fail: 0 of 1 required calls made, missing "f"
accuracy - 0 fail: no call made, 1 expected
exact - 0 fail: 0 calls made, 1 expected
name - 0 fail: one side is not a single call that can be read
ast - 0 fail: 0 calls made, 1 expected
bfcl - not_applicable: the reference does not list allowed values
relevance - 0 fail: a call is right, 0 made
tools - 1 pass: everything required was called, nothing disallowed
efficiency - not_applicable: no call was made
layers/schema_ok - 0 fail: schema failed, ast failed, execution unknown
layers/ast_ok - 0 fail: schema failed, ast failed, execution unknown
layers/exec_ok - not_applicable: schema failed, ast failed, execution unknown
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 1 pass: subset match
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 0 fail: 0 steps, 1 expected (exact_match)
ragas - 0 fail: 0 calls, expected 1
ragas f1 - 0 fail: 0 of 0 different calls are expected, 0 of 1 expected ones are made
deepeval - 0 fail: 0 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
	check("none for none", conversation(t, "[]", "[]", f), `
coverage - 0 fail: 0 of 1 required calls made, missing "f"
accuracy - 1 pass: no call expected, none made
exact - 1 pass: no call expected, none made
name - not_applicable: it compares one call with one, and 0 are expected
ast - 1 pass: no call is expected and none was made
bfcl - 1 pass: valid
relevance - 1 pass: no call is right, 0 made
tools - 1 pass: everything required was called, nothing disallowed
efficiency - not_applicable: no call was made
layers/schema_ok - not_applicable: schema unknown, ast passed, execution unknown
layers/ast_ok - 1 pass: schema unknown, ast passed, execution unknown
layers/exec_ok - not_applicable: schema unknown, ast passed, execution unknown
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 1 pass: subset match
adk - 1 pass: 1 of 1 invocations match (EXACT)
azure - not_applicable: no step is expected, and the preset needs one
ragas - 1 pass: no call was made and none expected
ragas f1 - 0 fail: 0 of 0 different calls are expected, 0 of 0 expected ones are made
deepeval - 1 pass: 0 tools called, 0 expected
tau2 - 1 pass: 0 of 0 expected actions were made
`)
	check("no reference, no tools", conversation(t, "f(a=1)", ""), `
coverage - 1 pass: 1 of 1 required calls made
accuracy - not_applicable: the log holds no expected calls
exact - not_applicable: the log holds no expected calls
name - not_applicable: the log holds no expected calls
ast - not_applicable: the log holds no expected calls
bfcl - not_applicable: the log holds no expected calls
relevance - not_applicable: the log holds no expected calls
match 0 not_applicable: the log holds no expected calls
compat 0 not_applicable: the log holds no expected calls
valid 0 not_applicable: the log holds no tool inventory
schema 0 not_applicable: the log holds no tool inventory
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers - not_applicable: the log holds no expected calls
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: the log holds no expected calls
subset - not_applicable: the log holds no expected calls
adk - not_applicable: the log holds no expected calls
azure - not_applicable: the log holds no expected calls
ragas - not_applicable: the log holds no expected calls
ragas f1 - not_applicable: the log holds no expected calls
deepeval - not_applicable: the log holds no expected calls
tau2 - not_applicable: the log holds no expected calls
`)
	nameless := conversation(t, "f(a=1)", "f(a=1)", f)
	nameless.Expected.Calls[0].Name = ""
	check("a reference without a name", nameless, `
coverage - 1 pass: 1 of 1 required calls made
accuracy - error: config: expected: cannot be read as calls: one of them has no name
exact - error: config: expected: cannot be read as calls: one of them has no name
name - error: config: expected: cannot be read as calls: one of them has no name
ast - error: config: expected: cannot be read as calls: one of them has no name
bfcl - not_applicable: the reference does not list allowed values
relevance - error: config: expected: cannot be read as calls: one of them has no name
match 0 error: config: expected: cannot be read as calls: one of them has no name
compat 0 0 fail: expected call 0: Function name mismatch: got 'f', expected ''
valid 0 1 pass: all 1 checks passed
schema 0 1 pass: the arguments satisfy the schema
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers - error: config: expected: cannot be read as calls: one of them has no name
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - error: config: expected: holds a call that cannot be read
adk - error: config: expected: cannot be read as calls: one of them has no name
azure - error: config: expected: cannot be read as calls: one of them has no name
ragas - error: config: expected: cannot be read as calls: one of them has no name
ragas f1 - error: config: expected: cannot be read as calls: one of them has no name
deepeval - error: config: expected: cannot be read as calls: one of them has no name
tau2 - error: config: expected[0]: has no name
`)
	listed := conversation(t, "f(a=1)", "f(a=1)", f)
	check("allowed values", allowing(t, listed, `{"a":[1,2]}`), `
coverage - 1 pass: 1 of 1 required calls made
accuracy - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
exact - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
name - 1 pass: got 'f', expected 'f'
ast - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
bfcl - 1 pass: valid
relevance - 1 pass: a call is right, 1 made
match 0 not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
compat 0 not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
valid 0 1 pass: all 1 checks passed
schema 0 1 pass: the arguments satisfy the schema
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
subset - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
adk - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
azure - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
ragas - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
ragas f1 - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
deepeval - not_applicable: the reference lists allowed values; ast_equivalence with mode: bfcl reads them
tau2 - 1 pass: 1 of 1 expected actions were made
`)
	partial := conversation(t, "f(a=1, b=2), g(x=1)", "f(a=1), g()", f)
	partial.Expected.Calls[0].Compare = []string{"a"}
	check("the first of two expected calls names what counts", partial, `
coverage - 1 pass: 1 of 1 required calls made
accuracy - 1 pass: 2 of 2 expected calls matched, mean of these 100%
exact - 1 pass: all 2 calls are the expected ones
name - not_applicable: it compares one call with one, and 2 are expected
ast - not_applicable: the reference names only some arguments of a call
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 2 made
match 0 1 pass: expected call 0: it is the expected call
match 1 1 pass: expected call 1: it is the expected call
compat 0 1 pass: expected call 0: it is the expected call
compat 1 1 pass: expected call 1: it is the expected call
valid 0 1 pass: all 1 checks passed; not declared, and allowed by the open schema: {b}
valid 1 0 fail: function 'g' is not defined
schema 0 1 pass: the arguments satisfy the schema
schema 1 0 fail: the arguments do not satisfy the schema: no tool is called "g"
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 2 calls were wasted
layers - not_applicable: the reference names only some arguments of a call
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "f" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 1 pass: 2 steps, 2 expected (exact_match)
ragas - 0.5 fail: same names, arguments right to 50%
ragas f1 - 0 fail: 0 of 2 different calls are expected, 0 of 2 expected ones are made
deepeval - 1 pass: 2 tools called, 2 expected
tau2 - 0.5 fail: 1 of 2 expected actions were made
`)
	unreadable := conversation(t, "f(a=1)", "f(a=1)", f)
	unreadable.Calls[0].Malformed = true
	check("arguments that cannot be read", unreadable, `
coverage - 1 pass: 1 of 1 required calls made
accuracy - 0.4 fail: name: 100%, params: 0%, values: 0%
exact - 0 fail: the arguments cannot be read as an object
name - 1 pass: got 'f', expected 'f'
ast - 0 fail: the 1 calls are not the expected ones
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 1 made
match 0 0 fail: expected call 0: the arguments cannot be read as an object
compat 0 0 fail: the arguments of a call cannot be read, and compat refuses all calls then
valid 0 0 fail: the arguments of 'f' cannot be read as an object
schema 0 0 fail: the arguments do not satisfy the schema: cannot be read as an object
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers/schema_ok - 0 fail: schema failed, ast failed, execution unknown: cannot be read as an object
layers/ast_ok - 0 fail: schema failed, ast failed, execution unknown: cannot be read as an object
layers/exec_ok - not_applicable: schema failed, ast failed, execution unknown: cannot be read as an object
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "f" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 1 pass: 1 steps, 1 expected (exact_match)
ragas - 0 fail: same names, arguments right to 0%
ragas f1 - 0 fail: 0 of 1 different calls are expected, 0 of 1 expected ones are made
deepeval - 0 fail: 1 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
	unnamed := conversation(t, "f(a=1)", "f(a=1)", f)
	unnamed.Calls[0].Name, unnamed.Calls[0].Malformed, unnamed.Calls[0].RawArguments = "", true, "f(a="
	check("a call without a name", unnamed, `
coverage - 0 fail: 0 of 1 required calls made, missing "f"
accuracy - 0 fail: name: 0%, params: 0%, values: 0%
exact - 0 fail: the call cannot be read
name - 0 fail: one side is not a single call that can be read
ast - 0 fail: the 1 calls are not the expected ones
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 1 made
match 0 not_applicable: it is not one of the expected calls, and the log does not say that only those are right
compat 0 0 fail: the arguments of a call cannot be read, and compat refuses all calls then
valid 0 0 fail: no call that can be read
schema 0 0 fail: the arguments do not satisfy the schema: is not a single call that can be read
tools - unscored: unreadable_call: call 0: looks like a call and cannot be read: f(a=
efficiency - 1 pass: 0 of 1 calls were wasted
layers/schema_ok - 0 fail: schema failed, ast failed, execution unknown: is not a single call that can be read
layers/ast_ok - 0 fail: schema failed, ast failed, execution unknown: is not a single call that can be read
layers/exec_ok - not_applicable: schema failed, ast failed, execution unknown: is not a single call that can be read
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 0 fail: 1 steps, 1 expected (exact_match)
ragas - 0 fail: the sequences of names differ
ragas f1 - 0 fail: 0 of 1 different calls are expected, 0 of 1 expected ones are made
deepeval - 0 fail: 1 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
	ofUser := conversation(t, "f(a=1)", "f(a=1)", f)
	ofUser.Expected.Calls[0].Requestor, ofUser.Calls[0].Executor = "user", "user"
	ofUser.Messages = append(ofUser.Messages, transcript.Message{Role: transcript.User, Content: "hi", Result: -1})
	check("only the user's calls", ofUser, `
coverage - 0 fail: 0 of 1 required calls made, missing "f"
accuracy - not_applicable: the log holds no expected calls
exact - not_applicable: the log holds no expected calls
name - not_applicable: the log holds no expected calls
ast - not_applicable: the log holds no expected calls
bfcl - not_applicable: the log holds no expected calls
relevance - not_applicable: the log holds no expected calls
tools - 1 pass: everything required was called, nothing disallowed
efficiency - not_applicable: no call was made
layers - not_applicable: the log holds no expected calls
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: the log holds no expected calls
subset - not_applicable: the log holds no expected calls
adk - not_applicable: the log holds no expected calls
azure - not_applicable: the log holds no expected calls
ragas - not_applicable: the log holds no expected calls
ragas f1 - not_applicable: the log holds no expected calls
deepeval - not_applicable: the log holds no expected calls
tau2 - 1 pass: 1 of 1 expected actions were made
`)
	only := conversation(t, "g(a=1)", "f(a=1)", f)
	only.Expected.Only = true
	check("no other call is right", only, `
coverage - 0 fail: 0 of 1 required calls made, missing "f"
accuracy - 0.6 fail: name: 0%, params: 100%, values: 100%
exact - 0 fail: Function name mismatch: got 'g', expected 'f'
name - 0 fail: got 'g', expected 'f'
ast - 0 fail: the 1 calls are not the expected ones
bfcl - not_applicable: the reference does not list allowed values
relevance - 1 pass: a call is right, 1 made
match 0 0 fail: expected call 0: Function name mismatch: got 'g', expected 'f'
compat 0 0 fail: expected call 0: Function name mismatch: got 'g', expected 'f'
valid 0 0 fail: function 'g' is not defined
schema 0 0 fail: the arguments do not satisfy the schema: no tool is called "g"
tools - 1 pass: everything required was called, nothing disallowed
efficiency - 1 pass: 0 of 1 calls were wasted
layers/schema_ok - 0 fail: schema failed, ast failed, execution unknown: no tool is called "g"
layers/ast_ok - 0 fail: schema failed, ast failed, execution unknown: no tool is called "g"
layers/exec_ok - not_applicable: schema failed, ast failed, execution unknown: no tool is called "g"
state - not_applicable: the log holds no final and expected state
verdict - not_applicable: it reads a judge's reply, not a conversation
strict - not_applicable: strict compares whole trajectories, and the reference holds calls only
subset - 0 fail: no subset match: call of "g" is not expected
adk - 0 fail: 0 of 1 invocations match (EXACT)
azure - 0 fail: 1 steps, 1 expected (exact_match)
ragas - 0 fail: the sequences of names differ
ragas f1 - 0 fail: 0 of 1 different calls are expected, 0 of 1 expected ones are made
deepeval - 0 fail: 1 tools called, 1 expected
tau2 - 0 fail: 0 of 1 expected actions were made
`)
}

// TestAllowedValuesNeedTools: the checker of the leaderboard reads the types of the tools.
func TestAllowedValuesNeedTools(t *testing.T) {
	l, err := ForLog([]Config{{Type: "ast_equivalence", Config: mustParse(t, `{"mode":"bfcl"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	got := explained(l.Score(allowing(t, conversation(t, "f(a=1)", "f(a=1)"), `{"a":[1,2]}`)))
	want := []string{"ast_equivalence - error: config: tools: must be a list of {name, parameters: {properties, required}}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestKnown: what is known about calls is how they break their schema, and their expected call.
func TestKnown(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := conversation(t, "f(a='1'), f(a=2), g(), h(), k()", "f(a=2), h()",
		`{"name":"f","parameters":{"properties":{"a":{"type":"integer"}}}}`, `{"name":"g","parameters":{"type":"dict"}}`,
		`{"name":"h"}`)
	var got []string
	known := l.Known(c)
	for i := range c.Calls {
		expected := "none"
		if e := known[i].Expected; e != nil {
			expected = e.Name + e.Arguments.JSON()
		}
		got = append(got, expected+"; "+known[i].SchemaError)
	}
	want := []string{
		"none; the arguments do not satisfy the schema: /a is a string, must be integer", `f{"a":2}; `, "none; ", "h{}; ",
		`none; the arguments do not satisfy the schema: no tool is called "k"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for tool, want := range map[int]string{0: "the arguments do not satisfy the schema: /a is a string, must be integer", 1: "", 2: ""} {
		if got := l.SchemaError(&c.Tools[tool], c.Calls[0].Arguments); got != want {
			t.Errorf("%s: %q, want %q", c.Tools[tool].Name, got, want)
		}
	}
	if got := l.SchemaError(&c.Tools[0], c.Calls[1].Arguments); got != "" {
		t.Errorf("right arguments: %q", got)
	}
	// The name and one of two parameters, with another value: 0.4 + 0.3/2.
	expected := transcript.ExpectedCall{Name: "f", Arguments: mustParse(t, `{"a":2,"b":1}`)}
	if got := Likeness(&c.Calls[0], &expected); got != 0.55 {
		t.Errorf("likeness %v, want 0.55", got)
	}
}

// TestTooManyPairs: the least number of calls that are too many to pair with as many, by each scorer.
func TestTooManyPairs(t *testing.T) {
	for _, tt := range []struct {
		scorer string
		calls  int
		want   string
	}{
		{"function_call_accuracy", 1261, `function_call_accuracy - error: config: actual: 1261 calls against 1261 expected are too many to pair`},
		{"function_call_exact_match", 2000, `function_call_exact_match - 1 pass: all 2000 calls are the expected ones`},
		{"function_call_exact_match", 2001, `function_call_exact_match - error: config: actual: 2001 calls are too many to match one to one`},
		{"ast_equivalence", 1000, `ast_equivalence - 1 pass: all 1000 calls are equivalent to the expected ones`},
		{"ast_equivalence", 1001, `ast_equivalence - not_applicable: 1001 calls are too many to pair`},
	} {
		l, err := ForLog([]Config{{Type: tt.scorer}})
		if err != nil {
			t.Fatal(err)
		}
		calls := strings.TrimSuffix(strings.Repeat("f(), ", tt.calls), ", ")
		if got := explained(l.Score(conversation(t, calls, calls)))[0]; got != tt.want {
			t.Errorf("%d: %s, want %s", tt.calls, got, tt.want)
		}
	}
}
