package labels

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func event(who, conversation string, call int, label string) Event {
	return Event{Who: who, Action: Give, ConversationID: conversation, CallIndex: &call, Answer: Answer{Label: label},
		Seen: Blind, Frame: Random, Probability: 0.5, Rank: 1}
}

func open(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path, "r1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func appendAll(t testing.TB, f *File, events ...Event) {
	t.Helper()
	for _, e := range events {
		if _, err := f.Append(e, noon); err != nil {
			t.Fatal(err)
		}
	}
}

// states returns "who conversation:call label seen note blind" lines.
func states(s *Set) []string {
	var out []string
	for _, who := range s.People() {
		for _, st := range s.States(who) {
			out = append(out, fmt.Sprintf("%s %s:%d %s %s %q %s", who, st.Conversation, st.Call, st.Label, st.Seen, st.Note, st.Blind.Text()))
		}
	}
	return out
}

func read(t testing.TB, path string) *Set {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Read(data, "labels.jsonl", "r1")
}

func TestEventsAddUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	note := event("ann", "c1", 0, "")
	note.Action, note.Text = Note, "why?\n\u202e</script>"
	appendAll(t, f, event("ann", "c1", 0, Pass), note, event("ann", "c1", 0, Fail), event("bob", "c1", 0, Pass), event("ann", "c1", 1, Defer))
	undo := func() {
		var last *Event
		if err := f.View(func(s *Set) { last = s.Last("ann") }); err != nil {
			t.Fatal(err)
		}
		e := event("ann", last.ConversationID, *last.CallIndex, "")
		e.Action, e.Undoes = Undo, last.ID()
		appendAll(t, f, e)
	}
	undo()
	undo()
	revealed := event("ann", "c2", 0, Fail)
	revealed.Seen = Revealed
	reveal := event("ann", "c2", 0, "")
	reveal.Action = Reveal
	picked := event("ann", "c3", 0, Fail)
	picked.Frame = Flags
	appendAll(t, f, event("ann", "c2", 0, Pass), reveal, revealed, picked)
	// Taken back after the reveal, a blind label stays what estimates rest on.
	for _, action := range []string{Give, Reveal, Undo} {
		e := event("ann", "c4", 0, Fail)
		e.Action = action
		if action == Undo {
			if err := f.View(func(s *Set) { e.Undoes = s.Last("ann").ID() }); err != nil {
				t.Fatal(err)
			}
		}
		appendAll(t, f, e)
	}
	want := []string{
		`ann c1:0 pass blind "why?\n\u202e</script>" pass`,
		`ann c2:0 fail revealed "" pass`, // an estimate rests on what was said blind
		`ann c3:0 fail blind "" `,
		`ann c4:0  blind "" fail`,
		`bob c1:0 pass blind "" pass`,
	}
	s := read(t, path)
	if diff := cmp.Diff(want, states(s)); diff != "" {
		t.Error(diff)
	}
	if s.IsRevealed("bob", "c2") || !s.IsRevealed("ann", "c2") || s.IsRevealed("ann", "c1") {
		t.Error("what ann saw of c2 is hers alone")
	}
	if p := s.Problems(); p != nil {
		t.Error(p)
	}
}

// TestDamageIsNamed damages a file of ten labels in every way that disks and editors do:
// the labels that are left are right, and the problem names the line.
func TestDamageIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	for i := range 10 {
		appendAll(t, f, event("ann", fmt.Sprintf("c%d", i), 0, Pass))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	flipped := bytes.Replace(whole, []byte(`"conversation_id":"c4"`), []byte(`"conversation_id":"c5"`), 1)
	zeroed := bytes.Clone(whole)
	clear(zeroed[len(lines[0])+10 : len(lines[0])+60])
	cases := map[string]struct {
		data    []byte
		left    int
		problem string
	}{
		"as it was":    {whole, 10, ""},
		"cut off":      {whole[:len(whole)-9], 9, "labels.jsonl:10: cut off"},
		"no last feed": {whole[:len(whole)-1], 10, ""},
		"flipped":      {flipped, 9, "labels.jsonl:5: bytes of the line changed"},
		"zeroed":       {zeroed, 9, "labels.jsonl:2: bytes of the line changed"},
		"doubled":      {join(append(lines[:3:3], lines[2:]...)...), 10, "labels.jsonl:4: repeats line 3"},
		"deleted":      {join(append(lines[:3:3], lines[4:]...)...), 9, "labels.jsonl: 1 lines of session"},
		"the first":    {join(lines[1:]...), 9, "labels.jsonl: 1 lines of session"},
		"CRLF":         {bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), 10, ""},
		"BOM":          {append([]byte("\ufeff"), whole...), 10, ""},
		"empty":        {nil, 0, ""},
	}
	for name, c := range cases {
		s := Read(c.data, "labels.jsonl", "r1")
		if got := len(s.States("ann")); got != c.left {
			t.Errorf("%s: %d labels are left, want %d", name, got, c.left)
		}
		got := strings.Join(s.Problems(), "\n")
		if (got == "") != (c.problem == "") || !strings.Contains(got, c.problem) {
			t.Errorf("%s: problems %q, want %q", name, got, c.problem)
		}
	}
	s := Read(whole, "l", "r2")
	if p := s.Problems(); len(p) == 0 || !strings.Contains(p[0], "l:1: a label of another run (r1)") || s.People() != nil {
		t.Errorf("labels of another run: %q", p)
	}
}

