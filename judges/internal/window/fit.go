package window

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// ResultSteps are the lengths, in characters, to which long tool results are cut, one
// after the other until the record fits.
var ResultSteps = [...]int{4000, 1000, 300}

// Inventory says how the tools are shown, each way shorter than the one before.
type Inventory int

// The ways to show the tools.
const (
	ToolsWhole Inventory = iota
	ToolsBrief           // a tool that was not called so far is its signature
	ToolsOwn             // only the signature of the called tool
	ToolsNone
)

// Gap bounds the tokens of one "[4-15] omitted" line, and counts as its bytes.
const Gap = 16

// History is the rendered history with running sums.
type History struct {
	Text []byte
	// UpTo[i] is the size of the first i lines, Cuts[i] how many of their results are cut.
	UpTo []Size
	Cuts []int
	// MaxResult is the length, in characters, to which results are cut; 0 cuts none.
	MaxResult int
}

// Line returns line i.
func (h *History) Line(i int) []byte { return h.Text[h.UpTo[i].Bytes():h.UpTo[i+1].Bytes()] }

// Record holds what can be shown about one call, part by part.
type Record struct {
	// Frame is the size of what every message has: the call, the markers and the closing
	// line. Markers is the part of it that stands before the end of the history, Siblings the
	// size of the calls beside this one.
	Frame, Markers, Siblings Size
	// Lines counts the lines that there are to show. The first Before of them are the history; the
	// others follow the call, or are the judged turn. FirstUser is the first of the history that the user
	// wrote, -1 for none.
	Lines, Before, FirstUser int
	// Must has the lines without which nothing is sent, the most important one last. Segmented says
	// that they are shown in segments then, and that no result is cut before.
	Must      []int
	Segmented bool
	// Tools returns the size of an inventory.
	Tools func(Inventory) Size
	// Whole is the history, Cut the same with results cut at each of ResultSteps.
	Whole *History
	Cut   []func() *History
	// Related yields the lines that share an argument value with the call, the nearest first.
	Related func() iter.Seq[int]
	// KeepLast counts the last lines that a shortened history keeps if they fit. MaxBytes caps the
	// history; 0 or less sets no cap.
	KeepLast, MaxBytes int
}

// Shortened says what a judge did not see because it had no room. The zero value says
// that it saw everything.
type Shortened struct {
	// Tools: tools are shown by their signature only, or not at all.
	Tools bool
	// Results counts the tool results that are cut in the middle, Examples the few-shot
	// examples are left out.
	Results, Examples int
	// Messages: lines of the history are left out.
	Messages bool
}

// Shown holds what the message about one call shows of its record.
type Shown struct {
	Text string
	// Tokens is the message's size by estimate, Full its size with everything, Bytes about its
	// length.
	Tokens, Full float64
	Bytes        int
	// Prefix is the tokens of tools and history: messages about later calls begin with the same
	// text. It is 0 if anything is left out.
	Prefix    float64
	Shortened Shortened // but for Examples
	// TooLong says that even the call, the last user message and the rubric have no room.
	TooLong bool

	// Part of Parts is the segment that is shown, from 1; 0 if there are no segments. From and To
	// bound its lines, as indexes.
	Part, Parts, From, To int

	Tools   Inventory
	History *History
	// Lines counts the lines of the history that the call sees, Kept lists those that stay, in order; nil
	// if all do.
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

// Everything returns the size of the message that leaves nothing out.
func (r *Record) Everything() Size {
	return r.Frame.Plus(r.Siblings).Plus(r.Tools(ToolsWhole)).Plus(r.Whole.UpTo[r.Lines])
}

// fitting is one message being shortened.
type fitting struct {
	*Record
	Shown
	limit Limit
	room  float64
}

// Fit shortens the message about a call until it costs no more than room. The order is
// fixed: tools as signatures, long results, messages, then the calls beside it and the
// remaining tools.
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

// around returns the size of everything but the history, with these tools.
func (f *fitting) around(how Inventory) Size {
	sum := f.Frame
	if f.Shown.Siblings {
		sum = sum.Plus(f.Record.Siblings)
	}
	return sum.Plus(f.Record.Tools(how))
}

// try shows these tools and this history, and reports whether they fit.
func (f *fitting) try(how Inventory, h *History) bool {
	f.Shown.Tools, f.History = how, h
	f.set(f.around(how).Plus(h.UpTo[f.Record.Lines]))
	return f.Tokens <= f.room
}

func (f *fitting) set(size Size) { f.Bytes, f.Tokens = size.Bytes(), f.limit.Cost(size) }

// keep chooses the lines that stay if a history is too long: the last message of the user,
// their first, the last lines, and every line that shares an argument value with the call, the
// nearest first, as long as they fit. It returns false if one that must stay does not fit.
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
			break // nearer lines go first, as long as they fit
		}
	}
	f.Shortened.Messages = len(f.Kept) < n
	return true
}
