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
	"github.com/judgekit/judge/rubrics"
)

// render renders the history as lines "[k] {json}\n". Tool results are cut to most characters; 0
// cuts none.
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

// record returns what can be shown about a target, and its call as a line; nil if the target is not
// a call.
func (v *View) record(t Target) (*window.Record, []byte) {
	history, end := v.extent(t)
	marker := 32 + len(v.nonce) // an upper bound for a marker line, in bytes
	r := &window.Record{
		Frame: window.SizeOf(closingLine(t.scope())).
			Plus(window.Size{ASCII: 6 * marker, Extra: window.MessageTokens}),
		Markers: window.Size{ASCII: 3 * marker}, Before: history, Lines: end, Segmented: !t.HasCall(),
		Whole: v.whole, Cut: v.cut[:], KeepLast: v.opts.KeepLast, MaxBytes: v.opts.MaxRecordBytes,
	}
	var call []byte
	if t.HasCall() {
		call = callLine(&v.conv.Calls[t.Call], "")
		beside := v.turn(t.Call)
		r.Frame, r.Siblings = r.Frame.Plus(window.SizeOf(call)), beside.size
		if own := slices.Index(beside.calls, t.Call); own >= 0 {
			r.Siblings = r.Siblings.Minus(window.SizeOf(beside.lines[own]))
		}
	}
	if history < end {
		r.Frame.ASCII += 2 * marker
	}
	byUser := func(l Line) bool { return l.Role == string(transcript.User) }
	r.FirstUser = slices.IndexFunc(v.lines[:history], byUser)
	lastUser := history - 1
	for ; lastUser >= 0 && !byUser(v.lines[lastUser]); lastUser-- {
	}
	r.Must = v.must(t, history, end, lastUser)
	r.Tools = func(how window.Inventory) (sum window.Size) {
		if how >= window.ToolsOwn && len(v.tools) > 0 {
			sum.Extra = 2 * window.Gap // a gap before and after the called tool
		}
		for _, tool := range v.shownTools(t, how) {
			sum = sum.Plus(tool.size)
		}
		return sum
	}
	r.Related = func() iter.Seq[int] {
		var texts [][]byte
		if t.HasCall() {
			texts = argumentTexts(&v.conv.Calls[t.Call], v.opts.Marker)
		}
		if len(texts) == 0 {
			return func(func(int) bool) {}
		}
		return v.matches().holding(texts, history)
	}
	return r, call
}

