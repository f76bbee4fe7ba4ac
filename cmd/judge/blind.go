package main

import (
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/transcript"
)

// showBlind shows what a person needs to label a call and nothing that would lead them:
// the conversation until the call, the definition of the called tool, the call and its
// result.
func showBlind(w io.Writer, item *directory.Item, t target) error {
	fmt.Fprintf(w, "conversation %s (%s)\n", visible(t.id), visible(item.Scores[0].Place))
	c := item.Conversation
	if c == nil {
		return usagef("the record cannot be shown: %s", item.LogProblem)
	}
	if t.call >= len(c.Calls) {
		return usagef("%s has %d calls, counted from 0", t.id, len(c.Calls))
	}
	if t.call < 0 {
		showRecord(w, c, t)
		return nil
	}
	showDefinition(w, c, c.Calls[t.call].Name)
	result := c.Calls[t.call].Result
	showMessages(w, c, t, c.Calls[t.call].Message+1)
	if result >= 0 {
		fmt.Fprintf(w, "  result: %s\n", visible(c.Messages[result].Content))
	}
	return nil
}

// showDefinition shows what the agent knew of a tool.
func showDefinition(w io.Writer, c *transcript.Conversation, name string) {
	for i := range c.Tools {
		if t := &c.Tools[i]; t.Name == name {
			fmt.Fprintf(w, "  tool %s: %s %s\n", visible(t.Name), visible(t.Description), visible(t.Parameters.JSON()))
			return
		}
	}
	fmt.Fprintf(w, "  tool %s: the log has no definition of it\n", visible(name))
}
