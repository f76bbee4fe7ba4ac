package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// Outcome is what became of a run.
type Outcome struct {
	Manifest *directory.Manifest
	Reading  *input.Reading
	// Report is nil where the run was interrupted.
	Report *report.Report
	Gates  gate.Decision
	directory.Judgements
	// Journal says what was found when the journal was opened.
	Journal journal.Stats
}

// execution is one run at work.
type execution struct {
	plan   *Plan
	dir    string
	obs    Observer
	out    *Outcome
	source *input.Source
	grader *grader
	// emit takes the scores in their order.
	emit func(*score.Score) error
	// found is what there was to score where no run directory is kept.
	found *finding
	// contents is nil where no run directory is kept.
	contents *directory.ItemsWriter
	// ledger is nil where no run directory is kept.
	ledger *ledger
	// finished says that the run came to its end before, and is taken up again: its files
	// stay as they are until there are new ones.
	finished bool

	mu   sync.Mutex
	work directory.Work
}

// Execute runs a plan in a directory. With resume, the directory must hold the same
// run, and nothing that was answered is asked for again.
//
// The error is a *directory.Error when the directory is not usable, a
// *transcript.FormatError for a log in no readable form, a fatal *llm.Error when an
// endpoint cannot answer, or the context's. After the last two the Outcome is not
// nil: what was finished is saved and the run can be resumed.
func Execute(ctx context.Context, plan Plan, dir string, resume bool, obs Observer) (*Outcome, error) {
	grader, err := plan.grader(obs.note)
	if err != nil {
		return nil, err
	}
	if err := plan.takeWeights(); err != nil {
		return nil, err
	}
	plan.Logs, plan.Judges = slices.Clone(plan.Logs), slices.Clone(plan.Judges)
	if resume {
		directory.Bound(dir, plan.Logs)
	}
	hashes, err := input.Hash(plan.Logs)
	if err != nil {
		return nil, err
	}
	e := newExecution(&plan, grader, obs)
	e.dir = dir
	e.out.Manifest = e.manifest(hashes)
	if e.finished, err = directory.Prepare(dir, e.out.Manifest, resume); err != nil {
		return nil, err
	}
	if e.source, err = plan.source(ctx, hashes, obs.Unreadable); err != nil {
		return nil, err
	}
	// The journal's lock is taken first: another process may be at work.
	journal, err := journal.Open(filepath.Join(dir, directory.ExchangesFile))
	if err != nil {
		return nil, &directory.Error{Message: err.Error()}
	}
	if err := e.save(); err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	if err := plan.chooseAgain(dir); err != nil {
		return nil, errors.Join(&directory.Error{Message: err.Error()}, journal.Close())
	}
	start := time.Now()
	runErr := e.judgeAll(ctx, journal)
	e.work.Seconds = time.Since(start).Seconds()
	return e.finish(ctx, runErr)
}

// grader is the deterministic half of the plan, whose thresholds are taken with it.
func (p *Plan) grader(note func(string)) (*grader, error) {
	g, err := newGrader(p.Scorers, p.Execution, p.Metrics)
	if err != nil {
		return nil, &PlanError{err}
	}
	return g, p.takeThresholds(g.Names(), note)
}

func newExecution(plan *Plan, grader *grader, obs Observer) *execution {
	return &execution{plan: plan, obs: obs, grader: grader, out: &Outcome{Reading: &input.Reading{}}}
}

// PlanError is a mistake in a plan that was found before anything was done.
type PlanError struct{ Cause error }

// Error implements error.
func (e *PlanError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *PlanError) Unwrap() error { return e.Cause }

// judgeAll writes the score stream, and closes the journal.
func (e *execution) judgeAll(ctx context.Context, journal *journal.Journal) (err error) {
	defer func() {
		if closeErr := journal.Close(); err == nil {
			err = closeErr
		}
	}()
	e.out.Journal = journal.Stats()
	e.tellDamage(&e.out.Journal)
	if err := e.measure(ctx); err != nil {
		return err
	}
	list, closeClients, err := e.plan.build(e.out.Manifest.RunID, journal, &e.obs)
	if err != nil {
		return &PlanError{err}
	}
	defer closeClients()
	if err := e.preflight(ctx, list); err != nil {
		return err
	}
	partial := filepath.Join(e.dir, directory.ScoresFile+directory.PartEnding)
	f, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	buffered := bufio.NewWriterSize(f, 1<<16)
	scores, err := score.NewWriter(buffered, e.out.Manifest.RunID)
	if err != nil {
		return err
	}
	if e.ledger, err = openLedger(e.dir, e.out.Manifest.RunID, e.plan.amendments(e.obs.note)); err != nil {
		return err
	}
	e.emit = func(s *score.Score) error { e.ledger.Written(); return scores.Write(*s) }
	if e.contents, err = directory.CreateItems(e.dir, e.out.Manifest.RunID); err != nil {
		return err
	}
	err = e.stream(ctx, list)
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
	if err == nil {
		err = e.out.Manifest.Finish(e.dir, directory.ScoresFile, directory.ItemsFile)
	}
	e.out.Manifest.Counts.Cached = max(0, e.out.Manifest.Counts.Requests-journal.Stats().Good)
	return err
}

