package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/queue"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// grace limits how long requests in flight may take to finish after a run was stopped. Their
// answers are paid for; the journal keeps them, so that they are not asked for again.
const grace = 10 * time.Second

// Means says how a run gets its answers. The zero value sends requests to the endpoints of the
// task.
type Means struct {
	// Resume continues the run in the directory. Kept holds the profiles with which its judges were
	// asked.
	Resume bool
	Kept   []instrument.Profile
	// Discover finds out how to ask endpoints, except for judges with a kept profile; nil changes
	// nothing.
	Discover func(context.Context, []instrument.Judge, []*rubrics.Rubric, []instrument.Profile) error
	// Queue carries the requests of all judges to workers; nil means HTTP.
	Queue *queue.Queue
	// Reuse lists the directories of earlier runs whose good answers are reused.
	Reuse []string
	// Fresh sends every request, even if the journal has an answer.
	Fresh bool
	// Retry lists the kinds of unscored judgements that a resumed run asks again, besides those
	// without a usable reply.
	Retry []string
	// Outage says how long an endpoint may be silent; 0 means not at all.
	Outage time.Duration
	// InFlight counts the running requests; it may be nil.
	InFlight *atomic.Int64
	// transport replaces the HTTP transport in tests; senders replaces HTTP for each judge.
	transport http.RoundTripper
	senders   func(*instrument.Team) ([]llm.Sender, error)
	// assumeWindows skips measuring windows that a server does not report.
	assumeWindows bool
	// merged is the run whose shards are merged; nil otherwise. A merged run sends nothing.
	merged *merged
}

// Instruments holds what a run measures with: judges that are ready to be asked, scorers, and the
// run directory with its journal.
type Instruments struct {
	instrument.Team
	dir      string
	manifest *directory.Manifest
	source   *input.Source
	grader   *grader
	list     []*judges.Judge
	journal  *journal.Journal
	// finished says that the run in the directory is complete: its files stay until there are new
	// ones.
	finished bool
	reuse    []string
	clients  []*client.Client
	reused   []client.Source
	queue    *queue.Sender
}

// Close closes the journal and the connections. It may be called twice.
func (in *Instruments) Close() error {
	for _, c := range in.clients {
		c.Close()
	}
	for _, s := range in.reused {
		_ = s.Journal.Close()
	}
	if in.queue != nil {
		in.queue.Close()
	}
	j := in.journal
	in.clients, in.reused, in.queue, in.journal = nil, nil, nil, nil
	if j == nil {
		return nil
	}
	return j.Close()
}

// Prepare finds out how to ask the endpoints and how long prompts may be, creates the run directory
// or resumes the run in it, and opens its journal. It sends requests only after everything else was
// checked. The caller must close the instruments.
//
// The error is a *TaskError, a *directory.Error if the directory is not usable, an
// *instrument.MethodError, or a fatal *llm.Error if an endpoint cannot answer.
func Prepare(ctx context.Context, s *Spec, dir string, means Means, obs Observer) (in *Instruments, err error) {
	in = &Instruments{Team: s.Team.Clone(), dir: dir, source: s.source(obs.Unreadable), reuse: means.Reuse}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
			in = nil
		}
	}()
	in.grader = newGrader(s)
	if err := in.openReused(); err != nil {
		return in, err
	}
	if err := CheckResumed(s, dir, means.Resume, means.Kept); err != nil {
		return in, err
	}
	if means.Discover != nil {
		if err := means.Discover(ctx, in.Judges, in.Rubrics, means.Kept); err != nil {
			return in, err
		}
	}
	s.note(&obs)
	if err := in.begin(s, means); err != nil {
		return in, err
	}
	if err := in.connect(ctx, s, &means, &obs); err != nil {
		return in, err
	}
	return in, in.fit(ctx, s, &obs)
}

// CheckResumed returns an error if dir does not hold the run of the spec, whose judges were asked
// with the kept profiles. Without resume it returns nil.
func CheckResumed(s *Spec, dir string, resume bool, kept []instrument.Profile) error {
	if !resume {
		return nil
	}
	in := &Instruments{Team: s.Team.Clone()}
	if err := instrument.Recall(in.Judges, in.Rubrics, kept, nil); err != nil {
		return err
	}
	if err := in.takeWeights(s); err != nil {
		return err
	}
	_, err := directory.Begin(dir, newManifest(s, &in.Team), true)
	return err
}

