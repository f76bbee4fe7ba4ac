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
	"github.com/judgekit/judge/judges/internal/window"
)

// render renders the history as lines, "[k] {json}\n" each, with tool results of at most so
// many characters; 0 cuts none.
func (v *View) render(most int) *window.History {
	n := len(v.lines)
	h := &window.History{MaxResult: most, UpTo: make([]window.Size, n+1), Cuts: make([]int, n+1)}
	for i := range v.lines {
		h.Text = strconv.AppendInt(append(h.Text, '['), int64(i+1), 10)
		line, cut := v.lines[i].value(v.opts.Marker, most)
		h.Text = append(appendSafe(append(h.Text, "] "...), line), '\n')
		h.UpTo[i+1] = h.UpTo[i].Plus(window.SizeOf(h.Text[h.UpTo[i].Bytes():]))
		h.Cuts[i+1] = h.Cuts[i]
		if cut {
			h.Cuts[i+1]++
		}
	}
	return h
}

// record returns what can be shown about a call, and the call as a line.
func (v *View) record(index int) (*window.Record, []byte) {
	c, t := &v.conv.Calls[index], v.turn(index)
	call := callLine(c, "")
	marker := 32 + len(v.nonce) // bounds the bytes of a marker line
	r := &window.Record{
		Frame: window.SizeOf(call).Plus(window.SizeOf(closingLine)).
			Plus(window.Size{ASCII: 6 * marker, Extra: window.MessageTokens}),
		Markers: window.Size{ASCII: 3 * marker}, Siblings: t.size, Lines: v.lineCount(c),
		Whole: v.whole, Cut: v.cut[:], KeepLast: v.opts.KeepLast, MaxBytes: v.opts.MaxRecordBytes,
	}
	if own := slices.Index(t.calls, index); own >= 0 {
		r.Siblings = r.Siblings.Minus(window.SizeOf(t.lines[own]))
	}
	byUser := func(l Line) bool { return l.Role == string(transcript.User) }
	r.FirstUser = slices.IndexFunc(v.lines[:r.Lines], byUser)
	for r.LastUser = r.Lines - 1; r.LastUser >= 0 && (r.FirstUser < 0 || !byUser(v.lines[r.LastUser])); r.LastUser-- {
	}
	r.Tools = func(how window.Inventory) (sum window.Size) {
		if how >= window.ToolsOwn && len(v.tools) > 0 {
			sum.Extra = 2 * window.Gap // around the called tool
		}
		for _, t := range v.shownTools(index, how) {
			sum = sum.Plus(t.size)
		}
		return sum
	}
	r.Related = func() iter.Seq[int] {
		texts := argumentTexts(c, v.opts.Marker)
		if len(texts) == 0 {
			return func(func(int) bool) {}
		}
		return v.matches().holding(texts, r.Lines)
	}
	return r, call
}

// shownTools yields the tools that an inventory about a call shows, by number, as it shows
// them.
func (v *View) shownTools(index int, how window.Inventory) iter.Seq2[int, *rendered] {
	c := &v.conv.Calls[index]
	called, n := v.turn(index).names, v.lineCount(c)
	return func(yield func(int, *rendered) bool) {
		for i := range v.tools {
			t, shown := &v.tools[i], &v.tools[i].full
			own := t.name == c.Name
			switch {
			case how == window.ToolsBrief && t.first >= n && !own && !called[t.name], how == window.ToolsOwn && own:
				shown = &t.brief
			case how >= window.ToolsOwn:
				continue
			}
			if !yield(i, shown) {
				return
			}
		}
	}
}

// Show renders the live message for a call, by its index in the conversation, in so
// many tokens by estimate, with a frame's ending, whose cost is not part of the room. What
// does not fit is shortened.
func (v *View) Show(index int, room float64, e Ending) window.Shown {
	r, call := v.record(index)
	s := v.opts.Limit.Fit(r, room)
	s.Text = v.text(index, call, &s, e)
	return s
}

// Measure is Show without the text.
func (v *View) Measure(index int, room float64) window.Shown {
	r, _ := v.record(index)
	return v.opts.Limit.Fit(r, room)
}

// Full returns the size of the message about a call that shows everything.
func (v *View) Full(index int) window.Size {
	r, _ := v.record(index)
	return r.Everything()
}

// Examples returns the number of few-shot examples with which all calls of the conversation
// are judged under a rubric: they leave room for the longest message before lines of the
// history are left out. costs[n] is what a prompt with n examples costs without the message.
func (v *View) Examples(costs []float64, room float64) int {
	n := len(costs) - 1
	if math.IsInf(room, 1) || costs[n]+v.longest() <= room {
		return n
	}
	for longest := v.longestBrief(); n > 0 && costs[n]+longest > room; n-- {
	}
	return n
}

// longestOf returns the most that the message about any call costs with these tools and
// results.
func (v *View) longestOf(how window.Inventory, h *window.History) float64 {
	longest := 0.0
	for i := range v.conv.Calls {
		if c := &v.conv.Calls[i]; c.Context || c.Executor == "user" {
			continue // it is not judged
		}
		r, _ := v.record(i)
		sum := r.Frame.Plus(r.Siblings).Plus(r.Tools(how)).Plus(h.UpTo[r.Lines])
		longest = max(longest, v.opts.Limit.Cost(sum))
	}
	return longest
}

// Record returns what a message about a call shows, as values.
func (v *View) Record(index int, s *window.Shown) *llm.Record {
	r := &llm.Record{Call: callValue(&v.conv.Calls[index], ""), Omitted: s.Kept != nil && len(s.Kept) < s.Lines}
	for _, t := range v.shownTools(index, s.Tools) {
		r.Tools = append(r.Tools, t.value)
	}
	for i := range s.Seen() {
		line, _ := v.lines[i].value(v.opts.Marker, s.History.MaxResult)
		r.History = append(r.History, line)
	}
	return r
}

// text renders the message about a call as a choice shows it.
func (v *View) text(index int, call []byte, s *window.Shown, e Ending) string {
	size := 0
	var shown []int
	lines := make([][]byte, len(v.tools))
	for i, t := range v.shownTools(index, s.Tools) {
		shown, lines[i], size = append(shown, i), t.line, size+len(t.line)
	}
	tools := withGaps(make([]byte, 0, size+64), shown, len(lines), func(i int) []byte { return lines[i] })
	history := s.History.Text[:s.History.UpTo[s.Lines].Bytes()]
	if s.Kept != nil {
		history = withGaps(nil, s.Kept, s.Lines, s.History.Line)
	}
	var siblings []byte
	count := 0
	for _, line := range v.beside(index) {
		count++
		siblings = append(siblings, line...)
	}
	if !s.Siblings {
		siblings = withGaps(nil, nil, count, nil)
	}
	var b strings.Builder
	b.Grow(len(tools) + len(history) + len(call) + len(siblings) + len(e.Before) + 512)
	v.block(&b, "tools", tools)
	v.block(&b, "conversation", history)
	b.WriteString(e.Before)
	if count > 0 {
		v.block(&b, "proposed", siblings)
	}
	v.block(&b, "call", call)
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
