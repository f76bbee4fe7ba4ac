package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Outcome is the result of a run.
type Outcome struct {
	Manifest *directory.Manifest
	Reading  *input.Reading
	// Report is nil where the run was interrupted.
	Report *report.Report
	Gates  measure.GateDecision
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
	// found is what there was to score where no run directory is kept; contents and
	// queues are nil there.
	found    *finding
	contents *directory.ItemsWriter
	queues   []*queueFile
	costs    costs
	// finished says that the run finished before, and is taken up again: its files
	// stay as they are until there are new ones.
	finished bool

	mu   sync.Mutex
	work directory.Work
}

func newExecution(plan *Plan, obs Observer) (*execution, error) {
	e := &execution{plan: plan, obs: obs, out: &Outcome{Reading: &input.Reading{}}, costs: costsOf(plan.Judges)}
	var err error
	e.grader, err = plan.grader(e.obs.line)
	return e, err
}

// Execute runs a plan in a directory. With resume, the directory must hold the same
// run, and nothing that was answered is asked for again.
//
// The error is a *directory.Error when the directory is not usable, a
// *transcript.FormatError for a log in no readable form, a fatal *llm.Error when an
// endpoint cannot answer, or the context's. After the last two the Outcome is not
// nil: what was finished is saved and the run can be resumed.
func Execute(ctx context.Context, plan Plan, dir string, resume bool, obs Observer) (*Outcome, error) {
	e, journal, err := begin(ctx, &plan, dir, resume, obs)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	runErr := e.judgeAll(ctx, journal)
	if closeErr := journal.Close(); runErr == nil {
		runErr = closeErr
	}
	e.work.Seconds = time.Since(start).Seconds()
	return e.finish(ctx, runErr)
}

// begin makes the run directory of a plan, or takes it up again, and opens its journal.
func begin(ctx context.Context, plan *Plan, dir string, resume bool, obs Observer) (*execution, *journal.Journal,
	error) {
	plan.Logs, plan.Judges = slices.Clone(plan.Logs), slices.Clone(plan.Judges)
	e, err := newExecution(plan, obs)
	if err != nil {
		return nil, nil, err
	}
	if err := plan.takeWeights(); err != nil {
		return nil, nil, err
	}
	if resume {
		directory.Bound(dir, plan.Logs)
	}
	hashes, err := input.Hash(plan.Logs)
	if err != nil {
		return nil, nil, err
	}
	e.dir, e.out.Manifest = dir, e.manifest(hashes)
	if m := plan.merged; m != nil && m.id != e.out.Manifest.RunID {
		return nil, nil, &PlanError{fmt.Errorf("the logs or the program changed since the shards were run: their run "+
			"is %s, and this would be %s", m.id, e.out.Manifest.RunID)}
	}
	if e.finished, err = directory.Prepare(dir, e.out.Manifest, resume); err != nil {
		return nil, nil, err
	}
	if e.source, err = plan.source(ctx, hashes, obs.Unreadable); err != nil {
		return nil, nil, err
	}
	// The journal's lock is taken first: another process may be at work.
	journal, err := journal.Open(filepath.Join(dir, directory.ExchangesFile))
	if err != nil {
		return nil, nil, &directory.Error{Message: err.Error()}
	}
	if err := e.save(); err != nil {
		return nil, nil, errors.Join(err, journal.Close())
	}
	if err := plan.chooseAgain(dir); err != nil {
		return nil, nil, errors.Join(&directory.Error{Message: err.Error()}, journal.Close())
	}
	return e, journal, nil
}

// judgeAll asks the judges and writes the score stream.
func (e *execution) judgeAll(ctx context.Context, journal *journal.Journal) (err error) {
	e.out.Journal = journal.Stats()
	e.reportDamage(&e.out.Journal)
	if e.plan.Shard.Of > 0 {
		e.obs.note("shard %s: its report is about its own conversations; judge merge joins all shards", e.plan.Shard)
	}
	answered, err := e.plan.joinQueue(ctx, e.out.Manifest.RunID)
	if err != nil {
		return err
	}
	defer func() { answered(err) }()
	list, end, err := e.ready(ctx, journal)
	defer end()
	if err != nil {
		return err
	}
	err = e.writeFiles(func() error { return e.stream(ctx, list) })
	if e.work.Reused = journal.Stats().Reused; e.work.Reused > 0 {
		e.obs.note("%d answers were taken from %s", e.work.Reused, strings.Join(e.plan.Reuse, ", "))
	}
	e.out.Manifest.Counts.Cached = max(0, e.out.Manifest.Counts.Requests-journal.Stats().Good)
	return err
}

// ready makes the judges, and says what their prompts have no room for. end closes their
// clients; it is never nil.
func (e *execution) ready(ctx context.Context, journal *journal.Journal) (list []*judges.Judge, end func(), err error) {
	if e.plan.merged == nil {
		if err := e.measure(ctx); err != nil {
			return nil, func() {}, err
		}
	}
	if list, end, err = e.plan.build(e.out.Manifest.RunID, journal, &e.obs); err == nil {
		err = e.preflight(ctx, list)
	}
	return list, end, err
}

