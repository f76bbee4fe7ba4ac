// Items of OpenAI's Responses.
// Written by: clients of the Responses API and the OpenAI Agents SDK: a flat list of items.
// Read: openai-go v3.95 (2026). Calls that the provider ran are calls with their result.
// Lost: encrypted reasoning; a response that continues another one holds only what is new.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openAIResponse = format{
	name: "openai-response",
	mark: "object response with output",
	detect: of(func(f value.Value) bool {
		return f.Field("object").Text() == "response" && f.Has("output")
	}),
	read: (*draft).readResponses,
}

var openAIResponsesRequest = format{
	name:   "openai-responses-request",
	mark:   "an input of Responses items",
	detect: of(responsesInput),
	read:   (*draft).readResponses,
}

var openAIResponsesItems = format{
	name:   "openai-responses-items",
	bare:   func(f value.Value) bool { return !f.IsList() },
	mark:   "a list of Responses items",
	detect: listOf(responsesItem),
	read:   (*draft).readResponses,
}

var openAIAgentsSession = format{
	name: "openai-agents-session",
	mark: "messages with a role beside items with a call_id",
	detect: func(p *probe) confidence {
		return sureIf(p.whole.IsList() && p.first.Has("role") && !p.first.Has("type") && flatItems(p.whole))
	},
	read: (*draft).readResponses,
}

// responsesInput reports whether the input of a record belongs to the Responses API: items,
// messages in their short form, or a text beside a model's name.
func responsesInput(f value.Value) bool {
	input := f.Field("input")
	if f.Has("messages") {
		return false
	}
	if input.Kind() == value.String {
		return f.Has("model") && !f.Has("outputs")
	}
	return responsesItem(input.Head()) || input.Head().HasAll("role", "content")
}

// responsesItem reports whether v has a type of the Responses API's items.
func responsesItem(v value.Value) bool {
	t, _ := v.Field("type").Str()
	switch t {
	case "message", "reasoning", "program", "program_output", "mcp_list_tools", "additional_tools", "item_reference":
		return true
	}
	return strings.HasSuffix(t, "_call") || strings.HasSuffix(t, "_call_output")
}

// readResponses reads a conversation of the Responses API: a list of items, a response ({output}),
// or a request ({input}), with both if a log joins them. Calls belong to the assistant message
// before them, if nothing is between.
func (d *draft) readResponses(v value.Value) error {
	if v.IsList() {
		return d.messageList(v, "")
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object or a list of items and is %s", v.Kind().WithArticle())
	}
	if err := d.native(v, "instructions", "input", "output"); err != nil {
		return err
	}
	t := turns{draft: d}
	defer t.flush()
	for i, part := range []string{"instructions", "input", "output"} {
		switch val := v.Field(part); {
		case val.IsNull():
		case val.Kind() == value.String:
			t.begin([]transcript.Role{transcript.System, transcript.User, transcript.Assistant}[i], part)
			t.text(val, part)
		default:
			if err := d.objects(val, part, "item", t.message); err != nil {
				return err
			}
		}
	}
	return nil
}
