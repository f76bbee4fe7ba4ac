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

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// span is one span or log record in the one form that all sources are cut to.
type span struct {
	v value.Value
	// at is its place for people: "span b7ad6b7169203331".
	at    string
	attrs value.Value
	// behind is how many messages were read before the call of a tool.
	behind int
}

func (s *span) text(key string) string       { return s.attrs.Field(key).Text() }
func (s *span) field(key string) value.Value { return s.v.Field(key) }

// first is the value of the first of the attributes that is there.
func (s *span) first(keys ...string) (value.Value, bool) { return s.attrs.First(keys...) }

// spanConversationKeys are the attributes that name a conversation of several traces.
var spanConversationKeys = []string{"gen_ai.conversation.id", "session.id"}

func isTempo(f value.Value) bool {
	list := f.Field("batches")
	b := list.Head()
	return list.IsList() && (b.IsNull() || b.HasAny("resource", "scopeSpans", "instrumentationLibrarySpans"))
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
				otlpSpan(s).add(add)
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

// spanRecord is a span, or a log record, as it is cut out of a log.
type spanRecord struct {
	trace, id, parent, name, start string
	// failure is why it failed, "" where it did not.
	failure string
	attrs   value.Value
	events  []value.Value
	// log says that it is a log record, which is below its span.
	log bool
	// alone says that it is a conversation by itself where it names no trace and none of these.
	alone bool
}

// add adds the record in the common form.
func (s *spanRecord) add(add func(part)) {
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

// otlpLog brings a log record into the form of a span whose one event it is.
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

// keyed turns a list of {key, value} into an object; read is what a value is.
func keyed(list value.Value, read func(v value.Value) value.Value) value.Value {
	members := make([]value.Member, 0, list.Len())
	for _, a := range list.Elements() {
		members = append(members, value.Member{Key: a.Field("key").Text(), Value: read(a.Field("value"))})
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

// jaegerParts cuts a trace of Jaeger, or a reply with several, into its spans.
func jaegerParts(v value.Value, add func(part)) {
	for _, t := range v.Field("data").Elements() {
		jaegerParts(t, add)
	}
	for _, s := range v.Field("spans").Elements() {
		jaegerSpan(s).add(add)
	}
}

func jaegerSpan(v value.Value) *spanRecord {
	plain := func(v value.Value) value.Value { return v }
	s := &spanRecord{trace: v.Field("traceID").Text(), id: v.Field("spanID").Text(), name: v.Field("operationName").Text(),
		start: v.Field("startTime").Text(), attrs: keyed(v.Field("tags"), plain)}
	for _, r := range v.Field("references").Elements() {
		if r.Field("refType").Text() == "CHILD_OF" {
			s.parent = r.Field("spanID").Text()
		}
	}
	if s.attrs.Field("otel.status_code").Text() == "ERROR" {
		s.failure = cmp.Or(s.attrs.Field("otel.status_description").Text(), "error")
	}
	for _, l := range v.Field("logs").Elements() {
		all := keyed(l.Field("fields"), plain)
		s.events = append(s.events, event(all.Field("event"), all))
	}
	return s
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
		attrs: v.Inside("attributes"), events: v.Field("events").Slice()}
	if cmp.Or(v.Field("status_code").Text(), v.Field("status").Field("status_code").Text()) == "ERROR" {
		s.failure = cmp.Or(v.Field("status_message").Text(), "error")
	}
	s.add(add)
}
