package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// run is one run directory that is looked at.
type run struct {
	Run
	ctx     context.Context // ends with the server
	records *records
	labels  *labelling
	number  int
	other   *run // of two runs, nil for none
	// begin reads the logs in the background, once. Scores are read when a page asks for them,
	// so that labelling a large run can begin before.
	begin func()
	// partners pairs the run with the other one, once.
	partners func() (*directory.Partners, error)

	mu      sync.Mutex
	current *snapshot
	failed  error
	took    time.Duration // by the last snapshot
	reading bool          // a snapshot is being made
	version int
}

// open makes a run of a directory, without reading it.
func (s *Server) open(of Run) (*run, error) {
	file, err := labels.Open(filepath.Join(of.Dir, labels.FileName), of.Manifest.RunID)
	if err != nil {
		return nil, err
	}
	r := &run{Run: of, number: len(s.runs), ctx: s.ctx, records: newRecords(of.Logs.Options)}
	r.begin = sync.OnceFunc(func() { go r.records.fill(r.ctx, of.Manifest, of.Logs) })
	r.partners = sync.OnceValues(func() (*directory.Partners, error) { return directory.Pair(r.Dir, r.other.Dir) })
	r.labels = &labelling{run: r, file: file, who: s.Who, rubric: s.Rubric, seed: s.Seed, calls: s.Calls, now: s.Now,
		read: map[string]bool{}}
	return r, file.View(func(set *labels.Set) { r.labels.begun = len(set.States(s.Who)) > 0 })
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

// identity says which bytes a snapshot is of.
type identity struct {
	path string
	size int64
	at   time.Time
}

// identity is of the score stream, of a run at work the one that grows; it is zero while
// there is none.
func (r *run) identity() identity {
	whole := filepath.Join(r.Dir, directory.ScoresFile)
	for _, path := range []string{whole, whole + directory.PartEnding} {
		if info, err := os.Stat(path); err == nil {
			return identity{path, info.Size(), info.ModTime()}
		}
	}
	return identity{}
}

// restFactor keeps a page that is open from taking more than a tenth of a processor from
// the run that it shows.
const restFactor = 10

// now is the last snapshot, nil while the first is being made. Where there is more to read
// than it holds, another one is begun, but not too often.
func (r *run) now() (*snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.identity()
	rested := r.current == nil || r.current.of != of && time.Since(r.current.taken) >= restFactor*r.took
	if !r.reading && rested && of != (identity{}) {
		r.reading = true
		go r.renew(of)
	}
	if r.current == nil && of == (identity{}) {
		return nil, fmt.Errorf("%s holds no scores yet", r.Name)
	}
	return r.current, r.failed
}

// renew makes a snapshot.
func (r *run) renew(of identity) {
	start := time.Now()
	s, err := r.take(r.ctx, of)
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

// snapshot is the run as it was not long ago; it waits for the first.
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

// itemsOf are the items of a conversation with all that was said of them.
func (r *run) itemsOf(ctx context.Context, id string) ([]*page.Item, error) {
	s, err := r.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.items(id)
}

// snapshot holds the items of a run, whose texts are in temporary files.
type snapshot struct {
	of      identity
	taken   time.Time
	version int
	report  *report.Report
	summary *page.Summary
	partial string // why the scores are not those of a whole run

	whole *spool // the items, as JSON
	text  *spool // the explanations of each row, to search
	rows  []row
	convs []conversationRows
	byID  map[string]int
	names dictionary
	last  atomic.Pointer[hits]
}

// conversationRows are the rows of a conversation.
type conversationRows struct {
	id       string
	from, to int
}

// take reads the scores three times: twice for the report, which knows verdicts and ranks, and
// once for the rows.
func (r *run) take(ctx context.Context, of identity) (*snapshot, error) {
	s := &snapshot{of: of, byID: map[string]int{}, names: dictionary{at: map[string]uint16{}}}
	var err error
	s.report, _, err = directory.Report(r.Dir, assembly.Config{}, nil)
	if part, ok := errors.AsType[*directory.Partial](err); ok && s.report != nil {
		s.partial = part.Problem
	} else if err != nil {
		return nil, err
	}
	return s, s.fillFrom(ctx, directory.Scores(r.Dir))
}

// fillFrom reads the rows.
func (s *snapshot) fillFrom(ctx context.Context, scores iter.Seq2[score.Score, error]) (err error) {
	s.summary = page.NewSummary(s.report)
	if s.whole, err = newSpool(); err != nil {
		return err
	}
	if s.text, err = newSpool(); err != nil {
		s.whole.close()
		return err
	}
	if err = s.index(ctx, scores); err != nil {
		s.close()
	}
	return err
}

func (s *snapshot) close() {
	s.whole.close()
	s.text.close()
}

// index fills the rows.
func (s *snapshot) index(ctx context.Context, scores iter.Seq2[score.Score, error]) error {
	for items, err := range page.NewReading(s.report).Items(scores) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		c := conversationRows{id: items[0].Conversation, from: len(s.rows)}
		for _, i := range items {
			s.summary.Add(i)
			if err := s.add(i, uint32(len(s.convs))); err != nil {
				return err
			}
		}
		c.to = len(s.rows)
		if _, twice := s.byID[c.id]; !twice {
			s.byID[c.id] = len(s.convs)
		}
		s.convs = append(s.convs, c)
	}
	return errors.Join(s.whole.flush(), s.text.flush())
}

// add adds the row of an item.
func (s *snapshot) add(i *page.Item, conversation uint32) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	r := s.names.row(i, conversation)
	if r.whole, err = s.whole.add(data); err != nil {
		return err
	}
	if r.text, err = s.text.add([]byte(i.Said())); err != nil {
		return err
	}
	s.rows = append(s.rows, r)
	return nil
}

// item is that of a row with all that was said of it.
func (s *snapshot) item(n int) (*page.Item, error) {
	data, err := s.whole.read(s.rows[n].whole)
	if err != nil {
		return nil, err
	}
	var i page.Item
	return &i, json.Unmarshal(data, &i)
}

// items are those of a conversation, with all that was said of them.
func (s *snapshot) items(id string) ([]*page.Item, error) {
	at, ok := s.byID[id]
	if !ok {
		return nil, fmt.Errorf("%w: %q", directory.ErrNoItem, id)
	}
	var out []*page.Item
	for n := s.convs[at].from; n < s.convs[at].to; n++ {
		i, err := s.item(n)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}
