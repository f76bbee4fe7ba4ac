package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

type showFlags struct {
	asJSON, blind, raw bool
}

func showCommand(a *app) *cobra.Command {
	var f showFlags
	cmd := newCommand("show RUN CONVERSATION[:CALL[:RUBRIC]]", cobra.ExactArgs(2),
		func(ctx context.Context, args []string) error {
			if f.blind && (f.asJSON || f.raw) {
				return usagef("--json and --raw print scores, --blind hides them: give one of them")
			}
			return a.show(ctx, runDirectory(args[0]), args[1], &f)
		})
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the scores as JSON lines")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "add the whole record, the scores as JSON and what the server sent")
	cmd.Flags().BoolVar(&f.blind, "blind", false,
		"show only the record, without verdicts, scores and flags, for labelling")
	return cmd
}

func (a *app) show(ctx context.Context, dir, what string, f *showFlags) error {
	r, err := a.recorded(dir)
	if err != nil {
		return err
	}
	c, err := findCase(ctx, r, what)
	if err != nil {
		return usage(err)
	}
	if !f.blind && !slices.ContainsFunc(c.Scores, func(s score.Score) bool { return c.Wants(&s) }) {
		return noScores(c)
	}
	var out strings.Builder
	switch {
	case f.asJSON:
		return c.WriteScores(a.out)
	case f.blind:
		err = usage(c.WriteBlind(&out))
	default:
		err = a.showCase(ctx, &out, f, r, c)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.outFor(render.TextFormat), out.String())
	return err
}

// findCase reads what the user wants to see.
func findCase(ctx context.Context, r *recording, what string) (*render.Case, error) {
	c := render.ParseCase(what)
	item, err := directory.Find(ctx, r.dir, c.ID, r.logs)
	if errors.Is(err, directory.ErrNoItem) && c.ID != what {
		// The id itself may end in a colon and digits.
		whole := &render.Case{ID: what, Call: -1}
		if item, err = directory.Find(ctx, r.dir, what, r.logs); err == nil {
			c = whole
		}
	}
	if at := strings.LastIndexByte(what, ':'); errors.Is(err, directory.ErrNoItem) && at > 0 {
		of := &render.Case{ID: what[:at], Call: -1, Rubric: what[at+1:]} // the whole conversation
		if found, findErr := directory.Find(ctx, r.dir, of.ID, r.logs); findErr == nil {
			item, c, err = found, of, nil
		}
	}
	if errors.Is(err, directory.ErrNoItem) {
		return nil, fmt.Errorf("%w%s", err, meantItem(r, c.ID, what))
	}
	if err != nil {
		return nil, err
	}
	c.Scores, c.Conversation, c.LogProblem = item.Scores, item.Conversation, item.LogProblem
	return c, nil
}

// meantItem suggests the conversation that was most likely meant, "" if none is similar.
func meantItem(r *recording, id, what string) string {
	ids, err := directory.ConversationIDs(r.dir, r.manifest.RunID)
	if err != nil {
		return "" // report the missing conversation instead
	}
	near := spelling.Nearest(id, ids)
	if near == "" {
		return ""
	}
	return "; did you mean " + near + strings.TrimPrefix(what, id) + "?"
}

// noScores says what of a conversation has no scores, and names what has some.
func noScores(c *render.Case) error {
	var items, names []string
	for i := range c.Scores {
		s := &c.Scores[i]
		ref := report.CaseRef{ConversationID: c.ID, CallIndex: s.CallIndex, Turn: s.Turn}
		if items = append(items, ref.ItemName()); (&render.Case{Call: c.Call, Turn: c.Turn, Result: c.Result}).Wants(s) {
			names = append(names, s.Name)
		}
	}
	slices.Sort(items)
	slices.Sort(names)
	if near := spelling.Nearest(c.Rubric, names); near != "" {
		return usagef("%s has no scores by %s; did you mean %s?", c.ID, c.Rubric, near)
	}
	if len(names) > 0 {
		return usagef("%s has no scores by %s; it has those by %s", c.ID, c.Rubric, words.Some(slices.Compact(names), 20))
	}
	return usagef("%s has no scores of this item; it has those of %s", c.ID, words.Some(slices.Compact(items), 20))
}

// showCase prints the card, then what --raw or a rubric adds.
func (a *app) showCase(ctx context.Context, w io.Writer, f *showFlags, r *recording, c *render.Case) error {
	if _, err := io.WriteString(w, c.Card(a.width())); err != nil {
		return err
	}
	if f.raw {
		if err := c.WriteRecord(w); err != nil {
			return err
		}
	}
	switch {
	case c.Rubric != "":
		return showRequests(ctx, w, f, r, c)
	case !f.raw:
		fmt.Fprintln(w, "\n--raw shows the record and the scores as they are; "+
			"CONVERSATION:CALL:RUBRIC the exact prompt and the replies")
	}
	return nil
}

// showRequests prints the prompts of a call under a rubric, and the replies.
func showRequests(ctx context.Context, w io.Writer, f *showFlags, r *recording, c *render.Case) error {
	exchanges, err := directory.Exchanges(r.dir, c.ID)
	if err != nil {
		return err
	}
	target := judges.Target{Call: max(0, c.Call), Turn: c.Turn}
	if i := slices.IndexFunc(c.Scores, func(s score.Score) bool { return c.Wants(&s) }); i >= 0 {
		target = judges.TargetOf(&c.Scores[i])
	}
	if c.Conversation != nil && c.Call < len(c.Conversation.Calls) {
		p, err := r.prompter()
		if err != nil {
			return err
		}
		list, err := p.Prompts(ctx, c.Conversation, target, c.Rubric, exchanges)
		if err != nil {
			return err
		}
		for _, sent := range list {
			to := ""
			if len(p.Judges) > 1 {
				to = " to " + value.Visible(sent.Judge)
			}
			render.WritePrompt(w, to, sent.Messages)
		}
	}
	together := exchanges[judges.RequestKey(c.ID, target, judges.TogetherKey)]
	render.WriteExchanges(w, slices.Concat(together, exchanges[judges.RequestKey(c.ID, target, c.Rubric)]), f.raw)
	return nil
}
