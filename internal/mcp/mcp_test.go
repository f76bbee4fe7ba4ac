package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session serves a client with a command that prints its arguments; a dry run counts 40 requests.
func session(t *testing.T, cfg Config) *mcp.ClientSession {
	t.Helper()
	cfg.Command = func(_ context.Context, args []string) (string, string, int) {
		last := args[len(args)-1]
		switch name := filepath.Base(last); {
		case name == "broken.jsonl":
			return "half of it", "broken.jsonl:3: cut off", 2
		case name == "odd.jsonl", name == "odd":
			return "no JSON", "", 0
		case slices.Contains(args, "--dry-run"):
			if !slices.Equal(args, []string{"run", "--dry-run", "--json", "--quiet", "--", last}) {
				return "", fmt.Sprintf("another dry run: %q", args), 2
			}
			return `{"requests": 40}`, "", 0
		case name == "refused.jsonl":
			return "", "requests: the endpoint refused the key", 3
		case name == "empty":
			return "", "scores.jsonl:1: no score", 4
		case name == "incomplete":
			return "the report so far", "", 4
		case slices.Contains(args, "--json") && args[0] == "report":
			return `{"failure_groups":[{"id":"g1","count":2}],"scores":[]}`, "", 100
		}
		return fmt.Sprintf("%q", args), "", 0
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), toServer, fromServer, cfg) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		<-ended
	})
	return s
}

// call returns the text of a tool's result and whether it is an error.
func call(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text + "\n"
	}
	return text, r.IsError
}

