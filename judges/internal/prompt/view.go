package prompt

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"index/suffixarray"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// nonceLength is the number of hex digits in a block marker. A marker has more digits if the data
// contains the first ones.
const nonceLength = 12

// View is one conversation, rendered once for all its calls and rubrics. History lines are
// append-only: a call sees a prefix of what later calls see, unless the history is shortened. A
// View is immutable and safe for concurrent use.
type View struct {
	conv  *transcript.Conversation
	nonce string
	tools []toolLine
	lines []Line
	// visible[m] is the number of lines that a call of message m sees, turns[m] what is shown
	// beside the call.
	visible []int
	turns   map[int]*turn
	// starts[m] is the number of lines before message m; spans holds the turns.
	starts []int
	spans  []Turn
	opts   Options
	// expected holds the expected calls and answers, one per line.
	expected []byte
	// Redacted counts the matches that were redacted.
	Redacted int
	// whole holds the lines in full, cut holds them with shorter tool results.
	whole *window.History
	cut   [len(window.ResultSteps)]func() *window.History
	// matches finds the lines that contain a text.
	matches func() *lineIndex
	// longest returns, by scope, the highest cost of a message about any target; longestBrief the
	// same with tools and results as short as possible.
	longest, longestBrief map[rubrics.Scope]func() float64
}

// turn holds what is shown beside the calls of one message: earlier calls that have no result yet,
// and the message's other calls.
type turn struct {
	calls []int
	lines [][]byte
	names map[string]bool // names of the called tools
	size  window.Size     // of all lines
}

var alone = &turn{}

// NewView renders a conversation. The conversation must not change while the view is used.
func NewView(conv *transcript.Conversation, o Options) *View {
	o = o.withDefaults()
	conv, replaced := o.Redact.apply(conv)
	v := &View{conv: conv, opts: o, Redacted: replaced, spans: Turns(conv)}
	v.expected = v.expectedLines()
	v.buildLines()
	v.buildTurns()
	v.whole = v.render(0)
	for i, most := range window.ResultSteps {
		v.cut[i] = sync.OnceValue(func() *window.History { return v.render(most) })
	}
	v.matches = sync.OnceValue(func() *lineIndex {
		return &lineIndex{of: v.whole, text: suffixarray.New(v.whole.Text), lines: map[string][]int{}}
	})
	v.longest, v.longestBrief = map[rubrics.Scope]func() float64{}, map[rubrics.Scope]func() float64{}
	for _, s := range rubrics.Scopes() {
		v.longest[s] = sync.OnceValue(func() float64 { return v.longestOf(s, window.ToolsWhole, v.whole) })
		v.longestBrief[s] = sync.OnceValue(func() float64 {
			return v.longestOf(s, window.ToolsBrief, v.cut[len(v.cut)-1]())
		})
	}
	for i := range conv.Tools {
		l := v.newToolLine(&conv.Tools[i])
		if at := slices.IndexFunc(v.lines, func(h Line) bool { return h.Role == "tool" && h.Tool == l.name }); at >= 0 {
			l.first = at
		}
		v.tools = append(v.tools, l)
	}
	if v.nonce = o.code; v.nonce == "" {
		v.nonce = nonceOf(o.RunKey, v.holds)
	}
	return v
}

// nonceOf returns the first digits of HMAC-SHA-256(key) that the data does not contain. With the
// key a replay finds them again; without it nobody can write a marker into a log. They are the same
// for all conversations of a run, so that prompts share the tools as a prefix.
func nonceOf(key []byte, holds func(string) bool) string {
	mac := hmac.New(sha256.New, key)
	sum := mac.Sum(nil)
	for {
		digits := hex.EncodeToString(sum)
		for n := nonceLength; n <= len(digits); n++ {
			if !holds(digits[:n]) {
				return digits[:n]
			}
		}
		mac.Reset()
		mac.Write(sum)
		sum = mac.Sum(nil)
	}
}

func (v *View) holds(s string) bool {
	needle := []byte(s)
	return bytes.Contains(v.whole.Text, needle) || bytes.Contains(v.expected, needle) ||
		slices.ContainsFunc(v.tools, func(t toolLine) bool { return bytes.Contains(t.full.line, needle) }) ||
		slices.ContainsFunc(v.conv.Calls, func(c transcript.Call) bool {
			return strings.Contains(c.RawArguments, s) || strings.Contains(c.Name, s)
		})
}

// Nonce returns the code in the record's markers.
func (v *View) Nonce() string { return v.nonce }

// Conversation returns the redacted conversation.
func (v *View) Conversation() *transcript.Conversation { return v.conv }

// Unmark replaces the marker by a blank in text that a judge copied from the record.
func (v *View) Unmark(s string) string { return v.opts.unmark(s) }

// Lines returns the history.
func (v *View) Lines() []Line { return v.lines }

// Tools returns the whole inventory, one tool per line.
func (v *View) Tools() string {
	var b strings.Builder
	for i := range v.tools {
		b.Write(v.tools[i].full.line)
	}
	return b.String()
}

