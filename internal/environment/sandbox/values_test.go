package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// TestValuesOfTools: what tools compute with, compare, print and may not return.
func TestValuesOfTools(t *testing.T) {
	const start = `{"a":{"x":1,"l":[{"id":1}]},"n":1,"z":1.50,"yes":true,"none":null,"e":{"":1},"deep":{"b":{"c":{"d":{"e":{"f":1}}}}}}`
	for _, tt := range []struct{ body, result, failure string }{
		{`return state["a"] == {"x": 1, "l": [{"id": 1}]} and True`, `true`, ""},
		{`return [{"a": 1} == [1], [1] == (1,), [1, 2] == [1, 3], [1, 2] == [1], {"a": 1} == {"a": 2}, {"a": 1} == {"b": 1}]`,
			`[false,false,false,false,false,false]`, ""},
		{`return [{"a": [1]} == {"a": [1]}, (1, [2]) == (1, [2]), 2 in (1, 2), "a" in "cat", "x" in state["a"]]`,
			`[true,true,true,true,true]`, ""},
		{`return [{"a": None} == {"b": None}, {"a": None} == {"a": None}]`, `[false,true]`, ""},
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
		{`return float("-inf")`, "", "-inf has no JSON"},
		{`return {1: "two"}`, "", "a JSON object has string keys, not the int 1"},
		{`return round()`, "", "round: missing argument for number"},
		{`return round(number=2.5)`, `2`, ""},
		{`return round(1152921504606846977)`, `1152921504606846977`, ""},
		{`return type()`, "", "type: got 0 arguments, want 1"},
		{`return copy()`, "", "copy: got 0 arguments, want 1"},
		{`return [json.encode({"a": 1}), math.floor(2.5), type(state), type(1)]`, `["{\"a\":1}",2,"dict","int"]`, ""},
		{`return [3 in (1, 2), 3 not in [1, 2], {} == {"a": 1}, {"a": 1} == state["a"], state["a"] == 1, [] == ()]`,
			`[false,true,false,false,false,false]`, ""},
		{`l = [1]; c = copy(l); l.append(2); return [c, l]`, `[[1],[1,2]]`, ""},
		{`c = copy(state["a"]); c["x"] = 5; c["l"][0]["id"] = 5; return [c["x"], state["a"]["x"], c["l"], state["a"]["l"]]`,
			`[5,1,[{"id":5}],[{"id":1}]]`, ""},
		{`return [1 in state["a"], "none" in state["a"], "keys" in dir(state["a"]), len(state["a"]), not state["a"]]`,
			`[false,false,true,2,false]`, ""},
		{`return [1 in state["e"], "" in state["e"]]`, `[false,true]`, ""},
		{`return state["a"]["none"]`, "", `key "none" not in state_dict`},
		{`return state[1]`, "", `key 1 not in state_dict`},
		{`state["a"].update([(1, 2)])`, "", "the state: a: the state has string keys, not the int 1"},
		{`a = state["a"]; a["f"] = len; t = str(a); a.pop("f"); return t`, `"{…}"`, ""},
		{`return [state["yes"], state["yes"] == True, not state["yes"], state["none"], state["none"] == None]`, `[true,true,false,null,true]`, ""},
		{`d = state["deep"]; d["b"]["c"]["d"]["e"]["f"] = float("inf")`, "", "the state: deep: b: c: d: +inf has no JSON"},
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

// TestNumbersBeyondFloats: a number in the state that is too large for a float is infinite for tools, and stays as it
// is if no tool writes it.
func TestNumbersBeyondFloats(t *testing.T) {
	const start = `{"e":1e400,"l":[1e400],"n":1}`
	for body, want := range map[string]string{
		`return [state["e"] > 1, len(state)]`: `[true,3]`, `return [x for x in state["l"]][0] > 1`: `true`, `state["n"] = 1`: `null`, `return state`: start,
	} {
		p := open(t, "def tool(state):\n  "+body+"\n", start)
		out, err := p.Call("tool", value.OfObject())
		if err != nil || out.Failure != "" || out.Result.JSON() != want || p.state.JSON() != start || len(out.Edits) > 0 {
			t.Errorf("%s: %v %q %s, state %s", body, err, out.Failure, out.Result.JSON(), p.state.JSON())
		}
	}
	p := open(t, "def tool(state):\n  state['n'] = state['e']\n", start)
	if out, err := p.Call("tool", value.OfObject()); err != nil || out.Failure != "the state: n: +inf has no JSON" {
		t.Errorf("%v %q", err, out.Failure)
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

// TestArguments: a tool gets its arguments as plain lists and dicts, which it may change.
func TestArguments(t *testing.T) {
	p := open(t, "def tool(state, o, l, n = 5):\n  o['k'] += 1; l.append(o); return [o, l, n, type(o)]\n", `{}`)
	out, err := p.Call("tool", parse(t, `{"o":{"k":1,"m":{"x":null}},"l":[true,2.50]}`))
	const want = `[{"k":2,"m":{"x":null}},[true,2.5,{"k":2,"m":{"x":null}}],5,"dict"]`
	if err != nil || out.Failure != "" || out.Result.JSON() != want || len(out.Edits) > 0 {
		t.Errorf("%v %s %s", err, out.Failure, out.Result.JSON())
	}
}

// TestDepth: values are nested up to 200 levels, whether they are returned, copied, compared or stored.
func TestDepth(t *testing.T) {
	const deeper, wentDeeper = "a value is nested deeper than 200 levels", "a comparison went deeper than 200 levels"
	for _, tt := range []struct {
		build, use string
		most       int
		failure    string
	}{
		{`d = [d]`, `return d`, 200, deeper}, {`d = {"k": d}`, `return d`, 200, deeper},
		{`d = [d]`, `copy(d)`, 200, deeper}, {`d = {"k": d}`, `copy(d)`, 200, deeper},
		{`d = [d]; e = [e]`, `d == e`, 200, wentDeeper}, {`d = {"k": d}; e = {"k": e}`, `d == e`, 200, wentDeeper},
		{`d = (d,); e = (e,)`, `d == e`, 200, wentDeeper}, {`d = [d]; e = [e]`, `d in [0, e]`, 200, wentDeeper},
		{`d = [d]`, `state["x"] = d`, 199, "the state: x: " + deeper}, {`d = {"k": d}`, `state["x"] = d`, 199, "the state: x: " + deeper},
		{`d = [d]`, `state["a"]["x"] = d`, 198, "the state: a: x: " + deeper},
		{`d = [d]`, `state["a"]["l"][0]["x"] = d`, 196, "the state: a: l: x: " + deeper},
	} {
		p := open(t, "def tool(state, n):\n  d = 1; e = 1\n  for i in range(n):\n    "+tt.build+"\n  "+tt.use+"\n", `{"a":{"l":[{}]}}`)
		for n, want := range map[int]string{tt.most: "", tt.most + 1: tt.failure} {
			out, err := p.Call("tool", value.Pairs("n", n))
			if err != nil || !strings.HasPrefix(out.Failure, want) || (want == "") != (out.Failure == "") {
				t.Errorf("%s; %s at %d levels: %v %q, want %q", tt.build, tt.use, n, err, out.Failure, want)
			}
		}
	}
}

// TestConstants: what stands at the top of the file cannot be changed by a tool.
func TestConstants(t *testing.T) {
	p := open(t, "L = []\ndef tool(state):\n  L.append(1)\n", `{}`)
	if out, err := p.Call("tool", value.OfObject()); err != nil || out.Failure != "append: cannot append to frozen list (t.star:3)" {
		t.Errorf("%v %s", err, out.Failure)
	}
}

// TestMainReplies: what the process answers when requests come in a wrong order, ask for wrong limits, or run too long,
// and that it ends when nobody reads its replies.
func TestMainReplies(t *testing.T) {
	const open = `{"op":"open","file":"t.star","source":"def t(state):\n  for i in range(1000): pass","max_steps":`
	for request, want := range map[string]string{
		open + `0}`:   `{"ok":false,"error":"max_steps must be a positive integer","fault":"request"}`,
		open + `"5"}`: `{"ok":false,"error":"max_steps must be a positive integer","fault":"request"}`,
		open + `1}`:   `{"ok":false,"error":"Starlark computation cancelled: too many steps (t.star:1)","fault":"program"}`,
		open + `99}` + "\n" + `{"op":"call","name":"t"}`: `{"ok":true,"result":null}` + "\n" + `{"ok":false,"error":"reset comes first","fault":"request"}`,
		open + `99}` + "\n" + `{"op":"reset","state":{}}` + "\n" + `{"op":"call","name":"t"}`: `{"ok":true,"result":null}` + "\n" + `{"ok":true,"result":null}` + "\n" +
			`{"ok":false,"error":"t: step limit exceeded: more than 99 steps","fault":"steps"}`,
	} {
		var out, errs bytes.Buffer
		code := Main(nil, strings.NewReader(request+"\n"), &out, &errs)
		if code != exitDone || out.String() != want+"\n" || errs.Len() > 0 {
			t.Errorf("%s: exit %d, %s%s", request, code, out.String(), errs.String())
		}
	}
	broken, gone := io.Pipe()
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	if code := Main(nil, strings.NewReader("{}\n{}\n"), gone, io.Discard); code != exitProtocol {
		t.Errorf("nobody reads its replies, and it ends with %d", code)
	}
}

// TestMain runs the test binary as the process of the sandbox.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "__sandbox" {
		os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == "__limits" {
		os.Exit(showLimits())
	}
	os.Exit(m.Run())
}

// TestMemoryLimit: a process that needs more memory than allowed ends with an exit code of its own, and says so.
func TestMemoryLimit(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for limit, grows := range map[string]bool{"0": false, "33554432": true, "1073741824": false} {
		source := `def t(state):\n  l = []\n  for i in range(` + map[bool]string{true: "1000000", false: "100"}[grows] +
			`): l.append(str(i) + \"0123456789\" * 500)\n  for i in range(1000000): pass`
		cmd := exec.Command(self, "__sandbox", "-memory="+limit)
		cmd.Stdin = strings.NewReader(`{"op":"open","file":"t.star","source":"` + source + `","max_steps":10000000}` + "\n" +
			`{"op":"reset","state":{}}` + "\n" + `{"op":"call","name":"t"}` + "\n")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // its exit code is looked at
		code, want := cmd.ProcessState.ExitCode(), exitDone
		if grows {
			want = ExitMemory
		}
		told := strings.HasPrefix(errs.String(), "memory limit exceeded: ") && strings.HasSuffix(errs.String(), " bytes in use, "+limit+" allowed\n")
		if code != want || told != grows || (strings.Count(out.String(), "\n") == 3) == grows {
			t.Errorf("limit %s: exit %d, %s%s", limit, code, out.String(), errs.String())
		}
	}
}
