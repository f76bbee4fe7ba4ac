// Messages of OpenAI's Chat Completions, and the native form.
//
// Written by: clients of OpenAI-compatible APIs, fine-tuning files, and by hand; the native
// form adds expected_calls, labels and sample.
// Read: openai-go v3.95 and go-openai v1.43 (2026), with the deprecated function_call and the
// reasoning fields of vLLM and DeepSeek.
// Lost: nothing; what is not known is kept beside the message and noted.

package transcript

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// nativeKeys mean something in native records.
var nativeKeys = []string{
	"id", "messages", "tools", "functions", "expected_calls", "only_expected_calls", "expected_outputs", "labels",
	"sample",
}

// readChat reads a native record, which is an OpenAI chat record with more keys,
// or a bare list of messages.
func (d *draft) readChat(v value.Value) error {
	if v.IsList() {
		return d.chatMessages(v, "")
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object with messages and is %s", v.Kind().WithArticle())
	}
	messages, ok := v.Get("messages")
	if !ok {
		return wrong("messages", "the record has no messages: is this a conversation?")
	}
	if err := d.native(v, "messages"); err != nil {
		return err
	}
	return d.chatMessages(messages, "messages")
}

// native reads the keys of a native record beside those that its format reads itself.
// Unknown ones become Extra.
func (d *draft) native(v value.Value, known ...string) error {
	var extra []value.Member
	for key, val := range v.Members() {
		if slices.Contains(known, key) {
			continue
		}
		read, err := d.nativeKey(key, val)
		if err != nil {
			return err
		}
		if key == "messages" {
			key = "log_messages"
		}
		if !read {
			extra = append(extra, value.Member{Key: key, Value: val})
		}
	}
	d.Extra = objectOf(extra)
	return nil
}

// nativeKey reads one key of a native record; false where it means nothing.
func (d *draft) nativeKey(key string, v value.Value) (bool, error) {
	switch key {
	case "id":
		switch {
		case v.Kind() == value.String || v.IsNumber():
			d.ID = v.Text()
		case !v.IsNull():
			return true, wrong("id", "the id must be a text and is %s", v.Kind().WithArticle())
		}
	case "tools":
		d.useTools(v)
	case "functions":
		if len(d.Tools) > 0 {
			return false, nil
		}
		d.useTools(v)
	case "expected_calls":
		return true, d.expectedCalls(v)
	case "only_expected_calls":
		only, ok := v.BoolVal()
		if !ok && !v.IsNull() {
			return true, wrong(key, "this must be true or false and is %s", v.Kind().WithArticle())
		}
		if only {
			d.expected().Only = true
		}
	case "expected_outputs":
		d.outputs(v, "expected_outputs")
	case "labels":
		d.labels(v)
	case "sample":
		d.Sample = v
	default:
		return false, nil
	}
	return true, nil
}

// chatMessages reads messages in the form of OpenAI chat, as native logs and
// τ-bench hold them too. list is the name of the list in the record.
func (d *draft) chatMessages(messages value.Value, list string) error {
	if n := messages.Len(); messages.IsList() {
		d.Messages = slices.Grow(d.Messages, n)
		d.places = slices.Grow(d.places, n)
	}
	return d.objects(messages, list, "message", func(v value.Value, at string) error {
		if hasToolBlocks(v.Field("content")) {
			return d.anthropicMessage(v, at) // proxies mix the forms
		}
		return d.chatMessage(v, at)
	})
}

// hasToolBlocks reports whether a content holds calls or results in the form of Anthropic.
func hasToolBlocks(content value.Value) bool {
	for _, b := range content.Elements() {
		if t := b.Field("type").Text(); t == "tool_use" || t == "tool_result" {
			return true
		}
	}
	return false
}

// chatKeys reads the plain keys of a message, and returns those that mean nothing here.
func (m *Message) chatKeys(v value.Value, at string) (extra fields, err error) {
	for key, val := range v.Members() {
		switch key {
		case "role":
			role, ok := val.Str()
			if !ok {
				return nil, wrong(at+".role", "the role must be a text and is %s", val.Kind().WithArticle())
			}
			m.Role = Role(role)
		case "content", "tool_calls", "function_call", "refusal": // see chatMessage
		case "tool_call_id":
			m.ResultID = val.Text()
		case "name":
			m.ToolName = val.Text()
		case "is_error":
			m.flag(val)
		case "reasoning_content", "reasoning":
			if s, ok := val.Str(); ok {
				m.Reasoning = joinLines(m.Reasoning, s)
			} else {
				extra.set(key, val)
			}
		default:
			extra.set(key, val)
		}
	}
	if m.Role == "" {
		return nil, wrong(at+".role", "the message has no role")
	}
	return extra, nil
}

// chatMessage reads one message with its calls.
func (d *draft) chatMessage(v value.Value, at string) error {
	var m Message
	extra, err := m.chatKeys(v, at)
	if err != nil {
		return err
	}
	content := v.Field("content")
	if refusal := v.Field("refusal"); content.IsNull() {
		content = refusal
	} else {
		extra.set("refusal", refusal)
	}
	d.role(&m, &extra, at)
	m.Extra = objectOf(extra)
	d.content(&m, content, at)
	i := d.message(m, at)
	if calls := v.Field("tool_calls"); !calls.IsNull() {
		err = d.objects(calls, at+".tool_calls", "call", func(c value.Value, at string) error {
			d.chatCall(i, c, at)
			return nil
		})
	}
	if legacy := v.Field("function_call"); err == nil && legacy.Kind() == value.Object {
		d.callWith(i, Call{Place: at + ".function_call", Name: legacy.Field("name").Text()}, legacy, "arguments")
	}
	return err
}

// role sets the role of a message to one that is known, and keeps what does not fit it.
func (d *draft) role(m *Message, extra *fields, at string) {
	switch m.Role {
	case System, User, Assistant, ToolRole:
	case "developer":
		m.Role = System
	case "function":
		m.Role = ToolRole
	default:
		d.note("unknown_role", at, "the role "+quote(string(m.Role))+" is kept as user")
		extra.text("original_role", string(m.Role))
		m.Role = User
	}
	if m.Role != ToolRole {
		extra.text("name", m.ToolName)
		m.ToolName = ""
	}
}

// chatCall reads one entry of tool_calls: {id, function: {name, arguments}}, a
// custom tool's {id, custom: {name, input}}, or the flat {id, name, arguments}.
func (d *draft) chatCall(message int, v value.Value, at string) {
	c := Call{Place: at, ID: v.Field("id").Text()}
	if by := v.Field("requestor").Text(); by == "user" || by == "server" {
		c.Executor = by
	}
	c.Context, _ = v.Field("context").BoolVal()
	f := v.Field("function")
	custom := v.Field("custom")
	switch {
	case f.Kind() == value.Object:
		c.Name = f.Field("name").Text()
		v = f
	case custom.Kind() == value.Object:
		c.Name = custom.Field("name").Text()
		c.freeText(custom.Field("input").Text())
	default:
		c.Name = orWord(v.Field("name").Text(), f.Text())
	}
	if !c.Custom {
		args, given := v.Get("arguments")
		d.arguments(&c, args, given)
	}
	d.call(message, c)
}
