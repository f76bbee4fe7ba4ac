// OTLP traces and logs.
// Written by: every OpenTelemetry SDK and collector: OTLP/JSON with one export a line (the collector's file
// exporter), one object, or protobuf (see protobuf.go); Tempo's export (batches, instrumentationLibrarySpans);
// Jaeger's JSON (data, tags); spans with flat attributes, one an object (Phoenix and console exporters).
// Read: OTLP 1.x, the GenAI conventions from 1.27 to gen-ai-dev and OpenInference 0.1.32; what spans mean is in
// telemetry.go.
// Lost: resources, links, metrics, and spans that are not model or tool call, which are counted.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var otlpOpenInference = format{
	name:   "otlp+openinference",
	mark:   "resourceSpans with openinference.span.kind",
	detect: spansWith(`"openinference.span.kind`),
	read:   (*draft).readSpans,
	parts:  otlpParts,
	in:     container.Layout{List: "resourceSpans", Lines: true},
}

var otlpGenAI = format{
	name:   "otlp+genai",
	mark:   "resourceSpans with keys that begin with gen_ai., or those of a framework",
	detect: spansWith(`"gen_ai.`, `"ai.operationId"`, `"ai.toolCall.`, `"gcp.vertex.agent.`),
	read:   (*draft).readSpans,
	parts:  otlpParts,
	in:     container.Layout{List: "resourceSpans", Lines: true},
}

var otlpOther = format{
	name:   "otlp-other",
	mark:   "resourceSpans",
	detect: func(p *probe) confidence { return min(spansWith("")(p), fallback) },
	read:   (*draft).readSpans,
	parts:  otlpParts,
	in:     container.Layout{List: "resourceSpans", Lines: true},
}

var otlpLogs = format{
	name:   "otlp-logs",
	mark:   "resourceLogs",
	detect: hasOne("resourceLogs", "resource_logs"),
	read:   (*draft).readSpans,
	parts:  otlpParts,
	in:     container.Layout{List: "resourceLogs", Lines: true},
}

// span is a span or log record in the common form of all sources.
type span struct {
	v value.Value
	// at is its place in messages, such as "span b7ad6b7169203331".
	at    string
	attrs value.Value
	kind  spanKind
	// behind counts the messages that were read before a tool's call.
	behind int
}

func (s *span) text(key string) string       { return s.attrs.Field(key).Text() }
func (s *span) field(key string) value.Value { return s.v.Field(key) }

// first returns the value of the first existing attribute.
func (s *span) first(keys ...string) (value.Value, bool) { return s.attrs.First(keys...) }

// spanConversationKeys are the attributes that name a conversation of several traces.
var spanConversationKeys = []string{"gen_ai.conversation.id", "session.id"}

// otlpParts splits an export of traces or logs into its spans.
func otlpParts(v value.Value, add func(part)) {
	for _, list := range []string{"resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs"} {
		for _, r := range v.Field(list).Elements() {
			otlpParts(r, add)
		}
	}
	for _, list := range []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans"} {
		for _, scope := range v.Field(list).Elements() {
			for _, v := range scope.Field("spans").Elements() {
				s := otlpSpan(v)
				s.scope = scope.Field("scope").Field("name").Text()
				s.add(add)
			}
		}
	}
	for _, list := range []string{"scopeLogs", "scope_logs"} {
		for _, scope := range v.Field(list).Elements() {
			records, _ := scope.First("logRecords", "log_records")
			for _, l := range records.Elements() {
				otlpLog(l).add(add)
			}
		}
	}
}

// spanRecord is a span or log record as it was read from a log.
type spanRecord struct {
	trace, id, parent, name, start string
	// scope names the instrumentation that recorded it; "" if the log does not say.
	scope string
	// failure says why it failed; "" if it did not.
	failure string
	attrs   value.Value
	events  []value.Value
	// log marks a log record, which is below its span.
	log bool
	// alone says that it is a conversation of its own if it names neither a trace nor a conversation.
	alone bool
}

// add adds the record in the common form.
func (s *spanRecord) add(add func(part)) {
	for _, dialect := range spanDialects {
		dialect(s)
	}
	p := part{trace: s.trace, id: s.id, parent: s.parent}
	for _, key := range spanConversationKeys {
		p.conversation = cmp.Or(p.conversation, s.attrs.Field(key).Text())
	}
	var o value.Fields
	o.Text("trace_id", s.trace)
	o.Text("span_id", s.id)
	o.Text("parent_id", s.parent)
	o.Text("name", s.name)
	o.Text("start", s.start)
	o.Text("error", s.failure)
	o.Set("attributes", s.attrs)
	if s.log {
		p.id, p.parent = "", p.id
		o.Set("log", value.OfBool(true))
	}
	if s.events != nil {
		o.Set("events", value.OfList(s.events...))
	}
	p.text = value.OfObject(o...).JSON()
	p.alone = s.alone && s.trace == "" && p.conversation == ""
	add(p)
}

func event(name, attrs value.Value) value.Value {
	return value.Pairs("name", name).With("attributes", attrs)
}

func otlpSpan(v value.Value) *spanRecord {
	s := &spanRecord{trace: v.FirstText("traceId", "trace_id"), id: v.FirstText("spanId", "span_id"),
		parent: v.FirstText("parentSpanId", "parent_span_id"), name: v.Field("name").Text(),
		start: v.FirstText("startTimeUnixNano", "start_time_unix_nano"), attrs: keyed(v.Field("attributes"), otlpValue)}
	status := v.Field("status")
	switch status.Field("code").Text() {
	case "2", "STATUS_CODE_ERROR":
		s.failure = cmp.Or(status.Field("message").Text(), "error")
	}
	for _, e := range v.Field("events").Elements() {
		s.events = append(s.events, event(e.Field("name"), keyed(e.Field("attributes"), otlpValue)))
	}
	return s
}

// otlpLog converts a log record to a span with one event.
func otlpLog(v value.Value) *spanRecord {
	s := &spanRecord{log: true, trace: v.FirstText("traceId", "trace_id"), id: v.FirstText("spanId", "span_id"),
		start: v.FirstText("timeUnixNano", "time_unix_nano"), name: v.FirstText("eventName", "event_name"),
		attrs: keyed(v.Field("attributes"), otlpValue)}
	name := cmp.Or(s.name, s.attrs.Field("event.name").Text()) // before records had names
	e := event(value.OfString(name), s.attrs)
	if body := otlpValue(v.Field("body")); !body.IsNull() {
		e = e.With("body", body)
	}
	s.events = []value.Value{e}
	return s
}

// keyed converts a list of {key, value} to an object; read reads a value.
func keyed(list value.Value, read func(v value.Value) value.Value) value.Value {
	members := make([]value.Member, 0, list.Len())
	for _, a := range list.Elements() {
		members = append(members, value.Member{Key: a.Field("key").Text(), Value: read(a.Field("value"))})
	}
	return value.OfObject(members...)
}

// otlpValue returns the content of an AnyValue. 64-bit integers are texts of digits.
func otlpValue(v value.Value) value.Value {
	for key, val := range v.Members() {
		switch key {
		case "intValue", "int_value":
			if n := value.OfNumber(val.Text()); n.Kind() == value.Int {
				return n
			}
			return val
		case "arrayValue", "array_value":
			return eachOf(val.Field("values"), otlpValue)
		case "kvlistValue", "kvlist_value":
			return keyed(val.Field("values"), otlpValue)
		case "stringValue", "string_value", "doubleValue", "double_value", "boolValue", "bool_value",
			"bytesValue", "bytes_value":
			return val
		}
	}
	return value.Value{}
}
