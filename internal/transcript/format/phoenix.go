package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var phoenixSpans = format{
	name:   "phoenix-spans",
	mark:   "spans with a span_kind, or attributes in columns",
	detect: within(phoenixSpan, "data"),
	read:   (*draft).readSpans,
	parts:  phoenixParts,
}

// phoenixSpan reports whether v is a span exported by Phoenix: a row of its data frame, with
// attributes in columns, or a span of its API, with attributes as an object.
func phoenixSpan(v value.Value) bool {
	for key := range v.Members() {
		if strings.HasPrefix(key, "attributes.llm.") || key == "attributes.openinference.span.kind" ||
			key == "context.trace_id" {
			return true
		}
	}
	return v.Has("span_kind") && v.HasAny("context", "attributes")
}

// phoenixParts cuts an export of Arize Phoenix into spans with flattened attributes: rows of
// get_spans_dataframe as records (JSON lines, CSV or Parquet), and the {data: [span]} of its
// API and command (arize-phoenix 12, 2026). Lost: data frames written by column, whose rows are
// spread over the file: write them with orient="records".
func phoenixParts(v value.Value, add func(part)) {
	spans := v.Field("data")
	if !spans.IsList() {
		spans = value.OfList(v)
	}
	for _, s := range spans.Elements() {
		flatParts(phoenixFlat(s), add)
	}
}

// phoenixFlat returns a span with plain keys and one object of flattened attributes.
func phoenixFlat(s value.Value) value.Value {
	var attributes value.Fields
	var out value.Fields
	for key, val := range s.Members() {
		switch name, isAttribute := strings.CutPrefix(key, "attributes."); {
		case isAttribute:
			flatten(&attributes, name, val, 0)
		case key == "attributes":
			for name, val := range val.Decoded().Members() {
				flatten(&attributes, name, val, 0)
			}
		case strings.HasPrefix(key, "context."):
			out.Set(strings.TrimPrefix(key, "context."), val)
		default:
			out.Set(key, val)
		}
	}
	kind := s.Field("span_kind")
	if flat := value.OfObject(attributes...); !flat.Has("openinference.span.kind") {
		attributes.Set("openinference.span.kind", kind)
	}
	out.Set("attributes", value.OfObject(attributes...))
	return value.OfObject(out...)
}
