// Package journal keeps exchanges with endpoints in an append-only file. The file is the cache of
// answers, and the point from which a run resumes.
//
// It promises that a record is kept, once Append has returned, even if the process is killed; and
// that damaged lines are reported, kept, and never used as answers.
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
	// syncDelay limits the time between writing a record and its fsync.
	syncDelay = 200 * time.Millisecond
	maxLine   = 256 << 20
)

// Journal is an append-only file of exchanges, one JSON record per line. It is the cache of
// answers, and the point from which a run resumes.
//
// Durability: each record is one write of one whole line, made before Do returns the answer. The
// page cache survives the end of the process, even kill -9, so no finished exchange is lost with
// the process. A crash of the machine can lose the last fifth of a second, because fsync follows a
// burst of writes after at most 200 ms. A torn line is cut off and reported when the journal is
// next opened for writing.
//
// Memory: the answers stay in the file. A good answer takes one entry in a table: at most 53 MiB
// for a million answers.
//
// Only one process writes at a time: opening for writing takes a lock. All methods are safe for
// concurrent use.
type Journal struct {
	path     string
	file     *os.File
	readOnly bool

	// syncing is held while the disk works. Otherwise a file that is closed meanwhile would stay
	// open and locked.
	syncing sync.Mutex

	mu      sync.Mutex
	offsets map[half]int64 // where the newest good answers are
	size    int64
	begun   int64       // its size when it was opened
	timer   *time.Timer // runs the next sync; nil if everything is on the disk
	failed  error       // the first failed write or sync; nothing is written afterwards
	closed  bool
	stats   Stats
}

// Stats counts what a journal holds and what opening it found.
type Stats struct {
	Records   int   // whole lines, good or not
	Good      int   // distinct requests with a good answer
	Damaged   int   // lines that changed since they were written; they are kept and never used
	Reused    int   // answers taken from other journals since it was opened
	TornBytes int64 // bytes of an unfinished last line: cut off, or ignored when reading only
	// DamagedLines holds the numbers of the first damaged lines, then zeros; Damage describes the
	// first.
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

// half is the first half of a fingerprint. The whole fingerprint is compared when the record is
// read.
type half [16]byte

func halfOf(fp llm.Fingerprint) half { return half(fp[:16]) }

// Check returns an error if there is anything but a regular file at path: through a link, the
// journal would be written outside its run directory.
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

// Open opens or creates the journal at path for reading and writing. It fails if another process
// has it open for writing, and if [Check] fails.
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

// Read opens an existing journal for reading only. It takes no lock and changes nothing. Records
// that a writer appends later are not seen.
func Read(path string) (*Journal, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return load(path, f, true)
}

// load notes where the answers are and cuts off a torn line. A later good answer to the same
// request replaces an earlier one. If it fails it closes the file.
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

// eachLine calls f with each line of a file until f returns false. It passes the line's offset, and
// whether a newline ended the line. The line is valid only during the call.
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

// Stats returns the current counts.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stats
}

// ReadOnly reports whether the journal was opened by [Read].
func (j *Journal) ReadOnly() bool { return j.readOnly }

// Append writes one record. After a failed write the journal accepts no more: a full disk must stop
// the run instead of losing every second answer.
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
		_ = j.file.Truncate(j.size) // if this fails, the next open cuts off the torn line
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
			_ = j.sync() // the next Append returns the error
		})
	}
	return nil
}

// sync writes the records so far to the disk. The caller holds syncing.
func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.timer != nil && !j.closed
	j.timer = nil
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	// This is done without the lock: writers continue while the disk works.
	if err := j.file.Sync(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.failed = fmt.Errorf("journal %s: sync: %w", j.path, err)
		return j.failed
	}
	return nil
}

// Close syncs and closes the file, and releases the lock.
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

// Renewed reports whether the answer to a request was appended after the journal was opened.
func (j *Journal) Renewed(fp llm.Fingerprint) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	offset, ok := j.offsets[halfOf(fp)]
	return ok && offset >= j.begun
}

// Answer returns the stored answer to a request. If anything is wrong with it, there is no answer,
// and the request is sent again.
func (j *Journal) Answer(fp llm.Fingerprint) (*llm.Response, bool) {
	e := j.lookup(fp)
	if e == nil {
		return nil, false
	}
	res, err := e.response()
	return res, err == nil
}

// Reuse copies the good answer to a request from another journal and returns it. canary is the
// secret word in the other run's prompts. ok is false if the other journal has no answer.
func (j *Journal) Reuse(other *Journal, canary, key string, fp llm.Fingerprint) (_ *llm.Response, ok bool, _ error) {
	e := other.lookup(fp)
	if e == nil {
		return nil, false, nil // then the request is sent
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

// lookup returns the newest good record of a request, or nil if there is none or it is damaged.
func (j *Journal) lookup(fp llm.Fingerprint) *Entry {
	j.mu.Lock()
	offset, ok := j.offsets[halfOf(fp)]
	j.mu.Unlock()
	if !ok {
		return nil
	}
	in := bufio.NewReader(io.NewSectionReader(j.file, offset, maxLine))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	if e, err := parse(line[:len(line)-1]); err == nil && e.Fingerprint == fp {
		return e
	}
	return nil
}

// Containing yields those intact records of a journal file whose lines contain part, in file order.
// Other lines are not decoded.
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
