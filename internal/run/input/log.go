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
	// Path is its file, "" for none.
	Path string
	// Open opens it from its beginning; a run reads a log more than once.
	Open func() (io.ReadCloser, error)
	// Once says that it can be read only once, as standard input and pipes can.
	Once bool
	// Gold opens the replayed outcomes that lie beside a τ-bench file; nil without them.
	Gold func() (io.ReadCloser, error)
	// Bytes limits how much is read, so that a log that grows meanwhile stays the log that
	// was hashed; nil for no limit.
	Bytes *int64
	// state describes the file before it was hashed; nil for other files than regular ones.
	state fs.FileInfo
}

// ChangedError says that the bytes of a log are not those that were hashed before.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string {
	return e.Name + " changed while it was read: what was judged of it is not what the run is about; " +
		"put it back as it was and resume, or start a new run of it with another --out"
}

// A log is hashed whole up to wholeBytes, which takes a fraction of a second; of a larger
// one, whose hash would hold up the first request, pieceBytes at each further strideBytes
// are, and its length.
const (
	wholeBytes  = 512 << 20
	strideBytes = 64 << 20
	pieceBytes  = 1 << 20
)

// Large reports whether the logs are too large to be parsed once before a run begins.
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

// stat returns the state of a log that is a regular file, nil for others.
func (l *Log) stat() fs.FileInfo {
	if info, err := os.Stat(l.Path); err == nil && info.Mode().IsRegular() {
		return info
	}
	return nil
}

// Hash returns the hex SHA-256 of every log's bytes, of large logs that of a part of them,
// and sets their number if that is open.
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

// Since says which logs are longer than when they were hashed, and which hold other bytes.
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

// since reads the log again only if its file is not as it was before it was hashed.
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

// bytes reads a log as far as it was hashed, and hashes it again. A transcript.Reader
// that was not read to its end may still be in a read when the rest is checked.
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

// hash takes what of the bytes from an offset on is part of the hash.
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

// skip goes on to the next bytes that are part of the hash, if the log can be read from
// there.
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

// sum reads what is left and returns the hash of all.
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

// check reads what is left, and says whether all was as it was hashed.
func (b *bytes) check(want string) error {
	sum, err := b.sum()
	if err == nil && sum != want {
		return &ChangedError{b.log.Name}
	}
	return err
}

// maxRecord is the longest line that Line reads, in bytes.
const maxRecord = 256 << 20

// Line reads one line of a log, the first is 1.
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
