package transcript

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The formats that can be read.
const (
	Native        = "native"
	OpenAIChat    = "openai-chat"
	RubricExample = "rubric-example"
	TauBench      = "tau-bench-v1"
	Tau2Results   = "tau2-results"

	AnthropicMessages = "anthropic-messages"

	OpenAIResponse         = "openai-response"
	OpenAIResponsesRequest = "openai-responses-request"
	OpenAIResponsesItems   = "openai-responses-items"
)

// Formats returns the names of the formats that can be read, in the order in which
// help should list them.
func Formats() []string {
	return []string{Native, RubricExample, TauBench, Tau2Results, OpenAIChat, AnthropicMessages,
		OpenAIResponse, OpenAIResponsesRequest, OpenAIResponsesItems}
}

// Detect names the format of a log by the beginning of its text (after gzip and
// byte order mark are off). Of a text that is cut in the middle of a value, what is
// complete decides. known is false for formats that are recognised and cannot be
// read; "" is a format that nobody knows.
func Detect(head []byte) (format string, known bool, err error) {
	v, ok := firstValue(head)
	if !ok {
		return "", false, nil
	}
	format, err = detectValue(v)
	for _, f := range Formats() {
		if f == format {
			return format, true, err
		}
	}
	return format, false, err
}

// detectValue applies the rules to the first value of a log, the first match wins.
func detectValue(v value.Value) (string, error) {
	first := v
	if v.IsList() {
		if v.Len() == 0 {
			return Native, nil
		}
		first = v.At(0)
		if first.Kind() != value.Object {
			return listOfLines(v), nil
		}
	}
	for _, rule := range rules {
		if rule.test(v, first) {
			return rule.format, nil
		}
	}
	switch {
	case first.Field("messages").IsList():
		return chatFamily(first.Field("messages"), first)
	case v.IsList() && first.Has("role"):
		return chatFamily(v, value.Value{})
	}
	return "", nil
}

// listOfLines knows the logs that are lists of lists.
func listOfLines(v value.Value) string {
	if s, ok := v.At(0).Str(); ok && v.Len() == 2 && strings.Contains(s, ".") {
		return "anthropic-managed-agents"
	}
	return ""
}

// rule tests the first value of a log, and its first element where it is a list
// (else the same value again).
type rule struct {
	format string
	test   func(v, first value.Value) bool
}

