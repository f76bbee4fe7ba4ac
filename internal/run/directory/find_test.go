package directory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript/format"
)

// manyIn returns a run directory of n conversations, and its log.
func manyIn(t testing.TB, n int) (dir, log string) {
	t.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `{"id":%q,"messages":[{"role":"user","content":"request %d %s"}]}`+"\n", idOf(i), i, strings.Repeat("words ", 50))
	}
	return recorded(t, text.String(), "native"), text.String()
}

// recorded returns the directory of a run that judged a log in a format.
func recorded(t testing.TB, log, format string) string {
	t.Helper()
	dir, source := t.TempDir(), logs(log)
	source.Options.Format = format
	hashes, err := input.Hash(source.Logs)
	m := &Manifest{Schema: Schema, Status: Complete, Manifest: report.Manifest{
		RunID: "r", Inputs: []report.Input{{Path: "l.jsonl", SHA: hashes[0], Format: format}},
	}}
	items, itemsErr := CreateItems(dir, "r")
	f, fileErr := os.Create(filepath.Join(dir, ScoresFile))
	w, scoresErr := score.NewWriter(f, "r")
	if err := errors.Join(err, m.Write(dir), itemsErr, fileErr, scoresErr); err != nil {
		t.Fatal(err)
	}
	for c, err := range source.Conversations(t.Context(), &input.Reading{}) {
		if err == nil {
			err = items.Add(c)
		}
		for call := range 8 {
			err = errors.Join(err, w.Write(score.Score{ConversationID: c.ID, CallIndex: &call, Name: "x", Source: score.Deterministic,
				Status: score.Scored, Value: new(1.0), Passed: new(true), Place: c.Source.String(), Explanation: strings.Repeat("because ", 20)}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(items.Close(), w.Flush(), f.Close(), os.Rename(filepath.Join(dir, ItemsFile+PartEnding), filepath.Join(dir, ItemsFile))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// idOf returns an id that JSON must escape for every other conversation.
func idOf(i int) string {
	if i%2 == 1 {
		return fmt.Sprintf("c%04d <\"é\u2028>", i)
	}
	return fmt.Sprintf("c%04d", i)
}

// TestFindReadsOneRecord: of a log by lines only the conversation's own line must be as it
// was, and nothing else of it is parsed.
func TestFindReadsOneRecord(t *testing.T) {
	dir, log := manyIn(t, 40)
	lines := strings.SplitAfter(log, "\n")
	for _, i := range []int{0, 21, 39} {
		others := ""
		for k, line := range lines {
			if k != i && line != "" {
				line = "{no JSON\n"
			}
			others += line
		}
		item, err := Find(t.Context(), dir, idOf(i), logs(others))
		if err != nil || item.Conversation == nil || item.Conversation.ID != idOf(i) || len(item.Scores) != 8 {
			t.Errorf("conversation %d: %v, %+v", i, err, item)
		} else if at := item.Conversation.Source; at.Line != i+1 || at.String() != item.Scores[0].Place {
			t.Errorf("conversation %d is at %s", i, at)
		}
	}
	changed := strings.Replace(log, "request 21 ", "another request ", 1)
	item, err := Find(t.Context(), dir, idOf(21), logs(changed))
	if err != nil || item.Conversation != nil || !strings.Contains(item.LogProblem, "it changed since") {
		t.Errorf("its own record changed: %v, %q", err, item.LogProblem)
	}
	renamed := logs(log)
	renamed.Logs[0].Name = "other.jsonl"
	if item, err = Find(t.Context(), dir, idOf(21), renamed); err != nil || item.Conversation == nil {
		t.Errorf("the log has another name: %v, %q", err, item.LogProblem)
	}
	if item, err = Find(t.Context(), dir, idOf(20), logs("")); err != nil || item.Conversation != nil {
		t.Errorf("an empty log: %v", err)
	}
}

// TestFindNothing: a conversation that a run does not have is an error that names both; a damaged line of items.jsonl
// says nothing about a conversation.
func TestFindNothing(t *testing.T) {
	dir, log := manyIn(t, 2)
	_, err := Find(t.Context(), dir, "none", logs(log))
	if want := dir + `: no such conversation: "none"`; !errors.Is(err, ErrNoItem) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	const hash = "0123456789abcdef"
	for line, want := range map[string]string{
		`{"conversation_id":"c","content":"` + hash + `"}`:           hash,
		`{"conversation_id":"c","content":"` + hash + `"}` + "\n{}":  hash,
		`{"conversation_id":"c","content":"` + hash + `","calls":5}`: "",
		`{"conversation_id":"c","content":"` + hash + `"`:            "",
		`{"conversation_id":"c","content":"0123"}`:                   "",
		`{"a":{"conversation_id":"c"},"content":"` + hash + `"}`:     "",
	} {
		if err := os.WriteFile(filepath.Join(dir, ItemsFile), []byte("{}\n"+line), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := contentOf(dir, "c"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestFindByFormat: a record is read again in the format that the user names, else in the one in which it was judged.
func TestFindByFormat(t *testing.T) {
	const both = `{"id":"c","messages":[{"role":"user","content":"go"},{"role":"assistant",` +
		`"content":[{"type":"tool_use","id":"a","name":"f","input":{}}],"tool_calls":[{"id":"t","type":"function","function":{"name":"g","arguments":"{}"}}]}]}` + "\n"
	for _, tt := range []struct {
		judged, named string
		found         bool
	}{
		{"openai-chat", "", true}, {"anthropic-messages", "", true}, {"openai-chat", "openai-chat", true},
		{"openai-chat", "sharegpt", false},
	} {
		dir := recorded(t, both, tt.judged)
		source := logs(both + "{no JSON\n") // so that the whole log is not what was judged
		source.Options.Format = tt.named
		item, err := Find(t.Context(), dir, "c", source)
		if err != nil || (item.Conversation != nil) != tt.found {
			t.Errorf("judged as %s, read as %q: found %v, %v", tt.judged, tt.named, item.Conversation != nil, err)
		}
	}
}

// BenchmarkFind is judge show on the last of 5,000 conversations, without the process.
func BenchmarkFind(b *testing.B) {
	dir, log := manyIn(b, 5000)
	path := filepath.Join(b.TempDir(), "l.jsonl")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		b.Fatal(err)
	}
	source := &input.Source{Options: format.Options{}, Logs: []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return os.Open(path) }}}}
	for b.Loop() {
		if item, err := Find(b.Context(), dir, idOf(4999), source); err != nil || item.Conversation == nil {
			b.Fatal(err)
		}
	}
}
