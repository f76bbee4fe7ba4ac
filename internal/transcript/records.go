package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// item is one record of a log before it is read.
type item struct {
	text string
	// line is the 1-based line the record starts in.
	line int
	// index is the 0-based position of the record in its file.
	index int
	// problem says why there is no record here, "" where there is one.
	problem string
}

// endError says why a log cannot be read any further, and that it is not the fault of
// the reader below it.
type endError struct{ message string }

func (e *endError) Error() string { return e.message }

// early turns the end of the input inside a record into an endError.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return &endError{"the file ends inside of this record: it is cut short"}
	}
	return err
}

// splitter cuts a log into records without reading what is in them. It holds one
// record at a time; a record over the limit is passed over.
type splitter struct {
	in    *bufio.Reader
	limit int
	line  int
	index int
	buf   []byte
	// fresh says that the list or object that is open has had no element yet, so that
	// no comma is due.
	fresh bool
}

func newSplitter(in *bufio.Reader, limit int) *splitter {
	return &splitter{in: in, limit: limit, line: 1, fresh: true}
}

// at is the place where the next record begins.
func (s *splitter) at() item { return item{line: s.line, index: s.index} }

// record completes the record at a place, with what was read of it.
func (s *splitter) record(it item, data []byte, over bool) item {
	s.index++
	if over {
		it.problem = fmt.Sprintf("the record is longer than the limit of %d bytes and was passed over: "+
			"raise the limit to read it", s.limit)
		return it
	}
	it.text = string(data)
	return it
}

// nextLine returns the next line that is not blank, io.EOF at the end of the input.
func (s *splitter) nextLine() (item, error) {
	for {
		it := s.at()
		data, over, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return it, err
		}
		over = over || len(data) > s.limit
		if data = bytes.TrimSpace(data); len(data) > 0 || over {
			return s.record(it, data, over), nil
		}
		if err != nil {
			return it, err
		}
	}
}

// readLine reads up to and with the next line feed.
func (s *splitter) readLine() (data []byte, over bool, err error) {
	s.line++
	data, err = s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return data, false, err
	}
	s.reset()
	for over = s.keep(data, false); errors.Is(err, bufio.ErrBufferFull); {
		data, err = s.in.ReadSlice('\n')
		over = s.keep(data, over)
	}
	return s.buf, over, err
}

// reset empties the buffer, and frees a huge one.
func (s *splitter) reset() {
	if cap(s.buf) > 4<<20 {
		s.buf = nil
	}
	s.buf = s.buf[:0]
}

// keep adds a piece to the buffer, unless the record is over the limit, or was before.
func (s *splitter) keep(piece []byte, over bool) bool {
	if over || len(s.buf)+len(piece) > s.limit {
		s.buf = s.buf[:0]
		return true
	}
	s.buf = append(s.buf, piece...)
	return false
}

// peek skips blanks and returns the next byte without reading it.
func (s *splitter) peek() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, s.in.UnreadByte()
		}
	}
}

// take reads the byte that peek returned.
func (s *splitter) take() { s.in.Discard(1) }

// element moves to the next element of the list or object that is open; done says that
// it was closed instead.
func (s *splitter) element(closing byte) (done bool, err error) {
	c, err := s.peek()
	switch {
	case err != nil:
		return false, early(err)
	case c == closing:
		s.take()
		s.fresh = false
		return true, nil
	case !s.fresh && c != ',':
		return false, &endError{"between two elements is " + value.Quote(string(rune(c))) +
			", not a comma: the rest was not read"}
	case !s.fresh:
		s.take()
	}
	s.fresh = false
	return false, nil
}

// nextValue returns the next JSON value, or what is in its place up to the next
// comma, bracket or blank.
func (s *splitter) nextValue() (item, error) {
	if _, err := s.peek(); err != nil {
		return s.at(), early(err)
	}
	it := s.at()
	s.reset()
	var w value.Extent
	for over := false; ; {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) && w.Scalar && !w.InText {
			return s.record(it, s.buf, over), nil
		}
		if err != nil {
			s.index++
			return it, early(err)
		}
		n, done := w.Feed(chunk)
		over = s.keep(chunk[:n], over)
		s.line += bytes.Count(chunk[:n], []byte{'\n'})
		s.in.Discard(n)
		if done {
			return s.record(it, s.buf, over), nil
		}
	}
}

// chunk returns what is in the buffer, after filling it when it is empty.
func (s *splitter) chunk() ([]byte, error) {
	if s.in.Buffered() == 0 {
		if _, err := s.in.Peek(1); err != nil {
			return nil, err
		}
	}
	return s.in.Peek(s.in.Buffered())
}

// behind looks at what follows the end of the log's one value.
func (s *splitter) behind() error {
	if _, err := s.peek(); err != nil {
		return err
	}
	rest, _ := s.chunk()
	return &endError{"text follows the end of the log and was not read: " +
		value.Quote(string(rest[:min(len(rest), 60)]))}
}
