// Package index is a map from 16-byte keys to numbers that takes little memory
// whatever its size.
//
// It owns a table of the newest entries and the sorted files into which older ones
// go. A file has no name while it is in use (on Windows, where that cannot be, it is
// removed when the index is closed): a killed process leaves nothing that a later one
// would trust. What is lost with it is built again from the journal.
//
// Promises:
//
//   - Get returns the number that was put last.
//   - Memory, with the default [Config]: 1 byte an entry in filters and 0.06 bytes in
//     fences, and about 3 MB that do not grow. A filter is never larger than 4 MiB;
//     beyond that it passes more and a miss costs a read. So 4 million entries take
//     some 6 MB and 50 million some 22.
//   - A Get that finds nothing reads no file, but for one in 50 of the files; one that
//     finds something reads 6 KB. The number of files is logarithmic.
//   - A failure to write or read a file is an error; no entry is dropped in silence.
//   - Nothing waits long: large files are merged beside what goes on, one merge at a
//     time, and a Put waits for it only when the next large one is due already.
package index

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"sync"
)

// Key is what an entry is found by. Keys are taken to be evenly spread, as the
// bytes of a hash are; others are found too, but more slowly.
type Key [16]byte

// Config says where files go. The zero value is usable.
type Config struct {
	// Dirs are the directories for files, tried in order; none means the system's
	// directory for temporary files.
	Dirs []string
	// Name begins the names of files; "" means "index". See [RemoveLeft].
	Name string
	// Recent is how many entries are kept in memory before they are written out;
	// 0 means 32768.
	Recent int
	// Beside is how many entries a merge has at most that is done at once, while others
	// wait; a larger one is done beside them. 0 means 262144, some 50 ms.
	Beside int
}

// defaultRecent entries take 1.6 MB in the table and as much again while they are
// sorted.
const defaultRecent = 32768

const defaultBeside = 8 * defaultRecent

// fanout is how many files of one size are merged into one of the next.
const fanout = 4

// Index is safe for concurrent use.
type Index struct {
	cfg Config

	mu     sync.RWMutex
	recent map[Key]uint64
	runs   []*run // oldest first, their levels never rising
	closed bool
	beside *merging // the merge that is going on beside, nil when there is none
	failed error    // of a merge beside, for the next Put

	buffers sync.Pool // of *block
}

// New returns an empty index. It makes no file before it has to.
func New(cfg Config) *Index {
	if cfg.Recent <= 0 {
		cfg.Recent = defaultRecent
	}
	if cfg.Beside <= 0 {
		cfg.Beside = defaultBeside
	}
	if cfg.Name == "" {
		cfg.Name = "index"
	}
	if len(cfg.Dirs) == 0 {
		cfg.Dirs = []string{os.TempDir()}
	}
	return &Index{cfg: cfg, recent: map[Key]uint64{}, buffers: sync.Pool{New: func() any { return new(block) }}}
}

var errClosed = errors.New("index: is closed")

// Put sets the number of a key. After an error the index has kept what it had, the
// new entry included, and may be asked again.
func (x *Index) Put(key Key, value uint64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed
	}
	x.recent[key] = value
	if err := x.failed; err != nil {
		x.failed = nil
		return err
	}
	if len(x.recent) < x.cfg.Recent {
		return nil
	}
	if err := x.spill(); err != nil {
		return err
	}
	return x.tidy()
}

// Get returns the number of a key. ok is false when there is none.
func (x *Index) Get(key Key) (value uint64, ok bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return 0, false, errClosed
	}
	if value, ok = x.recent[key]; ok {
		return value, true, nil
	}
	return x.written(key)
}

// written looks a key up in the files, the newest first.
func (x *Index) written(key Key) (value uint64, ok bool, err error) {
	for _, r := range slices.Backward(x.runs) {
		if value, ok, err = r.get(key, &x.buffers); ok || err != nil {
			return value, ok, err
		}
	}
	return 0, false, nil
}

// Len counts the keys. It reads every file from end to end when there are several.
func (x *Index) Len() (int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return 0, errClosed
	}
	n := 0
	if len(x.runs) == 1 {
		n = x.runs[0].entries
	} else {
		for _, err := range merged(x.runs) {
			if err != nil {
				return 0, err
			}
			n++
		}
	}
	for key := range x.recent {
		_, again, err := x.written(key)
		if err != nil {
			return 0, err
		}
		if !again {
			n++
		}
	}
	return n, nil
}

// Compact merges all files into one, so that a Get asks no more than one. An index
// that fits into memory stays there.
func (x *Index) Compact() error {
	x.lockIdle()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return errClosed
	case len(x.runs) == 0:
		return nil
	}
	if len(x.recent) > 0 {
		if err := x.spill(); err != nil {
			return err
		}
	}
	if len(x.runs) == 1 {
		return nil
	}
	return x.merge(0, len(x.runs))
}

// Close gives up the files. A merge that is going on is broken off.
func (x *Index) Close() error {
	x.mu.Lock()
	if x.beside != nil {
		x.beside.stop.Store(true)
	}
	x.mu.Unlock()
	x.lockIdle()
	defer x.mu.Unlock()
	x.closed = true
	err := closeAll(x.runs)
	x.runs, x.recent = nil, nil
	return err
}

// spill writes the table of recent entries out as a file.
func (x *Index) spill() error {
	sorted := make([]record, 0, len(x.recent))
	for key, value := range x.recent {
		sorted = append(sorted, record{key, value})
	}
	slices.SortFunc(sorted, func(a, b record) int { return compare(a.key, b.key) })
	r, err := x.write(0, len(sorted), func(yield func(record, error) bool) {
		for _, rec := range sorted {
			if !yield(rec, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	x.runs = append(x.runs, r)
	clear(x.recent)
	return nil
}

func closeAll(runs []*run) error {
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// compare orders keys as bytes.
func compare(a, b Key) int {
	ah, al := a.halves()
	bh, bl := b.halves()
	if ah != bh {
		return cmp.Compare(ah, bh)
	}
	return cmp.Compare(al, bl)
}
