package watch

import (
	"bufio"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// Config says what is watched, and how it is judged. Now, List, Judge and Note must be set.
type Config struct {
	// Folder holds the run directories of the days; Name distinguishes this watch from others in
	// it.
	Folder, Name string
	// List returns the current logs. There may be none yet.
	List func() ([]input.Log, error)
	Read format.Options
	// Sample is the part of all conversations that is judged; Settle is how long a conversation
	// must be quiet first.
	Sample Share
	Settle time.Duration
	// FromNow makes the first scan treat everything that exists as judged.
	FromNow bool
	// MaxRequests and MaxCost limit a day; 0 means no limit. Requests estimates the requests of a
	// conversation.
	MaxRequests int
	MaxCost     float64
	Requests    func(*transcript.Conversation) int
	// Series holds the digests of what the judgements depend on.
	Series map[string]string
	// Judge judges the whole log in a day's run directory; the directory's journal answers what was
	// asked before.
	Judge func(context.Context, Order) (Judged, error)
	// Alarm is called with new alarms before they are recorded, so that none is lost.
	Alarm func(Result) error
	// Note is called with lines for the user.
	Note func(string)
	Now  func() time.Time
}

// Order is a day to judge: its run directory, and that of the previous day in the series, "" for
// none.
type Order struct{ Dir, Date, Before string }

// Judged holds the results of a day.
type Judged struct {
	Day      Day
	Requests int
	Cost     float64
}

// Result is the outcome of one look at the logs.
type Result struct {
	// Dir is the run directory of the current day; "" until something was taken.
	Dir string `json:"dir"`
	// New counts the taken conversations, Waiting those that are not quiet yet, Late those that
	// exceed the day's limit.
	New     int `json:"new"`
	Waiting int `json:"waiting"`
	Late    int `json:"late"`
	// Today is the current day, Before the days with which it is compared.
	Today  Day     `json:"-"`
	Before []Day   `json:"-"`
	Alarms []Alarm `json:"alarms"`
}

// Once looks at the logs once: it takes what is new and quiet, judges it, and decides about alarms.
// If anything fails, the next call continues from there.
func Once(ctx context.Context, cfg Config) (out Result, err error) {
	if err := os.MkdirAll(cfg.Folder, 0o700); err != nil {
		return out, err
	}
	path := filepath.Join(cfg.Folder, ".watch-"+cfg.Name+".json")
	release, err := lock(path)
	if err != nil {
		return out, err
	}
	defer release()
	if !journal.Locks {
		cfg.Note("this system has no file locks: see to it that only one judge watch is at work on these logs")
	}
	s, err := loadState(path)
	if err != nil {
		return out, err
	}
	if err := s.repair(cfg.Note); err != nil {
		return out, err
	}
	now := cfg.Now()
	w := &watcher{Config: cfg, state: s, path: path, now: now, date: now.Format(time.DateOnly)}
	if err := w.checkSeries(); err != nil {
		return out, err
	}
	for {
		before := out.New
		if err := w.take(ctx, &out); err != nil {
			return out, err
		}
		if err := w.judge(ctx, &out); err != nil {
			return out, err
		}
		if out.Late == 0 || out.New == before {
			return out, nil
		}
		// What was judged may have cost less than planned.
	}
}

// watcher is one look at the logs.
type watcher struct {
	Config
	*state
	path, date string
	now        time.Time
}

func (w *watcher) save() error { return w.state.save(w.path) }

// checkSeries begins a new series if the judgements depend on something else than before. What was
// taken and not judged yet is judged in the new series.
func (w *watcher) checkSeries() error {
	old := w.state.Series
	if w.state.Series = w.Config.Series; old == nil || maps.Equal(old, w.Config.Series) {
		return nil
	}
	var changed []string
	for _, part := range slices.Sorted(maps.Keys(w.Config.Series)) {
		if w.Config.Series[part] != old[part] {
			changed = append(changed, part)
		}
	}
	since := ""
	if d := w.today(); d != nil {
		since = " since " + d.Date
	}
	w.Note(strings.Join(changed, ", ") + " changed" + since +
		": a new series begins; its pass rates are not compared with the earlier ones")
	unjudged, err := w.restart()
	if err == nil && len(unjudged) > 0 {
		to := &appender{watcher: w}
		if err = to.write(unjudged); err == nil {
			err = to.commit(0)
		}
	}
	if err != nil {
		return err
	}
	return w.save()
}

// take copies the new and quiet conversations to the day's log. They count as taken when the state
// is saved.
func (w *watcher) take(ctx context.Context, out *Result) error {
	logs, err := w.List()
	if err != nil {
		return err
	}
	to, left := &appender{watcher: w}, w.room()
	scan := &scanner{state: w.state, read: w.Read, sample: w.Sample, settle: w.Settle, now: w.now, note: w.Note,
		skip: w.FromNow && len(w.Days)+len(w.Files) == 0,
		take: func(c *transcript.Conversation) (bool, error) {
			if !left.takes(c) {
				return false, nil
			}
			if err := w.beginDay(); err != nil {
				return false, err
			}
			return true, to.write(transcript.AppendNative(nil, c))
		}}
	if err := scan.scan(ctx, logs); err != nil {
		return errors.Join(err, to.close())
	}
	out.Waiting, out.Late = len(scan.since)-scan.late, scan.late
	if err := to.commit(left.planned); err != nil {
		return err
	}
	out.New += left.taken
	return w.save()
}

// beginDay creates the day's directory, if none yet, and records its name. It is called
// before anything is taken on that day.
func (w *watcher) beginDay() error {
	if d := w.today(); d != nil && d.Date == w.date {
		return nil
	}
	if err := w.enter(w.date, w.Folder); err != nil {
		return err
	}
	return w.save()
}

// judge judges every day that is not judged yet, and looks whether more fails than before.
func (w *watcher) judge(ctx context.Context, out *Result) error {
	for i := range w.Days {
		d := &w.Days[i]
		if d.Judged == d.Bytes {
			continue
		}
		order := Order{Dir: d.Dir, Date: d.Date}
		if i > 0 {
			order.Before = w.Days[i-1].Dir
		}
		j, err := w.Judge(ctx, order)
		if err != nil {
			return err
		}
		j.Day.Date, j.Day.Looks, j.Day.Closed, j.Day.Alarms = d.Date, d.Looks, d.Closed, d.Alarms
		d.Day, d.Requests, d.Cost, d.Planned, d.Judged = j.Day, j.Requests, j.Cost, 0, d.Bytes
		if err := w.save(); err != nil {
			return err
		}
	}
	days, alarms := make([]Day, len(w.Days)), len(out.Alarms)
	for i := range w.Days {
		days[i] = w.Days[i].Day
		over := days[i].Date != w.date
		if over && !days[i].Closed || i == len(days)-1 {
			out.Alarms = append(out.Alarms, Look(days[:i+1], over)...)
			w.Days[i].Day = days[i]
		}
	}
	if w.describe(out); len(out.Alarms) > alarms {
		if err := w.Alarm(*out); err != nil {
			return err
		}
	}
	return w.save()
}

// describe adds the days to a result.
func (w *watcher) describe(out *Result) {
	out.Before = nil
	for i := range w.Days {
		if d := &w.Days[i]; d.Date == w.date {
			out.Today, out.Dir = d.Day, d.Dir
		} else {
			out.Before = append(out.Before, d.Day)
		}
	}
	out.Before = out.Before[max(0, len(out.Before)-memory):]
}

// appender writes to the day's log, which is created with the first conversation.
type appender struct {
	*watcher
	file *os.File
	out  *bufio.Writer
	n    int64
}

func (a *appender) write(lines []byte) error {
	if a.file == nil {
		if err := a.enter(a.date, a.Folder); err != nil {
			return err
		}
		f, err := os.OpenFile(a.today().log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		a.file, a.out = f, bufio.NewWriterSize(f, 1<<16)
	}
	n, err := a.out.Write(lines)
	a.n += int64(n)
	return err
}

// commit syncs what was written to the disk, and counts it with its planned requests.
func (a *appender) commit(planned int) error {
	if a.file == nil {
		return nil
	}
	err := a.out.Flush()
	if err == nil {
		err = a.file.Sync()
	}
	if err = errors.Join(err, a.close()); err != nil {
		return err
	}
	d := a.today()
	d.Bytes, d.Planned = d.Bytes+a.n, d.Planned+planned
	return nil
}

func (a *appender) close() error {
	if a.file == nil {
		return nil
	}
	f := a.file
	a.file = nil
	return f.Close()
}

// room holds what is left of a day's limits.
type room struct {
	Config
	requests       int
	cost, each     float64
	known          bool
	taken, planned int
}

// firstBatch limits what is taken while the cost of a request is unknown.
const firstBatch = 10

// room returns what is left of the day's limits. Earlier requests show what a request costs.
func (w *watcher) room() *room {
	r, requests, cost := &room{Config: w.Config}, 0, 0.0
	for i := range w.Days {
		d := &w.Days[i]
		requests, cost = requests+d.Requests, cost+d.Cost
		if d.Date == w.date {
			r.requests, r.cost = d.Requests+d.Planned, d.Cost
		}
	}
	if r.known = requests > 0; r.known {
		r.each = cost / float64(requests)
	}
	return r
}

// takes reports whether there is room for a conversation, and counts it.
func (r *room) takes(c *transcript.Conversation) bool {
	n := r.Requests(c)
	planned := r.planned + n
	switch {
	case r.MaxRequests > 0 && r.requests+planned > r.MaxRequests:
		return false
	case r.MaxCost > 0 && !r.known && r.taken >= firstBatch:
		return false
	case r.MaxCost > 0 && r.cost+float64(float64(planned)*r.each) > r.MaxCost:
		return false
	}
	r.taken, r.planned = r.taken+1, planned
	return true
}
