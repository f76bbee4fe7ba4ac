// Package journal keeps exchanges with endpoints in an append-only file: the
// cache of answers, and the point from which a run resumes.
//
// It promises that a record whose Append has returned survives the end of the
// process, and that damaged lines are reported, kept, and never used as answers.
package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

const (
	// syncDelay bounds the time from writing a record to its fsync.
	syncDelay = 200 * time.Millisecond
	maxLine   = 256 << 20
)

// Journal is an append-only file of exchanges, one JSON record a line. It is
// the cache and the point from which a run resumes.
//
// Durability: each record is one write of one whole line, made before Do
// returns the answer. The page cache survives the end of the process, kill -9
// included, so no finished exchange is lost by it. A crash of the machine can
// lose the last fifth of a second: fsync follows each burst of writes by at most
// 200 ms. A line that was torn is cut off when the journal is next opened for
// writing, and reported.
//
// Memory: the answers stay in the file. A good answer takes one entry of a table, at most
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

	mu      sync.Mutex
	offsets map[half]int64 // of the newest good answers
	size    int64
	begun   int64       // the size when it was opened
	timer   *time.Timer // of the next sync; nil if all is on the disk
	failed  error       // set by a failed write or sync; nothing is written after it
	closed  bool
	stats   Stats
}

// Stats counts what a journal holds and what opening it found.
type Stats struct {
	Records   int   // whole lines, good or not
	Good      int   // distinct requests with a good answer
	Damaged   int   // lines that are not as they were written; they are kept and never used
	Reused    int   // answers that were taken from other journals since it was opened
	TornBytes int64 // bytes of an unfinished last line: cut off, or ignored when reading only
	// DamagedLines holds the numbers of the first damaged lines, followed by zeros; Damage says
	// what is wrong with the first.
	DamagedLines [5]int
	Damage       string
}

func (s *Stats) damaged(line int, err error) {
	if s.Damaged == 0 {
		s.Damage = err.Error()
	}
	if s.Damaged < len(s.DamagedLines) {
		s.DamagedLines[s.Damaged] = line
	}
	s.Damaged++
}

// half is the first half of a fingerprint; the whole is compared when the record is read.
type half [16]byte

func halfOf(fp llm.Fingerprint) half { return half(fp[:16]) }

// Check returns an error if there is anything but a regular file at path: through a link a
// journal would grow in another place than its run directory.
func Check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("journal: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("journal %s: is a link, and a journal is a file of its own: put the file itself there", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("journal %s: is not a regular file", path)
	}
	return nil
}

// Open opens or creates the journal at path for reading and writing. It
// fails when another process has it open for writing, and as [Check] does.
func Open(path string) (*Journal, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := Lock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("journal %s: another process is writing it: %w", path, err)
	}
	return load(path, f, false)
}

// Read opens an existing journal for reading only. It takes no lock and
// changes nothing; records appended later by a writer are not seen.
func Read(path string) (*Journal, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return load(path, f, true)
}

// load notes the places of the answers, and cuts a torn line off. A later good answer to the same
// request replaces an earlier one. It closes the file when it fails.
func load(path string, f *os.File, readOnly bool) (*Journal, error) {
	j := &Journal{path: path, file: f, readOnly: readOnly, offsets: map[half]int64{}}
	number := 0
	err := eachLine(f, func(offset int64, line []byte, whole bool) bool {
		number++
		if !whole {
			j.stats.TornBytes = int64(len(line))
			return true
		}
		j.size = offset + int64(len(line)) + 1
		fp, good, err := glance(line)
		if err != nil {
			j.stats.damaged(number, err)
			return true
		}
		j.stats.Records++
		if good {
			j.offsets[halfOf(fp)] = offset
		}
		return true
	})
	j.stats.Good, j.begun = len(j.offsets), j.size
	if err == nil && j.stats.TornBytes > 0 && !readOnly {
		err = f.Truncate(j.size)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, nil
}

// eachLine calls f with each line of a file until it returns false: the line's offset, and
// whether a newline ended it. The line is valid during the call only.
func eachLine(file io.ReaderAt, f func(offset int64, line []byte, whole bool) bool) error {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, 1<<62), 256<<10)
	var long []byte
	for offset := int64(0); ; {
		line, err := in.ReadSlice('\n')
		if len(long) > 0 || err == bufio.ErrBufferFull {
			long = append(long, line...)
			line = long
		}
		switch {
		case len(line) > maxLine:
			return fmt.Errorf("line at byte %d is longer than %d bytes", offset, maxLine)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			if len(line) > 0 {
				f(offset, line, false)
			}
			return nil
		case err != nil:
			return err
		case !f(offset, line[:len(line)-1], true):
			return nil
		}
		offset += int64(len(line))
		long = long[:0]
	}
}

