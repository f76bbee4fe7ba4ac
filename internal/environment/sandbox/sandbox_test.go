package sandbox

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, s string) value.Value {
	t.Helper()
	v, err := value.ParseString(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func open(t testing.TB, source, start string) *Program {
	t.Helper()
	p, err := Load("t.star", source, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, start)
	if err := p.Reset(v); err != nil {
		t.Fatal(err)
	}
	return p
}

// editText prints edits as pointer=json, removed ones as pointer!.
func editText(edits []state.Change) []string {
	var out []string
	for _, e := range edits {
		if e.Final == nil {
			out = append(out, e.Path+"!")
			continue
		}
		out = append(out, e.Path+"="+e.Final.JSON())
	}
	return out
}

func TestToolsOverTheState(t *testing.T) {
	const start = `{"a":{"x":1,"y":[1,2,3],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`
	for _, tt := range []struct {
		name, body, result string
		edits              []string
		state              string
	}{
		{"read", `return state["a"]["x"]`, `1`, nil, start},
		{"numbers keep their text", `return state["a"]`, `{"x":1,"y":[1,2,3],"z":1.50}`, nil, start},
		{"big ints", `return state["big"] + 1`, `12345678901234567891`, nil, start},
		{"set a member", `state["a"]["x"] = 2`, `null`, []string{"/a/x=2"}, `{"a":{"x":2,"y":[1,2,3],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"what is left of several writes", `state["b"][0]["id"] = 5; state["b"][0]["w"] = 1; state["b"][0] = {"id": 9}`, `null`, []string{`/b/0/id=9`}, `{"a":{"x":1,"y":[1,2,3],"z":1.50},"b":[{"id":9},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"append tells the whole list", `state["a"]["y"].append({"k": (1, 2)})`, `null`, []string{`/a/y=[1,2,3,{"k":[1,2]}]`}, `{"a":{"x":1,"y":[1,2,3,{"k":[1,2]}],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"+= grows the list of the state", `y = state["a"]["y"]; y += [4]; return y == [1, 2, 3, 4]`, `true`, []string{`/a/y=[1,2,3,4]`}, `{"a":{"x":1,"y":[1,2,3,4],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"+= on an element", `state["a"]["y"] += [4]; state["a"]["x"] += 4`, `null`, []string{`/a/x=5`, `/a/y=[1,2,3,4]`}, `{"a":{"x":5,"y":[1,2,3,4],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"pop and put back in order", `v = state["a"].pop("x"); return v`, `1`, []string{`/a/x!`}, `{"a":{"y":[1,2,3],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"escaped pointers", `state["n/m"]["~"] = 1`, `null`, []string{`/n~1m/~0=1`}, `{"a":{"x":1,"y":[1,2,3],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":1}}`},
		{"list edits", `l = state["a"]["y"]; l.insert(0, 0); l.remove(2); l.pop(); return [x for x in l]`, `[0,1]`, []string{`/a/y=[0,1]`}, `{"a":{"x":1,"y":[0,1],"z":1.50},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"in, ==, type, copy, round", `c = copy(state["a"]); c["x"] = 7; return [2 in state["a"]["y"], {"id": 2} in state["b"], state["b"][0] in [{"id": 1}], "x" not in state["a"], state["a"] != c, type(state["a"]), type(state["b"]), round(2.675, 2), round(0.5), [] == state["b"]]`,
			`[true,true,true,false,true,"dict","list",2.67,0,false]`, nil, start},
		{"what is stored stays itself during the call", `n = {"k": 1}; state["b"][1] = state["b"][0]; state["b"][0]["id"] = 8; state["a"]["x"] = n; n["k"] = 2; state["a"]["x"] = state["a"]["x"]["k"] - 1`, `null`, []string{`/b/0/id=8`, `/b/1/id=8`}, `{"a":{"x":1,"y":[1,2,3],"z":1.50},"b":[{"id":8},{"id":8}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"methods", `a = state["a"]; a.update({"q": 1}, r=2); a.setdefault("t", []).append(1); return [a.get("none", 5), a.keys(), len(a.values()), a.items()[0], sorted(a)[0]]`, `[5,["x","y","z","q","r","t"],6,["x",1],"q"]`, []string{`/a/q=1`, `/a/r=2`, `/a/t=[1]`}, `{"a":{"x":1,"y":[1,2,3],"z":1.50,"q":1,"r":2,"t":[1]},"b":[{"id":1},{"id":2}],"s":"t","big":12345678901234567890,"n/m":{"~":0}}`},
		{"looping while changing", `[state.pop(k) for k in state if k != "s"]`, `null`, []string{"/a!", "/b!", "/big!", "/n~1m!"}, `{"s":"t"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, "def tool(state):\n  "+tt.body+"\n", start)
			out, err := p.Call("tool", value.OfObject())
			if err != nil || out.Failure != "" {
				t.Fatalf("%v %s", err, out.Failure)
			}
			if got := out.Result.JSON(); got != tt.result {
				t.Errorf("result %s, want %s", got, tt.result)
			}
			if diff := cmp.Diff(tt.edits, editText(out.Edits)); diff != "" {
				t.Errorf("edits: %s", diff)
			}
			if got := p.state.JSON(); got != tt.state {
				t.Errorf("state %s\nwant  %s", got, tt.state)
			}
			if err := p.Reset(p.start); err != nil {
				t.Fatal(err)
			}
			if got := p.state.JSON(); got != start {
				t.Errorf("after going back: %s", got)
			}
		})
	}
}

// TestManyEdits: a call that writes to every element of a long list takes no time that grows with its square.
func TestManyEdits(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"l":[{"n":0}`)
	for range 50_000 {
		b.WriteString(`,{"n":0}`)
	}
	b.WriteString(`],"few":{"a":1,"b":2}}`)
	p := open(t, `
def all(state):
  for e in state["l"]:
    e["n"] += 1
  state["few"]["a"] = 5
`, b.String())
	p.maxSteps = 10_000_000
	before := p.state
	out, err := p.Call("all", value.OfObject())
	if err != nil || out.Failure != "" {
		t.Fatal(err, out.Failure)
	}
	next, err := state.Apply(before, out.Edits)
	if changes := len(state.Compare(before, next, strict)); err != nil || changes != 50_002 || !value.Equal(next, p.state) {
		t.Errorf("%v, %d changes", err, changes)
	}
}

func TestToolErrors(t *testing.T) {
	const source = `
def stop(state):
  state["x"] = 2
  fail("not today")
def slip(state):
  state["x"] = 3
  return state["nothing"]
def steps(state):
  while True:
    pass
def forever(state):
  state["x"] = {"a": [1 / 4, float("inf")]}
def ring(state):
  state["x"] = {}
  state["x"]["x"] = state
def pi(state):
  return 1 / 0.0
def keyed(state):
  state[1] = 2
def loads(state):
  return open("/etc/passwd")
`
	if _, err := Load("t.star", source, 1000); err == nil || !strings.Contains(err.Error(), "undefined: open") {
		t.Fatalf("a program that opens files was loaded: %v", err)
	}
	p := open(t, strings.Split(source, "def loads")[0], `{"x":1}`)
	for _, tt := range []struct{ tool, args, want string }{
		{"stop", `{}`, "not today"},
		{"slip", `{}`, `key "nothing" not in state_dict (t.star:7)`},
		{"stop", `{"y":1}`, `function stop got an unexpected keyword argument "y"`},
		{"forever", `{}`, `the state: x: +inf has no JSON`},
		{"ring", `{}`, `the state: x: x: a value is nested deeper than 200 levels`},
		{"pi", `{}`, `floating-point division by zero (t.star:17)`},
		{"keyed", `{}`, `the state has string keys, not the int 1 (t.star:19)`},
		{"missing", `{}`, `unknown tool "missing"`},
	} {
		out, err := p.Call(tt.tool, parse(t, tt.args))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Failure, tt.want) || len(out.Edits) > 0 || p.state.JSON() != `{"x":1}` {
			t.Errorf("%s: %q, want %q; state %s", tt.tool, out.Failure, tt.want, p.state.JSON())
		}
	}
	if _, err := p.Call("steps", value.OfObject()); err == nil || !strings.Contains(err.Error(), "step limit exceeded: more than 100000 steps") {
		t.Errorf("endless loop: %v", err)
	}
	p.keep = true
	out, err := p.Call("stop", value.OfObject())
	if err != nil || out.Failure != "not today" || p.state.JSON() != `{"x":2}` || len(out.Edits) != 1 {
		t.Errorf("keep: %v %+v", err, out)
	}
}

// TestEditsRebuildTheState checks on random programs that the edits of a call turn
// the state before into the state after, and that going back restores it exactly.
func TestEditsRebuildTheState(t *testing.T) {
	steps := []string{
		`state["a"]["k%d"] = {"v": %d, "l": [1, [2]]}`, `state["a"].pop("k%d", %d)`, `state["l"].append([%d, %d])`,
		`state["l"].insert(%d %% 3, %d)`, `state["l"] and state["l"].pop()`, `state["l"] and state["l"].pop(0)`,
		`state["a"].setdefault("k%d", {}).update(z=%d)`, `state["a"]["m"] = state["l"]`, `state["l"] += [state["a"].get("k%d"), %d]`,
		`state["a"].clear()`, `state["l"].clear()`, `state["o"]["p"]["q"] = %d + %d`, `state["o"] = {"p": {"q": %d, "r": [%d]}}`,
		`[x.clear() for x in state["l"] if type(x) == "list"]`, `state["l"] and state["l"].extend([state["l"][-1], {}])`,
	}
	const start = `{"a":{"k1":{"v":1},"m":0},"l":[[1],{"x":2},3],"o":{"p":{"q":1.0}}}`
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		var b strings.Builder
		const calls = 6
		for c := range calls {
			fmt.Fprintf(&b, "def t%d(state):\n", c)
			for range 1 + rng.IntN(5) {
				s := steps[rng.IntN(len(steps))]
				if n := strings.Count(s, "%d"); n > 0 {
					s = fmt.Sprintf(s, []any{rng.IntN(4), rng.IntN(9)}[:n]...)
				}
				b.WriteString("  " + s + "\n")
			}
		}
		p := open(t, b.String(), start)
		mirror := parse(t, start)
		for c := range calls {
			out, err := p.Call(fmt.Sprintf("t%d", c), value.OfObject())
			if err != nil || out.Failure != "" {
				t.Fatalf("%s: %v %s", b.String(), err, out.Failure)
			}
			if mirror, err = state.Apply(mirror, out.Edits); err != nil {
				t.Fatalf("%s: %v", b.String(), err)
			}
			if got := p.state; !value.Equal(got, mirror) {
				t.Fatalf("round %d call %d:\n%s\nstate  %s\nmirror %s\nedits %v", round, c, b.String(), got.JSON(), mirror.JSON(), editText(out.Edits))
			}
		}
		if err := p.Reset(p.start); err != nil {
			t.Fatal(err)
		}
		if got := p.state.JSON(); got != start {
			t.Fatalf("round %d:\n%s\ngoing back gives %s", round, b.String(), got)
		}
	}
}

func TestMainServes(t *testing.T) {
	requests := strings.Join([]string{
		`{"op":"call","name":"t"}`,
		`{"op":"open","file":"t.star","source":"def t(state, n): state[\"x\"] = n; return state","max_steps":1000}`,
		`{"op":"reset"}`,
		`{"op":"reset","state":{"x":1}}`,
		`{"op":"call","name":"t","arguments":{"n":2.50}}`,
		`{"op":"reset"}`, `{"op":"call","name":"t","arguments":{"n":1}}`, `nonsense`, `{"op":"dance"}`,
		`{"op":"open","file":"u.star","source":"x = [","max_steps":1000}`, "",
	}, "\n")
	var out, errs bytes.Buffer
	if code := Main(nil, strings.NewReader(requests), &out, &errs); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	want := `{"ok":false,"error":"open comes first","fault":"request"}
{"ok":true,"result":null}
{"ok":false,"error":"the state must be a JSON object, not null","fault":"request"}
{"ok":true,"result":null}
{"ok":true,"result":{"x":2.5},"edits":[["/x",2.5]]}
{"ok":true,"result":null}
{"ok":true,"result":{"x":1}}
{"ok":false,"error":"json: unexpected character at byte 0","fault":"request"}
{"ok":false,"error":"unknown op \"dance\"","fault":"request"}
{"ok":false,"error":"u.star:1:6: got end of file, want primary expression","fault":"program"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func FuzzRequests(f *testing.F) {
	f.Add(`{"op":"open","file":"t.star","source":"def t(state, n): state['x'] = n","max_steps":1000}`, `{"op":"reset","state":{}}`, `{"op":"call","name":"t","arguments":{"n":[1]}}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var out, errs bytes.Buffer
		Main(nil, strings.NewReader(a+"\n"+b+"\n"+c), &out, &errs)
		for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
			if v, err := value.ParseString(line); err != nil || !v.Has("ok") {
				t.Fatalf("reply %q", line)
			}
		}
	})
}
