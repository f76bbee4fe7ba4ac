package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Most messages of most logs have the fields of OpenAI's chat and no others. What turns.message and
// turns.readCall find in them by trying the names of all frameworks is read here in one pass, which
// takes a quarter off the time to read a chat log. TestPlainMessages compares the two ways.

// plainMessage reads a message whose only fields are role, content (a text) and tool_calls or, for
// a result, tool_call_id and name. It reports whether v is such a message.
func (t *turns) plainMessage(v value.Value, at string) (plain bool, err error) {
	var role, content, calls, id, name value.Value
	for key, field := range v.Members() {
		switch key {
		case "role":
			role = field
		case "content":
			content = field
		case "tool_calls":
			calls = field
		case "tool_call_id":
			id = field
		case "name":
			name = field
		default:
			return false, nil
		}
	}
	isText := content.Kind() == value.String
	switch {
	case role.Text() == "tool" && isText && calls.IsNull() && id.Kind() == value.String:
		t.begin(transcript.ToolRole, at)
		t.open.begun = false // the result is the message
		m := transcript.Message{ResultID: id.Text()}
		if name.Kind() == value.String || name.IsNumber() {
			m.ToolName = name.Text()
		}
		t.answer(toolMessage{Message: m, content: content, at: at}, true)
		return true, nil
	case !isText && !content.IsNull(), !name.IsNull():
		return false, nil
	}
	speaker := transcript.Role(role.Text())
	if speaker != transcript.User && speaker != transcript.Assistant && speaker != transcript.System {
		return false, nil
	}
	if !t.continues(speaker, "") {
		t.begin(speaker, at)
	}
	t.open.extra, t.open.ahead = value.Value{}, false
	t.text(content, at)
	if calls.IsNull() {
		return true, nil
	}
	return true, t.callLists(v, at)
}

// plainCall reads a call {id, type: "function", function: {name, arguments}}. It reports whether p is one.
func (t *turns) plainCall(p value.Value, at string) (c transcript.Call, plain bool) {
	var id, function, name, arguments value.Value
	for key, field := range p.Members() {
		switch {
		case key == "id":
			id = field
		case key == "function":
			function = field
		case key != "type" || field.Text() != "function":
			return c, false
		}
	}
	for key, field := range function.Members() {
		switch key {
		case "name":
			name = field
		case "arguments":
			arguments = field
		default:
			return c, false
		}
	}
	if id.Kind() != value.String || name.Kind() != value.String || arguments.IsNull() {
		return c, false
	}
	c = transcript.Call{Place: at, ID: id.Text(), Name: name.Text()}
	t.arguments(&c, arguments, true)
	return c, true
}