var rules = []rule{
	{RubricExample, func(v, f value.Value) bool {
		if in := f.Field(envelope); in.Kind() == value.Object {
			f = in
		}
		return f.Has("conversation_context") || f.Has("tools_inventory") && f.Has("tool_call")
	}},
	{"rubric", func(v, f value.Value) bool { return f.Has("jsonschema") && f.Has("examples") }},
	{"judge-scores", func(v, f value.Value) bool { return strings.HasPrefix(f.Field("schema").Text(), "judge.") }},
	{"atif", func(v, f value.Value) bool { return strings.HasPrefix(f.Field("schema_version").Text(), "ATIF-v") }},
	{"otlp+openinference", func(v, f value.Value) bool { return f.Has("resourceSpans") && mentions(f, "openinference.span.kind") }},
	{"otlp+genai", func(v, f value.Value) bool { return f.Has("resourceSpans") && mentions(f, "gen_ai.") }},
	{"otlp-other", func(v, f value.Value) bool { return f.Has("resourceSpans") || f.Field("batches").IsList() }},
	{"otlp-logs", func(v, f value.Value) bool { return f.Has("resourceLogs") }},
	{"inspect-json", func(v, f value.Value) bool { return f.Field("version").IsNumber() && f.Field("eval").Has("task") }},
	{Tau2Results, func(v, f value.Value) bool {
		return f.Field("info").Kind() == value.Object && f.Field("tasks").IsList() && f.Field("simulations").IsList()
	}},
	{"tau2-dir-meta", func(v, f value.Value) bool { return hasAll(f, "info", "tasks", "simulation_index") }},
	{Tau2Results, func(v, f value.Value) bool {
		info := f.Field("info")
		return info.Has("environment_info") && hasAny(f, "tasks", "simulations") || hasAll(info, "user_info", "agent_info")
	}},
	{"tau2-simulation", func(v, f value.Value) bool { return hasAll(f, "task_id", "messages", "termination_reason") }},
	{TauBench, func(v, f value.Value) bool {
		return hasAll(f, "task_id", "reward") && (f.Field("traj").IsList() || f.Field("info").Kind() == value.Object)
	}},
	{"langsmith-run", func(v, f value.Value) bool {
		return f.Has("dotted_order") || hasAll(f, "run_type", "trace_id") || f.Field("post").IsList() && f.Has("patch")
	}},
	{"langfuse-observation", func(v, f value.Value) bool {
		return hasAll(f, "trace_id", "type", "parent_observation_id") || langfuse(f) || langfuse(head(f, "observations"))
	}},
	{"langchain-messages", func(v, f value.Value) bool { return langChain(f) || langChain(head(f, "messages")) }},
	{"bedrock-invocation-log", func(v, f value.Value) bool { return f.Field("schemaType").Text() == "ModelInvocationLog" }},
	{OpenAIResponse, func(v, f value.Value) bool { return f.Field("object").Text() == "response" && f.Has("output") }},
	{OpenAIResponsesRequest, func(v, f value.Value) bool { return !f.Has("messages") && responsesInput(f) }},
	{OpenAIResponsesItems, func(v, f value.Value) bool { return v.IsList() && responsesItem(f) }},
	{"anthropic-message", func(v, f value.Value) bool {
		return f.Field("type").Text() == "message" && f.Field("role").Text() == "assistant" && f.Field("content").IsList() && f.Has("stop_reason")
	}},
	{"mcp-jsonrpc", func(v, f value.Value) bool { return f.Field("jsonrpc").Text() == "2.0" }},
	{"openai-batch-output", func(v, f value.Value) bool { return f.Has("custom_id") && f.Field("response").Has("body") }},
	{"openai-chat-response", func(v, f value.Value) bool { return f.Field("object").Text() == "chat.completion" }},
	{"openinference-flat", func(v, f value.Value) bool { return flatKeys(f) || flatKeys(f.Field("attributes")) }},
	{"http-exchanges", func(v, f value.Value) bool { return f.Has("response") && f.Has("request") && f.Has("url") }},
	{"jaeger", func(v, f value.Value) bool { return f.Field("data").Len() > 0 && f.Field("data").At(0).Has("spans") }},
	{"gemini", func(v, f value.Value) bool { return f.Field("contents").IsList() || f.Field("candidates").IsList() }},
	{"adk-evalset", func(v, f value.Value) bool { return f.Has("eval_cases") }},
	{"sharegpt", func(v, f value.Value) bool {
		c := f.Field("conversations")
		return c.Len() > 0 && c.At(0).Has("from")
	}},
	{"tooltalk", func(v, f value.Value) bool { return hasAll(f, "suites_used", "apis_used") }},
	{"toolbench", func(v, f value.Value) bool { return hasAll(f, "answer_generation") || hasAll(f, "win", "tree") }},
	{"tapeagents", func(v, f value.Value) bool { return f.Field("steps").IsList() && f.Has("metadata") }},
}

func hasAll(v value.Value, keys ...string) bool {
	for _, k := range keys {
		if !v.Has(k) {
			return false
		}
	}
	return true
}

func mentions(v value.Value, text string) bool { return strings.Contains(v.Raw(), `"`+text) }

func flatKeys(v value.Value) bool {
	for k := range v.Members() {
		if strings.HasPrefix(k, "llm.input_messages.") {
			return true
		}
	}
	return false
}

// head is the first element of a list under a key; null where there is none.
func head(v value.Value, key string) value.Value {
	if list := v.Field(key); list.IsList() && list.Len() > 0 {
		return list.At(0)
	}
	return value.Value{}
}

// langfuse reports whether v is an observation as the pages of Langfuse write it.
func langfuse(v value.Value) bool {
	t := v.Field("type").Text()
	return v.Has("traceId") && t != "" && t == strings.ToUpper(t)
}

// langChain reports whether m is a message as LangChain writes it: a constructor with its
// arguments, or a message with a type where others have a role.
func langChain(m value.Value) bool {
	if m.Has("lc") {
		return m.Has("kwargs")
	}
	switch m.Field("type").Text() {
	case "human", "ai", "system", "tool", "function", "chat":
		return !m.Has("role") && hasAny(m, "content", "data")
	}
	return false
}

