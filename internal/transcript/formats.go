package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The formats whose names are used in code.
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
	// mark says in words what is recognises.
	mark string
	// is recognises a log by its first value: v is that value, and f its first element
	// where it is a list, else the same again. Nil where chatFamily decides.
	is func(v, f value.Value) bool
	// read reads one record; nil for a format that is recognised and cannot be read.
	read func(d *draft, record value.Value) error
	// in is where the records are, where they are neither lines nor the log's own list.
	in *envelope
	// bare says that the elements of a log that is a list are the messages of one
	// conversation; nil where a role says so.
	bare func(f value.Value) bool
	// parts is set where a conversation is spread over the log: it cuts a record into the
	// parts of conversations, and read gets the list of all parts of one conversation in
	// the order of the log.
	parts func(record value.Value, add func(part))
	// loose says that many logs meet the rule: where another one fits, this one is not named.
	loose bool
	// advice says what to do with a format that cannot be read; it may be "".
	advice string
}

// formats returns all of them, in the order in which their rules are tried. Each format
// that is read has a file of its own.
func formats() []format {
	return append([]format{
		{name: native, read: (*draft).readChat},
		{name: rubricExample, mark: "the keys of a rubric's example", is: isRubricExample,
			read: (*draft).readRubricExample},
		{name: "rubric", mark: "jsonschema and examples", is: has("jsonschema", "examples"),
			advice: "this is a rubric, not a log"},
		{name: "judge-scores", mark: "schema judge.…", is: starts("schema", "judge."),
			advice: "this is an output of judge, not a log"},
		{name: "atif", mark: "schema_version ATIF-v…", is: starts("schema_version", "ATIF-v"),
			read: (*draft).readATIF, parts: atifParts},
		{name: "otlp+openinference", mark: "resourceSpans with openinference.span.kind",
			is:   func(v, f value.Value) bool { return spansWith(f, `"openinference.span.kind`) },
			read: (*draft).readSpans, parts: otlpParts, in: &envelope{list: "resourceSpans", lines: true}},
		{name: "otlp+genai", mark: "resourceSpans with keys that begin with gen_ai.",
			is:   func(v, f value.Value) bool { return spansWith(f, `"gen_ai.`) },
			read: (*draft).readSpans, parts: otlpParts, in: &envelope{list: "resourceSpans", lines: true}},
		{name: "otlp-other", mark: "resourceSpans", is: func(v, f value.Value) bool { return spansWith(f, "") },
			read: (*draft).readSpans, parts: otlpParts, in: &envelope{list: "resourceSpans", lines: true}},
		{name: "otlp-logs", mark: "resourceLogs", is: func(v, f value.Value) bool {
			return f.Has("resourceLogs") || f.Has("resource_logs")
		}, read: (*draft).readSpans, parts: otlpParts, in: &envelope{list: "resourceLogs", lines: true}},
		{name: "tempo", mark: "batches of spans", is: func(v, f value.Value) bool {
			b := element(f.Field("batches"))
			return f.Field("batches").IsList() &&
				(b.IsNull() || hasAny(b, "resource", "scopeSpans", "instrumentationLibrarySpans"))
		}, read: (*draft).readSpans, parts: otlpParts, in: &envelope{list: "batches", lines: true}},
		{name: "inspect-json", mark: "a version and eval.task", is: func(v, f value.Value) bool {
			return f.Field("version").IsNumber() && f.Field("eval").Has("task")
		}, read: (*draft).readInspect, in: &envelope{list: "samples", shared: []string{"eval"}}},
		{name: tauBench, mark: "task_id and reward with traj or info", is: func(v, f value.Value) bool {
			return hasAll(f, "task_id", "reward") && (f.Field("traj").IsList() ||
				f.Field("info").Kind() == value.Object)
		}, read: (*draft).readTau},
		{name: tau2Results, mark: "info of an environment, with tasks and simulations", is: isTau2,
			read: (*draft).readTau2, in: &envelope{list: "simulations", shared: []string{"info", "tasks"}}},
		{name: "tau2-dir-meta", mark: "info, tasks and simulation_index", is: has("info", "tasks", "simulation_index"),
			advice: "it is the index of a directory, whose simulations are files beside it: give the directory"},
		{name: "tau2-simulation", mark: "task_id, termination_reason and messages or ticks", is: func(v, f value.Value) bool {
			return hasAll(f, "task_id", "termination_reason") && hasAny(f, "messages", "ticks")
		}, read: (*draft).readTau2},
		{name: openAIChat, read: (*draft).readChat},
		{name: anthropicMessages, read: (*draft).readAnthropic},
		{name: "langsmith-run", mark: "dotted_order, or run_type with trace_id", is: isLangSmith,
			read: (*draft).readSpans, parts: runParts},
		{name: "langfuse-observation", mark: "trace_id, type and parent_observation_id", is: isLangfuse,
			read: (*draft).readSpans, parts: observationParts},
		{name: openAIResponse, mark: "object response with output", is: func(v, f value.Value) bool {
			return f.Field("object").Text() == "response" && f.Has("output")
		}, read: (*draft).readResponses},
		{name: openAIResponsesRequest, mark: "an input of Responses items", is: func(v, f value.Value) bool {
			return !f.Has("messages") && responsesInput(f)
		}, read: (*draft).readResponses},
		{name: openAIResponsesItems, mark: "a list of Responses items", is: func(v, f value.Value) bool {
			return v.IsList() && responsesItem(f)
		}, read: (*draft).readResponses},
		{name: "anthropic-message", mark: "a message of type message with stop_reason", is: isAnthropicMessage,
			read: (*draft).readAnthropicReply},
		{name: "otel-messages", read: (*draft).readOTelMessages},
		{name: "mcp-jsonrpc", mark: "jsonrpc 2.0", is: isRPC, read: (*draft).readRPC,
			parts: rpcParts},
		{name: "openai-batch-output", mark: "custom_id and the reply in response.body", is: isBatchOutput,
			read: (*draft).readBatchOutput},
		{name: "openai-chat-response", mark: "object chat.completion", is: starts("object", "chat.completion"),
			read: (*draft).readChatReply},
		{name: "openinference-flat", mark: "plain attributes of OpenInference or GenAI", is: func(v, f value.Value) bool {
			return flatKeys(f) || flatKeys(f.Field("attributes"))
		}, read: (*draft).readSpans, parts: flatParts},
		{name: "jaeger", mark: "data with spans", is: func(v, f value.Value) bool {
			return element(f.Field("data")).Has("spans")
		}, read: (*draft).readSpans, parts: jaegerParts, in: &envelope{list: "data", lines: true}},
		{name: "anthropic-managed-agents", mark: "methods or events of sessions", is: isManagedAgent,
			bare: func(f value.Value) bool { return f.Kind() == value.String }, read: (*draft).readManagedAgent,
			parts: sessionParts},
	}, frameworks()...)
}

// spansWith reports whether v is an export of spans whose text holds a word.
func spansWith(v value.Value, word string) bool {
	return (v.Has("resourceSpans") || v.Has("resource_spans")) && strings.Contains(v.Raw(), word)
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
	if f := lookUp(name); f.read != nil {
		return f
	}
	return nil
}

// lookUp finds a format; one without a name and a reader where it is unknown.
func lookUp(name string) *format {
	for _, f := range formats() {
		if f.name == name {
			return &f
		}
	}
	return &format{}
}