// Opening returns a hash and the tokens of what comes before the user's first message: the tools
// and the system prompt, which many conversations share.
func (v *View) Opening() (key [sha256.Size]byte, tokens float64) {
	h := sha256.New()
	user := slices.IndexFunc(v.lines, func(l Line) bool { return l.Role == string(transcript.User) })
	sum := v.whole.UpTo[max(0, user)]
	h.Write(v.whole.Text[:sum.Bytes()])
	for i := range v.tools {
		h.Write(v.tools[i].full.line)
		sum = sum.Plus(v.tools[i].full.size)
	}
	h.Sum(key[:0])
	return key, v.opts.Limit.Cost(sum)
}

// Call returns the call of a target as its message shows it, with the calls beside it; "" if the
// target is not a call.
func (v *View) Call(t Target) string {
	if !t.HasCall() {
		return ""
	}
	out := bytes.TrimSuffix(callLine(&v.conv.Calls[t.Call], ""), []byte{'\n'})
	for _, line := range v.beside(t.Call) {
		out = append(out, line...)
	}
	return string(out)
}

// CallTexts returns the names and arguments of a call and of the calls beside it as they are in the
// log, without the escapes of a prompt.
func (v *View) CallTexts(t Target) []string {
	if !t.HasCall() {
		return nil
	}
	c := &v.conv.Calls[t.Call]
	out := []string{c.Name, arguments(c)}
	for i := range v.beside(t.Call) {
		out = append(out, v.conv.Calls[i].Name, arguments(&v.conv.Calls[i]))
	}
	return out
}

// buildLines orders the lines to show. A message of the agent contributes its text. Its calls
// appear with their results, or after the text if they have none.
func (v *View) buildLines() {
	v.visible, v.starts = make([]int, len(v.conv.Messages)), make([]int, len(v.conv.Messages)+1)
	for m := range v.conv.Messages {
		msg := &v.conv.Messages[m]
		v.starts[m] = len(v.lines)
		if msg.Role == transcript.ToolRole {
			v.visible[m] = len(v.lines)
			v.lines = append(v.lines, v.resultLine(msg))
			continue
		}
		if msg.Content != "" || len(msg.Calls) == 0 {
			v.lines = append(v.lines, Line{Role: string(msg.Role), content: msg.Content})
		}
		// The calls of this message see its text but not each other's results.
		v.visible[m] = len(v.lines)
		for _, c := range msg.Calls {
			if call := v.callAt(c); call != nil && call.Result < 0 {
				v.lines = append(v.lines, unansweredLine(call))
			}
		}
	}
	v.starts[len(v.conv.Messages)] = len(v.lines)
}

func (v *View) callAt(i int) *transcript.Call {
	if i < 0 || i >= len(v.conv.Calls) {
		return nil
	}
	return &v.conv.Calls[i]
}

// buildTurns renders what is shown beside calls, once per message.
func (v *View) buildTurns() {
	v.turns = map[int]*turn{}
	pending := []int{} // calls of earlier messages that have no result yet
	for m := range v.conv.Messages {
		calls := v.conv.Messages[m].Calls
		if len(calls) == 0 {
			continue
		}
		pending = slices.DeleteFunc(pending, func(i int) bool { return v.conv.Calls[i].Result <= m })
		if len(pending)+len(calls) > 1 {
			t := &turn{names: map[string]bool{}}
			for _, i := range pending {
				t.add(v.conv, i, "pending")
			}
			for _, i := range calls {
				if v.callAt(i) != nil {
					t.add(v.conv, i, "proposed")
				}
			}
			v.turns[m] = t
		}
		for _, i := range calls {
			if c := v.callAt(i); c != nil && c.Result > m {
				pending = append(pending, i)
			}
		}
	}
}

func (t *turn) add(conv *transcript.Conversation, call int, status string) {
	line := callLine(&conv.Calls[call], status)
	t.calls, t.lines = append(t.calls, call), append(t.lines, line)
	t.names[conv.Calls[call].Name] = true
	t.size = t.size.Plus(window.SizeOf(line))
}

// turn returns what is shown beside a call, including the call itself.
func (v *View) turn(index int) *turn {
	if t := v.turns[v.conv.Calls[index].Message]; t != nil {
		return t
	}
	return alone
}

// beside yields the calls that are shown beside a call, with their lines.
func (v *View) beside(index int) iter.Seq2[int, []byte] {
	t := v.turn(index)
	return func(yield func(int, []byte) bool) {
		for k, i := range t.calls {
			if i != index && !yield(i, t.lines[k]) {
				return
			}
		}
	}
}

func (v *View) lineCount(c *transcript.Call) int {
	if c.Message < 0 || c.Message >= len(v.visible) {
		return 0
	}
	return v.visible[c.Message]
}

// lineIndex finds the lines that contain a text.
type lineIndex struct {
	of   *window.History
	text *suffixarray.Index

	mu    sync.Mutex
	lines map[string][]int // lines with a text, in order
}

// holding yields those of the first n lines that contain any of the texts, last first. It searches
// only as far as the caller reads: many calls may share a value with all the others.
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
			i, found := slices.BinarySearchFunc(x.of.UpTo, at, func(s window.Size, at int) int { return s.Bytes() - at })
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