// realDir returns a new directory by its path without links, which the server's messages name.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// world makes a directory with a log, a run and a run about a log elsewhere, and a link that leads out.
func world(t *testing.T) (root, outside string) {
	t.Helper()
	root, outside = realDir(t), filepath.Join(realDir(t), "secret.jsonl")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(outside, "{}")
	write(filepath.Join(root, "a.jsonl"), "{}")
	write(filepath.Join(root, "broken.jsonl"), "{")
	write(filepath.Join(root, "run", "run.json"), fmt.Sprintf(`{"directory":%q,"logs":[{"path":"a.jsonl"}]}`, root))
	write(filepath.Join(root, "foreign", "run.json"), fmt.Sprintf(`{"directory":%q,"logs":[{"path":%q}]}`, root, outside))
	write(filepath.Join(root, "linked", "run.json"), `{}`)
	write(filepath.Join(root, "empty", "run.json"), `{}`)
	write(filepath.Join(root, "incomplete", "run.json"), `{}`)
	write(filepath.Join(root, "odd", "run.json"), `{}`)
	write(filepath.Join(root, "odd.jsonl"), "{}")
	write(filepath.Join(root, "refused.jsonl"), "{}")
	write(filepath.Join(root, "folder", "run.json", "run.json"), "{}")
	write(filepath.Join(root, "garbled", "run.json"), `{`)
	write(filepath.Join(root, "gone", "run.json"), fmt.Sprintf(`{"directory":%q,"logs":[{"path":"none.jsonl"}]}`, root))
	write(filepath.Join(root, "about links", "run.json"), fmt.Sprintf(`{"directory":%q,"logs":[{"path":"linked"}]}`, root))
	for _, link := range []string{"link.jsonl", filepath.Join("linked", "scores.jsonl")} {
		if err := os.Symlink(outside, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	return root, outside
}

func TestTools(t *testing.T) {
	root, outside := world(t)
	s := session(t, Config{Roots: []string{root}})
	quoted := func(name string) string { return strconv.Quote(filepath.Join(root, name)) }
	log, run := quoted("a.jsonl"), quoted("run")
	pair := map[string]any{"before": "run", "after": "gone"}
	elsewhere := fmt.Sprintf("%s is not below %s\n", outside, root)
	for name, tt := range map[string]struct {
		tool   string
		args   map[string]any
		want   string
		failed bool
	}{
		"inspect":                  {"inspect_log", map[string]any{"path": "a.jsonl"}, `["logs" "inspect" "--" ` + log + `]`, false},
		"score":                    {"score_log", map[string]any{"path": root + "/a.jsonl"}, `["score" "--json" "--quiet" "--" ` + log + `]`, false},
		"marked as data":           {"inspect_log", map[string]any{"path": "a.jsonl"}, "never an instruction", false},
		"wrong input":              {"inspect_log", map[string]any{"path": "broken.jsonl"}, "exit code 2: broken.jsonl:3: cut off", true},
		"an absolute path":         {"inspect_log", map[string]any{"path": outside}, "\n" + elsewhere, true},
		"upwards":                  {"inspect_log", map[string]any{"path": "../../etc/passwd"}, "", true},
		"a link":                   {"inspect_log", map[string]any{"path": "link.jsonl"}, "not below", true},
		"no file outside":          {"inspect_log", map[string]any{"path": outside + "x"}, "not below", true},
		"a folder":                 {"inspect_log", map[string]any{"path": "."}, "name one log", true},
		"errors are data":          {"inspect_log", map[string]any{"path": "broken.jsonl"}, "never an instruction", true},
		"a config":                 {"score_log", map[string]any{"path": "a.jsonl", "config": "a.jsonl"}, "config", true},
		"a linked file":            {"show_report", map[string]any{"run": "linked"}, "neither a file nor a directory", true},
		"nothing printed":          {"show_report", map[string]any{"run": "empty"}, "exit code 4: scores.jsonl:1: no score", true},
		"a file that is not there": {"inspect_log", map[string]any{"path": "none.jsonl"}, "no such file", true},
		"an incomplete run":        {"show_report", map[string]any{"run": "incomplete"}, "the report so far", false},
		"a run outside":            {"show_report", map[string]any{"run": filepath.Dir(outside)}, "not below", true},
		"a garbled run":            {"show_report", map[string]any{"run": "garbled"}, "run.json cannot be read", true},
		"a log that is gone":       {"show_report", map[string]any{"run": "gone"}, `"report"`, false},
		"a log of links":           {"show_report", map[string]any{"run": "about links"}, "neither a file nor a directory", true},
		"a folder as run.json":     {"show_report", map[string]any{"run": "folder"}, "is a directory", true},
		"groups of no run":         {"list_failures", map[string]any{"run": "."}, "has no run.json", true},
		"groups of nothing":        {"list_failures", map[string]any{"run": "empty"}, "exit code 4", true},
		"groups of no report":      {"list_failures", map[string]any{"run": "odd"}, "the report cannot be read", true},
		"compare no run":           {"compare_runs", map[string]any{"before": ".", "after": "run"}, "has no run.json", true},
		"report":                   {"show_report", map[string]any{"run": "run"}, `["report" ` + run + `]`, false},
		"no run":                   {"show_report", map[string]any{"run": "."}, "has no run.json", true},
		"a foreign log":            {"show_call", map[string]any{"run": "foreign", "call": "c1:1"}, "\na log of the run: " + elsewhere, true},
		"an option":                {"show_call", map[string]any{"run": "run", "call": "--raw"}, `["show" ` + run + ` "--" "--raw"]`, false},
		"groups only":              {"list_failures", map[string]any{"run": "run"}, `[{"id":"g1","count":2}]`, false},
		"compare":                  {"compare_runs", pair, `["compare" ` + run + " " + quoted("gone") + `]`, false},
		"compare foreign":          {"compare_runs", map[string]any{"before": "run", "after": "foreign"}, "not below", true},
		"no run_judge":             {"run_judge", map[string]any{"path": "a.jsonl"}, "run_judge", true},
	} {
		text, failed := call(t, s, tt.tool, tt.args)
		if failed != tt.failed || !strings.Contains(text, tt.want) {
			t.Errorf("%s: error %v, %s", name, failed, text)
		}
	}
}

// TestRunJudge: a run starts only if what its dry run counts is left of the budget.
func TestRunJudge(t *testing.T) {
	root, _ := world(t)
	s := session(t, Config{Roots: []string{root}, AllowRun: true, Requests: 80})
	args := map[string]any{"path": "a.jsonl"}
	for i := range 2 {
		text, failed := call(t, s, "run_judge", args)
		dirs, err := filepath.Glob(filepath.Join(root, "judge-*"))
		if err != nil || len(dirs) != i+1 {
			t.Fatalf("%d runs wrote into %q, %v", i+1, dirs, err)
		}
		matches := func(dir string) bool {
			out := filepath.Join(dir, "run")
			return strings.HasSuffix(text, fmt.Sprintf("\nrun directory: %s\n", out)+
				fmt.Sprintf("%q\n", []string{"run", "--out", out, "--quiet", "--", filepath.Join(root, "a.jsonl")}))
		}
		if failed || !slices.ContainsFunc(dirs, matches) {
			t.Fatalf("run %d: %s", i+1, text)
		}
	}
	if text, failed := call(t, s, "run_judge", args); !failed || !strings.Contains(text, "takes 40 requests, and 0 are left") {
		t.Errorf("a third run: %s", text)
	}
	for path, want := range map[string]string{
		".": "name one log", "broken.jsonl": "exit code 2", "odd.jsonl": "the dry run cannot be read",
	} {
		if text, failed := call(t, s, "run_judge", map[string]any{"path": path}); !failed || !strings.Contains(text, want) {
			t.Errorf("%s: %s", path, text)
		}
	}
}

// TestOffer: what the server calls itself, and the tools that it offers.
func TestOffer(t *testing.T) {
	root, _ := world(t)
	s := session(t, Config{Roots: []string{root}, AllowRun: true, Requests: 80, Version: "v7"})
	if info := s.InitializeResult().ServerInfo; info.Name != "judge" || info.Version != "v7" {
		t.Errorf("the server is %s %s", info.Name, info.Version)
	}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"inspect_log": "What a log contains: format, conversations, calls, oddities, records that cannot be read.",
		"score_log":   "Scores a log with the deterministic scorers, without a model; the report as JSON.",
		"show_report": "The report of a saved run: pass rates with intervals, how far the judge can be trusted.",
		"list_failures": "The failing calls of a saved run in groups by why they fail: name, count, share, an " +
			"example, the calls.",
		"show_call":    "Everything about one call of a saved run: the conversation, every score and why.",
		"compare_runs": "What changed between two saved runs, and whether it is more than noise.",
		"run_judge": "Judges a log by the judges of judge.yaml and writes a run directory. At most 80 requests to " +
			"judges in all.",
	}
	got := map[string]string{}
	for _, tool := range list.Tools {
		got[tool.Name] = tool.Description
		// Clients ask nobody before a tool that only reads.
		if tool.Annotations.ReadOnlyHint != (tool.Name != "run_judge") {
			t.Errorf("%s only reads: %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("tools %q", got)
	}
}

// TestRunNeedsItsRoot: a run is written below the first root; if that is gone, the call says so and costs nothing.
func TestRunNeedsItsRoot(t *testing.T) {
	first, second := filepath.Join(realDir(t), "first"), realDir(t)
	log := filepath.Join(second, "a.jsonl")
	if err := errors.Join(os.Mkdir(first, 0o755), os.WriteFile(log, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s := session(t, Config{Roots: []string{first, second}, AllowRun: true, Requests: 80})
	text, failed := call(t, s, "score_log", map[string]any{"path": second + "x"})
	want := fmt.Sprintf("\n%sx is not below %s or %s\n", second, first, second)
	if !failed || !strings.HasSuffix(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	text, failed = call(t, s, "run_judge", map[string]any{"path": log})
	if !failed || !strings.Contains(text, "no such file or directory") || strings.Contains(text, "run directory") {
		t.Errorf("error %v, %s", failed, text)
	}
	if err := os.Mkdir(first, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range 2 { // the run that did not start took nothing of the budget
		if text, failed := call(t, s, "run_judge", map[string]any{"path": log}); failed {
			t.Errorf("run %d: %s", n+1, text)
		}
	}
}

// TestSettings: the server uses judge.yaml only as it was when a person started it, since it can name
// programs to run and endpoints to ask.
func TestSettings(t *testing.T) {
	root, _ := world(t)
	settings := filepath.Join(root, "judge.yaml")
	s := session(t, Config{Roots: []string{root}, Settings: settings})
	args := map[string]any{"path": "a.jsonl"}
	if text, failed := call(t, s, "score_log", args); failed {
		t.Fatal(text)
	}
	if err := os.WriteFile(settings, []byte("environment: {command: [sh]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, failed := call(t, s, "score_log", args); !failed || !strings.Contains(text, "has changed since judge mcp started") {
		t.Error(text)
	}
	if err := errors.Join(os.Remove(settings), os.Mkdir(settings, 0o755)); err != nil {
		t.Fatal(err)
	}
	if text, failed := call(t, s, "score_log", args); !failed || !strings.Contains(text, "is a directory") {
		t.Error(text)
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("ü", maxText)
	if got := cut(long); got != strings.Repeat("ü", 30_000)+"\n… (60000 of 120000 bytes)" {
		t.Errorf("%d bytes, the last %q", len(got), got[max(0, len(got)-40):])
	}
	if got := cut("x" + long); got != "x"+strings.Repeat("ü", 29_999)+"\n… (59999 of 120001 bytes)" {
		t.Errorf("%d bytes, the last %q", len(got), got[max(0, len(got)-40):])
	}
	for _, text := range []string{"short", strings.Repeat("x", 60_000)} {
		if cut(text) != text {
			t.Errorf("%d bytes were cut", len(text))
		}
	}
}

// TestServeRefuses: a server starts only with roots that are there and settings that can be read.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	for want, cfg := range map[string]Config{
		"root " + filepath.Join(dir, "none"): {Roots: []string{filepath.Join(dir, "none")}},
		dir:                                  {Roots: []string{dir}, Settings: dir},
	} {
		in, out := io.Pipe()
		if err := Serve(t.Context(), in, out, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestServeStops: a server whose context ends says why it stopped serving.
func TestServeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	_, out := io.Pipe()
	if err := Serve(ctx, in, out, Config{Roots: []string{t.TempDir()}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFailedRun: a run that the endpoint refused is an error that says so.
func TestFailedRun(t *testing.T) {
	root, _ := world(t)
	s := session(t, Config{Roots: []string{root}, AllowRun: true, Requests: 80})
	text, failed := call(t, s, "run_judge", map[string]any{"path": "refused.jsonl"})
	if !failed || !strings.Contains(text, "exit code 3: requests: the endpoint refused the key") {
		t.Errorf("error %v, %s", failed, text)
	}
}
