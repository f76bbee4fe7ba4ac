// OTLP traces and logs.
//
// Written by: every OpenTelemetry SDK and collector: OTLP/JSON with one export a line (the
// collector's file exporter), one object, or protobuf (see protobuf.go); Tempo's export
// (batches, instrumentationLibrarySpans); Jaeger's JSON (data, tags); spans with flat
// attributes, one an object (Phoenix and console exporters).
// Read: OTLP 1.x, the GenAI conventions from 1.27 to gen-ai-dev and OpenInference 0.1.32;
// what spans mean is in telemetry.go.
// Lost: resources, links, metrics, and spans that are no model or tool call, which are
// counted.

package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// span is one span or log record in the one form that all sources are cut to.
type span struct {
	v value.Value
	// at is its place for people: "span b7ad6b7169203331".
	at    string
	attrs value.Value
}

func (s *span) text(key string) string       { return s.attrs.Field(key).Text() }
func (s *span) field(key string) value.Value { return s.v.Field(key) }

// first is the value of the first of the attributes that is there.
func (s *span) first(keys ...string) (value.Value, bool) { return first(s.attrs, keys...) }

// spanConversationKeys are the attributes that name a conversation of several traces.
var spanConversationKeys = []string{"gen_ai.conversation.id", "session.id"}

func isTempo(f value.Value) bool {
	list := f.Field("batches")
	b := element(list)
	return list.IsList() && (b.IsNull() || hasAny(b, "resource", "scopeSpans", "instrumentationLibrarySpans"))
}

// otlpParts cuts an export of traces or logs into its spans.
func otlpParts(v value.Value, add func(part)) {
	for _, list := range []string{"resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs"} {
		for _, r := range v.Field(list).Elements() {
			otlpParts(r, add)
		}
	}
	for _, list := range []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans"} {
		for _, scope := range v.Field(list).Elements() {
			for _, s := range scope.Field("spans").Elements() {
				addSpan(otlpSpan(s), add)
			}
		}
	}
	for _, list := range []string{"scopeLogs", "scope_logs"} {
		for _, scope := range v.Field(list).Elements() {
			records, _ := first(scope, "logRecords", "log_records")
			for _, l := range records.Elements() {
				addSpan(otlpLog(l), add)
			}
		}
	}
}

// addSpan adds a span in the common form.
func addSpan(v value.Value, add func(part)) {
	p := part{trace: v.Field("trace_id").Text(), id: v.Field("span_id").Text(), parent: v.Field("parent_id").Text()}
	attrs := v.Field("attributes")
	for _, key := range spanConversationKeys {
		if id := attrs.Field(key).Text(); id != "" && p.conversation == "" {
			p.conversation = id
		}
	}
	if v.Field("log").Kind() == value.Bool {
		p.id, p.parent = "", p.id // a log record is below its span
	}
	p.text = v.JSON()
	add(p)
}

func otlpSpan(s value.Value) value.Value {
	var o fields
	id := func(key string, names ...string) {
		if v, ok := first(s, names...); ok {
			o.text(key, v.Text())
		}
	}
	id("trace_id", "traceId", "trace_id")
	id("span_id", "spanId", "span_id")
	id("parent_id", "parentSpanId", "parent_span_id")
	id("name", "name")
	id("start", "startTimeUnixNano", "start_time_unix_nano")
	id("end", "endTimeUnixNano", "end_time_unix_nano")
	status := s.Field("status")
	switch status.Field("code").Text() {
	case "2", "STATUS_CODE_ERROR":
		o.text("error", orWord(status.Field("message").Text(), "error"))
	}
	o.set("attributes", otlpAttributes(s.Field("attributes")))
	var events []value.Value
	for _, e := range s.Field("events").Elements() {
		events = append(events, otlpEvent(e))
	}
	if events != nil {
		o.set("events", value.OfList(events...))
	}
	return value.OfObject(o...)
}

func otlpEvent(e value.Value) value.Value {
	return object("name", e.Field("name")).With("attributes", otlpAttributes(e.Field("attributes")))
}

// otlpLog brings a log record into the form of a span whose one event it is.
func otlpLog(l value.Value) value.Value {
	var o fields
	for _, names := range [][3]string{{"trace_id", "traceId", "trace_id"}, {"span_id", "spanId", "span_id"},
		{"start", "timeUnixNano", "time_unix_nano"}, {"name", "eventName", "event_name"}} {
		if v, ok := first(l, names[1], names[2]); ok {
			o.text(names[0], v.Text())
		}
	}
	attrs := otlpAttributes(l.Field("attributes"))
	name, _ := first(l, "eventName", "event_name")
	if name.Text() == "" {
		name = attrs.Field("event.name") // before records had names
	}
	o.set("attributes", attrs)
	o.set("log", value.OfBool(true))
	event := object("name", name).With("attributes", attrs)
	if body := otlpValue(l.Field("body")); !body.IsNull() {
		event = event.With("body", body)
	}
	o.set("events", value.OfList(event))
	return value.OfObject(o...)
}

