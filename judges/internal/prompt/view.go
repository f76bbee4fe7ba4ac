package prompt

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

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
// lines are append-only: what a call sees is a prefix of what later calls see, unless
// it had to be shortened. A View does not change and is safe for concurrent use.
type View struct {
	conv  *transcript.Conversation
	nonce string
	tools []toolLine
	turns []turn
	// visible[m] is how many lines a call made by message m sees.
	visible []int
	opts    Options
	// Redacted is how many matches of the redaction's patterns were replaced.
	Redacted int
	// late says that some result stands behind a later turn of the agent.
	late bool
	// whole are the lines as they are, cut those with shorter tool results.
	whole *rendering
	cut   [len(resultSteps)]func() *rendering
	// matches finds the lines that hold a text.
	matches func() *lineIndex
	// longest is the most that the message about any call costs, longestBrief the same
	// once tools and results are as short as they get.
	longest, longestBrief func() float64
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

// Nonce is the code in the markers of the record.
func (v *View) Nonce() string { return v.nonce }

// NewView renders a conversation. It must not change as long as the view is used.
func NewView(conv *transcript.Conversation, o Options) *View {
	o = o.withDefaults()
	conv, replaced := o.Redact.Conversation(conv)
	v := &View{conv: conv, opts: o, Redacted: replaced}
	v.buildTurns()
	v.whole = v.render(0)
	for i, most := range resultSteps {
		v.cut[i] = sync.OnceValue(func() *rendering { return v.render(most) })
	}
	v.matches = sync.OnceValue(func() *lineIndex { return newLineIndex(v.whole) })
	v.longest = sync.OnceValue(func() float64 { return v.longestOf(toolsWhole, v.whole) })
	v.longestBrief = sync.OnceValue(func() float64 { return v.longestOf(toolsBrief, v.cut[len(v.cut)-1]()) })
	v.buildTools()
	v.nonce = nonceOf(o.RunKey, conv.ID, v.holds)
	if o.code != "" {
		v.nonce = o.code
	}
	return v
}

// holds reports whether anything that the view shows holds a text.
func (v *View) holds(s string) bool {
	needle := []byte(s)
	if bytes.Contains(v.whole.lines, needle) {
		return true
	}
	for i := range v.tools {
		if bytes.Contains(v.tools[i].full, needle) {
			return true
		}
	}
	for i := range v.conv.Calls {
		c := &v.conv.Calls[i]
		if strings.Contains(c.RawArguments, s) || strings.Contains(c.Name, s) {
			return true
		}
	}
	return false
}

// Conversation returns what the view was made of, redacted.
func (v *View) Conversation() *transcript.Conversation { return v.conv }

// Unmark takes the marker out of what a judge copied from the record.
func (v *View) Unmark(s string) string { return v.opts.Unmark(s) }

// Tools returns the whole inventory, a tool a line.
func (v *View) Tools() string {
	var b strings.Builder
	for i := range v.tools {
		b.Write(v.tools[i].full)
	}
	return b.String()
}

// Line is one line of the history as plain text: who speaks, the tool of a result,
// and the free texts, unescaped.
type Line struct {
	Role, Tool string
	Texts      []string
}

// Len is the number of history lines.
func (v *View) Len() int { return len(v.turns) }

// Line returns history line i.
func (v *View) Line(i int) Line {
	t := &v.turns[i]
	return Line{Role: t.role, Tool: t.tool, Texts: t.texts()}
}

// Call returns a call as its message shows it, with the calls proposed beside it.
func (v *View) Call(index int) string {
	c := &v.conv.Calls[index]
	out := appendCall(nil, c, "")
	for _, o := range v.beside(c) {
		out = append(appendCall(out, o.call, o.status), '\n')
	}
	return string(out)
}

// buildTurns orders what there is to show. A message of the agent gives its text; its
// calls stand on the lines of their results, or behind the text when they have none.
func (v *View) buildTurns() {
	v.visible = make([]int, len(v.conv.Messages))
	for m := range v.conv.Messages {
		msg := &v.conv.Messages[m]
		if msg.Role == transcript.ToolRole {
			v.visible[m] = len(v.turns)
			v.turns = append(v.turns, v.toolTurn(msg))
			continue
		}
		if msg.Content != "" || len(msg.Calls) == 0 {
			v.turns = append(v.turns, turn{role: string(msg.Role), content: msg.Content})
		}
		// The calls of this message see its text but not each other's fate.
		v.visible[m] = len(v.turns)
		for _, c := range msg.Calls {
			if call := v.callAt(c); call != nil && call.Result < 0 {
				v.turns = append(v.turns, unanswered(call))
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
