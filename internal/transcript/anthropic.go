package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readAnthropic reads a record of Anthropic messages: {system, tools, messages} and
// the further keys of native records. A tool_result block becomes a tool message of
// its own before the rest of its message; calls that the provider runs have the
// executor "server", and their results stand behind the message that holds both.
func (d *draft) readAnthropic(v value.Value) error {
	messages, list := v, ""
	if !v.IsList() {
		if v.Kind() != value.Object {
			return wrong("", "a conversation must be an object with messages and is %s", article(v.Kind()))
		}
		messages, list = v.Field("messages"), "messages"
		var extra []value.Member
		for key, val := range v.Members() {
			if key == "system" {
				d.anthropicSystem(val)
				continue
			}
			if err := d.nativeKey(key, val, &extra); err != nil {
				return err
			}
		}
		if len(extra) > 0 {
			d.Extra = value.OfObject(extra...)
		}
	}
	if !messages.IsList() {
		return wrong(list, "this must be a list of messages and is %s", article(messages.Kind()))
	}
	for i, m := range messages.Elements() {
		at := place(list, i)
		role := m.Field("role").Text()
		if role == "" {
			return wrong(at, "a message must be an object with a role")
		}
		if err := d.anthropicMessage(m, role, at); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) anthropicSystem(v value.Value) {
	if v.IsNull() {
		return
	}
	m := Message{Role: System}
	d.content(&m, v, "system")
	d.message(m, "system")
}

func (d *draft) anthropicMessage(v value.Value, role, at string) error {
	content := v.Field("content")
	m := Message{Role: Role(role)}
	f := chatFields{content: content}
	for key, val := range v.Members() {
		if key != "role" && key != "content" && !val.IsNull() {
			f.extra = append(f.extra, value.Member{Key: key, Value: val})
		}
	}
	if !content.IsList() {
		return d.addChat(m, f, at)
	}
	var own, uses, results []value.Value
	var places []string
	for i, b := range content.Elements() {
		t := b.Field("type").Text()
		switch {
		case strings.HasSuffix(t, "tool_use"):
			uses = append(uses, b)
			places = append(places, at+"."+place("content", i))
		case strings.HasSuffix(t, "tool_result"):
			results = append(results, b)
		default:
			own = append(own, b)
		}
	}
	if m.Role != Assistant {
		d.anthropicResults(results, at)
		if len(own) == 0 && len(uses) == 0 && len(results) > 0 {
			return nil
		}
	}
	f.content = value.Value{}
	if len(own) > 0 || content.Len() == 0 {
		f.content = value.OfList(own...)
	}
	if err := d.addChat(m, f, at); err != nil {
		return err
	}
	message := len(d.Messages) - 1
	for i, use := range uses {
		d.anthropicCall(message, use, places[i])
	}
	if m.Role == Assistant {
		d.anthropicResults(results, at)
	}
	return nil
}

func (d *draft) anthropicCall(message int, b value.Value, at string) {
	c := Call{Place: at, ID: b.Field("id").Text(), Name: strings.Clone(b.Field("name").Text())}
	if b.Field("type").Text() != "tool_use" {
		c.Executor = "server"
	}
	input, given := b.Get("input")
	d.arguments(&c, input, given)
	if c.Name == "" {
		d.note("call_without_name", at, "the call names no tool: "+quote(b.JSON()))
	}
	d.call(message, c)
}

func (d *draft) anthropicResults(results []value.Value, at string) {
	for _, b := range results {
		m := Message{Role: ToolRole, ResultID: b.Field("tool_use_id").Text()}
		m.flag(b.Field("is_error"))
		content := b.Field("content")
		if strings.HasSuffix(content.Field("type").Text(), "_error") {
			m.IsError, m.Succeeded = true, false
		}
		d.content(&m, content, at)
		d.message(m, at)
	}
}
