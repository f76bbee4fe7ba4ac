package window

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// ResultSteps are the lengths, in characters, to which long tool results are cut, one step after
// another until the record fits.
var ResultSteps = [...]int{4000, 1000, 300}

// Inventory is a way to show the tools; each is shorter than the one before.
type Inventory int

// The ways to show the tools.
const (
	ToolsWhole Inventory = iota
	ToolsBrief           // tools that were not called yet are signatures
	ToolsOwn             // only the signature of the called tool is shown
	ToolsNone
)

// Gap is an upper bound for the tokens of one "[4-15] omitted" line. It counts as the line's bytes,
// too.
const Gap = 16

// History is the rendered history with running sums.
type History struct {
	Text []byte
	// UpTo[i] is the size of the first i lines; Cuts[i] counts the cut results among them.
	UpTo []Size
	Cuts []int
	// MaxResult is the length, in characters, to which results are cut; 0 cuts none.
	MaxResult int
}

// Line returns line i.
func (h *History) Line(i int) []byte { return h.Text[h.UpTo[i].Bytes():h.UpTo[i+1].Bytes()] }

// Record holds what can be shown about one call, part by part.
type Record struct {
	// Frame is the size of what every message has: the call, the markers and the closing line.
	// Markers is the part of Frame before the end of the history. Siblings is the size of the calls
	// beside this one.
	Frame, Markers, Siblings Size
	// Lines counts the available lines. The first Before of them are the history; the others follow
	// the call, or are the judged turn. FirstUser is the first history line of the user, -1 if
	// there is none.
	Lines, Before, FirstUser int
	// Must lists the lines without which nothing is sent, the most important one last. If they do
	// not fit and Segmented is set, they are shown in segments, and no result is cut first.
	Must      []int
	Segmented bool
	// Tools returns the size of an inventory.
	Tools func(Inventory) Size
	// Whole is the full history; Cut holds it with results cut at each of ResultSteps.
	Whole *History
	Cut   []func() *History
	// Related yields the lines that share an argument value with the call, nearest first.
	Related func() iter.Seq[int]
	// KeepLast is the number of last lines that a shortened history keeps if they fit. MaxBytes
	// limits the history; 0 or less means no limit.
	KeepLast, MaxBytes int
}

// Shortened says what a judge did not see because there was no room. The zero value says that it
// saw everything.
type Shortened struct {
	// Tools: tools are shown only as signatures, or not at all.
	Tools bool
	// Results counts the tool results that are cut in the middle, Examples the few-shot examples
	// that are left out.
	Results, Examples int
	// Messages: lines of the history are left out.
	Messages bool
}

// Shown says what the message about one call shows of its record.
type Shown struct {
	Text string
	// Tokens is the message's estimated size, Full its size if nothing is left out, Bytes its
	// approximate length.
	Tokens, Full float64
	Bytes        int
	// Prefix is the tokens of tools and history, with which messages about later calls begin as
	// well. It is 0 if anything is left out.
	Prefix    float64
	Shortened Shortened // except its Examples
	// TooLong says that not even the call, the user's last message and the rubric fit.
	TooLong bool

	// Part counts segments from 1, out of Parts; 0 if there are no segments. From and To are the
	// indexes of the segment's lines.
	Part, Parts, From, To int

	Tools   Inventory
	History *History
	// Lines counts the history lines that the call sees. Kept lists those that are shown, in order;
	// nil if all are.
	Lines    int
	Kept     []int
	Siblings bool
}

// Seen yields the numbers of the history lines that the message shows, from 0.
func (s *Shown) Seen() iter.Seq[int] {
	if s.Kept != nil {
		return slices.Values(s.Kept)
	}
	return func(yield func(int) bool) {
		for i := 0; i < s.Lines && yield(i); i++ {
		}
	}
}

// Everything returns the size of a message that leaves nothing out.
func (r *Record) Everything() Size {
	return r.Frame.Plus(r.Siblings).Plus(r.Tools(ToolsWhole)).Plus(r.Whole.UpTo[r.Lines])
}

// fitting is the state of shortening one message.
type fitting struct {
	*Record
	Shown
	limit Limit
	room  float64
}

