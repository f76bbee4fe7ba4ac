package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// textCalls looks for calls that the agent wrote as text in a message without calls, and that apparently did
// not run. It notes these messages. With Options.TextCalls the written calls become calls with Proposed set,
// and an answer to the user in the form of a call becomes the message's text.
func (d *draft) textCalls() {
	made := len(d.Calls)
	none := !slices.ContainsFunc(d.Calls, func(c transcript.Call) bool { return !c.Context && c.Executor != "user" })
	for i := range d.Messages {
		m := &d.Messages[i]
		found := d.written(m)
		switch {
		case len(found) == 0 && none && d.looksLikeCall(m):
			kind := transcript.CallInText
			if d.opts.TextCalls {
				kind = transcript.UnreadableInText
			}
			d.note(kind, d.places[i]+".content", "this looks like a call and cannot be read: "+value.Quote(m.Content))
		case len(found) == 0:
		case !d.opts.TextCalls:
			d.note(transcript.CallInText, d.places[i]+".content", inWords(found))
			if result, ok := d.resultInText(i); ok {
				d.note(transcript.ResultInTextKind, d.places[i+1]+".content",
					"this follows what looks like a call: "+value.Quote(result))
			}
		case respond(m, &found[len(found)-1]):
		default:
			d.note(callFromText, d.places[i]+".content", inWords(found))
			for _, c := range found {
				c.Place, c.Step = d.places[i]+".content", m.Step
				d.call(i, c.Call)
			}
		}
	}
	if len(d.Calls) > made {
		d.reorder()
	}
}

// callFromText is the kind of note on a message whose text was read as calls.
const callFromText = "call_from_text"

// inWords describes the calls in a text.
func inWords(found []writtenCall) string {
	c, more := &found[0], ""
	if n := len(found) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	if c.Malformed {
		return "a call is only written in the text, and cannot be read (" + c.Problem + "): " + value.Quote(c.written) + more
	}
	return c.Name + " is only written in the text, and nothing shows that it ran: " + value.Quote(c.written) + more
}

// written returns the calls in the text of an agent's message without calls.
func (d *draft) written(m *transcript.Message) []writtenCall {
	if m.Role != transcript.Assistant || len(m.Calls) > 0 {
		return nil
	}
	return searchCalls(m.Content, d.Tools)
}

// looksLikeCall reports whether a message of the agent without a readable call has text that looks
// like a call.
func (d *draft) looksLikeCall(m *transcript.Message) bool {
	return m.Role == transcript.Assistant && strings.ContainsAny(m.Content, "<[({:=") &&
		LooksLikeCall(m.Content, func(name string) bool { return transcript.FindTool(d.Tools, name) != nil })
}

// respond handles an answer in the form of a call, {"name": "respond", "arguments": {"content":
// "…"}}: the content becomes the message's text, and the text before it its reasoning. τ-bench's
// agents without a tool interface answer users this way.
func respond(m *transcript.Message, c *writtenCall) bool {
	text, ok := c.Arguments.Field("content").Str()
	if c.Name != "respond" || !ok || c.Arguments.Len() != 1 {
		return false
	}
	m.Reasoning = joinLines(m.Reasoning, withoutBlock(m.Content, c.written))
	m.Content, m.Parts = text, value.Value{}
	return true
}

// reorder sorts the calls in the order of their messages, after calls were added at the end.
func (d *draft) reorder() {
	old := d.Calls
	d.Calls = make([]transcript.Call, 0, len(old))
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

// ranTextCalls turns text into calls if a tool's message follows: the calls ran, as with models without a tool
// interface (Hermes, Qwen, xLAM, Llama: <tool_call> blocks or bare JSON). With Options.TextCalls a user's
// message that begins like a result counts as a tool's. If the system message lists tools (<tools>), they
// become the inventory. The calls are removed from the message's text.
func (d *draft) ranTextCalls() {
	made := len(d.Calls)
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role == transcript.System && len(d.Tools) == 0 {
			d.toolsInText(m.Content)
		}
		result, inText := "", false
		if d.opts.TextCalls {
			result, inText = d.resultInText(i)
		}
		if !inText && !d.resultBehind(i) {
			continue
		}
		found := d.written(m)
		if len(found) == 0 {
			continue
		}
		if inText {
			found = found[len(found)-1:] // such agents make one call at a time, the last one written
			next := &d.Messages[i+1]
			next.Role, next.Content, next.Parts, next.Output = transcript.ToolRole, result, value.Value{}, d.structured(result)
		}
		for _, c := range found {
			c.Proposed, c.Pairing, c.Place = false, "", d.places[i]+".content"
			d.call(i, c.Call)
			if m.Parts.IsNull() {
				m.Content = withoutBlock(m.Content, c.written)
			}
		}
		d.note(callFromText, d.places[i], "the call is written in the text, and a result follows")
	}
	if len(d.Calls) > made {
		d.reorder()
	}
}

// resultBehind reports whether a result that names no call follows a message.
func (d *draft) resultBehind(i int) bool {
	return i+1 < len(d.Messages) && d.Messages[i+1].Role == transcript.ToolRole && d.Messages[i+1].ResultID == ""
}

// resultInText returns the result in the user's message after message i, if it begins like results
// in logs without a tool interface.
func (d *draft) resultInText(i int) (result string, ok bool) {
	if i+1 >= len(d.Messages) || d.Messages[i+1].Role != transcript.User {
		return "", false
	}
	text := strings.TrimSpace(d.Messages[i+1].Content)
	for _, label := range []string{"API output:", "Observation:"} {
		if result, ok = strings.CutPrefix(text, label); ok {
			return strings.TrimSpace(result), true
		}
	}
	result, opened := strings.CutPrefix(text, "<"+responseTag+">")
	result, closed := strings.CutSuffix(result, "</"+responseTag+">")
	return strings.TrimSpace(result), opened && closed && !strings.Contains(result, "<"+responseTag+">")
}

func (d *draft) toolsInText(text string) {
	_, list, found := strings.Cut(text, "<tools>")
	list, _, closed := strings.Cut(list, "</tools>")
	if !found || !closed {
		return
	}
	v, err := value.ParseString(strings.TrimSpace(list))
	if err != nil { // one definition per line
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

// responseTag surrounds results in the texts of models that write calls as text.
const responseTag = "tool_response"

// splitResponses splits a tool's message with several tagged results into one message each, in
// order and without the tags; nil if there are no tags.
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
		if v := one.content.Decoded(); v.Has("name") && v.HasAny("content", "result", "output") {
			one.ToolName = v.Field("name").Text()
			one.ResultID = v.FirstText(resultIDKeys...)
			one.content, _ = v.First("content", "result", "output")
		}
		out = append(out, one)
	}
	return out
}
