package prompt

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// nonceLength is the number of hex digits in a block marker, as long as the data
// does not hold them.
const nonceLength = 12

// closingLine ends every live message.
const closingLine = "Grade this one call. Answer with the JSON object only."

// View is one conversation rendered once for all its calls and rubrics. History
// lines are append-only: what a call sees is a prefix of what later calls see.
// A View is immutable.
type View struct {
	conv  *transcript.Conversation
	nonce string
	tools []byte // the whole inventory block with its markers
	lines []byte // all history lines, "[k] {json}\n" each
	items []viewLine
	// visible[m] is how many lines a call made by message m sees.
	visible []int
	opts    Options
	// Redacted is how many matches of the redaction's patterns were replaced.
	Redacted int
	// late says that some result stands behind a later turn of the agent.
	late bool
}

type viewLine struct {
	end  int // offset behind the line in lines
	turn turn
	user bool
}

// nonceOf returns the first digits of HMAC-SHA-256(key, id) that do not occur in
// the data: with the key a replay finds them again, without it nobody can write a
// marker into a log.
func nonceOf(key []byte, id string, holds func(string) bool) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id))
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

// NewView renders a conversation. It must not change as long as the view is used.
func NewView(conv *transcript.Conversation, o Options) *View {
	o = o.withDefaults()
	conv, replaced := o.Redact.Conversation(conv)
	v := &View{conv: conv, opts: o, Redacted: replaced}
	v.buildLines()
	var tools []byte
	for i := range conv.Tools {
		tools = append(appendTool(tools, &conv.Tools[i], o.Marker), '\n')
	}
	v.nonce = nonceOf(o.RunKey, conv.ID, func(n string) bool {
		needle := []byte(n)
		if bytes.Contains(v.lines, needle) || bytes.Contains(tools, needle) {
			return true
		}
		for i := range conv.Calls {
			c := &conv.Calls[i]
			if strings.Contains(c.RawArguments, n) || strings.Contains(c.Name, n) {
				return true
			}
		}
		return false
	})
	v.tools = v.block(nil, "tools", tools)
	return v
}

// Conversation returns what the view was made of, redacted.
func (v *View) Conversation() *transcript.Conversation { return v.conv }

// Unmark takes the marker out of what a judge copied from the record.
func (v *View) Unmark(s string) string { return v.opts.Unmark(s) }

// Tools returns the inventory block as every message shows it.
func (v *View) Tools() string { return string(v.tools) }

// Line is one line of the history as plain text: who speaks, the tool of a result,
// and the free texts, unescaped.
type Line struct {
	Role, Tool string
	Texts      []string
}

// Len is the number of history lines.
func (v *View) Len() int { return len(v.items) }

// Line returns history line i.
func (v *View) Line(i int) Line {
	t := &v.items[i].turn
	return Line{Role: t.role, Tool: t.tool, Texts: t.texts()}
}

// Call returns a call as its message shows it, with the calls proposed beside it.
func (v *View) Call(index int) string {
	c := &v.conv.Calls[index]
	return string(append(appendCall(nil, c, ""), v.siblings(c)...))
}

// buildLines renders every message. A message of the agent gives its text; its
// calls stand on the lines of their results, or behind the text when they have
// none.
func (v *View) buildLines() {
	v.visible = make([]int, len(v.conv.Messages))
	for m := range v.conv.Messages {
		msg := &v.conv.Messages[m]
		if msg.Role == transcript.ToolRole {
			v.visible[m] = len(v.items)
			v.add(v.toolTurn(msg), false)
			continue
		}
		if msg.Content != "" || len(msg.Calls) == 0 {
			v.add(turn{role: string(msg.Role), content: msg.Content}, msg.Role == transcript.User)
		}
		// The calls of this message see its text but not each other's fate.
		v.visible[m] = len(v.items)
		for _, c := range msg.Calls {
			if call := v.callAt(c); call != nil && call.Result < 0 {
				v.add(unanswered(call), false)
			} else if call != nil && v.isLate(call) {
				v.late = true
			}
		}
	}
}

func (v *View) callAt(i int) *transcript.Call {
	if i < 0 || i >= len(v.conv.Calls) {
		return nil
	}
	return &v.conv.Calls[i]
}

// isLate reports whether the agent called something else before this result came.
func (v *View) isLate(c *transcript.Call) bool {
	for m := c.Message + 1; m < c.Result && m < len(v.conv.Messages); m++ {
		if len(v.conv.Messages[m].Calls) > 0 {
			return true
		}
	}
	return false
}

func (v *View) add(t turn, user bool) {
	v.lines = append(v.lines, '[')
	v.lines = strconv.AppendInt(v.lines, int64(len(v.items)+1), 10)
	v.lines = append(v.lines, "] "...)
	v.lines = append(t.append(v.lines, v.opts.Marker), '\n')
	v.items = append(v.items, viewLine{end: len(v.lines), turn: t, user: user})
}