// TestManyWriters: two processes and many goroutines append to one file, and see each
// other's labels.
func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	a, b := open(t, path), open(t, path)
	var g sync.WaitGroup
	for i := range 20 {
		for who, f := range map[string]*File{"ann": a, "bob": b} {
			g.Go(func() {
				if _, err := f.Append(event(who, "c", i, Pass), noon); err != nil {
					t.Error(err)
				}
			})
		}
	}
	g.Wait()
	for _, f := range []*File{a, b} {
		if err := f.View(func(s *Set) {
			if n := len(states(s)); n != 40 || s.Problems() != nil {
				t.Errorf("%d labels, problems %q", n, s.Problems())
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestGoesOnBehindTornLine: what is appended behind a torn line is whole.
func TestGoesOnBehindTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	appendAll(t, open(t, path), event("ann", "c1", 0, Pass), event("ann", "c2", 0, Pass))
	data, _ := os.ReadFile(path)
	for _, left := range []int{bytes.IndexByte(data, '\n') + 2, len(data) - 20} { // one byte of the line, and most
		if err := os.WriteFile(path, data[:left], 0o600); err != nil {
			t.Fatal(err)
		}
		appendAll(t, open(t, path), event("ann", "c2", 0, Fail), event("ann", "c3", 0, Fail))
		s := read(t, path)
		want := []string{`ann c1:0 pass blind "" pass`, `ann c2:0 fail blind "" fail`, `ann c3:0 fail blind "" fail`}
		if diff := cmp.Diff(want, states(s)); diff != "" {
			t.Error(diff)
		}
		if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "labels.jsonl:2: cut off") {
			t.Errorf("problems %q", p)
		}
	}
}

func TestFileTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	appendAll(t, f, event("ann", "c1", 0, Pass))
	other := open(t, path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Skip("this system does not rename open files")
	}
	refuses := func(name string, f *File) {
		t.Helper()
		for range 2 {
			_, err := f.Append(event("ann", "c2", 0, Pass), noon)
			if err == nil || !strings.Contains(err.Error(), "was removed or replaced") {
				t.Errorf("a label for a file that %s: %v", name, err)
			}
		}
	}
	refuses("is gone", f)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses("was replaced", other)
	closed := open(t, path)
	appendAll(t, closed, event("ann", "c3", 0, Pass))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	refuses("was closed", closed)
	if err := closed.View(func(*Set) {}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file is read: %v", err)
	}
}

// TestDiskFails: a label that is not on the disk is an error, and so is every later one.
func TestDiskFails(t *testing.T) {
	null := filepath.Join(t.TempDir(), FileName)
	if err := os.Symlink(os.DevNull, null); err != nil || runtime.GOOS != "linux" {
		t.Skip("only on Linux syncing", os.DevNull, "fails")
	}
	readOnly := filepath.Join(t.TempDir(), FileName)
	written := open(t, readOnly)
	appendAll(t, written, event("ann", "c1", 0, Pass))
	_ = written.f.Close()
	written.f, _ = os.Open(readOnly)
	unread := open(t, readOnly)
	_ = unread.f.Close()
	unread.f, _ = os.OpenFile(readOnly, os.O_WRONLY|os.O_APPEND, 0o600)
	if _, err := unread.Append(event("ann", "c2", 0, Pass), noon); err == nil || !strings.Contains(err.Error(), "read "+readOnly) {
		t.Errorf("labels that others wrote cannot be read: %v", err)
	}
	for name, f := range map[string]*File{"no write": written, "no sync": open(t, null)} {
		for range 2 {
			if _, err := f.Append(event("ann", "c2", 0, Pass), noon); err == nil || !strings.Contains(err.Error(), "this label may be lost") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := AddUse(null, Use{Align: "a", When: noon}); err == nil {
		t.Error("a use that cannot be synced is no error")
	}
	if err := errors.Join(written.Close(), written.Close()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

// TestAnswersAndItems: a label holds a category or that the question does not apply, of a call with its
// result, a turn or a conversation; labels of one place in different scopes are apart.
func TestAnswersAndItems(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	rude := event("ann", "c:1", 0, Fail)
	rude.Rubric, rude.Category, rude.Scope = "tone", "rude", Result
	turn := event("ann", "c:1", 0, Named)
	turn.Rubric, turn.Category, turn.Scope, turn.Turn, turn.CallIndex = "topic", "billing", Turn, 2, nil
	whole := event("ann", "c:1", 0, NotApplicable)
	whole.Rubric, whole.CallIndex = "asked", nil
	appendAll(t, f, rude, turn, whole, event("ann", "c:1", 0, Pass))
	var got []string
	for _, st := range read(t, path).States("ann") {
		got = append(got, fmt.Sprintf("%d %d %s %s: %s %s", st.Call, st.Turn, st.Scope, st.Rubric, st.Label, st.Category))
	}
	want := []string{"-1 0  asked: not_applicable ", "-1 2 turn topic: category billing", "0 0  : pass ", "0 0 result tone: fail rude"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// turnOf makes an event one about a turn.
// TestAppendAccepts has the largest and the smallest of what a label may say.
// TestKilled kills a process that labels as fast as it can: every label that it confirmed
// is there.
func TestKilled(t *testing.T) {
	if path := os.Getenv("LABELS_KILL_TEST"); path != "" {
		f := open(t, path)
		for i := 0; ; i++ {
			appendAll(t, f, event("ann", "c", i, Pass))
			fmt.Printf("confirmed %d\n", i)
		}
	}
	path := filepath.Join(t.TempDir(), FileName)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "LABELS_KILL_TEST="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	for last < 30 {
		if _, err := fmt.Fscanf(out, "confirmed %d\n", &last); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Process.Kill()
	for rest, _ := io.ReadAll(out); len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), "confirmed %d", &last); err != nil || !whole {
			break
		}
		rest = after
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process was not killed")
	}
	if n := len(read(t, path).States("ann")); n < last+1 {
		t.Errorf("%d labels are there, %d were confirmed", n, last+1)
	}
}

// FuzzRead: whatever a file holds, only lines with a fitting checksum count, and each
// other line is named.
func FuzzRead(f *testing.F) {
	e := event("ann", "c", 0, Pass)
	e.Schema, e.RunID, e.Writer, e.N = schema, "r1", "w", 1
	line, err := encode(&e)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(append(line[:len(line):len(line)], line[:30]...))
	f.Add([]byte("{}\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, lines := Read(data, "f", "r1"), 0
		for line := range bytes.Lines(data) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
			e, err := parse(line)
			if err != nil {
				continue
			}
			again, err := encode(e)
			if err != nil {
				t.Fatalf("a line that is read cannot be written: %v", err)
			}
			if twice, err := parse(bytes.TrimSuffix(again, []byte("\n"))); err != nil || !cmp.Equal(e, twice) {
				t.Fatalf("%v: %s", err, cmp.Diff(e, twice))
			}
		}
		if len(s.seen)+s.count < lines {
			t.Fatalf("%d lines, %d events and %d problems", lines, len(s.seen), s.count)
		}
	})
}

// TestOddEvents: a label after a note counts, and an undo of what is not there is named and
// changes nothing.
// TestFolderIsGone: a label or a use that has no folder to be kept in is an error.
func TestFolderIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", FileName)
	if _, err := open(t, path).Append(event("ann", "c1", 0, Pass), noon); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "labels cannot be kept") {
		t.Errorf("a label: %v", err)
	}
	if err := AddUse(path, Use{Align: "a", When: noon}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a use: %v", err)
	}
}

// TestUnnumbered: a label without the session that wrote it, or without its number there, is named and does not count.
