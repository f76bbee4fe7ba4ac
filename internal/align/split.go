// Package align implements judge align: it makes a better rubric from people's labels of a run's
// calls, and shows on other labels whether it is better.
//
// It promises that all trials of a task are on one side of every split; that splits depend only on
// ids; that the held-out labels are used once, after everything was chosen, and are then marked as
// used; and that the same labels, rubric and answers give the same rubric and the same report.
package align

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
)

// Item is one labelled item.
type Item struct {
	Conversation string
	Call         int // -1 for a turn, and for the conversation
	Turn         int // from 1, 0 for other items
	Task         string
	Pass         bool
	Note         string
	// Picked items are not part of the random sample: rules and examples may come from them, but
	// nothing is chosen or tested on them.
	Picked bool
}

const (
	// Fewest is the smallest number of random labels.
	Fewest = 40
	// crossBelow is the number of labels below which a held-out part would be too small: then every
	// label is tested by a rubric that it did not shape.
	crossBelow = 200
	// crossFolds is the number of parts for cross-fitting.
	crossFolds = 5
)

// task sums up the items of one task.
type task struct {
	key          string
	items        []int
	fails, total int
}

// stratum sorts tasks with both labels before those with only fails, and these before others.
func (t *task) stratum() int {
	switch {
	case t.fails == 0:
		return 2
	case t.fails < t.total:
		return 0
	}
	return 1
}

// deal divides items among parts, in whole tasks, so that each part gets about its share of fails
// and of passes. It depends only on the ids of the tasks.
func deal(items []Item, of []int, shares ...float64) [][]int {
	byKey := map[string]*task{}
	for _, i := range of {
		t := byKey[items[i].Task]
		if t == nil {
			t = &task{key: items[i].Task}
			byKey[t.key] = t
		}
		t.items, t.total = append(t.items, i), t.total+1
		if !items[i].Pass {
			t.fails++
		}
	}
	tasks := slices.SortedFunc(maps.Values(byKey), func(a, b *task) int {
		return cmp.Or(cmp.Compare(a.stratum(), b.stratum()), cmp.Compare(order(a.key), order(b.key)),
			cmp.Compare(a.key, b.key))
	})
	parts, fails, total := make([][]int, len(shares)), make([]float64, len(shares)), make([]float64, len(shares))
	for _, t := range tasks {
		to := 0
		load := func(p int) float64 {
			if t.fails > 0 {
				return (fails[p] + float64(t.fails)) / shares[p]
			}
			return (total[p] + float64(t.total)) / shares[p]
		}
		for p := range shares {
			if load(p) < load(to) {
				to = p
			}
		}
		parts[to], fails[to] = append(parts[to], t.items...), fails[to]+float64(t.fails)
		total[to] += float64(t.total)
	}
	for _, p := range parts {
		slices.Sort(p)
	}
	return parts
}

// order returns eight bytes that look random but are always the same for a key.
func order(key string) string {
	sum := sha256.Sum256([]byte("align\x00" + key))
	return string(sum[:8])
}

// fold is one split: the labels from which rules and examples are learned, those that choose among
// proposals, and those that test.
type fold struct{ learn, choose, test []int }

// plan says how the labels are used.
type plan struct {
	random, picked []int
	// folds holds one split with a held-out part, or all splits for cross-fitting.
	folds []fold
	// whole is the split from which the final rubric is made; for cross-fitting it has no test.
	whole fold
}

// crossed reports whether every label is tested once, by the rubric of its own fold.
func (p *plan) crossed() bool { return len(p.folds) > 1 }

// newPlan splits the items. Picked items are used for learning if their task is not needed elsewhere.
func newPlan(items []Item) *plan {
	p := &plan{}
	for i := range items {
		if items[i].Picked {
			p.picked = append(p.picked, i)
		} else {
			p.random = append(p.random, i)
		}
	}
	if len(p.random) >= crossBelow {
		parts := deal(items, p.random, 0.4, 0.2, 0.4)
		p.whole = p.join(items, fold{learn: parts[0], choose: parts[1], test: parts[2]})
		p.folds = []fold{p.whole}
		return p
	}
	tests := deal(items, p.random, slices.Repeat([]float64{1}, crossFolds)...)
	for _, test := range tests {
		rest := slices.DeleteFunc(slices.Clone(p.random), func(i int) bool { return slices.Contains(test, i) })
		parts := deal(items, rest, 0.5, 0.5)
		p.folds = append(p.folds, p.join(items, fold{learn: parts[0], choose: parts[1], test: test}))
	}
	parts := deal(items, p.random, 0.5, 0.5)
	p.whole = p.join(items, fold{learn: parts[0], choose: parts[1]})
	return p
}

// join adds the picked items to the learning part of a fold, except those whose tasks choose or test.
func (p *plan) join(items []Item, f fold) fold {
	used := map[string]bool{}
	for _, i := range slices.Concat(f.choose, f.test) {
		used[items[i].Task] = true
	}
	for _, i := range p.picked {
		if !used[items[i].Task] {
			f.learn = append(f.learn, i)
		}
	}
	return f
}
