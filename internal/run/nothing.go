package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// NothingError says that the logs hold nothing that can be judged or scored: no tool
// call, and no word on which calls were right.
type NothingError struct{ found *finding }

// Error says what was found instead, in which format, and what to try.
func (e *NothingError) Error() string {
	f := e.found
	text := fmt.Sprintf("nothing to judge or score in %s: no tool call and no expected_calls in %s with %s",
		f.files(), counted(f.reading.Conversations, "conversation"), counted(f.messages, "message"))
	if f.reading.Conversations == 0 {
		text = "nothing to judge or score in " + f.files()
	}
	if n := f.reading.Unreadable; n > 0 {
		text += fmt.Sprintf("; not readable: %s, the first: %s", counted(n, "record"), f.reading.Problems[0])
	}
	return text + "; " + f.advice()
}

// finding is what was found in logs, and whether anything of it can be judged or scored.
type finding struct {
	reading  *input.Reading
	messages int
	// replies counts records with a model's reply beside the messages.
	replies   int
	something bool
}

func (f *finding) add(c *transcript.Conversation, scores []score.Score) {
	f.messages += len(c.Messages)
	if reply := c.Extra.Field("response"); reply.Field("choices").IsList() {
		f.replies++
	}
	f.something = f.something || c.Expected != nil || len(judges.AllCalls(c)) > 0
	for i := range scores {
		f.something = f.something || scores[i].Status == score.Scored
	}
}

// err is a *NothingError where there were records and nothing in them. Logs without any
// record are shards of others, and no mistake.
func (f *finding) err() error {
	if f.something || f.reading.Conversations+f.reading.Unreadable == 0 {
		return nil
	}
	return &NothingError{f}
}

// files names the logs with their formats.
func (f *finding) files() string {
	var names []string
	for _, in := range f.reading.Inputs {
		name := in.Path
		if in.Format != "" {
			name += " (read as " + in.Format + ")"
		}
		names = append(names, name)
	}
	if more := len(names) - 3; more > 0 {
		names = append(names[:3], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// advice is the next step, by what was found.
func (f *finding) advice() string {
	notes := f.reading.Notes
	switch {
	case notes["call_in_text"] > 0:
		return fmt.Sprintf("%s only in the agent's text (%s): --include-text-calls takes what is written for a call",
			counted(notes["call_in_text"], "call"), f.reading.NotePlaces["call_in_text"])
	case f.replies > 0:
		return "the records hold the model's reply beside the messages, under response, and it is not read: append its message to messages"
	case notes["part_not_text"] > 0:
		return fmt.Sprintf("%s of a type that is not read (%s): write the calls as tool_calls",
			counted(notes["part_not_text"], "message part"), f.reading.NotePlaces["part_not_text"])
	case notes["unknown_role"] > 0:
		return fmt.Sprintf("%s with a role that is not read (%s): write the calls as tool_calls of assistant messages",
			counted(notes["unknown_role"], "message"), f.reading.NotePlaces["unknown_role"])
	case f.reading.Unreadable > 0:
		return "judge logs inspect shows what was read, and --input-format says how to read it"
	}
	return "judge logs inspect shows what was read; conversations in which no call is right say so with expected_calls: []"
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Something makes sure that the logs of a plan hold anything that can be judged or
// scored. It reads them up to the first such conversation. The error is a
// *NothingError where there is none.
func Something(ctx context.Context, plan *Plan) error {
	log, err := deterministic.ForLog(plan.Scorers)
	if err != nil {
		return &PlanError{err}
	}
	source, err := plan.source(ctx, nil, nil)
	if err != nil {
		return err
	}
	f := &finding{reading: &input.Reading{}}
	for c, err := range source.Conversations(ctx, f.reading) {
		if err != nil {
			return err
		}
		if f.add(c, log.Score(c)); f.something {
			return nil
		}
	}
	return f.err()
}

// source reads the logs of the plan, as far as its limit or sample goes.
func (p *Plan) source(ctx context.Context, hashes []string, problem func(error)) (*input.Source, error) {
	s := &input.Source{Logs: p.Logs, Hashes: hashes, Options: p.Read, Limit: p.Limit, Problem: problem}
	if p.Sample > 0 {
		return s, s.Pick(ctx, p.Sample, p.Seed)
	}
	return s, nil
}
