package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// SpanRef identifies where something was recorded in a trace; the zero value if the log does not
// say. Ids are hex, as in OpenTelemetry.
type SpanRef struct {
	// Trace has 32 digits, Span 16. Either both are set or none.
	Trace string `json:"trace,omitempty"`
	Span  string `json:"span,omitempty"`
	// Response is the id of the model's reply.
	Response string `json:"response,omitempty"`
	// Conversation is gen_ai.conversation.id.
	Conversation string `json:"conversation,omitempty"`
}

// SpanOf returns the span in which call number i was made; -1 means the whole conversation.
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

// hexID returns an id with n digits that are not all 0; "" for any other text.
func hexID(v value.Value, key string, digits int) string {
	id := strings.ToLower(v.Field(key).Text())
	if len(id) != digits || strings.Trim(id, "0123456789abcdef") != "" || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}
