package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run/amendment"
	"github.com/judgekit/judge/internal/run/facts"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/items"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Outcome is what became of a run.
type Outcome struct {
	Manifest *Manifest
	Reading  *input.Reading
	// Report is nil where the run was interrupted.
	Report *report.Report
	Gates  gate.Decision
	// Wanted and Scored count judgements.
	Wanted, Scored int
	// Journal says what was found when the journal was opened.
	Journal journal.Stats
}

// Coverage is the share of judgements that were scored, 1 where none was wanted.
func (o *Outcome) Coverage() float64 {
	if o.Wanted == 0 {
		return 1
	}
	return float64(o.Scored) / float64(o.Wanted)
}

// execution is one run at work.
type execution struct {
	plan    *Plan
	dir     string
	obs     Observer
	out     *Outcome
	source  *input.Source
	scorers *deterministic.Log
	// emit takes the scores in their order.
	emit func(*score.Score) error
	// contents is nil where no run directory is kept.
	contents *items.Writer
	// ledger is nil where no run directory is kept.
	ledger *amendment.Ledger

	observed   *observations
	parameters *metric.Table

	mu   sync.Mutex
	work Work
}

// Execute runs a plan in a directory. With resume, the directory must hold the same
// run, and nothing that was answered is asked for again.
//
// The error is a *DirectoryError when the directory is not usable, a
// *transcript.FormatError for a log in no readable form, a fatal *llm.Error when an
// endpoint cannot answer, or the context's. After the last two the Outcome is not
// nil: what was finished is saved and the run can be resumed.
func Execute(ctx context.Context, plan Plan, dir string, resume bool, obs Observer) (*Outcome, error) {
	scorers, err := deterministic.ForLog(plan.Scorers)
	if err != nil {
		return nil, &PlanError{err}
	}
	if err := plan.takeThresholds(scorers.Names(), obs.note); err != nil {
		return nil, err
	}
	if err := plan.takeWeights(); err != nil {
		return nil, err
	}
	hashes, err := input.Hash(plan.Logs)
	if err != nil {
		return nil, err
	}
	e := newExecution(&plan, scorers, obs)
	e.dir = dir
	e.out.Manifest = e.manifest(hashes)
	if err := prepare(dir, e.out.Manifest, resume); err != nil {
		return nil, err
	}
	e.source = &input.Source{Logs: plan.Logs, Hashes: hashes, Options: plan.Read, Limit: plan.Limit, Problem: obs.Unreadable}
	if plan.Sample > 0 {
		if err := e.source.Pick(ctx, plan.Sample, plan.Seed); err != nil {
			return nil, err
		}
	}
	if err := e.out.Manifest.write(dir); err != nil {
		return nil, err
	}
	start := time.Now()
	runErr := e.judgeAll(ctx)
	e.work.Seconds = time.Since(start).Seconds()
	return e.finish(ctx, runErr)
}

func newExecution(plan *Plan, scorers *deterministic.Log, obs Observer) *execution {
	return &execution{
		plan: plan, obs: obs, scorers: scorers, out: &Outcome{Reading: &input.Reading{}},
		observed: newObservations(plan.Metrics), parameters: metric.NewTable(maxParameterTools, maxParameters),
	}
}

// PlanError is a mistake in a plan that was found before anything was done.
type PlanError struct{ Cause error }

// Error implements error.
func (e *PlanError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *PlanError) Unwrap() error { return e.Cause }

// judgeAll writes the score stream.
func (e *execution) judgeAll(ctx context.Context) (err error) {
	journal, err := journal.Open(filepath.Join(e.dir, ExchangesFile))
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := journal.Close(); err == nil {
			err = closeErr
		}
	}()
	e.out.Journal = journal.Stats()
	if n := e.out.Journal.TornBytes; n > 0 {
		e.obs.note(fmt.Sprintf("the last run was cut off in a write: %d bytes of an unfinished exchange were dropped", n))
	}
	list, closeClients, err := e.plan.build(e.out.Manifest.RunID, journal, e.obs.note)
	if err != nil {
		return &PlanError{err}
	}
	defer closeClients()
	if err := e.preflight(ctx, list); err != nil {
		return err
	}
	partial := filepath.Join(e.dir, ScoresFile+".partial")
	f, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer f.Close()
	buffered := bufio.NewWriterSize(f, 1<<16)
	scores, err := score.NewWriter(buffered, e.out.Manifest.RunID)
	if err != nil {
		return err
	}
	if e.ledger, err = amendment.Open(e.dir, e.out.Manifest.RunID, e.plan.amendments(e.obs.note)); err != nil {
		return err
	}
	e.emit = func(s *score.Score) error { e.ledger.Written(); return scores.Write(*s) }
	if e.contents, err = items.Create(e.dir, e.out.Manifest.RunID); err != nil {
		return err
	}
	err = e.stream(ctx, judgesOf(list))
	for _, flush := range []func() error{scores.Flush, buffered.Flush, f.Close, e.contents.Close} {
		if flushErr := flush(); err == nil {
			err = flushErr
		}
	}
	if err == nil {
		var unscored int
		unscored, err = e.ledger.Close(partial)
		e.out.Scored -= unscored
	} else {
		err = errors.Join(err, e.ledger.Abandon())
	}
	if renameErr := os.Rename(partial, filepath.Join(e.dir, ScoresFile)); err == nil {
		err = renameErr
	}
	e.keptBack(list)
	e.out.Manifest.Counts.Cached = max(0, e.out.Manifest.Counts.Requests-journal.Stats().Good)
	return err
}

