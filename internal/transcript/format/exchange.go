package format

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The paths to the parts of a conversation in requests and replies of model APIs.
var (
	systemPaths = []string{"system", "systemInstruction", "system_instruction", "instructions", "config.systemInstruction",
		"config.system_instruction", "system_prompt"}
	toolPaths = []string{"tools", "functions", "toolConfig.tools", "config.tools", "model_parameters.tools",
		"optional_params.tools", "tool_definitions", "available_tools"}
	promptPaths = []string{"messages", "contents", "input", "prompt", "query", "question", "user"}
	// replyPaths lead to the message of a reply, or to a list of messages or parts.
	replyPaths = []string{"choices[0].message", "candidates[0].content", "output.message", "response.messages",
		"messages", "message", "choices[0].text", "output", "content", "completion", "text", "generated_text", "outputs"}
)

// exchange reads a request to a model and its reply.
func (d *draft) exchange(request, reply value.Value) error {
	reply = under("output", joined(reply))
	if at, path := found(request, systemPaths...); !at.IsNull() {
		t := turns{draft: d}
		if err := t.whole(transcript.System, systemBody(at), path); err != nil {
			return err
		}
		t.flush()
	}
	if tools, _ := found(request, toolPaths...); !tools.IsNull() {
		d.useTools(tools)
	}
	prompt, promptAt := found(request, promptPaths...)
	answer, answerAt := found(reply, replyPaths...)
	if !prompt.IsNull() && !(answer.IsList() && beginsWith(answer, prompt)) {
		if err := d.prompt(prompt, promptAt); err != nil {
			return err
		}
	}
	if answer.IsNull() {
		return nil
	}
	return d.answer(answer, answerAt)
}

// beginsWith reports whether list begins with the elements of another one: a state repeats the agent's input.
func beginsWith(list, other value.Value) bool {
	if !other.IsList() || other.Len() == 0 || other.Len() > list.Len() {
		return false
	}
	for i, e := range other.Elements() {
		if !value.Equal(e, list.At(i)) {
			return false
		}
	}
	return true
}

// systemBody converts a system prompt of any form to the content of a message.
func systemBody(v value.Value) value.Value {
	if v.Kind() == value.Object && v.HasAny(contentKeys...) {
		return v
	}
	return value.Pairs("content", v)
}

// prompt reads the input of a model: a text, one message, or a list of messages.
func (d *draft) prompt(v value.Value, at string) error {
	v = v.Decoded()
	switch {
	case v.IsList() && v.Len() > 0 && v.At(0).IsList(): // the turns of a benchmark
		for i, turn := range v.Elements() {
			if err := d.prompt(turn, at+indexed(i)); err != nil {
				return err
			}
		}
		return nil
	case v.IsList() && typedKind(v.Head().Field("type").Text(), v.Head()) == textPart && !v.Head().HasAny(roleKeys...):
		d.messageOf(transcript.User, v, at)
		return nil
	case v.IsList():
		return d.messageList(v, at)
	case v.Kind() == value.Object && v.HasAny(roleKeys...):
		return d.messageList(value.OfList(v), at)
	case v.Kind() == value.Object:
		if inner, path := found(v, promptPaths...); !inner.IsNull() {
			return d.prompt(inner, at+"."+path)
		}
	}
	d.messageOf(transcript.User, v, at)
	return nil
}

// flatItems reports whether a list contains calls or results of the Responses API, which are beside
// the messages.
func flatItems(list value.Value) bool {
	for _, e := range list.Elements() {
		switch t := e.Field("type").Text(); t {
		case "tool_call", "invalid_tool_call", "server_tool_call":
		default:
			if strings.HasSuffix(t, "_call") || strings.HasSuffix(t, "_call_output") {
				return true
			}
		}
	}
	return false
}

// answer reads the output of a model: a message, several, a list of parts or of calls, a text, or
// any of these as JSON or Python in a text.
func (d *draft) answer(v value.Value, at string) error {
	v = v.Decoded()
	t := turns{draft: d}
	if v.Kind() == value.Object && !v.HasAny(roleKeys...) && !isCall(v) {
		if inner, path := found(v, replyPaths...); !inner.IsNull() && !v.HasAny(callListKeys...) {
			return d.answer(inner, at+"."+path)
		}
	}
	calls, areCalls := writtenCalls(v)
	if !areCalls && v.IsList() && (flatItems(v) || roleWord(v.Head(), v.Head()) != "") {
		return t.list(v, at)
	}
	defer t.flush()
	if v.Kind() == value.Object && v.HasAny(roleKeys...) {
		return t.message(v, at)
	}
	t.begin(transcript.Assistant, at)
	for i, c := range calls {
		t.callPart(c, at+indexed(i))
	}
	if areCalls {
		return nil
	}
	if v.Kind() != value.Object || !v.HasAny(contentKeys...) && !v.HasAny(callListKeys...) {
		v = value.Pairs("content", v)
	}
	return t.body(v, at)
}

// isCall reports whether v is a call: a name and arguments, under any usual keys.
func isCall(v value.Value) bool {
	in := nested(v)
	return in.Kind() == value.Object && in.FirstText(callNameKeys...) != "" && in.HasAny(argumentKeys...)
}

// writtenCalls reads a list of calls: {name, arguments} under any usual keys, {name: arguments}, or
// the text of Python calls. A single call counts as a list of one.
func writtenCalls(v value.Value) ([]value.Value, bool) {
	if s, ok := v.Str(); ok {
		return pythonCalls(s)
	}
	if v.Kind() == value.Object {
		v = value.OfList(v)
	}
	var calls []value.Value
	for _, e := range v.Elements() {
		if s, ok := e.Str(); ok {
			if inner := e.Decoded(); inner.Kind() == value.Object {
				e = inner
			} else if more, ok := pythonCalls(s); ok {
				calls = append(calls, more...)
				continue
			}
		}
		switch {
		case isCall(e):
		case e.Kind() == value.Object && e.Len() == 1 && e.At(0).Decoded().Kind() == value.Object:
			e = callOf(e.KeyAt(0), e.At(0))
		default:
			return nil, false
		}
		calls = append(calls, e)
	}
	return calls, len(calls) > 0
}

func callOf(name string, arguments value.Value) value.Value {
	return value.Pairs("name", value.OfString(name)).With("arguments", arguments)
}

// pythonCalls reads "[f(a=1), g()]", also inside the tags that models put around it.
func pythonCalls(s string) ([]value.Value, bool) {
	s = strings.TrimSpace(s)
	for _, tag := range []string{"<TOOLCALL>", "</TOOLCALL>"} {
		s = strings.TrimSpace(strings.ReplaceAll(s, tag, ""))
	}
	if inner := value.OfString(s).Decoded(); inner.Kind() != value.String {
		return writtenCalls(inner)
	}
	if !strings.HasSuffix(s, ")") && !strings.HasSuffix(s, ")]") {
		return nil, false
	}
	list, err := pycall.Parse(s, pycall.BFCL)
	if err != nil {
		return nil, false
	}
	out := make([]value.Value, 0, len(list))
	for i := range list {
		out = append(out, callOf(list[i].Name, list[i].Arguments))
	}
	return out, len(out) > 0
}
