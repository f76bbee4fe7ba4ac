package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
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
	in container.Layout
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
// that is read has a function of its own, in the file of its family.
func formats() []format {
	return slices.Concat(ownFormats(), spanFormats(), benchmarkFormats(), apiFormats(), sessionFormats(),
		evaluationFormats(), frameworkFormats(), dataSetFormats(), looseFormats())
}

// ownFormats are those of this program.
func ownFormats() []format {
	return []format{
		{name: native, read: (*draft).readChat},
		{name: rubricExample, mark: "the keys of a rubric's example", is: of(isRubricExample),
			read: (*draft).readRubricExample},
		{name: "rubric", mark: "jsonschema and examples", is: has("jsonschema", "examples"),
			advice: "this is a rubric, not a log"},
		{name: "judge-scores", mark: "schema judge.…", is: starts("schema", "judge."),
			advice: "this is an output of judge, not a log"},
	}
}

// spanFormats are exports of traces and logs.
func spanFormats() []format {
	spans, logs := container.Layout{List: "resourceSpans", Lines: true}, container.Layout{List: "resourceLogs", Lines: true}
	batches := container.Layout{List: "batches", Lines: true}
	return []format{
		{name: "atif", mark: "schema_version ATIF-v…", is: starts("schema_version", "ATIF-v"),
			read: (*draft).readATIF, parts: atifParts},
		{name: "otlp+openinference", mark: "resourceSpans with openinference.span.kind",
			is: spansWith(`"openinference.span.kind`), read: (*draft).readSpans, parts: otlpParts, in: spans},
		{name: "otlp+genai", mark: "resourceSpans with keys that begin with gen_ai.", is: spansWith(`"gen_ai.`),
			read: (*draft).readSpans, parts: otlpParts, in: spans},
		{name: "otlp-other", mark: "resourceSpans", is: spansWith(""), read: (*draft).readSpans, parts: otlpParts, in: spans},
		{name: "otlp-logs", mark: "resourceLogs", is: hasOne("resourceLogs", "resource_logs"),
			read: (*draft).readSpans, parts: otlpParts, in: logs},
		{name: "tempo", mark: "batches of spans", is: of(isTempo), read: (*draft).readSpans, parts: otlpParts, in: batches},
	}
}

// benchmarkFormats are the results of benchmarks.
func benchmarkFormats() []format {
	return []format{
		{name: "inspect-json", mark: "a version and eval.task", is: of(isInspect), read: (*draft).readInspect,
			in: container.Layout{List: "samples", Shared: []string{"eval"}}},
		{name: tauBench, mark: "task_id and reward with traj or info", is: of(isTau), read: (*draft).readTau},
		{name: tau2Results, mark: "info of an environment, with tasks and simulations", is: of(isTau2),
			read: (*draft).readTau2, in: container.Layout{List: "simulations", Shared: []string{"info", "tasks"}}},
		{name: "tau2-dir-meta", mark: "info, tasks and simulation_index", is: has("info", "tasks", "simulation_index"),
			advice: "it is the index of a directory, whose simulations are files beside it: give the directory"},
		{name: "tau2-simulation", mark: "task_id, termination_reason and messages or ticks", is: of(func(f value.Value) bool {
			return f.HasAll("task_id", "termination_reason") && f.HasAny("messages", "ticks")
		}), read: (*draft).readTau2},
	}
}

// apiFormats are requests and replies of model APIs, and what is recorded of them.
func apiFormats() []format {
	return []format{
		{name: openAIChat, read: (*draft).readChat},
		{name: anthropicMessages, read: (*draft).readAnthropic},
		{name: "langsmith-run", mark: "dotted_order, or run_type with trace_id", is: of(isLangSmith),
			read: (*draft).readSpans, parts: runParts},
		{name: "langfuse-observation", mark: "trace_id, type and parent_observation_id", is: of(isLangfuse),
			read: (*draft).readSpans, parts: observationParts},
		{name: openAIResponse, mark: "object response with output", is: of(func(f value.Value) bool {
			return f.Field("object").Text() == "response" && f.Has("output")
		}), read: (*draft).readResponses},
		{name: openAIResponsesRequest, mark: "an input of Responses items", is: of(responsesInput),
			read: (*draft).readResponses},
		{name: openAIResponsesItems, mark: "a list of Responses items", is: func(v, f value.Value) bool {
			return v.IsList() && responsesItem(f)
		}, read: (*draft).readResponses},
		{name: "anthropic-message", mark: "a message of type message with stop_reason", is: of(isAnthropicMessage),
			read: (*draft).readAnthropicReply},
		{name: "otel-messages", read: (*draft).readOTelMessages},
		{name: "mcp-jsonrpc", mark: "jsonrpc 2.0", is: of(isRPC), read: (*draft).readRPC, parts: rpcParts},
		{name: "openai-batch-output", mark: "custom_id and the reply in response.body", is: of(isBatchOutput),
			read: (*draft).readBatchOutput},
		{name: "openai-chat-response", mark: "object chat.completion", is: starts("object", "chat.completion"),
			read: (*draft).readChatReply},
		{name: "openinference-flat", mark: "plain attributes of OpenInference or GenAI", is: of(func(f value.Value) bool {
			return flatKeys(f) || flatKeys(f.Field("attributes"))
		}), read: (*draft).readSpans, parts: flatParts},
		{name: "jaeger", mark: "data with spans",
			is:   of(func(f value.Value) bool { return f.Field("data").Head().Has("spans") }),
			read: (*draft).readSpans, parts: jaegerParts, in: container.Layout{List: "data", Lines: true}},
		{name: "anthropic-managed-agents", mark: "methods or events of sessions", is: isManagedAgent,
			bare: func(f value.Value) bool { return f.Kind() == value.String }, read: (*draft).readManagedAgent,
			parts: sessionParts},
	}
}

