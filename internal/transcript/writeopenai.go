package transcript

import (
	"io"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// WriteOpenAI writes the conversation as one line of OpenAI chat, {messages, tools}, with
// nothing in it that the API does not know: labels, references, reasoning, error flags and
// further keys are left out, and so are calls of a simulated user. Calls without an id get
// "call_" and their number, because a result must name its call.
func WriteOpenAI(w io.Writer, c *Conversation) error {
	var o fields
	var messages []value.Value
	for i := range c.Messages {
		if m := c.openAIMessage(&c.Messages[i]); !m.IsNull() {
			messages = append(messages, m)
		}
	}
	o.set("messages", value.OfList(messages...))
	if len(c.Tools) > 0 {
		o.set("tools", listOf(c.Tools, openAITool))
	}
	_, err := w.Write(append(value.AppendJSON(nil, value.OfObject(o...), value.Format{}), '\n'))
	return err
}

// openAIMessage is null for a result that belongs to no call of the agent.
func (c *Conversation) openAIMessage(m *Message) value.Value {
	o := fields{{Key: "role", Value: value.OfString(string(m.Role))}}
	content := value.OfString(m.Content)
	if m.Role == User && openAIParts(m.Parts) {
		content = m.Parts
	}
	if m.Role == ToolRole {
		if m.Result < 0 || c.Calls[m.Result].Executor == "user" {
			return value.Value{}
		}
		o.set("content", content)
		o.text("tool_call_id", callID(&c.Calls[m.Result]))
		return value.OfObject(o...)
	}
	var calls []value.Value
	for _, k := range m.Calls {
		if call := &c.Calls[k]; !call.Proposed && call.Executor != "user" {
			calls = append(calls, openAICall(call))
		}
	}
	if m.Content == "" && len(calls) > 0 {
		content = value.Value{}
	}
	o = append(o, value.Member{Key: "content", Value: content})
	if len(calls) > 0 {
		o.set("tool_calls", value.OfList(calls...))
	}
	return value.OfObject(o...)
}

// openAIParts reports whether a content is a list of parts that the API takes.
func openAIParts(parts value.Value) bool {
	known := []string{"text", "image_url", "input_audio", "file"}
	for _, p := range parts.Elements() {
		if !slices.Contains(known, p.Field("type").Text()) {
			return false
		}
	}
	return parts.Len() > 0
}

func callID(c *Call) string { return orWord(c.ID, "call_"+strconv.Itoa(c.Index)) }

func openAICall(c *Call) value.Value {
	kind, key := c.kind()
	raw := c.RawArguments
	if raw == "" && c.Malformed {
		raw = "{}"
	}
	return value.OfObject(
		value.Member{Key: "id", Value: value.OfString(callID(c))},
		value.Member{Key: "type", Value: value.OfString(kind)},
		value.Member{Key: kind, Value: object("name", value.OfString(c.Name)).With(key, value.OfString(raw))},
	)
}

func openAITool(t *Tool) value.Value {
	f := fields{{Key: "name", Value: value.OfString(t.Name)}}
	f.text("description", t.Description)
	f.set("parameters", t.Parameters)
	return object("type", value.OfString("function")).With("function", value.OfObject(f...))
}
