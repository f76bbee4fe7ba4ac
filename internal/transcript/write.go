package transcript

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// WriteNative writes the conversation as one line of the native format, JSON with keys in a fixed
// order. Reading the line again gives the same Hashes: texts of arguments, digits of numbers, ids,
// parts, labels and unknown keys are kept. Besides the keys of the published format it uses, if
// necessary, "requestor" and "context" of a call, "is_error" of a message and "expected_outputs" of
// the conversation. Calls with Proposed set are not written, because the text contains them.
func WriteNative(w io.Writer, c *Conversation) error {
	_, err := w.Write(AppendNative(nil, c))
	return err
}

// AppendNative appends what WriteNative writes.
func AppendNative(b []byte, c *Conversation) []byte {
	var o value.Fields
	o.Set("id", value.OfString(c.ID))
	o.Set("messages", listOf(c.Messages, c.nativeMessage))
	if len(c.Tools) > 0 {
		o.Set("tools", listOf(c.Tools, func(t *Tool) value.Value { return t.Raw }))
	}
	o = append(o, c.nativeRest()...)
	return append(value.AppendJSON(b, value.OfObject(o...), value.Format{}), '\n')
}

// nativeRest returns the members after the messages and the tools.
func (c *Conversation) nativeRest() value.Fields {
	var o value.Fields
	if c.Expected != nil && c.Expected.Calls != nil {
		o.Set("expected_calls", listOf(c.Expected.Calls, nativeExpected))
		if c.Expected.Only && len(c.Expected.Calls) > 0 {
			o.Set("only_expected_calls", value.OfBool(true))
		}
	}
	if c.Expected != nil && len(c.Expected.Outputs) > 0 {
		o.Set("expected_outputs", value.OfStrings(c.Expected.Outputs...))
	}
	o.Set("labels", c.nativeLabels())
	o.Set("sample", c.Sample)
	o.Add(c.Extra)
	return o
}

func (c *Conversation) nativeMessage(m *Message) value.Value {
	content := m.Parts
	if content.IsNull() && m.HasContent {
		content = value.OfString(m.Content)
	}
	o := value.Fields{{Key: "role", Value: value.OfString(string(m.Role))}, {Key: "content", Value: content}}
	o.Text("reasoning_content", m.Reasoning)
	var calls []value.Value
	for _, k := range m.Calls {
		if !c.Calls[k].Proposed {
			calls = append(calls, nativeCall(&c.Calls[k]))
		}
	}
	if len(calls) > 0 {
		o.Set("tool_calls", value.OfList(calls...))
	}
	o.Text("name", m.ToolName)
	o.Text("tool_call_id", m.ResultID)
	if m.IsError || m.Succeeded {
		o.Set("is_error", value.OfBool(m.IsError))
	}
	o.Add(m.Extra)
	return value.OfObject(o...)
}

// kind returns the type of a call, and the key of its arguments.
func (c *Call) kind() (kind, key string) {
	if c.Custom {
		return "custom", "input"
	}
	return "function", "arguments"
}

// nativeCall writes the arguments as JSON text, as the format requires.
func nativeCall(call *Call) value.Value {
	kind, key := call.kind()
	of := value.Fields{{Key: "name", Value: value.OfString(call.Name)}}
	switch {
	case call.Malformed && call.RawArguments == "" && call.Problem == NoArguments:
	case call.Malformed && call.Problem == NullArguments:
		of = append(of, value.Member{Key: key})
	default:
		of.Set(key, value.OfString(call.RawArguments))
	}
	var o value.Fields
	o.Text("id", call.ID)
	o.Text("type", kind)
	o.Set(kind, value.OfObject(of...))
	if call.Executor == "user" || call.Executor == "server" {
		o.Text("requestor", call.Executor)
	}
	if call.Context {
		o.Set("context", value.OfBool(true))
	}
	return value.OfObject(o...)
}

func nativeExpected(e *ExpectedCall) value.Value {
	if !e.Allowed.IsNull() {
		return value.Pairs(e.Name, e.Allowed)
	}
	o := value.Fields{{Key: "name", Value: value.OfString(e.Name)}, {Key: "arguments", Value: e.Arguments}}
	if e.Compare != nil {
		o.Set("compare_args", value.OfStrings(e.Compare...))
	}
	o.Text("requestor", e.Requestor)
	return value.OfObject(o...)
}