// sessionFormats are the session files of coding agents, and of the OpenAI Agents SDK.
func sessionFormats() []format {
	return []format{
		{name: "claude-code", mark: "lines with a sessionId and a uuid", is: of(claudeLine),
			read: (*draft).readClaudeCode, parts: claudeParts},
		{name: "codex", mark: "lines with a type and a payload", is: of(codexLine), read: (*draft).readCodex,
			parts: wholeFile},
		{name: "openai-agents-session", mark: "messages with a role beside items with a call_id",
			is: func(v, f value.Value) bool {
				return v.IsList() && f.Has("role") && !f.Has("type") && flatItems(v)
			}, read: (*draft).readResponses},
	}
}

// evaluationFormats are the files of evaluation tools.
func evaluationFormats() []format {
	return []format{
		{name: "promptfoo", mark: "results with a testCase, gradingResult or vars",
			is: within(promptfooResult, promptfooLists...), read: (*draft).readPromptfoo, parts: promptfooParts},
		{name: "deepeval", mark: "tools_called, expected_tools, or turns with a scenario", is: of(func(f value.Value) bool {
			return deepEvalCase(f) || deepEvalCase(f.Field("testCases").Head()) ||
				f.Field("conversationalTestCases").Len() > 0
		}), read: (*draft).readDeepEval, parts: casesIn("testCases", "conversationalTestCases")},
		{name: "phoenix-spans", mark: "spans with a span_kind, or attributes in columns", is: within(phoenixSpan, "data"),
			read: (*draft).readSpans, parts: phoenixParts},
		{name: "mlflow-trace", mark: "info and data with spans", is: of(func(f value.Value) bool {
			return f.Has("info") && f.Field("data").Field("spans").IsList()
		}), read: (*draft).readSpans, parts: mlflowParts},
	}
}

// frameworkFormats are the messages of agent frameworks and model APIs.
func frameworkFormats() []format {
	return []format{
		{name: "langchain-messages", mark: "messages with a type in the place of a role", bare: langChain,
			is: of(func(f value.Value) bool {
				return langChain(f) || langChain(f.Head()) || langChain(listAt(f, langGraphPaths...).Head())
			}), read: wrappedIn(langGraphPaths)},
		{name: "pydantic-ai", mark: "messages of a kind with parts of a part_kind", bare: pydanticAI,
			is: within(pydanticAI, messagePaths...), read: (*draft).readWrapped},
		{name: vercelUI, read: (*draft).readWrapped},
		{name: vercelModel, read: (*draft).readWrapped},
		{name: "vercel-result", mark: "steps with content and a finishReason", is: of(func(f value.Value) bool {
			step := f.Field("steps").Head()
			return step.Field("content").IsList() && step.Has("finishReason")
		}), read: (*draft).readVercelResult},
		{name: bedrockConverse, mark: "Bedrock's schemaType or toolConfig", is: of(isBedrock), read: (*draft).readBedrock},
		{name: "gemini", mark: "contents or candidates", bare: geminiContent, is: func(v, f value.Value) bool {
			return f.Field("contents").IsList() || f.Field("candidates").IsList() || v.IsList() && geminiContent(f)
		}, read: (*draft).readGemini},
		{name: "adk-session", mark: "events with an author and content", is: of(func(f value.Value) bool {
			event := f.Field("events").Head()
			return event.Has("author") && event.HasAny("content", "actions")
		}), read: (*draft).readADKSession},
		{name: "adk-evalset", mark: "eval_cases", is: hasOne("eval_cases", "evalCases"),
			read: (*draft).readADKCase, parts: casesIn("eval_cases", "evalCases")},
	}
}

