package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// promptFlags are the flags of judge rubrics prompt.
type promptFlags struct {
	readFlags
	rubric, item, layout string
	asJSON               bool
}

func rubricsPromptCommand(a *app) *cobra.Command {
	var f promptFlags
	cmd := newCommand("prompt LOG", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		return a.prompt(ctx, &f, args[0])
	})
	f.readFlags.add(cmd)
	cmd.Flags().StringVar(&f.rubric, "rubric", "overall_call_correctness", "built-in rubric or rubric file")
	cmd.Flags().StringVar(&f.item, "call", "", "CONVERSATION[:CALL] (default the first call of the log)")
	cmd.Flags().StringVar(&f.layout, "layout", "", "rubric-first, named-rubrics, conversation-first or together")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print model, messages and schema as JSON")
	return cmd
}

// requestBody is the part of a request that does not depend on the endpoint.
type requestBody struct {
	Model    string        `json:"model"`
	Messages []llm.Message `json:"messages"`
	Schema   llm.Schema    `json:"schema"`
}

func (a *app) prompt(ctx context.Context, f *promptFlags, path string) error {
	list, err := loadRubrics([]string{f.rubric})
	if err != nil {
		return err
	}
	source, err := a.source([]string{path}, &f.readFlags)
	if err != nil {
		return err
	}
	item, near := render.ParseCase(f.item), ""
	for c, err := range source.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return usage(err)
		}
		if item.ID == "" && len(judges.Targets(c, list[0])) > 0 || item.ID != "" && c.ID == item.ID {
			target := judges.Target{Call: max(0, item.Call), Turn: max(1, item.Turn)}
			return a.printPrompt(f, judges.Config{Model: "MODEL", Rubrics: list}, c, target)
		}
		near = spelling.Nearest(item.ID, []string{near, c.ID})
	}
	switch {
	case near != "":
		return usagef("%s: no conversation %q; did you mean %s?", path, item.ID, near)
	case item.ID != "":
		return usagef("%s: no conversation %q; judge logs convert shows the ids", path, item.ID)
	}
	return usagef("%s: it has no call", path)
}

// unasked says why a run does not ask a rubric about an item.
func unasked(r *rubrics.Rubric) string {
	switch {
	case r.SeesExpected:
		return "the log does not say what it expects, or the condition of the rubric does not hold"
	case r.When != nil:
		return "its condition does not hold: " + r.When.String()
	}
	return "it has no result"
}

func (a *app) printPrompt(f *promptFlags, cfg judges.Config, c *transcript.Conversation, t judges.Target) error {
	cfg.Prompt = instrument.PromptOptions("prompt") // a run derives them from its id
	cfg.Prompt.Layout = judges.Layout(f.layout)
	j, err := judges.New(instrument.Silent{}, cfg)
	if err != nil {
		return usage(err)
	}
	var last []llm.Message
	for _, r := range cfg.Rubrics {
		t.Scope = r.Scope
		req, err := j.Request(r.Name, c, t)
		if err != nil {
			return usage(err)
		}
		if !judges.Asks(r, c, t) {
			fmt.Fprintf(a.err, "judge: rubric %s: a run does not ask about this %s, %s\n", r.Name, r.Scope, unasked(r))
		}
		if slices.Equal(req.Messages, last) {
			continue // by several rubrics together
		}
		last = req.Messages
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
