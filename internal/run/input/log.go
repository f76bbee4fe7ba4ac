package input

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/score"
)

// Log is one input file.
type Log struct {
	// Name is the path as the user gave it.
	Name string
	// Path is the path of the file; "" if none.
	Path string
	// Open opens the log at its beginning. A run reads a log more than once.
	Open func() (io.ReadCloser, error)
	// Once says that the log can be read only once, like standard input and pipes.
	Once bool
	// Gold opens the file with replayed outcomes beside a τ-bench file; nil if none.
	Gold func() (io.ReadCloser, error)
	// Bytes limits how much is read, so that a growing log is read as it was hashed; nil means no
	// limit.
	Bytes *int64
	// state is the state of the file before it was hashed; nil if it is not a regular file.
	state fs.FileInfo
}

// ChangedError says that a log changed since it was hashed.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string {
	return e.Name + " changed while it was read: what was judged of it is not what the run is about; " +
		"put it back as it was and resume, or start a new run of it with another --out"
}

// A log up to wholeBytes is hashed completely, which takes a fraction of a second. Hashing a larger
// one would delay the first request, so after that only pieceBytes at every strideBytes are hashed,
// and the length.
const (
	wholeBytes  = 512 << 20
	strideBytes = 64 << 20
	pieceBytes  = 1 << 20
)

// Large reports whether the logs are too large to be parsed completely before a run begins.
func Large(logs []Log) bool {
	sum := int64(0)
	for i := range logs {
		if n := logs[i].Bytes; n != nil {
			sum += *n
		} else if info := logs[i].stat(); info != nil {
			sum += info.Size()
		}
	}
	return sum > wholeBytes
}

// stat returns the state of a log that is a regular file; nil for others.
func (l *Log) stat() fs.FileInfo {
	if info, err := os.Stat(l.Path); err == nil && info.Mode().IsRegular() {
		return info
	}
	return nil
}

// Hash returns the hex SHA-256 of every log, for large logs of a part of the bytes. It sets Bytes
// if it is nil.
func Hash(logs []Log) ([]string, error) {
	sums := make([]string, len(logs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range logs {
		g.Go(func() error {
			b, err := logs[i].open(true)
			if err != nil {
				return err
			}
			defer b.Close()
			sums[i], err = b.sum()
			if logs[i].Bytes == nil {
				logs[i].Bytes = &b.n
			}
			return err
		})
	}
	return sums, g.Wait()
}

// Since returns the logs that have grown since they were hashed, and those whose content changed or
// cannot be read any more.
func Since(logs []Log, hashes []string) (grew, changed []string) {
	for i := range logs {
		more, err := logs[i].since(hashes[i])
		switch {
		case err != nil:
			changed = append(changed, logs[i].Name)
		case more:
			grew = append(grew, logs[i].Name)
		}
	}
	return grew, changed
}

// since reads the log again only if the state of its file changed since it was hashed.
func (l *Log) since(hash string) (grew bool, err error) {
	if now := l.stat(); now != nil && l.state != nil && l.Bytes != nil &&
		now.Size() == l.state.Size() && now.ModTime().Equal(l.state.ModTime()) {
		return now.Size() > *l.Bytes, nil
	}
	b, err := l.open(true)
	if err != nil {
		return false, err
	}
	defer b.Close()
	if err := b.check(hash); err != nil {
		return false, err
	}
	n, _ := b.ReadCloser.Read(make([]byte, 1))
	return n > 0, nil
}

// bytes reads a log up to the length that was hashed, and hashes it again. A transcript.Reader that
// did not read to the end may still be reading while the rest is checked.
type bytes struct {
	io.ReadCloser
	log     *Log
	mu      sync.Mutex
	limited io.Reader
	h       hash.Hash // nil if nothing is to be checked
	n       int64
}

func (l *Log) open(hashed bool) (*bytes, error) {
	f, err := l.Open()
	if err != nil {
		return nil, err
	}
	b := &bytes{ReadCloser: f, log: l, limited: f}
	if hashed {
		b.h = sha256.New()
	}
	if l.Bytes != nil {
		b.limited = io.LimitReader(f, *l.Bytes)
	}
	return b, nil
}

func (b *bytes) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read(p)
}

func (b *bytes) read(p []byte) (int, error) {
	n, err := b.limited.Read(p)
	b.n += int64(n)
	if b.h != nil {
		b.hash(p[:n], b.n-int64(n))
	}
	return n, err
}

// position returns how many bytes were read. A reader that was left early may still read.
func (b *bytes) position() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// hash adds to the hash those bytes of p that belong to it. p begins at offset from of the log.
func (b *bytes) hash(p []byte, from int64) {
	for len(p) > 0 {
		n, taken := len(p), from < wholeBytes
		if at := from % strideBytes; taken {
			n = int(min(int64(n), wholeBytes-from))
		} else if taken = at < pieceBytes; taken {
			n = int(min(int64(n), pieceBytes-at))
		} else {
			n = int(min(int64(n), strideBytes-at))
		}
		if taken {
			b.h.Write(p[:n])
		}
		p, from = p[n:], from+int64(n)
	}
}

// skip moves to the next bytes that are part of the hash, if the log can seek.
func (b *bytes) skip() {
	f, ok := b.ReadCloser.(*os.File)
	if !ok || b.n < wholeBytes || b.n%strideBytes < pieceBytes {
		return
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	to := min((b.n/strideBytes+1)*strideBytes, info.Size())
	limited, _ := b.limited.(*io.LimitedReader)
	if limited != nil {
		to = min(to, b.n+limited.N)
	}
	if to <= b.n {
		return
	}
	if _, err := f.Seek(to, io.SeekStart); err != nil {
		return
	}
	if limited != nil {
		limited.N -= to - b.n
	}
	b.n = to
}

// sum reads the rest and returns the hash.
func (b *bytes) sum() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for p := make([]byte, 1<<16); ; {
		b.skip()
		if _, err := b.read(p); err == io.EOF {
			break
		} else if err != nil {
			return "", fmt.Errorf("read %s: %w", b.log.Name, err)
		}
	}
	if b.n > wholeBytes {
		fmt.Fprintf(b.h, "%d bytes", b.n)
	}
	return hex.EncodeToString(b.h.Sum(nil)), nil
}

// check reads the rest and returns an error if the hash differs.
func (b *bytes) check(want string) error {
	sum, err := b.sum()
	if err == nil && sum != want {
		return &ChangedError{b.log.Name}
	}
	return err
}

// maxRecord is the longest line that Line reads, in bytes.
const maxRecord = 256 << 20

// Line reads one line of a log; the first line is 1.
func (l *Log) Line(number int) ([]byte, error) {
	f, err := l.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<18)
	var line []byte
	for n := 1; ; n++ {
		line, err = score.ReadLine(in, line[:0], maxRecord)
		if n == number || err != nil && !errors.Is(err, score.ErrTooLong) {
			return line, err
		}
	}
}
