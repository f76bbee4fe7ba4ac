package environment

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// tauConfig returns the environment of one domain over one of its databases.
func tauConfig(domain string) Config {
	return Config{
		Type: starlark, File: filepath.Join("..", "..", "fixtures", "tau", domain+".star"),
		State: "db", Preset: tauBench, OnError: "keep",
	}
}

// tauMaker opens the domain's tools over a database of the shared data.
func tauMaker(t testing.TB, data, db string) *Maker {
	t.Helper()
	m, err := newTauMaker(testDeps(t), data, db)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newTauMaker(deps Deps, data, db string) (*Maker, error) {
	domain, _, _ := strings.Cut(db, "/")
	deps.ReadFile = func(name string) ([]byte, error) {
		if name != "db" {
			return os.ReadFile(name)
		}
		return os.ReadFile(filepath.Join(data, "env", db+".json.gz"))
	}
	return New(deps, tauConfig(domain))
}

// tauServer serves the tools over one database as an MCP server: its own process
// around the Starlark environment.
func tauServer(data, db string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx := context.Background()
	m, err := newTauMaker(Deps{Self: []string{self, "__environment"}}, data, db)
	if err != nil {
		return err
	}
	env := m.environment()
	defer env.Close()
	if err := env.Reset(ctx, m.state); err != nil {
		return err
	}
	source, err := os.ReadFile(m.config.File)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "tau", Version: "1"}, nil)
	add := func(name string, f func(args value.Value) (value.Value, bool, error)) {
		tool := &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
		for _, start := range []string{"get", "find", "list", "search", "calculate", "think", "transfer"} {
			if strings.HasPrefix(name, start) {
				tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
			}
		}
		server.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := value.Parse(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			v, failed, err := f(args)
			if err != nil {
				return nil, err
			}
			text, ok := v.Str()
			if !ok {
				text = v.JSON()
			}
			return &mcp.CallToolResult{IsError: failed, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	}
	for _, def := range regexp.MustCompile(`(?m)^def ([a-z]\w*)`).FindAllSubmatch(source, -1) {
		name := string(def[1])
		add(name, func(args value.Value) (value.Value, bool, error) {
			res, err := env.Call(ctx, name, args)
			return res.Value, res.IsError, err
		})
	}
	add("reset", func(value.Value) (value.Value, bool, error) {
		return value.OfString("ok"), false, env.Reset(ctx, m.state)
	})
	add("snapshot", func(value.Value) (value.Value, bool, error) {
		st, err := env.Snapshot(ctx)
		return st, false, err
	})
	return server.Run(ctx, &mcp.StdioTransport{})
}

// readTau returns the conversations of one trajectory file.
func readTau(t testing.TB, name string, opts format.Options) []*transcript.Conversation {
	t.Helper()
	r := format.Open(context.Background(), filepath.Base(name), bytes.NewReader(realdata.Read(t, name)), opts)
	defer r.Close()
	var out []*transcript.Conversation
	for c, err := range r.All() {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, c)
	}
	return out
}

// samePatch compares a patch with one of the gold file as sets of operations, numbers by
// value.
func samePatch(got []state.Change, want value.Value) bool {
	var a, b []string
	for _, c := range got {
		a = append(a, c.Operation().Canonical())
	}
	for _, o := range want.Elements() {
		b = append(b, o.Canonical())
	}
	sort.Strings(a)
	sort.Strings(b)
	return slices.Equal(a, b)
}

// goldCase is one trajectory with its recorded outcome.
type goldCase struct {
	where string
	db    string
	conv  *transcript.Conversation
	gold  value.Value
}

// readGold returns every step-th development trajectory.
func readGold(t testing.TB, data string, step int) []goldCase {
	return readGoldFiles(t, data, "*", step, format.Options{})
}

func readGoldFiles(t testing.TB, data, pattern string, step int, opts format.Options) []goldCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "gold", pattern+".jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no gold files: %v", err)
	}
	var out []goldCase
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		convs := readTau(t, filepath.Join(data, "trajectories", name+".json.gz"), opts)
		lines := bytes.Split(bytes.TrimSpace(realdata.Read(t, file)), []byte("\n"))
		if len(lines) != len(convs) {
			t.Fatalf("%s: %d gold lines for %d conversations", name, len(lines), len(convs))
		}
		for i := 0; i < len(lines); i += step {
			gold, err := value.Parse(lines[i])
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, goldCase{fmt.Sprintf("%s[%d]", name, i), gold.Field("db").Text(), convs[i], gold})
		}
	}
	return out
}

// tally counts what was equal to the gold.
type tally struct{ all, match, final, expected, between, effects, drift, outputs int }

// TestTauBenchGold replays every development trajectory and compares the verdict,
// the final and the expected diff, their difference, and each call's effect with
// the recorded gold.
func TestTauBenchGold(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("replays some hundred conversations")
	}
	data := realdata.Path(t, "data", "tau")
	got := runGold(t, readGold(t, data, 1), func(db string) *Maker { return tauMaker(t, data, db) })
	t.Logf("%+v", got)
}

// TestTauBenchTextCalls: calls that stand only in texts, and that the log does not show to have
// run, change no reward when they are read; what the agent wrote around them still went to the user.
func TestTauBenchTextCalls(t *testing.T) {
	data := realdata.Path(t, "data", "tau")
	cases := readGoldFiles(t, data, "*textcalls*", 1, format.Options{TextCalls: true})
	calls := 0
	for _, c := range cases {
		calls += len(c.conv.Calls)
	}
	if len(cases) != 50 || calls < 250 {
		t.Fatalf("%d conversations with %d calls", len(cases), calls)
	}
	runGold(t, cases, func(db string) *Maker { return tauMaker(t, data, db) })
}

