package view

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	judgerun "github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// run is one run directory that is shown.
type run struct {
	Run
	ctx     context.Context // ends with the server
	records *records
	labels  *labelling
	number  int
	other   *run // if there are two runs
	// begin starts to read the logs in the background, once. Scores are read only when a page
	// requests them, so that labelling a large run can start earlier.
	begin func()
	// partners pairs the run with the other one, once.
	partners func() (*directory.Partners, error)

	mu      sync.Mutex
	current *snapshot
	failed  error
	took    time.Duration // time for the last snapshot
	reading bool          // a snapshot is being made
	version int
}

// open returns the run of a directory without reading it.
func (s *Server) open(of Run) (*run, error) {
	file, err := labels.Open(filepath.Join(of.Dir, labels.FileName), of.Manifest.RunID)
	if err != nil {
		return nil, err
	}
	r := &run{Run: of, number: len(s.runs), ctx: s.ctx, records: newRecords(of.Logs.Options)}
	r.begin = sync.OnceFunc(func() { go r.records.fill(r.ctx, of.Manifest, of.Logs) })
	r.partners = sync.OnceValues(func() (*directory.Partners, error) { return directory.Pair(r.Dir, r.other.Dir) })
	rubric, _ := of.Manifest.Rubric(s.Rubric)
	r.labels = &labelling{run: r, file: file, who: s.Who, rubric: s.Rubric, of: rubric, seed: s.Seed, calls: s.Calls, each: s.PerConversation,
		now:  s.Now,
		read: map[string]bool{}}
	return r, file.View(func(set *labels.Set) { r.labels.begun = len(set.States(s.Who)) > 0 })
}

// compare adds to a snapshot which conversations changed against the other run, or why that is unknown.
func (r *run) compare(s *snapshot) {
	if r.other == nil {
		return
	}
	c, _, err := judgerun.Compare(r.Dir, r.other.Dir, measure.Config{})
	switch {
	case err != nil:
		s.uncompared = err.Error()
		return
	case c.Shared == 0:
		s.uncompared = "they have no conversation in common"
	}
	s.changed = map[string]bool{}
	for _, id := range c.Changes.All {
		s.changed[id] = true
	}
}

func (r *run) close() {
	r.records.close()
	_ = r.labels.file.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.close()
	}
}

// identity distinguishes versions of a file.
type identity struct {
	path string
	size int64
	at   time.Time
}

// identity returns the identity of the score stream or, while the run is working, of the growing
// one. It is zero if there is no stream yet.
func (r *run) identity() identity {
	whole := filepath.Join(r.Dir, directory.ScoresFile)
	for _, path := range []string{whole, whole + directory.PartEnding} {
		if info, err := os.Stat(path); err == nil {
			return identity{path, info.Size(), info.ModTime()}
		}
	}
	return identity{}
}

// stamp identifies the files from which a snapshot was made: the scores, labels and calibration.
type stamp struct{ scores, labels, calibration identity }

func (r *run) stamp() stamp {
	of := func(name string) identity {
		path := filepath.Join(r.Dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return identity{}
		}
		return identity{path, info.Size(), info.ModTime()}
	}
	return stamp{r.identity(), of(labels.FileName), of(judgerun.CalibrationFile)}
}

// restFactor is how many times longer than the last reading took a run rests before it is read again,
// so that an open page uses at most about a tenth of a processor.
const restFactor = 10

// now returns the last snapshot, nil while the first is being made. If the files have changed, it
// starts the next one, but not too often.
func (r *run) now() (*snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.stamp()
	rested := r.current == nil || r.current.provisional ||
		r.current.of != of && time.Since(r.current.taken) >= restFactor*r.took
	if !r.reading && rested && of.scores != (identity{}) {
		r.reading = true
		go r.renew(of, r.current == nil)
	}
	if r.current == nil && of.scores == (identity{}) {
		return nil, fmt.Errorf("%s holds no scores yet", r.Name)
	}
	return r.current, r.failed
}

// renew makes a snapshot. The first one of a large run may be provisional.
func (r *run) renew(of stamp, first bool) {
	start := time.Now()
	r.grow()
	s, err := r.take(r.ctx, of, first && of.scores.size > largeRun)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading, r.took, r.failed = false, time.Since(start), err
	if err != nil {
		return
	}
	r.version++
	s.version, s.taken = r.version, time.Now()
	if old := r.current; old != nil {
		time.AfterFunc(time.Minute, old.close) // a request may still be reading it
	}
	r.current = s
}

// grow reads what was added to the log of a run that grows from day to day.
func (r *run) grow() {
	if m, err := directory.ReadManifest(r.Dir); err == nil && m.Series != "" && r.records.more() {
		go r.records.fill(r.ctx, m, r.Logs)
	}
}

// snapshot waits for the first snapshot and returns the last.
func (r *run) snapshot(ctx context.Context) (*snapshot, error) {
	for {
		s, err := r.now()
		if s != nil || err != nil {
			return s, err
		}
		if !rest(ctx) {
			return nil, ctx.Err()
		}
	}
}

// itemsOf returns the items of a conversation with everything said about them.
func (r *run) itemsOf(ctx context.Context, id string) ([]*page.Item, error) {
	s, err := r.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.items(id)
}