// shownTools yields the tools that an inventory shows for a target, each with its index.
func (v *View) shownTools(target Target, how window.Inventory) iter.Seq2[int, *rendered] {
	_, n := v.extent(target)
	name, called := "", alone.names
	if target.HasCall() {
		name, called = v.conv.Calls[target.Call].Name, v.turn(target.Call).names
	}
	return func(yield func(int, *rendered) bool) {
		for i := range v.tools {
			t, shown := &v.tools[i], &v.tools[i].full
			own := target.HasCall() && t.name == name
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

// Show renders the last message of a prompt, about a target. By estimate it costs at most room
// tokens, besides the frame's ending; what does not fit is shortened.
func (v *View) Show(t Target, room float64, e Ending) window.Shown {
	r, call := v.record(t)
	s := v.opts.Limit.Fit(r, room)
	s.Text = v.text(t, call, r.Before, &s, e)
	return s
}

// Measure is like Show, without the text.
func (v *View) Measure(t Target, room float64) window.Shown {
	r, _ := v.record(t)
	return v.opts.Limit.Fit(r, room)
}

// Full returns the size of a message about the target that leaves nothing out.
func (v *View) Full(t Target) window.Size {
	r, _ := v.record(t)
	return r.Everything()
}

// Examples returns the number of few-shot examples for all targets of a scope under a rubric. It is
// chosen so that the longest message has room without leaving out lines of the history. costs[n] is
// the cost of a prompt with n examples, without the message.
func (v *View) Examples(scope rubrics.Scope, costs []float64, room float64) int {
	scope = cmp.Or(scope, rubrics.ScopeCall)
	n := len(costs) - 1
	if math.IsInf(room, 1) || costs[n]+v.longest[scope]() <= room {
		return n
	}
	for longest := v.longestBrief[scope](); n > 0 && costs[n]+longest > room; n-- {
	}
	return n
}

// longestOf returns the highest cost of a message about any target of a scope, with these tools and
// results.
func (v *View) longestOf(scope rubrics.Scope, how window.Inventory, h *window.History) float64 {
	longest := 0.0
	for _, t := range Targets(v.conv, scope) {
		r, _ := v.record(t)
		sum := r.Frame.Plus(r.Siblings).Plus(r.Tools(how)).Plus(h.UpTo[r.Lines])
		longest = max(longest, v.opts.Limit.Cost(sum))
	}
	return longest
}

// Record returns, as values, what a message about a call shows.
func (v *View) Record(t Target, s *window.Shown) *llm.Record {
	r := &llm.Record{Call: callValue(&v.conv.Calls[t.Call], ""), Omitted: s.Kept != nil && len(s.Kept) < s.Lines}
	for _, tool := range v.shownTools(t, s.Tools) {
		r.Tools = append(r.Tools, tool.value)
	}
	for i := range s.Seen() {
		line, _ := v.lines[i].value(v.opts.Marker, s.History.MaxResult)
		r.History = append(r.History, line)
	}
	return r
}

// text renders the message about a target with a given choice of lines. The first history lines are
// the history; the others follow the call, or are the turn.
func (v *View) text(t Target, call []byte, history int, s *window.Shown, e Ending) string {
	size := 0
	var shown []int
	lines := make([][]byte, len(v.tools))
	for i, t := range v.shownTools(t, s.Tools) {
		shown, lines[i], size = append(shown, i), t.line, size+len(t.line)
	}
	tools := withGaps(make([]byte, 0, size+64), shown, 0, len(lines), func(i int) []byte { return lines[i] })
	before, after := linesOf(s, 0, history), linesOf(s, history, s.Lines)
	var b strings.Builder
	b.Grow(len(tools) + len(before) + len(after) + len(call) + len(e.Before) + 1024)
	v.block(&b, "tools", tools)
	v.block(&b, "conversation", before)
	b.WriteString(e.Before)
	if call != nil {
		v.callBlocks(&b, t.Call, call, s.Siblings)
	}
	if name := map[bool]string{true: "result", false: "turn"}[t.HasCall()]; history < s.Lines {
		v.block(&b, name, after)
	}
	if s.Parts > 0 {
		b.WriteString(partText(t.scope(), s.Part, s.Parts))
	}
	b.WriteString(cmp.Or(e.Closing, closingLine(t.scope())))
	return b.String()
}

// callBlocks writes a call, and before it the calls beside it.
func (v *View) callBlocks(b *strings.Builder, index int, call []byte, shown bool) {
	var siblings []byte
	count := 0
	for _, line := range v.beside(index) {
		count++
		siblings = append(siblings, line...)
	}
	if !shown {
		siblings = withGaps(nil, nil, 0, count, nil)
	}
	if count > 0 {
		v.block(b, "proposed", siblings)
	}
	v.block(b, "call", call)
}

// linesOf returns the chosen lines between two indexes, with their gaps.
func linesOf(s *window.Shown, from, to int) []byte {
	if s.Kept == nil {
		return s.History.Text[s.History.UpTo[from].Bytes():s.History.UpTo[to].Bytes()]
	}
	first, _ := slices.BinarySearch(s.Kept, from)
	end, _ := slices.BinarySearch(s.Kept, to)
	return withGaps(nil, s.Kept[first:end], from, to, s.History.Line)
}

// withGaps appends the kept lines between two indexes, and a line such as "[4-15] omitted" for each
// gap.
func withGaps(dst []byte, kept []int, from, n int, line func(int) []byte) []byte {
	next := from
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

// maxTexts limits how many argument values are searched for in a long history.
const maxTexts = 64

// argumentTexts returns the scalar arguments that are specific enough to search for: texts with at
// least three characters, as arguments and as prose write them, and numbers with at least two
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
