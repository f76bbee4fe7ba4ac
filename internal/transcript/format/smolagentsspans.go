// Spans of smolagents.
// Written by: openinference-instrumentation-smolagents 0.1, for smolagents 1.x.
// Read: OpenInference's attributes. A step's reply comes back in the next request with the closing
// tag of its code, and its calls as a message of the role tool-call: both are the same step.
// Lost: that closing tag; messages of the role tool-call, which repeat the calls.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// smolagentsTags end the code in an agent's message, unless the server leaves them out.
var smolagentsTags = []string{"</code>", "<end_code>"}

// smolagentsSpan removes what repeats a step.
func smolagentsSpan(s *spanRecord) {
	input := s.attrs.Field("input.value").Text()
	if !strings.HasSuffix(s.scope, "smolagents") && !strings.Contains(input, "<MessageRole.") {
		return
	}
	repeats := map[string]bool{}
	for key, v := range s.attrs.Members() {
		if message, isRole := strings.CutSuffix(key, ".message.role"); isRole && v.Text() == "tool-call" {
			repeats[message] = true
		}
	}
	var kept value.Fields
	for key, v := range s.attrs.Members() {
		message, inside, isMessage := strings.Cut(key, ".message.")
		switch text, isText := v.Str(); {
		case !isMessage || !isText:
		case repeats[message]:
			continue
		case inside == "role" && text == "tool-response":
			v = value.OfString(string(transcript.User)) // as it is sent to the model
		case inside != "role":
			text = strings.TrimSpace(text)
			for _, tag := range smolagentsTags {
				text = strings.TrimSuffix(text, tag)
			}
			v = value.OfString(text)
		}
		kept.Set(key, v)
	}
	s.attrs = kept.Object()
}
