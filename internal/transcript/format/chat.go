// Messages of OpenAI's Chat Completions, and the native form.
// Written by: clients of OpenAI-compatible APIs, fine-tuning files, and by hand; the native form adds
// expected_calls, labels and sample.
// Read: openai-go v3.95 and go-openai v1.43 (2026), with the deprecated function_call and the reasoning fields
// of vLLM and DeepSeek.
// Lost: ids of messages; what else is not known is kept beside the message.

package format

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/value"
)

var native = format{
	name:    "native",
	callsIn: "messages",
	read:    (*draft).readChat,
}

var openAIChat = format{
	name: "openai-chat",
	read: (*draft).readChat,
}

var openAIChatReply = format{
	name:   "openai-chat-response",
	mark:   "object chat.completion",
	detect: of(func(f value.Value) bool { return f.Field("object").Text() == "chat.completion" }),
	read:   (*draft).readChatReply,
}

// nativeKeys are the keys with a meaning in native records.
var nativeKeys = []string{
	"id", "messages", "tools", "functions", "expected_calls", "only_expected_calls", "expected_outputs", "labels",
	"sample",
}

// readChat reads a native record, which is an OpenAI chat record with additional keys, or a bare
// list of messages.
func (d *draft) readChat(v value.Value) error {
	if v.IsList() {
		return d.messageList(v, "")
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
	return d.messageList(messages, "messages")
}

// native reads the native keys of a record, except those in known, which its format reads itself.
// Unknown keys become Extra.
func (d *draft) native(v value.Value, known ...string) error {
	var extra value.Fields
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
	d.Extra = extra.Object()
	return nil
}

// nativeKey reads one key of a native record; false if it has no meaning.
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

// readChatReply reads {object: "chat.completion", choices: [{message}]}.
func (d *draft) readChatReply(v value.Value) error {
	if err := d.native(v, "choices", "object"); err != nil {
		return err
	}
	for i, c := range v.Field("choices").Elements() {
		if i > 0 {
			d.drop("choice")
			continue
		}
		m := c.Field("message")
		if finish := c.Field("finish_reason"); !finish.IsNull() && m.Kind() == value.Object {
			m = m.With("finish_reason", finish)
		}
		if err := d.oneMessage(m, "choices[0].message"); err != nil {
			return err
		}
	}
	return nil
}

// evidence counts the signs of one of the chat formats, and keeps the first.
type evidence struct {
	count int
	first string
}

func (e *evidence) add(mark string, found bool) {
	if !found {
		return
	}
	if e.count++; e.count == 1 {
		e.first = mark
	}
}

func (e *evidence) String() string {
	if e.count == 1 {
		return e.first
	}
	return fmt.Sprintf("%s and %d more marks", e.first, e.count-1)
}

// chatEvidence counts the signs of OpenAI's and Anthropic's formats in all messages. A message with
// role system is not a sign: both formats have it.
func chatEvidence(messages, record value.Value) (openai, anthropic evidence) {
	anthropic.add("a top-level system", record.Has("system"))
	for i, t := range record.Field("tools").Elements() {
		openai.add(place("tools", i)+".function", t.Field("function").Kind() == value.Object)
		anthropic.add(place("tools", i)+".input_schema", t.Has("input_schema"))
	}
	for i, m := range messages.Elements() {
		at := place("messages", i)
		switch role := m.Field("role").Text(); role {
		case "tool", "developer", "function":
			openai.add(at+" of role "+role, true)
		}
		openai.add(at+".tool_calls", m.Field("tool_calls").IsList())
		openai.add(at+".function_call", m.Field("function_call").Kind() == value.Object)
		for k, part := range m.Field("content").Elements() {
			switch t := part.Field("type").Text(); t {
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
				anthropic.add(at+"."+place("content", k)+" of type "+t, !part.Has("value"))
			}
		}
	}
	return openai, anthropic
}

// chatFamily distinguishes the formats whose records contain a list of messages. If there are signs
// of both, one must have twice as many as the other.
func chatFamily(messages, record value.Value) (Detection, error) {
	for i, m := range messages.Elements() {
		if other := foreignMessage(m); other != "" {
			return Detection{Format: other, Evidence: "the form of " + place("messages", i)}, nil
		}
	}
	openai, anthropic := chatEvidence(messages, record)
	switch {
	case openai.count > 0 && anthropic.count > 0:
		return mixedChat(openai, anthropic)
	case anthropic.count > 0:
		return Detection{Format: anthropicMessages.name, Evidence: anthropic.String()}, nil
	case record.HasAny("expected_calls", "expected_outputs", "labels", "sample"):
		return Detection{Format: native.name, Evidence: "messages with keys of the native format"}, nil
	case openai.count > 0:
		return Detection{Format: openAIChat.name, Evidence: openai.String()}, nil
	}
	return Detection{Format: openAIChat.name, Evidence: "messages with a role and no calls"}, nil
}

func mixedChat(openai, anthropic evidence) (Detection, error) {
	marks := fmt.Sprintf("%d marks of OpenAI's form (%s), %d of Anthropic's (%s)", openai.count, openai.first,
		anthropic.count, anthropic.first)
	switch {
	case openai.count >= 2*anthropic.count:
		return Detection{Format: openAIChat.name, Evidence: marks, Also: []string{anthropicMessages.name}}, nil
	case anthropic.count >= 2*openai.count:
		return Detection{Format: anthropicMessages.name, Evidence: marks, Also: []string{openAIChat.name}}, nil
	}
	return Detection{}, fmt.Errorf("the messages mix the forms of OpenAI and Anthropic: %s; "+
		"say which one with --input-format %s or %s", marks, openAIChat.name, anthropicMessages.name)
}
