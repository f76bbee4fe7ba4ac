package view

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// spool is a temporary file that only grows.
type spool struct {
	file *os.File
	out  *bufio.Writer
	size int64
}

// span locates a part of a spool or another file.
type span struct {
	at     int64
	length int
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "judge-view-")
	if err != nil {
		return nil, fmt.Errorf("no room for an index: %w", err)
	}
	_ = os.Remove(f.Name()) // if the system allows it, the file is gone when the process ends
	return &spool{file: f, out: bufio.NewWriterSize(f, 1<<18)}, nil
}

// add appends data; it can be read after the next flush.
func (s *spool) add(data []byte) (span, error) {
	at := span{s.size, len(data)}
	s.size += int64(len(data))
	_, err := s.out.Write(data)
	return at, err
}

func (s *spool) flush() error { return s.out.Flush() }

func (s *spool) read(at span) ([]byte, error) {
	data := make([]byte, at.length)
	_, err := s.file.ReadAt(data, at.at)
	return data, err
}

// close removes the file.
func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// scan calls found for each of n parts that contains text. The parts must be in the order of the file.
func (s *spool) scan(ctx context.Context, n int, part func(int) span, text string, found func(int)) error {
	in := bufio.NewReaderSize(nil, 1<<20)
	var at int64
	var buf []byte
	for i := range n {
		p := part(i)
		if i == 0 || p.at != at {
			in.Reset(io.NewSectionReader(s.file, p.at, 1<<62))
		}
		if cap(buf) < p.length {
			buf = make([]byte, p.length)
		}
		if _, err := io.ReadFull(in, buf[:p.length]); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if at = p.at + int64(p.length); bytes.Contains(buf[:p.length], []byte(text)) {
			found(i)
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
