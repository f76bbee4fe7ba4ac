package environment

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// faultMain runs a program over JSON lines that goes wrong in one way when it is told
// to (the tool "trouble"), and works otherwise: the tool "set" sets a key.
func faultMain(mode string) int {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	st := value.OfObject()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		req, err := value.Parse(line)
		if err != nil {
			return 3
		}
		reply := value.OfObject(value.Member{Key: "ok", Value: value.OfBool(true)})
		switch req.Field("op").Text() {
		case "reset":
			st = req.Field("state")
		case "snapshot":
			if st.Has("broken") {
				fmt.Fprintln(out, `{"ok":true,"result":`)
				out.Flush()
				continue
			}
			reply = reply.With("result", st)
		case "call":
			args := req.Field("arguments")
			switch name := req.Field("name").Text(); name {
			case "trouble":
				trouble(mode, out)
				st = st.With("broken", value.OfBool(true))
			case "set":
				st = st.With(args.Field("key").Text(), args.Field("value"))
			default:
				reply = value.OfObject(value.Member{Key: "ok", Value: value.OfBool(false)}, value.Member{Key: "error", Value: value.OfString("unknown tool " + name)})
			}
		}
		fmt.Fprintln(out, reply.JSON())
		out.Flush()
	}
}

func trouble(mode string, out *bufio.Writer) {
	switch mode {
	case "hang":
		fmt.Fprintln(os.Stderr, "waiting for godot")
		time.Sleep(time.Hour)
	case "crash":
		fmt.Fprintln(os.Stderr, "Traceback: the database is gone")
		os.Exit(7)
	case "threads": // what Go's runtime prints if no thread can be started
		fmt.Fprintln(os.Stderr, "runtime: failed to create new OS thread (have 9 already; errno=11)"+strings.Repeat("\ngoroutine 1 [running]:", 500))
		os.Exit(2)
	case "rubbish":
		fmt.Fprintln(out, "Hello! I am a log line.")
	case "half":
		fmt.Fprint(out, `{"ok":tr`)
		out.Flush()
		os.Exit(0)
	case "huge":
		fmt.Fprintf(out, "{\"ok\":true,\"result\":\"%s\"}\n", strings.Repeat("x", 1<<20))
	case "endless":
		for {
			if _, err := out.WriteString("0123456789"); err != nil {
				os.Exit(0)
			}
		}
	case "memory":
		var hold [][]byte
		for {
			b := make([]byte, 8<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			if hold = append(hold, b); len(hold) > 1000 {
				os.Exit(9)
			}
			time.Sleep(time.Millisecond)
		}
	case "closed":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
}

// mcpFaultMain does the same as an MCP server.
func mcpFaultMain(mode string) int {
	if mode == "rubbish at once" {
		for range 5 {
			fmt.Println("Listening on port 8080 ...")
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	if mode == "crash at once" {
		fmt.Fprintln(os.Stderr, "no module named server")
		return 1
	}
	if err := faultServer(mode).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

func faultServer(mode string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "fault", Version: "1"}, nil)
	st := value.OfObject()
	add := func(name string, f func(args value.Value) string) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := value.Parse(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: f(args)}}}, nil
		})
	}
	add("reset", func(args value.Value) string { st = args.Field("state"); return "ok" })
	add("snapshot", func(value.Value) string {
		if st.Has("broken") {
			return "not a state"
		}
		return st.JSON()
	})
	add("set", func(args value.Value) string {
		st = st.With(args.Field("key").Text(), args.Field("value"))
		return "done"
	})
	add("trouble", func(value.Value) string {
		if mode == "huge" {
			return strings.Repeat("x", 1<<20)
		}
		if mode == "rubbish" {
			st = st.With("broken", value.OfBool(true))
			return "ok"
		}
		trouble(mode, bufio.NewWriter(os.Stdout))
		return "ok"
	})
	return server
}

const faultyTools = `
def set(db, key, value):
    db[key] = value
def trouble_loop(db):
    while True:
        pass
def trouble_memory(db):
    x = "0123456789" * 1000
    hold = []
    while True:
        hold.append(x + str(len(hold)))
def trouble_string(db):
    x = "0123456789" * 1000
    while True:
        x += x
def trouble_int(db):
    x = 3
    while True:
        x = x * x
def trouble_huge(db):
    return "x" * (1 << 20)
def trouble_deep(db):
    d = {}
    for i in range(100000):
        d = {"d": d}
    db["deep"] = d
def trouble_cycle(db):
    d = {}
    d["d"] = d
    db["d"] = d
`

type faultCase struct {
	config Config
	tool   string
	want   FaultKind
	stderr string
}

