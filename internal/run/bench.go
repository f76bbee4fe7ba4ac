package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Bench asks the judges of a task about chosen items, by any rubric. One journal keeps all answers:
// a question is never asked twice, in this process or a later one.
type Bench struct {
	in    *Instruments
	spec  *Spec
	obs   Observer
	convs map[string]*transcript.Conversation
	// tried holds the results by the SHA of the rubric.
	tried    map[string]map[BenchItem]judges.Result
	requests int
}

// BenchItem is one item of a bench: the id of a conversation in the log, and the part of it to
// judge.
type BenchItem struct {
	Conversation string
	Target       judges.Target
}

// NewBench reads the conversations of a task whose ids are wanted. Its judges are silent until Open
// is called.
func NewBench(ctx context.Context, s *Spec, wanted func(id string) bool, obs Observer) (*Bench, error) {
	in := &Instruments{Team: s.Team.Clone(), source: s.source(obs.Unreadable), finished: true} // no run.json
	b := &Bench{in: in, spec: s, obs: obs, convs: map[string]*transcript.Conversation{},
		tried: map[string]map[BenchItem]judges.Result{}}
	for c, err := range in.source.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil, err
		}
		if wanted(c.ID) {
			b.convs[c.ID] = c
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var err error
	if in.list, err = s.Silent(); err != nil {
		return nil, &TaskError{err}
	}
	return b, nil
}

// Open prepares the judges, with the journal in dir and the answers of means.Reuse. runID is the id
// of the run whose prompts are used. It fails like Prepare. The caller must close the bench.
func (b *Bench) Open(ctx context.Context, dir, runID string, means Means) (err error) {
	in := b.in
	in.dir, in.reuse, in.list = dir, means.Reuse, nil
	in.manifest = &directory.Manifest{}
	in.manifest.RunID = runID
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	if err := in.openReused(); err != nil {
		return err
	}
	if means.Discover != nil {
		if err := means.Discover(ctx, in.Judges, in.Rubrics, means.Kept); err != nil {
			return err
		}
	}
	if in.journal, err = journal.Open(filepath.Join(dir, directory.ExchangesFile)); err != nil {
		return &directory.Error{Message: err.Error()}
	}
	return in.connect(ctx, b.spec, &means, &b.obs)
}

// Close closes the journal and the connections.
func (b *Bench) Close() error { return b.in.Close() }

// Conversation returns a wanted conversation; nil if the logs do not have it.
func (b *Bench) Conversation(id string) *transcript.Conversation { return b.convs[id] }

// IDs maps what of returns for each wanted conversation to the conversation's id.
func (b *Bench) IDs(of func(id string) string) map[string]string {
	out := map[string]string{}
	for id := range b.convs {
		out[of(id)] = id
	}
	return out
}

// Requests counts the results' requests, whether they were sent now or answered by the journal.
func (b *Bench) Requests() int { return b.requests }

// Judge asks the first judge about items by a rubric, and returns one result per item.
func (b *Bench) Judge(ctx context.Context, r *rubrics.Rubric, items []BenchItem) ([]judges.Result, error) {
	known := b.tried[r.SHA]
	if known == nil {
		known = map[BenchItem]judges.Result{}
		b.tried[r.SHA] = known
	}
	var list []judges.Item
	for _, item := range items {
		if _, done := known[item]; done {
			continue
		}
		at := slices.IndexFunc(list, func(o judges.Item) bool { return o.Conversation.ID == item.Conversation })
		if at < 0 {
			at, list = len(list), append(list, judges.Item{Conversation: b.convs[item.Conversation]})
		}
		list[at].Targets = append(list[at].Targets, item.Target)
	}
	if err := b.run(ctx, r, list, known); err != nil {
		return nil, err
	}
	out := make([]judges.Result, len(items))
	for i, item := range items {
		out[i] = known[item]
	}
	return out, nil
}

// run judges conversations and adds their results.
func (b *Bench) run(ctx context.Context, r *rubrics.Rubric, list []judges.Item, to map[BenchItem]judges.Result) error {
	if len(list) == 0 {
		return nil
	}
	j, err := b.in.list[0].With(r)
	if err != nil {
		return &TaskError{err}
	}
	items := func(yield func(judges.Item, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
	cfg := judges.RunConfig{Progress: b.obs.Judged}
	return judges.Run(ctx, []*judges.Judge{j}, items, cfg, func(o *judges.Outcome) error {
		for i := range o.Results {
			res := o.Results[i]
			to[BenchItem{o.Item.Conversation.ID, res.Target()}] = res
			b.requests += res.Requests
		}
		return nil
	})
}

// Ask asks the last judge a question; see [judges.Judge.Ask]. If the endpoint refuses the request
// or gives no usable answer, it returns nil. It returns an error only for what ends a run.
func (b *Bench) Ask(ctx context.Context, q judges.Question) (*value.Value, error) {
	b.requests++
	v, err := b.in.list[len(b.in.list)-1].Ask(ctx, q)
	if e, failed := errors.AsType[*llm.Error](err); failed && !e.Fatal && ctx.Err() == nil {
		b.obs.note("%v", e)
		return nil, nil
	}
	return v, err
}

// Tokens estimates the prompt tokens for judging items by a rubric.
func (b *Bench) Tokens(r *rubrics.Rubric, items []BenchItem) (tokens int, err error) {
	j, err := b.in.list[0].With(r)
	for _, item := range items {
		var req judges.Request
		if err == nil {
			req, err = j.Request(r.Name, b.convs[item.Conversation], item.Target)
		}
		limit := j.Limit()
		tokens += limit.Estimate(req.Messages)
	}
	return tokens, err
}
