package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var openInferenceFlat = format{
	name:   "openinference-flat",
	mark:   "plain attributes of OpenInference, GenAI or a framework",
	detect: of(flatSpan),
	read:   (*draft).readSpans,
	parts:  flatParts,
}

// flatMarks are beginnings of the attributes of a model's or a tool's span.
var flatMarks = []string{
	"llm.input_messages.", "gen_ai.", "openinference.span.kind", "ai.operationId", "ai.prompt", "ai.toolCall.",
	"gcp.vertex.agent.",
}

// flatSpan reports whether v is a span of a model or a tool, or a log record with its messages.
func flatSpan(v value.Value) bool {
	v = unpackedRecord(v)
	for _, attrs := range []value.Value{v, v.Field("attributes")} {
		for key := range attrs.Members() {
			if slices.ContainsFunc(flatMarks, func(mark string) bool { return strings.HasPrefix(key, mark) }) {
				return true
			}
		}
	}
	body, events := v.Field("body"), flatEvents(v)
	return len(spanBodies(events)) > 0 || v.HasAny("traceId", "trace_id") && v.HasAny("spanId", "span_id") && body.HasAny("input", "output")
}

// unpackedRecord extracts a record from a log service's line, which contains it as text.
func unpackedRecord(v value.Value) value.Value {
	if text, _ := v.First("@message", "message"); text.Kind() == value.String {
		if in := text.Decoded(); in.HasAny("traceId", "trace_id") {
			return in
		}
	}
	return v
}

// flatParts reads a span that is one object with plain attributes, or only the attributes. Console exporters
// put its ids under context, with 0x; JavaScript's under spanContext. A log record belongs to its span.
func flatParts(v value.Value, add func(part)) {
	v = unpackedRecord(v)
	id := func(in value.Value, keys ...string) string {
		return strings.TrimPrefix(cmp.Or(in.FirstText(keys...), v.FirstText(keys...)), "0x")
	}
	context, _ := v.First("context", "spanContext")
	s := &spanRecord{alone: true, trace: id(context, "trace_id", "traceId"), id: id(context, "span_id", "spanId"),
		name: v.Field("name").Text(), start: flatTime(v, "start_time", "startTime", "startTimeUnixNano"),
		scope: v.Field("scope").Field("name").Text(), attrs: v.Inside("attributes")}
	above := v.Field("parentSpanContext").Field("spanId").Text()
	s.parent = cmp.Or(id(v, "parent_id", "parentSpanId", "parent_span_id"), above)
	for _, e := range flatEvents(v) {
		if name := e.FirstText("name", "event_name"); name != "" {
			e = e.With("name", value.OfString(name))
		}
		s.events = append(s.events, e)
	}
	if body := v.Field("body"); s.start == "" && !body.IsNull() {
		s.log, s.start = true, flatTime(v, "timeUnixNano", "observedTimeUnixNano", "timestamp")
		e := event(s.attrs.Field("event.name"), s.attrs)
		s.events = append(s.events, e.With("body", body))
	}
	if session := v.FirstText("session_id", "sessionId"); session != "" && !s.attrs.HasAny(spanConversationKeys...) {
		s.attrs = s.attrs.With("session.id", value.OfString(session))
	}
	status := v.Field("status")
	switch cmp.Or(v.FirstText("status_code"), status.FirstText("status_code", "code")) {
	case "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR", "2":
		s.failure = cmp.Or(v.FirstText("status_message"), status.FirstText("message", "description"), "error")
	}
	s.add(add)
}

// flatEvents returns the events of a span, which some exports call span_events.
func flatEvents(v value.Value) []value.Value {
	events, _ := v.First("events", "span_events")
	return events.Slice()
}

// flatTime returns the first existing time. JavaScript writes [seconds, nanoseconds].
func flatTime(v value.Value, keys ...string) string {
	for _, key := range keys {
		t := v.Field(key)
		if t.IsList() && t.Len() == 2 {
			nanos, _ := t.At(1).Int64()
			return fmt.Sprintf("%s%09d", t.At(0).Text(), nanos)
		}
		if text := t.Text(); text != "" && text != "0" {
			return text
		}
	}
	return ""
}
