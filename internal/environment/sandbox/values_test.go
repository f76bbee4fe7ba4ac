package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// TestValuesOfTools: what tools compute with, compare, print and may not return.
func TestValuesOfTools(t *testing.T) {
	const start = `{"a":{"x":1,"l":[{"id":1}]},"n":1,"z":1.50}`
	for _, tt := range []struct{ body, result, failure string }{
		{`return state["a"] == {"x": 1, "l": [{"id": 1}]} and True`, `true`, ""},
		{`return [{"a": 1} == [1], [1] == (1,), [1, 2] == [1, 3], [1, 2] == [1], {"a": 1} == {"a": 2}, {"a": 1} == {"b": 1}]`,
			`[false,false,false,false,false,false]`, ""},
		{`return [{"a": [1]} == {"a": [1]}, (1, [2]) == (1, [2]), 2 in (1, 2), "a" in "cat", "x" in state["a"]]`,
			`[true,true,true,true,true]`, ""},
		{`return [round(2.5), round(3.5), round(7), round(2.675, 2), round(0.5, 0), round(1.5, 300)]`, `[2,4,7,2.67,0.0,1.5]`, ""},
		{`return round(1.5, -1)`, "", "round: ndigits must be an integer from 0 to 300"},
		{`return round(1.5, 301)`, "", "round: ndigits must be an integer from 0 to 300"},
		{`return round(1.5, "1")`, "", "round: ndigits must be an integer from 0 to 300"},
		{`return round("1")`, "", "round: got string, want a number"},
		{`return copy(float("inf"))`, "", "+inf has no JSON"},
		{`return float("nan")`, "", "nan has no JSON"},
		{`return 1 in 5`, "", "unknown binary op: int in int"},
		{`a = []; a.append(a); return a == a`, "", "a comparison went deeper than 200 levels"},
		{`a = {}; a["a"] = a; return a == a`, "", "a comparison went deeper than 200 levels"},
		{`return {state["a"]: 1}`, "", "unhashable type: dict"},
		{`return str(state["a"])`, `"{'x': 1, 'l': [{'id': 1}]}"`, ""},
		{`state["a"]["f"] = len; return str(state["a"])`, "", "the state: a: f: a builtin_function_or_method has no JSON"},
		{`state["a"]["l"].append(float("inf"))`, "", "the state: a: l: +inf has no JSON"},
	} {
		p := open(t, "def tool(state):\n  "+tt.body+"\n", start)
		out, err := p.Call("tool", value.OfObject())
		if err != nil || !strings.HasPrefix(out.Failure, tt.failure) || (out.Failure == "") != (tt.failure == "") {
			t.Errorf("%s: %v %q, want %q", tt.body, err, out.Failure, tt.failure)
		}
		if tt.failure == "" && out.Result.JSON() != tt.result {
			t.Errorf("%s: %s, want %s", tt.body, out.Result.JSON(), tt.result)
		}
	}
}

// TestNumbersInTheState: a number that is written again keeps its digits, another kind or value does
// not.
func TestNumbersInTheState(t *testing.T) {
	for body, want := range map[string][]string{
		`state["z"] = 1.5`: nil, `state["n"] = 1`: nil,
		`state["n"] = 1.0`: {"/n=1.0"}, `state["z"] = 2.5`: {"/z=2.5"}, `state["n"] = True`: {"/n=true"},
		`state["l"].append(3)`: {"/l=[2.50,3.50,3]"}, `state["l"].pop()`: {"/l=[2.50]"}, `state["l"][0] = 2.5`: nil,
	} {
		p := open(t, "def tool(state):\n  "+body+"\n", `{"n":1,"z":1.50,"l":[2.50,3.50]}`)
		out, err := p.Call("tool", value.OfObject())
		if err != nil || out.Failure != "" {
			t.Fatal(err, out.Failure)
		}
		if diff := cmp.Diff(want, editText(out.Edits)); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

// TestLoad: which files hold tools.
func TestLoad(t *testing.T) {
	for source, want := range map[string]string{
		"N = 5\ndef t(state):\n  return N\n":       "",
		"def _f():\n  pass\ndef t(s):\n  return 1": "",
		"def t():\n  pass\n":                       "the tool t has no parameter for the state",
		"def _f(state):\n  pass\n":                 "t.star: no tool: write functions as def name(state, argument, …)",
		"N = 1 // 0\n":                             "floored division by zero (t.star:1)",
	} {
		_, err := Load("t.star", source, 1000)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", source, err, want)
		}
	}
}

// TestEditsOfACall: 256 edits are told one by one, more as the whole state.
func TestEditsOfACall(t *testing.T) {
	for n, want := range map[int]int{256: 256, 257: 1} {
		p := open(t, fmt.Sprintf("def t(state):\n  for i in range(%d):\n    state[str(i)] = i\n", n), `{}`)
		out, err := p.Call("t", value.OfObject())
		if err != nil || len(out.Edits) != want || (out.Edits[0].Path == "") != (want == 1) {
			t.Errorf("%d: %v, %d edits", n, err, len(out.Edits))
		}
	}
}

// TestMainRefuses: arguments and input that the process cannot use.
func TestMainRefuses(t *testing.T) {
	for _, tt := range []struct {
		args []string
		in   string
		want string
		code int
	}{
		{[]string{"more"}, "", `unexpected argument "more"`, exitProtocol},
		{[]string{"-steps"}, "", "flag provided but not defined: -steps", exitProtocol},
		{nil, "\n", "", exitDone},
		{nil, `{"op":"open","source":"def t(s): pass","max_steps":0}`, "", exitDone},
	} {
		var out, errs bytes.Buffer
		if code := Main(tt.args, strings.NewReader(tt.in), &out, &errs); code != tt.code || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, errs.String())
		}
		if got := out.String(); tt.code == exitDone && !strings.Contains(got, `"fault":"request"`) {
			t.Errorf("%q: %q", tt.in, got)
		}
	}
	var out, errs bytes.Buffer
	code := Main(nil, iotest.ErrReader(errors.New("the pipe broke")), &out, &errs)
	if code != exitProtocol || !strings.Contains(errs.String(), "reading a request: the pipe broke") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

// TestMainEdits: a reply tells what a call removed, and with keep what a failing call wrote.
func TestMainEdits(t *testing.T) {
	const source = `def drop(state):\n  state.pop(\"x\")\ndef stop(state):\n  state[\"y\"] = 1\n  fail(\"no\")`
	for keep, want := range map[string]string{
		"true":  `{"ok":false,"error":"no","edits":[["/y",1]]}`,
		"false": `{"ok":false,"error":"no"}`,
	} {
		requests := `{"op":"open","file":"t.star","source":"` + source + `","max_steps":1000,"keep":` + keep + `}
{"op":"reset","state":{"x":1}}
{"op":"call","name":"drop","arguments":{}}
{"op":"call","name":"stop","arguments":{}}`
		var out, errs bytes.Buffer
		if code := Main(nil, strings.NewReader(requests), &out, &errs); code != exitDone {
			t.Fatal(code, errs.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if diff := cmp.Diff([]string{`{"ok":true,"result":null,"edits":[["/x"]]}`, want}, lines[2:]); diff != "" {
			t.Errorf("keep %s: %s", keep, diff)
		}
	}
}
