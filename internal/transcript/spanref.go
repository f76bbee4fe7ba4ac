package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// SpanRef says where in a trace something was recorded; the zero value if the log does
// not say. Ids are hex, as OpenTelemetry has them.
type SpanRef struct {
	// Trace is 32 digits, Span 16; one is never there without the other.
	Trace string `json:"trace,omitempty"`
	Span  string `json:"span,omitempty"`
	// Response is the id that the model's reply had.
	Response string `json:"response,omitempty"`
	// Conversation is gen_ai.conversation.id.
	Conversation string `json:"conversation,omitempty"`
}

// SpanOf returns the span that call number i was made in; of the whole conversation for -1.
func (c *Conversation) SpanOf(i int) SpanRef {
	extra := c.Extra
	if i >= 0 && i < len(c.Calls) {
		extra = c.Messages[c.Calls[i].Message].Extra
	}
	r := SpanRef{Response: extra.Field("response_id").Text(), Conversation: c.Extra.Field("gen_ai_conversation_id").Text()}
	if trace, span := hexID(extra, "trace_id", 32), hexID(extra, "span_id", 16); trace != "" && span != "" {
		r.Trace, r.Span = trace, span
	}
	return r
}

// hexID returns an id of n digits, not all of them 0; "" for any other text.
func hexID(v value.Value, key string, digits int) string {
	id := strings.ToLower(v.Field(key).Text())
	if len(id) != digits || strings.Trim(id, "0123456789abcdef") != "" || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}
