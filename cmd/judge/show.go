package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// showFlags holds the flags of judge show and what it should show.
type showFlags struct {
	asJSON, blind, raw bool
	dir                string
	target
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

// target names what the user wants to see.
type target struct {
	id     string
	call   int // -1 for the whole conversation
	rubric string
}

// parseTarget reads CONVERSATION[:CALL[:RUBRIC]] from the right, because an id may contain
// colons.
func parseTarget(text string) target {
	t := target{id: text, call: -1}
	if at := strings.LastIndexByte(text, ':'); at > 0 {
		if n, err := strconv.Atoi(text[at+1:]); err == nil && n >= 0 {
			return target{id: text[:at], call: n}
		}
		if mid := strings.LastIndexByte(text[:at], ':'); mid > 0 {
			if n, err := strconv.Atoi(text[mid+1 : at]); err == nil && n >= 0 {
				return target{id: text[:mid], call: n, rubric: text[at+1:]}
			}
		}
	}
	return t
}

// recording is a saved run with its logs.
type recording struct {
	dir      string
	manifest *directory.Manifest
	config   *config.Config
	// logs has no missing logs.
	logs *input.Source
}

// recorded reads a run directory. It changes to the directory where the run was started, so that
// relative paths are right; the result's dir is relative to that.
func (a *app) recorded(dir string) (*recording, error) {
	m, c, err := saved(dir)
	if err != nil {
		return nil, err
	}
	r := &recording{manifest: m, config: c, logs: &input.Source{}}
	if r.dir, err = enter(m.Directory, dir); err != nil {
		return nil, err
	}
	if r.logs.Options, err = logOptions(c); err != nil {
		return nil, err
	}
	// A log without its tools can still be shown.
	r.logs.Options.Tools, _ = readTools(c.Tools, func(string) {})
	if r.logs.Logs, err = a.openLogs(c.Logs, r.dir); err != nil {
		r.logs.Logs = nil
	}
	return r, nil
}

func (a *app) show(ctx context.Context, dir, what string, f *showFlags) error {
	r, err := a.recorded(dir)
	if err != nil {
		return err
	}
	f.dir, f.target = r.dir, parseTarget(what)
	item, err := directory.Find(ctx, r.dir, f.id, r.logs)
	if errors.Is(err, directory.ErrNoItem) && f.call >= 0 {
		// The id itself may end in a colon and digits.
		f.target = target{id: what, call: -1}
		item, err = directory.Find(ctx, r.dir, f.id, r.logs)
	}
	if errors.Is(err, directory.ErrNoItem) {
		return usagef("%w%s", err, meantItem(r, what))
	}
	if err != nil {
		return usage(err)
	}
	var out strings.Builder
	switch {
	case f.asJSON:
		for i := range item.Scores {
			if f.wants(&item.Scores[i]) {
				if err := score.Encode(value.VisibleJSONWriter(a.out), &item.Scores[i]); err != nil {
					return err
				}
			}
		}
		return nil
	case f.blind:
		err = showBlind(&out, item, f.target)
	default:
		err = a.showItem(ctx, &out, f, item, r.config)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.outFor(render.TextFormat), out.String())
	return err
}

// meantItem suggests the conversation that was most likely meant, "" if none is similar.
func meantItem(r *recording, what string) string {
	ids, err := directory.ConversationIDs(r.dir, r.manifest.RunID)
	if err != nil {
		return "" // report the missing conversation instead
	}
	at := parseTarget(what)
	near := spelling.Nearest(at.id, ids)
	if near == "" {
		return ""
	}
	return "; did you mean " + near + strings.TrimPrefix(what, at.id) + "?"
}

// wants reports whether the user asked for a score.
func (t *target) wants(s *score.Score) bool {
	if t.call >= 0 && (s.CallIndex == nil || *s.CallIndex != t.call) {
		return false
	}
	return t.rubric == "" || s.Name == t.rubric
}

// showItem prints the card, then what --raw or a rubric adds.
func (a *app) showItem(ctx context.Context, w io.Writer, f *showFlags, item *directory.Item, c *config.Config) error {
	if !slices.ContainsFunc(item.Scores, func(s score.Score) bool { return f.wants(&s) }) {
		return usagef("%s has no scores for call %d %s", f.id, f.call, f.rubric)
	}
	k := newCard(item, f.target, a.width())
	k.write()
	if _, err := io.WriteString(w, k.String()); err != nil {
		return err
	}
	if f.raw {
		if err := showRaw(w, item, f.target); err != nil {
			return err
		}
	}
	if f.rubric != "" {
		exchanges, err := directory.Exchanges(f.dir, f.id)
		if err != nil {
			return err
		}
		if err := a.showPrompt(ctx, w, item, f.target, c, exchanges); err != nil {
			return err
		}
		showExchanges(w, exchanges, f)
		return nil
	}
	if !f.raw {
		fmt.Fprintln(w, "\n--raw shows the record and the scores as they are; "+
			"CONVERSATION:CALL:RUBRIC the exact prompt and the replies")
	}
	return nil
}

// showRaw prints the whole record and the lines of the scores.
func showRaw(w io.Writer, item *directory.Item, t target) error {
	fmt.Fprintln(w, "\nrecord:")
	if item.Conversation != nil {
		showRecord(w, item.Conversation, t, "result, which no judge saw")
	}
	fmt.Fprintln(w, "\nscores:")
	for i := range item.Scores {
		if s := &item.Scores[i]; t.wants(s) {
			if err := score.Encode(plain(w), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// showRecord prints a conversation up to the requested call, and the result of the call under
// resultName.
func showRecord(w io.Writer, c *transcript.Conversation, t target, resultName string) {
	until, result := len(c.Messages), -1
	if t.call >= 0 && t.call < len(c.Calls) {
		until, result = c.Calls[t.call].Message+1, c.Calls[t.call].Result
	}
	showMessages(w, c, t, until)
	if result >= 0 {
		fmt.Fprintf(w, "  %s: %s\n", resultName, visible(c.Messages[result].Content))
	}
}

// showMessages prints the first messages of a conversation with their calls; a mark shows the
// requested one.
func showMessages(w io.Writer, c *transcript.Conversation, t target, until int) {
	for i := range c.Messages[:until] {
		m := &c.Messages[i]
		if m.HasContent && m.Content != "" {
			fmt.Fprintf(w, "  [%d] %s: %s\n", i, m.Role, visible(m.Content))
		}
		for _, k := range m.Calls {
			call := &c.Calls[k]
			mark := " "
			if k == t.call {
				mark = ">"
			}
			fmt.Fprintf(w, "%s [%d] call %d: %s(%s)\n", mark, i, k, visible(call.Name), visible(call.RawArguments))
		}
	}
}

func (a *app) showPrompt(ctx context.Context, w io.Writer, item *directory.Item, t target, c *config.Config,
	exchanges map[string][]*journal.Entry) error {
	if item.Conversation == nil || t.call >= len(item.Conversation.Calls) {
		return nil
	}
	p, err := newPrompter(item.Manifest, c)
	if err != nil {
		return err
	}
	list, err := p.prompts(ctx, item.Conversation, t.call, t.rubric, exchanges)
	for _, sent := range list {
		judge := ""
		if len(c.Judges) > 1 {
			judge = " to " + visible(sent.Judge)
		}
		fmt.Fprintf(w, "\nprompt as sent%s:\n", judge)
		for _, m := range sent.Messages {
			fmt.Fprintf(w, "--- %s\n%s\n", m.Role, m.Text)
		}
		if len(sent.Messages) == 0 {
			fmt.Fprintln(w, "it was not sent")
		}
	}
	return err
}

// showExchanges prints the replies: what the model wrote, and with --raw what the server sent.
func showExchanges(w io.Writer, exchanges map[string][]*journal.Entry, f *showFlags) {
	key := fmt.Sprintf("%s#%d %s", f.id, f.call, f.rubric)
	for i, e := range exchanges[key] {
		fmt.Fprintf(w, "\nexchange %d: %s at %s, transport %s, attempts %d, finish %s\n", i+1, e.Model,
			e.Endpoint, e.Transport, e.Attempts, e.FinishReason)
		if e.Error != nil {
			fmt.Fprintf(w, "  %s: %s\n", e.Error.Kind, visible(e.Error.Message))
		}
		reply, err := llm.ParseReply(e.Raw)
		if f.raw || err != nil || reply.Content == "" {
			fmt.Fprintf(w, "  raw reply: %s\n", visible(string(e.Raw)))
		} else {
			fmt.Fprintf(w, "  raw reply, without its envelope: %s\n", visible(reply.Content))
		}
		if err == nil && reply.Reasoning != "" {
			fmt.Fprintf(w, "  reasoning: %s\n", visible(reply.Reasoning))
		}
	}
}

// visible makes text of a log safe for a terminal, with line breaks escaped.
func visible(s string) string { return value.Visible(strings.ReplaceAll(s, "\n", "\\n")) }

// showBlind prints what a person needs to label a call and nothing that could bias them: the
// conversation up to the call, the definition of its tool, the call and its result.
func showBlind(w io.Writer, item *directory.Item, t target) error {
	fmt.Fprintf(w, "conversation %s (%s)\n", visible(t.id), visible(item.Scores[0].Place))
	c := item.Conversation
	if c == nil {
		return usagef("the record cannot be shown: %s", item.LogProblem)
	}
	if t.call >= len(c.Calls) {
		return usagef("%s has %d calls, counted from 0", t.id, len(c.Calls))
	}
	if t.call >= 0 {
		showDefinition(w, c, c.Calls[t.call].Name)
	}
	showRecord(w, c, t, "result")
	return nil
}

// showDefinition prints what the agent knew about a tool.
func showDefinition(w io.Writer, c *transcript.Conversation, name string) {
	for i := range c.Tools {
		if t := &c.Tools[i]; t.Name == name {
			fmt.Fprintf(w, "  tool %s: %s %s\n", visible(t.Name), visible(t.Description), visible(t.Parameters.JSON()))
			return
		}
	}
	fmt.Fprintf(w, "  tool %s: the log has no definition of it\n", visible(name))
}
