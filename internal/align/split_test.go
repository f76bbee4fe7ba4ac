package align

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// labelled makes items of tasks with one to four trials; a third of them fails, and every tenth is picked.
func labelled(n int) []Item {
	var items []Item
	for i := range n {
		items = append(items, Item{Conversation: fmt.Sprint("c", i), Task: fmt.Sprint("t", i*2/5+i%2), Pass: i%3 > 0, Picked: i%10 == 9})
	}
	return items
}

// TestSplits: all trials of a task stand on one side, each random item is tested once at most, picked items
// neither choose nor test, and the parts hold about equal shares of failures.
func TestSplits(t *testing.T) {
	for _, n := range []int{50, 120, 400} {
		items := labelled(n)
		p := newPlan(items)
		if p.crossed() != (len(p.random) < crossBelow) {
			t.Errorf("%d items: %d folds", n, len(p.folds))
		}
		tested := map[int]int{}
		for _, f := range append(slices.Clone(p.folds), p.whole) {
			sides := map[string]string{}
			for side, of := range map[string][]int{"learn": f.learn, "choose": f.choose, "test": f.test} {
				for _, i := range of {
					if before := sides[items[i].Task]; before != "" && before != side {
						t.Errorf("%d items: task %s stands in %s and %s", n, items[i].Task, before, side)
					}
					sides[items[i].Task] = side
					if items[i].Picked && side != "learn" {
						t.Errorf("%d items: picked item %d is in %s", n, i, side)
					}
				}
			}
		}
		for _, f := range p.folds {
			for _, i := range f.test {
				tested[i]++
			}
			if all, fails := len(f.test), failures(items, f.test); n >= 120 && (fails < all/5 || fails > all/2) {
				t.Errorf("%d items: %d of %d tested items fail", n, fails, all)
			}
		}
		for i, times := range tested {
			if times != 1 {
				t.Errorf("%d items: item %d is tested %d times", n, i, times)
			}
		}
		if p.crossed() && len(tested) != len(p.random) {
			t.Errorf("%d items: %d of %d are tested", n, len(tested), len(p.random))
		}
	}
}

func failures(items []Item, of []int) (n int) {
	for _, i := range of {
		if !items[i].Pass {
			n++
		}
	}
	return n
}

// TestSplitsFollowFromIDs: the order of the items changes no part.
func TestSplitsFollowFromIDs(t *testing.T) {
	parts := func(items []Item) (out [][]string) {
		for _, f := range newPlan(items).folds {
			var names []string
			for _, i := range f.test {
				names = append(names, items[i].Conversation)
			}
			slices.Sort(names)
			out = append(out, names)
		}
		return out
	}
	items := labelled(90)
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	if d := cmp.Diff(parts(items), parts(backwards)); d != "" {
		t.Error(d)
	}
}
