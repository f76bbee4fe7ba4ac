// Histories of CAMEL and OWL.
// Written by: OWL's run_society (chat_history): [{user, assistant, tool_calls}], one row a round.
// Read: 2025. The calls of a round come before its answer. The list is one conversation.
// Lost: nothing.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var camelRows = format{
	name:   "camel",
	mark:   "rounds of a user and an assistant with tool_calls",
	detect: has("user", "assistant", "tool_calls"),
	read:   (*draft).readCamel,
	parts:  wholeFile,
}

func (d *draft) readCamel(list value.Value) error {
	return d.eachLine(list, func(t *turns, r value.Value, _, at string) error {
		t.begin(transcript.User, at+".user")
		t.text(r.Field("user"), at)
		if calls := r.Field("tool_calls"); calls.Len() > 0 {
			t.begin(transcript.Assistant, at)
			if err := t.callList(calls, at+".tool_calls"); err != nil {
				return err
			}
		}
		t.begin(transcript.Assistant, at+".assistant")
		t.text(r.Field("assistant"), at)
		return nil
	})
}
