package transcript

import (
	"errors"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The formats that can be read.
const (
	native                 = "native"
	openAIChat             = "openai-chat"
	rubricExample          = "rubric-example"
	tauBench               = "tau-bench-v1"
	tau2Results            = "tau2-results"
	anthropicMessages      = "anthropic-messages"
	openAIResponse         = "openai-response"
	openAIResponsesRequest = "openai-responses-request"
	openAIResponsesItems   = "openai-responses-items"
)

// format is one kind of log.
type format struct {
	name string
	// is recognises a log by its first value: v is that value, and f its first element
	// where it is a list, else the same again. Nil where chatFamily decides.
	is func(v, f value.Value) bool
	// read reads one record; nil for a format that is recognised and cannot be read.
	read func(d *draft, record value.Value) error
	// in is where the records are, where they are neither lines nor the log's own list.
	in *envelope
}

// formats returns all of them. Of those that recognise a log the first one counts.
func formats() []format {
	return []format{
		{name: native, read: (*draft).readChat},
		{name: rubricExample, is: isRubricExample, read: (*draft).readRubricExample},
		{name: "rubric", is: func(v, f value.Value) bool { return hasAll(f, "jsonschema", "examples") }},
		{name: "judge-scores", is: starts("schema", "judge.")},
		{name: "atif", is: starts("schema_version", "ATIF-v")},
		{name: "otlp+openinference", is: func(v, f value.Value) bool {
			return f.Has("resourceSpans") && strings.Contains(f.Raw(), `"openinference.span.kind`)
		}},
		{name: "otlp+genai", is: func(v, f value.Value) bool {
			return f.Has("resourceSpans") && strings.Contains(f.Raw(), `"gen_ai.`)
		}},
		{name: "otlp-other", is: func(v, f value.Value) bool {
			return f.Has("resourceSpans") || f.Field("batches").IsList()
		}},
		{name: "otlp-logs", is: has("resourceLogs")},
		{name: "inspect-json", is: func(v, f value.Value) bool {
			return f.Field("version").IsNumber() && f.Field("eval").Has("task")
		}},
		{name: tauBench, is: func(v, f value.Value) bool {
			return hasAll(f, "task_id", "reward") && (f.Field("traj").IsList() ||
				f.Field("info").Kind() == value.Object)
		}, read: (*draft).readTau},
		{name: tau2Results, is: isTau2, read: (*draft).readTau2,
			in: &envelope{"simulations", []string{"info", "tasks"}}},
		{name: "tau2-dir-meta", is: has("info", "tasks", "simulation_index")},
		{name: "tau2-simulation", is: has("task_id", "messages", "termination_reason")},
		{name: openAIChat, read: (*draft).readChat},
		{name: anthropicMessages, read: (*draft).readAnthropic},
		{name: "langsmith-run", is: func(v, f value.Value) bool {
			return f.Has("dotted_order") || hasAll(f, "run_type", "trace_id") || f.Field("post").IsList() &&
				f.Has("patch")
		}},
		{name: "langfuse-observation", is: func(v, f value.Value) bool {
			return hasAll(f, "trace_id", "type", "parent_observation_id") ||
				langfuse(f) || langfuse(element(f.Field("observations")))
		}},
		{name: "langchain-messages", is: func(v, f value.Value) bool {
			return langChain(f) || langChain(element(f.Field("messages")))
		}},
		{name: "bedrock-invocation-log", is: starts("schemaType", "ModelInvocationLog")},
		{name: openAIResponse, is: func(v, f value.Value) bool {
			return f.Field("object").Text() == "response" && f.Has("output")
		}, read: (*draft).readResponses},
		{name: openAIResponsesRequest, is: func(v, f value.Value) bool {
			return !f.Has("messages") && responsesInput(f)
		}, read: (*draft).readResponses},
		{name: openAIResponsesItems, is: func(v, f value.Value) bool {
			return v.IsList() && responsesItem(f)
		}, read: (*draft).readResponses},
		{name: "anthropic-message", is: func(v, f value.Value) bool {
			return f.Field("type").Text() == "message" && f.Field("role").Text() == "assistant" &&
				f.Field("content").IsList() && f.Has("stop_reason")
		}},
		{name: "mcp-jsonrpc", is: starts("jsonrpc", "2.0")},
		{name: "openai-batch-output", is: func(v, f value.Value) bool {
			return f.Has("custom_id") && f.Field("response").Has("body")
		}},
		{name: "openai-chat-response", is: starts("object", "chat.completion")},
		{name: "openinference-flat", is: func(v, f value.Value) bool {
			return flatKeys(f) || flatKeys(f.Field("attributes"))
		}},
		{name: "http-exchanges", is: has("response", "request", "url")},
		{name: "jaeger", is: func(v, f value.Value) bool { return element(f.Field("data")).Has("spans") }},
		{name: "gemini", is: func(v, f value.Value) bool {
			return f.Field("contents").IsList() || f.Field("candidates").IsList()
		}},
		{name: "adk-evalset", is: has("eval_cases")},
		{name: "sharegpt", is: func(v, f value.Value) bool { return element(f.Field("conversations")).Has("from") }},
		{name: "tooltalk", is: has("suites_used", "apis_used")},
		{name: "toolbench", is: func(v, f value.Value) bool {
			return f.Has("answer_generation") || hasAll(f, "win", "tree")
		}},
		{name: "tapeagents", is: func(v, f value.Value) bool { return f.Field("steps").IsList() && f.Has("metadata") }},
		{name: "anthropic-managed-agents", is: func(v, f value.Value) bool {
			s, ok := f.Str()
			return v.Len() == 2 && ok && strings.Contains(s, ".")
		}},
	}
}

// Formats returns the names of the formats that can be read, in the order in which
// help should list them.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		if f.read != nil {
			names = append(names, f.name)
		}
	}
	return names
}

