package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// syncDelay is how long a written record may wait for fsync.
const syncDelay = 200 * time.Millisecond

// Journal is an append-only file of exchanges, one JSON record a line. It is
// the cache and the point from which a run resumes.
//
// Durability: each record is one write of one whole line, made before Do
// returns the answer. The page cache survives the death of the process, kill -9
// included, so no finished exchange is lost by it. A crash of the machine can
// lose the last fifth of a second: fsync follows each burst of writes by at most
// 200 ms. A line that was torn is cut off when the journal is next opened for
// writing, and reported.
//
// Memory: the answers stay in the file. A good answer takes its place in a table, at most
// 53 MiB for a million of them.
//
// One process writes at a time: opening for writing takes a lock. All methods
// are safe for concurrent use.
type Journal struct {
	path     string
	file     *os.File
	readOnly bool

	// syncing is held while the disk works, which a file that is closed meanwhile would
	// stay open and locked for.
	syncing sync.Mutex

	mu     sync.Mutex
	places map[half]place // of the newest good answers
	size   int64
	dirty  bool
	timer  *time.Timer
	failed error // set by a failed write or sync; nothing is written after it
	closed bool
	stats  Stats
}

// Stats counts what a journal holds and what opening it found.
type Stats struct {
	Records   int   // whole lines, good or not
	Good      int   // distinct requests with a good answer
	Damaged   int   // lines that are not as they were written; they are kept and never used
	TornBytes int64 // bytes of an unfinished last line: cut off, or ignored when reading only
	// DamagedLines are the numbers of the first damaged lines, 0 where there are no more;
	// Damage says what is wrong with the first.
	DamagedLines [5]int
	Damage       string
}

func (s *Stats) damaged(line int, err error) {
	if s.Damaged == 0 {
		s.Damage = strings.TrimPrefix(err.Error(), "journal entry: ")
	}
	if s.Damaged < len(s.DamagedLines) {
		s.DamagedLines[s.Damaged] = line
	}
	s.Damaged++
}

// half is the first half of a fingerprint; the whole is compared when the record is read.
type half [16]byte

func halfOf(fp llm.Fingerprint) half { return half(fp[:16]) }

// Open opens or creates the journal at path for reading and writing. It
// fails when another process has it open for writing.
func Open(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("journal %s: another process is writing it: %w", path, err)
	}
	j, err := newJournal(path, f, false)
	if err != nil {
		return nil, err
	}
	if j.stats.TornBytes > 0 {
		if err := f.Truncate(j.size); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("journal %s: cut torn line: %w", path, err)
		}
	}
	return j, nil
}

// Read opens an existing journal for reading only. It takes no lock and
// changes nothing; records appended later by a writer are not seen.
func Read(path string) (*Journal, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return newJournal(path, f, true)
}

// newJournal reads the file from end to end. It closes the file when it fails.
func newJournal(path string, f *os.File, readOnly bool) (*Journal, error) {
	j := &Journal{path: path, file: f, readOnly: readOnly, places: map[half]place{}}
	if err := j.load(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, nil
}

// load notes where the answers are. A later good answer to the same request replaces an
// earlier one.
func (j *Journal) load() error {
	number := 0
	err := scanLines(io.NewSectionReader(j.file, 0, 1<<62), func(offset int64, line []byte, whole bool) error {
		number++
		if !whole {
			j.stats.TornBytes = int64(len(line))
			return nil
		}
		j.size = offset + int64(len(line)) + 1
		fp, good, damage := glance(line)
		if damage != nil {
			j.stats.damaged(number, damage)
			return nil
		}
		j.stats.Records++
		if good {
			j.places[halfOf(fp)] = newPlace(offset, len(line))
		}
		return nil
	})
	j.stats.Good = len(j.places)
	return err
}

// Stats returns the present counts.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stats
}

// Append writes one record. After a failed write the journal takes no more: a
// disk that is full must stop the run, not lose every second answer.
func (j *Journal) Append(e *Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.readOnly || j.closed:
		return fmt.Errorf("journal %s: is not open for writing", j.path)
	case j.failed != nil:
		return j.failed
	case j.size+int64(len(line)) > maxSize:
		return fmt.Errorf("journal %s: is full (1 TiB)", j.path)
	}
	if _, err := j.file.Write(line); err != nil {
		j.failed = fmt.Errorf("journal %s: write: %w", j.path, err)
		_ = j.file.Truncate(j.size) // a torn line would also be cut on the next open
		return j.failed
	}
	offset := j.size
	j.size += int64(len(line))
	j.stats.Records++
	j.dirty = true
	if j.timer == nil {
		j.timer = time.AfterFunc(syncDelay, func() { _ = j.Sync() })
	}
	if e.Good {
		j.places[halfOf(e.Fingerprint)] = newPlace(offset, len(line)-1)
		j.stats.Good = len(j.places)
	}
	return nil
}

// Sync forces the records written so far to the disk. A failure is kept and
// returned by the next Append too.
func (j *Journal) Sync() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	return j.sync()
}

func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.dirty && !j.closed
	j.dirty, j.timer = false, nil
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	// Not under the lock: writers go on while the disk works.
	if err := j.file.Sync(); err != nil && !errors.Is(err, os.ErrClosed) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.failed = fmt.Errorf("journal %s: sync: %w", j.path, err)
		return j.failed
	}
	return nil
}

// Close syncs and closes the file, and gives up the lock.
func (j *Journal) Close() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	if j.timer != nil {
		j.timer.Stop()
		j.timer = nil
	}
	j.mu.Unlock()
	err := j.sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if cerr := j.file.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("journal %s: close: %w", j.path, cerr)
	}
	return err
}

// Lookup returns the newest good record of a request, or nil when there is none.
// A record that turns out to be damaged is an error.
func (j *Journal) Lookup(fp llm.Fingerprint) (*Entry, error) {
	j.mu.Lock()
	at, ok := j.places[halfOf(fp)]
	j.mu.Unlock()
	if !ok {
		return nil, nil
	}
	line, err := j.lineAt(at)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", j.path, err)
	}
	e, err := parseEntry(line)
	if err != nil {
		return nil, fmt.Errorf("journal %s: byte %d: %w", j.path, at>>24, err)
	}
	if e.Fingerprint != fp {
		return nil, nil
	}
	return e, nil
}

// ReadOnly reports whether the journal was opened by [Read].
func (j *Journal) ReadOnly() bool { return j.readOnly }

// Answer returns the stored answer as a response. Anything wrong with it counts
// as not there: the request is then sent again.
func (j *Journal) Answer(fp llm.Fingerprint) (*llm.Response, bool) {
	e, err := j.Lookup(fp)
	if err != nil || e == nil {
		return nil, false
	}
	res, err := e.Response()
	return res, err == nil
}
