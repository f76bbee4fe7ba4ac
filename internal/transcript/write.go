package transcript

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// WriteNative writes the conversation as one line of the native format, JSON with
// keys in a fixed order. Reading the line again gives the same ContentHash: texts
// of arguments, digits of numbers, ids, parts, labels and unknown keys are kept.
// Beside the keys of the published format it uses, where they are needed,
// "requestor" and "context" of a call, "is_error" of a message and
// "expected_outputs" of the conversation. Calls with Proposed set are not written:
// they stand in the text.
func WriteNative(w io.Writer, c *Conversation) error {
	_, err := w.Write(appendNative(nil, c))
	return err
}

// appendNative appends what WriteNative writes.
func appendNative(b []byte, c *Conversation) []byte {
	b = value.AppendQuoted(append(b, `{"id":`...), c.ID)
	b = append(b, `,"messages":[`...)
	for i := range c.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.appendMessage(b, &c.Messages[i])
	}
	b = append(b, ']')
	if len(c.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		for i := range c.Tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = value.AppendJSON(b, c.Tools[i].Raw, value.Format{})
		}
		b = append(b, ']')
	}
	b = c.appendExpected(b)
	b = c.appendLabels(b)
	if !c.Sample.IsNull() {
		b = appendKey(b, "sample", c.Sample)
	}
	for key, v := range c.Extra.Members() {
		b = appendKey(b, key, v)
	}
	return append(b, '}', '\n')
}

func appendKey(b []byte, key string, v value.Value) []byte {
	b = append(value.AppendQuoted(append(b, ','), key), ':')
	return value.AppendJSON(b, v, value.Format{})
}

func (c *Conversation) appendMessage(b []byte, m *Message) []byte {
	b = value.AppendQuoted(append(b, `{"role":`...), string(m.Role))
	switch {
	case !m.Parts.IsNull():
		b = appendKey(b, "content", m.Parts)
	case m.HasContent:
		b = value.AppendQuoted(append(b, `,"content":`...), m.Content)
	default:
		b = append(b, `,"content":null`...)
	}
	if own := ownReasoning(m); own != "" {
		b = value.AppendQuoted(append(b, `,"reasoning_content":`...), own)
	}
	b = c.appendCalls(b, m)
	if m.ToolName != "" {
		b = value.AppendQuoted(append(b, `,"name":`...), m.ToolName)
	}
	if m.ResultID != "" {
		b = value.AppendQuoted(append(b, `,"tool_call_id":`...), m.ResultID)
	}
	if m.IsError || m.Succeeded {
		b = strconv.AppendBool(append(b, `,"is_error":`...), m.IsError)
	}
	for key, v := range m.Extra.Members() {
		b = appendKey(b, key, v)
	}
	return append(b, '}')
}

// ownReasoning returns the reasoning that does not stand in the parts.
func ownReasoning(m *Message) string {
	inParts := reasoningParts(m.Parts)
	if inParts == "" {
		return m.Reasoning
	}
	return strings.TrimSuffix(strings.TrimSuffix(m.Reasoning, inParts), "\n")
}

func (c *Conversation) appendCalls(b []byte, m *Message) []byte {
	n := 0
	for _, k := range m.Calls {
		if c.Calls[k].Proposed {
			continue
		}
		if n++; n == 1 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendCall(b, &c.Calls[k])
	}
	if n > 0 {
		b = append(b, ']')
	}
	return b
}

func appendCall(b []byte, call *Call) []byte {
	b = append(b, '{')
	if call.ID != "" {
		b = append(value.AppendQuoted(append(b, `"id":`...), call.ID), ',')
	}
	if call.Custom {
		b = value.AppendQuoted(append(b, `"type":"custom","custom":{"name":`...), call.Name)
		b = append(value.AppendQuoted(append(b, `,"input":`...), call.RawArguments), '}')
	} else {
		b = value.AppendQuoted(append(b, `"type":"function","function":{"name":`...), call.Name)
		b = append(appendArguments(b, call), '}')
	}
	if call.Executor == "user" || call.Executor == "server" {
		b = value.AppendQuoted(append(b, `,"requestor":`...), call.Executor)
	}
	if call.Context {
		b = append(b, `,"context":true`...)
	}
	return append(b, '}')
}

// appendArguments writes the arguments as a JSON text, as the format wants it. The
// few that were malformed as JSON values stay values.
func appendArguments(b []byte, call *Call) []byte {
	if call.Malformed {
		switch {
		case call.RawArguments == "" && call.Problem == noArguments:
			return b
		case call.Problem == nullArguments:
			return append(b, `,"arguments":null`...)
		}
	}
	return value.AppendQuoted(append(b, `,"arguments":`...), call.RawArguments)
}

func (c *Conversation) appendExpected(b []byte) []byte {
	if c.Expected == nil {
		return b
	}
	if c.Expected.Calls != nil {
		b = append(b, `,"expected_calls":[`...)
		for i := range c.Expected.Calls {
			e := &c.Expected.Calls[i]
			if i > 0 {
				b = append(b, ',')
			}
			if !e.Allowed.IsNull() {
				b = value.AppendJSON(b, value.OfObject(value.Member{Key: e.Name, Value: e.Allowed}), value.Format{})
				continue
			}
			b = value.AppendQuoted(append(b, `{"name":`...), e.Name)
			b = appendKey(b, "arguments", e.Arguments)
			if e.Compare != nil {
				b = appendKey(b, "compare_args", texts(e.Compare))
			}
			if e.Requestor != "" {
				b = appendKey(b, "requestor", value.OfString(e.Requestor))
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if len(c.Expected.Outputs) > 0 {
		b = appendKey(b, "expected_outputs", texts(c.Expected.Outputs))
	}
	return b
}

func texts(list []string) value.Value {
	elems := make([]value.Value, len(list))
	for i, s := range list {
		elems[i] = value.OfString(s)
	}
	return value.OfList(elems...)
}

// appendLabels writes an object where that can hold the labels, else a list.
func (c *Conversation) appendLabels(b []byte) []byte {
	if len(c.Labels) == 0 {
		return b
	}
	names := map[string]bool{}
	plain := true
	for _, l := range c.Labels {
		plain = plain && l.CallIndex < 0 && !names[l.Name]
		names[l.Name] = true
	}
	opening, closing := byte('{'), byte('}')
	if !plain {
		opening, closing = '[', ']'
	}
	b = append(append(b, `,"labels":`...), opening)
	for i, l := range c.Labels {
		if i > 0 {
			b = append(b, ',')
		}
		if plain {
			b = append(value.AppendQuoted(b, l.Name), ':')
			b = appendLabelValue(b, l)
			continue
		}
		b = value.AppendQuoted(append(b, `{"name":`...), l.Name)
		b = appendLabelValue(append(b, `,"value":`...), l)
		if l.CallIndex >= 0 {
			b = strconv.AppendInt(append(b, `,"call_index":`...), int64(l.CallIndex), 10)
		}
		b = append(b, '}')
	}
	return append(b, closing)
}

func appendLabelValue(b []byte, l Label) []byte {
	if l.Text != "" {
		return value.AppendQuoted(b, l.Text)
	}
	if l.Value == math.Trunc(l.Value) && math.Abs(l.Value) < 1<<53 {
		return strconv.AppendInt(b, int64(l.Value), 10)
	}
	return value.AppendJSON(b, value.OfFloat(l.Value), value.Format{})
}
