package labels

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/sealed"
)

// TestUndoToTheFirst: the first event of a person can be undone too; then nothing is left to undo. Whoever never
// labelled has no last event and has seen nothing.
func TestUndoToTheFirst(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), FileName))
	check := func(want *string) {
		t.Helper()
		if err := f.View(func(s *Set) {
			last := s.Last("ann")
			if (last == nil) != (want == nil) || last != nil && last.Label != *want {
				t.Errorf("last %+v, want %v", last, want)
			}
			if want == nil && len(states(s)) > 0 {
				t.Errorf("%q is left", states(s))
			}
			if s.Last("bob") != nil || s.IsRevealed("bob", "c1") || s.Of("bob", Item{Conversation: "c1"}).Label != "" {
				t.Error("bob has done nothing")
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	check(nil)
	first, err := f.Append(event("ann", "c1", 0, Pass), noon)
	if err != nil {
		t.Fatal(err)
	}
	check(new(Pass))
	undo := event("ann", "c1", 0, "")
	undo.Action, undo.Undoes = Undo, first.ID()
	appendAll(t, f, undo)
	check(nil)
}

// TestTakenBackAfterReveal: of what is taken back after the reveal only a blind label of the sample is kept; a note, a
// label given after the reveal and one of another frame leave nothing.
func TestTakenBackAfterReveal(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Event)
		want   []string
	}{
		"blind":    {func(*Event) {}, []string{`ann c1:0  blind "" pass`}},
		"revealed": {func(e *Event) { e.Seen = Revealed }, nil},
		"flagged":  {func(e *Event) { e.Frame = Flags }, nil},
		"a note":   {func(e *Event) { e.Action, e.Label, e.Text = Note, "", "odd" }, nil},
	} {
		path := filepath.Join(t.TempDir(), FileName)
		f := open(t, path)
		reveal := event("ann", "c1", 0, "")
		reveal.Action = Reveal
		e := event("ann", "c1", 0, Pass)
		tt.change(&e)
		appendAll(t, f, reveal)
		given, err := f.Append(e, noon)
		if err != nil {
			t.Fatal(err)
		}
		undo := event("ann", "c1", 0, "")
		undo.Action, undo.Undoes = Undo, given.ID()
		appendAll(t, f, undo)
		if d := cmp.Diff(tt.want, states(read(t, path))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestStateOfSample: a state has the circumstances of its label, which estimates weigh it by.
func TestStateOfSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	e := event("ann", "c1", 3, Fail)
	e.Probability, e.Rank, e.Seed, e.PerConversation, e.Rubric = 0.25, 7, 1<<60, 2, "tone"
	appendAll(t, open(t, path), e)
	want := State{Item: Item{Conversation: "c1", Call: 3, Rubric: "tone"}, Who: "ann", Answer: Answer{Label: Fail},
		Seen: Blind, Frame: Random, Probability: 0.25, Rank: 7, Seed: 1 << 60, PerConversation: 2,
		Blind: Answer{Label: Fail}}
	if d := cmp.Diff([]State{want}, read(t, path).States("ann")); d != "" {
		t.Error(d)
	}
}

// TestManyProblems: twenty problems are named each, further ones are counted.
func TestManyProblems(t *testing.T) {
	for lines, want := range map[int]string{
		20: "labels.jsonl:20: cut off or overwritten: it is not used",
		21: "labels.jsonl: 1 more lines are not used",
		50: "labels.jsonl: 30 more lines are not used",
	} {
		got := Read([]byte(strings.Repeat("{}\n", lines)), "labels.jsonl", "r1").Problems()
		if n := len(got); n != min(lines, 21) || got[n-1] != want {
			t.Errorf("%d lines: %d problems, the last is %q, want %q", lines, n, got[n-1], want)
		}
	}
}

// TestLinesOfOthers: a line of another version, and one that is no event, are named and do not count.
func TestLinesOfOthers(t *testing.T) {
	e := event("ann", "c1", 0, Pass)
	e.Schema, e.RunID, e.Writer, e.N, e.When = "judge.label/v2", "r1", "w", 1, noon
	for want, of := range map[string]any{
		`labels.jsonl:1: schema: "judge.label/v2"; this version reads judge.label/v1`: e,
		`labels.jsonl:1: cut off or overwritten: it is not used`:                      map[string]string{"n": "one"},
	} {
		line, err := sealed.Line(of)
		if err != nil {
			t.Fatal(err)
		}
		s := Read(line, "labels.jsonl", "r1")
		if d := cmp.Diff([]string{want}, s.Problems()); d != "" || s.People() != nil {
			t.Errorf("%s%q", d, s.People())
		}
	}
}

// TestOpenExisting: labels are seen as soon as the file is open, also if it can only be read; then a label is refused.
// What cannot be read at all is an error.
func TestOpenExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	appendAll(t, open(t, path), event("ann", "c1", 0, Pass))
	if err := open(t, path).View(func(s *Set) {
		if d := cmp.Diff([]string{`ann c1:0 pass blind "" pass`}, states(s)); d != "" {
			t.Error(d)
		}
	}); err != nil {
		t.Error(err)
	}
	if _, err := Open(filepath.Dir(path), "r1"); err == nil {
		t.Error("a folder is opened")
	}
	if _, err := open(t, path).Append(event("ann", "c1", 0, Pass),
		time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil ||
		!strings.Contains(err.Error(), "write label: ") {
		t.Errorf("a label of the year 12026: %v", err)
	}
}

// TestOpenOnLinux: also root cannot write to the first of these files, and nobody can read the start of the second.
func TestOpenOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files are only on Linux")
	}
	paths := [2]string{}
	for i, target := range []string{"/proc/sys/kernel/ostype", "/proc/self/mem"} {
		paths[i] = filepath.Join(t.TempDir(), FileName)
		if err := os.Symlink(target, paths[i]); err != nil {
			t.Skip(err)
		}
	}
	f := open(t, paths[0])
	if err := f.View(func(s *Set) {
		if got := fmt.Sprint(s.Problems()); !strings.Contains(got, ":1: cut off") { // it holds the word Linux
			t.Errorf("problems %s", got)
		}
	}); err != nil {
		t.Error(err)
	}
	if _, err := f.Append(event("ann", "c1", 0, Pass), noon); err == nil ||
		!strings.Contains(err.Error(), "labels cannot be kept: ") {
		t.Errorf("a label in a file that can only be read: %v", err)
	}
	if _, err := Open(paths[1], "r1"); err == nil || !strings.Contains(err.Error(), "read "+paths[1]) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
