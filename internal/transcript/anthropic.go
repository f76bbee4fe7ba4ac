// Anthropic's Messages.
//
// Written by: clients of the Messages API: {system, tools, messages} with content blocks.
// Read: anthropic-sdk-go v1.84 (2026), with server tools and MCP blocks.
// Lost: signatures of thinking; images and documents are kept as parts without their bytes.

package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readAnthropic reads a record of Anthropic messages: {system, tools, messages} and
// the further keys of native records. A tool_result block becomes a tool message of
// its own before the rest of its message; calls that the provider runs have the
// executor "server", and their results follow the message that holds both.
func (d *draft) readAnthropic(v value.Value) error {
	if v.IsList() {
		return d.objects(v, "", "message", d.anthropicMessage)
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object with messages and is %s", v.Kind().WithArticle())
	}
	if system := v.Field("system"); !system.IsNull() {
		d.messageOf(System, system, "system")
	}
	if err := d.native(v, "messages", "system"); err != nil {
		return err
	}
	return d.objects(v.Field("messages"), "messages", "message", d.anthropicMessage)
}

// anthropicMessage reads one message. Calls and results are taken out of its content.
func (d *draft) anthropicMessage(v value.Value, at string) error {
	content := v.Field("content")
	var own, uses, results []value.Value
	var places []string
	for i, b := range content.Elements() {
		t := b.Field("type").Text()
		switch {
		case strings.HasSuffix(t, "tool_use"):
			uses = append(uses, b)
			places = append(places, at+"."+place("content", i))
		case strings.HasSuffix(t, "tool_result"):
			results = append(results, b)
		default:
			own = append(own, b)
		}
	}
	byAgent := v.Field("role").Text() == string(Assistant)
	if !byAgent {
		d.anthropicResults(results, at)
	}
	switch {
	case len(uses)+len(results) == 0:
	case len(own) > 0:
		v = v.With("content", value.OfList(own...))
	case byAgent || len(uses) > 0:
		v = v.Without("content")
	default:
		return nil // a message that only carries results
	}
	if err := d.chatMessage(v, at); err != nil {
		return err
	}
	message := len(d.Messages) - 1
	for i, use := range uses {
		c := Call{Place: places[i], ID: use.Field("id").Text(), Name: strings.Clone(use.Field("name").Text())}
		if use.Field("type").Text() != "tool_use" {
			c.Executor = "server"
		}
		d.callWith(message, c, use, "input")
	}
	if byAgent {
		d.anthropicResults(results, at)
	}
	return nil
}

func (d *draft) anthropicResults(results []value.Value, at string) {
	for _, b := range results {
		m := Message{ResultID: b.Field("tool_use_id").Text()}
		m.flag(b.Field("is_error"))
		content := b.Field("content")
		if strings.HasSuffix(content.Field("type").Text(), "_error") {
			m.IsError, m.Succeeded = true, false
		}
		d.result(m, content, at)
	}
}
