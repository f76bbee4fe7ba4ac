package instrument

import (
	"context"
	"errors"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Prompter renders a run's prompts again, exactly as they were sent.
type Prompter struct {
	RunID   string
	Judges  []Judge
	Rubrics []*rubrics.Rubric
}

// Prompt holds what a judge was sent; without messages nothing was sent.
type Prompt struct {
	Judge    string        `json:"judge"`
	Messages []llm.Message `json:"messages"`
}

// Prompts returns the prompts for one item under one rubric. Judges that were sent the same
// messages share one. The rubric decides the scope of the item. exchanges holds the journal's
// entries by key; only refusals for length matter.
func (p *Prompter) Prompts(ctx context.Context, c *transcript.Conversation, t judges.Target, rubric string,
	exchanges map[string][]*journal.Entry) ([]Prompt, error) {
	var out []Prompt
	for _, r := range p.Rubrics {
		if t.Scope = r.Scope; r.Name != rubric || !judges.Asks(r, c, t) {
			continue
		}
		for i := range p.Judges {
			sent, err := p.sentBy(ctx, c, t, &p.Judges[i], r, exchanges)
			if err != nil {
				return nil, err
			}
			if sent == nil {
				sent = [][]llm.Message{nil}
			}
			for _, messages := range sent {
				same := func(known Prompt) bool { return slices.Equal(known.Messages, messages) }
				if !slices.ContainsFunc(out, same) {
					out = append(out, Prompt{Judge: p.Judges[i].Name(), Messages: messages})
				}
			}
		}
	}
	return out, nil
}

// sentBy returns the prompts of a judge: the one about several rubrics, and the ones that were sent
// alone after it.
func (p *Prompter) sentBy(ctx context.Context, c *transcript.Conversation, t judges.Target, spec *Judge,
	r *rubrics.Rubric, exchanges map[string][]*journal.Entry) ([][]llm.Message, error) {
	entries := exchanges[judges.RequestKey(c.ID, t, r.Name)]
	if !spec.Together() {
		return p.sent(ctx, c, t, spec, r, entries)
	}
	together := exchanges[judges.RequestKey(c.ID, t, judges.TogetherKey)]
	sent, err := p.sent(ctx, c, t, spec, r, slices.Concat(together, entries))
	ofJudge := func(e *journal.Entry) bool { return e.Model == spec.Config.Model }
	if err != nil || len(together) == 0 || !slices.ContainsFunc(entries, ofJudge) {
		return sent, err
	}
	alone := *spec
	alone.Config.Prompt.Layout = judges.RubricFirst
	more, err := p.sent(ctx, c, t, &alone, r, entries)
	return append(sent, more...), err
}

// sent returns the prompts as a judge was sent them, possibly shortened: one, or one per segment of
// a long conversation.
func (p *Prompter) sent(ctx context.Context, c *transcript.Conversation, t judges.Target, spec *Judge,
	r *rubrics.Rubric, entries []*journal.Entry) ([][]llm.Message, error) {
	cfg := spec.Config
	cfg.Rubrics, cfg.Modes = p.Rubrics, nil
	identity := PromptOptions(p.RunID)
	cfg.Prompt.RunKey, cfg.Prompt.Canary, cfg.Prompt.Limit = identity.RunKey, identity.Canary, spec.Limit()
	replayed := &replayRefusals{}
	for _, e := range entries {
		if e.Model == cfg.Model && e.Error != nil && e.Error.Kind == llm.KindOverflow {
			replayed.refusals = append(replayed.refusals, e.Error)
		}
	}
	j, err := judges.New(replayed, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := j.By(r.Name).Target(ctx, c, t); err != nil {
		return nil, err
	}
	return replayed.sent, nil
}

// replayRefusals refuses a request for its length if the endpoint did so in the run. It keeps the
// requests after the last refusal.
type replayRefusals struct {
	refusals []*llm.Error
	sent     [][]llm.Message
}

func (s *replayRefusals) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	s.sent = append(s.sent, req.Messages)
	if len(s.refusals) == 0 {
		return nil, errors.New("the answer is in the journal")
	}
	err := s.refusals[0]
	s.refusals, s.sent = s.refusals[1:], nil
	return nil, err
}