// TestTauBenchGoldOverMCP does the same, on some of them, with the tools behind an
// MCP server.
func TestTauBenchGoldOverMCP(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("replays some hundred conversations")
	}
	data := realdata.Path(t, "data", "tau")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	step := 200
	if os.Getenv("JUDGE_TEST_ALL") != "" {
		step = 1
	}
	got := runGold(t, readGold(t, data, step), func(db string) *Maker {
		m, err := New(testDeps(t), Config{
			Type: mcpKind, Command: []string{self, "__taumcp", data, db}, Preset: tauBench,
			Reset: Endpoint{Tool: "reset"}, Snapshot: Endpoint{Tool: "snapshot"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
	t.Logf("%+v", got)
}

// runGold checks the cases in the environments of their databases.
func runGold(t *testing.T, cases []goldCase, maker func(db string) *Maker) tally {
	var sum tally
	byDB := map[string][]goldCase{}
	for _, c := range cases {
		byDB[c.db] = append(byDB[c.db], c)
	}
	for db, group := range byDB {
		m := maker(db)
		var plans []Plan
		for _, c := range group {
			plan, err := m.Plan(*c.conv)
			if err != nil {
				t.Fatal(err)
			}
			withTask(&plan, c.gold)
			plans = append(plans, plan)
		}
		pool := NewPool(m, 2)
		outcomes, err := pool.CheckAll(context.Background(), plans)
		if err != nil {
			t.Fatal(err)
		}
		pool.Close()
		for i, out := range outcomes {
			if out.Fault != nil {
				t.Fatalf("%s: %s", group[i].where, out.Fault.Detail())
			}
			sum.add(t, out, group[i])
		}
	}
	if sum.all != len(cases) {
		t.Errorf("%d of %d were looked at", sum.all, len(cases))
	}
	return sum
}

// add compares one outcome with its gold.
func (s *tally) add(t *testing.T, out Outcome, c goldCase) {
	t.Helper()
	s.all++
	check := func(n *int, what string, ok bool, got, want string) {
		t.Helper()
		if ok {
			*n++
			return
		}
		t.Errorf("%s: %s differs: %s\nwant %s", c.where, what, got, want)
	}
	patch := func(n *int, field string, got []state.Change) {
		t.Helper()
		check(n, field, samePatch(got, c.gold.Field(field)), patchOf(got).JSON(), c.gold.Field(field).JSON())
	}
	match, _ := c.gold.Field("state_match").BoolVal()
	check(&s.match, "state_match", out.StateOK != nil && *out.StateOK == match, fmt.Sprint(!match), fmt.Sprint(match))
	patch(&s.final, "final_diff", out.Final)
	patch(&s.expected, "expected_diff", out.Expected)
	patch(&s.between, "expected_vs_final", out.Diff)
	check(&s.effects, "effects", sameEffects(t, out, c.gold), "other effects", c.gold.Field("effects").JSON())
	n, _ := c.gold.Field("counts").Field("tool_results_different_on_replay").Int64()
	// The gold counts two failures in different words as a difference.
	check(&s.drift, "drift", len(out.Drift)+otherWords(out, c.conv) == int(n), fmt.Sprintf("%+v", out.Drift), fmt.Sprint(n))
	ok := len(out.Outputs) == c.gold.Field("outputs_found").Len()
	for _, o := range out.Outputs {
		found, _ := c.gold.Field("outputs_found").Field(o.Text).BoolVal()
		ok = ok && found == o.Found
	}
	check(&s.outputs, "outputs", ok, fmt.Sprint(out.Outputs), c.gold.Field("outputs_found").JSON())
}

// otherWords counts the calls that failed in the log too, but in other words.
func otherWords(out Outcome, conv *transcript.Conversation) int {
	n := 0
	for _, e := range out.Effects {
		call := &conv.Calls[e.Index]
		if _, failed := conv.Failure(call); failed && e.Result.IsError && !identical(e.Result, &transcript.Message{Content: conv.Messages[call.Result].Content}) {
			n++
		}
	}
	return n
}

// withTask takes the expected calls from the gold: the conversations of runs that
// ended early hold none.
func withTask(p *Plan, gold value.Value) {
	p.WantCalls = []Call{}
	for i, a := range gold.Field("expected_actions").Elements() {
		p.WantCalls = append(p.WantCalls, Call{Index: i, Name: a.Field("name").Text(), Arguments: a.Field("kwargs")})
	}
	p.Outputs = nil
	for _, o := range gold.Field("expected_outputs").Elements() {
		p.Outputs = append(p.Outputs, o.Text())
	}
}

// sameEffects compares what each call did with the gold's effects.
func sameEffects(t *testing.T, out Outcome, gold value.Value) bool {
	want := map[int]value.Value{}
	for _, e := range gold.Field("effects").Elements() {
		i, _ := e.Field("call_index").Int64()
		want[int(i)] = e.Field("patch")
	}
	for _, e := range out.Effects {
		if !samePatch(e.Result.Effects, want[e.Index]) {
			t.Logf("call %d %s: %s, want %s", e.Index, e.Name, patchOf(e.Result.Effects).JSON(), want[e.Index].JSON())
			return false
		}
		delete(want, e.Index)
	}
	return len(want) == 0
}