// dataSetFormats are the rows of published data sets.
func dataSetFormats() []format {
	return []format{
		{name: "sharegpt", mark: "conversations with from and value", bare: shareGPT, is: of(func(f value.Value) bool {
			return shareGPT(f) || listAt(f, shareGPTPaths...).Head().Has("from")
		}), read: wrappedIn(shareGPTPaths)},
		{name: "tooltalk", mark: "suites_used and apis_used", is: has("suites_used", "apis_used"),
			read: (*draft).readToolTalk},
		{name: "api-bank", loose: true, mark: "lines with a role and a text, or an api_name",
			is: of(func(f value.Value) bool {
				return f.HasAll("role", "api_name") || f.HasAll("role", "text") && !f.HasAny(rowKeys...) && f.Len() == 2
			}), bare: func(f value.Value) bool { return f.Has("role") }, read: (*draft).readLines, parts: wholeFile},
		{name: "message-lines", loose: true, mark: "one message a line", is: func(v, f value.Value) bool {
			return !v.IsList() && f.HasAll("role", "content") && f.FirstText(rowKeys...) == "" && !f.Has("messages")
		}, read: (*draft).readLines, parts: wholeFile},
		{name: "when2call", mark: "answers and correct_answer", is: has("question", "answers", "correct_answer"),
			read: (*draft).readWhen2Call},
		{name: "toolbench", mark: "answer_generation", is: has("answer_generation"), read: (*draft).readToolBench},
		{name: "tapeagents", mark: "steps with a kind, and metadata", is: of(func(f value.Value) bool {
			return f.Has("metadata") && f.Field("steps").Head().Has("kind")
		}), read: (*draft).readTape},
		{name: "function-rows", loose: true, mark: "a question with functions or calls as its answer", is: of(functionRow),
			read: (*draft).readFunctionRow},
	}
}

// looseFormats are logs that no software prescribes, known by what they hold. They come
// last.
func looseFormats() []format {
	return []format{
		{name: "message-rows", loose: true, mark: "a role and a conversation's id in each record", is: of(messageRow),
			read: (*draft).readRows, parts: rowParts},
		{name: "http-exchanges", loose: true, mark: "url, request and response", is: has("url", "request", "response"),
			read: (*draft).readHTTP, parts: httpParts},
		{name: "request-response", loose: true, mark: "a request and its response", is: of(isExchange),
			read: (*draft).readExchanges, parts: exchangeParts},
		{name: "wrapped-messages", loose: true, mark: "a list of messages inside the record",
			is: of(func(f value.Value) bool {
				list, path := wrappedList(f, messagePaths)
				return list.IsList() && path != "messages"
			}), read: (*draft).readWrapped},
	}
}

// of tests the first record, has for keys in it, hasOne for one of several, starts for the
// beginning of the text under a key, within for the record or the first element of the list at
// one of the paths in it.
func of(is func(f value.Value) bool) func(v, f value.Value) bool {
	return func(_, f value.Value) bool { return is(f) }
}

func has(keys ...string) func(v, f value.Value) bool {
	return of(func(f value.Value) bool { return f.HasAll(keys...) })
}

func hasOne(keys ...string) func(v, f value.Value) bool {
	return of(func(f value.Value) bool { return f.HasAny(keys...) })
}

func starts(key, text string) func(v, f value.Value) bool {
	return of(func(f value.Value) bool { return strings.HasPrefix(f.Field(key).Text(), text) })
}

func within(is func(f value.Value) bool, paths ...string) func(v, f value.Value) bool {
	return of(func(f value.Value) bool { return is(f) || is(listAt(f, paths...).Head()) })
}

// casesIn cuts a file into the cases of its lists, each a conversation by itself. A record
// without such a list is a case.
func casesIn(lists ...string) func(v value.Value, add func(part)) {
	return func(v value.Value, add func(part)) {
		if !v.HasAny(lists...) {
			add(part{alone: true, text: v.Raw()})
		}
		for _, key := range lists {
			for _, c := range v.Field(key).Elements() {
				add(part{alone: true, text: c.Raw()})
			}
		}
	}
}

// spansWith tests for an export of spans whose text holds a word.
func spansWith(word string) func(v, f value.Value) bool {
	return of(func(f value.Value) bool {
		return f.HasAny("resourceSpans", "resource_spans") && strings.Contains(f.Raw(), word)
	})
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
