package prompt

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
)

// How the inventory is shown, each shorter than the one before.
type inventory int

const (
	toolsWhole inventory = iota
	toolsBrief           // a tool that was not called so far is its signature
	toolsOwn             // only the signature of the called tool
	toolsNone
)

// omittedCost bounds the tokens of one "[4-15] omitted" line.
const omittedCost = 16

// layout says how the message about one call is written.
type layout struct {
	n       int // history lines that the call sees
	tools   inventory
	history *rendering
	// kept are the lines that stay, in order; nil where all do.
	kept     []int
	omits    bool
	siblings bool
	// cost is the message's tokens by estimate, full that of the message with everything.
	// tooLong says that even the call, the last user message and the rubric have no room.
	cost, full float64
	tooLong    bool
}

// measure is a call with what its message holds in any case.
type measure struct {
	v        *View
	c        *transcript.Call
	n        int
	call     []byte
	siblings []byte
	beside   map[string]bool // names of the call and those beside it
	// frame is what call, markers and closing line cost.
	frame, siblingsCost, room float64
}

func (v *View) measure(index int, room float64) *measure {
	c := &v.conv.Calls[index]
	m := &measure{v: v, c: c, n: v.lineCount(c), room: room, beside: map[string]bool{c.Name: true}}
	m.call = append(appendCall(nil, c, ""), '\n')
	for _, o := range v.beside(c) {
		m.siblings = append(appendCall(m.siblings, o.call, o.status), '\n')
		m.beside[o.call.Name] = true
	}
	m.siblingsCost = v.opts.Limit.Cost(string(m.siblings))
	m.frame = v.opts.Limit.Cost(string(m.call)) + v.opts.Limit.Cost(closingLine) + 6*v.opts.Limit.Tokenise(32+len(v.nonce), 0) + messageTokens
	return m
}

// shows reports how a tool stands in an inventory.
func (m *measure) shows(t *toolLine, how inventory) (shown, brief bool) {
	switch how {
	case toolsWhole:
		return true, false
	case toolsBrief:
		return true, t.first >= m.n && !m.beside[t.name]
	case toolsOwn:
		return t.name == m.c.Name, true
	}
	return false, false
}

func (m *measure) toolsCost(how inventory) float64 {
	sum := 0.0
	if how >= toolsOwn && len(m.v.tools) > 0 {
		sum = 2 * omittedCost // the gaps before and behind the called tool
	}
	for i := range m.v.tools {
		t := &m.v.tools[i]
		switch shown, brief := m.shows(t, how); {
		case shown && brief:
			sum += t.briefCost
		case shown:
			sum += t.fullCost
		}
	}
	return sum
}

// layout shortens the message about a call, in the named order, until it costs no more
// than room.
func (v *View) layout(index int, room float64) layout {
	m := v.measure(index, room)
	siblings := m.siblingsCost
	l := layout{n: m.n, history: v.whole, siblings: len(m.siblings) > 0}
	l.full = m.frame + siblings + m.toolsCost(toolsWhole) + v.whole.cost[m.n]
	try := func(how inventory, h *rendering) bool {
		l.tools, l.history = how, h
		l.cost = m.frame + siblings + m.toolsCost(how) + h.cost[m.n]
		return l.cost <= room
	}
	tooMany := v.opts.MaxRecordBytes > 0 && v.whole.end[m.n] > v.opts.MaxRecordBytes
	if !tooMany {
		if try(toolsWhole, v.whole) || try(toolsBrief, v.whole) {
			return l
		}
		for i := range v.cut {
			if try(toolsBrief, v.cut[i]()) {
				return l
			}
		}
	} else if math.IsInf(room, 1) {
		m.keep(&l, m.frame+siblings+m.toolsCost(toolsWhole))
		return l
	}
	l.history = v.cut[len(v.cut)-1]()
	for l.tools = toolsBrief; l.tools <= toolsNone; l.tools++ {
		if l.tools > toolsBrief {
			l.siblings, siblings = false, 0
		}
		if m.keep(&l, m.frame+siblings+m.toolsCost(l.tools)) {
			return l
		}
	}
	l.tooLong = true
	return l
}

// keep chooses the lines that stay where a history is too long: the last message of
// the user, their first, the last lines, and every line that shares an argument value
// with the call, the nearest first, as long as they fit. It is false where the last
// message of the user does not.
func (m *measure) keep(l *layout, cost float64) bool {
	h, o := l.history, &m.v.opts
	bytes := math.MaxInt
	if o.MaxRecordBytes > 0 {
		bytes = o.MaxRecordBytes
	}
	l.cost, l.kept, l.omits = cost, []int{}, true
	if m.n > 0 {
		l.cost += omittedCost
	}
	kept := map[int]bool{}
	take := func(i int) bool {
		if kept[i] {
			return true
		}
		size, more := len(h.line(i)), h.lineCost(i)+omittedCost
		if math.IsInf(m.room, 1) {
			more = h.lineCost(i)
		}
		if size > bytes || l.cost+more > m.room {
			return false
		}
		kept[i], bytes, l.cost = true, bytes-size, l.cost+more
		l.kept = append(l.kept, i)
		return true
	}
	first, last := m.v.users(m.n)
	if last >= 0 && !take(last) && !math.IsInf(m.room, 1) || l.cost > m.room {
		if last >= 0 && !kept[last] {
			l.cost += h.lineCost(last)
		}
		return false
	}
	if first >= 0 {
		take(first)
	}
	for i := m.n - 1; i >= max(0, m.n-o.KeepLast); i-- {
		take(i)
	}
	if texts := argumentLeaves(m.c, o.Marker); len(texts) > 0 {
		for i := range m.v.matches().holding(texts, m.n) {
			if !take(i) {
				break // what is nearer goes first, as long as it fits
			}
		}
	}
	slices.Sort(l.kept)
	l.omits = len(l.kept) < m.n
	return true
}

