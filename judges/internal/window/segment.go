package window

import (
	"math"
	"slices"
)

// overlap is the part of a segment's room that lines of the segment before it may take.
const overlap = 0.2

// Segments splits the lines that a record must show into overlapping segments at line borders, each
// of which costs no more than room. All repeat the head, a few lines from the beginning, if it takes
// less than a third of the room. A result is cut only if the line is too long for a segment. Nil
// says that there is a line that fits in no segment.
func (l Limit) Segments(r *Record, head []int, room float64) []Shown {
	f := &fitting{Record: r, limit: l, room: room}
	lines := slices.Sorted(slices.Values(r.Must))
	f.Shown = Shown{Lines: r.Lines, Tools: ToolsBrief}
	if l.Cost(f.around(ToolsBrief)) > room/2 {
		f.Shown.Tools = ToolsNone
	}
	free := room - l.Cost(f.around(f.Shown.Tools)) - 3*Gap
	if cost := l.Cost(sizeOf(r.Whole, head)); cost < free/3 {
		free -= cost + Gap*float64(len(head))
	} else {
		head = nil
	}
	f.Full = l.Cost(r.Everything())
	for _, h := range append([]func() *History{func() *History { return r.Whole }}, r.Cut...) {
		f.History = h()
		if parts := f.split(lines, free); parts != nil {
			return f.show(parts, head)
		}
	}
	return nil
}

// split returns the segments, each with as many lines as have room; nil if a line has none.
func (f *fitting) split(lines []int, free float64) (parts [][]int) {
	most := math.Inf(1) // bytes
	if f.MaxBytes > 0 {
		most = float64(f.MaxBytes)
	}
	cost := func(i int) float64 { return f.limit.Cost(f.History.UpTo[i+1].Minus(f.History.UpTo[i])) }
	for next := 0; next < len(lines); {
		from, sum := next, 0.0
		for next > 0 && from > 0 && sum+cost(lines[from-1]) <= free*overlap {
			from--
			sum += cost(lines[from])
		}
		bytes, to := 0.0, next
		for ; to < len(lines); to++ {
			c, n := cost(lines[to]), float64(f.History.UpTo[lines[to]+1].Minus(f.History.UpTo[lines[to]]).Bytes())
			if sum+c > free || bytes+n > most {
				break
			}
			sum, bytes = sum+c, bytes+n
		}
		if to == next {
			if from == next {
				return nil
			}
			from, to = next, next // without what overlaps
			if cost(lines[next]) > free {
				return nil
			}
			to++
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
