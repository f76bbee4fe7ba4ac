package prompt

import (
	"index/suffixarray"
	"iter"
	"slices"
	"sync"
)

// lineIndex finds the lines that hold a text.
type lineIndex struct {
	of   *rendering
	text *suffixarray.Index

	mu    sync.Mutex
	lines map[string][]int // that hold a text, in order
}

func newLineIndex(r *rendering) *lineIndex {
	return &lineIndex{of: r, text: suffixarray.New(r.lines), lines: map[string][]int{}}
}

// holding yields which of the first n lines hold any of the texts, the last first. It looks
// at no more of them than are taken: many calls may share a value with all the others.
func (x *lineIndex) holding(texts [][]byte, n int) iter.Seq[int] {
	lists := make([][]int, 0, len(texts))
	for _, t := range texts {
		all := x.linesWith(t)
		before, _ := slices.BinarySearch(all, n)
		lists = append(lists, all[:before])
	}
	return func(yield func(int) bool) {
		for {
			next := -1
			for _, l := range lists {
				if len(l) > 0 {
					next = max(next, l[len(l)-1])
				}
			}
			if next < 0 || !yield(next) {
				return
			}
			for i, l := range lists {
				if len(l) > 0 && l[len(l)-1] == next {
					lists[i] = l[:len(l)-1]
				}
			}
		}
	}
}

func (x *lineIndex) linesWith(text []byte) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	out, ok := x.lines[string(text)]
	if !ok {
		for _, at := range x.text.Lookup(text, -1) {
			i, found := slices.BinarySearchFunc(x.of.upTo, at, func(w weight, at int) int { return w.bytes - at })
			if !found {
				i--
			}
			out = append(out, i)
		}
		slices.Sort(out)
		out = slices.Compact(out)
		x.lines[string(text)] = out
	}
	return out
}
