package prompt

import (
	"index/suffixarray"
	"iter"
	"slices"
	"strconv"
	"sync"
)

// resultSteps are the lengths, in characters, to which long tool results are cut, one
// after the other until the record fits.
var resultSteps = [...]int{4000, 1000, 300}

// rendering is the history as lines, "[k] {json}\n" each, with running sums.
type rendering struct {
	lines []byte
	// end, cost and cuts belong to the first i lines: their bytes, their tokens by
	// estimate, and how many of their results are cut.
	end  []int
	cost []float64
	cuts []int
}

// render renders the history with tool results of at most so many characters; 0 cuts
// none.
func (v *View) render(most int) *rendering {
	n := len(v.turns)
	r := &rendering{end: make([]int, n+1), cost: make([]float64, n+1), cuts: make([]int, n+1)}
	for i := range v.turns {
		r.lines = append(r.lines, '[')
		r.lines = strconv.AppendInt(r.lines, int64(i+1), 10)
		r.lines = append(r.lines, "] "...)
		var cut bool
		r.lines, cut = v.turns[i].append(r.lines, v.opts.Marker, most)
		r.lines = append(r.lines, '\n')
		line := r.lines[r.end[i]:]
		foreign := Foreign(line)
		r.end[i+1] = len(r.lines)
		r.cost[i+1] = r.cost[i] + v.opts.Limit.Tokenise(len(line)-foreign, foreign)
		r.cuts[i+1] = r.cuts[i]
		if cut {
			r.cuts[i+1]++
		}
	}
	return r
}

func (r *rendering) line(i int) []byte      { return r.lines[r.end[i]:r.end[i+1]] }
func (r *rendering) lineCost(i int) float64 { return r.cost[i+1] - r.cost[i] }

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

// linesWith returns the lines that hold a text, in order.
func (x *lineIndex) linesWith(text []byte) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	out, ok := x.lines[string(text)]
	if !ok {
		for _, at := range x.text.Lookup(text, -1) {
			i, found := slices.BinarySearch(x.of.end, at)
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

// toolLine is one tool of the inventory: whole, and as its signature.
type toolLine struct {
	name        string
	full, brief []byte
	// first is the first history line that names the tool; no line where there is none.
	first               int
	fullCost, briefCost float64
}

func (v *View) buildTools() {
	first := map[string]int{}
	for i := range v.turns {
		if t := &v.turns[i]; t.role == "tool" {
			if _, ok := first[t.tool]; !ok {
				first[t.tool] = i
			}
		}
	}
	for i := range v.conv.Tools {
		t := &v.conv.Tools[i]
		l := toolLine{name: t.Name, first: len(v.turns)}
		l.full = append(appendTool(nil, t, v.opts.Marker, false), '\n')
		l.brief = append(appendTool(nil, t, v.opts.Marker, true), '\n')
		l.fullCost, l.briefCost = v.opts.Limit.Cost(string(l.full)), v.opts.Limit.Cost(string(l.brief))
		if at, ok := first[t.Name]; ok {
			l.first = at
		}
		v.tools = append(v.tools, l)
	}
}

// appendOmitted appends the line that stands for lines from..to, counted from 0, to not
// included.
func appendOmitted(dst []byte, from, to int) []byte {
	dst = strconv.AppendInt(append(dst, '['), int64(from+1), 10)
	if to > from+1 {
		dst = strconv.AppendInt(append(dst, '-'), int64(to), 10)
	}
	return append(dst, "] omitted\n"...)
}
