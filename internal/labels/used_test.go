package labels

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Uses(path); err == nil {
		t.Error("a changed line is an error")
	}
	if got := Mark("c1"); got != "d0f631ca" { // by sha256sum; rubric files hold it
		t.Errorf("the mark of c1 is %s", got)
	}
	marks := Marks(Mark("c1") + " " + Mark("c2")).Set()
	if !marks[Mark("c1")] || marks[Mark("c3")] || Marks("").Set() != nil {
		t.Error(marks)
	}
}
