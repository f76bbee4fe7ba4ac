// Evaluations of Google ADK in their first form.
// Written by: google-adk before 1.0 (*.test.json, *.evalset.json): a list of {query, expected_tool_use,
// reference}, which is one conversation, or a list of {name, data} with such a list each.
// Read: 2025. The recorded tool uses are read as the calls of the conversation, as in eval sets (adk.go).
// Lost: states of the initial session.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var adkEvalList = format{
	name:   "adk-eval-list",
	mark:   "queries with expected_tool_use",
	detect: within(func(f value.Value) bool { return f.HasAll("query", "expected_tool_use") }, "data"),
	read:   (*draft).readADKEvalList,
	parts:  linesOr("data"),
}

func (d *draft) readADKEvalList(list value.Value) error {
	if head := list.Head(); head.Has("data") {
		d.ID = head.Field("name").Text()
		d.Extra = foreign(head, "name", "data")
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(flatLines(list, "data"), "", "turn", func(v value.Value, at string) error {
		t.begin(transcript.User, at+".query")
		t.text(v.Field("query"), at)
		if uses := v.Field("expected_tool_use"); uses.Len() > 0 {
			t.begin(transcript.Assistant, at)
			if err := t.callList(eachOf(uses, adkUse), at+".expected_tool_use"); err != nil {
				return err
			}
		}
		for i, r := range v.Field("expected_intermediate_agent_responses").Elements() {
			t.begin(transcript.Assistant, at+"."+place("expected_intermediate_agent_responses", i))
			t.text(r.Field("text"), at)
		}
		t.begin(transcript.Assistant, at+".reference")
		t.text(v.Field("reference"), at)
		return nil
	})
}

// adkUse renames the result of a tool use to the usual key.
func adkUse(use value.Value) value.Value {
	if output := use.Field("mock_tool_output"); !output.IsNull() {
		return use.With("output", output)
	}
	return use
}