// users returns the first and the last of the first n lines that the user wrote; -1
// for none.
func (v *View) users(n int) (first, last int) {
	at := func(i int) bool { return v.turns[i].role == string(transcript.User) }
	first, last = -1, -1
	for i := range n {
		if at(i) {
			first = i
			break
		}
	}
	for i := n - 1; i >= 0 && first >= 0; i-- {
		if at(i) {
			last = i
			break
		}
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
		m := v.measure(i, 0)
		longest = max(longest, m.frame+m.siblingsCost+m.toolsCost(how)+h.cost[m.n])
	}
	return longest
}

// Shown is the live message about one call, and what it shows of the record.
type Shown struct {
	Text string
	// Tokens is the message's size by estimate, Full that of one with everything.
	Tokens, Full float64
	// BriefTools says that tools are shown by their signature only or not at all,
	// CutResults how many tool results are cut, Truncated that lines of the history were
	// left out. TooLong says that the message does not fit whatever is left out.
	BriefTools, Truncated, TooLong bool
	CutResults                     int
	n                              int
	kept                           []int // nil: all of the first n lines
}

// Lines yields the numbers of the history lines that the message shows, from 0.
func (s *Shown) Lines() iter.Seq[int] {
	return func(yield func(int) bool) {
		if s.kept != nil {
			for _, i := range s.kept {
				if !yield(i) {
					return
				}
			}
			return
		}
		for i := range s.n {
			if !yield(i) {
				return
			}
		}
	}
}

// Show renders the live message for a call, by its index in the conversation, in so
// many tokens by estimate.
func (v *View) Show(index int, room float64) Shown {
	l := v.layout(index, room)
	out := v.shown(&l)
	out.Text = v.text(v.measure(index, room), &l)
	return out
}

// Measure is Show without the text, but for its size in bytes.
func (v *View) Measure(index int, room float64) (_ Shown, bytes int) {
	l := v.layout(index, room)
	m := v.measure(index, room)
	bytes = len(m.call) + len(m.siblings) + l.history.end[m.n] + 6*(32+len(v.nonce)) + len(closingLine)
	for i := range v.tools {
		switch shown, brief := m.shows(&v.tools[i], l.tools); {
		case shown && brief:
			bytes += len(v.tools[i].brief)
		case shown:
			bytes += len(v.tools[i].full)
		}
	}
	if l.kept != nil {
		bytes -= l.history.end[m.n]
		for _, i := range l.kept {
			bytes += len(l.history.line(i)) + omittedCost
		}
	}
	return v.shown(&l), bytes
}

func (v *View) shown(l *layout) Shown {
	s := Shown{Tokens: l.cost, Full: l.full, BriefTools: l.tools > toolsWhole, Truncated: l.omits, TooLong: l.tooLong, n: l.n, kept: l.kept}
	if l.kept == nil {
		s.CutResults = l.history.cuts[l.n]
	}
	for _, i := range l.kept {
		s.CutResults += l.history.cuts[i+1] - l.history.cuts[i]
	}
	return s
}

// text writes the message about a call.
func (v *View) text(m *measure, l *layout) string {
	size := 0
	for i := range v.tools {
		size += len(v.tools[i].full)
	}
	tools, gap := make([]byte, 0, size), 0
	for i := range v.tools {
		shown, brief := m.shows(&v.tools[i], l.tools)
		if !shown {
			continue
		}
		if i > gap {
			tools = appendOmitted(tools, gap, i)
		}
		line := v.tools[i].full
		if brief {
			line = v.tools[i].brief
		}
		tools, gap = append(tools, line...), i+1
	}
	if gap < len(v.tools) {
		tools = appendOmitted(tools, gap, len(v.tools))
	}
	history := l.history.lines[:l.history.end[l.n]]
	if l.kept != nil {
		history = l.history.only(l.kept, l.n)
	}
	var b strings.Builder
	b.Grow(len(tools) + len(history) + len(m.call) + len(m.siblings) + 512)
	v.block(&b, "tools", tools)
	v.block(&b, "conversation", history)
	switch {
	case l.siblings:
		v.block(&b, "proposed", m.siblings)
	case len(m.siblings) > 0:
		v.block(&b, "proposed", appendOmitted(nil, 0, len(v.beside(m.c))))
	}
	v.block(&b, "call", m.call)
	b.WriteString(closingLine)
	return b.String()
}

// only returns the kept of the first n lines, and a line for each gap.
func (r *rendering) only(kept []int, n int) []byte {
	var out []byte
	next := 0
	for _, i := range kept {
		if i > next {
			out = appendOmitted(out, next, i)
		}
		out, next = append(out, r.line(i)...), i+1
	}
	if next < n {
		out = appendOmitted(out, next, n)
	}
	return out
}

// block wraps lines into the markers of a named block.
func (v *View) block(b *strings.Builder, name string, lines []byte) {
	b.WriteString("<<<RECORD " + v.nonce + " " + name + ">>>\n")
	b.Write(lines)
	b.WriteString("<<<END " + v.nonce + " " + name + ">>>\n")
}