// amendments says what of the run only its end can decide.
func (p *Plan) amendments(note func(string)) amendment.Config {
	return amendment.Config{
		Panels: p.Panels, Cascades: p.Cascades, Rubrics: p.Rubrics, Note: note,
		Mode: func(judge, rubric string) (mode verdict.Mode) {
			for i := range p.Judges {
				if p.Judges[i].Name() == judge {
					mode = p.Judges[i].Config.Modes[rubric]
				}
			}
			return mode
		},
	}
}

// scored is a conversation with its deterministic scores.
type scored = input.Mapped[graded]

func (e *execution) stream(ctx context.Context, list []*judges.Judge) error {
	conversations := e.source.Conversations(ctx, e.out.Reading)
	both := e.scored(ctx, conversations)
	if len(list) == 0 {
		return e.writeAll(ctx, both)
	}
	items := e.items(both)
	cfg := e.plan.team().RunConfig()
	cfg.ShuffleSeed, cfg.Progress = uint64(e.plan.Seed)+1, e.judged
	return judges.Run(ctx, list, items, cfg, func(o *judges.Outcome) error {
		return e.write(o.Item.Tag.(scored), o.Results)
	})
}

// scored applies the scorers to conversations.
func (e *execution) scored(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error]) iter.Seq2[scored, error] {
	return input.InOrder(ctx, conversations, runtime.GOMAXPROCS(0), grade(e.plan.scoreAll(ctx, e.scorers.Score)))
}

// writeAll writes the scores of a run without judges.
func (e *execution) writeAll(ctx context.Context, both iter.Seq2[scored, error]) error {
	for m, err := range both {
		if err != nil {
			return err
		}
		if err := e.write(m, nil); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (e *execution) items(both iter.Seq2[scored, error]) iter.Seq2[judges.Item, error] {
	known := facts.New()
	return func(yield func(judges.Item, error) bool) {
		for m, err := range both {
			if err != nil {
				yield(judges.Item{}, err)
				return
			}
			item := judges.Item{Conversation: m.Conversation, Facts: known.Of(m.Conversation), Tag: m}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// judged counts a finished judgement for this process.
func (e *execution) judged(r *judges.Result) {
	e.mu.Lock()
	e.work.FromJournal += r.Cached
	e.work.Sent += r.Requests - r.Cached
	e.mu.Unlock()
	if e.obs.Judged != nil {
		e.obs.Judged(r)
	}
}

// write writes one conversation's scores: labels, deterministic scores, judgements.
func (e *execution) write(m scored, results []judges.Result) error {
	place := m.Conversation.Source.String()
	if err := e.contents.Add(m.Conversation); err != nil {
		return err
	}
	e.plan.redecide(m.Result.scores)
	labels := labelScores(m.Conversation)
	for i := range labels {
		if err := e.emit(&labels[i]); err != nil {
			return err
		}
	}
	e.observed.add(m.Conversation, m.Result.scores)
	for _, p := range m.Result.pairs {
		e.parameters.Add(p)
	}
	for i := range m.Result.scores {
		if err := e.emit(&m.Result.scores[i]); err != nil {
			return err
		}
	}
	if e.ledger != nil {
		if err := e.ledger.Note(m.Conversation, results); err != nil {
			return err
		}
	}
	for i := range results {
		r := &results[i]
		e.count(r)
		s := r.Score()
		s.Place = place
		if err := e.emit(&s); err != nil {
			return err
		}
	}
	return nil
}

// count adds a judgement to what the report says of the run. Everything here is
// the same for an undisturbed run and a resumed one.
func (e *execution) count(r *judges.Result) {
	if r.Joint() {
		return // its parts are counted
	}
	e.out.Wanted++
	if r.Output != nil {
		e.out.Scored++
	}
	e.out.Manifest.countTransport(r)
	c := &e.out.Manifest.Counts
	c.Requests += r.Requests
	if r.Repairs > 0 {
		c.Repaired++
	}
	for _, pair := range []struct {
		sum *int64
		n   *int
	}{{&c.PromptTokens, r.Usage.Prompt}, {&c.CompletionTokens, r.Usage.Completion}, {&c.ReasoningTokens, r.Usage.Reasoning}} {
		if pair.n != nil {
			*pair.sum += int64(*pair.n)
		}
	}
}

// labelScores turns the outcomes that the log brings into scores.
func labelScores(c *transcript.Conversation) []score.Score {
	out := make([]score.Score, 0, len(c.Labels))
	for i := range c.Labels {
		l := &c.Labels[i]
		s := score.Score{
			ConversationID: c.ID, Place: c.Source.String(), Name: l.Name, Source: score.Label,
			Status: score.Scored, Label: l.Text, Flags: []score.Flag{},
		}
		if l.CallIndex >= 0 && l.CallIndex < len(c.Calls) {
			call := &c.Calls[l.CallIndex]
			index := l.CallIndex
			s.CallIndex, s.CallID, s.Tool = &index, call.ID, call.Name
		}
		if l.Text != "" {
			// A category has no number; it is kept for those who read the stream.
			s.Status = score.NotApplicable
		} else {
			v, passed := l.Value, l.Value >= 1
			s.Value, s.Passed = &v, &passed
		}
		out = append(out, s)
	}
	return out
}
