// Output files of batches.
// Written by: OpenAI's batches ({custom_id, response: {body}}) and Anthropic's ({custom_id, result:
// {message}}). The reply in a line is read by its own format: openai-chat-response (chat.go), openai-response
// (responses.go) or anthropic-message (anthropic.go).
// Read: openai-go 3.95.0, anthropic-sdk-go 1.84.0.
// Lost: choices beyond the first; the request, which these files do not hold.

package format

import "github.com/judgekit/judge/internal/value"

var batchOutput = format{
	name:   "openai-batch-output",
	mark:   "custom_id and the reply in response.body",
	detect: of(isBatchOutput),
	read:   (*draft).readBatchOutput,
}

func isBatchOutput(f value.Value) bool {
	return f.Has("custom_id") && (f.Field("response").Has("body") || f.Field("result").Has("message") ||
		f.Field("error").Kind() == value.Object)
}

// readBatchOutput reads one line of a batch's output, whose reply has a format of its own.
func (d *draft) readBatchOutput(v value.Value) error {
	body := v.Field("response").Field("body")
	if body.IsNull() {
		body = v.Field("result").Field("message")
	}
	d.ID = v.Field("custom_id").Text()
	if code := v.Field("response").Field("status_code"); body.IsNull() || code.IsNumber() && code.Text() != "200" {
		failure, _ := found(v, "error", "response", "result")
		d.note("run_error", "response", "the request failed: "+value.Quote(failure.JSON()))
		return nil
	}
	for _, f := range []*format{&openAIResponse, &openAIChatReply, &anthropicReply} {
		if f.detect(probeOf(body)) == sure {
			return f.read(d, body.Without("id"))
		}
	}
	return wrong("response.body", "the reply has no form that is known: %s", value.Quote(body.JSON()))
}
