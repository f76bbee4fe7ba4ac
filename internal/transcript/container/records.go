package container

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// Record is the text of one record of a log.
type Record struct {
	Text string
	// Line is the 1-based line in which the record starts.
	Line int
	// Index is the 0-based index of the record in its file.
	Index int
	// Problem says why the record cannot be read; "" if it can.
	Problem string
}

// splitter splits a log into records without parsing them. It holds one record at a time and skips
// a record over the limit.
type splitter struct {
	in    *bufio.Reader
	limit int
	line  int
	index int
	buf   []byte
	// fresh says that the open list or object has no element yet, so no comma is expected.
	fresh bool
}

// at returns the place of the next record.
func (s *splitter) at() Record { return Record{Line: s.line, Index: s.index} }

// record completes a record with the data that was read.
func (s *splitter) record(r Record, data []byte, over bool) Record {
	s.index++
	if over {
		r.Problem = fmt.Sprintf("the record is longer than the limit of %d bytes and was passed over: "+
			"raise the limit to read it", s.limit)
		return r
	}
	r.Text = string(data)
	return r
}

// nextLine returns the next line that is not blank, io.EOF at the end.
func (s *splitter) nextLine() (Record, error) {
	for {
		r := s.at()
		data, over, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return r, err
		}
		over = over || len(data) > s.limit
		if data = bytes.TrimSpace(data); len(data) > 0 || over {
			return s.record(r, data, over), nil
		}
		if err != nil {
			return r, err
		}
	}
}

// readLine reads up to the next line feed and includes it.
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

// keep adds a piece to the buffer unless the record is over the limit, which it reports.
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

// element moves to the next element of the open list or object; done says that it was closed.
func (s *splitter) element(closing byte) (done bool, err error) {
	c, err := s.peek()
	switch {
	case err != nil:
		return false, CutShort(err)
	case c == closing:
		s.take()
		s.fresh = false
		return true, nil
	case !s.fresh && c != ',':
		return false, &Broken{Message: "between two elements is " + value.Quote(string(rune(c))) +
			", not a comma: the rest was not read"}
	case !s.fresh:
		s.take()
	}
	s.fresh = false
	return false, nil
}

// nextValue returns the next JSON value or, if none, everything up to the next comma, bracket or blank.
func (s *splitter) nextValue() (Record, error) {
	if _, err := s.peek(); err != nil {
		return s.at(), CutShort(err)
	}
	r := s.at()
	s.reset()
	var extent value.Extent
	for over := false; ; {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) && extent.Scalar && !extent.InText {
			return s.record(r, s.buf, over), nil
		}
		if err != nil {
			s.index++
			return r, CutShort(err)
		}
		n, done := extent.Feed(chunk)
		over = s.keep(chunk[:n], over)
		s.line += bytes.Count(chunk[:n], []byte{'\n'})
		s.in.Discard(n)
		if done {
			return s.record(r, s.buf, over), nil
		}
	}
}

// chunk returns the buffered data, after filling an empty buffer.
func (s *splitter) chunk() ([]byte, error) {
	if s.in.Buffered() == 0 {
		if _, err := s.in.Peek(1); err != nil {
			return nil, err
		}
	}
	return s.in.Peek(s.in.Buffered())
}

// after returns io.EOF if nothing follows the log's only value, else the place of what follows, and an
// error that quotes it.
func (s *splitter) after() (Record, error) {
	if _, err := s.peek(); err != nil {
		return s.at(), err
	}
	rest, _ := s.chunk()
	return s.at(), &Broken{Message: "text follows the end of the log and was not read: " +
		value.Quote(string(rest[:min(len(rest), 60)]))}
}
