package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
)

// stateSchema is the version of the state file.
const stateSchema = "judge.watch/v1"

// state holds what a watch knows about its logs and days. Saving it commits the work: whatever is not
// in it did not happen, and the next scan finds it again.
type state struct {
	Schema string `json:"schema"`
	// Series holds the digests of rubrics, judges, scorers and prompt with which the days were
	// judged.
	Series map[string]string `json:"series,omitempty"`
	// Reading says how the files were read; other options, or another sample, find more in them.
	Reading string `json:"reading"`
	// Days ends with the current day.
	Days  []runDay         `json:"days,omitempty"`
	Files map[string]*file `json:"files,omitempty"`
	// Waiting holds the conversations that are not quiet yet.
	Waiting map[key]waiting `json:"waiting,omitempty"`
	// Moved holds the keys of files that are gone or were cut, by the day until which they are
	// kept.
	Moved map[string]keys `json:"moved,omitempty"`
}

// runDay is a day with its run directory.
type runDay struct {
	Day
	Dir string `json:"dir"`
	// Bytes counts the committed bytes of the directory's log, Judged the judged ones.
	Bytes  int64 `json:"bytes"`
	Judged int64 `json:"judged"`
	// Requests and Cost are what the day took so far; Planned estimates the requests for the rest.
	Requests int     `json:"requests"`
	Cost     float64 `json:"cost,omitempty"`
	Planned  int     `json:"planned,omitempty"`
}

// log returns the path of the day's log: a copy of the taken conversations, in order.
func (d *runDay) log() string { return filepath.Join(d.Dir, LogFile) }

// LogFile is the name of the log in the run directory of a day.
const LogFile = "conversations.jsonl"

// file is the state of a log when it was last read.
type file struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	// Busy says that the file is read again even if it did not change: it contains something to
	// take later, or something unreadable.
	Busy bool `json:"busy,omitempty"`
	// Taken holds the keys of the taken calls in the file.
	Taken keys `json:"taken,omitempty"`
	// Problem is the last message about the file, so that it is printed only once.
	Problem string `json:"problem,omitempty"`
}

// waiting is a conversation that is not quiet yet: its content, and since when we know it.
type waiting struct {
	Content key       `json:"content"`
	Since   time.Time `json:"since"`
}

// loadState reads the state file, which does not exist at the first start.
func loadState(path string) (*state, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(), nil
	}
	s := newState()
	s.Schema = ""
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err == nil && s.Schema != stateSchema {
		err = fmt.Errorf("schema %q; this version reads %s", s.Schema, stateSchema)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; it says what was judged already: restore it, or move it away to judge "+
			"everything again", path, err)
	}
	return s, nil
}

func newState() *state {
	return &state{Schema: stateSchema, Files: map[string]*file{}, Waiting: map[key]waiting{}, Moved: map[string]keys{}}
}

// save replaces the state file atomically, after the disk has the new content.
func (s *state) save(path string) error {
	s.Days = slices.Delete(s.Days, 0, max(0, len(s.Days)-memory-2))
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return directory.ReplaceSynced(path, data)
}

// lock keeps other processes from watching with this state. release, or the end of the process, unlocks it.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := journal.Lock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another judge watch is at work on these logs (%s.lock): %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

// today returns the current day; nil before the first.
func (s *state) today() *runDay {
	if len(s.Days) == 0 {
		return nil
	}
	return &s.Days[len(s.Days)-1]
}

// enter makes the day with this date the current one. If it is new, it gets a directory of its own
// in folder.
func (s *state) enter(date, folder string) error {
	if d := s.today(); d != nil && d.Date == date {
		return nil
	}
	if i := slices.IndexFunc(s.Days, func(d runDay) bool { return d.Date == date }); i >= 0 { // the clock went back
		d := s.Days[i]
		s.Days = append(slices.Delete(s.Days, i, i+1), d)
		return nil
	}
	name := filepath.Join(folder, "watch-"+date)
	for n, dir := 2, name; ; n++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			s.Days = append(s.Days, runDay{Dir: dir, Day: NewCounter(date).Day()})
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		dir = fmt.Sprintf("%s-%d", name, n)
	}
}

// restart forgets all days, and returns what was taken from them but not judged.
func (s *state) restart() (unjudged []byte, err error) {
	for i := range s.Days {
		d := &s.Days[i]
		if d.Judged == d.Bytes {
			continue
		}
		data, err := os.ReadFile(d.log())
		if err != nil {
			return nil, err
		}
		if int64(len(data)) < d.Bytes {
			return nil, &cutError{d.log()}
		}
		unjudged = append(unjudged, data[d.Judged:d.Bytes]...)
	}
	s.Days = nil
	return unjudged, nil
}

// cutError says that the log of a day lost bytes.
type cutError struct{ path string }

func (e *cutError) Error() string {
	return e.path + " is shorter than what was written to it: restore it, or move its directory away"
}

// repair cuts off what was written to the current day's log but not committed. The next scan finds
// it again.
func (s *state) repair(note func(string)) error {
	d := s.today()
	if d == nil {
		return nil
	}
	info, err := os.Stat(d.log())
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.Bytes == 0:
		return os.MkdirAll(d.Dir, 0o700)
	case errors.Is(err, fs.ErrNotExist):
		note(d.Dir + " is gone: what it held is not judged again")
		*d = runDay{Dir: d.Dir, Day: NewCounter(d.Date).Day()}
		return os.MkdirAll(d.Dir, 0o700)
	case err != nil:
		return err
	case info.Size() < d.Bytes:
		return &cutError{d.log()}
	}
	return os.Truncate(d.log(), d.Bytes)
}
