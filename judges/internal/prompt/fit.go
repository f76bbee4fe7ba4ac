package prompt

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// resultSteps are the lengths, in characters, to which long tool results are cut, one
// after the other until the record fits.
var resultSteps = [...]int{4000, 1000, 300}

// rendering is the history as lines, "[k] {json}\n" each, with running sums.
type rendering struct {
	lines []byte
	// upTo is the size of the first i lines, cuts how many of their results are cut.
	upTo []size
	cuts []int
	most int // the longest result, in characters; 0 for any length
}

// render renders the history with tool results of at most so many characters; 0 cuts
// none.
func (v *View) render(most int) *rendering {
	n := len(v.lines)
	r := &rendering{most: most, upTo: make([]size, n+1), cuts: make([]int, n+1)}
	for i := range v.lines {
		r.lines = strconv.AppendInt(append(r.lines, '['), int64(i+1), 10)
		line, cut := v.lines[i].value(v.opts.Marker, most)
		r.lines = append(appendSafe(append(r.lines, "] "...), line), '\n')
		r.upTo[i+1] = r.upTo[i].plus(sizeOf(r.lines[r.upTo[i].bytes():]))
		r.cuts[i+1] = r.cuts[i]
		if cut {
			r.cuts[i+1]++
		}
	}
	return r
}

func (r *rendering) line(i int) []byte { return r.lines[r.upTo[i].bytes():r.upTo[i+1].bytes()] }

func (r *rendering) size(i int) size { return r.upTo[i+1].minus(r.upTo[i]) }

// How the inventory is shown, each shorter than the one before.
type inventory int

const (
	toolsWhole inventory = iota
	toolsBrief           // a tool that was not called so far is its signature
	toolsOwn             // only the signature of the called tool
	toolsNone
)

// omitted bounds the tokens of one "[4-15] omitted" line, and stands for its bytes.
const omitted = 16

// Shortened says what a judge did not see because it had no room. The zero value says
// that it saw everything.
type Shortened struct {
	// Tools: tools are shown by their signature only, or not at all.
	Tools bool
	// Results says how many tool results are cut in the middle, Examples how many few-shot
	// examples are left out.
	Results, Examples int
	// Messages: lines of the history are left out.
	Messages bool
}

// Shown is the live message about one call, and what it shows of the record.
type Shown struct {
	Text string
	// Tokens is the message's size by estimate, Full that of one with everything, Bytes
	// about its length.
	Tokens, Full float64
	Bytes        int
	// Prefix is the tokens of tools and history: messages about later calls begin with the same
	// text. It is 0 if anything is left out.
	Prefix    float64
	Shortened Shortened // but for Examples
	// TooLong says that even the call, the last user message and the rubric have no room.
	TooLong bool

	n        int // history lines that the call sees
	tools    inventory
	history  *rendering
	kept     []int // the lines that stay, in order; nil if all do
	siblings bool
}

// Lines yields the numbers of the history lines that the message shows, from 0.
func (s *Shown) Lines() iter.Seq[int] {
	if s.kept != nil {
		return slices.Values(s.kept)
	}
	return func(yield func(int) bool) {
		for i := 0; i < s.n && yield(i); i++ {
		}
	}
}

// ask is a call with what its message holds in any case.
type ask struct {
	v     *View
	c     *transcript.Call
	index int
	n     int
	call  []byte
	// frame is the size of call, markers and closing line, siblings that of the calls beside it.
	frame, siblings size
	room            float64
}

func (v *View) ask(index int, room float64) *ask {
	c := &v.conv.Calls[index]
	a := &ask{v: v, c: c, index: index, n: v.lineCount(c), room: room, call: callLine(c, "")}
	t := v.turn(index)
	a.siblings = t.size
	if own := slices.Index(t.calls, index); own >= 0 {
		a.siblings = a.siblings.minus(sizeOf(t.lines[own]))
	}
	markers := size{ascii: 6 * v.markerBytes(), extra: messageTokens}
	a.frame = sizeOf(a.call).plus(sizeOf(closingLine)).plus(markers)
	return a
}