// writeFiles opens the files of the run, has write fill them, and gives them their names
// when they are whole.
func (e *execution) writeFiles(write func() error) (err error) {
	partial := filepath.Join(e.dir, directory.ScoresFile+directory.PartEnding)
	f, err := directory.Create(partial)
	if err != nil {
		return err
	}
	defer f.Close()
	runID := e.out.Manifest.RunID
	scores, err := score.NewWriter(f.Writer, runID)
	if err != nil {
		return err
	}
	if e.queues, err = createQueues(e.dir, runID, e.plan.Cascades); err != nil {
		return err
	}
	e.emit = func(s *score.Score) error { return scores.Write(*s) }
	if e.contents, err = directory.CreateItems(e.dir, runID); err != nil {
		return err
	}
	err = write()
	for _, flush := range []func() error{scores.Flush, f.Close, e.contents.Close} {
		if flushErr := flush(); err == nil {
			err = flushErr
		}
	}
	if err = errors.Join(err, closeQueues(e.queues, err == nil)); err != nil {
		return err
	}
	return e.out.Manifest.Finish(e.dir, directory.ScoresFile, directory.ItemsFile)
}

// save writes run.json, unless what it says of the finished run still holds.
func (e *execution) save() error {
	if e.finished {
		return nil
	}
	return e.out.Manifest.Write(e.dir)
}

// reportDamage names what of the journal is not used.
func (e *execution) reportDamage(s *journal.Stats) {
	if n := s.TornBytes; n > 0 {
		e.obs.note("the last run was cut off in a write: %d bytes of an unfinished exchange were dropped", n)
	}
	if s.Damaged == 0 {
		return
	}
	e.work.Damaged = s.Damaged
	var lines []string
	for _, n := range s.DamagedLines[:min(s.Damaged, len(s.DamagedLines))] {
		lines = append(lines, fmt.Sprintf("%s:%d", directory.ExchangesFile, n))
	}
	if s.Damaged > len(s.DamagedLines) {
		lines = append(lines, "…")
	}
	e.obs.note("%d damaged lines of the journal are not used, and what they answered is asked again: %s, %s",
		s.Damaged, strings.Join(lines, ", "), s.Damage)
}

func (e *execution) stream(ctx context.Context, list []*judges.Judge) error {
	both := e.grader.grade(ctx, e.source.Conversations(ctx, e.out.Reading))
	if len(list) == 0 {
		return e.writeAll(ctx, both)
	}
	cfg := e.plan.Team().RunConfig()
	cfg.ShuffleSeed, cfg.Progress, cfg.Stopped = uint64(e.plan.Seed)+1, e.judged, e.stopped
	return judges.Run(ctx, list, items(both), cfg, func(o *judges.Outcome) error {
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

// items makes the conversations items for judges, with what is known about their calls.
func items(both iter.Seq2[graded, error]) iter.Seq2[judges.Item, error] {
	known := newFacts()
	return func(yield func(judges.Item, error) bool) {
		for m, err := range both {
			if err != nil {
				yield(judges.Item{}, err)
				return
			}
			if !yield(judges.Item{Conversation: m.conversation, Facts: known.of(m.conversation), Tag: m}, nil) {
				return
			}
		}
	}
}

// stopped notes that a judge is not asked any further by a rubric, in the order of the
// judges and rubrics.
func (e *execution) stopped(s judges.Stop) {
	rank := func(s report.Stop) int {
		judge := slices.IndexFunc(e.plan.Judges, func(j instrument.Judge) bool { return j.Name() == s.Judge })
		return judge*len(e.plan.Rubrics) + slices.IndexFunc(e.plan.Rubrics,
			func(r *rubrics.Rubric) bool { return r.Name == s.Rubric })
	}
	e.mu.Lock()
	list := append(e.out.Manifest.Stopped, report.Stop{
		Judge: s.Judge, Rubric: s.Rubric, Judgements: judges.StopAfter, Kind: s.Kind, Error: s.First.ErrorDetail,
		Place: fmt.Sprintf("%s call %d", s.First.ConversationID, s.First.CallIndex), Reply: s.First.Reply,
	})
	slices.SortFunc(list, func(a, b report.Stop) int { return rank(a) - rank(b) })
	e.out.Manifest.Stopped = list
	e.mu.Unlock()
	e.obs.note("judge %s: stopped on %s: the first %d judgements all failed, each as %s", s.Judge, s.Rubric,
		judges.StopAfter, s.Kind)
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
	if e.contents != nil {
		if err := e.contents.Add(m.conversation); err != nil {
			return err
		}
	}
	e.plan.redecide(m.scores)
	e.grader.tally(m)
	if e.found != nil {
		e.found.add(m.conversation, m.scores)
	}
	for _, list := range [][]score.Score{labelScores(m.conversation, e.plan.Rubrics), m.scores} {
		for i := range list {
			if err := e.emit(&list[i]); err != nil {
				return err
			}
		}
	}
	e.grader.scorers.Reuse(m.scores)
	if len(results) == 0 {
		return nil
	}
	for i := range results {
		if err := addUnresolved(e.queues, m.conversation, &results[i]); err != nil {
			return err
		}
		e.count(&results[i])
		s := results[i].Score()
		s.Place = m.conversation.Source.String()
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
	switch noRule := r.ErrorKind == judges.KindNoRule; {
	case noRule && e.plan.asks():
		return // what was asked can be complete all the same
	case noRule:
		e.out.NoRule++
	case r.Output != nil:
		e.out.Scored++
	}
	e.out.Wanted++
	e.out.Manifest.CountTransport(r)
	e.costs.add(r)
	c := &e.out.Manifest.Counts
	c.Requests += r.Requests
	if r.Repairs > 0 {
		c.Repaired++
	}
	for _, pair := range []struct {
		sum *int64
		n   *int
	}{{&c.PromptTokens, r.Usage.Prompt}, {&c.CompletionTokens, r.Usage.Completion},
		{&c.ReasoningTokens, r.Usage.Reasoning}} {
		if pair.n != nil {
			*pair.sum += int64(*pair.n)
		}
	}
}
