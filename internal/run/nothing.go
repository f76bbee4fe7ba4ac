package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// NothingError says that the logs contain nothing to judge or score: no tool calls, and no expected
// calls.
type NothingError struct{ found *finding }

// finding holds what was found in logs, and whether any of it can be judged or scored.
type finding struct {
	reading  *input.Reading
	messages int
	// replies counts records with a model's reply beside the messages.
	replies   int
	something bool
}

// add adds a conversation. scored is called only until something was found.
func (f *finding) add(c *transcript.Conversation, list []*rubrics.Rubric,
	scored func(*transcript.Conversation) []score.Score) {
	f.messages += len(c.Messages)
	if reply := c.Extra.Field("response"); reply.Field("choices").IsList() {
		f.replies++
	}
	f.something = f.something || c.Expected != nil || len(judges.AllCalls(c)) > 0 ||
		slices.ContainsFunc(list, func(r *rubrics.Rubric) bool { return len(judges.Targets(c, r)) > 0 }) ||
		slices.ContainsFunc(scored(c), func(s score.Score) bool { return s.Status == score.Scored })
}

// err returns a *NothingError if nothing was found in all logs together.
func (f *finding) err() error {
	if f.something {
		return nil
	}
	return &NothingError{f}
}

// Error says what was found instead, in which format, and what to try.
func (e *NothingError) Error() string {
	r := e.found.reading
	text := "nothing to judge or score in " + e.found.files()
	if r.Conversations+r.Unreadable == 0 {
		if len(r.Inputs) == 1 {
			return text + ": the log is empty"
		}
		return text + ": the logs are empty"
	}
	if r.Conversations > 0 {
		text += fmt.Sprintf(": no tool call and no expected_calls in %s with %s",
			words.Counted(r.Conversations, "conversation"), words.Counted(e.found.messages, "message"))
	}
	if r.Unreadable > 0 {
		text += fmt.Sprintf("; not readable: %s, the first: %s", words.Counted(r.Unreadable, "record"), r.Problems[0])
	}
	return text + "; " + e.found.advice()
}

// files names the logs with their formats.
func (f *finding) files() string {
	var names []string
	for i, in := range f.reading.Inputs {
		if i == 3 {
			names = append(names, fmt.Sprintf("and %d more", len(f.reading.Inputs)-i))
			break
		}
		name := in.Path
		if in.Format != "" {
			name += " (read as " + in.Format + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// advice returns the next step for what was found.
func (f *finding) advice() string {
	for _, note := range []struct{ kind, noun, advice string }{
		{transcript.CallInText, "message", "with a call only in the agent's text (%s): --include-text-calls takes " +
			"what is written for a call"},
		{"part_not_text", "message part", "of a type that is not read (%s): write the calls as tool_calls"},
		{"unknown_role", "message", "with a role that is not read (%s): write the calls as tool_calls of " +
			"assistant messages"},
	} {
		if n := f.reading.Notes[note.kind]; n > 0 && (f.replies == 0 || note.kind == transcript.CallInText) {
			return words.Counted(n, note.noun) + " " + fmt.Sprintf(note.advice, f.reading.NotePlaces[note.kind])
		}
	}
	switch {
	case f.replies > 0:
		return "the records hold the model's reply beside the messages, under response, and it is not read: " +
			"append its message to messages"
	case f.reading.Unreadable > 0:
		return "judge logs inspect shows what was read, and --input-format says how to read it"
	}
	return "judge logs inspect shows what was read; conversations in which no call is right say so with " +
		"expected_calls: []"
}