// snapshot holds the items of a run without their texts, which stay in the score stream.
type snapshot struct {
	of      stamp
	people  *measure.Labels
	taken   time.Time
	version int
	report  *report.Report
	reading *page.Reading
	summary *page.Summary
	partial string // why the scores do not cover a whole run
	// provisional says that the report is the saved one, which lists only the first disagreements.
	provisional bool
	// changed holds the conversations that changed against the other run, by the deciding score;
	// uncompared says why this is unknown.
	changed    map[string]bool
	uncompared string

	scores *os.File
	text   *spool // the searchable texts of the rows
	rows   []row
	convs  []conversationRows
	byID   map[string]int
	tools  map[string]string // one copy of each name
	last   atomic.Pointer[hits]
}

// conversationRows locates a conversation among the rows and in the score stream.
type conversationRows struct {
	id       string
	from, to int
	lines    span
}

// largeRun is the size of the scores above which the first snapshot uses the saved report.
const largeRun = 100 << 20

// take reads the scores twice: for the report, which decides verdicts and ranks, and for the
// rows. A provisional snapshot uses the saved report if there is one.
func (r *run) take(ctx context.Context, of stamp, provisional bool) (*snapshot, error) {
	labelled, err := judgerun.ReadLabelled(r.Dir, &r.Manifest.Manifest)
	if err != nil {
		return nil, err
	}
	s := &snapshot{of: of, people: labelled.Labels, byID: map[string]int{}, tools: map[string]string{}}
	if provisional {
		s.report = r.savedReport()
		s.provisional = s.report != nil
	}
	if s.report == nil {
		s.report, _, err = judgerun.Report(r.Dir, measure.Config{}, nil)
		var part *directory.Partial
		if errors.As(err, &part) && s.report != nil {
			s.partial = part.Problem
		} else if err != nil {
			return nil, err
		}
	}
	r.compare(s)
	return s, s.fillFrom(ctx, of.scores.path)
}

// savedReport returns the saved report of a finished run; nil if the run is not finished or the report
// belongs to another run.
func (r *run) savedReport() *report.Report {
	m, err := directory.ReadManifest(r.Dir)
	if err != nil || m.Status != directory.Complete && m.Status != directory.Incomplete {
		return nil
	}
	rep, err := directory.ReadReport(r.Dir)
	if err != nil || rep.Run.ID != m.RunID {
		return nil
	}
	for i := range rep.Disagreements.Items {
		d := &rep.Disagreements.Items[i]
		rep.Disagreements.All = append(rep.Disagreements.All, report.Opposed{CaseRef: d.CaseRef, Judge: d.Judge,
			Passes: d.Direction == report.JudgePasses, Reference: d.By()})
	}
	return rep
}

// fillFrom reads the rows from the score stream at path.
func (s *snapshot) fillFrom(ctx context.Context, path string) (err error) {
	s.reading, s.summary = page.NewReading(s.report), page.NewSummary(s.report.Run.Rubrics)
	if s.scores, err = os.Open(path); err != nil {
		return err
	}
	if s.text, err = newSpool(); err != nil {
		_ = s.scores.Close()
		return err
	}
	if err = s.index(ctx); err != nil {
		s.close()
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func (s *snapshot) close() {
	_ = s.scores.Close()
	s.text.close()
}

// index adds a row for each item.
func (s *snapshot) index(ctx context.Context) error {
	lines := &placed{in: bufio.NewReaderSize(s.scores, 1<<20)}
	for items, err := range s.reading.Items(s.people.Into(lines.scores(ctx))) {
		if err != nil {
			return err
		}
		if err := s.add(items, lines.ended); err != nil {
			return err
		}
	}
	return s.text.flush()
}

// placed reads scores and remembers where each conversation is in the stream.
type placed struct {
	in *bufio.Reader
	id string
	// from is the offset of the current conversation, at that of the next line.
	from, at int64
	// ended locates the last conversation that ended; at first, what precedes the first one.
	ended span
}

// scores yields the scores of the stream; other lines are skipped, as in the report.
func (p *placed) scores(ctx context.Context) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		for n := 0; ; n++ {
			line, err := p.in.ReadBytes('\n')
			if s, bad := score.Parse(line); bad == nil {
				if s.ConversationID != p.id {
					p.id = s.ConversationID
					p.end()
				}
				if !yield(s, nil) {
					return
				}
			}
			p.at += int64(len(line))
			switch {
			case errors.Is(err, io.EOF):
				p.end()
				return
			case err == nil && n%4096 == 0:
				err = ctx.Err()
			}
			if err != nil {
				yield(score.Score{}, err)
				return
			}
		}
	}
}

func (p *placed) end() { p.from, p.ended = p.at, span{p.from, int(p.at - p.from)} }

// items reads the items of a conversation.
func (s *snapshot) items(id string) ([]*page.Item, error) {
	at, ok := s.byID[id]
	if !ok {
		return nil, fmt.Errorf("%w: %q", directory.ErrNoItem, id)
	}
	c := s.convs[at]
	lines := &placed{in: bufio.NewReader(io.NewSectionReader(s.scores, c.lines.at, int64(c.lines.length)))}
	for items, err := range s.reading.Items(s.people.Into(lines.scores(context.Background()))) {
		if err == nil && items[0].Conversation != id {
			break
		}
		for k, i := range items {
			i.Order = c.from + k
		}
		return items, err
	}
	return nil, fmt.Errorf("the scores of %q are being rewritten: look again", id)
}