// otlpAttributes turns a list of {key, value} into an object.
func otlpAttributes(list value.Value) value.Value {
	members := make([]value.Member, 0, list.Len())
	for _, a := range list.Elements() {
		members = append(members, value.Member{Key: a.Field("key").Text(), Value: otlpValue(a.Field("value"))})
	}
	return value.OfObject(members...)
}

// otlpValue is what an AnyValue holds. 64-bit integers are texts of digits.
func otlpValue(v value.Value) value.Value {
	for key, val := range v.Members() {
		switch key {
		case "intValue", "int_value":
			if n := value.OfNumber(val.Text()); n.Kind() == value.Int {
				return n
			}
			return val
		case "arrayValue", "array_value":
			var out []value.Value
			for _, e := range val.Field("values").Elements() {
				out = append(out, otlpValue(e))
			}
			return value.OfList(out...)
		case "kvlistValue", "kvlist_value":
			return otlpAttributes(val.Field("values"))
		case "stringValue", "string_value", "doubleValue", "double_value", "boolValue", "bool_value",
			"bytesValue", "bytes_value":
			return val
		}
	}
	return value.Value{}
}

// jaegerParts cuts a trace of Jaeger, or a reply with several, into its spans.
func jaegerParts(v value.Value, add func(part)) {
	for _, t := range v.Field("data").Elements() {
		jaegerParts(t, add)
	}
	for _, s := range v.Field("spans").Elements() {
		addSpan(jaegerSpan(s), add)
	}
}

func jaegerSpan(s value.Value) value.Value {
	var o fields
	o.text("trace_id", s.Field("traceID").Text())
	o.text("span_id", s.Field("spanID").Text())
	for _, r := range s.Field("references").Elements() {
		if r.Field("refType").Text() == "CHILD_OF" {
			o.text("parent_id", r.Field("spanID").Text())
		}
	}
	o.text("name", s.Field("operationName").Text())
	o.text("start", s.Field("startTime").Text())
	tags := keyed(s.Field("tags"))
	if tags.Field("otel.status_code").Text() == "ERROR" {
		o.text("error", orWord(tags.Field("otel.status_description").Text(), "error"))
	}
	o.set("attributes", tags)
	var events []value.Value
	for _, l := range s.Field("logs").Elements() {
		all := keyed(l.Field("fields"))
		events = append(events, object("name", all.Field("event")).With("attributes", all))
	}
	if events != nil {
		o.set("events", value.OfList(events...))
	}
	return value.OfObject(o...)
}

// keyed turns a list of {key, value} with plain values into an object.
func keyed(list value.Value) value.Value {
	members := make([]value.Member, 0, list.Len())
	for _, a := range list.Elements() {
		members = append(members, value.Member{Key: a.Field("key").Text(), Value: a.Field("value")})
	}
	return value.OfObject(members...)
}

// flatParts takes a span that is one object with plain attributes, or the attributes alone.
func flatParts(v value.Value, add func(part)) {
	attrs := v.Field("attributes")
	if attrs.Kind() != value.Object {
		attrs = v
	}
	var o fields
	o.text("trace_id", spanID(v, "trace_id", "traceId"))
	o.text("span_id", spanID(v, "span_id", "spanId"))
	if parent, ok := first(v, "parent_id", "parentSpanId", "parent_span_id"); ok {
		o.text("parent_id", strings.TrimPrefix(parent.Text(), "0x"))
	}
	o.text("name", v.Field("name").Text())
	if start, ok := first(v, "start_time", "startTime", "startTimeUnixNano"); ok {
		o.text("start", start.Text())
	}
	if status := orWord(v.Field("status_code").Text(), v.Field("status").Field("status_code").Text()); status == "ERROR" {
		o.text("error", orWord(v.Field("status_message").Text(), "error"))
	}
	o.set("attributes", attrs)
	o.set("events", v.Field("events"))
	s := value.OfObject(o...)
	if !s.Has("trace_id") && attrs.Field("session.id").Text() == "" {
		add(part{alone: true, text: s.JSON()})
		return
	}
	addSpan(s, add)
}

// spanID is an id of a span, which console exporters have under context and with 0x.
func spanID(v value.Value, keys ...string) string {
	id, ok := first(v.Field("context"), keys...)
	if !ok {
		id, _ = first(v, keys...)
	}
	return strings.TrimPrefix(id.Text(), "0x")
}