// markerBytes bounds the length of a marker line.
func (v *View) markerBytes() int { return 32 + len(v.nonce) }

// tools yields the tools that an inventory shows, by number, as it shows them.
func (a *ask) tools(how inventory) iter.Seq2[int, *rendered] {
	called := a.v.turn(a.index).names
	return func(yield func(int, *rendered) bool) {
		for i := range a.v.tools {
			t, shown := &a.v.tools[i], &a.v.tools[i].full
			own := t.name == a.c.Name
			switch {
			case how == toolsBrief && t.first >= a.n && !own && !called[t.name], how == toolsOwn && own:
				shown = &t.brief
			case how >= toolsOwn:
				continue
			}
			if !yield(i, shown) {
				return
			}
		}
	}
}

// toolsSize returns that of an inventory, with the gaps around the called tool.
func (a *ask) toolsSize(how inventory) size {
	var sum size
	if how >= toolsOwn && len(a.v.tools) > 0 {
		sum.extra = 2 * omitted
	}
	for _, t := range a.tools(how) {
		sum = sum.plus(t.size)
	}
	return sum
}

// Show renders the live message for a call, by its index in the conversation, in so
// many tokens by estimate, with a frame's ending, whose cost is not part of the room. What
// does not fit is shortened.
func (v *View) Show(index int, room float64, e Ending) Shown {
	a := v.ask(index, room)
	s := a.fit()
	s.Text = a.text(&s, e)
	return s
}

// Measure is Show without the text.
func (v *View) Measure(index int, room float64) Shown { return v.ask(index, room).fit() }

// Size is the size of a message, whatever a model's limit.
type Size struct{ size }

// Exceeds reports whether s takes no less than o of any model's context.
func (s Size) Exceeds(o Size) bool {
	return s.ascii >= o.ascii && s.foreign >= o.foreign && s.extra >= o.extra
}

// Bytes returns the length of the message.
func (s Size) Bytes() int { return s.bytes() }

// CostOf estimates the tokens of a message.
func (l Limit) CostOf(s Size) float64 { return l.cost(s.size) }

// Full returns the size of the message about a call that shows everything.
func (v *View) Full(index int) Size { return Size{v.ask(index, math.Inf(1)).full()} }

func (a *ask) full() size {
	sum := a.frame.plus(a.toolsSize(toolsWhole)).plus(a.v.whole.upTo[a.n])
	if a.siblings.bytes() > 0 {
		sum = sum.plus(a.siblings)
	}
	return sum
}

// fit shortens the message about a call, in the named order, until it costs no more
// than room.
func (a *ask) fit() (s Shown) {
	v := a.v
	s = Shown{n: a.n, history: v.whole, siblings: a.siblings.bytes() > 0}
	around := func(how inventory) size {
		sum := a.frame
		if s.siblings {
			sum = sum.plus(a.siblings)
		}
		return sum.plus(a.toolsSize(how))
	}
	s.Full = v.opts.Limit.cost(a.full())
	try := func(how inventory, h *rendering) bool {
		s.tools, s.history = how, h
		a.set(&s, around(how).plus(h.upTo[a.n]))
		return s.Tokens <= a.room
	}
	defer func() {
		s.Shortened.Tools = s.tools > toolsWhole
		s.Shortened.Results = s.cutResults()
		if s.Shortened == (Shortened{}) {
			own := a.frame.plus(a.siblings).minus(size{ascii: 3 * v.markerBytes()}) // three precede the history's end
			s.Prefix = s.Full - v.opts.Limit.cost(own)
		}
	}()
	tooMany := v.opts.MaxRecordBytes > 0 && v.whole.upTo[a.n].bytes() > v.opts.MaxRecordBytes
	switch {
	case tooMany && math.IsInf(a.room, 1):
		a.keep(&s, around(toolsWhole))
		return s
	case !tooMany && (try(toolsWhole, v.whole) || try(toolsBrief, v.whole)):
		return s
	}
	for i := 0; i < len(v.cut) && !tooMany; i++ {
		if try(toolsBrief, v.cut[i]()) {
			return s
		}
	}
	s.history = v.cut[len(v.cut)-1]()
	for s.tools = toolsBrief; s.tools <= toolsNone; s.tools++ {
		s.siblings = s.siblings && s.tools == toolsBrief
		if a.keep(&s, around(s.tools)) {
			return s
		}
	}
	s.TooLong = true
	return s
}

