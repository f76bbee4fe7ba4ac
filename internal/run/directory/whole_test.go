package directory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/input"
)

// finished returns the directory of a complete run with two files.
func finished(t *testing.T) (string, *Manifest) {
	t.Helper()
	dir, m := t.TempDir(), manifestOf("r", nil)
	scores, err := CreateScores(dir, "r")
	items, err2 := CreateItems(dir, "r")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(scores.Finish(), items.Finish(), m.Name(dir, scores.Written, items.Written),
		scores.Close(), items.Close(), scores.Close()); err != nil {
		t.Fatal(err)
	}
	m.Status = Complete
	return dir, m
}

// TestNamedFiles: a finished file has its real name, and the manifest its size, its lines and its SHA-256.
func TestNamedFiles(t *testing.T) {
	dir, m := t.TempDir(), &Manifest{}
	f, err := Create(filepath.Join(dir, "a.jsonl"+PartEnding))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Lines().Encode("<1>"), f.Lines().Encode("é"), f.Finish()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Errorf("closed after it was finished: %v", err)
	}
	if err := m.Name(dir, f.Written); err != nil || filesIn(t, dir) != "a.jsonl" {
		t.Errorf("%v; there is %s", err, filesIn(t, dir))
	}
	want := map[string]File{"a.jsonl": {
		SHA: "df44bf2b2fa43f938a3bf6dcc24699231b6a1244ca233355002015cc46df4903", Lines: 2, Bytes: 11,
	}}
	if d := cmp.Diff(want, m.Files, cmp.AllowUnexported(File{})); d != "" {
		t.Error(d)
	}
	if err := m.Name(dir, f.Written); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there got its name: %v", err)
	}
	if f, err = Create(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("text")
	if err := errors.Join(err, f.Close(), f.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b")); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestWhole: a run whose files are not what it wrote says which one, and how it differs.
func TestWhole(t *testing.T) {
	change := func(name string, edit func(text string) string) func(string, *Manifest) error {
		return func(dir string, _ *Manifest) error {
			text, err := os.ReadFile(filepath.Join(dir, name))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(edit(string(text))), 0o600))
		}
	}
	remove := func(name string) func(string, *Manifest) error {
		return func(dir string, _ *Manifest) error { return os.Remove(filepath.Join(dir, name)) }
	}
	status := func(s string) func(string, *Manifest) error {
		return func(_ string, m *Manifest) error { m.Status = s; return nil }
	}
	more := func(text string) string { return text + "{}\n" }
	other := func(text string) string { return strings.Replace(text, `"r"`, `"s"`, 1) }
	for _, tt := range []struct {
		name   string
		change func(dir string, m *Manifest) error
		want   string // "" for a whole run
	}{
		{"as written", func(string, *Manifest) error { return nil }, ""},
		{"a coverage below the floor", status(Incomplete), ""},
		{"at work", status(Running), "the run is unfinished: it is at work, or was killed"},
		{"stopped", status(Interrupted), "the run is unfinished: it was interrupted"},
		{"no items", remove(ItemsFile), ""},
		{"no scores", remove(ScoresFile), "damaged: scores.jsonl is missing"},
		{"a line more", change(ScoresFile, more), "damaged: scores.jsonl has 2 lines, and 1 were written"},
		{"a byte changed", change(ItemsFile, other), "damaged: items.jsonl is not what was written: bytes of it changed"},
	} {
		dir, m := finished(t)
		if err := tt.change(dir, m); err != nil {
			t.Fatal(err)
		}
		err := m.Whole(dir)
		var partial *Partial
		if (err == nil) != (tt.want == "") || err != nil && (!errors.As(err, &partial) || partial.Problem != tt.want ||
			partial.Damaged != strings.HasPrefix(tt.want, "damaged") || !strings.Contains(err.Error(), ResumeCommand(dir))) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		if done, err := Begin(dir, manifestOf("r", nil), true); err != nil || done != (tt.want == "") {
			t.Errorf("%s: a resumed run is finished: %v, %v", tt.name, done, err)
		}
	}
	dir, m := finished(t)
	path := filepath.Join(dir, ScoresFile)
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	var partial *Partial
	if err := m.Whole(dir); err == nil || errors.As(err, &partial) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// TestBound: a resumed run reads of each log as much as was judged; logs in another number are not those of the run.
func TestBound(t *testing.T) {
	dir, m := t.TempDir(), manifestOf("r", nil)
	m.Logs = []LogBytes{{Path: "a", Bytes: 5}, {Path: "b", Bytes: 7}}
	two := []input.Log{{Name: "a"}, {Name: "b"}}
	if Bound(dir, two); two[0].Bytes != nil {
		t.Error("without a run there is a limit")
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	if Bound(dir, two); two[0].Bytes == nil || *two[0].Bytes != 5 || two[1].Bytes == nil || *two[1].Bytes != 7 {
		t.Errorf("%+v", two)
	}
	for _, others := range [][]input.Log{{{Name: "a"}}, {{Name: "a"}, {Name: "b"}, {Name: "c"}}} {
		if Bound(dir, others); others[0].Bytes != nil {
			t.Errorf("%d logs are limited", len(others))
		}
	}
}

// TestDifferences: a refused resume names the parts of the run that changed, and the logs.
func TestDifferences(t *testing.T) {
	logs := func(shas ...string) (out []LogBytes) {
		for i, sha := range shas {
			out = append(out, LogBytes{Path: string(rune('a' + i)), SHA: sha})
		}
		return out
	}
	for _, tt := range []struct {
		old, now []LogBytes
		want     string
	}{
		{logs("1", "2", "3"), logs("1", "5", "6"), "inputs changed since (b, c)"},
		{logs("1", "2"), logs("1"), "inputs changed since"},
		{logs("1"), logs("1", "2"), "inputs changed since"},
		{logs("1"), logs("2"), "inputs changed since (a)"},
	} {
		old, now := manifestOf("r", map[string]string{"inputs": "1"}), manifestOf("s", map[string]string{"inputs": "2"})
		old.Logs, now.Logs = tt.old, tt.now
		if got := Differences(old, now); got != tt.want {
			t.Errorf("%v, then %v: %s, want %s", tt.old, tt.now, got, tt.want)
		}
	}
	all := map[string]string{"inputs": "1", "rubrics": "1", "judges": "1", "scorers": "1", "selection": "1", "prompt": "1"}
	const want = "inputs, rubrics, judges, scorers, selection, prompt changed since"
	if got := Differences(manifestOf("r", all), manifestOf("s", nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Differences(manifestOf("r", all), manifestOf("s", all)); got != "the program changed since" {
		t.Error(got)
	}
}

// TestExchanges: the journal's records are found by the conversation they judge, or by the refusal of a prompt
// for its length; a run that asked nobody has none.
func TestExchanges(t *testing.T) {
	dir := t.TempDir()
	if got, err := Exchanges(dir, "c"); len(got) != 0 || err != nil {
		t.Errorf("no journal: %v, %v", got, err)
	}
	path := filepath.Join(dir, ExchangesFile)
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []journal.Entry{
		{Key: "c#0 x", Attempts: 1}, {Key: "c#0 x", Attempts: 2}, {Key: "c#1 x"}, {Key: "cc#0 x"},
		{Key: "c", Model: "c#0 x"},
		{Key: "d#0 x", Error: &llm.Error{Kind: llm.KindOverflow}},
		{Key: "e#0 x", Error: &llm.Error{Kind: llm.KindServer}},
		{Key: `"kind":"overflow"`}, {Key: "f#0 x", Kind: llm.Kind(llm.KindOverflow), Error: &llm.Error{Kind: llm.KindServer}},
	} {
		e.Fingerprint[0] = byte(i)
		if err := j.Append(&e); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	counts := func(all map[string][]*journal.Entry, err error) map[string]int {
		if err != nil {
			t.Error(err)
		}
		out := map[string]int{}
		for key, list := range all {
			out[key] = len(list)
		}
		return out
	}
	if d := cmp.Diff(map[string]int{"c#0 x": 2, "c#1 x": 1}, counts(Exchanges(dir, "c"))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"d#0 x": 1}, counts(Refusals(dir))); d != "" {
		t.Error(d)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := Refusals(dir); err == nil {
		t.Error("a directory was read as a journal")
	}
}

// TestUnfinishedScores: the scores of a run that did not finish are read from the file that it was writing.
func TestUnfinishedScores(t *testing.T) {
	dir := saved(t)
	path := filepath.Join(dir, ScoresFile)
	if err := os.Rename(path, path+PartEnding); err != nil {
		t.Fatal(err)
	}
	n := 0
	for s, err := range ScoresOf(dir, "c") {
		if err != nil || s.ConversationID != "c" {
			t.Errorf("%+v, %v", s, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d scores", n)
	}
	none := filepath.Join(dir, "none")
	_, scoresErr := CreateScores(none, "r")
	_, itemsErr := CreateItems(none, "r")
	_, _, openErr := Open(none)
	if !errors.Is(scoresErr, fs.ErrNotExist) || !errors.Is(itemsErr, fs.ErrNotExist) || openErr == nil {
		t.Errorf("a directory that is not there: %v, %v, %v", scoresErr, itemsErr, openErr)
	}
}