// formatOf finds a format that can be read; nil where there is none of the name.
func formatOf(name string) *format {
	for _, f := range formats() {
		if f.name == name && f.read != nil {
			return &f
		}
	}
	return nil
}

// Detect names the format of a log by the beginning of its text (after gzip and
// byte order mark are off). Of a text that is cut in the middle of a value, what is
// complete decides. known is false for formats that are recognised and cannot be
// read; "" is an unknown format.
func Detect(head []byte) (name string, known bool, err error) {
	name, err = detect(firstValue(head))
	return name, formatOf(name) != nil, err
}

// firstValue is the first JSON value of head, as far as it is complete; null where it is
// no list or object.
func firstValue(head []byte) value.Value {
	return value.ParsePrefix(string(head))
}

func detect(v value.Value) (string, error) {
	first := v
	if v.IsList() {
		if v.Len() == 0 {
			return native, nil
		}
		first = v.At(0)
	}
	for _, f := range formats() {
		if f.is != nil && f.is(v, first) {
			return f.name, nil
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

// has tests for keys, starts for the beginning of the text under a key.
func has(keys ...string) func(v, f value.Value) bool {
	return func(_, f value.Value) bool { return hasAll(f, keys...) }
}

func starts(key, text string) func(v, f value.Value) bool {
	return func(_, f value.Value) bool { return strings.HasPrefix(f.Field(key).Text(), text) }
}

func hasAll(v value.Value, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return !v.Has(k) })
}

func hasAny(v value.Value, keys ...string) bool { return slices.ContainsFunc(keys, v.Has) }

// element is the first element of a list; null where there is none.
func element(list value.Value) value.Value {
	if !list.IsList() || list.Len() == 0 {
		return value.Value{}
	}
	return list.At(0)
}

func flatKeys(v value.Value) bool {
	for k := range v.Members() {
		if strings.HasPrefix(k, "llm.input_messages.") {
			return true
		}
	}
	return false
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

// chatFamily distinguishes the formats whose records hold a list of messages.
func chatFamily(messages, record value.Value) (string, error) {
	openai, anthropic := false, record.Has("system")
	for _, t := range record.Field("tools").Elements() {
		openai = openai || t.Field("function").Kind() == value.Object
		anthropic = anthropic || t.Has("input_schema")
	}
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
		return "", errors.New("the messages mix the forms of OpenAI and Anthropic: say which one with --input-format")
	case anthropic:
		return anthropicMessages, nil
	case hasAny(record, "expected_calls", "expected_outputs", "labels", "sample"):
		return native, nil
	}
	return openAIChat, nil
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
