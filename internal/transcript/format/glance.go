package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The limits of a glance: messages shown, and characters of a text and of a call.
const (
	maxGlance     = 12
	glanceText    = 70
	glanceCall    = 90
	glanceReaders = 3 // files with a glance
)

// Glance is one message of a log's first conversation, as it was read. It lets a person check the reading.
type Glance struct {
	Role string `json:"role"`
	// Text is the beginning of the message's text.
	Text string `json:"text,omitempty"`
	// Calls are the message's calls; Answers names the call that a result answers.
	Calls   []string `json:"calls,omitempty"`
	Answers string   `json:"answers,omitempty"`
}

// glance returns the first messages of a conversation.
func glance(c *transcript.Conversation) (out []Glance) {
	for i := range c.Messages[:min(len(c.Messages), maxGlance)] {
		m := &c.Messages[i]
		g := Glance{Role: string(m.Role), Text: oneLine(m.Content, glanceText)}
		for _, k := range m.Calls {
			g.Calls = append(g.Calls, oneLine(c.Calls[k].Name+"("+c.Calls[k].RawArguments+")", glanceCall))
		}
		if m.Role == transcript.ToolRole {
			if g.Answers = "no call"; m.Result >= 0 {
				g.Answers = oneLine(c.Calls[m.Result].Name, glanceText)
			}
		}
		out = append(out, g)
	}
	return out
}

// oneLine returns the beginning of a text on one line.
func oneLine(text string, most int) string {
	return value.Excerpt(strings.Join(strings.Fields(text[:min(len(text), 16*most)]), " "), most)
}
