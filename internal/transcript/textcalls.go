package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// The bounds of the search for calls in one text: how many places are tried, and how
// many bytes a call may have.
const (
	maxTextCalls = 256
	textCallSize = 64 << 10
)

// textCalls looks for calls that the agent wrote as text in a message that makes no
// call. They never ran: each is noted, and becomes a call with Proposed set only
// when Options.TextCalls says so.
func (d *draft) textCalls() {
	made := len(d.Calls)
	for i := range d.Messages {
		m := &d.Messages[i]
		for _, c := range m.written() {
			c.Place, c.Step = d.places[i]+".content", m.Step
			detail := c.Name + " is only written in the text and never ran: " + quote(c.written)
			if c.Malformed {
				detail = "a call is only written in the text, and cannot be read (" + c.Problem + "): " +
					quote(c.written)
			}
			d.note("call_in_text", c.Place, detail)
			if d.opts.TextCalls {
				d.call(i, c.Call)
			}
		}
	}
	if len(d.Calls) > made {
		d.reorder()
	}
}

// written are the calls in the text of a message of the agent that makes none.
func (m *Message) written() []writtenCall {
	if m.Role != Assistant || len(m.Calls) > 0 || !mayHoldCall(m.Content) {
		return nil
	}
	search := textSearch{text: m.Content}
	search.run()
	return search.found
}

// reorder puts the calls into the order of their messages after calls were added
// behind the others.
func (d *draft) reorder() {
	old := d.Calls
	d.Calls = make([]Call, 0, len(old))
	for i := range d.Messages {
		m := &d.Messages[i]
		for k, at := range m.Calls {
			c := old[at]
			c.Index = len(d.Calls)
			m.Calls[k] = c.Index
			if c.Result >= 0 {
				d.Messages[c.Result].Result = c.Index
			}
			d.Calls = append(d.Calls, c)
		}
	}
}

const openTag, closeTag = "<tool_call>", "</tool_call>"

// mayHoldCall rules out nearly all texts quickly.
func mayHoldCall(s string) bool {
	if strings.Contains(s, openTag) {
		return true
	}
	return (strings.Contains(s, `"name"`) || strings.Contains(s, `'name'`)) &&
		(strings.Contains(s, `arguments`) || strings.Contains(s, `parameters`))
}

// textSearch finds the calls in a text: objects with a name and arguments (or
// parameters), as JSON or a Python literal, and <tool_call> blocks that hold neither.
type textSearch struct {
	text  string
	tries int
	found []writtenCall
}

// writtenCall is a call in a text.
type writtenCall struct {
	Call
	written string
}

func (t *textSearch) run() {
	for rest := t.text; rest != "" && t.tries < maxTextCalls; {
		before, block, tagged := strings.Cut(rest, openTag)
		t.objects(before)
		if !tagged {
			return
		}
		t.tries++
		// A block ends at its end tag, or where the next one begins.
		body, behind, _ := strings.Cut(block, closeTag)
		if i := strings.Index(body, openTag); i >= 0 {
			body, behind = block[:i], block[i:]
		}
		known := len(t.found)
		t.objects(body)
		if body = strings.TrimSpace(body); len(t.found) == known && body != "" {
			t.add(body, Call{Malformed: true, Problem: "no JSON object with a name and arguments"})
		}
		rest = behind
	}
}

func (t *textSearch) add(written string, c Call) {
	c.Proposed, c.Pairing = true, "none"
	if c.Malformed {
		c.Arguments, c.RawArguments = value.OfObject(), written
	}
	t.found = append(t.found, writtenCall{c, written})
}

// objects reads the calls among the objects of a text. Objects inside of others are
// only looked at where the outer one cannot be read.
func (t *textSearch) objects(s string) {
	for t.tries < maxTextCalls {
		brace := strings.IndexByte(s, '{')
		if brace < 0 {
			return
		}
		s = s[brace:]
		next := 1
		if key := strings.TrimLeft(s[1:], " \t\r\n"); key != "" && (key[0] == '"' || key[0] == '\'') {
			t.tries++
			var w scan
			n, done := w.feed([]byte(s[:min(len(s), textCallSize)]))
			if done && t.object(s[:n]) {
				next = n
			}
		}
		s = s[next:]
	}
}

