package environment

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/environment/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// sharedData returns the folder with the τ-bench material beside the checkout.
func sharedData(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
	data := filepath.Join(dir, "..", "shared", "data", "tau")
	if _, err := os.Stat(data); err != nil {
		t.Skip("the τ-bench data is not beside the checkout (../shared/data/tau)")
	}
	return data
}

func gunzip(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tauConfig is the environment of one domain over one of its databases.
func tauConfig(domain string) Config {
	return Config{
		Type: Starlark, File: filepath.Join("testdata", "tau", domain+".star"),
		State: "db", Preset: TauBench, OnError: "keep",
	}
}

// tauMaker opens the domain's tools over a database of the shared data.
func tauMaker(t testing.TB, data, db string) *Maker {
	t.Helper()
	domain, _, _ := strings.Cut(db, "/")
	deps := testDeps(t)
	deps.ReadFile = func(name string) ([]byte, error) {
		if name == "db" {
			return gunzip(t, filepath.Join(data, "env", db+".json.gz")), nil
		}
		return os.ReadFile(name)
	}
	m, err := New(deps, tauConfig(domain))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// readTau returns the conversations of one trajectory file.
func readTau(t testing.TB, name string) []*transcript.Conversation {
	t.Helper()
	r := transcript.Open(context.Background(), filepath.Base(name), bytes.NewReader(gunzip(t, name)), transcript.Options{})
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

// goldPatch reads a patch of the gold file.
func goldPatch(t testing.TB, v value.Value) []state.Op {
	t.Helper()
	var ops []state.Op
	for _, o := range v.Elements() {
		ops = append(ops, state.Op{Op: o.Field("op").Text(), Path: o.Field("path").Text(), Value: o.Field("value"), Old: o.Field("old")})
	}
	return ops
}

// samePatch compares two patches as sets of operations, numbers by value.
func samePatch(a, b []state.Op) bool {
	text := func(ops []state.Op) []string {
		var out []string
		for _, o := range ops {
			out = append(out, o.Object(true).Canonical())
		}
		sort.Strings(out)
		return out
	}
	return fmt.Sprint(text(a)) == fmt.Sprint(text(b))
}

// TestTauBenchGold replays every development trajectory and compares the verdict,
// the final and the expected diff, their difference, and each call's effect with
// the recorded gold.
func TestTauBenchGold(t *testing.T) {
	data := sharedData(t)
	files, err := filepath.Glob(filepath.Join(data, "gold", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no gold files: %v", err)
	}
	makers := map[string]*Maker{}
	var tally struct{ all, match, final, expected, between, effects, drift, outputs int }
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		convs := readTau(t, filepath.Join(data, "trajectories", name+".json.gz"))
		lines := bytes.Split(bytes.TrimSpace(gunzip(t, file)), []byte("\n"))
		if len(lines) != len(convs) {
			t.Fatalf("%s: %d gold lines for %d conversations", name, len(lines), len(convs))
		}
		var plans []Plan
		var golds []value.Value
		var maker *Maker
		for i, line := range lines {
			gold, err := value.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			db := gold.Field("db").Text()
			if makers[db] == nil {
				makers[db] = tauMaker(t, data, db)
			}
			maker = makers[db]
			plan, err := maker.Plan(*convs[i])
			if err != nil {
				t.Fatal(err)
			}
			withTask(&plan, gold)
			plans, golds = append(plans, plan), append(golds, gold)
		}
		pool := NewPool(maker, 2)
		outcomes, err := pool.CheckAll(context.Background(), plans)
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		for i, out := range outcomes {
			where := fmt.Sprintf("%s[%d]", name, i)
			gold := golds[i]
			if out.Fault != nil {
				t.Fatalf("%s: %s", where, out.Fault.Detail())
			}
			tally.all++
			check := func(n *int, what string, ok bool, detail func() string) {
				if ok {
					*n++
					return
				}
				t.Errorf("%s: %s differs: %s", where, what, detail())
			}
			want, _ := gold.Field("state_match").BoolVal()
			check(&tally.match, "state_match", out.StateOK != nil && *out.StateOK == want, func() string { return state.Patch(out.Final, true).JSON() })
			check(&tally.final, "final_diff", samePatch(out.Final, goldPatch(t, gold.Field("final_diff"))), func() string {
				return state.Patch(out.Final, true).JSON() + "\nwant " + gold.Field("final_diff").JSON()
			})
			check(&tally.expected, "expected_diff", samePatch(out.Expected, goldPatch(t, gold.Field("expected_diff"))), func() string {
				return state.Patch(out.Expected, true).JSON() + "\nwant " + gold.Field("expected_diff").JSON()
			})
			var between []state.Op
			for _, c := range out.Diff {
				between = append(between, c.Operation())
			}
			check(&tally.between, "expected_vs_final", samePatch(between, goldPatch(t, gold.Field("expected_vs_final"))), func() string {
				return state.Patch(between, true).JSON() + "\nwant " + gold.Field("expected_vs_final").JSON()
			})
			check(&tally.effects, "effects", sameEffects(t, out, gold), func() string { return gold.Field("effects").JSON() })
			n, _ := gold.Field("counts").Field("tool_results_different_on_replay").Int64()
			check(&tally.drift, "drift", len(out.Drift) == int(n), func() string { return fmt.Sprintf("%d, want %d: %+v", len(out.Drift), n, out.Drift) })
			ok := len(out.Outputs) == gold.Field("outputs_found").Len()
			for _, o := range out.Outputs {
				found, _ := gold.Field("outputs_found").Field(o.Text).BoolVal()
				ok = ok && found == o.Found
			}
			check(&tally.outputs, "outputs", ok, func() string { return fmt.Sprint(out.Outputs, gold.Field("outputs_found").JSON()) })
		}
	}
	t.Logf("%+v", tally)
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
	want := map[int][]state.Op{}
	for _, e := range gold.Field("effects").Elements() {
		i, _ := e.Field("call_index").Int64()
		want[int(i)] = goldPatch(t, e.Field("patch"))
	}
	for _, e := range out.Effects {
		if !samePatch(e.Result.Effects, want[e.Index]) {
			t.Logf("call %d %s: %s, want %s", e.Index, e.Name, state.Patch(e.Result.Effects, true).JSON(), state.Patch(want[e.Index], true).JSON())
			return false
		}
		delete(want, e.Index)
	}
	return len(want) == 0
}
