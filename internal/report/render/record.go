package render

import (
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// WriteRecord writes the whole record of a case and the lines of its scores.
func (c *Case) WriteRecord(w io.Writer) error {
	fmt.Fprintln(w, "\nrecord:")
	if c.Conversation != nil {
		c.record(w, words.ResultHidden)
	}
	fmt.Fprintln(w, "\nscores:")
	return c.WriteScores(w)
}

// WriteScores writes the scores of a case as JSON lines.
func (c *Case) WriteScores(w io.Writer) error {
	out := value.VisibleJSONWriter(w)
	for i := range c.Scores {
		if s := &c.Scores[i]; c.Wants(s) {
			if err := score.Encode(out, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteBlind writes what a person needs to label a call, and nothing that could influence them: the
// conversation up to the call, the definition of its tool, the call and its result.
func (c *Case) WriteBlind(w io.Writer) error {
	fmt.Fprintf(w, "conversation %s (%s)\n", value.VisibleLine(c.ID), value.VisibleLine(c.Scores[0].Place))
	if c.Conversation == nil {
		return fmt.Errorf(words.NoRecord, c.LogProblem)
	}
	if n := len(c.Conversation.Calls); c.Call >= n {
		return fmt.Errorf(words.NoSuchCall, c.ID, words.Counted(n, "call"))
	}
	if c.Call >= 0 {
		writeDefinition(w, c.Conversation, c.Conversation.Calls[c.Call].Name)
	}
	c.record(w, "result")
	return nil
}

// record writes the conversation up to the call, and the result of the call under resultName.
func (c *Case) record(w io.Writer, resultName string) {
	r := c.Conversation
	until, result := len(r.Messages), -1
	if c.Call >= 0 && c.Call < len(r.Calls) {
		until, result = r.Calls[c.Call].Message+1, r.Calls[c.Call].Result
	}
	for i := range r.Messages[:until] {
		m := &r.Messages[i]
		if m.HasContent && m.Content != "" {
			fmt.Fprintf(w, "  [%d] %s: %s\n", i, m.Role, value.VisibleLine(m.Content))
		}
		for _, k := range m.Calls {
			call, mark := &r.Calls[k], " "
			if k == c.Call {
				mark = ">"
			}
			fmt.Fprintf(w, "%s [%d] call %d: %s(%s)\n", mark, i, k, value.VisibleLine(call.Name),
				value.VisibleLine(call.RawArguments))
		}
	}
	if result >= 0 {
		fmt.Fprintf(w, "  %s: %s\n", resultName, value.VisibleLine(r.Messages[result].Content))
	}
}

// writeDefinition writes what the agent knew about a tool.
func writeDefinition(w io.Writer, c *transcript.Conversation, name string) {
	for i := range c.Tools {
		if t := &c.Tools[i]; t.Name == name {
			fmt.Fprintf(w, "  tool %s: %s %s\n", value.VisibleLine(t.Name), value.VisibleLine(t.Description),
				value.VisibleLine(t.Parameters.JSON()))
			return
		}
	}
	fmt.Fprintf(w, "  "+words.NoDefinition+"\n", value.VisibleLine(name))
}

// WritePrompt writes a prompt; to is its judge.
func WritePrompt(w io.Writer, to string, messages []llm.Message) {
	fmt.Fprintf(w, "\nprompt as sent%s:\n", to)
	for _, m := range messages {
		fmt.Fprintf(w, "--- %s\n%s\n", m.Role, m.Content)
	}
	if len(messages) == 0 {
		fmt.Fprintln(w, words.NotSent)
	}
}

// WriteExchanges writes the replies about a case: what the model wrote and, with raw, what the
// server sent.
func WriteExchanges(w io.Writer, list []*journal.Entry, raw bool) {
	for i, e := range list {
		fmt.Fprintf(w, "\nexchange %d: %s at %s, transport %s, attempts %d, finish %s\n", i+1, e.Model,
			e.Endpoint, e.Transport, e.Attempts, e.FinishReason)
		if e.Error != nil {
			fmt.Fprintf(w, "  %s: %s\n", e.Error.Kind, value.VisibleLine(e.Error.Message))
		}
		reply, err := llm.ParseReply(e.Raw)
		if raw || err != nil || reply.Content == "" {
			fmt.Fprintf(w, "  raw reply: %s\n", value.VisibleLine(string(e.Raw)))
		} else {
			fmt.Fprintf(w, "  "+words.ReplyText+"\n", value.VisibleLine(reply.Content))
		}
		if err == nil && reply.Reasoning != "" {
			fmt.Fprintf(w, "  reasoning: %s\n", value.VisibleLine(reply.Reasoning))
		}
	}
}
