package window

import (
	"math"
	"slices"
)

// overlap is the share of a segment's room that lines of the previous segment may take.
const overlap = 0.2

// Segments splits the lines that a record must show into overlapping segments of whole lines. Each
// segment costs at most room and has at most MaxBytes bytes. Each repeats the head, a few lines
// from the beginning, if it takes at most a third of the room. A result is cut only if its line is
// too long for a segment. It returns nil if some line fits in no segment.
func (l Limit) Segments(r *Record, head []int, room float64) []Shown {
	f := &fitting{Record: r, limit: l, room: room}
	lines := slices.Sorted(slices.Values(r.Must))
	f.Shown = Shown{Lines: r.Lines, Tools: ToolsBrief}
	if l.Cost(f.around(ToolsBrief)) > room/2 {
		f.Shown.Tools = ToolsNone
	}
	free, bytes := room-l.Cost(f.around(f.Shown.Tools))-3*Gap, math.Inf(1)
	if r.MaxBytes > 0 {
		bytes = float64(r.MaxBytes)
	}
	fits := func(s Size, share float64) bool {
		return l.Cost(s) <= share*free && float64(s.Bytes()) <= share*bytes
	}
	if size := sizeOf(r.Whole, head); fits(size, 1.0/3) {
		free -= l.Cost(size) + Gap*float64(len(head))
		bytes -= float64(size.Bytes())
	} else {
		head = nil
	}
	f.Full = l.Cost(r.Everything())
	for _, h := range append([]func() *History{func() *History { return r.Whole }}, r.Cut...) {
		f.History = h()
		if parts := f.split(lines, fits); parts != nil {
			return f.show(parts, head)
		}
	}
	return nil
}

// split returns the segments, each with as many lines as fit; nil if some line does not fit. fits
// reports whether lines fit in a share of a segment.
func (f *fitting) split(lines []int, fits func(s Size, share float64) bool) (parts [][]int) {
	size := func(i int) Size { return sizeOf(f.History, lines[i:i+1]) }
	for next := 0; next < len(lines); {
		from, to, sum := next, next, Size{}
		for from > 0 && fits(sum.Plus(size(from-1)), overlap) {
			from--
			sum = sum.Plus(size(from))
		}
		for to < len(lines) && fits(sum.Plus(size(to)), 1) {
			sum = sum.Plus(size(to))
			to++
		}
		if to == next && fits(size(next), 1) {
			from, to = next, next+1 // without the overlap
		}
		if to == next {
			return nil
		}
		parts = append(parts, lines[from:to])
		next = to
	}
	return parts
}

// show returns what the segments show, each with the head.
func (f *fitting) show(parts [][]int, head []int) (out []Shown) {
	for _, lines := range parts {
		s := f.Shown
		s.From, s.To = lines[0], lines[len(lines)-1]+1
		s.Kept = append(slices.Clone(lines), head...)
		slices.Sort(s.Kept)
		s.Kept = slices.Compact(s.Kept)
		size := f.around(s.Tools).Plus(sizeOf(f.History, s.Kept))
		s.Bytes, s.Tokens = size.Bytes()+3*Gap, f.limit.Cost(size)+3*Gap
		s.Shortened.Tools = s.Tools > ToolsWhole
		for _, i := range s.Kept {
			s.Shortened.Results += f.History.Cuts[i+1] - f.History.Cuts[i]
		}
		out = append(out, s)
	}
	return out
}

// sizeOf returns the size of some lines.
func sizeOf(h *History, lines []int) (sum Size) {
	for _, i := range lines {
		sum = sum.Plus(h.UpTo[i+1].Minus(h.UpTo[i]))
	}
	return sum
}