// nativeLabels returns an object if it can express the labels, else a list; null if none.
func (c *Conversation) nativeLabels() value.Value {
	var plain value.Fields
	names := map[string]bool{}
	for i := range c.Labels {
		l := &c.Labels[i]
		if l.CallIndex >= 0 || names[l.Name] {
			return listOf(c.Labels, nativeLabel)
		}
		names[l.Name] = true
		plain.Set(l.Name, labelValue(l))
	}
	return plain.Object()
}

func nativeLabel(l *Label) value.Value {
	o := value.Fields{{Key: "name", Value: value.OfString(l.Name)}, {Key: "value", Value: labelValue(l)}}
	if l.CallIndex >= 0 {
		o.Set("call_index", value.OfInt(int64(l.CallIndex)))
	}
	return value.OfObject(o...)
}

func labelValue(l *Label) value.Value {
	switch {
	case l.Text != "":
		return value.OfString(l.Text)
	case l.Value == math.Trunc(l.Value) && math.Abs(l.Value) < 1<<53:
		return value.OfInt(int64(l.Value))
	}
	return value.OfFloat(l.Value)
}

// WriteOpenAI writes the conversation as one line of OpenAI chat, {messages, tools}, with only what the API
// knows: labels, references, reasoning, error flags and further keys are left out, and so are calls of a
// simulated user. Calls without an id get "call_" and their number, because a result must name its call.
func WriteOpenAI(w io.Writer, c *Conversation) error {
	var o value.Fields
	var messages []value.Value
	for i := range c.Messages {
		if m := c.openAIMessage(&c.Messages[i]); !m.IsNull() {
			messages = append(messages, m)
		}
	}
	o.Set("messages", value.OfList(messages...))
	if len(c.Tools) > 0 {
		o.Set("tools", listOf(c.Tools, openAITool))
	}
	_, err := w.Write(append(value.AppendJSON(nil, value.OfObject(o...), value.Format{}), '\n'))
	return err
}

// openAIMessage returns a message in the API's form; null for a result that belongs to no call of the agent.
func (c *Conversation) openAIMessage(m *Message) value.Value {
	o := value.Fields{{Key: "role", Value: value.OfString(string(m.Role))}}
	content := value.OfString(m.Content)
	if m.Role == User && openAIParts(m.Parts) {
		content = m.Parts
	}
	if m.Role == ToolRole {
		if m.Result < 0 || c.Calls[m.Result].Executor == "user" {
			return value.Value{}
		}
		o.Set("content", content)
		o.Text("tool_call_id", callID(&c.Calls[m.Result]))
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
		o.Set("tool_calls", value.OfList(calls...))
	}
	return value.OfObject(o...)
}

// openAIParts reports whether a content is a list of parts that the API accepts.
func openAIParts(parts value.Value) bool {
	known := []string{"text", "image_url", "input_audio", "file"}
	for _, p := range parts.Elements() {
		if !slices.Contains(known, p.Field("type").Text()) {
			return false
		}
	}
	return parts.Len() > 0
}

func callID(c *Call) string { return cmp.Or(c.ID, "call_"+strconv.Itoa(c.Index)) }

func openAICall(c *Call) value.Value {
	kind, key := c.kind()
	raw := c.RawArguments
	if raw == "" && c.Malformed {
		raw = "{}"
	}
	return value.OfObject(
		value.Member{Key: "id", Value: value.OfString(callID(c))},
		value.Member{Key: "type", Value: value.OfString(kind)},
		value.Member{Key: kind, Value: value.Pairs("name", value.OfString(c.Name)).With(key, value.OfString(raw))},
	)
}

func openAITool(t *Tool) value.Value {
	f := value.Fields{{Key: "name", Value: value.OfString(t.Name)}}
	f.Text("description", t.Description)
	f.Set("parameters", t.Parameters)
	return value.Pairs("type", value.OfString("function")).With("function", value.OfObject(f...))
}

func listOf[T any](list []T, f func(*T) value.Value) value.Value {
	out := make([]value.Value, len(list))
	for i := range list {
		out[i] = f(&list[i])
	}
	return value.OfList(out...)
}

// The problems of calls without arguments.
const (
	NullArguments = "the arguments are null"
	NoArguments   = "the call has no arguments"
)
