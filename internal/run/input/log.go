package input

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Log is one input file.
type Log struct {
	// Name is the path as the user gave it.
	Name string
	// Open opens it from its beginning; a run reads a log more than once.
	Open func() (io.ReadCloser, error)
	// Gold opens the replayed outcomes that stand beside a τ-bench file; nil where
	// there are none.
	Gold func() (io.ReadCloser, error)
	// Bytes is how much of it is read, so that a log which grows meanwhile stays the log
	// that was hashed; nil for all of it.
	Bytes *int64
}

// ChangedError says that the bytes of a log are not those that were hashed before.
type ChangedError struct{ Name string }

// Error implements error.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed while it was read: what was judged of it is not what the run is about; put it back as it was and resume, or start a new run of it with another --out", e.Name)
}

// steady reads a log as far as it was hashed, and hashes it again. A transcript.Reader
// that was not read to its end may still be in a read when the rest is checked.
type steady struct {
	io.ReadCloser
	mu      sync.Mutex
	limited io.Reader
	sum     hash.Hash
}

func (l *Log) steady(f io.ReadCloser, hashed bool) *steady {
	s := &steady{ReadCloser: f, limited: f, sum: sha256.New()}
	if l.Bytes != nil {
		s.limited = io.LimitReader(f, *l.Bytes)
	}
	if hashed {
		s.limited = io.TeeReader(s.limited, s.sum)
	}
	return s
}

func (s *steady) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limited.Read(b)
}

// check reads what is left, and says whether all was as it was hashed, and whether more
// came behind it.
func (s *steady) check(l *Log, want string) (grew bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.Copy(io.Discard, s.limited); err != nil {
		return false, fmt.Errorf("read %s: %w", l.Name, err)
	}
	if hex.EncodeToString(s.sum.Sum(nil)) != want {
		return false, &ChangedError{l.Name}
	}
	n, _ := s.ReadCloser.Read(make([]byte, 1))
	return n > 0, nil
}

// Since says which logs are longer than when they were hashed, and which hold other bytes.
func Since(logs []Log, hashes []string) (grew, changed []string) {
	for i := range logs {
		f, err := logs[i].Open()
		if err != nil {
			changed = append(changed, logs[i].Name)
			continue
		}
		more, err := logs[i].steady(f, true).check(&logs[i], hashes[i])
		if err != nil {
			changed = append(changed, logs[i].Name)
		} else if more {
			grew = append(grew, logs[i].Name)
		}
		f.Close()
	}
	return grew, changed
}

// Hash returns the hex SHA-256 of every log's bytes, and sets how many they are where
// that is open.
func Hash(logs []Log) ([]string, error) {
	sums := make([]string, len(logs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range logs {
		g.Go(func() (err error) {
			sums[i], err = hashOne(&logs[i])
			return err
		})
	}
	return sums, g.Wait()
}

func hashOne(log *Log) (sum string, err error) {
	f, err := log.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	var all io.Reader = f
	if log.Bytes != nil {
		all = io.LimitReader(f, *log.Bytes)
	}
	n, err := io.Copy(h, all)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", log.Name, err)
	}
	if log.Bytes == nil {
		log.Bytes = &n
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
