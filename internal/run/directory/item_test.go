package directory

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
)

const line = `{"id":"c","messages":[{"role":"user","content":"please"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}]}` + "\n"

func logs(text string) *input.Source {
	return &input.Source{Logs: []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}}
}

// saved returns a run directory with one score of the conversation c.
func saved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	hashes, err := input.Hash(logs(line).Logs)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Schema: Schema, Status: Complete, Manifest: report.Manifest{
		RunID: "r", Inputs: []report.Input{{Path: "l.jsonl", SHA: hashes[0]}}, Scorers: []report.Scorer{{Name: "x", Type: "x"}},
	}}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := score.NewWriter(&b, "r")
	if err != nil {
		t.Fatal(err)
	}
	one, passed := 1.0, true
	if err := errors.Join(w.Write(score.Score{
		ConversationID: "c", Name: "x", Source: score.Deterministic, Status: score.Scored, Value: &one, Passed: &passed, Flags: []score.Flag{},
	}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ScoresFile), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFind: an item is shown with its conversation while the logs are what was judged,
// and without it, and with the reason, when they are not.
func TestFind(t *testing.T) {
	dir := saved(t)
	if _, err := Find(t.Context(), dir, "d", logs(line)); !errors.Is(err, ErrNoItem) {
		t.Errorf("another id: %v", err)
	}
	for _, tt := range []struct {
		name, id string
		logs     *input.Source
		problem  string
	}{
		{"as judged", "c", logs(line), ""},
		{"changed", "c", logs(line + line), "l.jsonl is not the file that was judged"},
		{"unreadable", "c", &input.Source{Logs: []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) {
			return nil, fs.ErrPermission
		}}}}, "the logs cannot be read: "},
		{"gone", "c", &input.Source{}, "l.jsonl is not there any more"},
	} {
		item, err := Find(t.Context(), dir, tt.id, tt.logs)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if len(item.Scores) != 1 || (item.Conversation != nil) != (tt.problem == "") ||
			(item.LogProblem == "") != (tt.problem == "") || !strings.HasPrefix(item.LogProblem, tt.problem) {
			t.Errorf("%s: %d scores, conversation %v, %q", tt.name, len(item.Scores), item.Conversation != nil, item.LogProblem)
		}
	}
	if _, err := Find(t.Context(), t.TempDir(), "c", logs(line)); err == nil || errors.Is(err, ErrNoItem) {
		t.Errorf("no run: %v", err)
	}
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Logs = []LogBytes{{Path: "l.jsonl", Bytes: int64(len(line))}}; m.Write(dir) != nil {
		t.Fatal("no manifest")
	}
	grown, err := Find(t.Context(), dir, "c", logs(line+line))
	if err != nil || grown.Conversation == nil || grown.LogProblem != "" {
		t.Errorf("the log grew since: %+v, %v", grown, err)
	}
	path := filepath.Join(dir, ScoresFile)
	scores, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(scores, []byte(`"conversation_id":"c"`), []byte(`"conversation_id":"e"`), 1)
	if err := os.WriteFile(path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	item, err := Find(t.Context(), dir, "e", logs(line))
	if err != nil || item.Conversation != nil || item.LogProblem != "the logs hold no such conversation any more" {
		t.Errorf("an id that only the scores have: %+v, %v", item, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), dir, "e", logs(line)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no scores: %v", err)
	}
}