// object adds the call that a text is; false where it is none.
func (t *textSearch) object(text string) bool {
	var c Call
	v, err := value.ParseString(text)
	if err != nil {
		if v, err = pycall.ParseLiteral(text); err != nil {
			return false
		}
		c.Literal = true
	}
	v = inside(v, "function")
	args, given := first(v, "arguments", "parameters")
	c.Name = v.Field("name").Text()
	if v.Field("name").Kind() != value.String || c.Name == "" || !given {
		return false
	}
	if s, isText := args.Str(); isText {
		if parsed, err := value.ParseString(s); err == nil {
			args = parsed
		}
	}
	c.Arguments, c.RawArguments = args, args.Raw()
	if args.Kind() != value.Object {
		c.Malformed, c.Problem = true, "its arguments are "+args.Kind().WithArticle()
	}
	t.add(text, c)
	return true
}

// ranTextCalls makes calls of what an agent wrote as text where a message of a tool follows: the
// calls ran, as models without an interface for calls write them (Hermes, Qwen, xLAM, Llama:
// <tool_call> blocks or bare JSON). Where the tools are written in the system message
// (<tools>), they become the inventory. The text of the message loses the blocks.
func (d *draft) ranTextCalls() {
	made := len(d.Calls)
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role == System && len(d.Tools) == 0 {
			d.toolsInText(m.Content)
		}
		if !d.resultBehind(i) {
			continue
		}
		found := m.written()
		for _, c := range found {
			c.Proposed, c.Pairing, c.Place = false, "", d.places[i]+".content"
			d.call(i, c.Call)
			if m.Parts.IsNull() {
				m.Content = withoutBlock(m.Content, c.written)
			}
		}
		if len(found) > 0 {
			d.note("call_from_text", d.places[i], "the call is written in the text, and a result follows")
		}
	}
	if len(d.Calls) > made {
		d.reorder()
	}
}

// resultBehind reports whether a result that names no call follows a message.
func (d *draft) resultBehind(i int) bool {
	return i+1 < len(d.Messages) && d.Messages[i+1].Role == ToolRole && d.Messages[i+1].ResultID == ""
}

// withoutBlock takes a call out of a text, with the tags around it.
func withoutBlock(text, written string) string {
	before, after, found := strings.Cut(text, written)
	if !found {
		return text
	}
	before = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(before, " \n"), openTag), " \n")
	after = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(after, " \n"), closeTag))
	return strings.TrimSpace(joinLines(before, after))
}

func (d *draft) toolsInText(text string) {
	_, list, found := strings.Cut(text, "<tools>")
	list, _, closed := strings.Cut(list, "</tools>")
	if !found || !closed {
		return
	}
	v, err := value.ParseString(strings.TrimSpace(list))
	if err != nil { // one definition a line
		var defs []value.Value
		for line := range strings.Lines(list) {
			if def, err := value.ParseString(strings.TrimSpace(line)); err == nil {
				defs = append(defs, def)
			}
		}
		v = value.OfList(defs...)
	}
	if v.Len() > 0 {
		d.useTools(v)
	}
}

// responseTag is around the results in the texts of models that write calls as text.
const responseTag = "tool_response"

// splitResponses gives each of the tagged results in one message of a tool a message of its own, in
// the order in which they are written, without the tags; nil for a message without them.
func splitResponses(m *toolMessage) []toolMessage {
	text, ok := m.content.Str()
	if !ok || !strings.Contains(text, "<"+responseTag+">") {
		return nil
	}
	var out []toolMessage
	for _, block := range strings.Split(text, "<"+responseTag+">")[1:] {
		body, _, _ := strings.Cut(block, "</"+responseTag+">")
		one := *m
		one.content = value.OfString(strings.TrimSpace(body))
		if v := unquoted(one.content); v.Has("name") && hasAny(v, "content", "result", "output") {
			one.ToolName = v.Field("name").Text()
			one.ResultID = firstText(v, resultIDKeys...)
			one.content, _ = first(v, "content", "result", "output")
		}
		out = append(out, one)
	}
	return out
}
