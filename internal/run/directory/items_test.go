package directory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
)

func item(id, content string, calls ...string) itemLine {
	return itemLine{ConversationID: id, Content: content, Calls: calls}
}

func TestPairItems(t *testing.T) {
	tests := []struct {
		name string
		a, b []itemLine
		want map[string]string
		// told are renamed, changed, calls with a partner, calls without.
		told [4]int
	}{
		{
			name: "the same run",
			a:    []itemLine{item("x", "1", "p", "q"), item("y", "2")},
			b:    []itemLine{item("x", "1", "p", "q"), item("y", "2")},
			want: map[string]string{"x": "x", "y": "y"}, told: [4]int{0, 0, 2, 0},
		},
		{
			name: "ids by position in another order: content decides",
			a:    []itemLine{item("log:1", "1", "p"), item("log:2", "2", "q")},
			b:    []itemLine{item("log:1", "2", "q"), item("log:2", "1", "p")},
			want: map[string]string{"log:1": "log:2", "log:2": "log:1"}, told: [4]int{2, 0, 2, 0},
		},
		{
			name: "an agent ran the task again: the id decides",
			a:    []itemLine{item("task", "1", "p", "q")},
			b:    []itemLine{item("task", "2", "p", "r", "s")},
			want: map[string]string{"task": "task"}, told: [4]int{0, 1, 1, 3},
		},
		{
			name: "repeated content: the same id first, the rest in order",
			a:    []itemLine{item("x", "1"), item("y", "1"), item("z", "1")},
			b:    []itemLine{item("new", "1"), item("z", "1"), item("w", "1"), item("v", "1")},
			want: map[string]string{"z": "z", "new": "x", "w": "y"}, told: [4]int{2, 0, 0, 0},
		},
		{
			name: "a single call, which only one run has",
			a:    []itemLine{item("x", "1")}, b: []itemLine{item("x", "2", "p")},
			want: map[string]string{"x": "x"}, told: [4]int{0, 1, 0, 1},
		},
		{
			name: "an id whose content went elsewhere is not taken twice",
			a:    []itemLine{item("x", "1")},
			b:    []itemLine{item("x", "2"), item("y", "1")},
			want: map[string]string{"y": "x"}, told: [4]int{1, 0, 0, 0},
		},
		{
			name: "nothing in common",
			a:    []itemLine{item("x", "1")}, b: []itemLine{item("y", "2")},
			want: map[string]string{},
		},
	}
	for _, tt := range tests {
		p := pairRuns(tt.a, tt.b)
		if diff := cmp.Diff(tt.want, p.partner); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := [4]int{p.renamed, p.changed, p.Calls.Same + p.Calls.Moved, p.Calls.OnlyA + p.Calls.OnlyB}; got != tt.told {
			t.Errorf("%s: renamed, changed, paired, unpaired = %v, want %v", tt.name, got, tt.told)
		}
		said := ""
		for _, n := range p.Notes() {
			said += n.Code + " "
		}
		if strings.Contains(said, "paired_by_content") != (tt.told[0] > 0) {
			t.Errorf("%s: told %s", tt.name, said)
		}
		if share := p.Calls.Unpaired; (share == 0) != (tt.told[3] == 0) { // 0 too if there is no call
			t.Errorf("%s: the share of calls without a partner is %v", tt.name, share)
		}
	}
}

// TestPairItemsOnce holds that no conversation of A gets two partners, whatever the
// repetitions.
func TestPairItemsOnce(t *testing.T) {
	var a, b []itemLine
	for i := range 60 {
		a = append(a, item(fmt.Sprint("i", i%50, "-", i/50), fmt.Sprint(i%7)))
		b = append(b, item(fmt.Sprint("i", i%40, "-", i/40), fmt.Sprint(i%11)))
	}
	seen := map[string]bool{}
	for _, partner := range pairRuns(a, b).partner {
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
	if _, known, err := readItems(dir, "r"); known || err != nil {
		t.Fatalf("no file: known %v, %v", known, err)
	}
	w, err := CreateItems(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Add(&transcript.Conversation{ID: "a"}), w.Add(&transcript.Conversation{ID: "b"}), w.Close(),
		os.Rename(filepath.Join(dir, ItemsFile+PartEnding), filepath.Join(dir, ItemsFile)))
	if err != nil {
		t.Fatal(err)
	}
	list, known, err := readItems(dir, "r")
	if err != nil || !known || len(list) != 2 {
		t.Fatalf("%d items of 2 conversations, %v", len(list), err)
	}
	want := filepath.Join(dir, ItemsFile) + ": belongs to run r, the directory holds another"
	if _, _, err := readItems(dir, "another"); err == nil || err.Error() != want {
		t.Errorf("items of another run: %v, want %s", err, want)
	}
}

// TestPair: two runs are paired by what both of them say of their conversations, else by ids alone, and it is said
// which of them says nothing.
func TestPair(t *testing.T) {
	write := func(items bool, conversations ...*transcript.Conversation) string {
		dir := t.TempDir()
		if err := manifestOf("r", nil).Write(dir); err != nil {
			t.Fatal(err)
		}
		if !items {
			return dir
		}
		w, err := CreateItems(dir, "r")
		for _, c := range conversations {
			err = errors.Join(err, w.Add(c))
		}
		if err := errors.Join(err, w.Close(), os.Rename(filepath.Join(dir, ItemsFile+PartEnding), filepath.Join(dir, ItemsFile))); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	calls := func(names ...string) *transcript.Conversation {
		c := &transcript.Conversation{ID: "c", Messages: []transcript.Message{{}}}
		for i, n := range names {
			c.Calls = append(c.Calls, transcript.Call{Index: i, Name: n})
			c.Messages[0].Calls = append(c.Messages[0].Calls, i)
		}
		return c
	}
	old, one, same, more := write(false), write(true, calls("f")), write(true, calls("f")), write(true, calls("f", "g"))
	other := write(true, calls("h", "g"))
	for _, tt := range []struct{ name, a, b, want string }{
		{"the same calls", one, same, ""}, {"a call more", one, more, "0 only in run A and 1 only in run B"},
		{"a call after other ones", more, other,
			"0 identical calls, 1 identical calls after different messages, 1 only in run A"},
		{"only B says", old, one, "run A has no"}, {"only A says", one, old, "run B has no"}, {"neither says", old, old, "both runs have no"},
	} {
		p, err := Pair(tt.a, tt.b)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, n := range p.Notes() {
			said += n.Text
		}
		if (said == "") != (tt.want == "") || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, said, tt.want)
		}
		if tt.a != old && tt.b != old {
			continue
		}
		if id, call := p.Earlier("x", 3); id != "x" || call != 3 {
			t.Errorf("%s: x:3 was %s:%d", tt.name, id, call)
		}
		if id, call, ok := p.Of("x", 3); id != "x" || call != 3 || !ok {
			t.Errorf("%s: x:3 is %s:%d, %v", tt.name, id, call, ok)
		}
	}
	if _, err := Pair(one, t.TempDir()); err == nil {
		t.Error("a directory without a run is paired")
	}
}
