package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

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

// splitResponses gives each of several results in one message of a tool a message of its own, in
// the order in which they are written, and takes the tags off.
func (t *turns) splitResponses(m toolMessage) []toolMessage {
	text, ok := m.content.Str()
	if !ok || !strings.Contains(text, "<"+responseTag+">") {
		return []toolMessage{m}
	}
	var out []toolMessage
	for _, block := range strings.Split(text, "<"+responseTag+">")[1:] {
		body, _, _ := strings.Cut(block, "</"+responseTag+">")
		one := m
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
