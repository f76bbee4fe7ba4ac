package environment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/value"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig(objectOf(t, `{
		"type":"mcp","command":["python3","server.py"],"dir":"sim","env":{"A":"b"},
		"reset":{"tool":"reset","argument":"db","as_text":true},"snapshot":{"resource":"db://all"},
		"state":"db.json","tools":{"lookup":"get_order"},"reads":["get_order"],"track":"end",
		"expected":{"from":"state","at":"/expected_state"},"assertions":[{"path":"/a","op":"eq","value":1.50}],"assertions_at":"/must",
		"outputs":true,"ignore":["/**/updated_at"],"keyed":{"/orders/*/items":"id"},"tolerance":{"/users/*/balance":0.01},
		"replay":{"user":true,"decode_strings":true},
		"limits":{"call":"2s","start":90,"max_steps":1000,"max_memory":"512MiB","max_reply":1000000}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Type: mcpKind, Command: []string{"python3", "server.py"}, Dir: "sim", Env: []Variable{{"A", "b"}},
		Reset: Endpoint{Tool: "reset", Argument: "db", AsText: true}, Snapshot: Endpoint{Resource: "db://all"},
		State: "db.json", Tools: []Variable{{"lookup", "get_order"}}, Reads: []string{"get_order"}, Track: trackEnd,
		Expected: Expected{From: wantState, At: "/expected_state"}, Assertions: []Assertion{{"/a", "eq", value.OfNumber("1.50")}}, AssertionsAt: "/must",
		Outputs: true, Ignore: []string{"/**/updated_at"}, Keyed: []Variable{{"/orders/*/items", "id"}},
		Tolerance: []PathNumber{{"/users/*/balance", value.OfNumber("0.01")}},
		Replay:    Replay{User: true, DecodeStrings: new(true)},
		Limits:    Limits{Call: 2 * time.Second, Start: 90 * time.Second, MaxSteps: 1000, MaxMemory: 512 << 20, MaxReply: 1000000},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b value.Value) bool { return a.JSON() == b.JSON() })); diff != "" {
		t.Error(diff)
	}
	short, err := ParseConfig(objectOf(t, `{"type":"starlark","file":"t.star","state":"s.json","expected":"none","tolerance":0.5}`))
	if err != nil || short.Expected.From != wantNothing || len(short.Tolerance) != 1 || short.Tolerance[0].Path != "/**" {
		t.Errorf("%v %+v", err, short)
	}
}