// Stats returns the present counts.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stats
}

// ReadOnly reports whether the journal was opened by [Read].
func (j *Journal) ReadOnly() bool { return j.readOnly }

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
	}
	if _, err := j.file.Write(line); err != nil {
		j.failed = fmt.Errorf("journal %s: write: %w", j.path, err)
		_ = j.file.Truncate(j.size) // a torn line would also be cut on the next open
		return j.failed
	}
	if e.Good {
		j.offsets[halfOf(e.Fingerprint)] = j.size
		j.stats.Good = len(j.offsets)
	}
	j.size += int64(len(line))
	j.stats.Records++
	if j.timer == nil {
		j.timer = time.AfterFunc(syncDelay, func() {
			j.syncing.Lock()
			defer j.syncing.Unlock()
			_ = j.sync() // kept for the next Append
		})
	}
	return nil
}

// sync forces the records written so far to the disk. The caller holds syncing.
func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.timer != nil && !j.closed
	j.timer = nil
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	// Not under the lock: writers go on while the disk works.
	if err := j.file.Sync(); err != nil {
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
	err := j.sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if cerr := j.file.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("journal %s: close: %w", j.path, cerr)
	}
	return err
}

// Renewed reports whether the answer to a request was appended since the journal was opened.
func (j *Journal) Renewed(fp llm.Fingerprint) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	offset, ok := j.offsets[halfOf(fp)]
	return ok && offset >= j.begun
}

// Answer returns the stored answer to a request. Anything wrong with it counts
// as not there: the request is then sent again.
func (j *Journal) Answer(fp llm.Fingerprint) (*llm.Response, bool) {
	e, err := j.lookup(fp)
	if err != nil || e == nil {
		return nil, false
	}
	res, err := e.response()
	return res, err == nil
}

// Reuse takes the good answer to a request from another journal, appends it, and returns it.
// canary is the secret word of the other run's prompts. ok is false if the other has no answer.
func (j *Journal) Reuse(other *Journal, canary, key string, fp llm.Fingerprint) (_ *llm.Response, ok bool, _ error) {
	e, err := other.lookup(fp)
	if err != nil || e == nil {
		return nil, false, nil // it is asked for
	}
	if e.Key = key; e.Canary == "" {
		e.Canary = canary
	}
	res, err := e.response()
	if err != nil {
		return nil, false, nil
	}
	if err := j.Append(e); err != nil {
		return nil, false, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Reused++
	return res, true, nil
}

// lookup returns the newest good record of a request, or nil. A record that turns out to be
// damaged is an error.
func (j *Journal) lookup(fp llm.Fingerprint) (*Entry, error) {
	j.mu.Lock()
	offset, ok := j.offsets[halfOf(fp)]
	j.mu.Unlock()
	if !ok {
		return nil, nil
	}
	in := bufio.NewReader(io.NewSectionReader(j.file, offset, maxLine))
	line, err := in.ReadBytes('\n')
	if err == nil {
		var e *Entry
		if e, err = parse(line[:len(line)-1]); err == nil && e.Fingerprint == fp {
			return e, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("journal %s: byte %d: %w", j.path, offset, err)
	}
	return nil, err
}

// Entries yields the records in file order, reading one line at a time. A
// damaged line yields an error and the reading goes on; an I/O error ends it.
// Records appended while it runs may or may not be seen.
func (j *Journal) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		number := 0
		err := eachLine(j.file, func(_ int64, line []byte, whole bool) bool {
			number++
			if !whole {
				return true
			}
			e, err := parse(line)
			if err != nil {
				err = fmt.Errorf("journal %s:%d: %w", j.path, number, err)
			}
			return yield(e, err)
		})
		if err != nil {
			yield(nil, fmt.Errorf("journal %s: %w", j.path, err))
		}
	}
}

// Containing yields the whole and undamaged records of a journal file whose lines contain
// part, in file order. Other lines are not decoded.
func Containing(path string, part []byte) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		f, err := os.Open(path)
		if err == nil {
			defer f.Close()
			err = eachLine(f, func(_ int64, line []byte, whole bool) bool {
				if !whole || !bytes.Contains(line, part) {
					return true
				}
				e, err := parse(line)
				return err != nil || yield(e, nil)
			})
		}
		if err != nil {
			yield(nil, fmt.Errorf("journal %s: %w", path, err))
		}
	}
}
