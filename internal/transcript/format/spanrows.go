// Rows of services that watch models, a row a span.
// Written by: the APIs and exports of Braintrust, Opik, W&B Weave, Datadog's LLM Observability, PostHog and HoneyHive:
// a list, {events: […]} or {data: […]}, lines, tables.
// Read: model calls and tools by trace, or by a session or thread; scores.
// Lost: spans of other types, metrics; rows that a client of Braintrust sends in pieces (_is_merge) are no export.

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var braintrustRow = format{
	name:   "braintrust",
	mark:   "span_attributes and root_span_id",
	detect: of(isBraintrust),
	read:   (*draft).readSpans,
	parts:  spanRowParts,
}

var spanRows = format{
	name:   "span-rows",
	mark:   "rows of Opik, Weave, Datadog, PostHog or HoneyHive",
	detect: of(isSpanRow),
	read:   (*draft).readSpans,
	parts:  spanRowParts,
}

func isBraintrust(f value.Value) bool {
	return f.HasAll("span_attributes", "root_span_id", "span_id") && !f.Has("_is_merge")
}

func isSpanRow(f value.Value) bool {
	f = spanRow(f)
	watched := f.HasAll("op_name", "trace_id") || f.HasAll("event", "$ai_trace_id") ||
		f.HasAll("event_id", "event_type", "session_id", "inputs") || f.HasAll("trace_id", "span_id", "span_kind") ||
		f.HasAll("trace_id", "span_id", "meta") || f.HasAll("trace_id", "type", "start_time")
	return watched && (rowKinds[rowKind(f)] != "" || f.Has("op_name"))
}

// The paths to the parts of a span in the services' rows: the first non-empty one counts.
var (
	rowKindPaths = []string{"span_attributes.type", "attributes.weave.kind", "attributes.kind", "span_kind", "meta.kind",
		"event_type", "event", "type"}
	rowInputPaths = []string{"input.messages", "meta.input.messages", "input.value", "meta.input.value", "$ai_input",
		"inputs.chat_history", "input", "inputs"}
	rowOutputPaths = []string{"output.messages", "meta.output.messages", "output.value", "meta.output.value",
		"$ai_output_choices", "output", "outputs"}
	rowToolPaths = []string{"metadata.tools", "input.tools", "inputs.tools", "tool_definitions", "meta.tool_definitions",
		"$ai_tools", "config.tools"}
	rowStartPaths   = []string{"created", "metrics.start", "start_time", "started_at", "start_ns", "start", "timestamp"}
	rowNamePaths    = []string{"span_attributes.name", "op_name", "event_name", "name"}
	rowSessionPaths = []string{"metadata.session_id", "metadata.thread_id", "metadata.conversation_id", "thread_id",
		"$ai_session_id"}
)

// rowKinds maps the services' words for kinds of spans to operations.
var rowKinds = map[string]string{"llm": "chat", "model": "chat", "$ai_generation": "chat", "tool": "execute_tool",
	"general": "general", "agent": "agent", "session": "agent", "$ai_span": "span"}

// spanRow unwraps a row: from Datadog's attributes or PostHog's properties.
func spanRow(v value.Value) value.Value {
	if in := v.Field("properties"); in.Has("$ai_trace_id") {
		return in.With("event", v.Field("event")).With("timestamp", v.Field("timestamp"))
	}
	if in := v.Field("attributes"); in.HasAll("trace_id", "span_id", "span_kind") {
		return in
	}
	return v
}

func rowKind(v value.Value) string {
	kind, _ := found(v, rowKindPaths...)
	return cmp.Or(kind.Text(), v.Field("meta").Field("span.kind").Text())
}

// spanRowParts converts a row to a span.
func spanRowParts(v value.Value, add func(part)) {
	v = spanRow(v)
	at := func(paths []string) value.Value { e, _ := found(v, paths...); return e }
	input, output, callID := at(rowInputPaths).Decoded(), at(rowOutputPaths).Decoded(), value.Value{}
	kind := rowKinds[rowKind(v)]
	if kind == "" && v.Has("op_name") && isReply(output) { // Weave writes kinds only since 2025
		kind = "chat"
	}
	switch {
	case kind == "": // a function of the program
		input, output = value.Value{}, value.Value{}
	case kind == "execute_tool":
		input, output, callID = runOfTool(input, output)
	case input.IsList():
		input = value.Pairs("messages", input)
	}
	if kind == "chat" && output.Head().Has("message") {
		output = value.Pairs("choices", output)
	} else if kind == "chat" && output.IsList() {
		output = value.Pairs("messages", output)
	}
	s := &spanRecord{trace: v.FirstText("root_span_id", "trace_id", "$ai_trace_id", "session_id"),
		id:     v.FirstText("span_id", "event_id", "$ai_span_id", "id", "uuid"),
		parent: cmp.Or(v.Field("span_parents").Head().Text(), v.FirstText("parent_span_id", "parent_id", "$ai_parent_id")),
		name:   at(rowNamePaths).Text(), start: at(rowStartPaths).Text(), failure: v.FirstText("error", "exception")}
	if _, op, is := strings.Cut(s.name, "/op/"); is {
		s.name, _, _ = strings.Cut(op, ":")
	}
	s.attrs = observed(cmp.Or(kind, rowKind(v), "span"), at(rowSessionPaths).Text(), input, output, at(rowToolPaths))
	s.copyText("gen_ai.tool.call.id", callID.Text())
	var scores []value.Value
	for name, score := range v.Field("scores").Members() {
		scores = append(scores, value.Pairs("name", value.OfString(name)).With("score", score))
	}
	for _, score := range v.Field("feedback_scores").Elements() {
		scores = append(scores, value.Pairs("name", score.Field("name")).With("score", score.Field("value")))
	}
	if len(scores) > 0 {
		s.attrs = s.attrs.With(scoresKey, value.OfList(scores...))
	}
	s.add(add)
}
