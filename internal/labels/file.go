package labels

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File reads and appends to one labels.jsonl. Before each use it reads what other processes have
// appended. It is safe for concurrent use.
type File struct {
	path, writer string

	mu     sync.Mutex
	f      *os.File // nil until there is one
	set    *Set
	read   int64
	rest   []byte // an unfinished last line
	n      int
	failed error
}

// Open reads the labels of a run. If the file is missing, the first Append creates it.
func Open(path, runID string) (*File, error) {
	id := make([]byte, 6)
	_, _ = rand.Read(id) // it never fails
	l := &File{path: path, writer: hex.EncodeToString(id), set: newSet(path, runID)}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		l.failed = fmt.Errorf("labels cannot be kept: %w", err)
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.f = f
	return l, l.View(func(*Set) {})
}

// View calls f with the current set, which f must not keep.
func (l *File) View(f func(*Set)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return err
	}
	f(l.set)
	return nil
}

// refresh reads what was appended to the file since the last time.
func (l *File) refresh() error {
	if l.f == nil {
		return nil
	}
	more, err := io.ReadAll(io.NewSectionReader(l.f, l.read, 1<<40))
	if err != nil {
		return fmt.Errorf("read %s: %w", l.path, err)
	}
	l.read += int64(len(more))
	l.rest = append(l.rest, more...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return nil
		}
		l.set.add(line)
		l.rest = bytes.Clone(rest)
	}
}

// Append writes an event and returns when it is on the disk. It sets schema, run, writer, number
// and time. After a failed write it accepts nothing more.
func (l *File) Append(e Event, now time.Time) (Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return e, l.failed
	}
	if err := l.create(); err != nil {
		return e, err
	}
	if err := l.refresh(); err != nil {
		return e, err
	}
	e.Schema, e.RunID, e.Writer, e.N, e.When = schema, l.set.runID, l.writer, l.n+1, now.UTC()
	line, err := encode(&e)
	if err != nil {
		return e, err
	}
	if len(l.rest) > 0 {
		line = append([]byte("\n"), line...) // after a line that was cut off
	}
	if _, err = l.f.Write(line); err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		l.failed = fmt.Errorf("write %s: %w: this label may be lost; start again once there is room", l.path, err)
		return e, l.failed
	}
	l.n++
	return e, l.refresh()
}

// create creates the file and syncs its folder. It returns an error if the file was removed or
// replaced meanwhile, because what we write to it would be lost.
func (l *File) create() error {
	if l.f != nil {
		mine, _ := l.f.Stat()
		there, _ := os.Stat(l.path)
		if !os.SameFile(mine, there) { // also if one of them is nil
			l.failed = fmt.Errorf("%s was removed or replaced: this label was not kept; start again", l.path)
		}
		return l.failed
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("labels cannot be kept: %w", err)
	}
	l.f = f
	syncFolder(l.path)
	return nil
}

// Close closes the file.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

// syncFolder syncs the folder of a file, on systems that can do so, so that the file's name survives a crash.
func syncFolder(path string) {
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
