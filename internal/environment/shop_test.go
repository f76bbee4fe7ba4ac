package environment

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/judgekit/judge/fixtures/shop"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

func shopDeps(t testing.TB) Deps {
	deps := testDeps(t)
	deps.ReadFile = func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join("..", "..", "fixtures", "shop", name))
	}
	return deps
}

func shopConversations(t testing.TB) []*transcript.Conversation {
	t.Helper()
	r := format.Open(context.Background(), "shop.jsonl", bytes.NewReader(shop.Log), format.Options{})
	defer r.Close()
	var out []*transcript.Conversation
	for c, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if len(out) != 30 {
		t.Fatalf("%d conversations, want 30", len(out))
	}
	return out
}

// shopKinds returns the environments that the shop can run in.
func shopKinds(t testing.TB) map[string]Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		server, err := shop.NewServer()
		if err != nil {
			t.Error(err)
		}
		return server
	}, nil))
	t.Cleanup(served.Close)
	tools := Endpoint{Tool: "reset", Argument: "state"}
	return map[string]Config{
		"starlark":          {Type: starlark, File: "tools.star", State: "state.json", Outputs: true},
		"mcp stdio":         {Type: mcpKind, Command: []string{self, "__shop"}, Reset: tools, Snapshot: Endpoint{Tool: "snapshot"}, State: "state.json", Outputs: true},
		"mcp http":          {Type: mcpKind, URL: served.URL, Isolated: true, Reset: tools, Snapshot: Endpoint{Resource: "shop://state"}, State: "state.json", Outputs: true},
		"mcp, own start":    {Type: mcpKind, Command: []string{self, "__shop"}, Reset: Endpoint{Tool: "reset"}, Snapshot: Endpoint{Tool: "snapshot"}, Outputs: true},
		"mcp, only the end": {Type: mcpKind, Command: []string{self, "__shop"}, Reset: tools, Snapshot: Endpoint{Tool: "snapshot"}, State: "state.json", Outputs: true, Track: trackEnd},
	}
}

func runShop(t testing.TB, c Config) []Outcome {
	t.Helper()
	c.Limits.Call, c.Limits.Start = time.Minute, 2*time.Minute // what is compared is not the speed of this machine
	m, err := New(shopDeps(t), c)
	if err != nil {
		t.Fatal(err)
	}
	var plans []Plan
	for _, conv := range shopConversations(t) {
		p, err := m.Plan(*conv)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	pool := NewPool(m, 2)
	defer pool.Close()
	outcomes, err := pool.CheckAll(context.Background(), plans)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Fault != nil {
			t.Fatalf("conversation %d: %s", i, o.Fault.Detail())
		}
		if len(o.Drift) > 0 || o.Compared != len(plans[i].Calls) {
			t.Errorf("conversation %d: the sandbox differs from the log: %+v", i, o.Drift)
		}
	}
	return outcomes
}

// TestShopVerdicts compares the verdict of every conversation with the label that
// was written by hand.
func TestShopVerdicts(t *testing.T) {
	outcomes := runShop(t, shopKinds(t)["starlark"])
	for i, conv := range shopConversations(t) {
		o := outcomes[i]
		human, kind := conv.Labels[0].Value, conv.Sample.Field("kind").Text()
		if o.Status != score.Scored || *o.Reward != human {
			t.Errorf("%s (%s): status %s, reward %v, label %v, diff %v", conv.ID, kind, o.Status, o.Reward, human, o.Diff)
		}
		if polluted := o.Pollution > 0; kind == "pollute" && !polluted || (kind == "pass" || kind == "recover") && polluted {
			t.Errorf("%s (%s): pollution %d", conv.ID, kind, o.Pollution)
		}
		for _, c := range o.Diff {
			if c.Kind == state.Unexpected && c.Call < 0 {
				t.Errorf("%s: nobody is named for %s", conv.ID, c.Path)
			}
		}
	}
}

