package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// grace is how long requests in flight may take to finish after a run was stopped.
// Their answers are paid for; written down, they are not asked for again.
const grace = 10 * time.Second

// withoutRule names the rubrics by which judge i is not asked, since it is the rule-based
// baseline and has no rule for them.
func (p *Plan) withoutRule(i int) (names []string) {
	for _, r := range p.Rubrics {
		if !judges.Answers(p.Judges[i].Config.Model, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// WithoutRule names the rubrics for which a judge of the plan has no rule.
func (p *Plan) WithoutRule() []string {
	for i := range p.Judges {
		if names := p.withoutRule(i); len(names) > 0 {
			return names // there is one set of rules
		}
	}
	return nil
}

// asks reports whether any judge of the plan is asked by any rubric.
func (p *Plan) asks() bool {
	for i := range p.Judges {
		if len(p.withoutRule(i)) < len(p.Rubrics) {
			return true
		}
	}
	return false
}

// profiles say how each judge's endpoint is asked, where that was found out.
func (p *Plan) profiles() (list []instrument.Profile) {
	for i := range p.Judges {
		if profile := p.Judges[i].Profile; profile != nil {
			list = append(list, *profile)
		}
	}
	return list
}

// build makes the judges ready to run, over one journal. end closes their clients; it is
// never nil. The error is a *PlanError.
func (p *Plan) build(
	runID string, journal *journal.Journal, obs *Observer,
) (list []*judges.Judge, end func(), err error) {
	var clients []*client.Client
	var sources []client.Source
	end = func() {
		for _, c := range clients {
			c.Close()
		}
		for _, s := range sources {
			_ = s.Journal.Close()
		}
	}
	if sources, err = p.sources(); err != nil {
		return nil, end, err
	}
	for i := range p.Judges {
		spec, cfg := &p.Judges[i], p.config(i, runID)
		guard := &instrument.Guard{Judge: spec.Name(), Limit: cfg.Prompt.Limit, Log: obs.line}
		c, err := client.New(spec.Endpoint, client.Config{
			Kind: spec.Kind, PromptVersion: p.promptVersion(i), Journal: journal, Fresh: p.Fresh,
			Stale:     p.staleFor(spec.Name()),
			Transport: p.transport, Outage: p.Outage, Notice: obs.Outage, Grace: grace, InFlight: p.InFlight,
			Window: guard.Narrow, Sender: p.sender(i), Reuse: sources,
		})
		if err != nil {
			return nil, end, &PlanError{err}
		}
		clients = append(clients, c)
		if guard.Next = c; p.merged != nil {
			guard.Next = &replay{p.merged, journal, spec, p.promptVersion(i)}
		}
		cfg.Concurrency, cfg.Log, cfg.Host = client.Workers(c.Concurrency()), obs.line, spec.Host()
		j, err := judges.New(guard, cfg)
		if err != nil {
			return nil, end, &PlanError{err}
		}
		list = append(list, j)
	}
	if obs.Limits != nil && p.merged == nil {
		obs.Limits(func() string { return limits(list, clients) })
	}
	return list, end, nil
}

// joinQueue has the plan's queue carry its requests. answered is called when the run is at
// its end, with why.
func (p *Plan) joinQueue(ctx context.Context, runID string) (answered func(error), err error) {
	if p.Queue == nil {
		return func(error) {}, nil
	}
	s, err := p.Queue.NewSender(ctx, runID)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindTransport, Message: err.Error(), Fatal: true}
	}
	for range p.Judges {
		p.senders = append(p.senders, s)
	}
	return func(err error) {
		if err == nil {
			_ = s.Done(ctx) // what is left is dropped by its age
		}
		s.Close()
	}, nil
}

// limits says what limits the judges.
func limits(list []*judges.Judge, clients []*client.Client) string {
	var parts []string
	for i, c := range clients {
		text := c.Limiting()
		if len(clients) > 1 {
			text = list[i].Name() + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// sources are the journals of the earlier runs whose answers are taken. The error is a
// *PlanError.
func (p *Plan) sources() (list []client.Source, err error) {
	for _, dir := range p.Reuse {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return list, reuseError(err)
		}
		j, err := journal.Read(filepath.Join(dir, directory.ExchangesFile))
		if err != nil {
			return list, &PlanError{fmt.Errorf("reuse %s: %w", dir, err)}
		}
		list = append(list, client.Source{Journal: j, Canary: instrument.PromptOptions(m.RunID).Canary})
	}
	return list, nil
}

func reuseError(err error) error { return &PlanError{fmt.Errorf("reuse: %w", err)} }

// config is what judge i of the plan is in the run of that identity.
func (p *Plan) config(i int, runID string) judges.Config {
	spec := &p.Judges[i]
	cfg := spec.Config
	cfg.Rubrics, cfg.Kind = p.Rubrics, spec.Kind
	if cfg.Pilot = spec.Kind == llm.KindOpenAI; spec.Pilot != nil {
		cfg.Pilot = *spec.Pilot
	}
	identity := instrument.PromptOptions(runID)
	cfg.Prompt.RunKey, cfg.Prompt.Canary, cfg.Prompt.Limit = identity.RunKey, identity.Canary, spec.Limit()
	return cfg
}

// promptVersion names the prompt version in fingerprints. Two judges with one model at
// different endpoints must not share answers.
func (p *Plan) promptVersion(i int) string {
	cfg := &p.Judges[i].Config
	for k := range p.Judges {
		if k != i && p.Judges[k].Config.Model == cfg.Model {
			return cfg.Prompt.Version() + " " + cfg.Name
		}
	}
	return cfg.Prompt.Version()
}

// judgement names one judgement of a run.
type judgement struct{ judge, key string }

// chooseAgain notes the judgements in the scores of a run directory that ended without a
// score for one of the plan's Retry kinds: the answers that the journal has to them are
// not taken. A run that was interrupted has no scores yet.
func (p *Plan) chooseAgain(dir string) error {
	p.again = map[judgement]bool{}
	_, err := os.Stat(filepath.Join(dir, directory.ScoresFile))
	if len(p.Retry) == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for s, err := range directory.Scores(dir) {
		if err != nil {
			return err
		}
		if s.Error != nil && s.CallIndex != nil && slices.Contains(p.Retry, s.Error.Kind) {
			p.again[judgement{s.Judge, judges.RequestKey(s.ConversationID, *s.CallIndex, s.Name)}] = true
		}
	}
	return nil
}

// staleFor says of the requests of a judge whether they are to be sent again; nil
// for none.
func (p *Plan) staleFor(judge string) func(key string) bool {
	if len(p.again) == 0 {
		return nil
	}
	return func(key string) bool { return p.again[judgement{judge, key}] }
}
