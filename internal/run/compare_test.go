package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/judges"
)

// TestCompareTwoAgentsOnRealTasks: of public τ-bench and τ² results of two models, whose
// ids have nothing in common, every task that both attempted is paired, and scores of
// calls decide by conversation.
func TestCompareTwoAgentsOnRealTasks(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("runs four real logs")
	}
	for _, tt := range []struct {
		a, b   string
		shared int
	}{
		{"tau/trajectories/asteroid-gpt-4o-mini-retail.json.gz", "tau/trajectories/asteroid-gpt-4o-guarded-retail.json.gz", 58},
		{"tau2/runs/gpt-4.1-airline.json.gz", "tau2/runs/qwen2.5-7b-airline.json.gz", 20},
	} {
		var dirs []string
		for _, name := range []string{tt.a, tt.b} {
			path := realdata.Path(t, "data", filepath.FromSlash(name))
			dir := t.TempDir()
			if _, err := executeSetup(t.Context(), plan(t, "", fileLog(path)), dir, false, Observer{}); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		c, _, err := Compare(dirs[0], dirs[1], measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Shared != tt.shared || c.Calls.Unpaired < 0.3 || c.Calls.Moved == 0 {
			t.Errorf("%s: %d conversations in both, want %d; calls %+v", tt.a, c.Shared, tt.shared, c.Calls)
		}
		reduced := 0
		for _, r := range c.Rows {
			if r.Decides != (r.Reduced != "" || r.Level == report.ConversationLevel) {
				t.Errorf("%s: %s %s decides %v", tt.a, r.Title(), r.Tool, r.Decides)
			}
			if r.Reduced != "" && r.Tool == "" {
				reduced++
			}
		}
		if reduced < 2 || !strings.Contains(c.Summary[1], "The agent made other calls") {
			t.Errorf("%s: %d rows by conversation; %q", tt.a, reduced, c.Summary)
		}
	}
}

// TestAgainst: a run is not compared with itself, by whatever path.
func TestAgainst(t *testing.T) {
	var dirs []string
	for range 2 {
		dirs = append(dirs, t.TempDir())
		if _, err := executeSetup(t.Context(), plan(t, "", fileLog(supportLog)), dirs[len(dirs)-1], false, Observer{}); err != nil {
			t.Fatal(err)
		}
	}
	same := filepath.Join(dirs[0], ".", "..", filepath.Base(dirs[0]))
	if _, err := Against(dirs[0], same, measure.Config{}); err == nil || !strings.Contains(err.Error(), "its own baseline") {
		t.Errorf("%v", err)
	}
	if c, err := Against(dirs[0], dirs[1], measure.Config{}); err != nil || c.Shared == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMixed(t *testing.T) {
	m := &directory.Manifest{}
	for _, r := range []judges.Result{
		{Judge: "fickle", Transport: llm.Tools, Fingerprint: "a"}, {Judge: "steady", Transport: llm.Tools, Fingerprint: "b"},
		{Judge: "fickle", Transport: llm.JSONSchema, Fingerprint: "c"}, {Judge: "steady", Transport: llm.JSONSchema},
		{Judge: "fickle", Transport: llm.Tools, Fingerprint: "d"},
	} {
		m.CountTransport(&r)
	}
	got := mixed(m)
	if len(got) != 1 || !strings.Contains(got[0].Text, "judge fickle") || !strings.Contains(got[0].Text, "(1 by json_schema, 2 by tools)") {
		t.Errorf("%+v", got)
	}
}
