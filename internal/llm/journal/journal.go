package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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
// Memory: the index holds 24 bytes a good answer, 64 with the map around it at
// worst; the answers stay in the file.
//
// One process writes at a time: opening for writing takes a lock. All methods
// are safe for concurrent use.
type Journal struct {
	path     string
	file     *os.File
	readOnly bool

	mu     sync.Mutex
	index  map[indexKey]place
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
	Damaged   int   // lines that are not records; they are kept and ignored
	TornBytes int64 // bytes of an unfinished last line: cut off, or ignored when reading only
}

// indexKey is the first half of a fingerprint; the whole is compared when the
// record is read.
type indexKey [16]byte

// place packs an offset (40 bits, 1 TiB) and a length (24 bits). A length that
// does not fit is stored as longLine, and the line is then read to its end.
type place uint64

const (
	longLine = 1<<24 - 1
	maxSize  = 1<<40 - 1
	maxLine  = 256 << 20
)

func newPlace(offset int64, length int) place {
	return place(offset)<<24 | place(min(length, longLine))
}

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
	j := &Journal{path: path, file: f, index: map[indexKey]place{}}
	if err := j.load(); err != nil {
		_ = f.Close()
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
	j := &Journal{path: path, file: f, readOnly: true, index: map[indexKey]place{}}
	if err := j.load(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return j, nil
}

// load builds the index. A later good answer to the same request replaces an
// earlier one.
func (j *Journal) load() error {
	err := scanLines(io.NewSectionReader(j.file, 0, 1<<62), func(offset int64, line []byte, whole bool) error {
		if !whole {
			j.stats.TornBytes = int64(len(line))
			return nil
		}
		j.size = offset + int64(len(line)) + 1
		fp, good, ok := glance(line)
		if !ok {
			j.stats.Damaged++
			return nil
		}
		j.stats.Records++
		if good {
			j.index[indexKey(fp[:16])] = newPlace(offset, len(line))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	return nil
}

// scanLines calls f with each line, its offset, and whether a newline ended it.
// The line is valid during the call only.
func scanLines(r io.Reader, f func(offset int64, line []byte, whole bool) error) error {
	br := bufio.NewReaderSize(r, 256<<10)
	var (
		offset int64
		long   []byte
	)
	for {
		part, err := br.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			if long = append(long, part...); len(long) > maxLine {
				return fmt.Errorf("line at byte %d is longer than %d bytes", offset, maxLine)
			}
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		switch {
		case err == nil:
			if ferr := f(offset, line[:len(line)-1], true); ferr != nil {
				return ferr
			}
		case err != io.EOF:
			return err
		case len(line) > 0:
			return f(offset, line, false)
		default:
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
	s := j.stats
	s.Good = len(j.index)
	return s
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
	if e.Good {
		j.index[indexKey(e.Fingerprint[:16])] = newPlace(j.size, len(line)-1)
	}
	j.size += int64(len(line))
	j.stats.Records++
	j.dirty = true
	if j.timer == nil {
		j.timer = time.AfterFunc(syncDelay, func() { _ = j.Sync() })
	}
	return nil
}

// Sync forces the records written so far to the disk. A failure is kept and
// returned by the next Append too.
func (j *Journal) Sync() error {
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
	err := j.Sync()
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
	at, ok := j.index[indexKey(fp[:16])]
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

func (j *Journal) lineAt(at place) ([]byte, error) {
	offset, length := int64(at>>24), int(at&longLine)
	if length < longLine {
		line := make([]byte, length)
		_, err := j.file.ReadAt(line, offset)
		return line, err
	}
	var line []byte
	stop := errors.New("one line is enough")
	err := scanLines(io.NewSectionReader(j.file, offset, 1<<62-offset), func(_ int64, l []byte, _ bool) error {
		line = append(line, l...)
		return stop
	})
	if err != stop {
		return nil, err
	}
	return line, nil
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

// Response reads the entry's body again. It fails with an [*Error] when the
// entry is not a good answer.
func (e *Entry) Response() (*llm.Response, error) {
	if !e.Good {
		return nil, &llm.Error{
			Kind: e.ErrorKind, Status: e.Status, Message: e.ErrorMessage, Attempts: e.Attempts,
			Model: e.Model, Endpoint: e.Endpoint,
		}
	}
	res, err := llm.ParseReply(e.Raw)
	if err != nil {
		return nil, err
	}
	res.Fingerprint, res.Headers, res.Attempts, res.Latency = e.Fingerprint, e.Headers, e.Attempts, e.Latency
	res.Cached = true
	return res, nil
}

// Entries yields the records in file order, reading one line at a time. A
// damaged line yields an error and the reading goes on; an I/O error ends it.
// Records appended while it runs may or may not be seen.
func (j *Journal) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		stop, number := errors.New("stopped"), 0
		err := scanLines(io.NewSectionReader(j.file, 0, 1<<62), func(_ int64, line []byte, whole bool) error {
			number++
			if !whole {
				return nil
			}
			e, err := parseEntry(line)
			if err != nil {
				err = fmt.Errorf("journal %s:%d: %w", j.path, number, err)
			}
			if !yield(e, err) {
				return stop
			}
			return nil
		})
		if err != nil && err != stop {
			yield(nil, fmt.Errorf("journal %s: %w", j.path, err))
		}
	}
}
