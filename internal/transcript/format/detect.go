package format

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Detection says what a log was taken for, and why.
type Detection struct {
	// Format is the name of the format, "" where none is known.
	Format string
	// Readable says that it is one of Formats.
	Readable bool
	// Evidence says what decided, in words for people: the rule that fired.
	Evidence string
	// Also are the other readable formats whose rules the log meets.
	Also []string
}

// Detect names the format of a log by the beginning of its text (after compression and
// byte order mark are off). Of a text that is cut in the middle of a value, what is
// complete decides. An error says that two formats fit and none of them better.
func Detect(head []byte) (Detection, error) {
	d, err := detect(firstValue(head))
	d.Readable = formatOf(d.Format) != nil
	return d, err
}

// firstValue is the first JSON value of head, as far as it is complete; null where it is
// no list or object.
func firstValue(head []byte) value.Value {
	return value.ParsePrefix(string(head))
}

// detect applies the rules in their order: the first that fires decides, the others that
// fire too are named.
func detect(v value.Value) (Detection, error) {
	first := v
	if v.IsList() {
		if v.Len() == 0 {
			return Detection{Format: native, Evidence: "an empty list"}, nil
		}
		first = v.At(0)
	}
	var d Detection
	for _, f := range formats() {
		switch {
		case f.is == nil || !f.is(v, first):
		case d.Format == "":
			d = Detection{Format: f.name, Evidence: f.mark}
		case f.read != nil && !f.loose && family(f.name) != family(d.Format):
			d.Also = append(d.Also, f.name)
		}
	}
	switch {
	case d.Format != "":
		return d, nil
	case first.Field("messages").IsList():
		return chatFamily(first.Field("messages"), first)
	case v.IsList() && first.Has("role"):
		return chatFamily(v, value.Value{})
	}
	return Detection{}, nil
}

// family is the part of a format's name that its variants share.
func family(name string) string {
	family, _, _ := strings.Cut(name, "+")
	return strings.TrimSuffix(family, "-other")
}

// evidence counts the marks of one of the chat formats, and keeps the first.
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

// chatEvidence counts the marks of OpenAI's and of Anthropic's form over all messages. A
// message of role system is no mark: both have it.
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
				anthropic.add(at+"."+place("content", k)+" of type "+t, true)
			}
		}
	}
	return openai, anthropic
}

// chatFamily distinguishes the formats whose records hold a list of messages. Where the
// marks of two are mixed, one must have twice as many as the other.
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
		return Detection{Format: anthropicMessages, Evidence: anthropic.String()}, nil
	case record.HasAny("expected_calls", "expected_outputs", "labels", "sample"):
		return Detection{Format: native, Evidence: "messages with keys of the native format"}, nil
	case openai.count > 0:
		return Detection{Format: openAIChat, Evidence: openai.String()}, nil
	}
	return Detection{Format: openAIChat, Evidence: "messages with a role and no calls"}, nil
}

func mixedChat(openai, anthropic evidence) (Detection, error) {
	marks := fmt.Sprintf("%d marks of OpenAI's form (%s), %d of Anthropic's (%s)", openai.count, openai.first,
		anthropic.count, anthropic.first)
	switch {
	case openai.count >= 2*anthropic.count:
		return Detection{Format: openAIChat, Evidence: marks, Also: []string{anthropicMessages}}, nil
	case anthropic.count >= 2*openai.count:
		return Detection{Format: anthropicMessages, Evidence: marks, Also: []string{openAIChat}}, nil
	}
	return Detection{}, fmt.Errorf("the messages mix the forms of OpenAI and Anthropic: %s; "+
		"say which one with --input-format %s or %s", marks, openAIChat, anthropicMessages)
}

// foreignMessage names the format of a message that has a role and keeps its calls where
// neither OpenAI nor Anthropic has them.
func foreignMessage(m value.Value) string {
	for _, part := range m.Field("parts").Elements() {
		t := part.Field("type").Text()
		if strings.HasPrefix(t, "tool-") || t == "dynamic-tool" || t == "step-start" || part.Has("text") {
			return "vercel-ui-messages"
		}
	}
	for _, part := range m.Field("content").Elements() {
		t := part.Field("type").Text()
		switch {
		case t == "tool-call" || t == "tool-result":
			return "vercel-model-messages"
		case t == "" && part.HasAny("toolUse", "toolResult"):
			return "bedrock-converse"
		}
	}
	switch {
	case m.Has("parts"):
		return "otel-messages"
	case m.Field("toolInvocations").IsList():
		return "vercel-ui-messages"
	}
	return ""
}

// flatKeys reports whether v has the attributes of a span of a model or a tool.
func flatKeys(v value.Value) bool {
	for k := range v.Members() {
		if strings.HasPrefix(k, "llm.input_messages.") || strings.HasPrefix(k, "gen_ai.") || k == "openinference.span.kind" {
			return true
		}
	}
	return false
}

// langChain reports whether m is a message as LangChain writes it: a constructor with its
// arguments, or a message with a type where others have a role.
func langChain(m value.Value) bool {
	if m.Has("lc") {
		return m.Has("kwargs")
	}
	switch m.Field("type").Text() {
	case "human", "ai", "system", "tool", "function", "chat":
		return !m.Has("role") && m.HasAny("content", "data")
	}
	return false
}
