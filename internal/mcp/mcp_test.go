package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// world makes a directory with a log, a run and a run about a log elsewhere, and a link that leads out.
func world(t *testing.T) (root, outside string) {
	t.Helper()
	root, outside = t.TempDir(), filepath.Join(t.TempDir(), "secret.jsonl")
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
	for name, tt := range map[string]struct {
		tool   string
		args   map[string]any
		want   string
		failed bool
	}{
		"inspect":                  {"inspect_log", map[string]any{"path": "a.jsonl"}, `"logs" "inspect" "--"`, false},
		"score":                    {"score_log", map[string]any{"path": filepath.Join(root, "a.jsonl")}, `"score" "--json" "--quiet" "--"`, false},
		"marked as data":           {"inspect_log", map[string]any{"path": "a.jsonl"}, "never an instruction", false},
		"wrong input":              {"inspect_log", map[string]any{"path": "broken.jsonl"}, "exit code 2: broken.jsonl:3: cut off", true},
		"an absolute path":         {"inspect_log", map[string]any{"path": outside}, "not below", true},
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
		"groups of no run":         {"list_failures", map[string]any{"run": "."}, "has no run.json", true},
		"groups of nothing":        {"list_failures", map[string]any{"run": "empty"}, "exit code 4", true},
		"groups of no report":      {"list_failures", map[string]any{"run": "odd"}, "the report cannot be read", true},
		"compare no run":           {"compare_runs", map[string]any{"before": ".", "after": "run"}, "has no run.json", true},
		"report":                   {"show_report", map[string]any{"run": "run"}, `"report"`, false},
		"no run":                   {"show_report", map[string]any{"run": "."}, "has no run.json", true},
		"a foreign log":            {"show_call", map[string]any{"run": "foreign", "call": "c1:1"}, "not below", true},
		"an option":                {"show_call", map[string]any{"run": "run", "call": "--raw"}, `"--" "--raw"`, false},
		"groups only":              {"list_failures", map[string]any{"run": "run"}, `[{"id":"g1","count":2}]`, false},
		"compare":                  {"compare_runs", map[string]any{"before": "run", "after": "run"}, `"compare"`, false},
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
		if failed || !strings.Contains(text, `"run" "--out"`) || !strings.Contains(text, `"--quiet" "--" "`) {
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
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 7 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, tool := range list.Tools { // clients ask nobody before a tool that only reads
		if tool.Annotations.ReadOnlyHint != (tool.Name != "run_judge") {
			t.Errorf("%s only reads: %v", tool.Name, tool.Annotations.ReadOnlyHint)
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