func (a *ask) set(s *Shown, of size) { s.Bytes, s.Tokens = of.bytes(), a.v.opts.Limit.cost(of) }

func (s *Shown) cutResults() int {
	if s.kept == nil {
		return s.history.cuts[s.n]
	}
	cuts := 0
	for _, i := range s.kept {
		cuts += s.history.cuts[i+1] - s.history.cuts[i]
	}
	return cuts
}

// keep chooses the lines that stay where a history is too long: the last message of
// the user, their first, the last lines, and every line that shares an argument value
// with the call, the nearest first, as long as they fit. It is false if the last
// message of the user does not.
func (a *ask) keep(s *Shown, sum size) bool {
	h, o, bounded := s.history, &a.v.opts, !math.IsInf(a.room, 1)
	bytes := cmp.Or(max(0, o.MaxRecordBytes), math.MaxInt)
	defer func() {
		a.set(s, sum)
		s.Bytes += omitted * len(s.kept)
	}()
	s.kept, s.Shortened.Messages = []int{}, true
	if a.n > 0 {
		sum.extra += omitted
	}
	kept := map[int]bool{}
	take := func(i int) bool {
		line := h.size(i)
		more := sum.plus(line)
		if bounded {
			more.extra += omitted
		}
		if kept[i] || line.bytes() > bytes || o.Limit.cost(more) > a.room {
			return kept[i]
		}
		kept[i], bytes, sum = true, bytes-line.bytes(), more
		s.kept = append(s.kept, i)
		return true
	}
	first, last := a.users()
	if last >= 0 && !take(last) && bounded || o.Limit.cost(sum) > a.room {
		if last >= 0 && !kept[last] {
			sum.extra += o.Limit.cost(h.size(last))
		}
		return false
	}
	if first >= 0 {
		take(first)
	}
	for i := a.n - 1; i >= max(0, a.n-o.KeepLast); i-- {
		take(i)
	}
	if texts := argumentTexts(a.c, o.Marker); len(texts) > 0 {
		for i := range a.v.matches().holding(texts, a.n) {
			if !take(i) {
				break // what is nearer goes first, as long as it fits
			}
		}
	}
	slices.Sort(s.kept)
	s.Shortened.Messages = len(s.kept) < a.n
	return true
}

// users returns the first and the last line that the user wrote; -1 for none.
func (a *ask) users() (first, last int) {
	of := func(l Line) bool { return l.Role == string(transcript.User) }
	first = slices.IndexFunc(a.v.lines[:a.n], of)
	for last = a.n - 1; last >= 0 && (first < 0 || !of(a.v.lines[last])); last-- {
	}
	return first, last
}

// Examples returns with how many few-shot examples all calls of the conversation are
// judged under a rubric, whose prompts cost so much without the message, by their
// number: as many as leave room for the longest of them before messages are left out.
func (v *View) Examples(costs []float64, room float64) int {
	n := len(costs) - 1
	if math.IsInf(room, 1) || costs[n]+v.longest() <= room {
		return n
	}
	for longest := v.longestBrief(); n > 0 && costs[n]+longest > room; n-- {
	}
	return n
}

