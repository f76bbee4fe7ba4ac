package container

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Pieces is a text that is produced piece by piece.
type Pieces struct {
	// Text holds what was produced and not read yet.
	Text []byte
	// Next returns the next piece, io.EOF after the last one. After an error it is not called again.
	Next    func() ([]byte, error)
	Closers []io.Closer

	ended error
}

// Read implements io.Reader.
func (p *Pieces) Read(to []byte) (int, error) {
	for len(p.Text) == 0 {
		if p.ended != nil {
			return 0, p.ended
		}
		p.Text, p.ended = p.Next()
	}
	n := copy(to, p.Text)
	p.Text = p.Text[n:]
	return n, nil
}

// Close implements io.Closer.
func (p *Pieces) Close() error {
	for _, c := range p.Closers {
		c.Close()
	}
	return nil
}

// rows returns a table as lines of JSON. size is the file's size if the rows may be far larger than
// the file, else 0.
func rows(size int64, row func() (value.Value, error), closers ...io.Closer) *Pieces {
	written := int64(0)
	return &Pieces{Closers: closers, Next: func() ([]byte, error) {
		v, err := row()
		if err != nil {
			return nil, err
		}
		line := append(value.AppendJSON(nil, v, value.Format{}), '\n')
		if written += int64(len(line)); size > 0 && written > bombSize && written/bombRatio > size {
			return nil, &Broken{Message: fmt.Sprintf("%d bytes unpack to more than %d bytes of rows: this is no log",
				size, written)}
		}
		return line, nil
	}}
}

// Listed returns the text of an object that ends with a list of n elements; element appends one.
func Listed(head value.Value, key string, n int, element func(to []byte, i int) []byte, closers ...io.Closer) *Pieces {
	i := -1
	text := strings.TrimSuffix(head.JSON(), "}") + `,"` + key + `":[`
	return &Pieces{Text: []byte(text), Closers: closers, Next: func() ([]byte, error) {
		switch i++; {
		case i > n:
			return nil, io.EOF
		case i == n:
			return []byte("]}"), nil
		case i == 0:
			return element(nil, 0), nil
		}
		return element([]byte{','}, i), nil
	}}
}

// A spool keeps spoolMemory bytes in memory before it uses a file. A file that must be read from
// its end may have at most maxSeekable bytes.
const (
	spoolMemory = 32 << 20
	maxSeekable = 16 << 30
)

// Spool holds bytes: first in memory, then in a temporary file, which other processes do not see if
// the system allows files without a name.
type Spool struct {
	Size   int64
	memory []byte
	file   *os.File
}

// NewSpool reads a stream to its end.
func NewSpool(in io.Reader) (*Spool, error) {
	s := &Spool{}
	_, err := io.Copy(s, io.LimitReader(in, maxSeekable+1))
	if err == nil && s.Size > maxSeekable {
		err = &Broken{Message: fmt.Sprintf("a file of this form may have %d bytes at most: divide it", int64(maxSeekable))}
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (n int, err error) {
	if s.file == nil && s.Size+int64(len(p)) <= spoolMemory {
		s.memory = append(s.memory, p...)
		s.Size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "judge-log-*"); err != nil {
			return 0, err
		}
		os.Remove(s.file.Name()) // fails on systems where open files keep their names; Close tries again
		if _, err := s.file.Write(s.memory); err != nil {
			return 0, err
		}
		s.memory = nil
	}
	n, err = s.file.Write(p)
	s.Size += int64(n)
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s *Spool) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.memory).ReadAt(p, at)
}

// Close frees the memory and the file. It may be called again.
func (s *Spool) Close() error {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.memory = nil
	return nil
}