// save writes run.json, unless what it says of the finished run still holds.
func (e *execution) save() error {
	if e.finished {
		return nil
	}
	return e.out.Manifest.Write(e.dir)
}

// tellDamage names what of the journal is not believed.
func (e *execution) tellDamage(s *journal.Stats) {
	if n := s.TornBytes; n > 0 {
		e.obs.note(fmt.Sprintf("the last run was cut off in a write: %d bytes of an unfinished exchange were dropped", n))
	}
	if s.Damaged == 0 {
		return
	}
	e.work.Damaged = s.Damaged
	lines := ""
	for _, n := range s.DamagedLines[:min(s.Damaged, len(s.DamagedLines))] {
		lines += fmt.Sprintf("%s:%d, ", directory.ExchangesFile, n)
	}
	if s.Damaged > len(s.DamagedLines) {
		lines += "…, "
	}
	e.obs.note(fmt.Sprintf("%d damaged lines of the journal are not used, and what they answered is asked again: %s%s",
		s.Damaged, lines, s.Damage))
}

// amendments says what of the run only its end can decide.
func (p *Plan) amendments(note func(string)) amendments {
	return amendments{
		Cascades: p.Cascades, Note: note,
		Limit: func(judge string) judges.Limit {
			for i := range p.Judges {
				if p.Judges[i].Name() == judge {
					return p.Judges[i].Limit()
				}
			}
			return judges.Limit{}
		},
	}
}

func (e *execution) stream(ctx context.Context, list []*judges.Judge) error {
	conversations := e.source.Conversations(ctx, e.out.Reading)
	both := e.grader.grade(ctx, conversations)
	if len(list) == 0 {
		return e.writeAll(ctx, both)
	}
	items := e.items(both)
	cfg := e.plan.Team().RunConfig()
	cfg.ShuffleSeed, cfg.Progress, cfg.Stopped = uint64(e.plan.Seed)+1, e.judged, e.stopped
	return judges.Run(ctx, list, items, cfg, func(o *judges.Outcome) error {
		return e.write(o.Item.Tag.(graded), o.Results)
	})
}

// writeAll writes the scores of a run without judges.
func (e *execution) writeAll(ctx context.Context, both iter.Seq2[graded, error]) error {
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

func (e *execution) items(both iter.Seq2[graded, error]) iter.Seq2[judges.Item, error] {
	known := newFacts()
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

// stopped notes that a judge is not asked any further by a rubric, in the order of the
// judges and rubrics.
func (e *execution) stopped(s judges.Stop) {
	stop := report.Stop{
		Judge: s.Judge, Rubric: s.Rubric, Judgements: judges.StopAfter, Kind: s.Kind, Error: s.First.ErrorDetail,
		Place: fmt.Sprintf("%s call %d", s.First.ConversationID, s.First.CallIndex), Reply: s.First.Reply,
	}
	rank := func(s report.Stop) (n int) {
		for i := range e.plan.Judges {
			for k, r := range e.plan.Rubrics {
				if e.plan.Judges[i].Name() == s.Judge && r.Name == s.Rubric {
					n = i*len(e.plan.Rubrics) + k
				}
			}
		}
		return n
	}
	e.mu.Lock()
	list := append(e.out.Manifest.Stopped, stop)
	slices.SortFunc(list, func(a, b report.Stop) int { return rank(a) - rank(b) })
	e.out.Manifest.Stopped = list
	e.mu.Unlock()
	e.obs.note(fmt.Sprintf("judge %s: stopped on %s: the first %d judgements all failed, each as %s", s.Judge, s.Rubric, judges.StopAfter, s.Kind))
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
func (e *execution) write(m graded, results []judges.Result) error {
	place := m.Conversation.Source.String()
	if e.contents != nil {
		if err := e.contents.Add(m.Conversation); err != nil {
			return err
		}
	}
	e.plan.redecide(m.Result.Scores)
	labels := labelScores(m.Conversation, e.plan.Rubrics)
	for i := range labels {
		if err := e.emit(&labels[i]); err != nil {
			return err
		}
	}
	e.grader.Tally(m)
	if e.found != nil {
		e.found.add(m.Conversation, m.Result.Scores)
	}
	for i := range m.Result.Scores {
		if err := e.emit(&m.Result.Scores[i]); err != nil {
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
	e.out.Manifest.CountTransport(r)
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
