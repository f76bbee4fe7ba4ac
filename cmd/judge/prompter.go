package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/view"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// prompter makes the prompts of a saved run again, as they were sent.
type prompter struct {
	manifest *directory.Manifest
	rubrics  []*rubrics.Rubric
	judges   []instrument.Judge
	names    []string // of the judges, as the configuration has them
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
		j.Config.Prompt.Redact = redaction(c.Redact, &specs[i])
		p.names = append(p.names, cmp.Or(specs[i].Name, specs[i].Model))
	}
	nameJudges(p.judges)
	instrument.Recall(p.judges, all, m.Profiles, nil)
	return p, nil
}

// prompts are those of one call under one rubric, by judge; judges that were sent the same
// have one. A prompt without messages was not sent. exchanges are those of the journal by
// their keys; only refusals for the length of a prompt matter.
func (p *prompter) prompts(ctx context.Context, c *transcript.Conversation, call int, rubric string,
	exchanges map[string][]*journal.Entry) ([]view.Prompt, error) {
	var out []view.Prompt
	for _, r := range p.rubrics {
		if r.Name != rubric {
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

// sent is the prompt as a judge was sent it, shortened where it was.
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

// sentAgain refuses for its length what an endpoint refused in a run, and keeps what it was
// asked at last.
type sentAgain struct {
	refusals []*llm.Error
	last     llm.Request
}

// Do implements judges.Completer.
func (s *sentAgain) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	s.last = req
	if len(s.refusals) == 0 {
		return nil, errors.New("the answer is in the journal")
	}
	err := s.refusals[0]
	s.refusals = s.refusals[1:]
	return nil, err
}
