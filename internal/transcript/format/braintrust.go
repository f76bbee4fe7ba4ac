// Braintrust: rows of logs and experiments, a row a span.
//
// Written by: Braintrust's API and its exports ({events: […]}, a list, lines).
// Read: spans of the types llm and tool by trace, or by session_id or thread_id of their metadata; scores.
// Lost: spans of other types, metrics; rows that a client sends in pieces (_is_merge) are no export.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/value"
)

var braintrustRow = format{
	name: "braintrust",
	mark: "span_attributes and root_span_id",
	detect: of(func(f value.Value) bool {
		return f.HasAll("span_attributes", "root_span_id", "span_id") && !f.Has("_is_merge")
	}),
	read:  (*draft).readSpans,
	parts: braintrustParts,
}

// braintrustParts converts a row to a span.
func braintrustParts(v value.Value, add func(part)) {
	attributes, metadata := v.Field("span_attributes"), v.Field("metadata")
	kind := attributes.Field("type").Text()
	input, output, callID := v.Field("input").Decoded(), v.Field("output").Decoded(), value.Value{}
	switch {
	case kind == "tool":
		input, output, callID = runOfTool(input, output)
	case output.Head().Has("message"):
		output = value.Pairs("choices", output)
	}
	s := &spanRecord{trace: v.Field("root_span_id").Text(), id: v.Field("span_id").Text(),
		parent: v.Field("span_parents").Head().Text(), name: attributes.Field("name").Text(),
		start: cmp.Or(v.Field("created").Text(), v.Field("metrics").Field("start").Text()), failure: v.Field("error").Text()}
	s.attrs = observed(cmp.Or(runOperations[kind], kind), metadata.FirstText("session_id", "thread_id", "conversation_id"),
		input, output, metadata.Field("tools"))
	s.copyText("gen_ai.tool.call.id", callID.Text())
	var scores []value.Value
	for name, score := range v.Field("scores").Members() {
		scores = append(scores, value.Pairs("name", value.OfString(name)).With("score", score))
	}
	if len(scores) > 0 {
		s.attrs = s.attrs.With(scoresKey, value.OfList(scores...))
	}
	s.add(add)
}