func TestConfigErrors(t *testing.T) {
	const ok = `"type":"starlark","file":"t.star","state":"s.json"`
	for _, tt := range []struct{ config, want string }{
		{`{}`, `type: is missing`},
		{`{"type":"docker"}`, `type: unknown value "docker"; known are command, mcp, starlark`},
		{`{"type":"starlark","state":"s"}`, `file: type starlark needs`},
		{`{"type":"starlark","file":"t"}`, `state: type starlark needs`},
		{`{"type":"command"}`, `command: type command needs`},
		{`{"type":"command","command":"python3 x.py"}`, `command: want a list of texts, got string`},
		{`{"type":"command","command":["x",1]}`, `command[1]: want text, got integer`},
		{`{"type":"mcp"}`, `command: type mcp needs one of command and url`},
		{`{"type":"mcp","url":"http://x","command":["x"]}`, `command: type mcp needs one of`},
		{`{"type":"mcp","url":"http://x","snapshot":{"tool":"a"}}`, `reset: type mcp needs a tool or a resource here`},
		{`{"type":"mcp","url":"http://x","reset":{"tool":"a","resource":"b"}}`, `reset: type mcp needs a tool or a resource here`},
		{`{` + ok + `,"tolerance":{"[":1}}`, `tolerance: pattern "["`},
		{`{"type":"mcp","url":"http://x","reset":{"tool":"a"}}`, `snapshot: type mcp needs a tool or a resource here`},
		{`{` + ok + `,"stat_at":"/x"}`, `stat_at: unknown key "stat_at"; did you mean state_at?`},
		{`{` + ok + `,"limits":{"cal":"1s"}}`, `limits.cal: unknown key "cal"; did you mean call?`},
		{`{` + ok + `,"entirely_wrong_key":1}`, `entirely_wrong_key: unknown key "entirely_wrong_key"; known are assertions, `},
		{`{` + ok + `,"limits":{"call":"soon"}}`, `limits.call: want seconds or a duration such as 90s or 2m, got "soon"`},
		{`{` + ok + `,"limits":{"max_memory":"2TB"}}`, `limits.max_memory: want a size such as 512MiB, got "2TB"`},
		{`{` + ok + `,"limits":{"max_steps":-1}}`, `limits.max_steps: want a whole number from 1 on`},
		{`{` + ok + `,"limits":[]}`, `limits: want a mapping of keys to values`},
		{`{` + ok + `,"expected":"sometimes"}`, `expected.from: must be calls, state or none`},
		{`{` + ok + `,"expected":"state"}`, `expected: from: state needs one of file and at`},
		{`{` + ok + `,"state_at":"/x"}`, `state: give state or state_at, not both`},
		{`{` + ok + `,"ignore":["x"]}`, `ignore[0]: pattern "x": must start with a slash`},
		{`{` + ok + `,"keyed":{"[":"x"}}`, `keyed: pattern`},
		{`{` + ok + `,"tolerance":{"/a":-1}}`, `tolerance: /a: must be a number from 0 on`},
		{`{` + ok + `,"tolerance":{"/a":"1"}}`, `tolerance: /a: must be a number from 0 on`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"matches","value":5}]}`,
			`assertions[0]: value: matches wants a regular expression as a string`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"len","value":-1}]}`,
			`assertions[0]: value: len wants an integer from 0 on`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"len","value":"x"}]}`,
			`assertions[0]: value: len wants an integer from 0 on`},
		{`{` + ok + `,"tolerance":"some"}`, `tolerance: want a mapping of keys to values`},
		{`{` + ok + `,"track":"sometimes"}`, `track: unknown value "sometimes"; known are calls, end`},
		{`{` + ok + `,"preset":"tau"}`, `preset: unknown value "tau"; known are tau_bench`},
		{`{` + ok + `,"outputs":"yes"}`, `outputs: want true or false, got string`},
		{`{` + ok + `,"assertions":[{"path":"a","op":"eq"}]}`, `assertions[0]: path: "a" must start with a slash`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"is"}]}`, `assertions[0]: op: must be`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"matches","value":"("}]}`, `assertions[0]: value: error parsing regexp`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"lt","value":[]}]}`, `assertions[0]: value: lt compares`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"le","value":[]}]}`, `assertions[0]: value: le compares`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"gt","value":true}]}`, `assertions[0]: value: gt compares`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"ge"}]}`, `assertions[0]: value: ge compares`},
		{`{` + ok + `,"assertions":[{"path":"/a","op":"eq","vlaue":1}]}`, `assertions[0].vlaue: unknown key "vlaue"; did you mean value?`},
		{`{` + ok + `,"assertions":{}}`, `assertions: want a list, got object`},
		{`[]`, `want a mapping of keys to values`},
	} {
		_, err := ParseConfig(objectOf(t, tt.config))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.config, err, tt.want)
		}
	}
}

func TestNewReadsFiles(t *testing.T) {
	files := map[string]string{"s.json": `{"a":1}`, "t.star": "def t(s): pass", "bad.json": `{`}
	deps := Deps{Self: []string{"x"}, ReadFile: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("open " + name + ": no such file")
	}}
	for _, tt := range []struct {
		config Config
		want   string
	}{
		{Config{Type: starlark, File: "t.star", State: "none.json"}, "state: open none.json: no such file"},
		{Config{Type: starlark, File: "t.star", State: "bad.json"}, "state: bad.json: json: text ends early"},
		{Config{Type: starlark, File: "none.star", State: "s.json"}, "file: open none.star: no such file"},
		{Config{Type: starlark, File: "t.star", State: "s.json", Expected: Expected{From: wantState, File: "none.json"}}, "expected.file: open none.json"},
	} {
		if _, err := New(deps, tt.config); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	for _, c := range []Config{{Type: starlark, File: "t.star", State: "s.json"}, {Type: starlark, File: "t.star", StateAt: "/x"}} {
		if _, err := New(deps, c); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(deps, Config{Type: "docker"}); err == nil || err.Error() != `type: must be starlark, command or mcp, not "docker"` {
		t.Error(err)
	}
}

// TestPackedStates: a state may be gzipped; what is damaged is told with its file.
func TestPackedStates(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`{"a":1.50}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	whole := packed.Bytes()
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{whole, `{"a":1.50}`}, {[]byte(`{"a":2}`), `{"a":2}`}, {nil, "state: s: json: text ends early at byte 0: unexpected EOF"},
		{whole[:12], "state: s: unexpected EOF"}, {whole[:5], "state: s: unexpected EOF"},
		{append([]byte{0x1f, 0x8b}, "no gzip file"...), "state: s: gzip: invalid header"},
	} {
		m, err := New(Deps{ReadFile: func(string) ([]byte, error) { return tt.data, nil }},
			Config{Type: commandKind, Command: []string{"x"}, State: "s"})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = m.state.JSON()
		}
		if got != tt.want {
			t.Errorf("%d bytes: %s, want %s", len(tt.data), got, tt.want)
		}
	}
}

