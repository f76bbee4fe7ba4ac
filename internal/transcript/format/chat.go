// Messages of OpenAI's Chat Completions, and the native form.
//
// Written by: clients of OpenAI-compatible APIs, fine-tuning files, and by hand; the native
// form adds expected_calls, labels and sample.
// Read: openai-go v3.95 and go-openai v1.43 (2026), with the deprecated function_call and the
// reasoning fields of vLLM and DeepSeek.
// Lost: ids of messages; what else is not known is kept beside the message.

package format

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// nativeKeys mean something in native records.
var nativeKeys = []string{
	"id", "messages", "tools", "functions", "expected_calls", "only_expected_calls", "expected_outputs", "labels",
	"sample",
}

// readChat reads a native record, which is an OpenAI chat record with more keys,
// or a bare list of messages.
func (d *draft) readChat(v value.Value) error {
	if v.IsList() {
		return d.messageList(v, "")
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object with messages and is %s", v.Kind().WithArticle())
	}
	messages, ok := v.Get("messages")
	if !ok {
		return wrong("messages", "the record has no messages: is this a conversation?")
	}
	if err := d.native(v, "messages"); err != nil {
		return err
	}
	return d.messageList(messages, "messages")
}

// native reads the keys of a native record beside those that its format reads itself.
// Unknown ones become Extra.
func (d *draft) native(v value.Value, known ...string) error {
	var extra value.Fields
	for key, val := range v.Members() {
		if slices.Contains(known, key) {
			continue
		}
		read, err := d.nativeKey(key, val)
		if err != nil {
			return err
		}
		if key == "messages" {
			key = "log_messages"
		}
		if !read {
			extra = append(extra, value.Member{Key: key, Value: val})
		}
	}
	d.Extra = extra.Object()
	return nil
}

// nativeKey reads one key of a native record; false where it means nothing.
func (d *draft) nativeKey(key string, v value.Value) (bool, error) {
	switch key {
	case "id":
		switch {
		case v.Kind() == value.String || v.IsNumber():
			d.ID = v.Text()
		case !v.IsNull():
			return true, wrong("id", "the id must be a text and is %s", v.Kind().WithArticle())
		}
	case "tools":
		d.useTools(v)
	case "functions":
		if len(d.Tools) > 0 {
			return false, nil
		}
		d.useTools(v)
	case "expected_calls":
		return true, d.expectedCalls(v)
	case "only_expected_calls":
		only, ok := v.BoolVal()
		if !ok && !v.IsNull() {
			return true, wrong(key, "this must be true or false and is %s", v.Kind().WithArticle())
		}
		if only {
			d.expected().Only = true
		}
	case "expected_outputs":
		d.outputs(v, "expected_outputs")
	case "labels":
		d.labels(v)
	case "sample":
		d.Sample = v
	default:
		return false, nil
	}
	return true, nil
}