// TestShopEnvironmentsAgree runs all conversations in every environment: the same
// states, differences, effects and verdicts.
func TestShopEnvironmentsAgree(t *testing.T) {
	kinds := shopKinds(t)
	want := runShop(t, kinds["starlark"])
	for name, c := range kinds {
		if name == "starlark" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got := runShop(t, c)
			for i := range want {
				a, b := want[i], got[i]
				if c.Track != trackEnd {
					if diff := cmp.Diff(effectTexts(a), effectTexts(b)); diff != "" {
						t.Errorf("conversation %d: effects: %s", i, diff)
					}
					if diff := cmp.Diff(changeTexts(a.Diff, true), changeTexts(b.Diff, true)); diff != "" {
						t.Errorf("conversation %d: differences: %s", i, diff)
					}
				}
				if diff := cmp.Diff(changeTexts(a.Diff, false), changeTexts(b.Diff, false)); diff != "" {
					t.Errorf("conversation %d: differences: %s", i, diff)
				}
				if *a.Reward != *b.Reward || a.Pollution != b.Pollution {
					t.Errorf("conversation %d: reward %v and %v", i, *a.Reward, *b.Reward)
				}
			}
		})
	}
}

// TestResetToAnyState: a reset puts the environment into the state that it is given, not into its own first one.
func TestResetToAnyState(t *testing.T) {
	for name, c := range shopKinds(t) {
		if c.State == "" {
			continue // it has a state of its own
		}
		t.Run(name, func(t *testing.T) {
			c.Limits.Call, c.Limits.Start = time.Minute, 2*time.Minute
			m, err := New(shopDeps(t), c)
			if err != nil {
				t.Fatal(err)
			}
			env := m.environment()
			defer env.Close()
			orders := m.state.Field("orders")
			var first string
			for id := range orders.Members() {
				first = id
				break
			}
			fewer := m.state.With("orders", value.OfObject(value.Member{Key: first, Value: orders.Field(first)}))
			for _, want := range []value.Value{m.state, fewer, m.state, fewer} {
				if err := env.Reset(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				if got, err := env.Snapshot(t.Context()); err != nil || !value.Equal(got, want) {
					t.Errorf("%v: %d orders, want %d", err, got.Field("orders").Len(), want.Field("orders").Len())
				}
			}
		})
	}
}

func effectTexts(o Outcome) []string {
	var out []string
	for _, e := range o.Effects {
		out = append(out, e.Name+" "+patchOf(e.Result.Effects).Canonical())
	}
	return out
}

func changeTexts(list []state.Change, calls bool) []string {
	var out []string
	for _, c := range list {
		if !calls {
			c.Call, c.ExpectedCall = -1, -1
		}
		out = append(out, c.Object().Canonical())
	}
	return out
}

// TestShopDiff shows one polluted conversation whole.
func TestShopDiff(t *testing.T) {
	outcomes := runShop(t, shopKinds(t)["starlark"])
	got := value.OfList()
	for i, conv := range shopConversations(t) {
		if conv.ID == "shop-18" {
			got = outcomes[i].Object()
		}
	}
	want := []string{
		`{"path":"/customers/C104/credit","kind":"wrong","op":"changed","start":120.0,"expected":103.5,"final":62.0,"call":2,"expected_call":2}`,
		`{"path":"/orders/O5007/lines/0/quantity","kind":"missing","op":"changed","start":1,"expected":2,"final":1,"expected_call":2}`,
		`{"path":"/orders/O5007/lines/1/quantity","kind":"unexpected","op":"changed","start":1,"expected":1,"final":2,"call":2}`,
		`{"path":"/orders/O5007/total","kind":"wrong","op":"changed","start":74.5,"expected":91.0,"final":132.5,"call":2,"expected_call":2}`,
		`{"path":"/products/P11/stock","kind":"missing","op":"changed","start":8,"expected":7,"final":8,"expected_call":2}`,
		`{"path":"/products/P20/stock","kind":"unexpected","op":"changed","start":5,"expected":5,"final":4,"call":2}`,
	}
	var lines []string
	for _, d := range got.Field("diff").Elements() {
		lines = append(lines, d.JSON())
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if got.Field("exec_ok").Text() != "false" || got.Field("pollution").Text() != "2" {
		t.Error(got.JSON())
	}
}
