// Transcripts of Antigravity.
// Written by: Google Antigravity, ~/.gemini/antigravity*/brain/*/.system_generated/logs/transcript.jsonl: lines
// of {step_index, source, type, content}.
// Read: 2026. The planner's response holds the calls; the steps of the model after it are their results, in
// their order, without ids.
// Lost: messages of the system; what a step holds whose call is not in the log.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var antigravity = format{
	name:   "antigravity",
	mark:   "steps with a step_index and a source",
	detect: has("step_index", "source", "type"),
	read:   (*draft).readAntigravity,
	parts:  wholeFile,
}

func (d *draft) readAntigravity(list value.Value) error {
	waiting := 0 // calls without a result
	return d.eachLine(list, func(t *turns, step value.Value, kind, at string) error {
		content := step.Field("content")
		calls := step.Field("tool_calls")
		switch {
		case kind == "USER_INPUT":
			waiting = 0
			t.begin(transcript.User, at)
			t.text(value.OfString(userRequest(content.Text())), at)
		case step.Field("source").Text() != "MODEL":
			d.drop(kind)
		case kind == "PLANNER_RESPONSE" || calls.Len() > 0:
			waiting = calls.Len()
			t.begin(transcript.Assistant, at)
			t.chunk(content.Text())
			t.open.thought = step.Field("thinking").Text()
			return t.callLists(step, at)
		case waiting > 0:
			waiting--
			return t.message(resultItem("", content, step.Field("status").Text() == "ERROR"), at)
		default:
			d.drop("step without its call")
		}
		return nil
	})
}

// userRequest extracts the user's text from the text that the program wraps around it.
func userRequest(text string) string {
	_, inner, opened := strings.Cut(text, "<USER_REQUEST>")
	inner, _, closed := strings.Cut(inner, "</USER_REQUEST>")
	if opened && closed {
		return strings.TrimSpace(inner)
	}
	return text
}