// TestWorkers: only a server at a URL whose sessions share a state is used by one worker at a time.
func TestWorkers(t *testing.T) {
	ends := Config{Type: mcpKind, Reset: Endpoint{Tool: "r"}, Snapshot: Endpoint{Tool: "s"}}
	server, own, program := ends, ends, ends
	server.URL, own.URL, own.Isolated, program.Command = "http://x", "http://x", true, []string{"x"}
	for name, tt := range map[string]struct {
		config Config
		want   int
	}{
		"a server": {server, 1}, "sessions of their own": {own, 8}, "a program": {program, 8},
	} {
		m, err := New(Deps{}, tt.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.workers(8); got != tt.want {
			t.Errorf("%s: %d workers, want %d", name, got, tt.want)
		}
		if m.workers(0) != 1 || m.workers(1) != 1 {
			t.Errorf("%s: %d and %d workers", name, m.workers(0), m.workers(1))
		}
		if pool := NewPool(m, 8); len(pool.free) != tt.want || cap(pool.free) != tt.want {
			t.Errorf("%s: a pool of %d, %d of them free", name, cap(pool.free), len(pool.free))
		}
	}
}

// TestStarlarkProcess: the sandbox's process gets its limits, and nothing of the environment.
func TestStarlarkProcess(t *testing.T) {
	deps := Deps{Self: []string{"judge", "__sandbox"}, Environ: []string{"A=1"}, ReadFile: func(string) ([]byte, error) { return []byte("{}"), nil }}
	for _, tt := range []struct {
		limits               Limits
		onError, argv, asked string
	}{
		{Limits{}, "", "judge __sandbox -memory=1073741824", `{"op":"open","file":"t.star","source":"{}","max_steps":50000000,"keep":false}`},
		{Limits{MaxMemory: 5, MaxSteps: 7}, "keep", "judge __sandbox -memory=5", `{"op":"open","file":"t.star","source":"{}","max_steps":7,"keep":true}`},
	} {
		m, err := New(deps, Config{Type: starlark, File: "t.star", State: "s", Limits: tt.limits, OnError: tt.onError, Track: trackEnd})
		if err != nil {
			t.Fatal(err)
		}
		env := m.environment()
		r, ok := env.runner.(*lineRunner)
		if !ok || !env.track {
			t.Fatalf("%+v", env)
		}
		if got := strings.Join(r.command.argv, " "); got != tt.argv || r.greeting.JSON() != tt.asked {
			t.Errorf("%s, %s", got, r.greeting.JSON())
		}
		if !slices.Equal(r.command.env, []string{"GOTRACEBACK=none"}) || r.command.memory != 0 {
			t.Errorf("%+v", r.command)
		}
	}
	if len(deps.Self) != 2 {
		t.Errorf("%q", deps.Self)
	}
}

// TestProgramOfConfig: a program is started as the config says, with the default limits.
func TestProgramOfConfig(t *testing.T) {
	deps := Deps{Environ: []string{"A=1"}}
	for track, want := range map[string]bool{"": true, "calls": true, trackEnd: false} {
		m, err := New(deps, Config{Type: commandKind, Command: []string{"x", "y"}, Dir: "d", Env: []Variable{{"B", "2"}}, Reads: []string{"r"}, Track: track})
		if err != nil {
			t.Fatal(err)
		}
		env := m.environment()
		r, ok := env.runner.(*lineRunner)
		if !ok || env.track != want || !r.readOnly("r") || r.readOnly("x") {
			t.Fatalf("track %q: %+v", track, env)
		}
		if diff := cmp.Diff([]string{"x y", "d", "A=1 B=2"}, []string{strings.Join(r.command.argv, " "), r.command.dir, strings.Join(r.command.env, " ")}); diff != "" {
			t.Error(diff)
		}
		l := env.limits
		if l.Call != 10*time.Second || l.Start != 30*time.Second || l.MaxReply != 67108864 || r.limits != l || r.command.memory != 1073741824 {
			t.Errorf("%+v, %+v", l, r.command)
		}
	}
}

// TestProgramsGetNoCredentials: what looks like one stays here, unless the config
// itself hands it over.
func TestProgramsGetNoCredentials(t *testing.T) {
	deps := Deps{Environ: []string{"PATH=/bin", "OPENAI_API_KEY=k", "GITHUB_TOKEN=t", "my_secret=s", "HOME=/h", "GATEWAY=sk-0123456789", "COPY=Bearer sk-0123456789", "SHORT=a",
		"EIGHT=12345678", "LIKE_EIGHT=x12345678x", "SEVEN=7654321", "LIKE_SEVEN=x7654321x", "EQUALS=a=b", "EMPTY="},
		Withhold: []string{"GATEWAY", "SHORT", "NOT_SET", "EIGHT", "SEVEN"}}
	m, err := New(deps, Config{Type: commandKind, Command: []string{"x"}, Env: []Variable{{"SIM_KEY", "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"PATH=/bin", "HOME=/h", "LIKE_SEVEN=x7654321x", "EQUALS=a=b", "EMPTY=", "SIM_KEY=1"}, m.environ()); diff != "" {
		t.Error(diff)
	}
	if m, err = New(Deps{}, Config{Type: mcpKind, URL: "http://x", Reset: Endpoint{Tool: "r"}, Snapshot: Endpoint{Tool: "s"}}); err != nil || m.workers(8) != 1 {
		t.Errorf("a server with one state has %d workers: %v", m.workers(8), err)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add(`{"type":"starlark","file":"t.star","state":"s.json","limits":{"call":"1s"}}`)
	f.Add(`{"type":"command","command":["x"],"keyed":{"/a":"b"},"tolerance":{"/**":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseString(text)
		if err != nil {
			return
		}
		c, err := ParseConfig(v)
		if err != nil {
			return
		}
		if !slices.Contains([]string{starlark, commandKind, mcpKind}, c.Type) {
			t.Fatalf("%q gives type %q", text, c.Type)
		}
		if _, err := c.options(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOptions: what a configuration lets differ, and that tau_bench tells integers from floats.
func TestOptions(t *testing.T) {
	one := objectOf(t, `{"a":1,"b":1,"l":[{"id":1},{"id":2}]}`)
	half := objectOf(t, `{"a":1.5,"b":2,"l":[{"id":2},{"id":1}]}`)
	c := Config{
		Ignore: []string{"/b"}, Keyed: []Variable{{"/l", "id"}},
		Tolerance: []PathNumber{{"/a", value.OfNumber("0.5")}, {"/b", value.OfInt(0)}},
	}
	o, err := c.options()
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Diff(nil, one, half, o); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	for preset, want := range map[string]int{"": 0, tauBench: 1} {
		o, err := Config{Preset: preset}.options()
		if err != nil {
			t.Fatal(err)
		}
		if got := state.Diff(nil, objectOf(t, `{"a":1}`), objectOf(t, `{"a":1.0}`), o); len(got) != want {
			t.Errorf("preset %q: %+v", preset, got)
		}
	}
}