func (v *View) toolTurn(msg *transcript.Message) turn {
	t := turn{role: "tool", tool: msg.ToolName, output: value.OfString(msg.Content), hasOutput: true}
	if !msg.Output.IsNull() {
		t.output = msg.Output
	}
	switch {
	case msg.IsError:
		t.status = "error"
	case msg.Succeeded:
		if _, looksFailed := toolresult.Text(msg.Content); looksFailed {
			t.status = "ok"
		}
	}
	c := v.callAt(msg.Result)
	if c == nil {
		return t
	}
	t.tool, t.params, t.raw, t.unparsed, t.hasParams = c.Name, c.Arguments, c.RawArguments, c.Malformed, true
	t.caller = caller(c)
	if c.Refused {
		t.status = "refused"
	}
	return t
}

func unanswered(c *transcript.Call) turn {
	t := turn{
		role: "tool", tool: c.Name, params: c.Arguments, raw: c.RawArguments, unparsed: c.Malformed, hasParams: true,
		caller: caller(c), status: "no_result",
	}
	if c.Proposed {
		t.status = "not_run"
	}
	return t
}

// caller names who made a call where it was not the agent.
func caller(c *transcript.Call) string {
	if c.Executor == "user" {
		return "user"
	}
	return ""
}

// lineCount returns how many history lines call c sees.
func (v *View) lineCount(c *transcript.Call) int {
	if c.Message < 0 || c.Message >= len(v.visible) {
		return 0
	}
	return v.visible[c.Message]
}

func (v *View) line(i int) []byte {
	start := 0
	if i > 0 {
		start = v.items[i-1].end
	}
	return v.lines[start:v.items[i].end]
}

// Shown is the live message about one call, and what it shows of the history.
type Shown struct {
	Text string
	// Truncated says that lines of the history were left out.
	Truncated bool
	n         int
	shown     []bool // which of the first n lines stayed; nil: all
}

// Lines yields the numbers of the history lines that the message shows, from 0.
func (s *Shown) Lines() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range s.n {
			if (s.shown == nil || s.shown[i]) && !yield(i) {
				return
			}
		}
	}
}

// Show renders the live message for a call, by its index in the conversation.
func (v *View) Show(index int) Shown {
	c := &v.conv.Calls[index]
	n := v.lineCount(c)
	out := Shown{n: n}
	history := v.lines[:0]
	if n > 0 {
		history = v.lines[:v.items[n-1].end]
	}
	if v.opts.MaxRecordBytes > 0 && len(history) > v.opts.MaxRecordBytes {
		history, out.shown = v.shorten(c, n)
		out.Truncated = true
	}
	buf := make([]byte, 0, len(v.tools)+len(history)+len(c.RawArguments)+len(c.Name)+512)
	buf = append(buf, v.tools...)
	buf = v.block(buf, "conversation", history)
	if siblings := v.siblings(c); len(siblings) > 0 {
		buf = v.block(buf, "proposed", siblings)
	}
	buf = v.block(buf, "call", append(appendCall(nil, c, ""), '\n'))
	buf = append(buf, closingLine...)
	out.Text = string(buf)
	return out
}

// block wraps lines into the markers of a named block.
func (v *View) block(dst []byte, name string, lines []byte) []byte {
	dst = append(append(append(append(append(dst, "<<<RECORD "...), v.nonce...), ' '), name...), ">>>\n"...)
	dst = append(dst, lines...)
	return append(append(append(append(append(dst, "<<<END "...), v.nonce...), ' '), name...), ">>>\n"...)
}

// sibling is a call that is shown beside the judged one.
type sibling struct {
	call   *transcript.Call
	status string
}

// beside returns the other calls of the same turn, and earlier calls whose results
// had not come yet.
func (v *View) beside(c *transcript.Call) []sibling {
	var out []sibling
	if v.late {
		for i := range v.conv.Calls {
			if o := &v.conv.Calls[i]; o.Message < c.Message && o.Result > c.Message {
				out = append(out, sibling{o, "pending"})
			}
		}
	}
	if c.Message < 0 || c.Message >= len(v.conv.Messages) {
		return out
	}
	for _, i := range v.conv.Messages[c.Message].Calls {
		if o := v.callAt(i); o != nil && i != c.Index {
			out = append(out, sibling{o, "proposed"})
		}
	}
	return out
}

// siblings renders the calls beside a call, without results.
func (v *View) siblings(c *transcript.Call) []byte {
	var out []byte
	for _, o := range v.beside(c) {
		out = append(appendCall(out, o.call, o.status), '\n')
	}
	return out
}
