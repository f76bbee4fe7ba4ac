package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var openInferenceFlat = format{
	name: "openinference-flat",
	mark: "plain attributes of OpenInference or GenAI",
	detect: of(func(f value.Value) bool {
		return flatKeys(f) || flatKeys(f.Field("attributes"))
	}),
	read:  (*draft).readSpans,
	parts: flatParts,
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

// flatParts takes a span that is one object with plain attributes, or the attributes alone.
// Console exporters have its ids under context and with 0x.
func flatParts(v value.Value, add func(part)) {
	id := func(in value.Value, keys ...string) string {
		return strings.TrimPrefix(cmp.Or(in.FirstText(keys...), v.FirstText(keys...)), "0x")
	}
	s := &spanRecord{alone: true, trace: id(v.Field("context"), "trace_id", "traceId"),
		id: id(v.Field("context"), "span_id", "spanId"), parent: id(v, "parent_id", "parentSpanId", "parent_span_id"),
		name: v.Field("name").Text(), start: v.FirstText("start_time", "startTime", "startTimeUnixNano"),
		scope: v.Field("scope").Field("name").Text(), attrs: v.Inside("attributes"), events: v.Field("events").Slice()}
	if session := v.FirstText("session_id", "sessionId"); session != "" && !s.attrs.HasAny(spanConversationKeys...) {
		s.attrs = s.attrs.With("session.id", value.OfString(session))
	}
	if cmp.Or(v.Field("status_code").Text(), v.Field("status").Field("status_code").Text()) == "ERROR" {
		s.failure = cmp.Or(v.Field("status_message").Text(), "error")
	}
	s.add(add)
}
