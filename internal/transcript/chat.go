package transcript

import (
	"github.com/judgekit/judge/internal/value"
)

// chatMessages reads messages in the form of OpenAI chat, as native logs and
// τ-bench hold them too. list is the name of the list in the record.
func (d *draft) chatMessages(messages value.Value, list string) error {
	if !messages.IsList() {
		return wrong(list, "this must be a list of messages and is %s", article(messages.Kind()))
	}
	if n := messages.Len(); n > 0 {
		d.Messages = make([]Message, 0, n)
		d.places = make([]string, 0, n)
	}
	for i, m := range messages.Elements() {
		at := place(list, i)
		if m.Kind() != value.Object {
			return wrong(at, "a message must be an object and is %s", article(m.Kind()))
		}
		if err := d.chatMessage(m, at); err != nil {
			return err
		}
	}
	return nil
}

// chatFields are the values of a message's keys.
type chatFields struct {
	content, refusal, calls, legacy value.Value
	extra                           []value.Member
}

// chatMessage reads one message.
func (d *draft) chatMessage(v value.Value, at string) error {
	var m Message
	var f chatFields
	for key, val := range v.Members() {
		switch key {
		case "role":
			role, ok := val.Str()
			if !ok {
				return wrong(at+".role", "the role must be a text and is %s", article(val.Kind()))
			}
			m.Role = Role(role)
		case "content":
			f.content = val
		case "tool_calls":
			f.calls = val
		case "function_call":
			f.legacy = val
		case "tool_call_id":
			m.ResultID = val.Text()
		case "name":
			m.ToolName = val.Text()
		case "reasoning_content", "reasoning":
			if s, ok := val.Str(); ok {
				m.Reasoning = joinLines(m.Reasoning, s)
			} else if !val.IsNull() {
				f.extra = append(f.extra, value.Member{Key: key, Value: val})
			}
		case "is_error":
			m.flag(val)
		case "refusal":
			f.refusal = val
		default:
			if !val.IsNull() {
				f.extra = append(f.extra, value.Member{Key: key, Value: val})
			}
		}
	}
	return d.addChat(m, f, at)
}

func (d *draft) addChat(m Message, f chatFields, at string) error {
	switch {
	case f.refusal.IsNull():
	case f.content.IsNull():
		f.content = f.refusal
	default:
		f.extra = append(f.extra, value.Member{Key: "refusal", Value: f.refusal})
	}
	switch m.Role {
	case System, User, Assistant, ToolRole:
	case "developer":
		m.Role = System
	case "function":
		m.Role = ToolRole
	case "":
		return wrong(at+".role", "the message has no role")
	default:
		d.note("unknown_role", at, "the role "+quote(string(m.Role))+" is kept as user")
		f.extra = append(f.extra, value.Member{Key: "original_role", Value: value.OfString(string(m.Role))})
		m.Role = User
	}
	if m.Role != ToolRole && m.ToolName != "" {
		f.extra = append(f.extra, value.Member{Key: "name", Value: value.OfString(m.ToolName)})
		m.ToolName = ""
	}
	if len(f.extra) > 0 {
		m.Extra = value.OfObject(f.extra...)
	}
	d.content(&m, f.content, at)
	i := d.message(m, at)
	switch {
	case f.calls.IsList():
		for k, c := range f.calls.Elements() {
			if err := d.chatCall(i, c, at+"."+place("tool_calls", k)); err != nil {
				return err
			}
		}
	case !f.calls.IsNull():
		return wrong(at+".tool_calls", "this must be a list of calls and is %s", article(f.calls.Kind()))
	}
	if f.legacy.Kind() == value.Object {
		c := Call{Place: at + ".function_call"}
		c.Name = f.legacy.Field("name").Text()
		args, given := f.legacy.Get("arguments")
		d.arguments(&c, args, given)
		d.call(i, c)
	}
	return nil
}

// chatCall reads one entry of tool_calls: {id, function: {name, arguments}}, a
// custom tool's {id, custom: {name, input}}, or the flat {id, name, arguments}.
func (d *draft) chatCall(message int, v value.Value, at string) error {
	if v.Kind() != value.Object {
		return wrong(at, "a call must be an object and is %s", article(v.Kind()))
	}
	c := Call{Place: at, ID: v.Field("id").Text()}
	switch v.Field("requestor").Text() {
	case "user":
		c.Executor = "user"
	case "server":
		c.Executor = "server"
	}
	c.Context, _ = v.Field("context").BoolVal()
	f := v.Field("function")
	switch {
	case f.Kind() == value.Object:
		args, given := f.Get("arguments")
		c.Name = f.Field("name").Text()
		d.arguments(&c, args, given)
	case v.Field("custom").Kind() == value.Object:
		custom := v.Field("custom")
		c.Name, c.Custom = custom.Field("name").Text(), true
		c.RawArguments = custom.Field("input").Text()
		c.Arguments = object("input", value.OfString(c.RawArguments))
	default:
		c.Name = v.Field("name").Text()
		if c.Name == "" {
			c.Name = f.Text()
		}
		args, given := v.Get("arguments")
		d.arguments(&c, args, given)
	}
	if c.Name == "" {
		d.note("call_without_name", at, "the call names no tool: "+quote(v.JSON()))
	}
	d.call(message, c)
	return nil
}