// longestOf is the most that the message about any call costs with these tools and
// results.
func (v *View) longestOf(how inventory, h *rendering) float64 {
	longest := 0.0
	for i := range v.conv.Calls {
		if c := &v.conv.Calls[i]; c.Context || c.Executor == "user" {
			continue // it is not judged
		}
		a := v.ask(i, 0)
		sum := a.frame.plus(a.siblings).plus(a.toolsSize(how)).plus(h.upTo[a.n])
		longest = max(longest, v.opts.Limit.cost(sum))
	}
	return longest
}

// Record returns what a message about a call shows, as values.
func (v *View) Record(index int, s *Shown) *llm.Record {
	r := &llm.Record{Call: callValue(&v.conv.Calls[index], ""), Omitted: s.kept != nil && len(s.kept) < s.n}
	for _, t := range v.ask(index, 0).tools(s.tools) {
		r.Tools = append(r.Tools, t.value)
	}
	for i := range s.Lines() {
		line, _ := v.lines[i].value(v.opts.Marker, s.history.most)
		r.History = append(r.History, line)
	}
	return r
}

func (a *ask) text(s *Shown, e Ending) string {
	v := a.v
	size := 0
	var shown []int
	lines := make([][]byte, len(v.tools))
	for i, t := range a.tools(s.tools) {
		shown, lines[i], size = append(shown, i), t.line, size+len(t.line)
	}
	tools := withGaps(make([]byte, 0, size+64), shown, len(lines), func(i int) []byte { return lines[i] })
	history := s.history.lines[:s.history.upTo[s.n].bytes()]
	if s.kept != nil {
		history = withGaps(nil, s.kept, s.n, s.history.line)
	}
	var siblings []byte
	count := 0
	for _, line := range v.beside(a.index) {
		count++
		siblings = append(siblings, line...)
	}
	if !s.siblings {
		siblings = withGaps(nil, nil, count, nil)
	}
	var b strings.Builder
	b.Grow(len(tools) + len(history) + len(a.call) + len(siblings) + len(e.Before) + 512)
	v.block(&b, "tools", tools)
	v.block(&b, "conversation", history)
	b.WriteString(e.Before)
	if count > 0 {
		v.block(&b, "proposed", siblings)
	}
	v.block(&b, "call", a.call)
	b.WriteString(cmp.Or(e.Closing, closingLine))
	return b.String()
}

// withGaps appends those of n lines that are kept, and a line such as "[4-15] omitted" for
// each gap between them.
func withGaps(dst []byte, kept []int, n int, line func(int) []byte) []byte {
	next := 0
	gap := func(to int) {
		if to == next {
			return
		}
		dst = strconv.AppendInt(append(dst, '['), int64(next+1), 10)
		if to > next+1 {
			dst = strconv.AppendInt(append(dst, '-'), int64(to), 10)
		}
		dst = append(dst, "] omitted\n"...)
	}
	for _, i := range kept {
		gap(i)
		dst, next = append(dst, line(i)...), i+1
	}
	gap(n)
	return dst
}

func (v *View) block(b *strings.Builder, name string, lines []byte) {
	b.WriteString("<<<RECORD " + v.nonce + " " + name + ">>>\n")
	b.Write(lines)
	b.WriteString("<<<END " + v.nonce + " " + name + ">>>\n")
}

// maxTexts bounds the argument values that are looked for in a long history.
const maxTexts = 64

// argumentTexts returns the scalar arguments that are specific enough to look for:
// texts of three characters, as arguments and as prose have them, and numbers of two
// digits.
func argumentTexts(c *transcript.Call, marker string) [][]byte {
	var out [][]byte
	for _, v := range c.Arguments.Leaves() {
		switch {
		case len(out) >= maxTexts:
			return out
		case v.Kind() == value.String && utf8.RuneCountInString(v.Text()) >= 3:
			for _, form := range slices.Compact([]string{v.Text(), mark(v.Text(), marker)}) {
				quoted := appendSafe(nil, value.OfString(form))
				out = append(out, quoted[1:len(quoted)-1])
			}
		case v.IsNumber() && len(v.Text()) >= 2:
			out = append(out, []byte(v.Text()))
		}
	}
	return out
}