func faultCases(t *testing.T) map[string]faultCase {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limits := Limits{Call: 20 * time.Second, Start: 20 * time.Second, MaxReply: 200 << 10, MaxMemory: 96 << 20, MaxSteps: 1_000_000_000}
	steps := limits
	steps.MaxSteps = 10_000
	// Short enough to wait for, long enough for a healthy call on a busy machine.
	hasty := limits
	hasty.Call = 2 * time.Second
	command := func(mode string, l Limits) Config {
		return Config{Type: commandKind, Command: []string{self, "__fault", mode}, Limits: l}
	}
	server := func(mode string, l Limits) Config {
		return Config{Type: mcpKind, Command: []string{self, "__mcpfault", mode}, Reset: Endpoint{Tool: "reset", Argument: "state"}, Snapshot: Endpoint{Tool: "snapshot"}, Limits: l}
	}
	tools := func(l Limits) Config { return Config{Type: starlark, File: "faulty.star", State: "start", Limits: l} }
	return map[string]faultCase{
		"command hangs":         {command("hang", hasty), "trouble", hang, "waiting for godot"},
		"command crashes":       {command("crash", limits), "trouble", crash, "Traceback: the database is gone"},
		"command says rubbish":  {command("rubbish", limits), "trouble", protocol, ""},
		"command breaks off":    {command("half", limits), "trouble", crash, ""},
		"command says much":     {command("huge", limits), "trouble", oversized, ""},
		"command never stops":   {command("endless", limits), "trouble", oversized, ""},
		"command eats memory":   {command("memory", limits), "trouble", memoryFault, ""},
		"command lacks threads": {command("threads", limits), "trouble", memoryFault, ""},
		"command closes":        {command("closed", limits), "trouble", crash, ""},
		"command breaks state":  {command("none", limits), "trouble", protocol, ""},
		"mcp hangs":             {server("hang", hasty), "trouble", hang, "waiting for godot"},
		"mcp crashes":           {server("crash", limits), "trouble", crash, "Traceback: the database is gone"},
		"mcp breaks state":      {server("rubbish", limits), "trouble", protocol, ""},
		"mcp says much":         {server("huge", limits), "trouble", oversized, ""},
		"mcp eats memory":       {server("memory", limits), "trouble", memoryFault, ""},
		"starlark loops":        {tools(hasty), "trouble_loop", hang, ""},
		"starlark steps":        {tools(steps), "trouble_loop", stepsFault, ""},
		"starlark memory":       {tools(limits), "trouble_memory", memoryFault, "memory limit exceeded"},
		"starlark strings":      {tools(limits), "trouble_string", memoryFault, ""},
		"starlark big ints":     {tools(hasty), "trouble_int", hang, ""},
		"starlark says much":    {tools(limits), "trouble_huge", oversized, ""},
	}
}

func faultMaker(t *testing.T, c Config) *Maker {
	t.Helper()
	deps := testDeps(t)
	deps.ReadFile = func(name string) ([]byte, error) {
		switch name {
		case "faulty.star":
			return []byte(faultyTools), nil
		case "start":
			return []byte(`{"x":1}`), nil
		}
		return nil, os.ErrNotExist
	}
	m, err := New(deps, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func objectOf(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFaultsCostOneConversation puts a conversation that breaks the environment
// between two that do not: it alone is lost, with the kind of the fault and the
// last lines of the standard error.
func TestFaultsCostOneConversation(t *testing.T) {
	for name, tt := range faultCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := faultMaker(t, tt.config)
			pool := NewPool(m, 1)
			defer pool.Close()
			start := objectOf(t, `{"x":1}`)
			set := Call{Name: "set", Arguments: objectOf(t, `{"key":"y","value":2}`)}
			good := Plan{Start: start, Calls: []Call{set}, WantCalls: []Call{set}}
			bad := Plan{Start: start, Calls: []Call{set, {Index: 1, Name: tt.tool, Arguments: value.OfObject()}, set}, WantCalls: []Call{}}
			outcomes, err := pool.CheckAll(context.Background(), []Plan{good, bad, good})
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{0, 2} {
				if o := outcomes[i]; o.Status != score.Scored || o.ExecOK == nil || !*o.ExecOK || len(o.Final) != 1 {
					t.Errorf("conversation %d suffers: %+v", i, o)
				}
			}
			o := outcomes[1]
			if o.Status != score.Error || o.Fault == nil || o.ExecOK != nil || o.Reward != nil {
				t.Fatalf("the broken conversation has a verdict: %+v", o)
			}
			if o.Fault.Kind != tt.want {
				t.Errorf("%s, want %s", o.Fault.Detail(), tt.want)
			}
			if tt.stderr != "" && !slices.ContainsFunc(o.Fault.Stderr, func(l string) bool { return strings.Contains(l, tt.stderr) }) {
				t.Errorf("the standard error %q is not told: %q", tt.stderr, o.Fault.Stderr)
			}
			if len(o.Effects) != 1 {
				t.Errorf("%d calls ran before the fault, want 1", len(o.Effects))
			}
		})
	}
}

