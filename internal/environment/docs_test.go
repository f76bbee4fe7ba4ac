package environment

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/judgekit/judge/internal/value"
)

// docBlocks returns the code blocks of one language in the documentation.
func docBlocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "environments.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("the documentation has no %s block", language)
	}
	return out
}

// TestDocumentedConfigs: every config of the documentation is valid, and the last
// one names every key but those that it says are for other kinds.
func TestDocumentedConfigs(t *testing.T) {
	blocks := docBlocks(t, "yaml")
	for _, b := range blocks {
		data, err := yaml.YAMLToJSON([]byte(b))
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		v, err := value.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseConfig(v.Field("environment")); err != nil {
			t.Errorf("%s%v", b, err)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "environments.md"))
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOf(reflect.TypeFor[Config]())
	if len(keys) < 30 {
		t.Fatalf("only %d keys were found", len(keys))
	}
	for _, key := range keys {
		if !strings.Contains(string(page), key) {
			t.Errorf("the key %s is not documented", key)
		}
	}
}

// keysOf returns the keys of a struct and of those in it.
func keysOf(t reflect.Type) (out []string) {
	for f := range t.Fields() {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
			out = append(out, key)
		}
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() == t.PkgPath() {
			out = append(out, keysOf(inner)...)
		}
	}
	return out
}

func runDocumented(t *testing.T, m *Maker) {
	t.Helper()
	env := m.environment()
	defer env.Close()
	start := objectOf(t, `{"orders":{"O1":{"status":"placed","total":12.5,"history":[]},"O2":{"status":"shipped","total":3,"history":[]}}}`)
	out, err := execute(context.Background(), env, Plan{
		Start: start, WantCalls: []Call{},
		Calls: []Call{
			{Index: 0, Name: "get_order", Arguments: objectOf(t, `{"order_id":"O1"}`)},
			{Index: 1, Name: "cancel_order", Arguments: objectOf(t, `{"order_id":"O1"}`)},
			{Index: 2, Name: "cancel_order", Arguments: objectOf(t, `{"order_id":"O2","reason":"too slow"}`)},
		},
	})
	if err != nil || out.Fault != nil {
		t.Fatalf("%v %v", err, out.Fault)
	}
	want := `[{"op":"replace","path":"/orders/O1/history","value":[{"what":"cancelled","refund":12.5}],"old":[]},{"op":"add","path":"/orders/O1/reason","value":"changed mind"},{"op":"replace","path":"/orders/O1/status","value":"cancelled","old":"placed"}]`
	if got := patchOf(out.Final).JSON(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if last := out.Effects[2].Result; !last.IsError || last.Value.Text() != "a shipped order cannot be cancelled" {
		t.Errorf("%+v", last)
	}
	if len(out.Diff) != 3 || out.Diff[0].Call != 1 {
		t.Errorf("%+v", out.Diff)
	}
}

func TestDocumentedStarlark(t *testing.T) {
	deps := testDeps(t)
	deps.ReadFile = func(name string) ([]byte, error) {
		if name == "tools.star" {
			return []byte(docBlocks(t, "starlark")[0]), nil
		}
		return []byte(`{}`), nil
	}
	m, err := New(deps, Config{Type: starlark, File: "tools.star", State: "state.json"})
	if err != nil {
		t.Fatal(err)
	}
	runDocumented(t, m)
}

// simulator is a Python simulator as somebody may have it: it prints.
const simulator = `
def get_order(state, order_id):
    print("looking up", order_id)
    return state["orders"][order_id]
def cancel_order(state, order_id, reason="changed mind"):
    order = state["orders"][order_id]
    if order["status"] != "placed":
        raise ValueError("a %s order cannot be cancelled" % order["status"])
    order.update(status="cancelled", reason=reason)
    order["history"].append({"what": "cancelled", "refund": round(order["total"], 2)})
    return order
tools = {"get_order": get_order, "cancel_order": cancel_order}
`

func TestDocumentedPythonAdapter(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	adapter := docBlocks(t, "python")[0]
	if n := strings.Count(adapter, "\n"); n != 10 {
		t.Errorf("the adapter has %d lines, the text says ten", n)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"adapter.py": adapter, "simulator.py": simulator} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := New(testDeps(t), Config{Type: commandKind, Command: []string{python, "adapter.py"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	runDocumented(t, m)
}
