package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var jaeger = format{
	name:   "jaeger",
	mark:   "data with spans",
	detect: of(func(f value.Value) bool { return f.Field("data").Head().Has("spans") }),
	read:   (*draft).readSpans,
	parts:  jaegerParts,
	in:     container.Layout{List: "data", Lines: true},
}

// jaegerParts splits a trace of Jaeger, or a reply with several traces, into spans.
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
