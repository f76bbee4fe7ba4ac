package run

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func line(id, content string, calls ...string) identityLine {
	return identityLine{ConversationID: id, Content: content, Calls: calls}
}

func TestPairItems(t *testing.T) {
	tests := []struct {
		name string
		a, b []identityLine
		want map[string]string
		// told are renamed, changed, calls with a partner, calls without.
		told [4]int
	}{
		{
			name: "the same run",
			a:    []identityLine{line("x", "1", "p", "q"), line("y", "2")},
			b:    []identityLine{line("x", "1", "p", "q"), line("y", "2")},
			want: map[string]string{"x": "x", "y": "y"}, told: [4]int{0, 0, 2, 0},
		},
		{
			name: "ids by position in another order: content decides",
			a:    []identityLine{line("log:1", "1", "p"), line("log:2", "2", "q")},
			b:    []identityLine{line("log:1", "2", "q"), line("log:2", "1", "p")},
			want: map[string]string{"log:1": "log:2", "log:2": "log:1"}, told: [4]int{2, 0, 2, 0},
		},
		{
			name: "an agent ran the task again: the id decides",
			a:    []identityLine{line("task", "1", "p", "q")},
			b:    []identityLine{line("task", "2", "p", "r", "s")},
			want: map[string]string{"task": "task"}, told: [4]int{0, 1, 1, 3},
		},
		{
			name: "repeated content: the same id first, the rest in order",
			a:    []identityLine{line("x", "1"), line("y", "1"), line("z", "1")},
			b:    []identityLine{line("new", "1"), line("y", "1"), line("w", "1"), line("v", "1")},
			want: map[string]string{"y": "y", "new": "x", "w": "z"}, told: [4]int{2, 0, 0, 0},
		},
		{
			name: "an id whose content went elsewhere is not taken twice",
			a:    []identityLine{line("x", "1")},
			b:    []identityLine{line("x", "2"), line("y", "1")},
			want: map[string]string{"y": "x"}, told: [4]int{1, 0, 0, 0},
		},
		{
			name: "nothing in common",
			a:    []identityLine{line("x", "1")}, b: []identityLine{line("y", "2")},
			want: map[string]string{},
		},
	}
	for _, tt := range tests {
		p := pairItems(tt.a, tt.b)
		if diff := cmp.Diff(tt.want, p.partner); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := [4]int{p.renamed, p.changed, p.calls.Same + p.calls.Moved, p.calls.OnlyA + p.calls.OnlyB}; got != tt.told {
			t.Errorf("%s: renamed, changed, paired, unpaired = %v, want %v", tt.name, got, tt.told)
		}
	}
}

// TestPairItemsOnce holds that no conversation of A gets two partners, whatever the
// repetitions.
func TestPairItemsOnce(t *testing.T) {
	var a, b []identityLine
	for i := range 60 {
		a = append(a, line(fmt.Sprint("i", i%50, "-", i/50), fmt.Sprint(i%7)))
		b = append(b, line(fmt.Sprint("i", i%40, "-", i/40), fmt.Sprint(i%11)))
	}
	seen := map[string]bool{}
	for _, partner := range pairItems(a, b).partner {
		if seen[partner] {
			t.Fatalf("%s has two partners", partner)
		}
		seen[partner] = true
	}
	if len(seen) < 30 {
		t.Fatalf("only %d pairs: the test does not test", len(seen))
	}
}

func TestItemsAreRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := readItems(dir, "r"); !errors.Is(err, errNoItems) {
		t.Fatalf("no file: %v", err)
	}
	out, err := Execute(t.Context(), plan(t, "", fileLog(supportLog)), dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	items, err := readItems(dir, out.Manifest.RunID)
	if err != nil || len(items) != out.Reading.Conversations {
		t.Fatalf("%d items of %d conversations, %v", len(items), out.Reading.Conversations, err)
	}
	if _, err := readItems(dir, "another"); err == nil {
		t.Error("items of another run are taken")
	}
}
