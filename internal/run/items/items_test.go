package items

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func line(id, content string, calls ...string) Line {
	return Line{ConversationID: id, Content: content, Calls: calls}
}

func TestPairItems(t *testing.T) {
	tests := []struct {
		name string
		a, b []Line
		want map[string]string
		// told are renamed, changed, calls with a partner, calls without.
		told [4]int
	}{
		{
			name: "the same run",
			a:    []Line{line("x", "1", "p", "q"), line("y", "2")},
			b:    []Line{line("x", "1", "p", "q"), line("y", "2")},
			want: map[string]string{"x": "x", "y": "y"}, told: [4]int{0, 0, 2, 0},
		},
		{
			name: "ids by position in another order: content decides",
			a:    []Line{line("log:1", "1", "p"), line("log:2", "2", "q")},
			b:    []Line{line("log:1", "2", "q"), line("log:2", "1", "p")},
			want: map[string]string{"log:1": "log:2", "log:2": "log:1"}, told: [4]int{2, 0, 2, 0},
		},
		{
			name: "an agent ran the task again: the id decides",
			a:    []Line{line("task", "1", "p", "q")},
			b:    []Line{line("task", "2", "p", "r", "s")},
			want: map[string]string{"task": "task"}, told: [4]int{0, 1, 1, 3},
		},
		{
			name: "repeated content: the same id first, the rest in order",
			a:    []Line{line("x", "1"), line("y", "1"), line("z", "1")},
			b:    []Line{line("new", "1"), line("y", "1"), line("w", "1"), line("v", "1")},
			want: map[string]string{"y": "y", "new": "x", "w": "z"}, told: [4]int{2, 0, 0, 0},
		},
		{
			name: "an id whose content went elsewhere is not taken twice",
			a:    []Line{line("x", "1")},
			b:    []Line{line("x", "2"), line("y", "1")},
			want: map[string]string{"y": "x"}, told: [4]int{1, 0, 0, 0},
		},
		{
			name: "nothing in common",
			a:    []Line{line("x", "1")}, b: []Line{line("y", "2")},
			want: map[string]string{},
		},
	}
	for _, tt := range tests {
		p := Pair(tt.a, tt.b)
		if diff := cmp.Diff(tt.want, p.partner); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := [4]int{p.renamed, p.changed, p.Calls.Same + p.Calls.Moved, p.Calls.OnlyA + p.Calls.OnlyB}; got != tt.told {
			t.Errorf("%s: renamed, changed, paired, unpaired = %v, want %v", tt.name, got, tt.told)
		}
	}
}

// TestPairItemsOnce holds that no conversation of A gets two partners, whatever the
// repetitions.
func TestPairItemsOnce(t *testing.T) {
	var a, b []Line
	for i := range 60 {
		a = append(a, line(fmt.Sprint("i", i%50, "-", i/50), fmt.Sprint(i%7)))
		b = append(b, line(fmt.Sprint("i", i%40, "-", i/40), fmt.Sprint(i%11)))
	}
	seen := map[string]bool{}
	for _, partner := range Pair(a, b).partner {
		if seen[partner] {
			t.Fatalf("%s has two partners", partner)
		}
		seen[partner] = true
	}
	if len(seen) < 30 {
		t.Fatalf("only %d pairs: the test does not test", len(seen))
	}
}
