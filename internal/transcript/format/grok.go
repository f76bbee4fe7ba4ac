// Sessions of Grok Build.
// Written by: xAI's grok, ~/.grok/sessions/*/*/chat_history.jsonl: lines of {type, content}, whose types are
// the roles, tool_result and reasoning.
// Read: 2026. The files have no ids of conversations and no times.
// Lost: encrypted reasoning; updates.jsonl and events.jsonl hold the same and are not read.

package format

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

var grok = format{
	name: "grok",
	mark: "lines with a type that is a role, and content",
	detect: loosely(of(func(f value.Value) bool {
		return slices.Contains([]string{"system", "user", "assistant", "tool_result"}, f.Field("type").Text()) &&
			f.HasAny("content", "tool_calls") && !f.HasAny("role", "message", "id", "time", "ts", "timestamp") && !f.HasAny(eventSessionKeys...)
	})),
	read:  (*draft).readGrok,
	parts: wholeFile,
}

// readGrok reads the lines as messages. A call that xAI's server ran is an item of the Responses API.
func (d *draft) readGrok(list value.Value) error {
	return d.readLines(list.Each(func(_ string, line value.Value) value.Value {
		if ran := line.Field("kind"); ran.Has("tool_type") {
			return ran.Without("tool_type").With("type", value.OfString(ran.Field("tool_type").Text()+"_call"))
		}
		return line
	}))
}