// Fit shortens the message about a call until it costs at most room. The order is fixed: first
// tools become signatures, then long results are cut, then messages are left out, then the calls
// beside this one and the remaining tools.
func (l Limit) Fit(r *Record, room float64) Shown {
	f := &fitting{Record: r, limit: l, room: room}
	f.Shown = Shown{Lines: r.Lines, History: r.Whole, Siblings: r.Siblings.Bytes() > 0}
	f.Full = l.Cost(r.Everything())
	f.shorten()
	f.Shortened.Tools = f.Shown.Tools > ToolsWhole
	for i := range f.Seen() {
		f.Shortened.Results += f.History.Cuts[i+1] - f.History.Cuts[i]
	}
	if f.Shortened == (Shortened{}) {
		after := r.Whole.UpTo[r.Lines].Minus(r.Whole.UpTo[r.Before])
		f.Prefix = f.Full - l.Cost(r.Frame.Plus(r.Siblings).Plus(after).Minus(r.Markers))
	}
	return f.Shown
}

func (f *fitting) shorten() {
	tooMany := f.MaxBytes > 0 && f.Whole.UpTo[f.Record.Lines].Bytes() > f.MaxBytes
	switch {
	case f.Segmented:
		if !tooMany && (f.try(ToolsWhole, f.Whole) || f.try(ToolsBrief, f.Whole)) {
			return
		}
		f.Shown.Tools, f.History = ToolsBrief, f.Whole
		f.TooLong = !f.keep()
		return
	case tooMany && math.IsInf(f.room, 1):
		f.keep()
		return
	case !tooMany && (f.try(ToolsWhole, f.Whole) || f.try(ToolsBrief, f.Whole)):
		return
	}
	for i := 0; i < len(f.Cut) && !tooMany; i++ {
		if f.try(ToolsBrief, f.Cut[i]()) {
			return
		}
	}
	f.History = f.Cut[len(f.Cut)-1]()
	for f.Shown.Tools = ToolsBrief; f.Shown.Tools <= ToolsNone; f.Shown.Tools++ {
		f.Shown.Siblings = f.Shown.Siblings && f.Shown.Tools == ToolsBrief
		if f.keep() {
			return
		}
	}
	f.TooLong = true
}

// around returns the size of everything except the history, with these tools.
func (f *fitting) around(how Inventory) Size {
	sum := f.Frame
	if f.Shown.Siblings {
		sum = sum.Plus(f.Record.Siblings)
	}
	return sum.Plus(f.Record.Tools(how))
}

// try chooses these tools and this history, and reports whether they fit.
func (f *fitting) try(how Inventory, h *History) bool {
	f.Shown.Tools, f.History = how, h
	f.set(f.around(how).Plus(h.UpTo[f.Record.Lines]))
	return f.Tokens <= f.room
}

func (f *fitting) set(size Size) { f.Bytes, f.Tokens = size.Bytes(), f.limit.Cost(size) }

// keep chooses the lines of a history that is too long: the user's last message, their first, the
// last lines, and every line that shares an argument value with the call, nearest first, as long as
// they fit. It returns false if a required line does not fit.
func (f *fitting) keep() bool {
	h, n, bounded := f.History, f.Record.Lines, !math.IsInf(f.room, 1)
	sum, bytes := f.around(f.Shown.Tools), cmp.Or(max(0, f.MaxBytes), math.MaxInt)
	defer func() {
		slices.Sort(f.Kept)
		f.set(sum)
		f.Bytes += Gap * len(f.Kept)
	}()
	f.Kept, f.Shortened.Messages = []int{}, true
	if n > 0 {
		sum.Extra += Gap
	}
	kept := map[int]bool{}
	take := func(i int) bool {
		line := h.UpTo[i+1].Minus(h.UpTo[i])
		more := sum.Plus(line)
		if bounded && !(f.Segmented && (kept[i-1] || kept[i+1])) {
			more.Extra += Gap
		}
		if kept[i] || line.Bytes() > bytes || f.limit.Cost(more) > f.room {
			return kept[i]
		}
		kept[i], bytes, sum = true, bytes-line.Bytes(), more
		f.Kept = append(f.Kept, i)
		return true
	}
	fits := f.limit.Cost(sum) <= f.room
	for i := len(f.Must) - 1; i >= 0; i-- {
		if at := f.Must[i]; !take(at) {
			sum.Extra += f.limit.Cost(h.UpTo[at+1].Minus(h.UpTo[at]))
			fits = fits && !bounded && !f.Segmented
		}
	}
	if !fits {
		return false
	}
	if f.FirstUser >= 0 {
		take(f.FirstUser)
	}
	for i := n - 1; i >= max(0, n-f.KeepLast); i-- {
		take(i)
	}
	for i := range f.Related() {
		if !take(i) {
			break // nearer lines come first
		}
	}
	f.Shortened.Messages = len(f.Kept) < n
	return true
}
