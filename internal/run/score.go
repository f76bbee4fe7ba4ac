package run

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// ScoreTo writes the score stream of a plan's deterministic half to w as it is
// made. The stream's run id is empty: nothing identifies a run that is not kept.
func ScoreTo(ctx context.Context, plan Plan, w io.Writer, obs Observer) (*input.Reading, error) {
	out, err := score.NewWriter(w, "")
	if err != nil {
		return nil, err
	}
	e, err := unkept(&plan, obs)
	if err != nil {
		return nil, err
	}
	e.emit = func(s *score.Score) error { return out.Write(*s) }
	if err := e.scoreUnkept(ctx); err != nil {
		return nil, err
	}
	return e.out.Reading, out.Flush()
}

// ScoreReport builds the report of a plan's deterministic half while the logs are
// read, and keeps nothing else: memory does not grow with the logs, no file is
// written, and the logs are read once (twice for a sample). The run has no id and its
// inputs no hash. Gates that compare with another run need a directory of this one
// and fail here.
func ScoreReport(ctx context.Context, plan Plan, obs Observer) (*Outcome, error) {
	e, err := unkept(&plan, obs)
	if err != nil {
		return nil, err
	}
	e.out.Manifest = e.manifest(nil)
	m := e.out.Manifest
	m.RunID, m.Parts = "", nil
	b := measure.NewBuilder(&m.Manifest, plan.Report)
	e.emit = func(s *score.Score) error {
		b.Add(s)
		return nil
	}
	if err := e.scoreUnkept(ctx); err != nil {
		return e.out, err
	}
	e.describe(m)
	m.Status = directory.Complete
	r, err := b.Finish()
	if err != nil {
		return nil, err
	}
	e.out.Gates = measure.DecideGates(plan.Gates, r, nil)
	r.Gates = e.out.Gates.Results
	e.out.Report = r
	return e.out, nil
}

// unkept makes an execution that writes no directory.
func unkept(plan *Plan, obs Observer) (*execution, error) {
	e, err := newExecution(plan, obs)
	if err == nil {
		e.found = &finding{reading: e.out.Reading}
	}
	return e, err
}

func (e *execution) scoreUnkept(ctx context.Context) (err error) {
	if e.source, err = e.plan.source(ctx, nil, e.obs.Unreadable); err != nil {
		return err
	}
	if err := e.writeAll(ctx, e.grader.grade(ctx, e.source.Conversations(ctx, e.out.Reading))); err != nil {
		return err
	}
	return e.found.err()
}

// Something makes sure that the logs of a plan hold anything that can be judged or
// scored. It reads them up to the first such conversation. The error is a
// *NothingError where there is none.
func Something(ctx context.Context, plan *Plan) error {
	log, err := plan.scorers()
	if err != nil {
		return err
	}
	source, err := plan.source(ctx, nil, nil)
	if err != nil {
		return err
	}
	f := &finding{reading: &input.Reading{}}
	for c, err := range source.Whole().Conversations(ctx, f.reading) { // a shard may be empty
		if err != nil {
			return err
		}
		if f.add(c, log.Score(c)); f.something {
			return nil
		}
	}
	return f.err()
}

// NothingError says that the logs hold nothing that can be judged or scored: no tool
// call, and no statement which calls are right.
type NothingError struct{ found *finding }

// finding is what was found in logs, and whether any of it can be judged or scored.
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

// advice is the next step, by what was found.
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
	return "judge logs inspect shows what was read; conversations in which no call is right say so with expected_calls: []"
}