// begin creates the run directory, or resumes the run in it, and opens its journal.
func (in *Instruments) begin(s *Spec, means Means) (err error) {
	if err := in.takeWeights(s); err != nil {
		return err
	}
	in.manifest = newManifest(s, &in.Team)
	if m := means.merged; m != nil && m.id != in.manifest.RunID {
		return &TaskError{fmt.Errorf("the logs or the program changed since the shards were run: their run "+
			"is %s, and this would be %s", m.id, in.manifest.RunID)}
	}
	if in.finished, err = directory.Begin(in.dir, in.manifest, means.Resume); err != nil {
		return err
	}
	// The journal is locked before anything is written, because another process may be working.
	if in.journal, err = journal.Open(filepath.Join(in.dir, directory.ExchangesFile)); err != nil {
		return &directory.Error{Message: err.Error()}
	}
	return in.save()
}

// save writes run.json, unless the run is finished and its run.json is still right.
func (in *Instruments) save() error {
	if in.finished {
		return nil
	}
	return in.manifest.Write(in.dir)
}

// connect creates the judges, with one common journal, after measuring the windows that no server
// reports.
func (in *Instruments) connect(ctx context.Context, s *Spec, means *Means, obs *Observer) error {
	if means.merged == nil && !means.assumeWindows {
		if err := in.measure(ctx, s, obs); err != nil {
			return err
		}
	}
	retries, err := chooseRetries(in.dir, means.Retry)
	if err != nil {
		return &directory.Error{Message: err.Error()}
	}
	senders, err := in.senders(ctx, means)
	if err != nil {
		return err
	}
	runID := in.manifest.RunID
	for i := range in.Judges {
		spec, cfg := &in.Judges[i], in.JudgeConfig(i, runID)
		guard := &instrument.Guard{Judge: spec.Name(), Limit: cfg.Prompt.Limit, Log: obs.line}
		c, err := client.New(spec.Endpoint, client.Config{
			Kind: spec.Kind, PromptVersion: in.PromptVersion(i), Journal: in.journal, Fresh: means.Fresh,
			Stale: retries.ofJudge(spec.Name()), Transport: means.transport, Outage: means.Outage, Notice: obs.Outage,
			Grace: grace, InFlight: means.InFlight, Window: guard.Narrow, Sender: senders[i], Reuse: in.reused,
		})
		if err != nil {
			return &TaskError{err}
		}
		in.clients = append(in.clients, c)
		if guard.Next = c; means.merged != nil {
			guard.Next = &replay{means.merged, in.journal, spec, in.PromptVersion(i)}
		}
		cfg.Concurrency, cfg.Log, cfg.Host = client.Workers(c.Concurrency()), obs.line, spec.Host()
		if cfg.Alone = spec.Alone; cfg.Alone {
			cfg.Concurrency = 1
		}
		j, err := judges.New(guard, cfg)
		if err != nil {
			return &TaskError{err}
		}
		in.list = append(in.list, j)
	}
	if obs.Limits != nil && means.merged == nil {
		obs.Limits(in.limits)
	}
	return nil
}

// senders returns what carries each judge's requests; nil means HTTP.
func (in *Instruments) senders(ctx context.Context, means *Means) ([]llm.Sender, error) {
	if means.senders != nil {
		return means.senders(&in.Team)
	}
	list := make([]llm.Sender, len(in.Judges))
	if means.Queue != nil {
		var err error
		if in.queue, err = means.Queue.NewSender(ctx, in.manifest.RunID); err != nil {
			return nil, &llm.Error{Kind: llm.KindTransport, Message: err.Error(), Fatal: true}
		}
	}
	for i := range list {
		switch {
		case in.Judges[i].Baseline:
			list[i] = baseline.Sender{}
		case in.queue != nil:
			list[i] = in.queue
		}
	}
	return list, nil
}

// limits says what limits the rate of each judge.
func (in *Instruments) limits() string {
	var parts []string
	for i, c := range in.clients {
		text := c.Limiting()
		if len(in.clients) > 1 {
			text = in.list[i].Name() + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
