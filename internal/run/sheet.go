package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// LabelSheet holds the rows of a run that people should label.
type LabelSheet struct {
	Rows []measure.LabelRow
	// Rubrics names the run's rubrics, Own those that need a column of their own.
	Rubrics, Own []string
	// LogProblem says why the rows lack their calls; "" if they have them.
	LogProblem string
}

// Sheet draws what should be labelled in a run: conversations at random, and the most informative
// disagreements in the run's report. It reads the items again from logs, which are the run's own. A
// row shows a call's name and arguments (unchanged if they are not JSON), or the user's first
// message of a turn or conversation.
func Sheet(ctx context.Context, dir string, logs *input.Source, cfg measure.SheetConfig) (*LabelSheet, error) {
	m, in, err := directory.Open(dir)
	if err != nil {
		return nil, err
	}
	var queue report.Disagreements
	if cfg.Queue >= 0 {
		r, err := measure.Build(in, measure.Config{})
		if err != nil {
			return nil, err
		}
		queue = r.Disagreements
	}
	out := &LabelSheet{Rubrics: rubricNames(in.Manifest)}
	if out.Rows, err = measure.Sheet(in, queue, cfg); err != nil {
		return nil, err
	}
	if out.Own, err = measure.OwnColumns(in); err != nil {
		return nil, err
	}
	out.LogProblem = fillCalls(out.Rows, m.Again(ctx, logs))
	return out, nil
}

// fillCalls adds the text of each row's item. It returns why some texts are missing; "" if none
// are.
func fillCalls(rows []measure.LabelRow, conversations directory.Conversations) (problem string) {
	wanted := map[string][]*measure.LabelRow{}
	for i := range rows {
		wanted[rows[i].ConversationID] = append(wanted[rows[i].ConversationID], &rows[i])
	}
	for c, err := range conversations {
		if err != nil {
			return err.Error()
		}
		for _, row := range wanted[c.ID] {
			row.Call = itemText(c, row)
		}
		if delete(wanted, c.ID); len(wanted) == 0 {
			break
		}
	}
	return ""
}

// Changed lists calls that two runs decide differently by a rubric, alternating between calls that
// became fails and calls that became passes, in random order. It leaves out conversations with a
// label: they are part of the sample, or known already.
func Changed(ctx context.Context, earlier, later, rubric string, logs *input.Source, most int,
) ([]measure.LabelRow, error) {
	m, _, err := directory.Open(earlier)
	if err != nil {
		return nil, err
	}
	people, _, err := People(earlier, m.RunID, "", 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	labelled := map[string]bool{}
	if err == nil {
		for _, row := range people.Rows {
			labelled[row.ConversationID] = true
		}
	}
	before, err := verdictsBy(earlier, rubric)
	if err != nil {
		return nil, err
	}
	after, err := verdictsBy(later, rubric)
	if err != nil {
		return nil, err
	}
	changed := [2][]measure.LabelRow{}
	for row, was := range before {
		if is, both := after[row]; both && is != was && !labelled[measure.SheetID(row.conversation)] {
			kind := map[bool]int{false: 0, true: 1}[is]
			changed[kind] = append(changed[kind], measure.LabelRow{ConversationID: row.conversation, CallIndex: row.call,
				Tool: row.tool, Sample: measure.QueueSample})
		}
	}
	rows := measure.InTurn(changed[0], changed[1], most)
	_ = fillCalls(rows, m.Again(ctx, logs)) // a sheet without the calls can be filled in as well
	return rows, nil
}

// judgedCall identifies a call of a run.
type judgedCall struct {
	conversation, tool string
	call               int
}

// verdictsBy returns whether the calls of a run pass by a rubric, according to the run's first
// judge.
func verdictsBy(dir, rubric string) (map[judgedCall]bool, error) {
	out, judge := map[judgedCall]bool{}, ""
	for s, err := range directory.Scores(dir) {
		if err != nil {
			return nil, err
		}
		if s.Source != score.Judge || s.Name != rubric || s.Passed == nil || s.CallIndex == nil {
			continue
		}
		if judge = cmp.Or(judge, s.Judge); s.Judge == judge {
			out[judgedCall{s.ConversationID, s.Tool, *s.CallIndex}] = *s.Passed
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no verdict of a call by %s", dir, rubric)
	}
	return out, nil
}

// itemText returns the text of a row's item: a call, or the user's first message of a turn or
// conversation.
func itemText(c *transcript.Conversation, row *measure.LabelRow) string {
	switch {
	case row.CallIndex >= len(c.Calls):
		return ""
	case row.CallIndex >= 0:
		return callText(&c.Calls[row.CallIndex])
	}
	target := judges.Target{Scope: rubrics.ScopeConversation}
	if row.Turn > 0 {
		target = judges.Target{Scope: rubrics.ScopeTurn, Turn: row.Turn}
	}
	from, to := judges.MessagesOf(c, target)
	for _, m := range c.Messages[from:to] {
		if m.Role == transcript.User {
			return m.Content
		}
	}
	return ""
}

// callText returns a call as name and compact JSON.
func callText(call *transcript.Call) string {
	if call.Malformed {
		return call.Name + " " + call.RawArguments
	}
	return call.Name + " " + call.Arguments.JSON()
}

func rubricNames(m report.Manifest) []string {
	var out []string
	for _, r := range m.Rubrics {
		out = append(out, r.Name)
	}
	return out
}
