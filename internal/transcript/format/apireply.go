// Single replies of model APIs, and files of batches of them.
//
// Written by: OpenAI Chat Completions (openai-chat-response), Anthropic Messages
// (anthropic-message), OpenAI's batch output ({custom_id, response: {body}}) and
// Anthropic's ({custom_id, result: {message}}).
// Read: openai-go 3.95.0, anthropic-sdk-go 1.84.0.
// Lost: choices beyond the first; the request, which these files do not hold.

package format

import (
	"github.com/judgekit/judge/internal/value"
)

// readChatReply reads {object: "chat.completion", choices: [{message}]}.
func (d *draft) readChatReply(v value.Value) error {
	if err := d.native(v, "choices", "object"); err != nil {
		return err
	}
	for i, c := range v.Field("choices").Elements() {
		if i > 0 {
			d.drop("choice")
			continue
		}
		m := c.Field("message")
		if finish := c.Field("finish_reason"); !finish.IsNull() && m.Kind() == value.Object {
			m = m.With("finish_reason", finish)
		}
		if err := d.oneMessage(m, "choices[0].message"); err != nil {
			return err
		}
	}
	return nil
}

func isAnthropicMessage(f value.Value) bool {
	return f.Field("type").Text() == "message" && f.Field("role").Text() == "assistant" &&
		f.Field("content").IsList() && f.Has("stop_reason")
}

// readAnthropicReply reads {type: "message", role: "assistant", content, stop_reason}.
func (d *draft) readAnthropicReply(v value.Value) error {
	if err := d.native(v, "type", "role", "content"); err != nil {
		return err
	}
	return d.oneMessage(members(v, "role", "content").Object(), "")
}

func isBatchOutput(f value.Value) bool {
	return f.Has("custom_id") && (f.Field("response").Has("body") || f.Field("result").Has("message") ||
		f.Field("error").Kind() == value.Object)
}

// readBatchOutput reads one line of a batch's output: the reply in it by its own format.
func (d *draft) readBatchOutput(v value.Value) error {
	body := v.Field("response").Field("body")
	if body.IsNull() {
		body = v.Field("result").Field("message")
	}
	d.ID = v.Field("custom_id").Text()
	if code := v.Field("response").Field("status_code"); body.IsNull() || code.IsNumber() && code.Text() != "200" {
		failure, _ := v.First("error", "response", "result")
		d.note("run_error", "response", "the request failed: "+value.Quote(failure.JSON()))
		return nil
	}
	for _, name := range []string{openAIResponse, "openai-chat-response", "anthropic-message"} {
		if f := lookUp(name); f.is(body, body) {
			return f.read(d, body.Without("id"))
		}
	}
	return wrong("response.body", "the reply has no form that is known: %s", value.Quote(body.JSON()))
}
