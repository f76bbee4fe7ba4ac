package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var vercelUIMessages = format{
	name:    "vercel-ui-messages",
	message: vercelUIMessage,
	read:    (*draft).readWrapped,
}

var vercelModelMessages = format{
	name:    "vercel-model-messages",
	message: vercelModelMessage,
	read:    (*draft).readWrapped,
}

var vercelResult = format{
	name: "vercel-result",
	mark: "steps with content and a finishReason",
	detect: of(func(f value.Value) bool {
		step := f.Field("steps").Head()
		return step.Field("content").IsList() && step.Has("finishReason") || step.Has("stepType") && step.Field("toolCalls").IsList()
	}),
	read: (*draft).readVercelResult,
}

// readVercelResult reads what generateText of the Vercel AI SDK returns (ai 4 to 7; files
// were made by running 7.0): {steps: [{content}]}. Lost: usage, warnings, provider metadata.
func (d *draft) readVercelResult(v value.Value) error {
	t := turns{draft: d}
	prompt, path := findList(v, "messages", "prompt", "request.messages", "steps[0].request.messages")
	if prompt.IsList() {
		if err := t.list(prompt, path); err != nil {
			return err
		}
	}
	d.Extra = foreign(v, "steps", "text", "response", "messages", "prompt")
	err := d.objects(v.Field("steps"), "steps", "step", func(step value.Value, at string) error {
		content := step.Field("content")
		if content.IsNull() { // ai 4
			content = value.OfList(append(append([]value.Value{textOf(step.Field("text").Text())},
				step.Field("toolCalls").Slice()...), step.Field("toolResults").Slice()...)...)
		}
		return t.whole(transcript.Assistant, value.Pairs("content", content), at)
	})
	t.flush()
	return err
}

// vercelUIMessage recognises a message by its parts, or by the invocations of version 4.
func vercelUIMessage(m value.Value) bool {
	for _, part := range m.Field("parts").Elements() {
		t := part.Field("type").Text()
		if strings.HasPrefix(t, "tool-") || t == "dynamic-tool" || t == "step-start" || part.Has("text") {
			return true
		}
	}
	parts, given := m.Get("parts")
	return !given && m.Field("toolInvocations").IsList() || parts.IsList() && parts.Len() == 0 && m.Has("id")
}

func vercelModelMessage(m value.Value) bool {
	for _, part := range m.Field("content").Elements() {
		if t := part.Field("type").Text(); t == "tool-call" || t == "tool-result" {
			return true
		}
	}
	return false
}
