// Recordings of Llama Stack.
//
// Written by: llama-stack's tests (recordings/*.json): {request: {url, endpoint, body}, response: {body,
// is_streaming}}, where objects of SDKs stand in {__type__, __data__}.
// Read: 2025 and 2026, of Chat Completions, Messages, Interactions and generateContent.
// Lost: what is no request to a model (lists of models, embeddings) is a conversation without calls.

package format

import "github.com/judgekit/judge/internal/value"

var recordings = format{
	name: "llama-stack",
	mark: "a request with an url and a response with is_streaming",
	detect: of(func(f value.Value) bool {
		return f.Field("request").Has("url") && (f.Has("test_id") || f.Field("response").Has("is_streaming"))
	}),
	read: (*draft).readRecording,
}

func (d *draft) readRecording(v value.Value) error {
	d.ID = v.Field("test_id").Text()
	request := v.Field("request").Inside("body", "payload")
	reply := withoutTypes(v.Field("response").Field("body"))
	if failure := reply.Field("error"); !failure.IsNull() {
		d.note("run_error", "response", value.Quote(failure.JSON()))
	}
	return d.exchange(request, reply)
}

// withoutTypes takes the objects of SDKs out of {__type__, __data__}.
func withoutTypes(v value.Value) value.Value {
	if v.IsList() {
		return eachOf(v, withoutTypes)
	}
	return v.Inside("__data__")
}
