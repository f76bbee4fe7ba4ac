package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// promptFlags are the flags of judge rubrics prompt.
type promptFlags struct {
	readFlags
	rubric, item, layout string
	asJSON               bool
}

func rubricsPromptCommand(a *app) *cobra.Command {
	var f promptFlags
	cmd := &cobra.Command{
		Use:   "prompt LOG",
		Short: "print the exact request for one call",
		Long: `print the exact request for one call: the messages that a judge is sent.

--call takes CONVERSATION or CONVERSATION:CALL, the number of the call from 0; the
default is the first call of the log. With --json it prints model, messages and schema. The
nonce in the markers and the canary differ from those of a run, which derive from
the run.`,
		Example: `  judge rubrics prompt fixtures/logs/support.jsonl --call partial-refund:2 --rubric overall_call_correctness`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.prompt(cmd.Context(), &f, args[0])
		},
	}
	f.readFlags.add(cmd)
	cmd.Flags().StringVar(&f.rubric, "rubric", "overall_call_correctness", "built-in rubric or rubric file")
	cmd.Flags().StringVar(&f.item, "call", "", "CONVERSATION[:CALL] (default the first call of the log)")
	cmd.Flags().StringVar(&f.layout, "layout", "", "rubric-first, named-rubrics or conversation-first")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print model, messages and schema as JSON")
	return cmd
}

// requestBody is what of a request does not depend on the endpoint.
type requestBody struct {
	Model    string        `json:"model"`
	Messages []llm.Message `json:"messages"`
	Schema   llm.Schema    `json:"schema"`
}

var errFound = errors.New("found")

func (a *app) prompt(ctx context.Context, f *promptFlags, path string) error {
	list, err := loadRubrics([]string{f.rubric})
	if err != nil {
		return err
	}
	id, call, err := parseItem(f.item)
	if err != nil {
		return err
	}
	err = a.eachLog(ctx, []string{path}, &f.readFlags, func(_ input.Log, r *transcript.Reader) error {
		return conversations(r, func(*transcript.Problem) {}, func(c *transcript.Conversation) error {
			if id != "" && c.ID != id || id == "" && len(judges.AllCalls(c)) == 0 {
				return nil
			}
			return cmp.Or(a.printPrompt(f, judges.Config{Model: "MODEL", Rubrics: list}, c, call), errFound)
		})
	})
	switch {
	case errors.Is(err, errFound):
		return nil
	case err == nil && id != "":
		return usagef("%s: no conversation %q; judge logs convert shows the ids", path, id)
	case err == nil:
		return usagef("%s: no call in it", path)
	}
	return err
}

// parseItem reads CONVERSATION[:CALL].
func parseItem(text string) (id string, call int, err error) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, 0, nil
	}
	call, err = strconv.Atoi(text[at+1:])
	if err != nil || call < 0 {
		return "", 0, usagef("--call %s: want CONVERSATION or CONVERSATION:CALL with the number of the "+
			"call from 0", text)
	}
	return text[:at], call, nil
}

func (a *app) printPrompt(f *promptFlags, cfg judges.Config, c *transcript.Conversation, call int) error {
	if call >= len(c.Calls) {
		return usagef("%s has %d calls; there is no number %d", c.ID, len(c.Calls), call)
	}
	cfg.Prompt.RunKey, cfg.Prompt.Layout = []byte("prompt"), judges.Layout(f.layout)
	j, err := judges.New(instrument.Silent{}, cfg)
	if err != nil {
		return usage(err)
	}
	for _, r := range cfg.Rubrics {
		req, err := j.Request(r.Name, c, call)
		if err != nil {
			return err
		}
		if f.asJSON {
			if err := writeJSON(a.out, requestBody{req.Model, req.Messages, req.Schema}); err != nil {
				return err
			}
			continue
		}
		for _, m := range req.Messages {
			fmt.Fprintf(a.out, "--- %s\n%s\n", m.Role, m.Content)
		}
	}
	return nil
}
