package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Outcome is the result of a run.
type Outcome struct {
	Manifest *directory.Manifest
	Reading  *input.Reading
	// Report is nil if the run was interrupted.
	Report *report.Report
	Gates  measure.GateDecision
	directory.Judgements
	// Journal says what was found when the journal was opened, such as damaged lines.
	Journal journal.Stats
}

// Execute judges and scores every call, and writes the files of the run directory while the answers
// arrive. It builds the report from what it wrote, without reading the files again; the report of a
// resumed run is built from the files, with the labels that people added meanwhile.
//
// The error is a *transcript.FormatError for a log in an unknown format, a fatal *llm.Error if an
// endpoint cannot answer, or the context's. In the last two cases the Outcome is not nil: finished
// judgements are saved, and the run can be resumed.
func Execute(ctx context.Context, s *Spec, in *Instruments, obs Observer) (*Outcome, error) {
	out := &Outcome{Manifest: in.manifest, Reading: &input.Reading{}, Journal: in.journal.Stats()}
	w := newWatch(s, in, out, &obs)
	w.reportDamage()
	if s.Shard.Of > 0 {
		obs.note("shard %s: its report is about its own conversations; judge merge joins all shards", s.Shard)
	}
	start := time.Now()
	sinks, err := openSinks(s, in, out)
	defer sinks.close()
	if err == nil {
		err = judgeInOrder(ctx, s, in, w, sinks.add)
		err = sinks.finish(err)
	}
	w.ended(ctx, in, err)
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	w.work.Seconds = time.Since(start).Seconds()
	sinks.describe(w)
	return out, finish(ctx, s, in, out, sinks, &obs, err)
}

// judgeInOrder reads the logs, scores and judges many conversations at once, and passes them to add
// in log order. It starts all goroutines of a run.
func judgeInOrder(ctx context.Context, s *Spec, in *Instruments, w *watch, add func(*graded) error) error {
	all := in.grader.grade(ctx, in.source.Conversations(ctx, w.out.Reading))
	if len(in.list) == 0 {
		return addAll(ctx, all, add)
	}
	cfg := in.RunConfig()
	cfg.ShuffleSeed, cfg.Progress, cfg.Stopped = uint64(s.Seed)+1, w.judged, w.stopped
	return judges.Run(ctx, in.list, in.items(all), cfg, func(o *judges.Outcome) error {
		g := o.Item.Tag.(*graded)
		g.results = o.Results
		return add(g)
	})
}

// addAll adds conversations that no judge is asked about.
func addAll(ctx context.Context, all iter.Seq2[*graded, error], add func(*graded) error) error {
	for g, err := range all {
		if err == nil {
			err = add(g)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// items adds to each conversation what is known about its calls, for the judges.
func (in *Instruments) items(all iter.Seq2[*graded, error]) iter.Seq2[judges.Item, error] {
	known := newFacts()
	return func(yield func(judges.Item, error) bool) {
		for g, err := range all {
			if err != nil {
				yield(judges.Item{}, err)
				return
			}
			item := judges.Item{Conversation: g.conversation, Facts: known.of(g.conversation), Tag: g,
				Skips: func(judge string) bool { return in.skips(judge, g.conversation) }}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// skips reports whether a judge skips a conversation.
func (in *Instruments) skips(judge string, c *transcript.Conversation) bool {
	i := slices.IndexFunc(in.Judges, func(j instrument.Judge) bool { return j.Name() == judge })
	return i >= 0 && in.Judges[i].Skips(c)
}

// finish decides how the run ended, writes run.json, and builds the report of a finished run.
func finish(ctx context.Context, s *Spec, in *Instruments, out *Outcome, sinks *sinks, obs *Observer,
	runErr error) error {
	m := in.manifest
	switch {
	case runErr == nil && (m.Judgements.Coverage() < m.CoverageFloor || len(m.Stopped) > 0):
		m.Status = directory.Incomplete
	case runErr == nil:
		m.Status = directory.Complete
	default:
		m.Status = directory.Interrupted
		// On a full disk this may fail as well; the run can still be resumed.
		if err := in.save(); err != nil && resumable(runErr) {
			obs.note("%v", err)
		}
		return runErr
	}
	if err := m.Write(in.dir); err != nil {
		return err
	}
	for _, note := range changes(in.source) {
		obs.line(note)
	}
	var data *page.Data
	var err error
	if out.Report, out.Gates, data, err = reportOf(ctx, s, in, sinks); err != nil {
		return err
	}
	return WriteReports(in.dir, out.Report, data)
}

// reportOf builds the report of a finished run, and the data of its page, from what the sinks hold.
// If people labelled the run meanwhile, it reads the files.
func reportOf(ctx context.Context, s *Spec, in *Instruments, k *sinks) (r *report.Report, gates measure.GateDecision,
	data *page.Data, err error) {
	cfg := s.Report
	if s.Against != "" {
		c, err := Against(in.dir, s.Against, cfg)
		if err != nil {
			return nil, gates, nil, fmt.Errorf("against %s: %w", s.Against, err)
		}
		cfg.Comparisons = append(cfg.Comparisons, c)
	}
	if !isLabelled(in.dir) {
		if r, gates, err = finishReport(in.dir, in.manifest, k.table, cfg, s.Gates); err == nil {
			data, err = k.page.Data(ctx, r)
		}
		return r, gates, data, err
	}
	if r, gates, err = Report(in.dir, cfg, s.Gates); err == nil {
		data, err = PageData(ctx, in.dir, r, in.manifest.Again(ctx, in.source.Again()))
	}
	return r, gates, data, err
}

// resumable reports whether a run can be resumed after an error: the context ended, or an endpoint
// cannot answer at all.
func resumable(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ok && e.Fatal
}

// changes names the logs that changed since the run began.
func changes(source *input.Source) (notes []string) {
	grew, changed := input.Since(source.Logs, source.Hashes)
	for _, name := range grew {
		notes = append(notes, name+" grew since the run began: what it held then is judged; "+
			"judge the rest by a new run")
	}
	for _, name := range changed {
		notes = append(notes, name+" changed since it was read: what it held when the run began is judged; "+
			"put it back as it was before this run is resumed")
	}
	return notes
}

// ended reports which answers came from elsewhere, and deletes the rest of a finished run from the
// queue.
func (w *watch) ended(ctx context.Context, in *Instruments, err error) {
	if in.queue != nil && err == nil {
		_ = in.queue.Done(ctx) // what remains expires by its age
	}
	stats := in.journal.Stats()
	if w.work.Reused = stats.Reused; w.work.Reused > 0 {
		w.obs.note("%s taken from %s", words.Count(w.work.Reused, "answer was", "answers were"), strings.Join(in.reuse, ", "))
	}
	in.manifest.Counts.Cached = max(0, in.manifest.Counts.Requests-stats.Good)
}