// TestToolErrorsAreNotFaults: a value that cannot be stored, and a tool that is not
// there, are errors that the agent would have seen.
func TestToolErrorsAreNotFaults(t *testing.T) {
	m := faultMaker(t, Config{Type: starlark, File: "faulty.star", State: "start"})
	env := m.environment()
	defer env.Close()
	ctx := context.Background()
	if err := env.Reset(ctx, m.state); err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"trouble_deep": "nested deeper than 200", "trouble_cycle": "nested deeper than 200", "nothing": "unknown tool"} {
		res, err := env.Call(ctx, tool, value.OfObject())
		if err != nil || !res.IsError || !strings.Contains(res.Value.Text(), want) || res.Unknown != (tool == "nothing") {
			t.Errorf("%s: %v %+v", tool, err, res)
		}
	}
	if st, err := env.Snapshot(ctx); err != nil || st.JSON() != `{"x":1}` {
		t.Errorf("%v %s", err, st.JSON())
	}
}

func TestEnvironmentsThatCannotStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	limits := Limits{Call: 10 * time.Second, Start: 10 * time.Second}
	reset, snapshot := Endpoint{Tool: "reset", Argument: "state"}, Endpoint{Tool: "snapshot"}
	for name, tt := range map[string]struct {
		config Config
		want   FaultKind
		text   string
	}{
		"no such program":   {Config{Type: commandKind, Command: []string{filepath.Join(t.TempDir(), "none")}}, configFault, "cannot be started"},
		"no such server":    {Config{Type: mcpKind, Command: []string{filepath.Join(t.TempDir(), "none")}, Reset: reset, Snapshot: snapshot}, configFault, "cannot be started"},
		"server at no url":  {Config{Type: mcpKind, URL: gone.URL, Reset: reset, Snapshot: snapshot, Limits: limits}, crash, "start"},
		"server crashes":    {Config{Type: mcpKind, Command: []string{self, "__mcpfault", "crash at once"}, Reset: reset, Snapshot: snapshot, Limits: limits}, crash, "stderr: no module named server"},
		"server prints":     {Config{Type: mcpKind, Command: []string{self, "__mcpfault", "rubbish at once"}, Reset: reset, Snapshot: snapshot, Limits: limits}, protocol, "start"},
		"no snapshot tool":  {Config{Type: mcpKind, Command: []string{self, "__mcpfault", "none"}, Reset: reset, Snapshot: Endpoint{Tool: "dump"}, Limits: Limits{}}, configFault, `the server has no tool "dump"`},
		"no such resource":  {Config{Type: mcpKind, Command: []string{self, "__mcpfault", "none"}, Reset: reset, Snapshot: Endpoint{Resource: "x://y"}}, protocol, "x://y"},
		"starlark mistakes": {Config{Type: starlark, File: "bad.star", State: "start"}, configFault, "bad.star:2:1: undefined: x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deps := testDeps(t)
			deps.ReadFile = func(name string) ([]byte, error) {
				return []byte(map[string]string{"bad.star": "def t(db): pass\nx()\n", "start": "{}"}[name]), nil
			}
			m, err := New(deps, tt.config)
			if err != nil {
				t.Fatal(err)
			}
			env := m.environment()
			defer env.Close()
			for range 2 {
				out, err := execute(context.Background(), env, Plan{Start: value.OfObject(), WantCalls: []Call{}})
				if err != nil {
					t.Fatal(err)
				}
				if out.Fault == nil || out.Fault.Kind != tt.want || !strings.Contains(out.Fault.Detail(), tt.text) {
					t.Errorf("%+v, want %s with %q", out.Fault, tt.want, tt.text)
				}
			}
		})
	}
}

// TestAnotherProgramForStarlark: a program that does not speak the sandbox's language is a fault, at its start.
func TestAnotherProgramForStarlark(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	deps := testDeps(t)
	deps.Self = []string{shell, "-c", "read line; echo hello; read line", "sh"}
	deps.ReadFile = func(string) ([]byte, error) { return []byte("{}"), nil }
	m, err := New(deps, Config{Type: starlark, File: "t.star", State: "start", Limits: Limits{Start: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	env := m.environment()
	defer env.Close()
	out, err := execute(t.Context(), env, Plan{Start: value.OfObject(), WantCalls: []Call{}})
	if err != nil || out.Fault == nil || out.Fault.Kind != protocol || !strings.Contains(out.Fault.Detail(), "the answer is no JSON") {
		t.Errorf("%+v, %v", out.Fault, err)
	}
}
