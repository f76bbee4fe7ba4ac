package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// format is one kind of log.
type format struct {
	name string
	// mark says in words what detect recognises.
	mark string
	// detect says how well the beginning of a log fits the format (detect.go). If it is nil,
	// chatFamily decides.
	detect func(p *probe) confidence
	// read reads one record; nil if the format is recognised but cannot be read.
	read func(d *draft, record value.Value) error
	// in says where the records are, unless they are lines or the elements of the log's list.
	in container.Layout
	// bare says that the elements of a log that is a list are the messages of one conversation; if
	// it is nil, a role decides.
	bare func(f value.Value) bool
	// parts is set if a conversation is spread over the log. It splits a record into parts of
	// conversations; read then gets the list of all parts of one conversation in log order.
	parts func(record value.Value, add func(part))
	// message recognises a message that only this format has; nil if other formats have such messages too.
	message func(m value.Value) bool
	// end adds what needs the whole conversation; it may be nil.
	end func(d *draft)
	// callsIn names the member of a record that can contain calls; "" means the whole record.
	callsIn string
	// advice says what to do with a format that cannot be read; it may be "".
	advice string
}

// formats lists all formats in the order in which their rules are tried.
var formats = []*format{
	&native,
	&rubricExample,
	&rubricFile,
	&judgeScores,
	&langfuseView,
	&monocleSpans,
	&atif,
	&deepEvalTrace,
	&otlpOpenInference,
	&otlpGenAI,
	&otlpOther,
	&otlpLogs,
	&tempo,
	&inspectJSON,
	&tauBench,
	&tau2Results,
	&tau2DirMeta,
	&tau2Simulation,
	&openAIChat,
	&anthropicMessages,
	&langSmithRun,
	&langfuseObservation,
	&braintrustRow,
	&spanRows,
	&openAIRealtime,
	&openAIResponse,
	&openAIResponsesRequest,
	&openAIResponsesItems,
	&anthropicReply,
	&otelMessages,
	&mcpJSONRPC,
	&batchOutput,
	&openAIChatReply,
	&openInferenceFlat,
	&jaeger,
	&managedAgents,
	&claudeCode,
	&claudeResult,
	&claudeStream,
	&qwenCode,
	&codex,
	&codexExec,
	&geminiCLI,
	&geminiStream,
	&copilotCLI,
	&copilotChat,
	&cursorStream,
	&cursorTranscript,
	&clineScreen,
	&openCode,
	&openCodeStream,
	&droid,
	&goose,
	&piSession,
	&kimiWire,
	&kimiContext,
	&antigravity,
	&amp,
	&openHands,
	&sweAgent,
	&openAIAssistants,
	&openAIAgentsSession,
	&promptfoo,
	&promptflowChat,
	&openAIEvals,
	&deepEval,
	&phoenixSpans,
	&mlflowTrace,
	&langGraphStream,
	&dotNet,
	&autoGen,
	&autoGenState,
	&langChainMessages,
	&pydanticAIMessages,
	&vercelUIMessages,
	&vercelModelMessages,
	&vercelResult,
	&bedrockConverse,
	&eventStream,
	&gemini,
	&adkSession,
	&adkEvalSet,
	&adkEvalList,
	&cohereReply,
	&geminiInteraction,
	&runState,
	&camelRows,
	&lettaAgent,
	&lettaMessages,
	&shareGPTRows,
	&toolTalk,
	&apiBank,
	&grok,
	&eventLog,
	&messageLines,
	&when2Call,
	&toolBench,
	&tapeAgents,
	&functionRows,
	&glaive,
	&bfclResult,
	&messageRows,
	&httpExchanges,
	&actionSteps,
	&requestResponse,
	&namedConversations,
	&wrappedMessages,
}

var rubricFile = format{
	name:   "rubric",
	mark:   "jsonschema and examples",
	detect: has("jsonschema", "examples"),
	advice: "this is a rubric, not a log",
}

var judgeScores = format{
	name:   "judge-scores",
	mark:   "schema judge.…",
	detect: starts("schema", "judge."),
	advice: "this is an output of judge, not a log",
}

var langfuseView = format{
	name: "langfuse-chatml",
	mark: "observations with {success, data} as input and output",
	detect: of(func(f value.Value) bool {
		if f.Kind() != value.Object || f.Len() == 0 || len(f.KeyAt(0)) != 16 {
			return false
		}
		side, _ := f.At(0).First("input", "output")
		return side.Has("success") && side.HasAny("data", "error")
	}),
	advice: "its observations have no order and no times: export the trace itself, {trace, observations}",
}

var monocleSpans = format{
	name: "monocle",
	mark: "spans with monocle_apptrace.version",
	detect: func(p *probe) confidence { // its spans may contain those of others, which can be read
		inside := p.first.Field("spans").Head()
		return min(fallback, sureIf(isMonocle(inside) || slices.ContainsFunc(p.records, isMonocle)))
	},
	advice: "Monocle writes arguments without their names and only the first call of a reply: record the same run " +
		"with OpenInference or the GenAI conventions",
}

func isMonocle(span value.Value) bool {
	return span.Field("attributes").HasAny("monocle_apptrace.version", "entity.1.type")
}

// casesIn splits a file into the cases of its lists, each a conversation. A record without such a
// list is a case.
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

// linesOr splits a file into the records with one of the lists, each a conversation. All other
// records are lines of one conversation.
func linesOr(lists ...string) func(v value.Value, add func(part)) {
	return func(v value.Value, add func(part)) {
		add(part{alone: v.HasAny(lists...), text: v.Raw()})
	}
}

// spansWith returns a rule for an export of spans whose text contains one of the words.
func spansWith(words ...string) func(p *probe) confidence {
	return of(func(f value.Value) bool {
		return f.HasAny("resourceSpans", "resource_spans") &&
			slices.ContainsFunc(words, func(word string) bool { return strings.Contains(f.Raw(), word) })
	})
}

// Formats returns the names of the readable formats, in the order in which help should list them.
func Formats() []string {
	var names []string
	for _, f := range formats {
		if f.read != nil {
			names = append(names, f.name)
		}
	}
	return names
}

// formatOf returns the readable format with this name; nil if none.
func formatOf(name string) *format {
	if f := lookUp(name); f.read != nil {
		return f
	}
	return nil
}

// lookUp returns the format with this name; for an unknown name, one without name and reader.
func lookUp(name string) *format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return &format{}
}
