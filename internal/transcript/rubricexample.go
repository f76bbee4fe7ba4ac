package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readRubricExample reads a record of {conversation_context, tools_inventory,
// tool_call}. In the context a message of role "tool" holds a whole call: its name,
// its parameters and its output. Such calls are history: only tool_call is to be
// scored. It has no result.
func (d *draft) readRubricExample(v value.Value) error {
	var extra []value.Member
	var context, call value.Value
	for key, val := range v.Members() {
		switch key {
		case "conversation_context":
			context = val
		case "tool_call", "tool_calls":
			call = val
		case "tools_inventory", "tools":
			d.useTools(val)
		case "messages":
			extra = append(extra, value.Member{Key: "log_messages", Value: val})
		default:
			if err := d.nativeKey(key, val, &extra); err != nil {
				return err
			}
		}
	}
	if len(extra) > 0 {
		d.Extra = value.OfObject(extra...)
	}
	if err := d.context(context); err != nil {
		return err
	}
	for i := range d.Calls {
		d.Calls[i].Context = true
	}
	return d.askedCalls(call)
}

func (d *draft) context(v value.Value) error {
	if s, ok := v.Str(); ok {
		if parsed, err := value.ParseString(s); err == nil && parsed.IsList() {
			v = parsed
		} else {
			d.note("context_is_text", "conversation_context", "the context is one text and stands as one user message")
			d.message(Message{Role: User, Content: s, HasContent: true}, "conversation_context")
			return nil
		}
	}
	if v.IsNull() {
		return nil
	}
	if !v.IsList() {
		return wrong("conversation_context", "this must be a list of messages and is %s", article(v.Kind()))
	}
	for i, m := range v.Elements() {
		at := place("conversation_context", i)
		if m.Kind() != value.Object {
			return wrong(at, "a message must be an object and is %s", article(m.Kind()))
		}
		var err error
		if m.Field("role").Text() == "tool" && (m.Has("parameters") || m.Has("output")) {
			err = d.contextCall(m, at)
		} else {
			err = d.chatMessage(m, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contextCall reads a tool message that holds a call and its output: it becomes a
// message of the agent with the call, and the tool's answer.
func (d *draft) contextCall(m value.Value, at string) error {
	c := Call{Place: at, Name: m.Field("name").Text(), Pairing: "id"}
	for _, key := range []string{"parameters", "arguments", "args"} {
		if args, given := m.Get(key); given {
			d.arguments(&c, args, true)
			break
		}
	}
	if c.RawArguments == "" && !c.Malformed {
		c.Arguments, c.RawArguments = value.OfObject(), "{}"
	}
	d.call(d.message(Message{Role: Assistant}, at), c)
	output, given := m.Get("output")
	if !given {
		if output, given = m.Get("content"); !given {
			d.Calls[len(d.Calls)-1].Pairing = ""
			return nil
		}
	}
	result := Message{Role: ToolRole, ToolName: c.Name}
	result.flag(m.Field("is_error"))
	if output.IsNull() {
		output = value.OfString("null")
	}
	if output.IsList() && !typed(output) || output.Kind() == value.Object {
		result.Output, result.Content, result.HasContent = output, output.JSON(), true
	} else {
		d.content(&result, output, at)
	}
	i := d.message(result, at)
	d.link(len(d.Calls)-1, i, "id")
	return nil
}

// askedCalls adds the call that the record asks about, in a message of its own.
func (d *draft) askedCalls(v value.Value) error {
	if s, ok := v.Str(); ok {
		parsed, err := value.ParseString(s)
		if err != nil {
			return wrong("tool_call", "the call is a text that is no JSON: %v", err)
		}
		v = parsed
	}
	list := []value.Value{v}
	if v.IsList() {
		list = list[:0]
		for _, e := range v.Elements() {
			list = append(list, e)
		}
	}
	if v.IsNull() || len(list) == 0 {
		return wrong("tool_call", "the record has no tool_call to judge")
	}
	message := d.message(Message{Role: Assistant}, "tool_call")
	for _, e := range list {
		if e.Kind() != value.Object {
			return wrong("tool_call", "the call must be an object and is %s", article(e.Kind()))
		}
		d.askedCall(message, e)
	}
	return nil
}

func (d *draft) askedCall(message int, v value.Value) {
	c := Call{Place: "tool_call", ID: v.Field("id").Text()}
	if f := v.Field("function"); f.Kind() == value.Object {
		v = f
	}
	c.Name = strings.Clone(v.Field("name").Text())
	if c.Name == "" {
		c.Name = v.Field("function").Text()
	}
	var args value.Value
	given := false
	for _, key := range []string{"arguments", "parameters", "args", "input", "kwargs"} {
		if args, given = v.Get(key); given {
			break
		}
	}
	d.arguments(&c, args, given)
	if c.Name == "" {
		d.note("call_without_name", c.Place, "the call names no tool: "+quote(v.JSON()))
	}
	d.call(message, c)
}
