package labels

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/sealed"
)

// TestKeptPrivate: what people said of a run is readable by its owner only; empty lines are no labels and no problems.
func TestKeptPrivate(t *testing.T) {
	dir := t.TempDir()
	f := open(t, filepath.Join(dir, FileName))
	if _, err := f.Append(event("ann", "c1", 0, Pass), noon); err != nil {
		t.Fatal(err)
	}
	if err := AddUse(filepath.Join(dir, UsedName), Use{Align: "a", When: noon}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{FileName, UsedName} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	s := Read(append([]byte("\n \n"), data...), FileName, "r1")
	if len(s.Problems()) > 0 || len(states(s)) != 1 {
		t.Errorf("%q, %v", s.Problems(), states(s))
	}
}

// TestUses: a use is written once for each alignment, a line that was cut off counts as not written,
// and a changed one is an error.
func TestUses(t *testing.T) {
	path := filepath.Join(t.TempDir(), UsedName)
	add := func(align string) {
		t.Helper()
		if err := AddUse(path, Use{Align: align, Rubric: "r", When: noon, Items: []UsedFor{{ConversationID: "c1", For: Tested}}}); err != nil {
			t.Fatal(err)
		}
	}
	ids := func() (out []string) {
		t.Helper()
		list, err := Uses(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			out = append(out, u.Align)
		}
		return out
	}
	if ids() != nil {
		t.Error("a missing file is empty")
	}
	add("a")
	add("a")
	whole, _ := os.ReadFile(path)
	add("b")
	if d := cmp.Diff([]string{"a", "b"}, ids()); d != "" {
		t.Error(d)
	}
	both, _ := os.ReadFile(path)
	if err := os.WriteFile(path, both[:len(whole)+20], 0o600); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a"}, ids()); d != "" {
		t.Error(d)
	}
	add("c")
	if d := cmp.Diff([]string{"a", "c"}, ids()); d != "" {
		t.Error(d)
	}
	whole[5] ^= 1
	damaged := slices.Concat(both[:len(whole)], whole)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Uses(path); err == nil || !strings.Contains(err.Error(), UsedName+":2: bytes of the line changed") {
		t.Errorf("a changed line: %v", err)
	}
	if err := AddUse(path, Use{Align: "d", When: noon}); err == nil {
		t.Error("a use is added to a damaged file")
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
		t.Errorf("a damaged file was changed: %s", now)
	}
	if got := Mark("c1"); got != "d0f631ca" { // by sha256sum; rubric files hold it
		t.Errorf("the mark of c1 is %s", got)
	}
	marks := Marks(Mark("c1") + " " + Mark("c2")).Set()
	if !marks[Mark("c1")] || marks[Mark("c3")] || Marks("").Set() != nil {
		t.Error(marks)
	}
}

// TestUsesOfAnotherKind: a whole line that is not a use, a use of another version and a folder are errors, because a
// use must not be forgotten; so is a use whose time cannot be written.
func TestUsesOfAnotherKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), UsedName)
	for _, of := range []any{map[string]any{"schema": usedSchema, "align": 5}, Use{Schema: "judge.labels_used/v2"}} {
		line, err := sealed.Line(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, line, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Uses(path); err == nil || !strings.Contains(err.Error(),
			UsedName+":1: not a line of "+usedSchema) {
			t.Errorf("%s: %v", line, err)
		}
	}
	folder := filepath.Dir(path)
	if _, err := Uses(folder); err == nil {
		t.Error("a folder has uses")
	}
	if err := AddUse(filepath.Join(folder, "new"),
		Use{Align: "a", When: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("a use of the year 12026 is written")
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("a use that cannot be written leaves a file")
	}
}
