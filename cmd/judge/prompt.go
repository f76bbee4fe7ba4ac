package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/view"
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
	cmd.Flags().StringVar(&f.layout, "layout", "", "rubric-first, named-rubrics or conversation-first")
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
	item, near := parseTarget(f.item), ""
	for c, err := range source.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return usage(err)
		}
		if item.id == "" && len(judges.AllCalls(c)) > 0 || item.id != "" && c.ID == item.id {
			return a.printPrompt(f, judges.Config{Model: "MODEL", Rubrics: list}, c, max(0, item.call))
		}
		near = spelling.Nearest(item.id, []string{near, c.ID})
	}
	switch {
	case near != "":
		return usagef("%s: no conversation %q; did you mean %s?", path, item.id, near)
	case item.id != "":
		return usagef("%s: no conversation %q; judge logs convert shows the ids", path, item.id)
	}
	return usagef("%s: it has no call", path)
}

func (a *app) printPrompt(f *promptFlags, cfg judges.Config, c *transcript.Conversation, call int) error {
	if call >= len(c.Calls) {
		return usagef("%s has %d calls; there is no call %d", c.ID, len(c.Calls), call)
	}
	cfg.Prompt = instrument.PromptOptions("prompt") // a run derives them from its id
	cfg.Prompt.Layout = judges.Layout(f.layout)
	j, err := judges.New(instrument.Silent{}, cfg)
	if err != nil {
		return usage(err)
	}
	for _, r := range cfg.Rubrics {
		if !r.When.Holds(&c.Calls[call]) {
			fmt.Fprintf(a.err, "judge: rubric %s: a run does not ask about this call, its condition does not hold: %s\n", r.Name, r.When)
		}
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

// prompter makes the prompts of a saved run again, exactly as sent.
type prompter struct {
	manifest *directory.Manifest
	rubrics  []*rubrics.Rubric
	judges   []instrument.Judge
	names    []string // of the judges, as configured
}

func newPrompter(m *directory.Manifest, c *config.Config) (*prompter, error) {
	all, err := loadRubrics(c.Rubrics)
	if err != nil {
		return nil, err
	}
	specs := c.Judges
	if len(specs) == 0 {
		specs = []config.Judge{{}}
	}
	p := &prompter{manifest: m, rubrics: all, judges: make([]instrument.Judge, len(specs))}
	for i := range specs {
		j := &p.judges[i]
		*j = instrument.Judge{Config: judgeConfig(&specs[i]), ContextTokens: specs[i].ContextTokens,
			ReasoningGiven: specs[i].Reasoning != nil}
		j.Config.Model = cmp.Or(specs[i].Model, baseline.Model)
		j.Config.Prompt.Redact = redaction(c, &specs[i])
		p.names = append(p.names, cmp.Or(specs[i].Name, specs[i].Model))
	}
	nameJudges(p.judges)
	instrument.Recall(p.judges, all, m.Profiles, nil)
	return p, nil
}

// prompts returns the prompts of one call under one rubric, one for all judges that were sent the
// same. A prompt without messages was not sent. exchanges holds the journal's entries by key;
// only refusals for length matter.
func (p *prompter) prompts(ctx context.Context, c *transcript.Conversation, call int, rubric string,
	exchanges map[string][]*journal.Entry) ([]view.Prompt, error) {
	var out []view.Prompt
	for _, r := range p.rubrics {
		if r.Name != rubric || !r.When.Holds(&c.Calls[call]) {
			continue
		}
		for i := range p.judges {
			entries := exchanges[judges.RequestKey(c.ID, call, rubric)]
			messages, err := p.sent(ctx, c, call, &p.judges[i], r, entries)
			if err != nil {
				return nil, err
			}
			same := func(known view.Prompt) bool { return slices.Equal(known.Messages, messages) }
			if !slices.ContainsFunc(out, same) {
				out = append(out, view.Prompt{Judge: p.names[i], Messages: messages})
			}
		}
	}
	return out, nil
}

// sent returns the prompt as a judge was sent it, possibly shortened.
func (p *prompter) sent(ctx context.Context, c *transcript.Conversation, call int, spec *instrument.Judge,
	r *rubrics.Rubric, entries []*journal.Entry) ([]view.Message, error) {
	cfg := spec.Config
	cfg.Rubrics, cfg.Modes = p.rubrics, nil
	identity := instrument.PromptOptions(p.manifest.RunID)
	cfg.Prompt.RunKey, cfg.Prompt.Canary, cfg.Prompt.Limit = identity.RunKey, identity.Canary, spec.Limit()
	again := &sentAgain{}
	for _, e := range entries {
		if e.Model == cfg.Model && e.Error != nil && e.Error.Kind == llm.KindOverflow {
			again.refusals = append(again.refusals, e.Error)
		}
	}
	j, err := judges.New(again, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := j.By(r.Name).Call(ctx, c, call, judges.Facts{}); err != nil {
		return nil, err
	}
	var out []view.Message
	for _, m := range again.last.Messages {
		out = append(out, view.Message{Role: string(m.Role), Text: m.Content})
	}
	return out, nil
}

// sentAgain refuses for its length what the endpoint refused in the run, and keeps the last
// request.
type sentAgain struct {
	refusals []*llm.Error
	last     llm.Request
}

func (s *sentAgain) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	s.last = req
	if len(s.refusals) == 0 {
		return nil, errors.New("the answer is in the journal")
	}
	err := s.refusals[0]
	s.refusals = s.refusals[1:]
	return nil, err
}