// responsesInput reports whether the input of a record is one of the Responses API:
// items, messages in their short form, or a text beside the name of a model.
func responsesInput(f value.Value) bool {
	input := f.Field("input")
	if input.Kind() == value.String {
		return f.Has("model")
	}
	return input.IsList() && input.Len() > 0 && (responsesItem(input.At(0)) || hasAll(input.At(0), "role", "content"))
}

// responsesItem reports whether v has the type of an item of the Responses API.
func responsesItem(v value.Value) bool {
	t, _ := v.Field("type").Str()
	switch t {
	case "message", "reasoning", "program", "program_output", "mcp_list_tools", "additional_tools", "item_reference":
		return true
	}
	return strings.HasSuffix(t, "_call") || strings.HasSuffix(t, "_call_output")
}

// chatFamily tells apart the formats whose records hold a list of messages.
func chatFamily(messages, record value.Value) (string, error) {
	openai, anthropic := toolEvidence(record.Field("tools"))
	anthropic = anthropic || record.Has("system")
	for _, m := range messages.Elements() {
		if other := foreignMessage(m); other != "" {
			return other, nil
		}
		switch m.Field("role").Text() {
		case "tool", "developer", "function":
			openai = true
		}
		openai = openai || m.Field("tool_calls").IsList() || m.Field("function_call").Kind() == value.Object
		for _, part := range m.Field("content").Elements() {
			switch part.Field("type").Text() {
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
				anthropic = true
			}
		}
	}
	switch {
	case openai && anthropic:
		return "", fmt.Errorf("the messages mix the forms of OpenAI and Anthropic: say which one with --input-format")
	case anthropic:
		return AnthropicMessages, nil
	case hasAny(record, "expected_calls", "expected_outputs", "labels", "sample"):
		return Native, nil
	}
	return OpenAIChat, nil
}

// foreignMessage names the format of a message that has a role and keeps its calls where
// no format that is read has them.
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
		case t == "" && hasAny(part, "toolUse", "toolResult"):
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

func hasAny(v value.Value, keys ...string) bool {
	for _, k := range keys {
		if v.Has(k) {
			return true
		}
	}
	return false
}

func toolEvidence(tools value.Value) (openai, anthropic bool) {
	for _, t := range tools.Elements() {
		openai = openai || t.Field("function").Kind() == value.Object
		anthropic = anthropic || t.Has("input_schema")
	}
	return openai, anthropic
}

// firstValue parses the first JSON value of head. Where head ends inside it, the
// part that is complete is closed and parsed.
func firstValue(head []byte) (value.Value, bool) {
	head = bytes.TrimSpace(head)
	if len(head) == 0 {
		return value.Value{}, false
	}
	var w walk
	n, done := w.feed(head)
	if done || w.scalar {
		v, err := value.Parse(head[:n])
		if err == nil {
			return v, true
		}
	}
	v, err := value.Parse(closed(head[:n]))
	if err != nil && head[0] == '[' {
		// A later element is broken: the first one decides.
		first, ok := firstValue(head[1:])
		return value.OfList(first), ok
	}
	return v, err == nil && (v.IsList() || v.Kind() == value.Object)
}

// closed cuts a JSON text behind its last complete value and closes what is open
// there.
func closed(text []byte) []byte {
	var open, atGood []byte
	good := 0
	key := false // the next string is a key
	mark := func(i int) { good, atGood = i, append(atGood[:0], open...) }
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := stringEnd(text, i)
			if end < 0 {
				return finish(text[:good], atGood)
			}
			i = end - 1
			if !key {
				mark(end)
			}
		case '{', '[':
			if len(open) > 100 {
				return finish(text[:good], atGood)
			}
			open = append(open, c+2)
			key = c == '{'
			mark(i + 1)
		case '}', ']':
			if len(open) == 0 {
				return finish(text[:good], atGood)
			}
			open = open[:len(open)-1]
			mark(i + 1)
		case ',':
			if good < i && len(open) > 0 {
				mark(i)
			}
			key = len(open) > 0 && open[len(open)-1] == '}'
		case ':':
			key = false
		}
	}
	return finish(text[:good], atGood)
}

func finish(text, open []byte) []byte {
	out := append([]byte(nil), text...)
	for i := len(open) - 1; i >= 0; i-- {
		out = append(out, open[i])
	}
	return out
}

// stringEnd returns the place behind the string that begins at i, -1 where it does
// not end.
func stringEnd(text []byte, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return -1
}
