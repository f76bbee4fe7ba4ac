// States of runs of the OpenAI Agents SDK.
// Written by: RunState.toString() of the SDK for JavaScript, RunState.to_json() of the one for Python: a run
// that waits for an approval.
// Read: schema versions 1.0 to 1.6 (2026). A call that waits has no result.
// Lost: contexts, approvals, guardrails.

package format

import "github.com/judgekit/judge/internal/value"

var runState = format{
	name: "openai-agents-state",
	mark: "an original input with generated items",
	detect: of(func(f value.Value) bool {
		return f.HasAny("originalInput", "original_input") && f.HasAny("generatedItems", "generated_items", "modelResponses", "model_responses")
	}),
	read: (*draft).readRunState,
}

func (d *draft) readRunState(v value.Value) error {
	d.Extra = members(v, "$schemaVersion", "schema_version", "currentTurn", "current_turn").Object()
	input, inputAt := found(v, "originalInput", "original_input")
	if err := d.prompt(input, inputAt); err != nil {
		return err
	}
	items, at := v.FirstKey("generatedItems", "generated_items")
	if items.Len() == 0 {
		items, at = v.FirstKey("modelResponses", "model_responses")
		return d.messageList(flatLines(items, "output"), at)
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(items, at, "item", func(item value.Value, at string) error {
		if item.Field("type").Text() == "tool_approval_item" {
			return nil // the call is an item of its own
		}
		raw, _ := item.First("rawItem", "raw_item")
		return t.message(raw, at)
	})
}
